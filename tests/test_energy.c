// Energy of closed systems: random bodies in a room, at any speed, spin, restitution and friction, never have more than before.
#include "scene.h"

#include <string.h>

enum { SYSTEMS = 120, EXACT_SYSTEMS = 40, STEPS = 120, MOST_BODIES = 20, FEW_BODIES = 3 };

typedef struct trial {
    uint32_t seed;
    int count, kind;
    bool continuous, cone;
    float restitution, friction, speed, spin, room;
} trial;

static float between(trial *t, float from, float to)
{
    t->seed = t->seed * 1664525u + 1013904223u;
    return from + (to - from) * (float)(t->seed >> 8) / 16777216.0f;
}
static int one_of(trial *t, int count) { return (int)between(t, 0.0f, (float)count - 0.001f); }

static trial make_trial(int number)
{
    static const float restitutions[] = { 0.0f, 0.3f, 0.9f, 1.0f }, frictions[] = { 0.0f, 0.0f, 0.6f, 2.0f };
    trial t = { .seed = 7919u * (uint32_t)number + 1u };
    t.count = one_of(&t, 3) == 0 ? 1 : one_of(&t, 2) == 0 ? 3 : MOST_BODIES;
    t.kind = one_of(&t, 6);
    t.continuous = one_of(&t, 4) != 0;
    t.cone = one_of(&t, 3) == 0;
    t.restitution = restitutions[one_of(&t, 4)];
    t.friction = frictions[one_of(&t, 4)];
    t.speed = powf(10.0f, between(&t, 0.0f, t.continuous ? 3.0f : 1.7f));
    t.spin = one_of(&t, 2) == 0 ? 0.0f : powf(10.0f, between(&t, -1.0f, 3.0f));
    t.room = one_of(&t, 2) == 0 ? 5.0f : 12.0f;
    return t;
}

static void add_walls(cn_world *world, const trial *t)
{
    const float thick = 2.0f, wide = t->room + thick;
    for (int i = 0; i < 6; i++) {
        float half[3] = { wide, wide, wide };
        double at[3] = { 0.0, 0.0, 0.0 };
        half[i / 2] = thick;
        at[i / 2] = i % 2 == 0 ? -(double)wide : (double)wide;
        cn_shape_def wall = solid_def(cn_box(half[0], half[1], half[2]), t->friction, t->restitution);
        add_upright(world, CN_STATIC, cn_p3(at[0], at[1], at[2]), &wall);
    }
}

static cn_vec3 of_length(trial *t, float length)
{
    cn_vec3 v = { between(t, -1.0f, 1.0f), 0.0f, 0.0f };
    v.y = between(t, -1.0f, 1.0f);
    v.z = between(t, -1.0f, 1.0f);
    return cn_scale(length, cn_normalize(cn_add(v, cn_v3(1e-3f, 0.0f, 0.0f))));
}

static void add_one(cn_world *world, trial *t, int i)
{
    const cn_geometry forms[] = { cn_sphere(0.5f), cn_box(0.25f, 0.5f, 0.5f), cn_capsule(0.5f, 0.2f), cn_cylinder(0.4f, 0.3f),
                                  cn_box(0.05f, 0.3f, 0.6f), cn_capsule(0.5f, 0.125f) };
    cn_pos3 place = { 2.5 * (i % 3 - 1), 2.5 * (i / 3 % 3 - 1), 2.5 * (i / 9 - 1) };
    cn_shape_def shape = solid_def(forms[t->kind], t->friction, t->restitution);
    cn_body_id body = add_body(world, CN_DYNAMIC, place, cn_quat_exp(of_length(t, 2.0f)), &shape);
    if (t->kind == 5) { // a body of two shapes
        shape.geometry = cn_box(0.5f, 0.125f, 0.125f);
        shape.offset.position = cn_v3(0.5f, 0.0f, 0.0f);
        cn_shape_create(world, body, &shape);
    }
    cn_body_set_continuous(world, body, t->continuous);
    cn_vec3 velocity = of_length(t, t->speed);
    set_motion(world, body, velocity, of_length(t, t->spin));
}

// Returns the largest gain in a step, and over the least energy so far, as parts of the energy, or of a ten-thousandth of what there was
// in the beginning: what is nearly at rest is pushed out of overlaps.
static void run_trial(trial t, const char *solver, double *step, double *all, double *kept)
{
    cn_world_def def = weightless();
    def.solver = solver;
    def.friction_model = t.cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH;
    cn_world *world = open_world(&def);
    add_walls(world, &t);
    for (int i = 0; i < t.count; i++)
        add_one(world, &t, i);
    double start = cn_world_get_energy(world).kinetic, before = start, least = start;
    *step = *all = 0.0;
    for (int i = 0; i < STEPS; i++) {
        advance(world, 1);
        double now = cn_world_get_energy(world).kinetic, scale = fmax(before, 1e-4 * start);
        *step = fmax(*step, (now - before) / scale);
        *all = fmax(*all, (now - least) / scale);
        before = now;
        least = fmin(least, now);
    }
    *kept = before / start;
    cn_world_destroy(world);
}

static void nothing_gains_energy(const char *solver, int systems, int most_bodies, double most_step, double most)
{
    double worst_step = 0.0, worst = 0.0;
    for (int i = 0; i < systems; i++) {
        double step, all, kept;
        trial t = make_trial(i);
        t.count = t.count < most_bodies ? t.count : most_bodies;
        run_trial(t, solver, &step, &all, &kept);
        worst_step = fmax(worst_step, step);
        worst = fmax(worst, all);
        if (!(step < most_step) || !(all < most))
            fail_msg("%s, system %d, %d of kind %d, restitution %g, friction %g, %g m/s, %g rad/s: gains %g in a step, %g in all", solver, i,
                     t.count, t.kind, (double)t.restitution, (double)t.friction, (double)t.speed, (double)t.spin, step, all);
    }
    print_message("%s: at most %.2g %% gained in a step, %.2g %% in all\n", solver, 100.0 * worst_step, 100.0 * worst);
}

static void soft_step_gains_nothing(void **state)
{
    (void)state;
    nothing_gains_energy("soft_step", SYSTEMS, MOST_BODIES, 0.001, 0.005);
}
// It pushes overlaps apart by velocities that stay.
static void pgs_gains_little(void **state)
{
    (void)state;
    nothing_gains_energy("pgs", SYSTEMS, MOST_BODIES, 0.005, 0.005);
}
static void mass_split_gains_nothing(void **state)
{
    (void)state;
    nothing_gains_energy("mass_split", SYSTEMS, MOST_BODIES, 0.002, 0.005);
}
// The contacts of `penalty` are springs, which give back what they took.
static void no_solver_of_the_laboratory_gains(void **state)
{
    (void)state;
    for (int i = 0; cn_solver_name(i) != NULL; i++) {
        const char *solver = cn_solver_name(i);
        if (strcmp(solver, "soft_step") != 0 && strcmp(solver, "pgs") != 0 && strcmp(solver, "mass_split") != 0)
            nothing_gains_energy(solver, EXACT_SYSTEMS, FEW_BODIES, strcmp(solver, "penalty") == 0 ? 0.01 : 0.001, 0.01);
    }
}

// Restitution 1 without friction: one body keeps its energy.
static void what_bounces_keeps_its_energy(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < SYSTEMS; i++) {
        double step, all, kept;
        trial t = make_trial(i);
        t.count = 1;
        t.restitution = 1.0f;
        t.friction = 0.0f;
        t.continuous = true;
        t.speed = fmaxf(10.0f, fminf(t.speed, 100.0f)); // slower touches do not bounce
        run_trial(t, "soft_step", &step, &all, &kept);
        worst = fmax(worst, fabs(kept - 1.0));
        assert_below(step, 1e-3);
    }
    print_message("off by at most %.2g %%\n", 100.0 * worst);
    assert_below(worst, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_step_gains_nothing),
        cmocka_unit_test(pgs_gains_little),
        cmocka_unit_test(mass_split_gains_nothing),
        cmocka_unit_test(no_solver_of_the_laboratory_gains),
        cmocka_unit_test(what_bounces_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
