// The same bits whatever the number of threads, the task system, the width of the vectors, the compiler or the optimisation.
#include "random_shapes.h"
#include "rough_ground.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// What every compiler and build type must arrive at. After a change that is meant to alter motion: run this program, and put
// the hashes it prints here.
typedef enum scene {
    MIXED,
    MIXED_CONE,
    MIXED_PGS,
    MIXED_SPLIT,
    MIXED_NEWTON,
    MIXED_TOLERANCE,
    ROUGH,
    JOINTS,
    PYRAMID,
    SCENE_COUNT
} scene;
static const struct {
    const char *name;
    uint64_t hash;
} golden[SCENE_COUNT] = {
    [MIXED] = { "300 mixed", 0x1039f519ee00742d },
    [MIXED_CONE] = { "60 mixed, cone friction", 0x9915e1f2a4a8b157 },
    [MIXED_PGS] = { "60 mixed, pgs", 0x73cb5ca2f3c3e54b },
    [MIXED_SPLIT] = { "60 mixed, mass_split", 0x74aa2a2763443543 },
    [MIXED_NEWTON] = { "60 mixed, newton", 0x98d44381ed7cbd9c },
    [MIXED_TOLERANCE] = { "60 mixed, tolerance 1e-4", 0x0efedb2a778dd70b },
    [ROUGH] = { "60 mixed, rough ground", 0x708de887aab52ea5 },
    [JOINTS] = { "joints", 0x7487cdb032deae52 },
    [PYRAMID] = { "pyramid", 0xdc9dd57d3cd062a0 },
};

// ---- scenes; built without the mathematical functions of libm, which compilers evaluate differently

enum { STEPS = 120, MIXED_COUNT = 300, FEW = 60, PYRAMID_BASE = 45, PYRAMID_STEPS = 20 };

static cn_geometry mixed_geometry(rng *random, int i, const cn_hull_id hulls[3])
{
    float a = rng_range(random, 0.2f, 0.5f), b = rng_range(random, 0.2f, 0.5f), c = rng_range(random, 0.2f, 0.5f);
    switch (i % 5) {
    case 0: return cn_sphere(a);
    case 1: return cn_capsule(a, b);
    case 2: return cn_box(a, b, c);
    case 3: return cn_cylinder(a, b);
    default: return cn_hull(hulls[i % 3]);
    }
}

static void add_mixed_body(cn_world *world, rng *random, int i, const cn_hull_id hulls[3])
{
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = mixed_geometry(random, i, hulls);
    shape.material.restitution = i % 7 == 0 ? 0.5f : 0.0f;
    shape.material.rolling_resistance = i % 11 == 0 ? 0.02f : 0.0f;
    shape.material.kinetic_friction = i % 13 == 0 ? 0.3f : -1.0f;
    cn_vec3 jitter = rng_vec(random, 0.2f);
    cn_pos3 place = { 1.1 * (i % 6 - 2.5) + (double)jitter.x, 1.0 + 1.1 * (i / 36) + (double)jitter.y,
                      1.1 * (i / 6 % 6 - 2.5) + (double)jitter.z };
    cn_body_id body = add_body(world, CN_DYNAMIC, place, rng_quat(random), &shape);
    if (i % 6 == 0) { // a compound
        shape.geometry = mixed_geometry(random, i + 2, hulls);
        shape.offset.position = rng_vec(random, 0.3f);
        shape.offset.rotation = rng_quat(random);
        if (CN_IS_NULL(cn_shape_create(world, body, &shape)))
            fail_msg("%s", cn_last_error());
    }
}

// Small and fast, from all sides.
static void add_shots(cn_world *world, rng *random)
{
    cn_shape_def shot = solid_def(cn_sphere(0.05f), 0.6f, 0.3f), bar = solid_def(cn_box(0.02f, 0.02f, 0.5f), 0.6f, 0.0f);
    for (int i = 0; i < 12; i++) {
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.6 * i - 3.3, 5.0, i % 2 ? 1.0 : -1.0), rng_quat(random),
                                   i % 3 == 0 ? &bar : &shot);
        cn_vec3 velocity = rng_vec(random, 200.0f), spin = rng_vec(random, 60.0f); // in this order
        set_motion(world, body, velocity, spin);
    }
}

static uint64_t run_mixed(const cn_world_def *def, int count, bool rough)
{
    cn_world *world = open_world(def);
    rng random = { 7 };
    cn_hull_id hulls[3];
    for (int k = 0; k < 3; k++) {
        cn_vec3 points[16];
        for (int i = 0; i < 16; i++)
            points[i] = rng_vec(&random, 0.5f);
        hulls[k] = cn_hull_create(world, points, 16);
    }
    if (rough) {
        add_rough_ground(world);
        add_shots(world, &random);
    } else {
        add_ground(world, 0.6f, 0.0f);
    }
    cn_shape_def paddle = solid_def(cn_box(3.0f, 0.2f, 0.2f), 0.6f, 0.0f);
    cn_body_id mover = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 0.6, 0.0), &paddle);
    for (int i = 0; i < count; i++)
        add_mixed_body(world, &random, i, hulls);
    for (int i = 0; i < STEPS; i++) {
        cn_transform target = { { 0.0, 0.6, 0.0 }, cn_quat_exp(cn_v3(0.0f, 0.01f * (float)i, 0.0f)) };
        if (!cn_body_move_kinematic(world, mover, target, tick))
            fail_msg("%s", cn_last_error());
        advance(world, 1);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

// ---- joints of all kinds; the chain is solved directly, the bridge by sweeps, and a weight falls on both

static cn_body_id add_link(cn_world *world, double x, double y, double z, cn_vec3 half, float density)
{
    cn_shape_def shape = solid_def(cn_box(half.x, half.y, half.z), 0.6f, 0.0f);
    shape.density = density;
    shape.filter.group = -1;
    return add_upright(world, CN_DYNAMIC, cn_p3(x, y, z), &shape);
}

static void join(cn_world *world, cn_joint_def def)
{
    if (CN_IS_NULL(cn_joint_create(world, &def)))
        fail_msg("%s", cn_last_error());
}

static void add_chain(cn_world *world, cn_vec3 half, double z, bool hinges, float last_density)
{
    const cn_vec3 axis = { 0.0f, 0.0f, 1.0f };
    const double length = 2.0 * (double)half.x;
    cn_body_id last = { 0 };
    for (int i = 0; i < 12; i++) {
        cn_body_id link = add_link(world, (i + 0.5) * length, 4.0, z, half, i == 11 ? last_density : 500.0f);
        cn_pos3 place = cn_p3(i * length, 4.0, z);
        join(world, hinges ? cn_hinge_joint(world, last, link, place, axis) : cn_ball_joint(world, last, link, place));
        last = link;
    }
    if (hinges)
        join(world, cn_hinge_joint(world, last, (cn_body_id){ 0 }, cn_p3(12.0 * length, 4.0, z), axis));
}

static void add_machine(cn_world *world)
{
    const cn_vec3 z = { 0.0f, 0.0f, 1.0f }, up = { 0.0f, 1.0f, 0.0f }, half = { 0.4f, 0.4f, 0.1f };
    cn_body_id wheels[3], rack = add_link(world, -1.0, 3.0, -6.0, cn_v3(0.1f, 0.5f, 0.1f), 500.0f);
    for (int i = 0; i < 3; i++) {
        wheels[i] = add_link(world, 1.5 * i, 3.0, -6.0, half, 500.0f);
        cn_joint_def hinge = cn_hinge_joint(world, (cn_body_id){ 0 }, wheels[i], cn_p3(1.5 * i, 3.0, -6.0), z);
        hinge.axes[CN_TWIST].motor = i == 0 ? CN_MOTOR_SPEED : CN_MOTOR_OFF;
        hinge.axes[CN_TWIST].motor_target = 1.0f;
        hinge.axes[CN_TWIST].motor_max_force = 2000.0f;
        hinge.axes[CN_TWIST].friction = 1.0f;
        join(world, hinge);
        if (i > 0)
            join(world, cn_gear_joint(world, wheels[i - 1], wheels[i], z, z, 1.5f));
    }
    cn_joint_def slide = cn_slider_joint(world, (cn_body_id){ 0 }, rack, cn_p3(-1.0, 3.0, -6.0), up);
    slide.axes[CN_X].freedom = CN_LIMITED;
    slide.axes[CN_X].lower = -0.2f;
    slide.axes[CN_X].upper = 0.2f;
    join(world, slide);
    join(world, cn_rack_joint(world, wheels[0], rack, z, up, 0.3f));
    cn_body_id left = add_link(world, 4.0, 3.0, -6.0, half, 500.0f), right = add_link(world, 6.0, 3.0, -6.0, half, 600.0f);
    join(world, cn_pulley_joint(world, left, right, cn_p3(4.0, 3.0, -6.0), cn_p3(6.0, 3.0, -6.0), cn_p3(4.0, 6.0, -6.0),
                                cn_p3(6.0, 6.0, -6.0), 1.0f));
    join(world, cn_spring_joint(world, wheels[2], left, cn_p3(3.0, 3.0, -6.0), cn_p3(4.0, 3.0, -6.0), 1e4f, 100.0f));
}

static uint64_t run_joints(const cn_world_def *def)
{
    cn_world *world = open_world(def);
    rng random = { 5 };
    add_ground(world, 0.6f, 0.0f);
    add_chain(world, cn_v3(0.25f, 0.05f, 0.05f), -3.0, false, 50000.0f);
    add_chain(world, cn_v3(0.25f, 0.05f, 0.8f), 0.0, true, 500.0f);
    add_machine(world);
    for (int i = 0; i < 4; i++) {
        cn_ragdoll_def ragdoll_def = cn_ragdoll_def_default();
        cn_ragdoll ragdoll;
        ragdoll_def.position = cn_p3(1.0 + 1.5 * i, 4.5, i == 3 ? 5.0 : 0.0); // onto the bridge, and beside it
        ragdoll_def.rotation = rng_quat(&random);
        if (!cn_ragdoll_create(world, &ragdoll_def, &ragdoll))
            fail_msg("%s", cn_last_error());
    }
    int direct = 0, swept = 0;
    for (int i = 0; i < STEPS; i++) {
        cn_step_report report = advance(world, 1);
        direct += report.direct > 0;
        swept += report.direct < report.joints;
    }
    assert_true(direct > 0 && swept > 0);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

// One island of some three thousand contacts, so that threads share it.
static uint64_t run_pyramid(const cn_world_def *def)
{
    cn_world *world = open_world(def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    for (int row = 0; row < PYRAMID_BASE; row++)
        for (int i = 0; i < PYRAMID_BASE - row; i++)
            add_upright(world, CN_DYNAMIC, cn_p3(1.05 * i + 0.525 * row, 0.5 + 1.001 * row, 0.0), &box);
    cn_step_report report = advance(world, PYRAMID_STEPS);
    assert_true(report.manifolds > 1024);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static uint64_t run_scene(scene which, cn_world_def def)
{
    if (which == MIXED_CONE)
        def.friction_model = CN_FRICTION_CONE;
    if (which == MIXED_PGS)
        def.solver = "pgs";
    if (which == MIXED_SPLIT)
        def.solver = "mass_split";
    if (which == MIXED_NEWTON)
        def.solver = "newton";
    if (which == MIXED_TOLERANCE)
        def.tolerance = 1e-4f;
    if (which == JOINTS)
        return run_joints(&def);
    return which == PYRAMID ? run_pyramid(&def) : run_mixed(&def, which == MIXED ? MIXED_COUNT : FEW, which == ROUGH);
}

// These take minutes with a sanitizer, and show it nothing that the others do not.
static bool is_left_out(scene which)
{
    return (which == MIXED || which == MIXED_NEWTON || which == ROUGH || which == JOINTS) && getenv("CAIRN_QUICK") != NULL;
}

static uint64_t reference(scene which)
{
    static uint64_t kept[SCENE_COUNT];
    static bool known[SCENE_COUNT];
    if (!known[which])
        kept[which] = run_scene(which, cn_world_def_default());
    known[which] = true;
    return kept[which];
}

static void assert_same(scene which, const cn_world_def *def, const char *how)
{
    if (is_left_out(which))
        return;
    uint64_t hash = run_scene(which, *def);
    if (hash != reference(which))
        fail_msg("%s, %s: %016" PRIx64 ", but %016" PRIx64 " on one thread", golden[which].name, how, hash, reference(which));
}

// ---- what must not matter

static void runs_repeat(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    assert_same(MIXED_CONE, &def, "once more");
    assert_same(PYRAMID, &def, "once more");
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const int counts[3] = { 2, 5, 8 };
    for (int i = 0; i < 3; i++) {
        char how[32];
        snprintf(how, sizeof how, "%d threads", counts[i]);
        cn_world_def def = cn_world_def_default();
        def.threads = counts[i];
        for (scene which = 0; which < SCENE_COUNT; which++)
            if (i == 0 || which == PYRAMID || which == JOINTS || (which == MIXED && i == 2))
                assert_same(which, &def, how);
    }
}

static void run_in_order(void *context, cn_task_fn task, void *task_context, int count)
{
    (void)context;
    for (int i = 0; i < count; i++)
        task(task_context, i);
}

static void run_backwards(void *context, cn_task_fn task, void *task_context, int count)
{
    (void)context;
    for (int i = count - 1; i >= 0; i--)
        task(task_context, i);
}

typedef struct share {
    cn_task_fn task;
    void *context;
    int first, count;
} share;
enum { STRIDE = 2 };

static void *run_share(void *argument)
{
    const share *s = argument;
    for (int i = s->first; i < s->count; i += STRIDE)
        s->task(s->context, i);
    return NULL;
}

static void run_on_new_threads(void *context, cn_task_fn task, void *task_context, int count)
{
    (void)context;
    pthread_t thread;
    share mine = { task, task_context, 0, count }, other = { task, task_context, 1, count };
    assert_int_equal(pthread_create(&thread, NULL, run_share, &other), 0);
    run_share(&mine);
    pthread_join(thread, NULL);
}

static void task_systems_do_not_matter(void **state)
{
    (void)state;
    const struct {
        const char *name;
        cn_task_system system;
    } systems[3] = {
        { "tasks in order", { run_in_order, NULL, 4 } },
        { "tasks backwards", { run_backwards, NULL, 4 } },
        { "tasks on new threads", { run_on_new_threads, NULL, STRIDE } },
    };
    for (int i = 0; i < 3; i++) {
        cn_world_def def = cn_world_def_default();
        def.tasks = &systems[i].system;
        assert_same(MIXED_CONE, &def, systems[i].name);
        if (systems[i].system.run != run_on_new_threads) // starting threads thousands of times takes long
            assert_same(PYRAMID, &def, systems[i].name);
    }
}

static void the_width_of_vectors_does_not_matter(void **state)
{
    (void)state;
    for (int simd = CN_SIMD_BASE; simd < CN_SIMD_COUNT; simd++) {
        cn_world_def def = cn_world_def_default();
        def.simd = (cn_simd)simd;
        cn_world *world = cn_world_create(&def);
        if (world == NULL) {
            print_message("skipped: %s\n", cn_last_error());
            continue;
        }
        cn_world_destroy(world);
        for (scene which = 0; which < SCENE_COUNT; which++)
            if (simd == CN_SIMD_BASE || which == PYRAMID) // by default the widest is taken anyway
                assert_same(which, &def, simd == CN_SIMD_AVX2 ? "AVX2" : "base vectors");
    }
}

static void compilers_do_not_matter(void **state)
{
    (void)state;
    bool same = true;
    for (scene which = 0; which < SCENE_COUNT; which++) {
        if (is_left_out(which))
            continue;
        bool good = reference(which) == golden[which].hash;
        same = same && good;
        print_message("%-25s 0x%016" PRIx64 "%s\n", golden[which].name, reference(which),
                      good ? "" : "  differs from the table");
    }
    if (!same)
        fail_msg("if motion was meant to change, put these hashes into the table at the top of test_determinism.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(task_systems_do_not_matter),
        cmocka_unit_test(the_width_of_vectors_does_not_matter),
        cmocka_unit_test(compilers_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
