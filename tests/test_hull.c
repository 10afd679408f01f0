// The convex hull builder: invariants of its result on every kind of cloud, its errors, its memory.
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

// Random numbers and clouds

static int below(int n) { return (int)((uniform() * 0.5 + 0.5) * n); }

static cn_vec3 random_lattice_point(int n)
{
    int x = below(n), y = below(n), z = below(n);
    return cn_v3((float)x, (float)y, (float)z);
}

static void transform(cn_vec3 *points, int count, cn_quat rotation, cn_vec3 scale, cn_vec3 shift)
{
    for (int i = 0; i < count; i++)
        points[i] = cn_add(shift, cn_rotate(rotation, cn_mul(scale, points[i])));
}

static int make_cube(cn_vec3 *points, int per_side) // a grid of points in [-1, 1]^3
{
    int count = 0;
    for (int x = 0; x < per_side; x++)
        for (int y = 0; y < per_side; y++)
            for (int z = 0; z < per_side; z++)
                points[count++] =
                    cn_v3(2.0f * (float)x / (float)(per_side - 1) - 1.0f, 2.0f * (float)y / (float)(per_side - 1) - 1.0f,
                          2.0f * (float)z / (float)(per_side - 1) - 1.0f);
    return count;
}

// An allocator that knows how much is still out.

static size_t outstanding;

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    outstanding += size;
    return cn_default_allocator.allocate(NULL, size, alignment);
}

static void counting_release(void *context, void *memory, size_t size)
{
    (void)context;
    outstanding -= size;
    cn_default_allocator.release(NULL, memory, size);
}

static const cn_allocator counting = { counting_allocate, counting_release, NULL };

static cn_polyhedron *build(const cn_vec3 *points, int count)
{
    cn_polyhedron *p = cn_polyhedron_build(&counting, points, count);
    assert_int_equal(outstanding, p != NULL ? p->size : 0);
    return p;
}

static void destroy(cn_polyhedron *p)
{
    cn_polyhedron_free(&counting, p);
    assert_int_equal(outstanding, 0);
}

// Invariants

static double worst_outside, worst_flatness; // over all hulls, in tolerances

static double tolerance_of(const cn_vec3 *points, int count)
{
    cn_vec3 lower = points[0], upper = points[0];
    for (int i = 0; i < count; i++) {
        lower = cn_min3(lower, points[i]);
        upper = cn_max3(upper, points[i]);
    }
    cn_vec3 extent = cn_sub(upper, lower), reach = cn_max3(cn_abs3(lower), cn_abs3(upper));
    return 3e-7 * (double)cn_maxf(extent.x, cn_maxf(extent.y, extent.z)) +
           1e-7 * (double)cn_maxf(reach.x, cn_maxf(reach.y, reach.z));
}

static double height(cn_plane plane, cn_vec3 p)
{
    return (double)plane.normal.x * (double)p.x + (double)plane.normal.y * (double)p.y + (double)plane.normal.z * (double)p.z -
           (double)plane.offset;
}

static double corner_height(cn_vec3 before, cn_vec3 corner, cn_vec3 after, cn_vec3 n)
{
    double ax = (double)corner.x - (double)before.x, ay = (double)corner.y - (double)before.y,
           az = (double)corner.z - (double)before.z;
    double bx = (double)after.x - (double)corner.x, by = (double)after.y - (double)corner.y,
           bz = (double)after.z - (double)corner.z;
    double cross = (ay * bz - az * by) * (double)n.x + (az * bx - ax * bz) * (double)n.y + (ax * by - ay * bx) * (double)n.z;
    return cross / (double)cn_distance(before, after);
}

static void check_topology(const cn_polyhedron *p)
{
    assert_int_equal(p->vertex_count - p->edge_count / 2 + p->face_count, 2);
    int visited = 0;
    for (int f = 0; f < p->face_count; f++) {
        int first = p->face_edges[f], e = first, corners = 0;
        do {
            assert_int_equal(p->edges[e].face, f);
            e = p->edges[e].next;
            corners++;
        } while (e != first && corners <= CN_MAX_FACE_VERTICES);
        assert_in_range(corners, 3, CN_MAX_FACE_VERTICES);
        visited += corners;
    }
    assert_int_equal(visited, p->edge_count);
    for (int e = 0; e < p->edge_count; e++) {
        assert_int_equal(p->edges[e].twin, e ^ 1);
        assert_int_equal(p->edges[p->edges[e].next].origin, p->edges[e ^ 1].origin);
        assert_int_not_equal(p->edges[e].face, p->edges[e ^ 1].face);
    }
    for (int v = 0; v < p->vertex_count; v++)
        assert_int_equal(p->edges[p->vertex_edges[v]].origin, v);
}

static void check_faces(const cn_polyhedron *p, double tolerance)
{
    for (int e = 0; e < p->edge_count; e++) {
        int next = p->edges[e].next, after = p->edges[next].next;
        cn_vec3 a = p->vertices[p->edges[e].origin], b = p->vertices[p->edges[next].origin],
                c = p->vertices[p->edges[after].origin];
        cn_plane plane = p->planes[p->edges[e].face];
        assert_true((double)cn_distance(a, b) > 0.9 * tolerance);
        assert_true(corner_height(a, b, c, plane.normal) > 0.0);
        worst_flatness = fmax(worst_flatness, fabs(height(plane, a)) / tolerance);
        assert_true(fabs(height(plane, a)) < 2.0 * tolerance);
        assert_true(fabs((double)cn_length(plane.normal) - 1.0) < 1e-6);
    }
}

static void check_contains(const cn_polyhedron *p, const cn_vec3 *points, int count, double tolerance)
{
    for (int f = 0; f < p->face_count; f++) {
        for (int i = 0; i < count; i++) {
            double outside = height(p->planes[f], points[i]) / tolerance;
            worst_outside = fmax(worst_outside, outside);
            assert_true(outside < 5.0);
        }
    }
}

static void check_measures(const cn_polyhedron *p, double tolerance)
{
    double nearest = 1e30;
    for (int f = 0; f < p->face_count; f++)
        nearest = fmin(nearest, -height(p->planes[f], p->center));
    assert_true(fabs((double)p->inner_radius - fmax(nearest, 0.0)) < 2.0 * tolerance);
    assert_true(p->unit_mass.mass > 0.0f);
    for (int v = 0; v < p->vertex_count; v++) {
        assert_true(p->vertices[v].x >= p->lower.x && p->vertices[v].x <= p->upper.x);
        assert_true(p->vertices[v].y >= p->lower.y && p->vertices[v].y <= p->upper.y);
        assert_true(p->vertices[v].z >= p->lower.z && p->vertices[v].z <= p->upper.z);
    }
}

static void check(const cn_polyhedron *p, const cn_vec3 *points, int count)
{
    double tolerance = tolerance_of(points, count);
    check_topology(p);
    check_faces(p, tolerance);
    check_contains(p, points, count, tolerance);
    check_measures(p, tolerance);
}

static void expect(const cn_vec3 *points, int count, int vertices, int faces)
{
    cn_polyhedron *p = build(points, count);
    assert_non_null(p);
    check(p, points, count);
    assert_int_equal(p->vertex_count, vertices);
    assert_int_equal(p->face_count, faces);
    destroy(p);
}

// Known solids

static void test_cubes(void **s)
{
    (void)s;
    static cn_vec3 points[1000];
    const cn_vec3 scales[] = { { 1, 1, 1 },         { 1e-3f, 1e-3f, 1e-3f }, { 1e3f, 1e3f, 1e3f },
                               { 1e-3f, 1e-3f, 1 }, { 1, 1e-3f, 1 },         { 0.7f, 2.3f, 0.9f } };
    for (int per_side = 2; per_side <= 10; per_side += 4) {
        for (int k = 0; k < 6; k++) {
            for (int turn = 0; turn < 20; turn++) {
                int count = make_cube(points, per_side);
                cn_quat q = turn == 0 ? cn_quat_identity() : random_rotation();
                transform(points, count, q, scales[k],
                          turn < 10 ? cn_v3(0, 0, 0) : cn_scale(10.0f * scales[k].z, random_point()));
                cn_polyhedron *p = build(points, count);
                assert_non_null(p);
                check(p, points, count);
                assert_int_equal(p->vertex_count, 8);
                assert_int_equal(p->face_count, 6);
                double volume = 8.0 * (double)scales[k].x * (double)scales[k].y * (double)scales[k].z;
                assert_true(fabs((double)p->unit_mass.mass / volume - 1.0) < 2e-3); // plates far away are rounded by 1e-3
                if (k != 3 && k != 4)
                    assert_true(fabs((double)p->unit_mass.mass / volume - 1.0) < 1e-5);
                destroy(p);
            }
        }
    }
}

static void test_box_with_points_on_it(void **s)
{
    (void)s;
    cn_vec3 points[300];
    for (int turn = 0; turn < 5000; turn++) {
        int count = make_cube(points, 2), lattice = 3 + below(8), total = 9 + turn % 290;
        for (; count < total; count++)
            points[count] = cn_sub(cn_scale(2.0f / (float)(lattice - 1), random_lattice_point(lattice)), cn_v3(1, 1, 1));
        if (turn % 2 == 1)
            transform(points, count, random_rotation(), cn_v3(1.0f, 0.5f, 2.0f), random_point());
        expect(points, count, 8, 6);
    }
}

static void test_far_from_the_origin(void **s)
{
    (void)s;
    cn_vec3 points[64];
    for (int turn = 0; turn < 200; turn++) {
        int count = make_cube(points, 4);
        transform(points, count, random_rotation(), cn_v3(1, 1, 1), cn_scale(1000.0f, random_direction()));
        expect(points, count, 8, 6);
    }
    int count = make_cube(points, 4);
    transform(points, count, cn_quat_identity(), cn_v3(3, 3, 3), cn_v3(1e6f, -1e6f, 1e6f)); // exact in float
    expect(points, count, 8, 6);
}

static int make_prism(cn_vec3 *points, int sides)
{
    for (int i = 0; i < sides; i++) {
        double angle = 6.283185307179586 * i / sides;
        points[2 * i] = cn_v3((float)cos(angle), -0.5f, (float)sin(angle));
        points[2 * i + 1] = cn_v3((float)cos(angle), 0.5f, (float)sin(angle));
    }
    return 2 * sides;
}

static void test_prisms(void **s)
{
    (void)s;
    static cn_vec3 points[2000];
    for (int sides = 3; sides <= 64; sides++) {
        int count = make_prism(points, sides);
        transform(points, count, random_rotation(), cn_v3(1, 1, 1), random_point());
        expect(points, count, 2 * sides, sides + 2);
    }
    // caps with too many corners are cut into several faces
    int count = make_prism(points, 1000);
    cn_polyhedron *p = build(points, count);
    assert_non_null(p);
    check(p, points, count);
    assert_int_equal(p->vertex_count, 2000);
    assert_true(p->face_count > 1002 && p->face_count < 1000 + 2 * 150);
    destroy(p);
}

static void test_spheres(void **s)
{
    (void)s;
    static cn_vec3 points[20000];
    for (int count = 10; count <= 10000; count *= 10) {
        for (int i = 0; i < count; i++)
            points[i] = random_direction();
        cn_polyhedron *p = build(points, count);
        assert_non_null(p);
        check_topology(p);
        check_faces(p, tolerance_of(points, count));
        if (count <= 1000) {
            check(p, points, count);
            assert_int_equal(p->vertex_count, count);
        }
        // at ten thousand points the closest few are within the tolerance of each other's faces
        assert_true(p->vertex_count >= count - count / 100);
        if (count == 10000)
            assert_true(fabs((double)p->unit_mass.mass / 4.18879 - 1.0) < 2e-3);
        destroy(p);
    }
    for (int i = 0; i < 20000; i++)
        points[i] = random_direction();
    assert_null(build(points, 20000));
    assert_non_null(strstr(cn_last_error(), "limit is 65535"));
}

// Errors

static void expect_error(const cn_vec3 *points, int count, const char *part)
{
    assert_null(build(points, count));
    assert_non_null(strstr(cn_last_error(), "cn_hull_create: "));
    assert_non_null(strstr(cn_last_error(), part));
}

static void test_errors(void **s)
{
    (void)s;
    cn_vec3 points[50];
    for (int i = 0; i < 50; i++)
        points[i] = random_point();
    expect_error(NULL, 5, "points is NULL");
    expect_error(points, 3, "count is 3");
    expect_error(points, -1, "count is -1");
    points[7].y = NAN;
    expect_error(points, 50, "points[7]");
    points[7].y = INFINITY;
    expect_error(points, 50, "not finite");
    for (int turn = 0; turn < 300; turn++) {
        cn_vec3 a = random_point(), u = random_direction(), v = random_direction();
        float scale = turn % 3 == 0 ? 1e-3f : turn % 3 == 1 ? 1.0f : 1e3f;
        for (int i = 0; i < 50; i++)
            points[i] = cn_scale(scale, a);
        expect_error(points, 50, "same point");
        for (int i = 0; i < 50; i++)
            points[i] = cn_scale(scale, cn_madd(a, (float)uniform(), u));
        expect_error(points, 50, "on one line");
        if (cn_length(cn_cross(u, v)) < 0.1f)
            continue;
        for (int i = 0; i < 50; i++)
            points[i] = cn_scale(scale, cn_madd(cn_madd(a, (float)uniform(), u), (float)uniform(), v));
        expect_error(points, 50, "in one plane");
    }
    int count = make_cube(points, 2);
    transform(points, count, cn_quat_identity(), cn_v3(1e30f, 1e30f, 1e30f), cn_v3(0, 0, 0));
    expect_error(points, count, "out of range");
    count = make_cube(points, 2);
    transform(points, count, cn_quat_identity(), cn_v3(1e-20f, 1e-20f, 1e-20f), cn_v3(0, 0, 0));
    expect_error(points, count, "out of range");
}

// Against brute force

static double volume_by_tetrahedra(const cn_polyhedron *p)
{
    double volume = 0.0;
    cn_vec3 o = p->vertices[p->vertex_count / 2];
    for (int f = 0; f < p->face_count; f++) {
        int first = p->face_edges[f];
        cn_vec3 a = cn_sub(p->vertices[p->edges[first].origin], o);
        for (int e = p->edges[first].next; p->edges[e].next != first; e = p->edges[e].next) {
            cn_vec3 b = cn_sub(p->vertices[p->edges[e].origin], o),
                    c = cn_sub(p->vertices[p->edges[p->edges[e].next].origin], o);
            volume += (double)cn_dot(a, cn_cross(b, c)) / 6.0;
        }
    }
    return volume;
}

static bool is_vertex(const cn_polyhedron *p, cn_vec3 point)
{
    for (int v = 0; v < p->vertex_count; v++)
        if (memcmp(&p->vertices[v], &point, sizeof point) == 0)
            return true;
    return false;
}

static void test_extreme_points(void **s)
{
    (void)s;
    static cn_vec3 points[200];
    for (int turn = 0; turn < 50; turn++) {
        int count = 4 + below(197);
        for (int i = 0; i < count; i++)
            points[i] = random_point();
        cn_polyhedron *p = build(points, count);
        assert_non_null(p);
        check(p, points, count);
        assert_true(fabs(volume_by_tetrahedra(p) / (double)p->unit_mass.mass - 1.0) < 1e-5);
        for (int k = 0; k < 500; k++) {
            cn_vec3 d = random_direction();
            int best = 0;
            float second = -10.0f;
            for (int i = 1; i < count; i++) {
                float h = cn_dot(points[i], d), top = cn_dot(points[best], d);
                second = cn_maxf(second, cn_minf(h, top));
                if (h > top)
                    best = i;
            }
            if (cn_dot(points[best], d) > second + 1e-5f) // a clear winner is a corner of the hull
                assert_true(is_vertex(p, points[best]));
        }
        for (int v = 0; v < p->vertex_count; v++) { // and each vertex wins along the sum of the normals around it
            cn_vec3 d = { 0, 0, 0 };
            int first = p->vertex_edges[v], e = first;
            do {
                d = cn_add(d, p->planes[p->edges[e].face].normal);
                e = p->edges[e ^ 1].next;
            } while (e != first);
            for (int i = 0; i < count; i++)
                assert_true(cn_dot(points[i], d) <= cn_dot(p->vertices[v], d) + 1e-5f);
        }
        destroy(p);
    }
}

static void test_monte_carlo_volume(void **s)
{
    (void)s;
    cn_vec3 points[40];
    for (int i = 0; i < 40; i++)
        points[i] = random_point();
    cn_polyhedron *p = build(points, 40);
    int inside = 0, samples = 200000;
    for (int k = 0; k < samples; k++) {
        cn_vec3 x = random_point();
        bool in = true;
        for (int f = 0; f < p->face_count && in; f++)
            in = cn_dot(p->planes[f].normal, x) <= p->planes[f].offset;
        inside += in;
    }
    assert_true(fabs(8.0 * inside / samples - (double)p->unit_mass.mass) < 0.04); // 4 standard deviations
    destroy(p);
}

static void test_same_result_in_any_order(void **s)
{
    (void)s;
    cn_vec3 points[300];
    for (int turn = 0; turn < 100; turn++) {
        int count = 5 + below(295);
        for (int i = 0; i < count; i++)
            points[i] = turn % 2 == 0 ? random_point() : random_lattice_point(5);
        cn_polyhedron *p = cn_polyhedron_build(&cn_default_allocator, points, count);
        for (int i = count - 1; i > 0; i--) {
            int j = below(i + 1);
            cn_vec3 swap = points[i];
            points[i] = points[j];
            points[j] = swap;
        }
        cn_polyhedron *q = cn_polyhedron_build(&cn_default_allocator, points, count);
        assert_true((p == NULL) == (q == NULL));
        if (p == NULL)
            continue;
        assert_int_equal(p->size, q->size);
        assert_memory_equal(p->planes, q->planes, p->size - sizeof *p);
        assert_memory_equal(&p->unit_mass, &q->unit_mass, sizeof(cn_mass));
        cn_polyhedron_free(&cn_default_allocator, p);
        cn_polyhedron_free(&cn_default_allocator, q);
    }
}

// A cloud of millimetres and one of kilometres give the same polyhedron.
static void test_scale_independence(void **s)
{
    (void)s;
    cn_vec3 points[200];
    for (int turn = 0; turn < 50; turn++) {
        for (int i = 0; i < 200; i++)
            points[i] = turn % 2 == 0
                            ? random_direction()
                            : cn_madd(cn_v3((float)(i % 5), (float)(i / 5 % 5), (float)(i / 25)), 1e-6f, random_point());
        cn_polyhedron *p = cn_polyhedron_build(&cn_default_allocator, points, 200);
        for (int k = 0; k < 2; k++) {
            transform(points, 200, cn_quat_identity(), k == 0 ? cn_v3(1024, 1024, 1024) : cn_v3(0x1p-20f, 0x1p-20f, 0x1p-20f),
                      cn_v3(0, 0, 0));
            cn_polyhedron *q = cn_polyhedron_build(&cn_default_allocator, points, 200);
            assert_int_equal(p->size, q->size);
            assert_memory_equal(p->edges, q->edges, (size_t)p->edge_count * sizeof(cn_half_edge));
            cn_polyhedron_free(&cn_default_allocator, q);
        }
        cn_polyhedron_free(&cn_default_allocator, p);
    }
}

// Fuzz

static int make_nasty_cloud(cn_vec3 *points, int turn)
{
    int kind = turn % 8, count = 4 + below(turn % 100 == 0 ? 200 : 40);
    static const float noises[] = { 1e-7f, 3e-7f, 1e-6f, 3e-6f, 1e-5f, 1e-4f, 1e-3f };
    float noise = noises[below(7)];
    int lattice = 2 + below(6);
    for (int i = 0; i < count; i++) {
        switch (kind) {
        case 0: points[i] = random_point(); break;
        case 1: points[i] = random_lattice_point(lattice); break;
        case 2: points[i] = cn_mul(cn_v3(1.0f, noise, 1.0f), random_point()); break;  // plate
        case 3: points[i] = cn_mul(cn_v3(1.0f, 1e-3f, 1e-3f), random_point()); break; // needle
        case 4:                                                                       // rough lattice
            points[i] = random_lattice_point(lattice);
            points[i] = cn_madd(points[i], noise, random_point());
            break;
        case 5: // duplicates
        case 6: // and near duplicates
            points[i] = random_point();
            if (i > 5 && below(2) == 0)
                points[i] = cn_madd(points[below(i)], kind == 5 ? 0.0f : noise, points[i]);
            break;
        default: // on the edges and faces of a tetrahedron
            points[i] = random_point();
            if (i >= 4) {
                int from = below(i), to = below(i);
                points[i] = cn_lerp(points[from], points[to], (float)below(5) * 0.25f);
            }
            break;
        }
    }
    float scale = turn % 5 == 0 ? 1e-3f : turn % 5 == 1 ? 1e3f : 1.0f;
    cn_quat rotation = random_rotation();
    cn_vec3 shift = cn_scale(turn % 9 == 1 ? 50.0f * scale : 0.0f, random_point());
    if (turn % 3 != 0)
        transform(points, count, rotation, cn_v3(scale, scale, scale), shift);
    return count;
}

static void test_fuzz(void **s)
{
    (void)s;
    cn_vec3 points[256];
    int solids = 0;
    for (int turn = 0; turn < 20000; turn++) {
        state = (uint64_t)turn * 77777u + 5u;
        int count = make_nasty_cloud(points, turn);
        cn_polyhedron *p = build(points, count);
        if (p == NULL) { // lattices, plates and duplicates are now and then flat
            assert_non_null(strstr(cn_last_error(), "a solid needs volume"));
            continue;
        }
        solids++;
        check(p, points, count);
        destroy(p);
    }
    assert_true(solids > 17000);
    print_message("fuzz: %d solids; worst point outside %.2f, worst flatness %.2f tolerances\n", solids, worst_outside,
                  worst_flatness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_box_with_points_on_it),
        cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_extreme_points),
        cmocka_unit_test(test_monte_carlo_volume),
        cmocka_unit_test(test_same_result_in_any_order),
        cmocka_unit_test(test_scale_independence),
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
