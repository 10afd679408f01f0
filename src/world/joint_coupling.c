// Gears, racks and pulleys: one coordinate, and how it answers to the velocities of both bodies.
#include "world/joint_view.h"

typedef double quat4[4]; // x y z w

static void multiply(const quat4 a, const quat4 b, quat4 out)
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void to_quat4(cn_quat q, quat4 out)
{
    out[0] = (double)q.x, out[1] = (double)q.y, out[2] = (double)q.z, out[3] = (double)q.w;
}

static cn_vec3 x_axis(cn_quat rotation) { return cn_rotate(rotation, cn_v3(1.0f, 0.0f, 0.0f)); }

// How far a frame has turned about its x axis. The reference follows where that axis points without turning about it, so that
// the axis may take any direction, and an axis that stays gives an angle that never drifts.
static double follow(const cn_world *world, cn_joint *joint, int i, cn_quat rotation)
{
    double *reference = joint->references[i];
    quat4 now, back = { -reference[0], -reference[1], -reference[2], reference[3] }, between;
    to_quat4(rotation, now);
    multiply(back, now, between);
    double x = between[3] < 0.0 ? -between[0] : between[0], w = fabs(between[3]), length = sqrt(x * x + w * w);
    if (!(length > 0.0))
        return joint->turns[i]; // the axis was turned round in one step
    int body = i == 0 ? joint->body_a : joint->body_b;
    float rate = body == CN_NONE ? 0.0f : cn_dot(x_axis(rotation), world->bodies.data[body].angular_velocity);
    cn_follow_turn(world, joint, i, 2.0 * cn_atan2(x, w), rate);

    quat4 unturn = { -x / length, 0.0, 0.0, w / length }, moved;
    multiply(now, unturn, moved);
    double size = sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2] + moved[3] * moved[3]);
    for (int k = 0; k < 4; k++)
        reference[k] = moved[k] / size;
    return joint->turns[i];
}

void cn_coupling_start(const cn_world *world, cn_joint *joint)
{
    for (int i = 0; i < 2; i++) {
        cn_joint_side side = cn_joint_get_side(world, joint, i);
        to_quat4(side.rotation, joint->references[i]);
        if (i == 1) {
            joint->start = cn_side_origin(&side);
            joint->direction = x_axis(side.rotation);
        }
    }
}

// The coordinate answers to a force along `linear` at the frame's origin, and to a torque.
static void answer(float jacobian[2][4], const cn_joint_side *side, cn_vec3 linear, cn_vec3 angular)
{
    cn_put3(jacobian[0], side->moves ? linear : cn_v3(0.0f, 0.0f, 0.0f));
    cn_put3(jacobian[1], side->moves ? cn_add(cn_cross(side->arm, linear), angular) : cn_v3(0.0f, 0.0f, 0.0f));
}

static double measure_pulley(cn_joint *joint, const cn_joint_side sides[2])
{
    double total = 0.0;
    for (int i = 0; i < 2; i++) {
        cn_pos3 origin = cn_side_origin(&sides[i]), ground = i == 0 ? joint->def.ground_a : joint->def.ground_b;
        double part = i == 0 ? 1.0 : (double)joint->def.ratio, length;
        cn_vec3 along =
            cn_direction(origin.x - ground.x, origin.y - ground.y, origin.z - ground.z, x_axis(sides[i].rotation), &length);
        answer(joint->view.jacobian[i], &sides[i], cn_scale((float)part, along), cn_v3(0.0f, 0.0f, 0.0f));
        total += part * length;
    }
    return total;
}

static double measure_gear(const cn_world *world, cn_joint *joint, const cn_joint_side sides[2])
{
    double total = 0.0;
    for (int i = 0; i < 2; i++) {
        double part = i == 0 ? 1.0 : (double)joint->def.ratio;
        answer(joint->view.jacobian[i], &sides[i], cn_v3(0.0f, 0.0f, 0.0f), cn_scale((float)part, x_axis(sides[i].rotation)));
        total += part * follow(world, joint, i, sides[i].rotation);
    }
    return total;
}

static double measure_rack(const cn_world *world, cn_joint *joint, const cn_joint_side sides[2])
{
    cn_vec3 along = joint->direction;
    answer(joint->view.jacobian[0], &sides[0], cn_v3(0.0f, 0.0f, 0.0f), cn_scale(-joint->def.ratio, x_axis(sides[0].rotation)));
    answer(joint->view.jacobian[1], &sides[1], along, cn_v3(0.0f, 0.0f, 0.0f));
    cn_pos3 origin = cn_side_origin(&sides[1]), start = joint->start;
    double way = (origin.x - start.x) * (double)along.x + (origin.y - start.y) * (double)along.y +
                 (origin.z - start.z) * (double)along.z;
    return way - (double)joint->def.ratio * follow(world, joint, 0, sides[0].rotation);
}

void cn_coupling_measure(const cn_world *world, cn_joint *joint)
{
    const cn_joint_side sides[2] = { cn_joint_get_side(world, joint, 0), cn_joint_get_side(world, joint, 1) };
    cn_solver_joint *view = &joint->view;
    double place = joint->def.kind == CN_JOINT_PULLEY ? measure_pulley(joint, sides)
                   : joint->def.kind == CN_JOINT_GEAR ? measure_gear(world, joint, sides)
                                                      : measure_rack(world, joint, sides);
    joint->turns_step = world->step_count;
    if (view->locked != 0)
        place -= (double)cn_lock_place(&joint->def, CN_X);
    view->place[0][0] = (float)place;
    cn_put3(view->arm_a, sides[0].moves ? sides[0].arm : cn_v3(0.0f, 0.0f, 0.0f));
    cn_put3(view->arm_b, sides[1].moves ? sides[1].arm : cn_v3(0.0f, 0.0f, 0.0f));
}
