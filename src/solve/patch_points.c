// The points of a patch one by one, as the contact model sees them.
#include "solve/patch_points.h"
#include "solve/wide.h"

#include <math.h>
#include <string.h>

// An overlap is never resolved completely: contacts that come and go are a source of jitter.
static float allowed_overlap(const cn_found_patch *found) { return CN_ALLOWED_OVERLAP / found->inverse_size; }

// A gap of less than this part of the size of the smaller shape counts as closed: which of the corners of a box at rest are a
// rounding above the ground is chance, and a solver that has to find out takes many iterations.
#define CLOSED_GAP 1e-4f

cn_point_arms cn_get_arms(const cn_patch *patch, int k)
{
    cn_vec3 a = { patch->points[0][k], patch->points[1][k], patch->points[2][k] };
    return (cn_point_arms){ a, cn_sub(a, cn_row3(patch->between)) };
}

// In double from the floats that the patch has: rows of points on one face then are as dependent as they are in truth, and
// velocities that a rigid motion of the bodies can undo are so in the numbers, too. Rounding to float here would make
// contradictions that a rigid solver resolves by leaving all of the load to some of the points.
static void force_row(cn_vec3 direction, const double arm[3], double sign, double row[6])
{
    const double d[3] = { (double)direction.x, (double)direction.y, (double)direction.z };
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        row[k] = sign * d[k];
        row[3 + k] = sign * (arm[i] * d[j] - arm[j] * d[i]);
    }
}

cn_point_rows cn_point_rows_of(const cn_patch *patch, int k)
{
    cn_friction_axes friction = cn_friction_axes_of(patch);
    const cn_vec3 axes[3] = { cn_row3(patch->normal), friction.a1, friction.a2 };
    double arm_a[3], arm_b[3];
    for (int i = 0; i < 3; i++) {
        arm_a[i] = (double)patch->points[i][k];
        arm_b[i] = arm_a[i] - (double)patch->between[i];
    }
    cn_point_rows rows;
    for (int i = 0; i < 3; i++) {
        force_row(axes[i], arm_a, -1.0, rows.side[0][i]);
        force_row(axes[i], arm_b, 1.0, rows.side[1][i]);
    }
    return rows;
}

cn_patch_frame cn_frame_of(const cn_patch *patch)
{
    float t1[3], t2[3];
    cn_tangent_basis(patch->normal, t1, t2);
    return (cn_patch_frame){ cn_row3(patch->normal), cn_row3(t1), cn_row3(t2) };
}

// A matrix without an answer along the grain would be singular.
static float usable_factor(const cn_patch *patch) { return patch->grain_friction > 0.01f ? patch->grain_friction : 0.01f; }

cn_friction_axes cn_friction_axes_of(const cn_patch *patch)
{
    cn_patch_frame f = cn_frame_of(patch);
    if (!(patch->extras & CN_EXTRA_GRAIN))
        return (cn_friction_axes){ f.t1, f.t2 };
    float c = patch->grain[0], s = patch->grain[1];
    return (cn_friction_axes){ cn_scale(usable_factor(patch), cn_madd(cn_scale(c, f.t1), s, f.t2)),
                               cn_madd(cn_scale(c, f.t2), -s, f.t1) };
}

void cn_to_friction_axes(const cn_patch *patch, double f[2])
{
    if (!(patch->extras & CN_EXTRA_GRAIN))
        return;
    double c = (double)patch->grain[0], s = (double)patch->grain[1], along = c * f[0] + s * f[1];
    f[1] = c * f[1] - s * f[0];
    f[0] = along / (double)usable_factor(patch);
}

void cn_from_friction_axes(const cn_patch *patch, double y[2])
{
    if (!(patch->extras & CN_EXTRA_GRAIN))
        return;
    double c = (double)patch->grain[0], s = (double)patch->grain[1], along = (double)usable_factor(patch) * y[0];
    y[0] = c * along - s * y[1];
    y[1] = s * along + c * y[1];
}

float cn_point_separation(const cn_patch *patch, int k, const cn_body_state *a, const cn_body_state *b)
{
    cn_point_arms arms = cn_get_arms(patch, k);
    cn_vec3 moved_a = cn_add(cn_row3(a->moved), cn_cross(cn_row3(a->turned), arms.a)),
            moved_b = cn_add(cn_row3(b->moved), cn_cross(cn_row3(b->turned), arms.b));
    return patch->separation[k] + cn_dot(cn_row3(patch->normal), cn_sub(moved_b, moved_a));
}

double cn_nudge_bias(const cn_solve_input *input, const cn_found_patch *found, float separation, double h)
{
    if (separation > 0.0f)
        return (double)separation / h;
    double excess = (double)(separation + allowed_overlap(found)), push = (double)input->settings.push_speed;
    double bias = excess < 0.0 ? (double)input->settings.projection * excess / h : 0.0;
    return bias > -push ? bias : -push;
}

// What the law of a point wants of its normal velocity: u + bias >= 0. Impacts have been resolved before.
static double point_bias(const cn_solve_input *input, const cn_found_patch *found, float separation, double h)
{
    if (separation * found->inverse_size > CLOSED_GAP)
        return (double)separation / h;
    return input->settings.nudge ? 0.0 : cn_nudge_bias(input, found, separation, h);
}

// ---- velocities

static cn_vec3 state_velocity(const cn_body_state *state, cn_vec3 arm)
{
    return cn_add(cn_row3(state->linear), cn_cross(cn_row3(state->angular), arm));
}

// Of b against a.
static cn_vec3 point_velocity(const cn_solve_input *input, const cn_found_patch *found, int k)
{
    cn_point_arms arms = cn_get_arms(found->patch, k);
    return cn_sub(state_velocity(&input->states[found->b], arms.b), state_velocity(&input->states[found->a], arms.a));
}

double cn_row_speed(const cn_point_rows *rows, int row, const float *a, const float *b)
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++)
        sum += rows->side[0][row][k] * (double)a[k + k / 3] + rows->side[1][row][k] * (double)b[k + k / 3];
    return sum;
}

void cn_note_approach(const cn_solve_input *input, const cn_found_patch *found)
{
    cn_patch *patch = found->patch;
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 u = point_velocity(input, found, k);
        patch->approach[k] = cn_dot(cn_row3(patch->normal), u);
    }
}

void cn_point_free_velocity(const cn_solve_input *input, const cn_found_patch *found, int k, double h, double q[3])
{
    const cn_patch *patch = found->patch;
    const cn_body_state *a = &input->states[found->a], *b = &input->states[found->b];
    cn_point_rows rows = cn_point_rows_of(patch, k);
    for (int row = 0; row < 3; row++)
        q[row] = cn_row_speed(&rows, row, a->linear, b->linear);
    if (patch->extras & CN_EXTRA_SURFACE) {
        cn_friction_axes axes = cn_friction_axes_of(patch);
        q[1] -= (double)cn_dot(axes.a1, cn_row3(patch->surface));
        q[2] -= (double)cn_dot(axes.a2, cn_row3(patch->surface));
    }
    q[0] += point_bias(input, found, cn_point_separation(patch, k, a, b), h);
}

// ---- the friction of a patch, shared by its points

void cn_share_friction(const cn_patch *patch, float h, float shares[4][2])
{
    cn_patch_frame f = cn_frame_of(patch);
    float normal = 0.0f, x[4], y[4], mean[2] = { 0.0f }, center[2] = { 0.0f };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = cn_get_arms(patch, k).a;
        x[k] = cn_dot(f.t1, arm);
        y[k] = cn_dot(f.t2, arm);
        normal += patch->force[k];
        mean[0] += x[k] / (float)patch->point_count;
        mean[1] += y[k] / (float)patch->point_count;
        center[0] += patch->force[k] * x[k];
        center[1] += patch->force[k] * y[k];
    }
    memset(shares, 0, sizeof(float[4][2]));
    if (!(normal > 0.0f))
        return;
    center[0] /= normal;
    center[1] /= normal;
    const float *force = patch->friction_force;
    // The torque of friction about the pressure centre, and what a unit rate of turning weighted by pressure gives.
    float torque = patch->twist_torque - ((center[0] - mean[0]) * force[1] - (center[1] - mean[1]) * force[0]), weight = 0.0f;
    float spread = 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        float dx = x[k] - center[0], dy = y[k] - center[1];
        weight += patch->force[k] * (dx * dx + dy * dy);
        spread += dx * dx + dy * dy;
    }
    // Where one point carries nearly everything, friction cannot hold a twist.
    float rate = weight > 1e-3f * normal * spread ? torque / weight : 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        shares[k][0] = h * patch->force[k] * (force[0] / normal - rate * (y[k] - center[1]));
        shares[k][1] = h * patch->force[k] * (force[1] / normal + rate * (x[k] - center[0]));
    }
}

void cn_collect_friction(cn_patch *patch)
{
    cn_patch_frame f = cn_frame_of(patch);
    float x[4], y[4], mean[2] = { 0.0f };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = cn_get_arms(patch, k).a;
        x[k] = cn_dot(f.t1, arm);
        y[k] = cn_dot(f.t2, arm);
        mean[0] += x[k] / (float)patch->point_count;
        mean[1] += y[k] / (float)patch->point_count;
    }
    patch->friction_force[0] = patch->friction_force[1] = patch->twist_torque = 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        float f1 = patch->point_friction[0][k], f2 = patch->point_friction[1][k];
        patch->friction_force[0] += f1;
        patch->friction_force[1] += f2;
        patch->twist_torque += (x[k] - mean[0]) * f2 - (y[k] - mean[1]) * f1;
    }
}
