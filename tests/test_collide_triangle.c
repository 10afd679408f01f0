// Convex solids against single triangles, with edges of all kinds.
#include "collide/collide_triangle.h"
#include "hull_fixture.h"

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "taper", "hull" };

static cn_part make_part(const cn_vec3 vertices[3], float lean)
{
    cn_part part = { .is_triangle = true };
    for (int i = 0; i < 3; i++) {
        part.triangle.vertices[i] = vertices[i];
        part.triangle.lean[i] = lean;
    }
    part.triangle.normal = cn_normalize(cn_cross(cn_sub(vertices[1], vertices[0]), cn_sub(vertices[2], vertices[0])));
    return part;
}

// Not thinner than a tenth of its size.
static cn_part random_part(rng *r, float size, float lean)
{
    for (;;) {
        cn_vec3 v[3];
        for (int i = 0; i < 3; i++)
            v[i] = rng_vec(r, size);
        if (cn_length(cn_cross(cn_sub(v[1], v[0]), cn_sub(v[2], v[0]))) > 0.3f * size * size)
            return make_part(v, lean);
    }
}

static float deepest_of(const cn_cluster *patch)
{
    float least = INFINITY;
    for (int i = 0; i < patch->count; i++)
        least = cn_minf(least, patch->points[i].separation);
    return least;
}

// A triangle that stands alone is a convex set: the contact is where and as far as GJK says. (One that b is behind of is not
// asked for, here as in a mesh.)
static void lone_triangle_is_a_convex_set(void **state)
{
    (void)state;
    rng r = { 61 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, invented = 0, tried = 0;
        double off = 0.0, tilt = 0.0;
        for (int i = 0; tried < 4000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.6f, &hulls);
            cn_part part = random_part(&r, i % 2 ? 1.0f : 0.3f, CN_LEAN_FREE);
            cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
            cn_pose pose = random_pose(&r, rng_range(&r, 0.2f, 1.4f));
            float inner = cn_convex_inner_radius(&b), margin = 0.1f * inner;
            float skin = (float)skin_of(&b);
            cn_gjk_result truth = cn_gjk_distance(&triangle, &b, pose, NULL);
            float distance = truth.distance - skin;
            cn_triangle_query query = cn_triangle_query_make(&b, pose, margin, &part, 1);
            if (!(distance > 0.0f && distance < 2.0f * margin) || cn_triangle_height(&query, &part.triangle) < 0.0f)
                continue;
            tried++;
            cn_cluster patch;
            cn_collide_triangle(&query, &part.triangle, &patch);
            missing += patch.count == 0 && distance < 0.99f * margin;
            invented += patch.count > 0 && distance > 1.01f * margin;
            if (patch.count == 0) {
                assert_true(patch.gap <= distance + 1e-5f || patch.gap <= margin);
                continue;
            }
            off = fmax(off, fabs((double)(deepest_of(&patch) - distance)) / (double)inner);
            tilt = fmax(tilt, (double)((1.0f - cn_dot(patch.normal, truth.normal)) * distance / inner));
        }
        printf("  %-8s missing %d, invented %d, distance off by at most %.1e inner radii\n", type_names[type], missing,
               invented, off);
        assert_int_equal(missing + invented, 0);
        assert_true(off < 0.05 && tilt < 0.02);
    }
}

// Where the surface goes on flat or rises beyond every edge, there is one normal, to the last bit, and every point lies over
// the triangle.
static void inner_triangle_has_one_normal(void **state)
{
    (void)state;
    rng r = { 62 };
    for (int i = 0; i < 50000; i++) {
        cn_convex b = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 0.6f, &hulls);
        cn_part part = random_part(&r, 1.0f, 0.0f);
        const cn_triangle *t = &part.triangle;
        cn_triangle_query query = cn_triangle_query_make(&b, random_pose(&r, rng_range(&r, 0.1f, 1.0f)), 0.02f, &part, 1);
        cn_cluster patch;
        cn_collide_triangle(&query, t, &patch);
        for (int k = 0; k < patch.count; k++) {
            assert_true(patch.normal.x == t->normal.x && patch.normal.y == t->normal.y && patch.normal.z == t->normal.z);
            for (int e = 0; e < 3; e++) {
                cn_vec3 side = cn_normalize(cn_sub(t->vertices[(e + 1) % 3], t->vertices[e]));
                float beyond = cn_dot(cn_cross(side, t->normal), cn_sub(patch.points[k].position, t->vertices[e]));
                assert_true(beyond < 1e-5f);
            }
            cn_vec3 on_a = cn_madd(patch.points[k].position, -0.5f * patch.points[k].separation, t->normal);
            assert_true(fabsf(cn_dot(t->normal, cn_sub(on_a, t->vertices[0]))) < 1e-5f);
        }
    }
}

// Over an edge that bends away by an angle, normals lean up to that angle and no farther.
static void lean_is_bounded(void **state)
{
    (void)state;
    rng r = { 63 };
    cn_vec3 v[3] = { { -1.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, -2.0f } };
    cn_convex ball = { .type = CN_SPHERE, .radius = 0.3f };
    for (int i = 0; i < 20000; i++) {
        float angle = rng_range(&r, 0.05f, 2.5f), at = rng_range(&r, 0.02f, 1.5f);
        cn_part part = make_part(v, 0.0f);
        part.triangle.lean[0] = (float)tan(0.5 * (double)angle);
        // around edge 0, over which z grows
        float x = rng_range(&r, -0.5f, 0.5f);
        cn_pose pose = { cn_v3(x, 0.29f * (float)cos((double)at), 0.29f * (float)sin((double)at)), { 0.0f, 0.0f, 0.0f, 1.0f } };
        cn_triangle_query query = cn_triangle_query_make(&ball, pose, 0.01f, &part, 1);
        cn_cluster patch;
        cn_collide_triangle(&query, &part.triangle, &patch);
        if (fabsf(at - angle) < 1e-3f)
            continue;
        assert_int_equal(patch.count, at < angle);
        if (patch.count > 0)
            assert_true(cn_distance(patch.normal, cn_normalize(cn_sub(pose.position, cn_v3(x, 0.0f, 0.0f)))) < 1e-4f);
    }
}

static void bad_numbers_give_no_points(void **state)
{
    (void)state;
    rng r = { 64 };
    for (int i = 0; i < 2000; i++) {
        cn_convex b = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 0.6f, &hulls);
        cn_part part = random_part(&r, 1.0f, i % 2 ? 0.0f : CN_LEAN_FREE);
        cn_pose pose = random_pose(&r, 0.5f);
        float *numbers = &pose.position.x;
        numbers[rng_next(&r) % 3] = NAN;
        cn_triangle_query query = cn_triangle_query_make(&b, pose, 0.02f, &part, 1);
        cn_cluster patch;
        cn_collide_triangle(&query, &part.triangle, &patch);
        assert_int_equal(patch.count, 0);
    }
}

// Where the axis of a ball or capsule meets the outline to a rounding, no direction leads from one to the other, and the normal is still
// one.
static void an_axis_on_the_outline_has_a_normal(void **state)
{
    (void)state;
    rng r = { 65 };
    int met = 0;
    for (int i = 0; i < 100000; i++) {
        cn_part part = random_part(&r, 1.0f, CN_LEAN_FREE);
        const cn_vec3 *v = part.triangle.vertices;
        cn_convex b = { .type = i % 2 ? CN_CAPSULE : CN_SPHERE, .half_height = i % 2 ? 0.5f : 0.0f, .radius = 0.125f };
        float along = rng_range(&r, 0.0f, 1.0f), up = rng_range(&r, -0.5f, 0.5f);
        cn_pose pose = { cn_madd(v[0], along, cn_sub(v[1], v[0])), rng_quat(&r) };
        if (i % 2)
            pose.position = cn_madd(pose.position, up, cn_rotate(pose.rotation, cn_v3(0.0f, 1.0f, 0.0f)));
        cn_triangle_query query = cn_triangle_query_make(&b, pose, 0.02f, &part, 1);
        cn_cluster patch;
        cn_collide_triangle(&query, &part.triangle, &patch);
        met += patch.count > 0;
        if (patch.count > 0)
            assert_true(fabsf(cn_length(patch.normal) - 1.0f) < 1e-5f);
    }
    assert_true(met > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lone_triangle_is_a_convex_set),
        cmocka_unit_test(inner_triangle_has_one_normal),
        cmocka_unit_test(lean_is_bounded),
        cmocka_unit_test(bad_numbers_give_no_points),
        cmocka_unit_test(an_axis_on_the_outline_has_a_normal),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
