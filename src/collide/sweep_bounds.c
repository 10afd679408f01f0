// Where a shape can be while it moves and turns, without looking at the way in detail.
//
// A point that moves along q(t) is never farther from the chord between q(0) and q(1) than an eighth of the largest |q''|. So
// what holds for a shape at both ends of its way holds, up to that bulge, all along it.
#include "collide/cast.h"

// Beyond this turn, in rad, a ball around the centre of mass is the smaller bound.
#define LARGEST_TURN 1.0f

static cn_vec3 center_of_mass(const cn_sweep *sweep) { return cn_pose_unpoint(sweep->shape, cn_v3(0.0f, 0.0f, 0.0f)); }

float cn_sweep_motion(const cn_convex *shape, const cn_sweep *sweep, float size)
{
    cn_vec3 arm = cn_rotate(sweep->pose.rotation, cn_pose_point(sweep->shape, cn_convex_center(shape)));
    cn_vec3 carried = cn_cross(sweep->turned, arm);
    float turn = cn_length(sweep->turned);
    float straight = cn_length(cn_add(sweep->moved, carried)) + 0.5f * turn * turn * cn_length(arm);
    float apart = cn_length(sweep->moved) + cn_length(carried);
    return cn_minf(straight, apart) + turn * size;
}

// The largest |q''| of a point within `reach` of the centre of mass, seen from the other.
static float largest_bend(const cn_sweep *mine, const cn_sweep *theirs, float reach)
{
    float turn = cn_length(mine->turned), frame_turn = cn_length(theirs->turned), bend = turn * turn * reach;
    if (!(frame_turn > 0.0f))
        return bend;
    cn_vec3 apart = cn_sub(mine->pose.position, theirs->pose.position), moved = cn_sub(mine->moved, theirs->moved);
    float distance = cn_maxf(cn_length(apart), cn_length(cn_add(apart, moved))) + reach;
    return bend + frame_turn * (frame_turn * distance + 2.0f * (cn_length(moved) + turn * reach));
}

cn_sweep_bounds cn_bound_sweep(const cn_convex *shape, const cn_sweep *mine, const cn_sweep *theirs)
{
    cn_pose from = cn_sweep_at(theirs, 0.0f), to = cn_sweep_at(theirs, 1.0f), into_from = cn_pose_inverse(from),
            into_to = cn_pose_inverse(to);
    float reach = cn_convex_outer_radius(shape, center_of_mass(mine));
    cn_sweep_bounds bounds = { .turns_far = !(cn_length(mine->turned) <= LARGEST_TURN) };
    cn_vec3 begin, end;
    if (bounds.turns_far) {
        // The centre of mass goes straight in the common frame, and only that of the other bends its way.
        cn_sweep center = { mine->pose, mine->moved, { 0.0f, 0.0f, 0.0f }, CN_POSE_IDENTITY };
        bounds.bulge = 0.125f * largest_bend(&center, theirs, 0.0f);
        begin = cn_pose_point(into_from, mine->pose.position);
        end = cn_pose_point(into_to, cn_add(mine->pose.position, mine->moved));
        bounds.half_extents = cn_v3(reach, reach, reach);
    } else {
        bounds.bulge = 0.125f * largest_bend(mine, theirs, reach);
        bounds.begin = cn_pose_mul(into_from, cn_sweep_at(mine, 0.0f));
        bounds.end = cn_pose_mul(into_to, cn_sweep_at(mine, 1.0f));
        begin = cn_pose_point(bounds.begin, cn_convex_center(shape));
        end = cn_pose_point(bounds.end, cn_convex_center(shape));
        cn_vec3 lower, upper, last_lower, last_upper;
        cn_convex_bounds(shape, (cn_pose){ cn_sub(bounds.begin.position, begin), bounds.begin.rotation }, &lower, &upper);
        cn_convex_bounds(shape, (cn_pose){ cn_sub(bounds.end.position, end), bounds.end.rotation }, &last_lower, &last_upper);
        bounds.half_extents =
            cn_max3(cn_max3(cn_abs3(lower), cn_abs3(upper)), cn_max3(cn_abs3(last_lower), cn_abs3(last_upper)));
    }
    cn_vec3 far = cn_max3(cn_abs3(begin), cn_abs3(end));
    bounds.bulge += 1e-6f * (reach + cn_maxf(far.x, cn_maxf(far.y, far.z))); // and what rounding may hide
    bounds.origin = begin;
    bounds.translation = cn_sub(end, begin);
    bounds.half_extents = cn_add(bounds.half_extents, cn_v3(bounds.bulge, bounds.bulge, bounds.bulge));
    return bounds;
}

static float lowest_at(const cn_convex *shape, const cn_pose *pose, cn_plane plane)
{
    cn_vec3 local = cn_unrotate(pose->rotation, plane.normal);
    return cn_dot(plane.normal, pose->position) - plane.offset + cn_dot(local, cn_convex_support(shape, cn_neg(local)));
}

float cn_lowest_over(const cn_convex *shape, const cn_sweep_bounds *bounds, cn_plane plane)
{
    if (bounds->turns_far) {
        float begin = cn_dot(plane.normal, bounds->origin) - plane.offset;
        return cn_minf(begin, begin + cn_dot(plane.normal, bounds->translation)) - bounds->half_extents.x;
    }
    return cn_minf(lowest_at(shape, &bounds->begin, plane), lowest_at(shape, &bounds->end, plane)) - bounds->bulge;
}
