// What sleeps has no open joint: mechanisms fall, come to rest, and are measured as they lie.
#include "random_shapes.h"
#include "scene.h"

enum { SEEDS = 10, LINKS = 8, MOST_STEPS = 1200, MOST_JOINTS = 128 };

typedef enum mechanism { DOLL, HEAP_OF_DOLLS, BALL_CHAIN, HINGE_CHAIN, WELDED, MECHANISMS } mechanism;
static const char *const names[MECHANISMS] = { "a ragdoll", "ragdolls on each other", "a chain of balls", "a chain of hinges",
                                               "welded boxes" };

static void add_dolls(cn_world *world, rng *r, int count, float spread)
{
    for (int i = 0; i < count; i++) {
        cn_ragdoll_def def = cn_ragdoll_def_default();
        cn_ragdoll doll;
        cn_vec3 aside = rng_vec(r, spread);
        def.position = cn_pos_add(cn_p3(0.1 * i, 2.0 + 2.0 * i, 0.0), aside);
        def.rotation = rng_quat(r);
        def.velocity = rng_vec(r, 5.0f);
        assert_true(cn_ragdoll_create(world, &def, &doll));
    }
}

static void add_links(cn_world *world, rng *r, mechanism kind)
{
    cn_shape_def link = solid_def(cn_box(0.1f, 0.3f, 0.05f), 0.6f, 0.0f);
    cn_body_id last = { 0 };
    for (int i = 0; i < LINKS; i++) {
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.0 + 0.7 * i, 0.0), &link);
        cn_pos3 anchor = cn_p3(0.0, 0.65 + 0.7 * i, 0.0);
        cn_vec3 axis = i % 2 ? cn_v3(0.0f, 0.0f, 1.0f) : cn_v3(1.0f, 0.0f, 0.0f);
        cn_joint_def def = kind == BALL_CHAIN    ? cn_ball_joint(world, last, body, anchor)
                           : kind == HINGE_CHAIN ? cn_hinge_joint(world, last, body, anchor, axis)
                                                 : cn_fixed_joint(world, last, body, anchor);
        if (kind == BALL_CHAIN) // without, a link that hangs between two others spins about its anchors for ever
            def.ball.friction = 0.05f;
        cn_vec3 velocity = rng_vec(r, 1.0f), spin = rng_vec(r, 1.0f);
        set_motion(world, body, velocity, spin);
        if (i > 0 && CN_IS_NULL(cn_joint_create(world, &def)))
            fail_msg("%s", cn_last_error());
        last = body;
    }
}

typedef struct opening {
    float linear, angular, limit; // m, rad, rad: the worst of all joints
} opening;

static void measure(const cn_world *world, opening *worst)
{
    cn_joint_id joints[MOST_JOINTS];
    int count = cn_world_get_joints(world, joints, MOST_JOINTS);
    assert_true(count > 0 && count <= MOST_JOINTS);
    for (int i = 0; i < count; i++) {
        cn_joint_def def = cn_joint_get_def(world, joints[i]);
        cn_joint_error error = cn_joint_get_error(world, joints[i]);
        worst->linear = cn_maxf(worst->linear, error.linear);
        worst->angular = cn_maxf(worst->angular, error.angular);
        for (int dof = CN_TWIST; dof < CN_DOF_COUNT; dof++) {
            float place = cn_joint_get_place(world, joints[i], (cn_dof)dof);
            if (def.axes[dof].freedom == CN_LIMITED && !(def.cone && dof != CN_TWIST))
                worst->limit = cn_maxf(worst->limit, cn_maxf(def.axes[dof].lower - place, place - def.axes[dof].upper));
        }
    }
}

static void what_sleeps_has_no_open_joint(void **state)
{
    (void)state;
    for (int kind = 0; kind < MECHANISMS; kind++) {
        opening worst = { 0.0f, 0.0f, 0.0f };
        for (int seed = 1; seed <= SEEDS; seed++) {
            rng r = { (uint64_t)seed };
            cn_world_def def = cn_world_def_default();
            cn_world *world = open_world(&def);
            int awake = 1;
            add_ground(world, 0.6f, 0.0f);
            if (kind <= HEAP_OF_DOLLS)
                add_dolls(world, &r, kind == DOLL ? 1 : 4, 0.0f);
            else
                add_links(world, &r, (mechanism)kind);
            for (int step = 0; step < MOST_STEPS && awake > 0; step++)
                awake = advance(world, 1).awake_bodies;
            if (awake > 0)
                fail_msg("%s, seed %d: %d bodies are awake after 20 s", names[kind], seed, awake);
            measure(world, &worst);
            cn_world_destroy(world);
        }
        const float degree = 3.1415927f / 180.0f;
        print_message("%s: open by %.2f mm and %.2f degrees, limits passed by %.2f degrees\n", names[kind], 1e3 * (double)worst.linear,
                      (double)(worst.angular / degree), (double)(worst.limit / degree));
        assert_true(worst.linear < 1e-3f);
        assert_true(worst.angular < 0.5f * degree);
        assert_true(worst.limit < 1.0f * degree);
    }
}

// A limb in the air that friction holds, of a doll whose locks are solved directly: its feet and hands shook for ever. They fall for up to
// 3 s, and are asleep within 10 s of that.
static void piles_of_dolls_fall_asleep(void **state)
{
    (void)state;
    enum { PILES = 24, DOLLS = 5, STEPS = 780 };
    for (int seed = 1; seed <= PILES; seed++) {
        rng r = { (uint64_t)seed };
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        int awake = 1;
        add_ground(world, 0.6f, 0.0f);
        add_dolls(world, &r, DOLLS, 0.5f);
        for (int step = 0; step < STEPS && awake > 0; step++)
            awake = advance(world, 1).awake_bodies;
        if (awake > 0)
            fail_msg("pile %d: %d bodies are awake after 13 s", seed, awake);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_sleeps_has_no_open_joint), cmocka_unit_test(piles_of_dolls_fall_asleep) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
