// Where a fast body first meets one other shape on its way.
#include "world/meeting.h"

// What touches from the beginning is kept out of the core, which is this part of the inner radius below the surface.
#define CORE_DEPTH 0.5f
// Steps along the path of what touches from the beginning, at most.
enum { MOST_STEPS = 256 };

// The stretch of a path between two fractions of the step, for a shape of the body, relative to `origin`. Beyond its end it
// rests.
static cn_sweep stretch(const cn_path *p, const cn_shape *shape, cn_pos3 origin, float from, float to)
{
    float begin = cn_minf(from, p->end), length = cn_minf(to, p->end) - begin;
    cn_vec3 offset = cn_madd(cn_pos_sub(p->center, origin), begin, p->moved);
    cn_quat rotation = cn_quat_normalize(cn_quat_mul(cn_quat_exp(cn_scale(begin, p->turned)), p->rotation));
    return (cn_sweep){ { offset, rotation }, cn_scale(length, p->moved), cn_scale(length, p->turned), shape->pose };
}

// How far the fast body would still go into the other where they meet; `rest` is what is left of its way, in stretches.
static float remaining_depth(const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit, float rest)
{
    cn_vec3 arm = cn_sub(hit->point, cn_madd(mine->pose.position, hit->fraction, mine->moved));
    cn_vec3 other_arm = cn_sub(hit->point, cn_madd(theirs->pose.position, hit->fraction, theirs->moved));
    cn_vec3 motion = cn_add(mine->moved, cn_cross(mine->turned, arm));
    cn_vec3 other_motion = cn_add(theirs->moved, cn_cross(theirs->turned, other_arm));
    return -rest * cn_dot(cn_sub(motion, other_motion), hit->normal);
}

// The shape without its outermost layer.
static cn_convex eroded(const cn_convex *shape)
{
    float depth = CORE_DEPTH * cn_convex_inner_radius(shape);
    cn_convex inner = *shape;
    inner.radius -= depth; // of what has one
    inner.half_extents = cn_sub(shape->half_extents, cn_v3(depth, depth, depth));
    if (shape->type == CN_CYLINDER)
        inner.half_height -= depth;
    if (shape->type == CN_HULL)
        inner = (cn_convex){ .type = CN_SPHERE, .radius = depth };
    return inner;
}

static float core_distance(const cn_convex *part, const cn_sweep *theirs, const cn_convex *core, const cn_sweep *mine,
                           float time)
{
    cn_pose a = cn_sweep_at(theirs, time), b = cn_sweep_at(mine, time), b_in_a = cn_pose_mul(cn_pose_inverse(a), b);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return cn_convex_distance(part, core, b_in_a).distance;
}

// A core that is at the surface already may come and go before it enters for good, so the path is looked at in steps that are
// smaller than the core.
static bool core_enters(const cn_meeting *m, const cn_convex *part, const cn_sweep *theirs, const cn_convex *core,
                        const cn_sweep *mine, float limit, float *fraction)
{
    float motion = cn_length(cn_sub(mine->moved, theirs->moved)) + cn_length(mine->turned) * m->body->extent;
    float wanted = motion / (CORE_DEPTH * m->body->core);
    int steps = wanted < (float)MOST_STEPS ? 1 + (int)wanted : MOST_STEPS;
    float before = core_distance(part, theirs, core, mine, 0.0f);
    for (int i = 1; i <= steps && (float)(i - 1) < limit * (float)steps; i++) {
        float now = core_distance(part, theirs, core, mine, (float)i / (float)steps);
        if (now < m->target && now < before) {
            *fraction = (float)(i - 1) / (float)steps;
            return true;
        }
        before = now;
    }
    return false;
}

// What touches from the beginning may go on until its core does.
static bool meet_core(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                      float *fraction)
{
    cn_convex core = eroded(&m->shape->convex);
    cn_sweep sweep = *mine;
    if (m->shape->convex.type == CN_HULL)
        sweep.shape.position = cn_pose_point(mine->shape, m->shape->convex.hull->center);
    cn_cast_result hit;
    if (!cn_time_of_impact(part, theirs, &core, &sweep, m->target, limit, &hit))
        return false;
    *fraction = hit.fraction;
    return hit.fraction > 0.0f || core_enters(m, part, theirs, &core, &sweep, limit, fraction);
}

// Over an edge of a surface nothing is hit farther from the side than the neighbour there faces, and over a flat or concave one
// nothing at all: what slides over the seams of a surface meets none of them.
static void correct_normal(const cn_triangle *triangle, const cn_sweep *theirs, float tolerance, cn_cast_result *hit)
{
    cn_pose pose = cn_sweep_at(theirs, hit->fraction);
    cn_vec3 point = cn_pose_unpoint(pose, hit->point), normal = cn_unrotate(pose.rotation, hit->normal);
    for (int i = 0; i < 3; i++) {
        cn_vec3 corner = triangle->vertices[i], edge = cn_sub(triangle->vertices[i < 2 ? i + 1 : 0], corner);
        cn_vec3 outward = cn_normalize(cn_cross(edge, triangle->normal));
        float t = triangle->lean[i], over_edge = cn_dot(normal, outward); // t is the tangent of half the angle between the two
        if (t >= CN_LEAN_FREE || over_edge <= 0.0f || cn_dot(cn_sub(point, corner), outward) <= -tolerance)
            continue;
        if (over_edge * (1.0f - t * t) > cn_dot(normal, triangle->normal) * (2.0f * t)) {
            normal = cn_normalize(cn_madd(cn_scale(1.0f - t * t, triangle->normal), 2.0f * t, outward));
            hit->normal = cn_rotate(pose.rotation, normal);
        }
    }
}

// Whether a hit would take the body further into the other than it may go without being stopped.
static bool is_dangerous(const cn_meeting *m, const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit,
                         float rest)
{
    if (remaining_depth(mine, theirs, hit, rest) <= CN_DANGEROUS_DEPTH * m->body->core)
        return false;
    cn_pos3 point = cn_pos_add(m->path.center, hit->point);
    cn_vec3 center = cn_pose_point(cn_sweep_at(mine, hit->fraction), cn_convex_center(&m->shape->convex));
    return !cn_is_ghost_hit(m->world, m->shape, m->other_shape, point, cn_pos_add(m->path.center, center), hit->normal);
}

// Looks at one stretch of both paths. The part of the other lies at `pose` in its shape. True when they meet in it.
static bool meet_stretch(cn_meeting *m, const cn_convex *part, cn_pose pose, float from, float to)
{
    cn_sweep mine = stretch(&m->path, m->shape, m->path.center, from, to);
    cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, from, to);
    theirs.shape = cn_pose_mul(theirs.shape, pose);
    float length = to - from, limit = cn_minf((m->limit - from) / length, 1.0f);
    cn_cast_result hit;
    if (limit <= 0.0f || !cn_time_of_impact(part, &theirs, &m->shape->convex, &mine, m->target, limit, &hit))
        return false;
    if (hit.fraction <= 0.0f) { // they touch from the beginning
        if (!meet_core(m, part, &mine, &theirs, limit, &hit.fraction))
            return false;
    } else {
        if (m->triangle != NULL)
            correct_normal(m->triangle, &theirs, 4.0f * m->target, &hit);
        if (!is_dangerous(m, &mine, &theirs, &hit, (1.0f - from) / length - hit.fraction))
            return false;
    }
    m->limit = from + length * hit.fraction;
    return true;
}

static void meet_convex(cn_meeting *m, const cn_convex *part, cn_pose pose)
{
    float bend = m->other_path.end; // where the other was stopped
    if (bend <= 0.0f || bend >= 1.0f)
        meet_stretch(m, part, pose, 0.0f, 1.0f);
    else if (!meet_stretch(m, part, pose, 0.0f, bend))
        meet_stretch(m, part, pose, bend, 1.0f);
}

// ---- shapes of many parts

static float meet_part(void *context, int index, float limit)
{
    cn_meeting *m = context;
    cn_part part;
    (void)limit;
    cn_composite_part(&m->other_shape->composite, index, &part);
    if (part.is_triangle) {
        // Triangles stop what comes from their front.
        cn_sweep mine = stretch(&m->path, m->shape, m->path.center, 0.0f, 1.0f);
        cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, 0.0f, 1.0f);
        cn_vec3 center = cn_pose_point(cn_sweep_at(&mine, 0.0f), cn_convex_center(&m->shape->convex));
        cn_vec3 local = cn_pose_unpoint(cn_sweep_at(&theirs, 0.0f), center);
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
        m->triangle = &part.triangle;
        if (cn_dot(cn_sub(local, part.triangle.vertices[0]), part.triangle.normal) > 0.0f)
            meet_convex(m, &triangle, (cn_pose)CN_POSE_IDENTITY);
    } else {
        meet_convex(m, &part.solid, part.pose);
    }
    return m->limit;
}

// Half the extents of the box around the shape wherever it is on its path, relative to its body's centre of mass.
cn_vec3 cn_path_extents(const cn_meeting *m, cn_quat frame)
{
    float grow = m->target, reach = m->body->extent + grow;
    if (cn_length_sq(m->path.turned) > 0.0f || cn_length_sq(m->other_path.turned) > 0.0f)
        return cn_v3(reach, reach, reach);
    cn_quat rotation = cn_quat_mul(cn_quat_conj(frame), m->path.rotation);
    cn_pose pose = { cn_rotate(rotation, m->shape->pose.position), cn_quat_mul(rotation, m->shape->pose.rotation) };
    cn_vec3 lower, upper;
    cn_shape_local_bounds(m->shape, pose, &lower, &upper);
    return cn_add(cn_max3(cn_abs3(lower), cn_abs3(upper)), cn_v3(grow, grow, grow));
}

// In the frame of the composite shape the centre of mass goes along a chord of its true path; the box is larger by as much as
// the arc of a turning frame can bulge.
static void meet_composite(cn_meeting *m)
{
    cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, 0.0f, 1.0f);
    cn_pose begin = cn_sweep_at(&theirs, 0.0f), end = cn_sweep_at(&theirs, 1.0f);
    cn_vec3 from = cn_pose_unpoint(begin, cn_v3(0.0f, 0.0f, 0.0f)), to = cn_pose_unpoint(end, m->path.moved);
    cn_vec3 half = cn_path_extents(m, begin.rotation);
    float angle_sq = cn_length_sq(m->other_path.turned), bulge = 0.125f * angle_sq * (cn_length(from) + cn_length(to));
    half = cn_add(half, cn_v3(bulge, bulge, bulge));
    cn_composite_sweep(&m->other_shape->composite, from, cn_sub(to, from), half, m->limit, meet_part, m);
}

void cn_meet(cn_meeting *m)
{
    if (cn_is_composite(m->other_shape))
        meet_composite(m);
    else
        meet_convex(m, &m->other_shape->convex, (cn_pose)CN_POSE_IDENTITY);
}
