// Triangles that are dropped before anything dear is done with them: none of them may be within the margin.
#include "collide/triangle_cull.h"
#include "hull_fixture.h"

#include <string.h>

enum { TRIANGLES = 24 };

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "taper", "hull" };

// Triangles of all forms about a place, by their corners one after the other.
static cn_mesh *scatter_triangles(rng *r, cn_vec3 place, float size)
{
    cn_vec3 vertices[3 * TRIANGLES];
    int indices[3 * TRIANGLES];
    for (int t = 0; t < TRIANGLES; t++) {
        cn_vec3 middle = cn_add(place, rng_vec(r, 2.0f * size));
        float wide = rng_range(r, 0.03f, 3.0f) * size;
        for (int k = 0; k < 3; k++) {
            vertices[3 * t + k] = cn_add(middle, rng_vec(r, wide));
            indices[3 * t + k] = 3 * t + k;
        }
    }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = 3 * TRIANGLES;
    def.indices = indices;
    def.triangle_count = TRIANGLES;
    cn_mesh *mesh = cn_mesh_create(&def);
    assert_non_null(mesh);
    return mesh;
}

// Between two points of the two, which is no less than the distance, whatever GJK has rounded.
static double distance_to(const cn_convex *b, cn_pose pose, const cn_part *part)
{
    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part->triangle.vertices };
    cn_gjk_result gjk = cn_gjk_distance(&triangle, b, pose, NULL);
    if (!(gjk.distance > 0.0f))
        return 0.0;
    double x = (double)gjk.point_b.x - (double)gjk.point_a.x, y = (double)gjk.point_b.y - (double)gjk.point_a.y,
           z = (double)gjk.point_b.z - (double)gjk.point_a.z;
    return fmax(sqrt(x * x + y * y + z * z) - skin_of(b), 0.0);
}

// From millimetres to kilometres, near the origin and a hundred sizes away, for all kinds of solids.
static void nothing_near_is_dropped(void **state)
{
    (void)state;
    rng r = { 71 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int near = 0, apart = 0, dropped = 0;
        for (int i = 0; i < 1000; i++) {
            float exponent = rng_range(&r, -3.0f, 3.0f), reach = i % 4 == 0 ? 100.0f : 1.0f,
                  part_of_size = rng_range(&r, -3.0f, 0.0f);
            cn_convex b = random_shape(&r, (cn_shape_type)type, powf(10.0f, exponent), &hulls);
            float size = cn_convex_outer_radius(&b, cn_v3(0.0f, 0.0f, 0.0f)), margin = size * powf(10.0f, part_of_size);
            cn_pose pose = random_pose(&r, reach * size);
            cn_mesh *mesh = scatter_triangles(&r, pose.position, size);
            cn_composite surface = { .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = mesh };
            int32_t numbers[TRIANGLES];
            bool kept[TRIANGLES] = { false };
            for (int t = 0; t < TRIANGLES; t++)
                numbers[t] = t;
            cn_scope scope = cn_look_within(margin);
            float asked;
            uint64_t aside;
            int count = cn_cull_triangles(&surface, &b, pose, &scope, numbers, TRIANGLES, &asked, &aside);
            assert_true(asked == margin);
            for (int k = 0; k < count; k++) {
                assert_true(k == 0 || numbers[k] > numbers[k - 1]); // in the order they came
                kept[numbers[k]] = true;
            }
            for (int t = 0; t < TRIANGLES; t++) {
                cn_part part;
                cn_composite_part(&surface, t, &part);
                double distance = distance_to(&b, pose, &part);
                near += distance <= (double)margin;
                apart += distance > (double)margin;
                dropped += !kept[t];
                if (!kept[t] && !(distance > (double)margin - 1e-6 * (double)(reach * size)))
                    fail_msg("%s of %g m: a triangle at %g m was dropped, margin %g m", type_names[type], (double)size,
                             distance, (double)margin);
            }
            cn_mesh_destroy(mesh);
        }
        // It is worth its time. What lies behind a triangle is as near to it as it is deep, so not all that is apart is
        // dropped.
        if (near < 500 || 4 * dropped < apart)
            fail_msg("%s: %d near, %d apart, %d dropped", type_names[type], near, apart, dropped);
    }
}

static void corners_are_those_of_the_parts(void **state)
{
    (void)state;
    rng r = { 72 };
    static const cn_vec3 scales[4] = {
        { 1.0f, 1.0f, 1.0f }, { -1.0f, 1.0f, 1.0f }, { 0.3f, -2.0f, -0.7f }, { -1.5f, -0.2f, -3.0f }
    };
    cn_mesh *mesh = scatter_triangles(&r, cn_v3(3.0f, -1.0f, 2.0f), 1.0f);
    for (int i = 0; i < 4; i++) {
        cn_composite surface = { .type = CN_MESH, .scale = scales[i], .mesh = mesh };
        int32_t numbers[TRIANGLES];
        cn_f4 corners[TRIANGLES][3];
        for (int t = 0; t < TRIANGLES; t++)
            numbers[t] = t;
        assert_true(cn_composite_corners(&surface, numbers, TRIANGLES, corners)); // none has a neighbour
        for (int t = 0; t < TRIANGLES; t++) {
            cn_part part;
            cn_composite_part(&surface, t, &part);
            assert_memory_equal(&part.triangle.vertices[0], &corners[t][0], sizeof(cn_vec3));
            assert_memory_equal(&part.triangle.vertices[1], &corners[t][1], sizeof(cn_vec3));
            assert_memory_equal(&part.triangle.vertices[2], &corners[t][2], sizeof(cn_vec3));
        }
    }
    cn_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_near_is_dropped),
        cmocka_unit_test(corners_are_those_of_the_parts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
