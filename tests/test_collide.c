// Contact manifolds of every pair of shapes: closed forms, symmetry, invariance, separation, and a long random run.
#include "collide/collide.h"
#include "hull_fixture.h"

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "taper", "hull" };

static cn_manifold collide(const cn_convex *a, const cn_convex *b, cn_pose pose, float margin)
{
    cn_pair_cache cache = { 0 };
    cn_manifold m;
    cn_collide(a, b, pose, margin, &cache, &m);
    return m;
}

static float least_separation(const cn_manifold *m)
{
    float least = INFINITY;
    for (int i = 0; i < m->count; i++)
        least = cn_minf(least, m->points[i].separation);
    return least;
}

static cn_convex sphere(float r) { return (cn_convex){ .type = CN_SPHERE, .radius = r }; }
static cn_convex capsule(float h, float r) { return (cn_convex){ .type = CN_CAPSULE, .radius = r, .half_height = h }; }
static cn_convex cylinder(float h, float r) { return (cn_convex){ .type = CN_CYLINDER, .radius = r, .half_height = h }; }
static cn_convex box(float x, float y, float z) { return (cn_convex){ .type = CN_BOX, .half_extents = { x, y, z } }; }

static cn_pose at(float x, float y, float z) { return (cn_pose){ { x, y, z }, CN_QUAT_IDENTITY }; }
static cn_pose turned(float x, float y, float z, cn_vec3 axis, float degrees)
{
    return (cn_pose){ { x, y, z }, cn_quat_axis_angle(axis, degrees * CN_PI / 180.0f) };
}

static const cn_vec3 X = { 1.0f, 0.0f, 0.0f }, Y = { 0.0f, 1.0f, 0.0f }, Z = { 0.0f, 0.0f, 1.0f };

static void assert_vec(cn_vec3 v, float x, float y, float z, float tolerance)
{
    assert_float_equal(v.x, x, tolerance);
    assert_float_equal(v.y, y, tolerance);
    assert_float_equal(v.z, z, tolerance);
}

static void assert_point(const cn_manifold *m, int i, float x, float y, float z, float separation)
{
    assert_in_range(i, 0, m->count - 1);
    assert_vec(m->points[i].position, x, y, z, 1e-5f);
    assert_float_equal(m->points[i].separation, separation, 1e-5f);
}

// Closed forms.

static void spheres_in_closed_form(void **state)
{
    (void)state;
    cn_convex a = sphere(1.0f), b = sphere(0.5f);
    cn_manifold m = collide(&a, &b, at(0.0f, 1.6f, 0.0f), 0.2f);
    assert_int_equal(m.count, 1);
    assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 0.0f);
    assert_point(&m, 0, 0.0f, 1.05f, 0.0f, 0.1f);
    assert_int_equal(collide(&a, &b, at(0.0f, 1.6f, 0.0f), 0.05f).count, 0);
    m = collide(&a, &b, at(-1.2f, 0.0f, 0.0f), 0.0f);
    assert_vec(m.normal, -1.0f, 0.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, -0.85f, 0.0f, 0.0f, -0.3f);
    m = collide(&a, &a, at(0.0f, 0.0f, 0.0f), 0.0f);
    assert_int_equal(m.count, 1);
    assert_float_equal(cn_length(m.normal), 1.0f, 0.0f);
    assert_float_equal(m.points[0].separation, -2.0f, 0.0f);
}

static void sphere_and_capsule_in_closed_form(void **state)
{
    (void)state;
    cn_convex s = sphere(0.5f), c = capsule(1.0f, 0.25f);
    cn_manifold m = collide(&s, &c, at(0.7f, 0.4f, 0.0f), 0.0f); // beside its side
    assert_vec(m.normal, 1.0f, 0.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.475f, 0.0f, 0.0f, -0.05f);
    m = collide(&c, &s, at(0.0f, 1.8f, 0.0f), 0.1f); // above its cap
    assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.0f, 1.275f, 0.0f, 0.05f);
    m = collide(&c, &s, at(0.0f, 0.3f, 0.0f), 0.0f); // on its axis
    assert_float_equal(m.normal.y, 0.0f, 1e-6f);
    assert_float_equal(m.points[0].separation, -0.75f, 1e-6f);
}

static void capsules_in_closed_form(void **state)
{
    (void)state;
    cn_convex a = capsule(1.0f, 0.5f), b = capsule(2.0f, 0.25f);
    cn_manifold m = collide(&a, &b, at(0.7f, 0.5f, 0.0f), 0.0f); // side by side
    assert_int_equal(m.count, 2);
    assert_vec(m.normal, 1.0f, 0.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.475f, -1.0f, 0.0f, -0.05f);
    assert_point(&m, 1, 0.475f, 1.0f, 0.0f, -0.05f);
    assert_int_not_equal(m.points[0].feature, m.points[1].feature);
    m = collide(&a, &b, turned(0.7f, 0.0f, 0.0f, X, 90.0f), 0.0f); // crossed
    assert_int_equal(m.count, 1);
    assert_point(&m, 0, 0.475f, 0.0f, 0.0f, -0.05f);
    m = collide(&a, &b, at(0.0f, 3.7f, 0.0f), 0.0f); // end to end
    assert_int_equal(m.count, 1);
    assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.0f, 1.475f, 0.0f, -0.05f);
    m = collide(&a, &b, turned(0.0f, 0.3f, 0.0f, X, 90.0f), 0.0f); // axes that meet are parted across both
    assert_float_equal(cn_absf(m.normal.x), 1.0f, 1e-5f);
    assert_float_equal(least_separation(&m), -0.75f, 1e-5f);
}

static void sphere_and_box_in_closed_form(void **state)
{
    (void)state;
    cn_convex s = sphere(0.5f), b = box(1.0f, 2.0f, 3.0f);
    cn_manifold m = collide(&b, &s, at(0.3f, 2.45f, 0.0f), 0.0f); // on a face
    assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.3f, 1.975f, 0.0f, -0.05f);
    m = collide(&b, &s, at(1.3f, 2.4f, 0.0f), 0.1f); // on an edge
    assert_vec(m.normal, 0.6f, 0.8f, 0.0f, 1e-6f);
    assert_point(&m, 0, 1.0f, 2.0f, 0.0f, 0.0f);
    m = collide(&b, &s, at(-0.9f, 0.0f, 0.0f), 0.0f); // centre inside
    assert_vec(m.normal, -1.0f, 0.0f, 0.0f, 1e-6f);
    assert_float_equal(m.points[0].separation, -0.6f, 1e-6f);
}

static void sphere_and_cylinder_in_closed_form(void **state)
{
    (void)state;
    cn_convex s = sphere(0.5f), c = cylinder(2.0f, 1.0f);
    cn_manifold m = collide(&c, &s, at(0.9f, 0.3f, 1.2f), 0.1f); // on its side, 1.5 from the axis
    assert_vec(m.normal, 0.6f, 0.0f, 0.8f, 1e-6f);
    assert_point(&m, 0, 0.6f, 0.3f, 0.8f, 0.0f);
    m = collide(&c, &s, at(0.5f, 2.4f, 0.0f), 0.0f); // on its cap
    assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-6f);
    assert_point(&m, 0, 0.5f, 1.95f, 0.0f, -0.1f);
    m = collide(&c, &s, at(1.3f, 2.4f, 0.0f), 0.1f); // on its rim
    assert_vec(m.normal, 0.6f, 0.8f, 0.0f, 1e-6f);
    assert_float_equal(m.points[0].separation, 0.0f, 1e-6f);
    m = collide(&c, &s, at(0.0f, 0.0f, 0.0f), 0.0f); // inside
    assert_float_equal(m.points[0].separation, -1.5f, 1e-6f);
}

static void lying_capsule_has_two_points(void **state)
{
    (void)state;
    cn_convex b = box(5.0f, 1.0f, 5.0f), c = capsule(1.0f, 0.25f), h = { .type = CN_HULL, .hull = hulls.hull[1][1] };
    for (int deep = 0; deep < 3; deep++) {
        // resting, hovering within the margin, and with the axis inside of the box
        float height = (const float[]){ 1.24f, 1.26f, 0.9f }[deep];
        cn_manifold m = collide(&b, &c, turned(0.0f, height, 0.0f, Z, 90.0f), 0.02f);
        assert_int_equal(m.count, 2);
        assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-5f);
        float separation = height - 1.25f, middle = 1.0f + 0.5f * separation;
        int left = m.points[0].position.x > 0.0f;
        assert_point(&m, left, -1.0f, middle, 0.0f, separation);
        assert_point(&m, 1 - left, 1.0f, middle, 0.0f, separation);
    }
    cn_manifold m = collide(&h, &c, turned(0.0f, 1.24f, 0.0f, X, 90.0f), 0.02f); // sticks out: ends at the hull's edges
    assert_int_equal(m.count, 2);
    assert_float_equal(cn_absf(m.points[0].position.z), 0.4f, 2e-3f);
    assert_float_equal(cn_absf(m.points[1].position.z), 0.4f, 2e-3f);
    m = collide(&b, &c, at(0.0f, 2.24f, 0.0f), 0.02f); // upright
    assert_int_equal(m.count, 1);
    assert_point(&m, 0, 0.0f, 0.995f, 0.0f, -0.01f);
}

static void standing_cylinder_has_four_spread_points(void **state)
{
    (void)state;
    cn_convex b = box(5.0f, 1.0f, 5.0f), c = cylinder(0.5f, 1.0f), tall = cylinder(0.5f, 1.2f);
    const cn_convex *grounds[3] = { &b, &tall, &c };
    for (int g = 0; g < 3; g++) {
        float top = g == 0 ? 1.0f : 0.5f;
        for (int i = 0; i < 40; i++) {
            float separation = -0.01f + 0.0004f * (float)i;
            cn_manifold m = collide(grounds[g], &c, turned(0.0f, top + 0.5f + separation, 0.0f, Y, 9.0f * (float)i), 0.02f);
            assert_int_equal(m.count, 4);
            assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-4f);
            cn_vec3 sum = { 0.0f, 0.0f, 0.0f };
            for (int j = 0; j < 4; j++) {
                assert_float_equal(m.points[j].separation, separation, 1e-4f);
                cn_vec3 p = m.points[j].position;
                assert_true(sqrtf(p.x * p.x + p.z * p.z) > 0.9f);
                assert_float_equal(p.y, top + 0.5f * separation, 1e-4f);
                sum = cn_add(sum, p);
            }
            assert_true(cn_length(cn_v3(sum.x, 0.0f, sum.z)) < 1.0f);
        }
    }
}

static void rolling_cylinder_keeps_its_normal(void **state)
{
    (void)state;
    cn_convex ground = box(50.0f, 1.0f, 50.0f), c = cylinder(0.7f, 0.5f);
    cn_quat lying = cn_quat_axis_angle(X, 0.5f * CN_PI);
    cn_pair_cache cache = { 0 };
    uint32_t features[2] = { 0, 0 };
    float worst = 0.0f;
    for (int degree = 0; degree < 720; degree++) {
        float x = 0.5f * (float)degree * CN_PI / 180.0f;
        float height = 1.5f + 0.004f * (float)(degree % 5 - 2); // pressed in, touching, hovering
        cn_quat roll = cn_quat_axis_angle(Z, -(float)degree * CN_PI / 180.0f);
        cn_pose pose = { { x, height, 0.3f }, cn_quat_mul(roll, lying) };
        cn_manifold m;
        cn_collide(&ground, &c, pose, 0.02f, &cache, &m);
        assert_int_equal(m.count, 2);
        worst = cn_maxf(worst, cn_distance(m.normal, Y));
        for (int i = 0; i < 2; i++) {
            assert_float_equal(m.points[i].separation, height - 1.5f, 1e-4f);
            assert_float_equal(m.points[i].position.x, x, 2e-3f);
            assert_float_equal(cn_absf(m.points[i].position.z - 0.3f), 0.7f, 2e-3f);
            if (degree > 0)
                assert_int_equal(m.points[i].feature, features[i]);
            features[i] = m.points[i].feature;
        }
    }
    print_message("rolling cylinder: normal off by at most %.2g\n", (double)worst);
    assert_true(worst < 1e-3f);
}

static void leaning_cylinder_stands_on_its_rim(void **state)
{
    (void)state;
    cn_convex ground = box(5.0f, 1.0f, 5.0f), c = cylinder(0.7f, 0.5f);
    for (int degree = 5; degree < 90; degree += 5) {
        float angle = (float)degree * CN_PI / 180.0f, sine, cosine;
        cn_sin_cos(angle, &sine, &cosine);
        float lowest = 0.7f * cosine + 0.5f * sine;
        cn_quat spin = cn_quat_axis_angle(Y, 0.123f * (float)degree), lean = cn_quat_axis_angle(Z, angle);
        cn_pose pose = { { 0.1f, 1.0f + lowest - 0.01f, 0.2f }, cn_quat_mul(lean, spin) };
        cn_manifold m = collide(&ground, &c, pose, 0.0f);
        assert_in_range(m.count, 1, 4);
        assert_vec(m.normal, 0.0f, 1.0f, 0.0f, 1e-3f);
        assert_float_equal(least_separation(&m), -0.01f, 1e-3f);
    }
}

// What holds for every pair.

typedef struct pair {
    cn_convex a, b;
    cn_pose pose;
    float size, margin;
} pair;

// A random pair of the given types whose gap is around `gap` times its size, along a random direction.
static pair random_pair(rng *r, cn_shape_type type_a, cn_shape_type type_b, float gap)
{
    pair p;
    p.a = random_shape(r, type_a, 1.0f, &hulls);
    p.b = random_shape(r, type_b, 1.0f, &hulls);
    p.size = shape_size(&p.a) + shape_size(&p.b);
    p.margin = 0.02f * p.size;
    p.pose.rotation = rng_quat(r);
    p.pose.position = cn_v3(0.0f, 0.0f, 0.0f);
    dvec n = dv_of(rng_unit(r));
    double move = depth_along(&p.a, &p.b, p.pose, n, true) + (double)(gap * p.size);
    p.pose.position = cn_v3((float)(n.x * move), (float)(n.y * move), (float)(n.z * move));
    return p;
}

// SAT pairs of two polyhedra have several axes that are nearly as good as each other, and may pick either.
static bool chooses_among_axes(const cn_convex *a, const cn_convex *b)
{
    return (a->type == CN_BOX || a->type == CN_HULL) && (b->type == CN_BOX || b->type == CN_HULL);
}

static void swapping_changes_nothing(void **state)
{
    (void)state;
    rng r = { 3 };
    for (int i = 0; i < 25 * 400; i++) {
        float gap = rng_range(&r, -0.1f, 0.02f);
        pair p = random_pair(&r, (cn_shape_type)(i % 5), (cn_shape_type)(i / 5 % 5), gap);
        cn_manifold m = collide(&p.a, &p.b, p.pose, p.margin);
        cn_manifold n = collide(&p.b, &p.a, cn_pose_inverse(p.pose), p.margin);
        if (p.a.type == p.b.type && chooses_among_axes(&p.a, &p.b))
            continue;
        if (m.count == 0 || n.count == 0) {
            assert_true(m.count == n.count || least_separation(m.count ? &m : &n) > 0.9999f * p.margin);
            continue;
        }
        assert_float_equal(least_separation(&m) / p.size, least_separation(&n) / p.size, 1e-5f);
        assert_vec(cn_add(m.normal, cn_rotate(p.pose.rotation, n.normal)), 0.0f, 0.0f, 0.0f, 1e-2f);
        if (p.a.type == p.b.type)
            continue;
        assert_int_equal(m.count, n.count);
        // On a round side the clipped ends follow the normal, whose last digits depend on the rounding of the pose.
        float slack = p.a.type == CN_CYLINDER || p.b.type == CN_CYLINDER ? 3e-3f : 1e-5f;
        for (int j = 0; j < m.count; j++) {
            assert_float_equal(m.points[j].separation / p.size, n.points[j].separation / p.size, slack);
            assert_int_equal(m.points[j].feature, n.points[j].feature);
            cn_vec3 position = cn_pose_point(p.pose, n.points[j].position);
            assert_true(cn_distance(m.points[j].position, position) < cn_maxf(slack, 1e-4f) * 10.0f * p.size);
        }
    }
}

// The frames of the shapes may be moved together; only their relative pose enters, up to its rounding.
static void moving_both_changes_nothing(void **state)
{
    (void)state;
    rng r = { 4 };
    for (int i = 0; i < 25 * 200; i++) {
        float gap = rng_range(&r, -0.1f, 0.01f);
        pair p = random_pair(&r, (cn_shape_type)(i % 5), (cn_shape_type)(i / 5 % 5), gap);
        cn_pose common = random_pose(&r, 3.0f);
        cn_pose moved = cn_pose_mul(cn_pose_inverse(common), cn_pose_mul(common, p.pose));
        cn_manifold m = collide(&p.a, &p.b, p.pose, p.margin), n = collide(&p.a, &p.b, moved, p.margin);
        if (m.count == 0 || n.count == 0) {
            assert_true(m.count == n.count || least_separation(m.count ? &m : &n) > 0.999f * p.margin);
            continue;
        }
        float slack = chooses_among_axes(&p.a, &p.b) ? 1e-2f : 2e-5f;
        assert_float_equal(least_separation(&m) / p.size, least_separation(&n) / p.size, slack);
    }
}

static void apart_gives_nothing_and_grazing_gives_points(void **state)
{
    (void)state;
    rng r = { 6 };
    int grazing = 0, lost = 0;
    for (int i = 0; i < 25 * 400; i++) {
        float gap = i % 2 ? 0.0201f : 0.01f;
        pair p = random_pair(&r, (cn_shape_type)(i / 2 % 5), (cn_shape_type)(i / 10 % 5), gap);
        cn_manifold m = collide(&p.a, &p.b, p.pose, p.margin);
        if (i % 2) {
            // The largest gap between planes of two polyhedra may be less than their distance, and so within the margin.
            assert_true(m.count == 0 || chooses_among_axes(&p.a, &p.b));
            continue;
        }
        // The gap along some direction is half the margin; the distance may be larger, as the closest points need not lie
        // there.
        double skin = 0.0;
        skin += skin_of(&p.a) + skin_of(&p.b);
        double distance = (double)cn_gjk_distance(&p.a, &p.b, p.pose, NULL).distance - skin;
        if (distance < 0.99 * (double)p.margin) {
            grazing++;
            lost += m.count == 0;
            // Polyhedra that are apart may miss each other's faces, and so have no point to report before they overlap.
            assert_true(m.count > 0 || (chooses_among_axes(&p.a, &p.b) && distance > 0.0));
            if (m.count == 0)
                continue;
            // Polyhedra apart over corners report the largest gap between planes, which is less than the distance.
            float slack = chooses_among_axes(&p.a, &p.b) ? 0.5f * p.margin : 1e-3f * p.size;
            assert_float_equal(least_separation(&m), (float)distance, slack);
        } else if (distance > 1.01 * (double)p.margin && !chooses_among_axes(&p.a, &p.b)) {
            assert_int_equal(m.count, 0);
        }
        for (int j = 0; j < m.count; j++)
            assert_true(m.points[j].separation <= p.margin);
    }
    assert_true(grazing > 500 && lost * 100 < grazing);
}

static void deep_overlap_is_resolved_along_the_normal(void **state)
{
    (void)state;
    rng r = { 7 };
    double worst = 0.0;
    for (int i = 0; i < 25 * 400; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(i % 5), 1.0f, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(i / 5 % 5), i % 3 ? 1.0f : 0.2f, &hulls);
        if (i % 7 == 0)
            b = a;
        float size = shape_size(&a) + shape_size(&b);
        float distance = i % 4 ? rng_range(&r, 0.0f, 0.15f) * size : 0.0f;
        cn_pose pose = random_pose(&r, distance);
        if (i % 5 == 0)
            pose.rotation = cn_quat_identity();
        cn_manifold m = collide(&a, &b, pose, 0.0f);
        if (m.count == 0) {
            assert_true((double)cn_gjk_distance(&a, &b, pose, NULL).distance >
                        skin_of(&a) + skin_of(&b) -
                            1e-5);
            continue;
        }
        assert_true(isfinite(least_separation(&m)));
        assert_float_equal(cn_length(m.normal), 1.0f, 1e-4f);
        pose.position = cn_madd(pose.position, -least_separation(&m), m.normal);
        double left = depth_along(&a, &b, pose, dv_of(m.normal), true) / (double)size;
        worst = fmax(worst, left);
        if (left > 1e-3)
            print_message("%s %s: %g\n", type_names[a.type], type_names[b.type], left);
        // Polyhedra may stay on an axis that is worse than the best by 1.5 SAT tolerances.
        assert_true(left < (chooses_among_axes(&a, &b) ? 3e-3 : 1e-3));
    }
    print_message("overlap left after moving apart: %.2g of the size\n", worst);
}

static void small_motion_keeps_feature_ids(void **state)
{
    (void)state;
    rng r = { 8 };
    int same = 0, total = 0;
    for (int i = 0; i < 25 * 100; i++) {
        pair p = random_pair(&r, (cn_shape_type)(i % 5), (cn_shape_type)(i / 5 % 5), -0.05f);
        cn_pair_cache cache = { 0 };
        cn_manifold m, n;
        cn_collide(&p.a, &p.b, p.pose, p.margin, &cache, &m);
        p.pose.position = cn_add(p.pose.position, rng_vec(&r, 1e-5f));
        p.pose.rotation = cn_quat_mul(cn_quat_exp(rng_vec(&r, 1e-5f)), p.pose.rotation);
        cn_collide(&p.a, &p.b, p.pose, p.margin, &cache, &n);
        for (int j = 0; j < m.count; j++) {
            bool found = false;
            for (int k = 0; k < n.count; k++)
                found |= n.points[k].feature == m.points[j].feature &&
                         cn_distance(n.points[k].position, m.points[j].position) < 0.01f;
            same += found;
            total++;
        }
        for (int j = 0; j < n.count; j++)
            for (int k = 0; k < j; k++)
                assert_int_not_equal(n.points[j].feature, n.points[k].feature);
    }
    print_message("features kept: %d of %d\n", same, total);
    assert_true(same > 0.99 * total);
}

static void random_pairs_of_all_sizes_are_sane(void **state)
{
    (void)state;
    rng r = { 10 };
    long touching = 0, points = 0;
    for (int i = 0; i < 200000; i++) {
        float size_a = powf(10.0f, rng_range(&r, -3.0f, 3.0f)), size_b = size_a;
        if (i % 2)
            size_b = powf(10.0f, rng_range(&r, -3.0f, 3.0f));
        cn_convex a = random_shape(&r, (cn_shape_type)(rng_next(&r) % 5), size_a, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(rng_next(&r) % 5), size_b, &hulls);
        float size = shape_size(&a) + shape_size(&b), margin = size * (i % 3 ? 0.01f : 0.0f);
        float distance = size * rng_range(&r, 0.0f, 1.0f);
        cn_pose pose = random_pose(&r, distance);
        if (i % 5 == 0)
            pose.rotation = cn_quat_axis_angle(i % 2 ? X : Z, 0.5f * CN_PI * (float)(i % 4));
        cn_manifold m = collide(&a, &b, pose, margin);
        assert_in_range(m.count, 0, 4);
        if (m.count == 0)
            continue;
        touching++;
        points += m.count;
        assert_float_equal(cn_length(m.normal), 1.0f, 1e-4f);
        for (int j = 0; j < m.count; j++) {
            float separation = m.points[j].separation;
            assert_true(isfinite(separation) && separation <= margin && separation > -2.1f * size);
            // Midway between the surfaces: outside of neither shape by more than half the separation and the rounding.
            dvec p = dv_of(m.points[j].position), p_in_b = dv_unrotate(pose.rotation, dv_sub(p, dv_of(pose.position)));
            double slack = (double)(margin + 0.01f * size) + fabs((double)separation);
            assert_true(outside_by(&a, p, true) < slack && outside_by(&b, p_in_b, true) < slack);
        }
    }
    print_message("%ld touching pairs, %.2f points each\n", touching, (double)points / (double)touching);
    assert_true(touching > 40000);
}

static void bad_numbers_do_no_harm(void **state)
{
    (void)state;
    rng r = { 12 };
    const float bad[4] = { NAN, INFINITY, -INFINITY, 1e38f };
    for (int i = 0; i < 25 * 16; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(i % 5), 1.0f, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(i / 5 % 5), 1.0f, &hulls);
        cn_pose pose = random_pose(&r, 1.0f);
        (i / 25 & 1 ? &pose.position.x : &pose.rotation.y)[0] = bad[i / 50 % 4];
        assert_in_range(collide(&a, &b, pose, 0.01f).count, 0, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_in_closed_form),
        cmocka_unit_test(sphere_and_capsule_in_closed_form),
        cmocka_unit_test(capsules_in_closed_form),
        cmocka_unit_test(sphere_and_box_in_closed_form),
        cmocka_unit_test(sphere_and_cylinder_in_closed_form),
        cmocka_unit_test(lying_capsule_has_two_points),
        cmocka_unit_test(standing_cylinder_has_four_spread_points),
        cmocka_unit_test(rolling_cylinder_keeps_its_normal),
        cmocka_unit_test(leaning_cylinder_stands_on_its_rim),
        cmocka_unit_test(swapping_changes_nothing),
        cmocka_unit_test(moving_both_changes_nothing),
        cmocka_unit_test(apart_gives_nothing_and_grazing_gives_points),
        cmocka_unit_test(deep_overlap_is_resolved_along_the_normal),
        cmocka_unit_test(small_motion_keeps_feature_ids),
        cmocka_unit_test(random_pairs_of_all_sizes_are_sane),
        cmocka_unit_test(bad_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
