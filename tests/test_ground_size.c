// How large the ground is makes no difference to what stands on it: small things on large slabs have all their contact points,
// come to rest, and fall where their centre is beyond the edge.
#include "collide/collide.h"
#include "random_shapes.h"
#include "scene.h"

typedef enum thing { BOX, HULL, DISC, CAPSULE, TAPER, THINGS } thing;
static const char *const names[THINGS] = { "box", "hull", "disc", "capsule", "tapered capsule" };

// What lies flat, up to `size` to each side and a third of it up and down.
static cn_convex make_thing(thing kind, float size, cn_polyhedron *cube)
{
    float half = size / 3.0f;
    switch (kind) {
    case BOX: return (cn_convex){ .type = CN_BOX, .half_extents = { size, half, size } };
    case HULL: return (cn_convex){ .type = CN_HULL, .hull = cube };
    case DISC: return (cn_convex){ .type = CN_CYLINDER, .radius = size, .half_height = half };
    case CAPSULE: return (cn_convex){ .type = CN_CAPSULE, .radius = half, .half_height = size - half };
    default: return (cn_convex){ .type = CN_TAPERED_CAPSULE, .radius = half, .top_radius = half, .half_height = size - half };
    }
}

static cn_polyhedron *flat_hull(float size)
{
    cn_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = cn_v3(i & 1 ? size : -size, i & 2 ? size / 3.0f : -size / 3.0f, i & 4 ? size : -size);
    cn_polyhedron *hull = cn_polyhedron_build(&cn_default_allocator, points, 8);
    assert_non_null(hull);
    return hull;
}

static cn_quat lying(thing kind)
{
    return kind == CAPSULE || kind == TAPER ? turn_about(cn_v3(0.0f, 0.0f, 1.0f), 1.5707963267948966) : cn_quat_identity();
}

static void points_do_not_depend_on_the_ground(void **state)
{
    (void)state;
    const float sizes[] = { 1e-3f, 1e-2f, 0.1f, 1.0f };
    for (int k = 0; k < 4; k++) {
        cn_polyhedron *cube = flat_hull(sizes[k]);
        for (int kind = 0; kind < THINGS; kind++)
            for (float half = sizes[k]; half <= cn_minf(1e5f * sizes[k], 1e4f); half *= 2.0f) {
                cn_convex ground = { .type = CN_BOX, .half_extents = { 2.0f * half, 0.2f * half, 2.0f * half } };
                cn_convex b = make_thing((thing)kind, sizes[k], cube);
                cn_pose pose = { cn_v3(0.13f * half, 0.2f * half + sizes[k] / 3.0f, 0.29f * half), lying((thing)kind) };
                int wanted = kind == CAPSULE || kind == TAPER ? 2 : 4;
                for (int order = 0; order < 2; order++) {
                    cn_manifold m = { 0 };
                    cn_pair_cache cache = { 0 };
                    if (order == 0)
                        cn_collide(&ground, &b, pose, 0.05f * sizes[k], &cache, &m);
                    else
                        cn_collide(&b, &ground, cn_pose_inverse(pose), 0.05f * sizes[k], &cache, &m);
                    if (m.count < wanted)
                        fail_msg("a %s of %g m on a slab of %g m has %d points", names[kind], (double)sizes[k],
                                 (double)(4.0f * half), m.count);
                }
            }
        cn_polyhedron_free(&cn_default_allocator, cube);
    }
}

static cn_geometry geometry_of(cn_world *world, thing kind, float size)
{
    cn_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = cn_v3(i & 1 ? size : -size, i & 2 ? size / 3.0f : -size / 3.0f, i & 4 ? size : -size);
    switch (kind) {
    case BOX: return cn_box(size, size / 3.0f, size);
    case HULL: return cn_hull(cn_hull_create(world, corners, 8));
    case DISC: return cn_cylinder(size / 3.0f, size);
    case CAPSULE: return cn_capsule(size * (2.0f / 3.0f), size / 3.0f);
    default: return cn_tapered_capsule(size * (2.0f / 3.0f), size / 3.0f, size / 3.0f);
    }
}

// How far down it is after a second, lying across the edge with its centre `beyond` it.
static double fall_of(thing kind, float size, float half, double beyond)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_shape_def ground = solid_def(cn_box(half, 1.0f, half), 0.6f, 0.0f),
                 shape = solid_def(geometry_of(world, kind, size), 0.6f, 0.0f);
    add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &ground);
    double height = (double)(size / 3.0f);
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3((double)half + beyond, height, 0.0), lying(kind), &shape);
    advance(world, 60);
    double down = height - cn_body_get_center(world, body).y;
    cn_world_destroy(world);
    return down;
}

static void what_is_beyond_the_edge_falls(void **state)
{
    (void)state;
    const float halves[] = { 2.0f, 20.0f, 200.0f };
    for (int kind = 0; kind < THINGS; kind++)
        for (int i = 0; i < 3; i++) {
            const float size = 0.3f;
            assert_true(fall_of((thing)kind, size, halves[i], 0.05 * (double)size) > 0.5);
            assert_below(fabs(fall_of((thing)kind, size, halves[i], -0.05 * (double)size)), 1e-3);
        }
}

// Coins of 1 cm to 1 m, a twelfth as thick, that spin on their edge clatter and lie. On its way around the rim in a step the
// lowest point gets in, and is pushed out once.
static void coins_come_to_rest(void **state)
{
    (void)state;
    const float radii[] = { 0.005f, 0.012f, 0.1f, 0.5f }, restitutions[] = { 0.0f, 0.3f };
    for (int i = 0; i < 8; i++) {
        float radius = radii[i / 2], restitution = restitutions[i % 2];
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        add_ground(world, 0.6f, restitution);
        cn_shape_def coin = solid_def(cn_cylinder(radius / 12.0f, radius), 0.6f, restitution);
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 1.08 * (double)radius, 0.0),
                                   turn_about(cn_v3(1.0f, 0.0f, 0.0f), 1.4), &coin);
        set_motion(world, body, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 3.0f / sqrtf(radius), 0.0f));
        cn_energy first = cn_world_get_energy(world);
        double most = first.kinetic + first.potential, gain = 0.0, least = most;
        int awake = 1;
        for (int step = 0; step < 900 && awake > 0; step++) {
            awake = advance(world, 1).awake_bodies;
            cn_energy energy = cn_world_get_energy(world);
            least = fmin(least, energy.kinetic + energy.potential);
            gain = fmax(gain, (energy.kinetic + energy.potential - least) / most);
        }
        print_message("coin of %g m, restitution %g: gained at most %.2g %%\n", 2.0 * (double)radius, (double)restitution,
                      100.0 * gain);
        assert_int_equal(awake, 0);
        assert_below(gain, 0.1);
        cn_world_destroy(world);
    }
}

static cn_geometry crumb(cn_world *world, rng *r, int kind, float size)
{
    cn_vec3 points[10];
    for (int i = 0; i < 10; i++)
        points[i] = cn_scale(1.3f * size, rng_unit(r));
    return kind == 0   ? cn_box(size, size, size)
           : kind == 1 ? cn_hull(cn_hull_create(world, points, 10))
                       : cn_box(3.0f * size, 0.1f * size, 2.0f * size);
}

// Things of a few millimetres fall by more than their size in a step, onto the ground and onto each other; none is held in the
// ground.
static void crumbs_come_to_rest(void **state)
{
    (void)state;
    const float sizes[] = { 0.002f, 0.008f };
    for (int i = 0; i < 18; i++) {
        float size = sizes[i / 3 % 2];
        rng r = { (uint64_t)(9 + i / 6) };
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        add_ground(world, 0.5f, 0.0f);
        for (int k = 0; k < 20; k++) {
            cn_shape_def shape = solid_def(crumb(world, &r, i % 3, size), 0.5f, 0.0f);
            cn_quat rotation = rng_quat(&r);
            cn_vec3 from = rng_over(&r, 6.0f * size, (20.0f + 4.0f * (float)k) * size, 6.0f * size);
            add_body(world, CN_DYNAMIC, cn_pos_add(cn_p3(0.0, 0.0, 0.0), from), rotation, &shape);
        }
        int awake = advance(world, 300).awake_bodies;
        if (awake > 0)
            fail_msg("kind %d of %g m, seed %d: %d are awake after 5 s", i % 3, (double)size, 9 + i / 6, awake);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(points_do_not_depend_on_the_ground),
                                        cmocka_unit_test(what_is_beyond_the_edge_falls), cmocka_unit_test(coins_come_to_rest),
                                        cmocka_unit_test(crumbs_come_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
