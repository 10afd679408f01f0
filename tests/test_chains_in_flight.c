// Chains in the air, hung at one end, and over a drum with a weight at each end: joints alone make no energy.
#include "random_shapes.h"
#include "scene.h"

typedef struct chain_case {
    const char *name;
    int links;
    float kick; // m/s, of each link in any direction
    bool hung;
} chain_case;

static cn_body_id add_link(cn_world *world, const cn_shape_def *link, cn_body_id last, double x, double y, double step)
{
    cn_body_id body =
        add_body(world, CN_DYNAMIC, cn_p3(x, y, 0.0), turn_about(cn_v3(0.0f, 0.0f, 1.0f), 1.5707963267948966), link);
    cn_joint_def def = cn_ball_joint(world, last, body, cn_p3(x - 0.5 * step, y, 0.0));
    if ((!CN_IS_NULL(last)) && CN_IS_NULL(cn_joint_create(world, &def)))
        fail_msg("%s", cn_last_error());
    return body;
}

static double energy_of(const cn_world *world)
{
    cn_energy energy = cn_world_get_energy(world);
    return energy.kinetic + energy.potential;
}

// By how much the energy rises above the least so far, as a part of what is at stake.
static double gain_over(cn_world *world, int steps, double at_stake)
{
    double least = energy_of(world), gain = 0.0;
    for (int step = 0; step < steps; step++) {
        advance(world, 1);
        least = fmin(least, energy_of(world));
        gain = fmax(gain, energy_of(world) - least);
    }
    return gain / at_stake;
}

static void chains_in_the_air_gain_nothing(void **state)
{
    (void)state;
    const chain_case cases[] = {
        { "released from level", 40, 0.0f, true }, { "thrown", 40, 3.0f, false },        { "thrown hard", 40, 10.0f, false },
        { "hung and hit", 40, 10.0f, true },       { "short and hit", 10, 10.0f, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const chain_case *c = &cases[i];
        double worst = 0.0;
        for (uint64_t seed = 5; seed < 8; seed++) {
            rng r = { seed };
            cn_world_def def = restless();
            cn_world *world = open_world(&def);
            cn_shape_def link = solid_def(cn_capsule(0.06f, 0.04f), 0.2f, 0.0f);
            link.filter.group = -1;
            cn_body_id last = { 0 };
            for (int k = 0; k < c->links; k++) {
                last = add_link(world, &link, last, 0.2 * k, 0.0, 0.2);
                cn_joint_def anchor = cn_ball_joint(world, (cn_body_id){ 0 }, last, cn_p3(-0.1, 0.0, 0.0));
                if (k == 0 && c->hung && CN_IS_NULL(cn_joint_create(world, &anchor)))
                    fail_msg("%s", cn_last_error());
                set_motion(world, last, rng_vec(&r, c->kick), cn_v3(0.0f, 0.0f, 0.0f));
            }
            double at_stake =
                fmax(cn_world_get_energy(world).kinetic, 0.5 * cn_world_get_energy(world).mass * 9.81 * 0.2 * c->links);
            advance(world, 2); // velocities that contradict the joints are gone
            worst = fmax(worst, gain_over(world, 300, at_stake));
            cn_world_destroy(world);
        }
        print_message("%s: gained at most %.2g %%\n", c->name, 100.0 * worst);
        assert_below(worst, 0.02);
    }
}

static void ropes_over_a_drum_gain_nothing(void **state)
{
    (void)state;
    for (int links = 20; links <= 50; links += 10) {
        cn_world_def def = restless();
        cn_world *world = open_world(&def);
        const double step = 0.2, height = 3.56, end = 0.5 * (links - 1) * step;
        cn_shape_def drum = solid_def(cn_cylinder(1.0f, 0.5f), 0.2f, 0.0f),
                     link = solid_def(cn_capsule(0.06f, 0.04f), 0.2f, 0.0f),
                     weight = solid_def(cn_box(0.15f, 0.15f, 0.15f), 0.5f, 0.0f);
        add_ground(world, 0.5f, 0.0f);
        add_body(world, CN_STATIC, cn_p3(0.0, 3.0, 0.0), turn_about(cn_v3(1.0f, 0.0f, 0.0f), 1.5707963267948966), &drum);
        cn_body_id last = add_upright(world, CN_DYNAMIC, cn_p3(-end - 0.5 * step - 0.15, height, 0.0), &weight);
        for (int i = 0; i < links; i++)
            last = add_link(world, &link, last, -end + step * i, height, step);
        cn_body_id other = add_upright(world, CN_DYNAMIC, cn_p3(end + 0.5 * step + 0.15, height, 0.0), &weight);
        cn_joint_def tie = cn_ball_joint(world, last, other, cn_p3(end + 0.5 * step, height, 0.0));
        if (CN_IS_NULL(cn_joint_create(world, &tie)))
            fail_msg("%s", cn_last_error());
        double gain = gain_over(world, 400, energy_of(world));
        print_message("%d links: gained at most %.2g %%\n", links, 100.0 * gain);
        assert_below(gain, 0.01);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(chains_in_the_air_gain_nothing),
                                        cmocka_unit_test(ropes_over_a_drum_gain_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
