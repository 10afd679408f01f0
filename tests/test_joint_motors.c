// Motors to a place hold at their defaults: on the torques of statics, and still.
#include "joint_rigs.h"

#include <cairn/ragdoll.h>

enum { MOST_LINKS = 8 };

typedef struct row {
    cn_world *world;
    cn_joint_id joints[MOST_LINKS];
    int links;
} row;

static const double length = 0.3, mass = 1.92;

static row open_row(int links, cn_joint_solve how, const char *solver, float friction)
{
    cn_world_def def = cn_world_def_default();
    def.sleeping = false;
    def.joint_solve = how;
    def.solver = solver != NULL ? solver : def.solver;
    row r = { cn_world_create(&def), { { 0 } }, links };
    cn_body_id last = { 0 };
    for (int i = 0; i < links; i++) {
        cn_body_def body = cn_body_def_default();
        body.position.x = length * (i + 0.5);
        cn_body_id link = cn_body_create(r.world, &body);
        cn_shape_def shape = cn_shape_def_default();
        shape.geometry = cn_box(0.15f, 0.04f, 0.04f);
        shape.filter.group = -1;
        cn_shape_create(r.world, link, &shape);
        cn_joint_def joint = cn_hinge_joint(r.world, last, link, (cn_pos3){ length * i, 0.0, 0.0 }, (cn_vec3){ 0.0f, 0.0f, 1.0f });
        if (friction > 0.0f)
            joint.axes[CN_TWIST].friction = friction;
        else
            joint.axes[CN_TWIST].motor = CN_MOTOR_PLACE;
        r.joints[i] = cn_joint_create(r.world, &joint);
        last = link;
    }
    return r;
}

// On every joint the weight of what is beyond it.
static void assert_held(const row *r, float dt, double most_error, double most_energy)
{
    int steps = (int)(4.0f / dt);
    for (int i = 0; i < steps; i++) {
        assert_true(cn_world_step(r->world, dt).ok);
        if (i < steps * 3 / 4)
            continue;
        assert_true(cn_world_get_energy(r->world).kinetic <= most_energy * mass * r->links);
        for (int k = 0; k < r->links; k++) {
            double beyond = r->links - k;
            assert_relative(cn_joint_get_reaction(r->world, r->joints[k]).axis_force[CN_TWIST],
                            mass * 10.0 * length * 0.5 * beyond * beyond, most_error);
        }
    }
    cn_world_destroy(r->world);
}

static void motors_hold_at_their_defaults(void **unused)
{
    (void)unused;
    for (int links = 1; links <= MOST_LINKS; links++) {
        row a = open_row(links, CN_JOINTS_AUTO, NULL, 0.0f), b = open_row(links, CN_JOINTS_DIRECT, NULL, 0.0f);
        assert_held(&a, 1.0f / 60.0f, 0.01, 1e-8);
        assert_held(&b, 1.0f / 240.0f, 0.01, 1e-8);
        row c = open_row(links, CN_JOINTS_AUTO, "pgs", 0.0f), d = open_row(links, CN_JOINTS_AUTO, "mass_split", 0.0f);
        assert_held(&c, 1.0f / 60.0f, 0.01, 1e-8);
        assert_held(&d, 1.0f / 60.0f, 0.01, 1e-8);
    }
}

static void swept_motors_hold(void **unused)
{
    (void)unused;
    for (int links = 1; links <= 4; links++) {
        row r = open_row(links, CN_JOINTS_SWEEP, NULL, 0.0f);
        assert_held(&r, 1.0f / 60.0f, 0.01, 1e-8);
    }
}

static void friction_holds(void **unused)
{
    (void)unused;
    row r = open_row(MOST_LINKS, CN_JOINTS_AUTO, NULL, 1000.0f);
    assert_held(&r, 1.0f / 60.0f, 0.01, 1e-8);
}

// With the torque T on the inertia I, from rest to a place: half of the way it may speed up, then it must brake.
static void a_bounded_motor_arrives_and_stays(void **unused)
{
    (void)unused;
    cn_world_def def = cn_world_def_default();
    def.gravity = (cn_vec3){ 0.0f, 0.0f, 0.0f };
    cn_world *world = cn_world_create(&def);
    cn_body_def body = cn_body_def_default();
    cn_body_id bar = cn_body_create(world, &body);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(0.5f, 0.1f, 0.1f);
    cn_shape_create(world, bar, &shape);
    cn_joint_def joint = cn_hinge_joint(world, the_world, bar, (cn_pos3){ 0.0, 0.0, 0.0 }, (cn_vec3){ 0.0f, 0.0f, 1.0f });
    joint.axes[CN_TWIST].motor = CN_MOTOR_PLACE;
    joint.axes[CN_TWIST].motor_target = 2.0f;
    joint.axes[CN_TWIST].motor_max_force = 10.0f;
    cn_joint_id id = cn_joint_create(world, &joint);
    double inertia = 40.0 / 12.0 * (1.0 + 0.04), best = 2.0 * sqrt(2.0 * inertia / 10.0), most = 0.0, arrived = 0.0;
    for (int i = 1; i <= 600; i++) {
        cn_world_step(world, 1.0f / 60.0f);
        double place = (double)cn_joint_get_place(world, id, CN_TWIST);
        most = fmax(most, place);
        arrived = fabs(place - 2.0) > 0.01 ? i / 60.0 : arrived;
    }
    assert_true(most < 2.02 && arrived > 0.9 * best && arrived < 2.0 * best);
    assert_near(cn_joint_get_place(world, id, CN_TWIST), 2.0, 1e-4);
    cn_world_destroy(world);
}

static void a_ragdoll_holds_its_pose(void **unused)
{
    (void)unused;
    cn_world_def def = cn_world_def_default();
    def.sleeping = false;
    cn_world *world = cn_world_create(&def);
    cn_ragdoll_def doll = cn_ragdoll_def_default();
    cn_ragdoll ragdoll;
    assert_true(cn_ragdoll_create(world, &doll, &ragdoll));
    cn_ragdoll_pose pose = cn_ragdoll_pose_rest();
    pose.rotations[CN_BONE_LEFT_UPPER_ARM] = (cn_quat){ 0.0f, 0.0f, 0.5f, 0.8660254f };
    pose.rotations[CN_BONE_LEFT_FOREARM] = (cn_quat){ -0.5f, 0.0f, 0.0f, 0.8660254f };
    assert_true(cn_ragdoll_set_kinematic(world, &ragdoll, 1u << CN_BONE_PELVIS));
    assert_true(cn_ragdoll_set_pose(world, &ragdoll, &pose, 1.0f, 0.0f));
    for (int i = 0; i < 300; i++) {
        assert_true(cn_world_step(world, 1.0f / 60.0f).ok);
        if (i >= 240)
            assert_true(cn_world_get_energy(world).kinetic < 1e-8 * (double)doll.mass);
    }
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motors_hold_at_their_defaults), cmocka_unit_test(swept_motors_hold),
        cmocka_unit_test(friction_holds),                cmocka_unit_test(a_bounded_motor_arrives_and_stays),
        cmocka_unit_test(a_ragdoll_holds_its_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
