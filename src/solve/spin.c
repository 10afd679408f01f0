// Free rotation of a body whose principal moments differ. The motion is split into turns about the three principal axes, each of which
// is exact (Touma and Wisdom 1994; McLachlan 1993): angular momentum is kept to rounding and the energy error stays bounded.
#include "math/vec.h"
#include "solve/run.h"

static cn_vec3 unit_axis(int axis) { return cn_v3(axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f); }

// Turns the frame about one of its axes with the angular velocity that the momentum along this axis alone gives it. `momentum` is in the
// frame, so it turns backwards.
static void turn(cn_spinner *spinner, cn_vec3 *momentum, int axis, float time)
{
    float angle = time * cn_component(*momentum, axis) * cn_component(spinner->inverse_inertia, axis);
    cn_quat q = cn_quat_axis_angle(unit_axis(axis), angle);
    spinner->rotation = cn_quat_mul(spinner->rotation, q);
    *momentum = cn_unrotate(q, *momentum);
}

static cn_vec3 advance(cn_spinner *spinner, cn_vec3 angular_velocity, float h)
{
    cn_vec3 momentum = cn_mul(spinner->inertia, cn_unrotate(spinner->rotation, angular_velocity));
    static const struct { int axis; float part; } turns[] = { { 0, 0.5f }, { 1, 0.5f }, { 2, 1.0f }, { 1, 0.5f }, { 0, 0.5f } };
    for (int i = 0; i < 5; i++)
        turn(spinner, &momentum, turns[i].axis, turns[i].part * h);
    spinner->rotation = cn_quat_normalize(spinner->rotation);
    return cn_rotate(spinner->rotation, cn_mul(spinner->inverse_inertia, momentum));
}

static void turn_spinners(const cn_sweep *sweep, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_body_drive *drive = &sweep->drives[bodies[i]];
        if (drive->spinner < 0)
            continue;
        float *angular = sweep->states[bodies[i]].angular;
        cn_vec3 before = { angular[0], angular[1], angular[2] };
        cn_vec3 after = advance(&sweep->spinners[drive->spinner], before, sweep->h);
        // The change is part of the free motion: contacts must not take it for theirs when they are warm started.
        const cn_vec3 change = cn_sub(after, before);
        angular[0] = after.x, angular[1] = after.y, angular[2] = after.z;
        drive->before[4] += change.x, drive->before[5] += change.y, drive->before[6] += change.z;
    }
}

void cn_turn_spinners(cn_unit_run *run)
{
    if (run->input->spinners != NULL)
        cn_run_bodies(run, turn_spinners);
}
