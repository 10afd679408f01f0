// The impulses that contacts report are all there are: those of impacts too, along the normal and across it.
#include "energy_rooms.h"
#include "world/world.h"

enum { ROOMS = 60, STEPS = 60, MOST_CONTACTS = 64 };

// What the contacts of a body gave it in the last step, N s.
static cn_vec3 reported(const cn_world *world, cn_body_id body)
{
    cn_contact_data contacts[MOST_CONTACTS];
    for (int i = 0; i < world->contacts.count; i++) // what is hit within a step need not have touched when it began
        world->contacts.data[i].touching |= world->contacts.data[i].touch_count > 0;
    int count = cn_body_get_contacts(world, body, contacts, MOST_CONTACTS);
    assert_true(count <= MOST_CONTACTS);
    cn_vec3 sum = { 0.0f, 0.0f, 0.0f };
    for (int i = 0; i < count; i++) {
        float sign = CN_ID_EQUALS(cn_shape_get_body(world, contacts[i].shape_b), body) ? 1.0f : -1.0f;
        for (int k = 0; k < contacts[i].point_count; k++) {
            const cn_contact_point *p = &contacts[i].points[k];
            sum = cn_madd(sum, sign, cn_madd(p->friction_impulse, p->normal_impulse, contacts[i].normal));
        }
    }
    return sum;
}

static cn_vec3 momentum(const cn_world *world)
{
    cn_energy e = cn_world_get_energy(world);
    return cn_v3((float)e.linear_momentum[0], (float)e.linear_momentum[1], (float)e.linear_momentum[2]);
}

// One body between walls, which do not turn: what it gains in momentum is what gravity and the walls gave it. A body that is stopped on its
// way has not used its whole step.
static double run_alone(uint64_t seed, const char *solver)
{
    room t = make_room(seed);
    t.count = 1;
    t.continuous = false;
    t.speed = cn_minf(t.speed, 30.0f);
    cn_world_def def = t.gravity ? restless() : weightless();
    def.solver = solver;
    def.friction_model = t.cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH;
    cn_world *world = open_world(&def);
    add_walls(world, &t);
    rng r = { seed };
    cn_body_id body = add_thing(world, &r, &t, 21);
    float mass = (float)cn_world_get_energy(world).mass, fastest = 0.0f;
    double worst = 0.0;
    for (int i = 0; i < STEPS; i++) {
        cn_vec3 before = momentum(world);
        advance(world, 1);
        cn_vec3 gained = cn_madd(cn_sub(momentum(world), before), -mass * tick, def.gravity);
        fastest = cn_maxf(fastest, cn_length(before));
        worst = fmax(worst, (double)(cn_distance(gained, reported(world, body)) / cn_maxf(fastest, mass)));
    }
    cn_world_destroy(world);
    return worst;
}

static void a_body_gains_what_its_contacts_report(void **state)
{
    (void)state;
    static const char *const solvers[] = { "soft_step", "pgs", "mass_split", "newton" };
    for (int s = 0; s < 4; s++) {
        double worst = 0.0;
        for (uint64_t seed = 1; seed <= (s == 3 ? ROOMS / 3 : ROOMS); seed++)
            worst = fmax(worst, run_alone(seed, solvers[s]));
        print_message("%s: off by %.2g of the momentum\n", solvers[s], worst);
        assert_below(worst, 1e-4);
    }
}

// Two equal balls that meet off centre, e = 1, no friction: they exchange the velocities along the line of their centres then, which is not
// the one when the step began.
static void balls_report_a_glancing_blow(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.0f, 1.0f);
    cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &ball);
    cn_body_id b = add_upright(world, CN_DYNAMIC, cn_p3(1.0, 0.6, 0.0), &ball);
    set_motion(world, b, cn_v3(-15.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    float mass = 0.5f * (float)cn_world_get_energy(world).mass;
    advance(world, 1);
    cn_vec3 push = cn_scale(1.0f / mass, reported(world, b));
    assert_near(push.x, 0.64 * 15.0, 1e-3);
    assert_near(push.y, 0.48 * 15.0, 1e-3);
    assert_near(cn_distance(reported(world, a), cn_scale(-mass, push)), 0.0, 1e-3 * (double)mass);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_gains_what_its_contacts_report),
        cmocka_unit_test(balls_report_a_glancing_blow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
