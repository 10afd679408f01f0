// Contacts with many parts become few manifolds that carry well; solids of a compound have no seams.
#include "part_surfaces.h"

// --- joining -----------------------------------------------------------------------------------------------------------------

// Whatever the size of the box against that of the triangles, there is one manifold, and its points are at the corners of the
// box.
static void box_on_a_grid_has_four_points(void **state)
{
    (void)state;
    static surface s;
    rng r = stream(31);
    for (int cells = 1; cells <= MAX_CELLS; cells = 2 * cells + 1) {
        make_surface(&s, cells, 4.0f / (float)cells, 0.0f, 0.2f);
        for (int i = 0; i < 200; i++) {
            float half_x = rng_range(&r, 0.02f, 1.2f), half_z = rng_range(&r, 0.02f, 1.2f);
            cn_convex box = { .type = CN_BOX, .half_extents = { half_x, 0.2f, half_z } };
            cn_quat turn = cn_quat_axis_angle(up, rng_range(&r, -3.0f, 3.0f));
            cn_vec3 at = rng_over(&r, 0.2f, 0.199f, 0.2f);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            assert_int_equal(collide(&s, &box, at, turn, 0.01f, m), 1);
            assert_int_equal(m[0].manifold.count, 4);
            int found = 0;
            for (int k = 0; k < 4; k++) {
                cn_vec3 p = cn_unrotate(turn, cn_sub(m[0].manifold.points[k].position, at)), h = box.half_extents;
                assert_true(fabsf(m[0].manifold.points[k].separation + 0.001f) < 1e-5f);
                assert_true(fabsf(fabsf(p.x) - h.x) < 0.04f * (h.x + h.z) && fabsf(fabsf(p.z) - h.z) < 0.04f * (h.x + h.z));
                found |= 1 << ((p.x > 0.0f) + 2 * (p.z > 0.0f));
            }
            assert_int_equal(found, 15);
            // Nothing moves, nothing is renamed; a little motion renames nothing either.
            cn_part_manifold again[CN_MAX_MANIFOLDS];
            assert_int_equal(collide(&s, &box, cn_add(at, cn_v3(0.0f, 1e-5f, 0.0f)), turn, 0.01f, again), 1);
            for (int k = 0; k < 4; k++)
                assert_int_equal(m[0].manifold.points[k].feature, again[0].manifold.points[k].feature);
        }
        free_surface(&s);
    }
}

static void a_thousand_triangles_are_none_too_many(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, MAX_CELLS, 0.1f, 0.0f, 0.2f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 1.2f, 0.4f, 1.2f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    assert_int_equal(collide(&s, &box, cn_v3(0.03f, 0.39f, 0.01f), straight, 0.01f, m), 1);
    assert_int_equal(m[0].manifold.count, 4);
    free_surface(&s);
    // A ball of many faces in a bowl that fits it touches in more directions than there are manifolds; none of the depth is
    // lost.
    make_surface(&s, MAX_CELLS, 0.08f, 0.2f, 0.0f);
    cn_vec3 points[200];
    rng r = stream(32);
    for (int i = 0; i < 200; i++)
        points[i] = cn_scale(2.2f, rng_unit(&r));
    cn_convex ball = { .type = CN_HULL, .hull = cn_polyhedron_build(&cn_default_allocator, points, 200) };
    int count = collide(&s, &ball, cn_v3(0.0f, 2.13f, 0.0f), straight, 0.05f, m);
    assert_int_equal(count, CN_MAX_MANIFOLDS);
    float deepest = INFINITY, truth = INFINITY;
    for (int i = 0; i < count; i++) {
        assert_in_range(m[i].manifold.count, 1, 4);
        deepest = cn_minf(deepest, deepest_of(&m[i].manifold));
    }
    for (int i = 0; i < ball.hull->vertex_count; i++) {
        // how far each corner is under the bowl
        cn_vec3 v = cn_add(ball.hull->vertices[i], cn_v3(0.0f, 2.13f, 0.0f));
        truth = cn_minf(truth, v.y - 0.2f * (v.x * v.x + v.z * v.z));
    }
    printf("  deepest %.4f, corners under the bowl by up to %.4f (straight down)\n", (double)deepest, (double)truth);
    assert_true(deepest < 0.0f && fabsf(deepest - truth) < 0.2f * fabsf(truth));
    cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)(uintptr_t)ball.hull);
    free_surface(&s);
}

static void materials_stay_apart(void **state)
{
    (void)state;
    const cn_vec3 vertices[] = { { -1, 0, -1 }, { -1, 0, 1 }, { 1, 0, 1 }, { 1, 0, -1 } };
    const int indices[] = { 0, 1, 2, 0, 2, 3 };
    const uint16_t materials[] = { 3, 5 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = 4;
    def.indices = indices;
    def.triangle_count = 2;
    def.materials = materials;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite floor = { .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = mesh };
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    float gap;
    cn_pose pose = { { 0.0f, 0.199f, 0.0f }, straight };
    assert_int_equal(cn_collide_parts(&floor, &box, pose, cn_look_within(0.01f), m, &gap), 2);
    assert_int_equal(m[0].material + m[1].material, 8);
    for (int i = 0; i < 2; i++)
        assert_in_range(m[i].manifold.count, 3, 4);
    cn_mesh_destroy(mesh);
}

// A ball on a coarse dome with smooth normals feels those of the round surface wherever it touches a face.
static void smooth_normals_are_round(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, -0.1f, 0.0f);
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = s.vertices;
    def.vertex_count = s.vertex_count;
    def.indices = s.indices;
    def.triangle_count = s.triangle_count;
    def.smooth = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    assert_non_null(mesh);
    cn_composite round = { .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = mesh };
    cn_convex ball = { .type = CN_SPHERE, .radius = 0.3f };
    rng r = stream(33);
    float faceted = 0.0f, smooth = 0.0f;
    for (int i = 0; i < 2000; i++) {
        cn_part part;
        cn_composite_part(&round, (int)(rng_next(&r) % (uint32_t)s.triangle_count), &part);
        const cn_vec3 *v = part.triangle.vertices;
        float a = rng_range(&r, 0.1f, 0.4f), b = rng_range(&r, 0.1f, 0.4f);
        cn_vec3 on_face = cn_add(cn_add(cn_scale(a, v[0]), cn_scale(b, v[1])), cn_scale(1.0f - a - b, v[2]));
        cn_vec3 at = cn_madd(on_face, 0.29f, part.triangle.normal);
        cn_vec3 truth = cn_normalize(cn_v3(0.2f * on_face.x, 1.0f, 0.2f * on_face.z));
        if (cn_absf(on_face.x) > 1.5f || cn_absf(on_face.z) > 1.5f) // at the border the vertices know only one side
            continue;
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        float gap;
        assert_int_equal(cn_collide_parts(&round, &ball, (cn_pose){ at, straight }, cn_look_within(0.0f), m, &gap), 1);
        smooth = cn_maxf(smooth, cn_distance(m[0].manifold.normal, truth));
        faceted = cn_maxf(faceted, cn_distance(part.triangle.normal, truth));
        assert_true(fabsf(deepest_of(&m[0].manifold) + 0.01f) < 1e-6f);
    }
    printf("  at most %.4f rad off the round surface; the faces are up to %.4f off\n", (double)smooth, (double)faceted);
    assert_true(smooth < 0.005f && faceted > 0.04f);
    cn_mesh_destroy(mesh);
    free_surface(&s);
}

// --- compounds ---------------------------------------------------------------------------------------------------------------

static cn_compound *make_row(cn_vec3 half, int count)
{
    cn_compound_part parts[16] = { 0 };
    for (int i = 0; i < count; i++)
        parts[i] = (cn_compound_part){ .geometry = cn_box(half.x, half.y, half.z),
                                       .offset = { cn_v3(2.0f * half.x * (float)i, -half.y, 0.0f), straight } };
    return cn_compound_create(parts, count, NULL);
}

// A row of boxes side by side is a floor without seams, for everything that slides over it.
static void row_of_solids_has_no_seams(void **state)
{
    (void)state;
    cn_compound *row = make_row(cn_v3(0.5f, 0.5f, 3.0f), 8);
    cn_composite a = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = row };
    rng usual = stream(41), tapers = stream(42);
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        rng *r = type == CN_TAPERED_CAPSULE ? &tapers : &usual;
        int tilted = 0, missing = 0, several = 0;
        for (int i = 0; i < 10000; i++) {
            cn_convex b = random_shape(r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.02f * inner;
            cn_pose pose = { rng_over(r, 2.5f, 0.0f, 1.0f), cn_quat_identity() };
            pose.position.x += 3.5f;
            pose.rotation = random_rest(r, &b);
            lower_to(&b, &pose, rng_range(r, -0.1f * inner, 0.5f * margin));
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&a, &b, pose, cn_look_within(margin), m, &gap);
            missing += count == 0;
            several += count > 1;
            for (int k = 0; k < count; k++)
                tilted += m[k].manifold.normal.y < 0.999f;
        }
        printf("  %-8s missing %d, several %d, tilted %d\n", type_names[type], missing, several, tilted);
        assert_int_equal(missing + tilted, 0);
    }
    cn_compound_destroy(row);
}

// A step in the row is a real wall, and a plank whose foot stands in the corner of floor and kerb touches both.
static void steps_and_kerbs_stay(void **state)
{
    (void)state;
    cn_compound_part parts[2] = { { .geometry = cn_box(2.0f, 0.5f, 2.0f), .offset = { { 0.0f, -0.5f, 0.0f }, straight } },
                                  { .geometry = cn_box(0.5f, 0.2f, 2.0f), .offset = { { 1.5f, 0.2f, 0.0f }, straight } } };
    cn_compound *step = cn_compound_create(parts, 2, NULL);
    cn_composite a = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = step };
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.3f, 0.3f, 0.3f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    float gap;
    for (int i = 0; i < 20; i++) {
        float depth = 0.002f * (float)i;
        cn_pose pose = { { 0.7f + depth, 0.3f - 0.5f * depth, 0.0f }, straight };
        assert_int_equal(cn_collide_parts(&a, &box, pose, cn_look_within(0.01f), m, &gap), 2);
    }
    cn_convex plank = { .type = CN_BOX, .half_extents = { 0.05f, 1.0f, 0.3f } };
    cn_quat lean = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), 0.4f);
    // Its lowest edge is at local x = 0.05 or -0.05 and y = -1; put that into the corner at x = 1, y = 0.
    cn_vec3 foot = cn_rotate(lean, cn_v3(0.05f, -1.0f, 0.0f)), other = cn_rotate(lean, cn_v3(-0.05f, -1.0f, 0.0f));
    cn_pose pose = { cn_sub(cn_v3(1.001f, cn_minf(0.0f, foot.y - other.y) - 0.002f, 0.0f), foot), lean };
    int count = cn_collide_parts(&a, &plank, pose, cn_look_within(0.01f), m, &gap);
    bool floor = false, kerb = false;
    for (int k = 0; k < count; k++) {
        floor = floor || m[k].manifold.normal.y > 0.9f;
        kerb = kerb || m[k].manifold.normal.x < -0.9f;
    }
    assert_true(floor && kerb);
    cn_compound_destroy(step);
}

// --- the rest ----------------------------------------------------------------------------------------------------------------

static void gap_is_no_more_than_the_distance(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, -0.1f, 0.0f);
    rng r = stream(51);
    int wide = 0;
    for (int i = 0; i < 3000; i++) {
        cn_convex b = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 0.5f, &hulls);
        cn_quat rotation = rng_quat(&r);
        cn_pose pose = { rng_over(&r, 2.5f, 0.0f, 2.5f), rotation };
        pose.position.y = rng_range(&r, 0.0f, 1.5f);
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        float gap, margin = 0.01f;
        if (cn_collide_parts(&s.composite, &b, pose, cn_look_within(margin), m, &gap) > 0)
            continue;
        assert_true(gap >= margin && gap <= cn_maxf(margin, distance_to(&s, &b, pose) + 1e-5f));
        wide += gap > 1.5f * margin;
    }
    assert_true(wide > 1000);
    free_surface(&s);
}

// A floor of two triangles of a kilometre shakes nothing.
static void large_triangles_are_exact(void **state)
{
    (void)state;
    static surface s;
    rng r = stream(52);
    make_surface(&s, 1, 1000.0f, 0.0f, 0.0f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.1f, 0.1f, 0.1f } };
    for (int i = 0; i < 2000; i++) {
        cn_vec3 at = rng_over(&r, 400.0f, 0.0995f, 400.0f);
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        assert_int_equal(collide(&s, &box, at, cn_quat_axis_angle(up, rng_range(&r, -3.0f, 3.0f)), 0.005f, m), 1);
        assert_int_equal(m[0].manifold.count, 4);
        for (int k = 0; k < 4; k++)
            assert_true(fabsf(m[0].manifold.points[k].separation + 0.0005f) < 1e-6f);
    }
    free_surface(&s);
}

static void bad_poses_touch_nothing(void **state)
{
    (void)state;
    static surface s;
    make_table(&s);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.1f, 0.1f, 0.1f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    assert_int_equal(collide(&s, &box, cn_v3(NAN, 0.0f, 0.0f), straight, 0.01f, m), 0);
    assert_int_equal(collide(&s, &box, cn_v3(0.0f, INFINITY, 0.0f), straight, 0.01f, m), 0);
    assert_int_equal(collide(&s, &box, cn_v3(0.0f, 0.0f, 0.0f), (cn_quat){ NAN, 0.0f, 0.0f, 1.0f }, 0.01f, m), 0);
    free_surface(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_a_grid_has_four_points),
        cmocka_unit_test(a_thousand_triangles_are_none_too_many),
        cmocka_unit_test(materials_stay_apart),
        cmocka_unit_test(smooth_normals_are_round),
        cmocka_unit_test(row_of_solids_has_no_seams),
        cmocka_unit_test(steps_and_kerbs_stay),
        cmocka_unit_test(gap_is_no_more_than_the_distance),
        cmocka_unit_test(large_triangles_are_exact),
        cmocka_unit_test(bad_poses_touch_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
