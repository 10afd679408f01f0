// Support points, bounds, radii and touching features of the convex shapes; defaults.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_points.h"

#include "base/error.h"
#include "shape/convex.h"

#include <stdlib.h>
#include <string.h>

static void assert_close(float value, float expected, float tolerance)
{
    if (!(cn_absf(value - expected) <= tolerance))
        print_error("%.9g is not %.9g\n", (double)value, (double)expected);
    assert_true(cn_absf(value - expected) <= tolerance);
}

static void assert_vec(cn_vec3 value, cn_vec3 expected, float tolerance)
{
    assert_close(value.x, expected.x, tolerance);
    assert_close(value.y, expected.y, tolerance);
    assert_close(value.z, expected.z, tolerance);
}

// Shapes under test: all five types, small and large hulls, lattice hulls with big flat faces, needles and plates.

enum { SHAPES = 16 };
static cn_convex shapes[SHAPES];

static cn_convex make_hull(int count, int kind)
{
    static cn_vec3 points[8000];
    for (int i = 0; i < count; i++) {
        cn_vec3 p = kind == 0 ? random_point() : random_direction();
        if (kind == 2) // on a lattice, so that faces are large and flat
            p = cn_v3((float)(int)(p.x * 12.0f), (float)(int)(p.y * 12.0f), (float)(int)(p.z * 12.0f));
        if (kind == 3)
            p = cn_v3(p.x, 1e-3f * p.y, p.z);
        if (kind == 4)
            p = cn_v3(1e-3f * p.x, 1e-3f * p.y, p.z);
        points[i] = cn_add(p, cn_v3(0.1f, -0.3f, 0.2f));
    }
    cn_convex shape = { .type = CN_HULL, .hull = cn_polyhedron_build(&cn_default_allocator, points, count) };
    assert_non_null(shape.hull);
    return shape;
}

static int setup(void **s)
{
    (void)s;
    int n = 0;
    shapes[n++] = (cn_convex){ .type = CN_SPHERE, .radius = 0.7f };
    shapes[n++] = (cn_convex){ .type = CN_CAPSULE, .radius = 0.3f, .half_height = 0.8f };
    shapes[n++] = (cn_convex){ .type = CN_CAPSULE, .radius = 0.3f, .half_height = 0.0f };
    shapes[n++] = (cn_convex){ .type = CN_BOX, .half_extents = { 0.5f, 1.2f, 0.8f } };
    shapes[n++] = (cn_convex){ .type = CN_CYLINDER, .radius = 0.4f, .half_height = 1.1f };
    shapes[n++] = (cn_convex){ .type = CN_CYLINDER, .radius = 1.4f, .half_height = 0.1f };
    shapes[n++] = (cn_convex){ .type = CN_TAPERED_CAPSULE, .radius = 0.2f, .top_radius = 0.7f, .half_height = 0.9f };
    shapes[n++] = (cn_convex){ .type = CN_TAPERED_CAPSULE, .radius = 0.9f, .top_radius = 0.3f, .half_height = 0.2f }; // a ball
    shapes[n++] = make_hull(8, 0);
    shapes[n++] = make_hull(30, 1);
    shapes[n++] = make_hull(100, 1);
    shapes[n++] = make_hull(1000, 0);
    shapes[n++] = make_hull(8000, 1);
    shapes[n++] = make_hull(3000, 2);
    shapes[n++] = make_hull(500, 3);
    shapes[n++] = make_hull(500, 4);
    assert_int_equal(n, SHAPES);
    return 0;
}

static int teardown(void **s)
{
    (void)s;
    for (int i = 0; i < SHAPES; i++)
        if (shapes[i].type == CN_HULL)
            cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)shapes[i].hull);
    return 0;
}

// Samples of the surface that contain the support point to within rounding, independent of cn_convex_support.
static float brute_height(const cn_convex *shape, cn_vec3 d)
{
    double x = (double)d.x, y = (double)d.y, z = (double)d.z;
    double along = (double)shape->half_height * fabs(y), across = (double)shape->radius * sqrt(x * x + z * z);
    switch (shape->type) {
    case CN_SPHERE:
    case CN_CAPSULE: return (float)(along + (double)shape->radius * sqrt(x * x + y * y + z * z));
    case CN_CYLINDER: return (float)(along + across);
    case CN_TAPERED_CAPSULE: {
        double length = sqrt(x * x + y * y + z * z), h = (double)shape->half_height;
        return (float)fmax((double)shape->radius * length - h * y, (double)shape->top_radius * length + h * y);
    }
    case CN_BOX: return cn_dot(cn_abs3(d), shape->half_extents);
    default: {
        double best = -1e30;
        for (int i = 0; i < shape->hull->vertex_count; i++) {
            cn_vec3 v = shape->hull->vertices[i];
            best = fmax(best, (double)v.x * x + (double)v.y * y + (double)v.z * z);
        }
        return (float)best;
    }
    }
}

// Hulls are looked at four vertices or faces at a time, whatever their number: the answers are, bit for bit, those of one after
// the other, the first of several that are as good.
static void test_hulls_in_lanes(void **s)
{
    (void)s;
    for (int k = 0; k < 600; k++) {
        cn_convex shape = make_hull(4 + k % 60, k % 3);
        const cn_polyhedron *hull = shape.hull;
        cn_vec3 d = random_direction(), vertices[CN_MAX_FACE_VERTICES], normal, lower, upper;
        uint16_t ids[CN_MAX_FACE_VERTICES];
        if (k % 4 == 0)
            d = hull->planes[k % hull->face_count].normal; // several vertices are as high
        int highest = 0, aligned = 0;
        for (int i = 1; i < hull->vertex_count; i++)
            highest = cn_dot(hull->vertices[i], d) > cn_dot(hull->vertices[highest], d) ? i : highest;
        if (hull->vertex_count <= 32) // others are climbed, and of equals any may be found
            assert_int_equal(cn_polyhedron_support(hull, d), highest);
        for (int i = 1; i < hull->face_count; i++)
            aligned = cn_dot(hull->planes[i].normal, d) > cn_dot(hull->planes[aligned].normal, d) ? i : aligned;
        cn_convex_face(&shape, d, vertices, ids, &normal);
        if (k % 4 != 0) // the function makes a unit vector of d, which may round away what told two faces apart
            assert_memory_equal(&normal, &hull->planes[aligned].normal, sizeof normal);
        cn_pose pose = { { 0.0f, 0.0f, 0.0f }, cn_quat_normalize((cn_quat){ d.x, d.y, d.z, 0.3f }) };
        cn_convex_bounds(&shape, pose, &lower, &upper);
        cn_mat3 r = cn_mat3_from_quat(pose.rotation);
        cn_vec3 low = { INFINITY, INFINITY, INFINITY }, high = cn_neg(low);
        for (int i = 0; i < hull->vertex_count; i++) {
            low = cn_min3(low, cn_mat3_mul(&r, hull->vertices[i]));
            high = cn_max3(high, cn_mat3_mul(&r, hull->vertices[i]));
        }
        assert_true(lower.x == low.x && lower.y == low.y && lower.z == low.z);
        assert_true(upper.x == high.x && upper.y == high.y && upper.z == high.z);
        cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)hull);
    }
}

static void test_support(void **s)
{
    (void)s;
    float worst = 0.0f;
    for (int i = 0; i < SHAPES; i++) {
        float size = cn_convex_outer_radius(&shapes[i], cn_v3(0, 0, 0));
        for (int k = 0; k < 3000; k++) {
            cn_vec3 d = random_direction();
            if (k < 6) // along the axes
                d = cn_v3(k / 2 == 0 ? 1.0f : 0.0f, k / 2 == 1 ? 1.0f : 0.0f, k / 2 == 2 ? 1.0f : 0.0f);
            else if (k % 4 == 0 && shapes[i].type == CN_HULL) // at right angles to a face
                d = shapes[i].hull->planes[k % shapes[i].hull->face_count].normal;
            if (k & 1)
                d = cn_neg(d);
            float error = brute_height(&shapes[i], d) - cn_dot(cn_convex_support(&shapes[i], d), d);
            worst = cn_maxf(worst, cn_absf(error) / size);
            assert_close(error, 0.0f, 1e-6f * size);
            // the length of the direction does not matter
            float scale = k % 3 == 0 ? 1e-25f : k % 3 == 1 ? 1e10f : 0.1f;
            cn_vec3 again = cn_convex_support(&shapes[i], cn_scale(scale, d));
            assert_close(cn_dot(again, d), cn_dot(cn_convex_support(&shapes[i], d), d), 1e-6f * size);
        }
        // no direction at all: some finite point
        cn_vec3 p = cn_convex_support(&shapes[i], cn_v3(0, 0, 0));
        assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
        p = cn_convex_support(&shapes[i], cn_v3(NAN, 0, INFINITY));
        (void)p;
    }
    print_message("support: worst error %.2g of the size\n", (double)worst);
}

static void test_bounds(void **s)
{
    (void)s;
    for (int i = 0; i < SHAPES; i++) {
        for (int k = 0; k < 200; k++) {
            cn_pose pose = { cn_scale(3.0f, random_point()), k == 0 ? cn_quat_identity() : random_rotation() };
            cn_vec3 lower, upper;
            cn_convex_bounds(&shapes[i], pose, &lower, &upper);
            for (int j = 0; j < 100; j++) {
                cn_vec3 p = cn_pose_point(pose, cn_convex_support(&shapes[i], random_direction()));
                assert_true(p.x >= lower.x - 3e-6f && p.y >= lower.y - 3e-6f && p.z >= lower.z - 3e-6f);
                assert_true(p.x <= upper.x + 3e-6f && p.y <= upper.y + 3e-6f && p.z <= upper.z + 3e-6f);
            }
            for (int axis = 0; axis < 3; axis++) { // and tight
                cn_vec3 d = cn_v3(axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f);
                cn_vec3 local = cn_unrotate(pose.rotation, d);
                assert_close(cn_component(upper, axis), cn_component(pose.position, axis) + brute_height(&shapes[i], local),
                             5e-6f);
                assert_close(cn_component(lower, axis),
                             cn_component(pose.position, axis) - brute_height(&shapes[i], cn_neg(local)), 5e-6f);
            }
        }
    }
}

static void test_radii(void **s)
{
    (void)s;
    for (int i = 0; i < SHAPES; i++) {
        cn_vec3 center = cn_convex_center(&shapes[i]);
        float inner = cn_convex_inner_radius(&shapes[i]), smallest = 1e30f;
        assert_true(inner > 0.0f);
        for (int k = 0; k < 2000; k++) {
            cn_vec3 d = random_direction(), from = random_point();
            if (k < 3) // where the primitives are narrowest
                d = cn_v3(k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f);
            smallest = cn_minf(smallest, brute_height(&shapes[i], d) - cn_dot(center, d));
            cn_vec3 p = cn_convex_support(&shapes[i], d);
            float outer = cn_convex_outer_radius(&shapes[i], from);
            assert_true(cn_distance(p, from) <= outer * 1.000001f);
        }
        assert_true(smallest >= inner - 2e-6f);
        if (shapes[i].type != CN_HULL)
            assert_close(smallest, inner, shapes[i].type == CN_TAPERED_CAPSULE ? 1e-3f : 1e-6f); // narrowest along no axis
    }
    // tight from the centre
    assert_close(cn_convex_outer_radius(&shapes[0], cn_v3(0, 0, 0)), 0.7f, 1e-6f);
    assert_close(cn_convex_outer_radius(&shapes[1], cn_v3(0, 0, 0)), 1.1f, 1e-6f);
    assert_close(cn_convex_outer_radius(&shapes[3], cn_v3(0, 0, 0)), sqrtf(0.25f + 1.44f + 0.64f), 1e-6f);
    assert_close(cn_convex_outer_radius(&shapes[4], cn_v3(0, 0, 0)), sqrtf(0.16f + 1.21f), 1e-6f);
}

static void test_mass(void **s)
{
    (void)s;
    cn_mass box = cn_convex_mass(&shapes[3], 10.0f), direct = cn_mass_box(shapes[3].half_extents, 10.0f);
    assert_memory_equal(&box, &direct, sizeof box);
    cn_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = cn_v3(i & 1 ? 0.5f : -0.5f, i & 2 ? 1.2f : -1.2f, i & 4 ? 0.8f : -0.8f);
    cn_convex hull = { .type = CN_HULL, .hull = cn_polyhedron_build(&cn_default_allocator, corners, 8) };
    cn_mass m = cn_convex_mass(&hull, 10.0f);
    assert_close(m.mass, direct.mass, 1e-6f * direct.mass);
    assert_vec(m.center, cn_v3(0, 0, 0), 1e-7f);
    for (int i = 0; i < 6; i++)
        assert_close((&m.inertia.xx)[i], (&direct.inertia.xx)[i], 1e-5f);
    assert_close(cn_convex_inner_radius(&hull), 0.5f, 1e-6f);
    assert_true(cn_convex_mass(&hull, 0.0f).mass == 0.0f && cn_convex_mass(&shapes[0], 0.0f).mass == 0.0f);
    cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)hull.hull);
}

// Every polygon turns counter-clockwise about its normal, lies on the surface, and faces the direction.
static void check_polygon(const cn_convex *shape, const cn_vec3 *v, int count, cn_vec3 normal)
{
    for (int i = 0; i < count; i++) {
        cn_vec3 a = v[i], b = v[(i + 1) % count], c = v[(i + 2) % count];
        assert_true(cn_dot(cn_cross(cn_sub(b, a), cn_sub(c, b)), normal) > 0.0f);
        assert_close(cn_dot(a, normal), brute_height(shape, normal), 2e-6f);
    }
}

static void test_faces(void **s)
{
    (void)s;
    cn_vec3 v[CN_MAX_FACE_VERTICES], normal;
    uint16_t ids[CN_MAX_FACE_VERTICES];
    for (int i = 0; i < SHAPES; i++) {
        for (int k = 0; k < 1000; k++) {
            cn_vec3 d = random_direction();
            int count = cn_convex_face(&shapes[i], cn_scale(3.0f, d), v, ids, &normal);
            assert_true(count >= 1 && count <= CN_MAX_FACE_VERTICES);
            assert_close(cn_length(normal), 1.0f, 1e-6f);
            for (int a = 0; a < count; a++)
                for (int b = 0; b < a; b++)
                    assert_int_not_equal(ids[a], ids[b]);
            switch (shapes[i].type) {
            case CN_SPHERE:
                assert_int_equal(count, 1);
                assert_vec(v[0], cn_v3(0, 0, 0), 0.0f);
                assert_vec(normal, d, 1e-6f);
                break;
            case CN_CAPSULE: {
                bool side = cn_absf(d.y) < 0.0999f && shapes[i].half_height > 0.0f;
                if (side || cn_absf(d.y) > 0.1001f || shapes[i].half_height == 0.0f)
                    assert_int_equal(count, side ? 2 : 1);
                assert_close(cn_dot(v[0], normal) + shapes[i].radius, brute_height(&shapes[i], normal), 1e-6f);
                break;
            }
            case CN_TAPERED_CAPSULE:
                assert_true(count <= 2);
                for (int a = 0; a < count; a++) // the side that touches is level on its normal
                    assert_close(cn_dot(v[a], normal) + cn_taper_skin(&shapes[i]), brute_height(&shapes[i], normal),
                                 count == 2 ? 6e-3f : 1e-6f);
                break;
            case CN_CYLINDER:
                if (count == 2) {
                    assert_true(cn_absf(d.y) < 0.7072f);
                    assert_close(cn_dot(v[1], normal), shapes[i].radius, 1e-6f);
                    assert_close(cn_dot(v[0], normal), shapes[i].radius, 1e-6f);
                    assert_true(v[0].y == -v[1].y && normal.y == 0.0f);
                } else {
                    assert_int_equal(count, 12);
                    assert_true(cn_absf(d.y) > 0.707f && normal.y * d.y > 0.0f);
                    check_polygon(&shapes[i], v, count, normal);
                }
                break;
            default: check_polygon(&shapes[i], v, count, normal);
            }
        }
    }
}

// An id names the same vertex from whichever side it is asked for.
static void test_face_ids(void **s)
{
    (void)s;
    for (int i = 3; i < SHAPES; i++) {
        static cn_vec3 seen[UINT16_MAX];
        static bool known[UINT16_MAX];
        memset(known, 0, sizeof known);
        for (int k = 0; k < 500; k++) {
            cn_vec3 v[CN_MAX_FACE_VERTICES], normal;
            uint16_t ids[CN_MAX_FACE_VERTICES];
            int count = cn_convex_face(&shapes[i], random_direction(), v, ids, &normal);
            for (int a = 0; a < count && count > 2; a++) {
                if (known[ids[a]])
                    assert_memory_equal(&seen[ids[a]], &v[a], sizeof(cn_vec3));
                known[ids[a]] = true;
                seen[ids[a]] = v[a];
            }
        }
    }
}

static void test_box_faces(void **s)
{
    (void)s;
    for (int k = 0; k < 6; k++) {
        cn_vec3 v[CN_MAX_FACE_VERTICES], normal, d = { 0.1f, 0.2f, 0.3f };
        uint16_t ids[CN_MAX_FACE_VERTICES];
        float sign = k & 1 ? -1.0f : 1.0f;
        cn_vec3 axis = cn_v3(k / 2 == 0 ? sign : 0.0f, k / 2 == 1 ? sign : 0.0f, k / 2 == 2 ? sign : 0.0f);
        assert_int_equal(cn_convex_face(&shapes[3], cn_madd(d, 2.0f, axis), v, ids, &normal), 4);
        assert_vec(normal, axis, 0.0f);
        check_polygon(&shapes[3], v, 4, axis);
    }
}

static void test_defaults(void **s)
{
    (void)s;
    cn_shape_def def = cn_shape_def_default();
    assert_true(def.density == 1000.0f && def.contact_events && !def.hit_events && def.user_data == NULL);
    assert_true(def.offset.rotation.w == 1.0f && cn_length(def.offset.position) == 0.0f);
    assert_true(def.material.friction == 0.6f && def.material.kinetic_friction == -1.0f && def.material.restitution == 0.0f);
    assert_true(def.material.rolling_resistance == 0.0f && def.material.spinning_resistance == 0.0f);
    assert_true(def.filter.category == 1 && def.filter.mask == UINT64_MAX && def.filter.group == 0);
    cn_geometry g = cn_capsule(2.0f, 0.5f);
    assert_true(g.type == CN_CAPSULE && g.half_height == 2.0f && g.radius == 0.5f);
    g = cn_cylinder(2.0f, 0.5f);
    assert_true(g.type == CN_CYLINDER && g.half_height == 2.0f && g.radius == 0.5f);
    g = cn_sphere(3.0f);
    assert_true(g.type == CN_SPHERE && g.radius == 3.0f);
    g = cn_box(1.0f, 2.0f, 3.0f);
    assert_true(g.type == CN_BOX && g.half_extents.y == 2.0f && g.half_extents.z == 3.0f);
    g = cn_hull((cn_hull_id){ 5, 1, 2 });
    assert_true(g.type == CN_HULL && g.hull.index1 == 5 && g.hull.world == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls_in_lanes), cmocka_unit_test(test_support),   cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_radii),          cmocka_unit_test(test_mass),      cmocka_unit_test(test_faces),
        cmocka_unit_test(test_face_ids),       cmocka_unit_test(test_box_faces), cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
