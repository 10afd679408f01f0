// Energy of closed systems: random bodies in a room, at any speed, spin, restitution and friction, never have more than before.
// CAIRN_ROOMS is how many rooms each solver gets; CAIRN_ROOMS_SEED varies them.
#include "energy_rooms.h"

#include <string.h>

enum { ROOMS = 100, EXACT_ROOMS = 24, JOINTED_ROOMS = 25, STEPS = 120, FEW_BODIES = 3, FEW_DOLLS = 3 };

static int from_environment(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

typedef struct bounds {
    const char *solver;
    room_joints joints;
    int rooms, most_bodies;
    double step, all; // parts of the energy of the moment
    bool weightless;
} bounds;

static void tell(const room *t, const char *solver, gains g)
{
    print_message("%s, room %llu: %d of kind %d, floor %d%s%s%s, restitution %g, friction %g, %g m/s, %g rad/s: gains %g in step %d, %g in all\n",
                  solver, (unsigned long long)t->seed, t->count, t->kind, t->floor, t->gravity ? ", gravity" : "",
                  t->continuous ? ", continuous" : "", t->cone ? ", cone" : "", (double)t->restitution, (double)t->friction,
                  (double)t->speed, (double)t->spin, g.step, g.at, g.all);
}

static void nothing_gains_energy(const bounds *b)
{
    double worst_step = 0.0, worst = 0.0;
    int count = from_environment("CAIRN_ROOMS", b->rooms), seed = from_environment("CAIRN_ROOMS_SEED", 0), bad = 0;
    for (int i = seed; i < seed + count; i++) {
        room t = make_room((uint64_t)i);
        t.joints = b->joints;
        t.gravity &= !b->weightless;
        t.count = t.count < b->most_bodies ? t.count : b->most_bodies;
        gains g = run_room(&t, b->solver, STEPS);
        worst_step = fmax(worst_step, g.step);
        worst = fmax(worst, g.all);
        if (g.step < b->step && g.all < b->all)
            continue;
        tell(&t, b->solver, g);
        bad++;
    }
    print_message("%s: at most %.2g %% gained in a step, %.2g %% in all\n", b->solver, 100.0 * worst_step, 100.0 * worst);
    assert_int_equal(bad, 0);
}

static void soft_step_gains_nothing(void **state)
{
    (void)state;
    nothing_gains_energy(&(bounds){ "soft_step", JOINTS_NONE, ROOMS, 60, 0.001, 0.005, false });
}
// One step and 4 sweeps leave overlaps, and lifting them apart takes work against gravity.
static void pgs_gains_little(void **state)
{
    (void)state;
    nothing_gains_energy(&(bounds){ "pgs", JOINTS_NONE, ROOMS, 60, 0.001, 0.005, true });
}
static void mass_split_gains_nothing(void **state)
{
    (void)state;
    nothing_gains_energy(&(bounds){ "mass_split", JOINTS_NONE, ROOMS, 60, 0.001, 0.005, true });
}
// The contacts of `penalty` are springs, which give back what they took.
static void no_solver_of_the_laboratory_gains(void **state)
{
    (void)state;
    for (int i = 0; cn_solver_name(i) != NULL; i++) {
        const char *solver = cn_solver_name(i);
        double most = strcmp(solver, "penalty") == 0 ? 0.01 : 0.001;
        if (strcmp(solver, "soft_step") != 0 && strcmp(solver, "pgs") != 0 && strcmp(solver, "mass_split") != 0)
            nothing_gains_energy(&(bounds){ solver, JOINTS_NONE, EXACT_ROOMS, FEW_BODIES, most, 0.01, false });
    }
}

// Rooms in which a cause of gains shows that the first of them do not have.
static void rooms_that_gained(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        int seed;
        bool gravity;
    } rooms[] = {
        // Two-shape bodies, and three-box bodies, hooked into each other: what squeezes them is no load that asks for stiffer contacts.
        { "soft_step", 501, true },
        { "soft_step", 2679, true },
        // What leans as it spins: the turn of its axis does no work.
        { "soft_step", 10144, true },
        { "soft_step", 10584, true },
        { "soft_step", 10496, false },
        { "mass_split", 10392, true },
        // Hulls that roll onto their next corner.
        { "soft_step", 20511, true },
        { "newton", 20080, true },
    };
    for (int i = 0; i < (int)(sizeof rooms / sizeof *rooms); i++) {
        room t = make_room((uint64_t)rooms[i].seed);
        t.gravity = rooms[i].gravity;
        gains g = run_room(&t, rooms[i].solver, STEPS);
        if (!(g.step < 0.001 && g.all < 0.005))
            tell(&t, rooms[i].solver, g);
        assert_below(g.step, 0.001);
        assert_below(g.all, 0.005);
    }
}
// How much of its energy above the floor a coin gains in a step, at most, while it bounces, rolls on its rim and settles.
static double coin_gain(uint64_t seed, float restitution)
{
    enum { COIN_STEPS = 300 };
    rng r = { seed };
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.5f, restitution);
    float radius = rng_range(&r, 0.1f, 0.5f), half = 0.5f * radius * rng_range(&r, 0.03f, 0.2f);
    cn_shape_def shape = solid_def(cn_cylinder(half, radius), 0.5f, restitution);
    float tilt = rng_range(&r, 0.0f, 1.5f), way = rng_range(&r, 0.0f, 6.28f);
    cn_quat rotation = cn_quat_exp(cn_v3(tilt * cosf(way), 0.0f, tilt * sinf(way)));
    cn_body_id coin = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.3 + (double)radius, 0.0), rotation, &shape);
    set_motion(world, coin, cn_v3(0.0f, 0.0f, 0.0f), rng_vec(&r, 6.0f));
    cn_energy e = cn_world_get_energy(world);
    double before = e.kinetic + e.potential, most = 0.0;
    for (int i = 0; i < COIN_STEPS; i++) {
        advance(world, 1);
        e = cn_world_get_energy(world);
        most = fmax(most, (e.kinetic + e.potential - before) / fmax(before, LEAST_ENERGY * e.mass));
        before = e.kinetic + e.potential;
    }
    cn_world_destroy(world);
    return most;
}

// What stops a coin on its way and lifts it out of the floor takes that from its motion. The rim sinks in between the points of a step,
// and leaving the floor again lifts it: that is what the bound leaves.
static void a_coin_is_not_lifted_for_nothing(void **state)
{
    (void)state;
    static const float restitutions[] = { 0.0f, 0.3f, 0.7f };
    double worst = 0.0;
    for (int i = 0; i < 180; i++)
        worst = fmax(worst, coin_gain((uint64_t)(1 + i / 3), restitutions[i % 3]));
    print_message("at most %.2g %% gained in a step\n", 100.0 * worst);
    assert_below(worst, 0.05);
}

// Their joints answer impacts one by one.
static void ragdolls_gain_little(void **state)
{
    (void)state;
    nothing_gains_energy(&(bounds){ "soft_step", JOINTS_DOLLS, JOINTED_ROOMS, FEW_DOLLS, 0.1, 0.1, false });
}

// Restitution 1 without friction or gravity: one body keeps its energy. Slower touches do not bounce.
static void what_bounces_keeps_its_energy(void **state)
{
    (void)state;
    double worst = 0.0;
    int count = from_environment("CAIRN_ROOMS", ROOMS), seed = from_environment("CAIRN_ROOMS_SEED", 0);
    for (int i = seed; i < seed + count; i++) {
        room t = make_room((uint64_t)i);
        t.count = 1;
        t.restitution = 1.0f;
        t.friction = 0.0f;
        t.gravity = false;
        t.continuous = true;
        t.speed = fmaxf(10.0f, fminf(t.speed, 100.0f));
        gains g = run_room(&t, "soft_step", STEPS);
        worst = fmax(worst, fabs(g.kept - 1.0));
        if (!(fabs(g.kept - 1.0) < 0.01))
            print_message("room %d: kind %d, floor %d, %g m/s, %g rad/s keeps %g\n", i, t.kind, t.floor, (double)t.speed, (double)t.spin, g.kept);
        assert_below(g.step, 1e-3);
    }
    print_message("off by at most %.2g %%\n", 100.0 * worst);
    assert_below(worst, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_step_gains_nothing),
        cmocka_unit_test(pgs_gains_little),
        cmocka_unit_test(mass_split_gains_nothing),
        cmocka_unit_test(no_solver_of_the_laboratory_gains),
        cmocka_unit_test(rooms_that_gained),
        cmocka_unit_test(a_coin_is_not_lifted_for_nothing),
        cmocka_unit_test(ragdolls_gain_little),
        cmocka_unit_test(what_bounces_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
