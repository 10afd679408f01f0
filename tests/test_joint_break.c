// Joints break in the step in which they carry more than they can, and at no smaller load.
#include "joint_rigs.h"
#include "random_shapes.h"

typedef enum kind { BALL, HINGE, SLIDER, FIXED, DISTANCE, ROPE, STOP, KINDS } kind;

typedef struct rig {
    cn_body_id body;
    cn_joint_id joint;
    cn_vec3 force; // that it bears, and no more
} rig;

static cn_joint_def joint_of(const cn_world *world, kind k, cn_body_id body, cn_pos3 anchor, cn_vec3 axis)
{
    cn_pos3 center = cn_body_get_center(world, body);
    switch (k) {
    case BALL: return cn_ball_joint(world, the_world, body, anchor);
    case SLIDER: return cn_slider_joint(world, the_world, body, anchor, axis);
    case FIXED: return cn_fixed_joint(world, the_world, body, anchor);
    case DISTANCE: return cn_distance_joint(world, the_world, body, anchor, center);
    case ROPE: return cn_rope_joint(world, the_world, body, anchor, center, cn_length(cn_pos_sub(center, anchor)));
    default: {
        cn_joint_def def = cn_hinge_joint(world, the_world, body, anchor, axis);
        if (k == STOP)
            def.axes[CN_TWIST] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -1.0f, .upper = 0.0f };
        return def;
    }
    }
}

// A force through the centre of mass that the joint holds: along the arm, and across it where it holds that, too.
static cn_vec3 held_force(kind k, cn_vec3 arm, cn_vec3 axis, cn_vec3 any)
{
    switch (k) {
    case FIXED: return any;
    case SLIDER: return cn_cross(axis, any);
    case HINGE: return cn_add(arm, cn_scale(any.x, axis));
    case STOP: return cn_cross(axis, arm);
    default: return arm;
    }
}

static rig add_rig(cn_world *world, rng *random, int index)
{
    rig r;
    kind k = (kind)(index % KINDS);
    cn_pos3 anchor = cn_p3(10.0 * (index % 32), 10.0 * (index / 32), 0.0);
    float length = rng_range(random, 0.2f, 1.8f), mass = rng_range(random, 0.1f, 50.0f), load = rng_range(random, 1.0f, 100.0f);
    cn_vec3 arm = cn_scale(length, rng_unit(random)), other = rng_unit(random), any = rng_unit(random);
    cn_vec3 axis = cn_normalize(cn_cross(arm, other));
    r.body = add_part(world, cn_pos_add(anchor, arm), cn_v3(0.3f, 0.2f, 0.4f), (double)mass);
    cn_joint_def def = joint_of(world, k, r.body, anchor, axis);
    r.force = cn_scale(load * mass, cn_normalize(held_force(k, arm, axis, any)));
    cn_vec3 torque = k == DISTANCE || k == ROPE ? cn_v3(0.0f, 0.0f, 0.0f) : cn_cross(arm, r.force);
    if (index / KINDS % 2 == 0 || cn_length(torque) < 0.1f * cn_length(r.force))
        def.break_force = cn_length(r.force);
    else
        def.break_torque = cn_length(torque);
    r.joint = add_joint(world, def);
    return r;
}

static void a_thousand_joints_break_when_they_must(void **state)
{
    (void)state;
    enum { RIGS = 1000 };
    static rig rigs[RIGS];
    rng random = { 11 };
    cn_world *world = open_mode(CN_JOINTS_AUTO, false);
    for (int i = 0; i < RIGS; i++)
        rigs[i] = add_rig(world, &random, i);
    for (int step = 0; step <= 30; step++) {
        for (int i = 0; i < RIGS; i++)
            cn_body_apply_force(world, rigs[i].body, cn_scale(step < 30 ? 0.99f : 1.01f, rigs[i].force));
        advance(world, 1);
        int count;
        const cn_joint_event *events = cn_world_get_joint_events(world, &count);
        if (step < 30 && count > 0)
            fail_msg("%d joints broke in step %d, the first at %g N and %g N m", count, step, (double)events[0].force,
                     (double)events[0].torque);
        assert_int_equal(count, step < 30 ? 0 : RIGS);
    }
    assert_int_equal(cn_world_get_joint_count(world), 0);
    cn_world_destroy(world);
}

// ---- what happens then

static void the_event_tells_what_it_was(void **state)
{
    (void)state;
    int mark = 3;
    cn_world *world = open_mode(CN_JOINTS_AUTO, true);
    cn_body_id hook = add_part_of(world, CN_STATIC, cn_p3(0.0, 1.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 1.0);
    cn_body_id body = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 5.0);
    cn_joint_def def = cn_ball_joint(world, hook, body, cn_p3(0.0, 0.8, 0.0));
    def.break_force = 60.0f;
    def.user_data = &mark;
    cn_joint_id joint = add_joint(world, def);
    advance(world, 60);
    assert_true(cn_joint_is_valid(world, joint));
    assert_near(force_of(world, joint), 50.0, 0.05);
    // A weaker joint is another joint: it breaks in the next step.
    assert_true(cn_joint_set_break(world, joint, 49.0f, INFINITY));
    advance(world, 1);
    int count;
    const cn_joint_event *events = cn_world_get_joint_events(world, &count);
    assert_int_equal(count, 1);
    assert_true(CN_ID_EQUALS(events[0].joint, joint) && CN_ID_EQUALS(events[0].body_a, hook) &&
                CN_ID_EQUALS(events[0].body_b, body));
    assert_ptr_equal(events[0].user_data, &mark);
    assert_near(events[0].force, 50.0, 0.05);
    assert_false(cn_joint_is_valid(world, joint));
    double height = cn_body_get_center(world, body).y;
    assert_near(height, 0.0, 1e-3); // it held in that step
    advance(world, 60);
    cn_world_get_joint_events(world, &count);
    assert_int_equal(count, 0);
    assert_near(cn_body_get_center(world, body).y, height - 5.0, 0.1);
    cn_world_destroy(world);
}

// Of a row of welded boxes with a growing load at its end, the joint at the wall goes: it carries the largest torque.
static void a_beam_breaks_at_the_wall(void **state)
{
    (void)state;
    enum { BOXES = 6 };
    const double strength = 1000.0; // N m
    for (int m = 0; m < MODES; m++) {
        if (modes[m] == CN_JOINTS_SWEEP)
            continue; // leaves a beam soft
        cn_world *world = open_mode(modes[m], true);
        cn_joint_id joints[BOXES];
        cn_body_id last = the_world;
        for (int i = 0; i < BOXES; i++) {
            cn_body_id box = add_part(world, cn_p3(i + 0.5, 0.0, 0.0), cn_v3(0.5f, 0.2f, 0.2f), 1.0);
            cn_joint_def def = cn_fixed_joint(world, last, box, cn_p3(i, 0.0, 0.0));
            def.break_torque = (float)strength;
            joints[i] = add_joint(world, def);
            last = box;
        }
        double load = 0.0;
        int count = 0;
        for (int step = 0; step < 600 && count == 0; step++) {
            load = 0.5 * step;
            cn_body_apply_force(world, last, cn_v3(0.0f, (float)-load, 0.0f));
            advance(world, 1);
            cn_world_get_joint_events(world, &count);
        }
        assert_int_equal(count, 1);
        assert_false(cn_joint_is_valid(world, joints[0]));
        double torque = gravity * BOXES * 0.5 * BOXES + load * (BOXES - 0.5);
        assert_relative(torque, strength, 0.01);
        cn_world_destroy(world);
    }
}

// Infinity is the default, and a joint that does not break carries anything.
static void without_a_bound_nothing_breaks(void **state)
{
    (void)state;
    cn_world *world = open_mode(CN_JOINTS_AUTO, true);
    cn_body_id body = add_part(world, cn_p3(0.0, -1.0, 0.0), cn_v3(0.5f, 0.5f, 0.5f), 1e6);
    cn_joint_id joint = add_joint(world, cn_ball_joint(world, the_world, body, cn_p3(0.0, 0.0, 0.0)));
    assert_true(isinf(cn_joint_get_def(world, joint).break_force) && isinf(cn_joint_get_def(world, joint).break_torque));
    set_motion(world, body, cn_v3(0.0f, -300.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    advance(world, 60);
    assert_true(cn_joint_is_valid(world, joint));
    assert_relative(force_of(world, joint), 1e7, 0.01);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_joints_break_when_they_must),
        cmocka_unit_test(the_event_tells_what_it_was),
        cmocka_unit_test(a_beam_breaks_at_the_wall),
        cmocka_unit_test(without_a_bound_nothing_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
