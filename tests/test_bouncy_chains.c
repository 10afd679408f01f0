// Chains and ragdolls on a bouncy floor: joints answer impacts, and nothing gets more energy than it came with.
#include "random_shapes.h"
#include "scene.h"

enum { LINKS = 6, STEPS = 300, SEEDS = 6, SOLVER_SEEDS = 2 };

typedef enum link_kind { CAPSULES, BOXES, NEEDLES, ANCHORS_OUTSIDE, RAGDOLL, LINK_KINDS } link_kind;
static const char *const kind_names[LINK_KINDS] = { "capsules", "boxes", "needles", "anchors outside", "ragdoll" };

// Of the energy at the beginning: the most that any step adds, and any run.
typedef struct gain {
    double step, run;
} gain;

// Links whose anchors are far outside of them whip round by a quarter of a radian in a substep: what is left there falls with
// the square of the substep.
static const gain most_gain[LINK_KINDS] = {
    { 0.001, 0.002 }, { 0.001, 0.002 }, { 0.001, 0.001 }, { 0.007, 0.01 }, { 0.003, 0.004 }
};

static void add_chain(cn_world *world, link_kind kind, float restitution, rng *r)
{
    const cn_geometry forms[] = { cn_capsule(0.3f, 0.1f), cn_box(0.1f, 0.3f, 0.1f), cn_box(0.01f, 0.3f, 0.01f),
                                  cn_box(0.1f, 0.1f, 0.1f) };
    cn_shape_def link = solid_def(forms[kind], 0.5f, restitution);
    cn_body_id last = { 0 };
    for (int i = 0; i < LINKS; i++) {
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 3.0 + 0.9 * i, 0.0), &link);
        cn_vec3 velocity = rng_vec(r, 1.0f), spin = rng_vec(r, 5.0f);
        set_motion(world, body, velocity, spin);
        cn_joint_def def = cn_ball_joint(world, last, body, cn_p3(0.0, 2.55 + 0.9 * i, 0.0));
        if (i > 0 && CN_IS_NULL(cn_joint_create(world, &def)))
            fail_msg("%s", cn_last_error());
        last = body;
    }
}

static double energy_of(const cn_world *world)
{
    cn_energy energy = cn_world_get_energy(world);
    return energy.kinetic + energy.potential;
}

static void add_doll(cn_world *world, float restitution, rng *r)
{
    cn_ragdoll_def doll = cn_ragdoll_def_default();
    cn_ragdoll ragdoll;
    doll.position = cn_p3(0.0, 3.0, 0.0);
    doll.velocity = cn_add(cn_v3(0.0f, -5.0f, 0.0f), rng_vec(r, 5.0f));
    doll.material.restitution = restitution;
    assert_true(cn_ragdoll_create(world, &doll, &ragdoll));
}

// By how much the energy rises in a step, and above the least so far.
static gain gain_of(cn_world *world)
{
    advance(world, 5); // velocities that contradict the joints are gone
    double first = energy_of(world), least = first, last = first;
    gain most = { 0.0, 0.0 };
    for (int step = 0; step < STEPS; step++) {
        advance(world, 1);
        double now = energy_of(world);
        least = fmin(least, now);
        most.step = fmax(most.step, (now - last) / first);
        most.run = fmax(most.run, (now - least) / first);
        last = now;
    }
    cn_world_destroy(world);
    return most;
}

static gain dropped(const char *solver, link_kind kind, float restitution, int seed)
{
    rng r = { (uint64_t)seed };
    cn_world_def def = restless();
    def.solver = solver;
    cn_world *world = open_world(&def);
    add_ground(world, 0.5f, restitution);
    if (kind == RAGDOLL)
        add_doll(world, restitution, &r);
    else
        add_chain(world, kind, restitution, &r);
    return gain_of(world);
}

static gain worst_of(const char *solver, link_kind kind, int seeds)
{
    const float restitutions[] = { 0.0f, 0.3f, 0.7f, 1.0f };
    gain worst = { 0.0, 0.0 };
    for (int i = 0; i < 4 * seeds; i++) {
        gain g = dropped(solver, kind, restitutions[i % 4], 1 + i / 4);
        worst = (gain){ fmax(worst.step, g.step), fmax(worst.run, g.run) };
    }
    print_message("%s, %s: gained at most %.2g %% in a step, %.2g %% in a run\n", solver, kind_names[kind], 100.0 * worst.step,
                  100.0 * worst.run);
    return worst;
}

static void nothing_jointed_gains_by_bouncing(void **state)
{
    (void)state;
    for (int kind = 0; kind < LINK_KINDS; kind++) {
        gain worst = worst_of("soft_step", (link_kind)kind, SEEDS);
        assert_below(worst.step, most_gain[kind].step);
        assert_below(worst.run, most_gain[kind].run);
    }
}

// Without substeps a joint opens by what a needle turns in a step, and closing it lifts what hangs on it: bounded, not kept.
static void other_solvers_follow_needles(void **state)
{
    (void)state;
    assert_below(worst_of("mass_split", NEEDLES, SOLVER_SEEDS).run, 0.002);
    assert_below(worst_of("newton", NEEDLES, SOLVER_SEEDS).run, 0.06);
    assert_below(worst_of("pgs", NEEDLES, SOLVER_SEEDS).run, 0.02);
}

// The speed at which a joint is closed is no motion: pgs kept it, and gained up to a tenth of all energy in a step.
static void closing_joints_gains_little(void **state)
{
    (void)state;
    for (int kind = 0; kind < LINK_KINDS; kind++)
        assert_below(worst_of("pgs", (link_kind)kind, SOLVER_SEEDS).step, 0.02);
}

// In free space nothing takes energy, and nothing gives any: needles that whirl on ball joints keep what they have.
static void free_chains_of_needles_do_not_gain(void **state)
{
    (void)state;
    for (int seed = 1; seed <= SEEDS; seed++) {
        rng r = { (uint64_t)seed };
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        add_chain(world, NEEDLES, 1.0f, &r);
        gain g = gain_of(world);
        assert_below(g.step, 0.001);
        assert_below(g.run, 0.003);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_jointed_gains_by_bouncing),
                                        cmocka_unit_test(other_solvers_follow_needles),
                                        cmocka_unit_test(closing_joints_gains_little),
                                        cmocka_unit_test(free_chains_of_needles_do_not_gain) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
