// Mass properties against closed forms, and the mathematics they rest on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_points.h"

#include "base/error.h"
#include "cairn/mass.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

static void assert_close(float value, double expected, double tolerance)
{
    if (!(fabs((double)value - expected) <= tolerance))
        print_error("%.9g is not %.9g\n", (double)value, expected);
    assert_true(fabs((double)value - expected) <= tolerance);
}

// Compares to `relative` of the mass, of the given length, and of the largest moment.
static void assert_mass(cn_mass m, double mass, const double center[3], const double inertia[6], double length, double relative)
{
    assert_close(m.mass, mass, relative * mass);
    assert_close(m.center.x, center[0], relative * length);
    assert_close(m.center.y, center[1], relative * length);
    assert_close(m.center.z, center[2], relative * length);
    double largest = fmax(inertia[0], fmax(inertia[1], inertia[2]));
    const float *actual = &m.inertia.xx;
    for (int i = 0; i < 6; i++)
        assert_close(actual[i], inertia[i], relative * largest);
}

static const double origin[3] = { 0.0, 0.0, 0.0 };
static const double pi = 3.14159265358979323846;

static void test_solids(void **s)
{
    (void)s;
    const float sizes[] = { 1e-3f, 0.2f, 1.0f, 7.0f, 100.0f };
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            double r = (double)sizes[i], h = (double)sizes[j], density = 2500.0;
            double m = density * 4.0 / 3.0 * pi * r * r * r;
            assert_mass(cn_mass_sphere(sizes[i], 2500.0f), m, origin,
                        (double[]){ 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r, 0, 0, 0 }, r, 1e-5);
            m = density * pi * r * r * 2.0 * h;
            double across = m * (3.0 * r * r + 4.0 * h * h) / 12.0;
            assert_mass(cn_mass_cylinder(sizes[j], sizes[i], 2500.0f), m, origin,
                        (double[]){ across, 0.5 * m * r * r, across, 0, 0, 0 }, r, 1e-5);
            m = density * 8.0 * r * h * 3.0;
            assert_mass(cn_mass_box(cn_v3(sizes[i], sizes[j], 3.0f), 2500.0f), m, origin,
                        (double[]){ m / 12.0 * (4.0 * h * h + 36.0), m / 12.0 * (4.0 * r * r + 36.0), m / 3.0 * (r * r + h * h),
                                    0, 0, 0 },
                        r, 1e-5);
        }
    }
}

// A capsule is a cylinder and two half balls, whose centres are 3/8 r above their flat sides.
static void test_capsule(void **s)
{
    (void)s;
    for (int k = 0; k < 20; k++) {
        double r = 1.1 + uniform(), h = k == 0 ? 0.0 : 1.1 + uniform(), density = 800.0;
        r = (double)(float)r, h = (double)(float)h;
        double mc = density * pi * r * r * 2.0 * h, half = density * 2.0 / 3.0 * pi * r * r * r;
        double own = 0.4 * half * r * r - half * (0.375 * r) * (0.375 * r); // of a half ball, about its centre, across
        double arm = h + 0.375 * r;
        double across = mc * (0.25 * r * r + h * h / 3.0) + 2.0 * (own + half * arm * arm);
        double along = 0.5 * mc * r * r + 0.8 * half * r * r;
        assert_mass(cn_mass_capsule((float)h, (float)r, 800.0f), mc + 2.0 * half, origin,
                    (double[]){ across, along, across, 0, 0, 0 }, r, 1e-5);
    }
}

// Meshes

static const int box_indices[36] = { 1, 3, 7, 1, 7, 5, 0, 4, 6, 0, 6, 2, 2, 6, 7, 2, 7, 3,
                                     0, 1, 5, 0, 5, 4, 4, 5, 7, 4, 7, 6, 0, 2, 3, 0, 3, 1 };

static void box_vertices(cn_vec3 *vertices, cn_vec3 h)
{
    for (int i = 0; i < 8; i++)
        vertices[i] = cn_v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
}

static void expect_box_at(cn_mass m, cn_vec3 h, cn_pose pose, double relative)
{
    cn_mass expected = cn_mass_transform(cn_mass_box(h, 3.0f), pose);
    double center[3] = { (double)expected.center.x, (double)expected.center.y, (double)expected.center.z };
    double inertia[6];
    for (int i = 0; i < 6; i++)
        inertia[i] = (double)(&expected.inertia.xx)[i];
    assert_mass(m, (double)expected.mass, center, inertia, (double)cn_length(h) + (double)cn_length(pose.position), relative);
}

static void test_mesh_box(void **s)
{
    (void)s;
    for (int k = 0; k < 100; k++) {
        cn_vec3 h = cn_add(cn_v3(1.1f, 1.1f, 1.1f), random_point()), vertices[8];
        box_vertices(vertices, h);
        cn_pose pose = { cn_scale(k % 2 == 0 ? 1.0f : 100.0f, random_point()), random_rotation() };
        for (int i = 0; i < 8; i++)
            vertices[i] = cn_pose_point(pose, vertices[i]);
        // at 100 m the coordinates themselves are rounded by 4e-6 m
        expect_box_at(cn_mass_mesh(vertices, 8, box_indices, 12, 3.0f), h, pose, k % 2 == 0 ? 1e-5 : 1e-4);
    }
    // far from the origin, with coordinates that float can hold: exact
    cn_vec3 vertices[8];
    box_vertices(vertices, cn_v3(1, 2, 3));
    cn_pose pose = { cn_v3(1e6f, -1e6f, 5e5f), cn_quat_identity() };
    for (int i = 0; i < 8; i++)
        vertices[i] = cn_pose_point(pose, vertices[i]);
    expect_box_at(cn_mass_mesh(vertices, 8, box_indices, 12, 3.0f), cn_v3(1, 2, 3), pose, 1e-7);
}

static void test_mesh_with_cavity(void **s)
{
    (void)s;
    cn_vec3 vertices[16];
    int indices[72];
    box_vertices(vertices, cn_v3(1, 2, 3));
    box_vertices(vertices + 8, cn_v3(0.5f, 1.5f, 2.5f));
    for (int i = 0; i < 36; i += 3) {
        for (int k = 0; k < 3; k++) {
            indices[i + k] = box_indices[i + k];
            indices[36 + i + k] = 8 + box_indices[i + 2 - k]; // inside out
        }
    }
    double outer = 48.0, inner = 15.0;
    double xx = outer / 3 * 13 - inner / 3 * 8.5, yy = outer / 3 * 10 - inner / 3 * 6.5, zz = outer / 3 * 5 - inner / 3 * 2.5;
    assert_mass(cn_mass_mesh(vertices, 16, indices, 24, 1.0f), outer - inner, origin, (double[]){ xx, yy, zz, 0, 0, 0 }, 1.0,
                1e-6);
}

// A latitude-longitude sphere: the mass of the polyhedron converges to that of the ball with the square of the step.
static void test_mesh_sphere(void **s)
{
    (void)s;
    enum { RINGS = 200, SIDES = 400 };
    static cn_vec3 vertices[(RINGS - 1) * SIDES + 2];
    static int indices[3 * 2 * (RINGS - 1) * SIDES];
    int count = 0, n = 0;
    vertices[count++] = cn_v3(0, 2, 0);
    for (int i = 1; i < RINGS; i++) {
        for (int j = 0; j < SIDES; j++) {
            double a = pi * i / RINGS, b = 2.0 * pi * j / SIDES;
            vertices[count++] = cn_v3((float)(2.0 * sin(a) * cos(b)), (float)(2.0 * cos(a)), (float)(-2.0 * sin(a) * sin(b)));
        }
    }
    vertices[count++] = cn_v3(0, -2, 0);
    for (int j = 0; j < SIDES; j++) {
        int next = (j + 1) % SIDES, last = count - 1, ring = last - SIDES;
        memcpy(&indices[n], (int[]){ 0, 1 + j, 1 + next, last, ring + next, ring + j }, 6 * sizeof(int));
        n += 6;
        for (int i = 0; i < RINGS - 2; i++) {
            int a = 1 + i * SIDES, b = a + SIDES;
            memcpy(&indices[n], (int[]){ a + j, b + j, b + next, a + j, b + next, a + next }, 6 * sizeof(int));
            n += 6;
        }
    }
    cn_mass m = cn_mass_mesh(vertices, count, indices, n / 3, 1.0f), ball = cn_mass_sphere(2.0f, 1.0f);
    double step = pi / RINGS;
    assert_true(m.mass < ball.mass && (double)m.mass > (double)ball.mass * (1.0 - step * step));
    assert_close(m.inertia.xx, (double)ball.inertia.xx, (double)ball.inertia.xx * 2.0 * step * step);
    assert_close(m.inertia.yy, (double)ball.inertia.yy, (double)ball.inertia.yy * 2.0 * step * step);
    assert_close(m.center.y, 0.0, 1e-6);
}

static void expect_error(cn_mass m, const char *part)
{
    assert_true(m.mass == 0.0f);
    if (strstr(cn_last_error(), part) == NULL)
        print_error("'%s' lacks '%s'\n", cn_last_error(), part);
    assert_non_null(strstr(cn_last_error(), part));
}

static void test_mesh_errors(void **s)
{
    (void)s;
    cn_vec3 vertices[8];
    int indices[36];
    box_vertices(vertices, cn_v3(1, 1, 1));
    memcpy(indices, box_indices, sizeof indices);
    expect_error(cn_mass_mesh(NULL, 8, indices, 12, 1.0f), "vertices is NULL");
    expect_error(cn_mass_mesh(vertices, 8, NULL, 12, 1.0f), "indices is NULL");
    expect_error(cn_mass_mesh(vertices, 8, indices, 11, 1.0f), "open");
    expect_error(cn_mass_mesh(vertices, 8, indices, 0, 1.0f), "cannot be a closed mesh");
    expect_error(cn_mass_mesh(vertices, 8, indices, 12, -1.0f), "density");
    indices[4] = 8;
    expect_error(cn_mass_mesh(vertices, 8, indices, 12, 1.0f), "indices[4] is 8");
    indices[4] = indices[3];
    expect_error(cn_mass_mesh(vertices, 8, indices, 12, 1.0f), "twice");
    memcpy(indices, box_indices, sizeof indices);
    indices[0] = box_indices[1], indices[1] = box_indices[0]; // one triangle turned over
    expect_error(cn_mass_mesh(vertices, 8, indices, 12, 1.0f), "same direction");
    for (int i = 0; i < 36; i++)
        indices[i] = box_indices[35 - i];
    expect_error(cn_mass_mesh(vertices, 8, indices, 12, 1.0f), "inside out");
    box_vertices(vertices, cn_v3(1, 0, 1));
    expect_error(cn_mass_mesh(vertices, 8, box_indices, 12, 1.0f), "no volume");
    vertices[3].x = NAN;
    expect_error(cn_mass_mesh(vertices, 8, box_indices, 12, 1.0f), "vertices[3]");
}

static void test_errors(void **s)
{
    (void)s;
    expect_error(cn_mass_sphere(0.0f, 1.0f), "cn_mass_sphere: radius");
    expect_error(cn_mass_sphere(NAN, 1.0f), "radius");
    expect_error(cn_mass_sphere(1.0f, INFINITY), "density");
    expect_error(cn_mass_sphere(1e20f, 1.0f), "too large");
    expect_error(cn_mass_box(cn_v3(1, -1, 1), 1.0f), "half_extents.y");
    expect_error(cn_mass_capsule(-1.0f, 1.0f, 1.0f), "half_height");
    expect_error(cn_mass_cylinder(0.0f, 1.0f, 1.0f), "half_height");
    expect_error(cn_mass_transform(cn_mass_sphere(1, 1), (cn_pose){ { NAN, 0, 0 }, CN_QUAT_IDENTITY }), "pose.position");
    expect_error(cn_mass_transform(cn_mass_sphere(1, 1), (cn_pose){ { 0, 0, 0 }, { 0, 0, 0, 0 } }), "pose.rotation");
    expect_error(cn_mass_add(cn_mass_sphere(1, 1), (cn_mass){ .mass = -1.0f }), "b.mass");
    expect_error(cn_mass_add((cn_mass){ .mass = 1.0f, .center = { NAN, 0, 0 } }, cn_mass_sphere(1, 1)), "a.center");
    assert_true(cn_mass_add((cn_mass){ 0 }, (cn_mass){ 0 }).mass == 0.0f);
    assert_true(cn_mass_sphere(1.0f, 0.0f).mass == 0.0f);
}

// Compounds

// A box cut into two unequal parts, turned and welded, is the box.
static void test_add_and_transform(void **s)
{
    (void)s;
    for (int k = 0; k < 100; k++) {
        float cut = 0.3f;
        cn_pose pose = { cn_scale(5.0f, random_point()), random_rotation() };
        cn_pose left = { cn_v3(-1.0f + cut, 0, 0), CN_QUAT_IDENTITY }, right = { cn_v3(cut, 0, 0), CN_QUAT_IDENTITY };
        cn_mass a = cn_mass_transform(cn_mass_box(cn_v3(cut, 1.5f, 0.5f), 3.0f), cn_pose_mul(pose, left));
        cn_mass b = cn_mass_transform(cn_mass_box(cn_v3(1.0f - cut, 1.5f, 0.5f), 3.0f), cn_pose_mul(pose, right));
        expect_box_at(cn_mass_add(a, b), cn_v3(1.0f, 1.5f, 0.5f), pose, 1e-5);
    }
    // dumbbell: two balls of mass m at distance 2 d, m d^2 each about the middle
    cn_mass ball = cn_mass_sphere(0.5f, 10.0f);
    cn_mass a = cn_mass_transform(ball, (cn_pose){ { 0, 4, 0 }, CN_QUAT_IDENTITY });
    cn_mass b = cn_mass_transform(ball, (cn_pose){ { 0, -2, 0 }, CN_QUAT_IDENTITY });
    double m = (double)ball.mass, own = (double)ball.inertia.xx;
    assert_mass(cn_mass_add(a, b), 2.0 * m, (double[]){ 0, 1, 0 },
                (double[]){ 2.0 * (own + 9.0 * m), 2.0 * own, 2.0 * (own + 9.0 * m), 0, 0, 0 }, 1.0, 1e-6);
}

// Mathematics

static void test_principal_axes(void **s)
{
    (void)s;
    for (int k = 0; k < 20000; k++) {
        float scale = k % 3 == 0 ? 1e-6f : k % 3 == 1 ? 1.0f : 1e6f;
        cn_sym3 a;
        if (k % 2 == 0) // a tensor with equal or very different moments
            a = cn_sym3_rotate((cn_sym3){ scale, k % 4 == 0 ? scale : 1e-4f * scale, scale * 1e-2f, 0, 0, 0 },
                               random_rotation());
        else
            for (int i = 0; i < 6; i++)
                (&a.xx)[i] = scale * (float)uniform();
        cn_vec3 moments;
        cn_quat q;
        cn_sym3_principal(a, &moments, &q);
        assert_close(sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w), 1.0, 3e-7);
        cn_sym3 back = cn_sym3_rotate((cn_sym3){ moments.x, moments.y, moments.z, 0, 0, 0 }, q);
        for (int i = 0; i < 6; i++)
            assert_close((&back.xx)[i], (double)(&a.xx)[i], 2e-6 * (double)scale);
    }
    cn_vec3 moments;
    cn_quat q;
    cn_sym3_principal((cn_sym3){ 0 }, &moments, &q);
    assert_close(q.w, 1.0, 0.0);
}

static void test_sin_cos(void **s)
{
    (void)s;
    double worst = 0.0;
    for (int k = -400000; k <= 400000; k++) {
        float x = (float)k * 1e-3f, sine, cosine;
        cn_sin_cos(x, &sine, &cosine);
        worst = fmax(worst, fmax(fabs((double)sine - sin((double)x)), fabs((double)cosine - cos((double)x))));
    }
    assert_true(worst < 1e-7);
    print_message("sin, cos: worst error %.2g\n", worst);
}

static void test_quat_exp(void **s)
{
    (void)s;
    double worst = 0.0;
    for (int k = 0; k < 200000; k++) {
        cn_vec3 r = cn_scale(k % 4 == 0 ? 0.1f : k % 4 == 1 ? 1e-4f : 10.0f, random_point());
        double x = (double)r.x, y = (double)r.y, z = (double)r.z, angle = sqrt(x * x + y * y + z * z);
        double si = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
        cn_quat q = cn_quat_exp(r);
        worst = fmax(worst, fmax(fmax(fabs((double)q.x - si * x), fabs((double)q.y - si * y)),
                                 fmax(fabs((double)q.z - si * z), fabs((double)q.w - cos(0.5 * angle)))));
    }
    assert_true(worst < 1e-6); // the angle itself is rounded to 1e-6 at 17 radians
    print_message("quat_exp: worst error %.2g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids),         cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_mesh_box),       cmocka_unit_test(test_mesh_with_cavity),
        cmocka_unit_test(test_mesh_sphere),    cmocka_unit_test(test_mesh_errors),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_add_and_transform),
        cmocka_unit_test(test_principal_axes), cmocka_unit_test(test_sin_cos),
        cmocka_unit_test(test_quat_exp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
