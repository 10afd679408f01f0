// Random worlds over the whole range that the API accepts: nothing is ever not finite, nothing stays frozen, and a group of
// bodies that nothing touches moves by the same bits as in a world without the wild ones. CAIRN_RANDOM_WORLDS sets how many
// worlds, CAIRN_RANDOM_SEED the first of them: a failure names its seed.
#include "random_changes.h"
#include "world/lost.h"

#include <stdlib.h>

enum { MOST_BODIES = 10, WILD_STEPS = 12, CALM_STEPS = 4, BYSTANDERS = 6 };

// ---- those that nothing touches

typedef struct bystanders {
    cn_body_id bodies[BYSTANDERS];
} bystanders;

// A stack of three boxes, two pendulums and a ball that rolls, or, where steps of any length would topple and tear them, five
// boxes and a ball, far from everything and without a category in common with it. None of them meets another on the way:
// contacts are then solved in an order in which they came and went, those of others included.
static bystanders add_bystanders(cn_world *world, bool stacked)
{
    const double far = 3e6;
    bystanders group;
    cn_shape_def ground = solid_def(cn_box(50.0f, 1.0f, 50.0f), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f), ball = solid_def(cn_sphere(0.5f), 0.6f, 0.3f);
    float g = cn_length(cn_world_get_gravity(world)), scale = g > 10.0f ? 10.0f / g : 1.0f;
    add_upright(world, CN_STATIC, cn_p3(far, -1.0, 0.0), &ground);
    for (int i = 0; i < 3; i++)
        group.bodies[i] =
            add_upright(world, CN_DYNAMIC, stacked ? cn_p3(far, 0.5 + 1.01 * i, 0.0) : cn_p3(far, 0.51, 10.0 * i), &box);
    box.filter.category = ball.filter.category = 4;
    box.filter.mask = ball.filter.mask = 1; // the ground's
    group.bodies[3] = add_upright(world, CN_DYNAMIC, cn_p3(far + 5.0, 4.0, 0.0), &box);
    group.bodies[4] = add_upright(world, CN_DYNAMIC, cn_p3(far + 9.0, 4.0, 9.0), &box);
    group.bodies[5] = add_upright(world, CN_DYNAMIC, cn_p3(far - 5.0, 0.6, -9.0), &ball);
    for (int i = 3; stacked && i < 5; i++) {
        cn_pos3 anchor = cn_body_get_center(world, group.bodies[i]);
        anchor.x -= 1.0;
        cn_joint_def def = i == 3 ? cn_hinge_joint(world, group.bodies[i], (cn_body_id){ 0 }, anchor, cn_v3(0.0f, 0.0f, 1.0f))
                                  : cn_ball_joint(world, group.bodies[i], (cn_body_id){ 0 }, anchor);
        cn_joint_create(world, &def);
    }
    cn_body_set_linear_velocity(world, group.bodies[5], cn_v3(2.0f, 0.0f, 0.0f));
    for (int i = 0; i < BYSTANDERS; i++)
        cn_body_set_gravity_scale(world, group.bodies[i], scale);
    return group;
}

typedef struct moment {
    cn_transform transform;
    cn_vec3 linear, angular;
} moment;

static void look_at(const cn_world *world, const bystanders *group, moment *out)
{
    for (int i = 0; i < BYSTANDERS; i++) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].transform = cn_body_get_transform(world, group->bodies[i]);
        out[i].linear = cn_body_get_linear_velocity(world, group->bodies[i]);
        out[i].angular = cn_body_get_angular_velocity(world, group->bodies[i]);
    }
}

// ---- one world

typedef struct outcome {
    int lost;
    bool joints;
    uint32_t kinds;
    const char *solver;
} outcome;

static wild open_wild(uint64_t seed)
{
    wild w = { .random = { seed * 0x9e3779b97f4a7c15u + 1 } };
    for (int i = 0; i < 4; i++)
        w.kinds |= 1u << rng_next(&w.random) % (uint32_t)WILD_KINDS;
    w.size = pick(&w, WILD_SIZE, 1.0f, CN_MIN_SIZE, CN_MAX_SIZE);
    w.joints = chance(&w, 2);
    return w;
}

static float wild_dt(wild *w) { return pick(w, WILD_DT, tick, CN_MIN_DT, CN_MAX_DT); }

static int fill(wild *w, cn_world *world, cn_body_id *bodies)
{
    int count = 3 + (int)(rng_next(&w->random) % (MOST_BODIES - 3));
    for (int i = 0; i < count; i++)
        bodies[i] = add_any_body(w, world, i == 0);
    for (int i = 1; w->joints && i < count; i++)
        if (!chance(w, 3))
            join_any(w, world, bodies[i], bodies[rng_next(&w->random) % (uint32_t)i]);
    return count;
}

// Failures are told and counted, so that one run finds them all.
static long long failures;

#define COMPLAIN(...) (failures++, print_message(__VA_ARGS__))

static int step_world(cn_world *world, float dt, uint64_t seed, int step)
{
    cn_step_report report = cn_world_step(world, dt);
    if (!report.ok || !cn_world_is_finite(world))
        COMPLAIN("seed %llu, step %d: %s\n", (unsigned long long)seed, step, cn_last_error());
    return report.lost;
}

// Whether anything that does not give way holds the body: then it need not answer.
static bool is_held(const cn_world *world, cn_body_id body)
{
    cn_contact_data contacts[64];
    cn_joint_id joints[MOST_BODIES];
    int contact_count = cn_body_get_contacts(world, body, contacts, 64),
        joint_count = cn_body_get_joints(world, body, joints, MOST_BODIES);
    bool held = cn_body_get_type(world, body) != CN_DYNAMIC || cn_body_get_locks(world, body) != 0 || contact_count > 64 ||
                cn_body_get_linear_damping(world, body) > 0.0f;
    for (int i = 0; i < contact_count && !held; i++) {
        cn_body_id a = cn_shape_get_body(world, contacts[i].shape_a), b = cn_shape_get_body(world, contacts[i].shape_b);
        held = cn_body_get_type(world, a) != CN_DYNAMIC || cn_body_get_type(world, b) != CN_DYNAMIC;
    }
    for (int i = 0; i < joint_count && !held; i++) {
        cn_joint_def def = cn_joint_get_def(world, joints[i]);
        held = CN_IS_NULL(def.body_a) || CN_IS_NULL(def.body_b) || def.kind != CN_JOINT_FRAMES ||
               cn_body_get_type(world, def.body_a) != CN_DYNAMIC || cn_body_get_type(world, def.body_b) != CN_DYNAMIC;
    }
    return held;
}

// One held body holds all that hang together with it.
static void find_free(const cn_world *world, const cn_body_id *bodies, int count, bool *is_free)
{
    int islands[BYSTANDERS + MOST_BODIES + 1];
    assert_true(cn_world_get_islands(world, islands, BYSTANDERS + MOST_BODIES + 1) <= BYSTANDERS + MOST_BODIES + 1);
    for (int i = 0; i < count; i++) {
        is_free[i] = cn_body_get_type(world, bodies[i]) == CN_DYNAMIC;
        for (int k = 0; k < count && is_free[i]; k++)
            is_free[i] = islands[bodies[k].index1 - 1] != islands[bodies[i].index1 - 1] || !is_held(world, bodies[k]);
    }
}

static void stop_all(cn_world *world, const cn_body_id *bodies, int count)
{
    cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f));
    for (int i = 0; i < count; i++) {
        cn_body_set_linear_velocity(world, bodies[i], cn_v3(0.0f, 0.0f, 0.0f));
        cn_body_set_angular_velocity(world, bodies[i], cn_v3(0.0f, 0.0f, 0.0f));
    }
}

// Everything is stopped, and then pushed the same way: what hangs together with nothing that holds it moves. Marks who did, or
// need not.
static void push_all(cn_world *world, const wild *w, const cn_body_id *bodies, int count, uint64_t seed, bool *answered)
{
    cn_pos3 before[MOST_BODIES];
    bool is_free[MOST_BODIES], still_free[MOST_BODIES];
    stop_all(world, bodies, count);
    step_world(world, tick, seed, WILD_STEPS);
    stop_all(world, bodies, count);
    find_free(world, bodies, count, is_free);
    for (int i = 0; i < count; i++) {
        before[i] = cn_body_get_center(world, bodies[i]);
        float mass = cn_body_get_mass(world, bodies[i]).mass;
        if (is_free[i] && !cn_body_apply_impulse(world, bodies[i], cn_v3(0.0f, mass * w->size, 0.0f)))
            COMPLAIN("seed %llu: body %d: %s\n", (unsigned long long)seed, i, cn_last_error());
    }
    for (int step = 0; step < CALM_STEPS; step++)
        step_world(world, tick, seed, WILD_STEPS + 1 + step);
    find_free(world, bodies, count, still_free);
    for (int i = 0; i < count; i++) {
        cn_pos3 after = cn_body_get_center(world, bodies[i]);
        bool moved = after.x != before[i].x || after.y != before[i].y || after.z != before[i].z;
        answered[i] |= moved || !is_free[i] || !still_free[i] || fabs(before[i].y) > 1e9 * (double)w->size;
    }
}

// Nothing is frozen. A body that is lost is stopped once: it may miss the first of two pushes, not both.
static void must_answer(cn_world *world, const wild *w, const cn_body_id *bodies, int count, uint64_t seed)
{
    bool answered[MOST_BODIES] = { false };
    for (int tries = 0; tries < 2; tries++)
        push_all(world, w, bodies, count, seed, answered);
    for (int i = 0; i < count; i++)
        if (!answered[i])
            COMPLAIN("seed %llu: body %d does not answer to an impulse; %s%s, wild kinds 0x%x\n", (unsigned long long)seed, i,
                     cn_world_get_solver(world), w->joints ? " with joints" : "", w->kinds);
}

// Returns how many times a body was lost. `seen` gets what the bystanders did.
static outcome run_world(uint64_t seed, bool with_wild, moment *seen)
{
    wild w = open_wild(seed);
    cn_world_def def = any_world_def(&w);
    cn_world *world = open_world(&def);
    bystanders group = add_bystanders(world, !is_wild(&w, WILD_DT));
    cn_body_id bodies[MOST_BODIES];
    outcome result = { .joints = w.joints, .kinds = w.kinds, .solver = cn_world_get_solver(world) };
    int count = with_wild ? fill(&w, world, bodies) : 0;
    wild steps = { .random = { seed + 12345 }, .kinds = w.kinds };
    for (int step = 0; step < WILD_STEPS; step++) {
        float dt = wild_dt(&steps);
        for (int i = 0; i < count; i++)
            if (chance(&w, 4))
                push_any(&w, world, bodies[i]);
        for (int i = 0; is_wild(&w, WILD_CHANGES) && i < count; i++)
            if (chance(&w, 6))
                change_any(&w, world, bodies, count);
        result.lost += step_world(world, dt, seed, step);
    }
    look_at(world, &group, seen);
    if (with_wild)
        must_answer(world, &w, bodies, count, seed);
    cn_world_destroy(world);
    return result;
}

static long long asked(const char *name, long long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : otherwise;
}

static outcome judge_world(long long seed)
{
    bool verbose = getenv("CAIRN_RANDOM_VERBOSE") != NULL;
    moment with[BYSTANDERS], without[BYSTANDERS];
    outcome result = run_world((uint64_t)seed, true, with);
    run_world((uint64_t)seed, false, without);
    failures += result.lost > 0 && !result.joints;
    if (result.lost > 0 && (verbose || !result.joints))
        print_message("seed %lld: %d bodies lost by %s%s, wild kinds 0x%x\n", seed, result.lost, result.solver,
                      result.joints ? " with joints" : "", result.kinds);
    if (memcmp(with, without, sizeof with) != 0)
        COMPLAIN("seed %lld: bodies that nothing touches move otherwise because of others; %s, wild kinds 0x%x\n", seed,
                 result.solver, result.kinds);
    return result;
}

static void random_worlds_hold(void **state)
{
    (void)state;
    long long count = asked("CAIRN_RANDOM_WORLDS", 300), first = asked("CAIRN_RANDOM_SEED", 1), lost = 0, worlds = 0,
              jointed = 0;
    failures = 0;
    for (long long seed = first; seed < first + count; seed++) {
        outcome result = judge_world(seed);
        lost += result.lost;
        worlds += result.lost > 0;
        jointed += result.lost > 0 && result.joints;
    }
    print_message("%lld worlds: bodies were lost in %lld of them, %lld with joints, %lld times\n", count, worlds, jointed,
                  lost);
    assert_int_equal(failures, 0);
    assert_true(100 * worlds < count + 100); // the net is for the few that nothing else catches; of sixty worlds, one may
}

// What random worlds found, one or more for each cause: axes on the outline of a triangle, friction matrices whose products
// leave the range of float, points far outside of small bodies, forces on bodies that are held back by a largest speed, pairs
// that were not looked at, contacts between bodies that locks keep where they are, specks that are pushed so far from their
// centre that the answer leaves the range of float, things thinner than the rounding of their points, which met a wall in every
// step, contacts that were relaxed because others had joints, pairs that were quiet in short steps and left so in a long one.
static void rare_worlds_hold(void **state)
{
    (void)state;
    static const long long seeds[] = { 100153, 100401, 108510, 109949, 114554, 117294, 119171, 120154, 121250, 121687, 132545,
                                       132790, 136764, 137831, 144307, 148676, 414865, 712765, 220913, 227877, 305849, 309065,
                                       5007472, 5008625, 5009117, 9200542 };
    failures = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        judge_world(seeds[i]);
    assert_int_equal(failures, 0);
}

// Those whose joints lost a body: what locks leave of a free direction was rounding, or rounding of a pivot that was small
// itself; squares of responses or of impulses in units of their bound left the range of float, as did the energy of a mountain
// that tumbles; gears did not follow the inertia of what tumbles; what a relaxing pass threw about went on into the next
// substep.
static void jointed_worlds_hold(void **state)
{
    (void)state;
    static const long long seeds[] = { 598,    20044,  20206,  20377,  20687,  20691,  20995,
                                       203330, 205042, 209285, 211082, 214834, 216836, 218773 };
    failures = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++)
        assert_int_equal(judge_world(seeds[i]).lost, 0);
    assert_int_equal(failures, 0);
}

// A body in a cone, with a motor that may do next to nothing, or much.
static int lose_in_cone(float size, float mass, float torque, float spin)
{
    cn_world_def settings = cn_world_def_default();
    cn_world *world = open_world(&settings);
    cn_shape_def shape = solid_def(cn_box(size, 0.5f * size, 0.25f * size), 0.6f, 0.0f);
    shape.density = mass / (size * size * size); // 8 * 1/2 * 1/4 of the cube of its size
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape), nobody = { 0 };
    cn_pos3 anchor = cn_p3(0.0, (double)size, 0.0);
    cn_joint_def def = cn_cone_twist_joint(world, nobody, body, anchor, cn_v3(0.0f, 1.0f, 0.0f), 0.5f, 0.5f);
    def.ball.motor = CN_MOTOR_PLACE;
    def.ball.motor_max_torque = def.ball.friction = torque;
    assert_false(CN_IS_NULL(cn_joint_create(world, &def)));
    assert_true(cn_body_set_angular_velocity(world, body, cn_v3(spin, 0.5f * spin, -spin)));
    int lost = 0;
    for (int step = 0; step < 6; step++)
        lost += cn_world_step(world, tick).lost;
    bool finite = cn_world_is_finite(world);
    cn_world_destroy(world);
    assert_true(finite);
    return lost;
}

static void joints_of_any_size_hold(void **state)
{
    (void)state;
    static const float sizes[] = { 1e-5f, 1e-3f, 1.0f, 1e3f, 1e5f }, masses[] = { 1e-12f, 1.0f, 1e12f },
                       torques[] = { 1e-20f, 1.0f, 1e20f }, spins[] = { 0.0f, 1e2f, 1e5f, 5e7f };
    for (int i = 0; i < 5 * 3 * 3 * 4; i++) {
        int lost = lose_in_cone(sizes[i % 5], masses[i / 5 % 3], torques[i / 15 % 3], spins[i / 45]);
        if (lost > 0)
            fail_msg("size %g, mass %g, torque %g, spin %g", (double)sizes[i % 5], (double)masses[i / 5 % 3],
                     (double)torques[i / 15 % 3], (double)spins[i / 45]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_worlds_hold), cmocka_unit_test(rare_worlds_hold),
                                        cmocka_unit_test(jointed_worlds_hold), cmocka_unit_test(joints_of_any_size_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
