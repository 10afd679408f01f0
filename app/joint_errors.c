#include "joint_errors.h"

#include "cairn/world.h"

#include <math.h>
#include <stdlib.h>

static double passed(const cn_joint_axis *axis, double place)
{
    if (axis->freedom != CN_LIMITED)
        return 0.0;
    return fmax(0.0, fmax((double)axis->lower - place, place - (double)axis->upper));
}

static double half_angle(const cn_joint_axis *axis) { return fmax(fabs((double)axis->lower), fabs((double)axis->upper)); }

// Along the way back to the axis of the cone, which is a share of the swing.
static double cone_passed(const cn_joint_axis *axis_y, const cn_joint_axis *axis_z, double y, double z)
{
    double share = hypot(y / half_angle(axis_y), z / half_angle(axis_z));
    return share > 1.0 ? hypot(y, z) * (1.0 - 1.0 / share) : 0.0;
}

static double limit_passed(const cn_world *world, cn_joint_id joint, const cn_joint_def *def)
{
    const cn_joint_axis *axes = def->axes;
    if (def->kind != CN_JOINT_FRAMES)
        return 0.0;
    double twist = passed(&axes[CN_TWIST], (double)cn_joint_get_place(world, joint, CN_TWIST));
    double y = (double)cn_joint_get_place(world, joint, CN_SWING_Y), z = (double)cn_joint_get_place(world, joint, CN_SWING_Z);
    bool cone = def->cone && axes[CN_SWING_Y].freedom == CN_LIMITED && axes[CN_SWING_Z].freedom == CN_LIMITED;
    double swing = cone ? cone_passed(&axes[CN_SWING_Y], &axes[CN_SWING_Z], y, z)
                        : fmax(passed(&axes[CN_SWING_Y], y), passed(&axes[CN_SWING_Z], z));
    return fmax(twist, swing);
}

static bool has_limits(const cn_joint_def *def)
{
    return def->axes[CN_TWIST].freedom == CN_LIMITED || def->axes[CN_SWING_Y].freedom == CN_LIMITED ||
           def->axes[CN_SWING_Z].freedom == CN_LIMITED;
}

void cn_joint_errors_add(cn_joint_errors *errors, const cn_world *world)
{
    int count = cn_world_get_joint_count(world);
    cn_joint_id *joints = calloc((size_t)count + 1, sizeof *joints);
    double sum = 0.0;
    if (!joints)
        return;
    cn_energy energy = cn_world_get_energy(world);
    errors->last_energy = energy.kinetic + energy.potential;
    if (errors->count++ == 0)
        errors->first_energy = errors->last_energy;
    cn_world_get_joints(world, joints, count);
    for (int i = 0; i < count; ++i) {
        cn_joint_error error = cn_joint_get_error(world, joints[i]);
        cn_joint_def def = cn_joint_get_def(world, joints[i]);
        errors->gap = fmax(errors->gap, (double)error.linear);
        errors->angle = fmax(errors->angle, (double)error.angular);
        if (has_limits(&def))
            errors->limit = fmax(errors->limit, limit_passed(world, joints[i], &def));
        sum += (double)error.linear;
    }
    errors->gap_sum = fmax(errors->gap_sum, sum);
    free(joints);
}
