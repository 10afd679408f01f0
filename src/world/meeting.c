// Where a fast body first meets one other shape on its way.
#include "world/meeting.h"

#include "shape/taper.h"

// What touches from the beginning is kept out of the core, which is this part of the inner radius below the surface.
#define CORE_DEPTH 0.5f
// When even that is in, a ball of this part of the inner radius around the middle is kept out.
#define MIDDLE_DEPTH 0.25f
#define LEAST_DEPTH 0.1f
// A core that is at the surface already has a core of its own, half as far from the middle, and so on; so many at most.
enum { CORES = 4, CORE_VERTICES = 128 };
// A core is at the surface when the gap is smaller than this part of the inner radius of what is left.
#define CORE_GAP 0.2f

static cn_turn turn_at(const cn_path *p, float fraction)
{
    if (p->turn_count == 0)
        return (cn_turn){ 0.0f, 1.0f, p->rotation, p->turned };
    int k = 0;
    while (k < p->turn_count - 1 && p->turns[k].end <= fraction)
        k++;
    return p->turns[k];
}

static cn_quat rotation_in(const cn_turn *turn, float fraction)
{
    float gone = (fraction - turn->begin) / (turn->end - turn->begin);
    return cn_quat_normalize(cn_quat_mul(cn_quat_exp(cn_scale(gone, turn->turned)), turn->rotation));
}

cn_quat cn_path_rotation(const cn_path *p, float fraction)
{
    cn_turn turn = turn_at(p, fraction);
    return rotation_in(&turn, fraction);
}

cn_sweep cn_path_sweep(const cn_path *p, const cn_shape *shape, cn_pos3 origin, float from, float to)
{
    float begin = cn_minf(from, p->end), length = cn_minf(to, p->end) - begin;
    cn_vec3 offset = cn_madd(cn_pos_sub(p->center, origin), begin, p->moved);
    cn_turn turn = turn_at(p, begin);
    cn_vec3 turned = cn_scale(length / (turn.end - turn.begin), turn.turned);
    return (cn_sweep){ { offset, rotation_in(&turn, begin) }, cn_scale(length, p->moved), turned, shape->pose };
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

// The shape without its outermost layer; of a hull the same at a smaller scale, if it has not too many vertices.
typedef struct core_shape {
    cn_convex convex;
    cn_polyhedron hull;
    cn_vec3 vertices[CORE_VERTICES];
} core_shape;

// Bounds and planes of the smaller hull are not asked for.
static void shrink_hull(const cn_polyhedron *hull, float depth, core_shape *core)
{
    core->hull = *hull;
    core->hull.vertices = core->vertices;
    for (int i = 0; i < hull->vertex_count; i++)
        core->vertices[i] = cn_lerp(hull->vertices[i], hull->center, depth);
    core->convex.hull = &core->hull;
}

// The core that is `part` of the inner radius below the surface; `shift` is where its frame lies in that of the shape.
static void make_core(const cn_convex *shape, float part, core_shape *core, cn_vec3 *shift)
{
    float inner_radius = cn_convex_inner_radius(shape), depth = part * inner_radius;
    core->convex = *shape;
    *shift = cn_v3(0.0f, 0.0f, 0.0f);
    if (shape->type == CN_TAPERED_CAPSULE) {
        core->convex = cn_taper_erode(shape, depth, &shift->y);
        return;
    }
    core->convex.radius -= depth; // of what has one
    core->convex.half_extents = cn_sub(shape->half_extents, cn_v3(depth, depth, depth));
    if (shape->type == CN_CYLINDER)
        core->convex.half_height -= depth;
    if (shape->type == CN_HULL && shape->hull->vertex_count <= CORE_VERTICES)
        shrink_hull(shape->hull, part, core);
    else if (shape->type == CN_HULL)
        core->convex = (cn_convex){ .type = CN_SPHERE, .radius = inner_radius - depth };
}

static float core_distance(const cn_convex *part, const cn_sweep *theirs, const cn_convex *core, const cn_sweep *mine,
                           float time)
{
    cn_pose a = cn_sweep_at(theirs, time), b = cn_sweep_at(mine, time), b_in_a = cn_pose_mul(cn_pose_inverse(a), b);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return cn_convex_distance(part, core, b_in_a).distance;
}

// The middle of what is deep in the other already stays out: beyond it, nothing would push the shape back. It may come nearer,
// by half of the way that is left.
static bool meet_middle(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                        float *fraction)
{
    cn_convex ball = { .type = CN_SPHERE };
    float distance = core_distance(part, theirs, &ball, mine, 0.0f);
    if (!(distance > 0.0f))
        return false;
    ball.radius = cn_minf(MIDDLE_DEPTH * m->core, 0.5f * distance);
    cn_cast_result hit;
    if (distance < LEAST_DEPTH * m->core) { // so near that it may only go away
        cn_pose place = cn_sweep_at(theirs, 0.0f);
        cn_vec3 begin = cn_pose_unpoint(place, cn_sweep_at(mine, 0.0f).position);
        cn_vec3 end = cn_pose_unpoint(cn_sweep_at(theirs, limit), cn_sweep_at(mine, limit).position);
        cn_pose at = { begin, CN_QUAT_IDENTITY };
        *fraction = 0.0f;
        return cn_dot(cn_convex_distance(part, &(cn_convex){ .type = CN_SPHERE }, at).normal, cn_sub(end, begin)) < 0.0f;
    }
    if (!cn_time_of_impact(part, theirs, &ball, mine, cn_minf(m->target, 0.25f * distance), limit, &hit))
        return false;
    *fraction = hit.fraction;
    return true;
}

static cn_sweep middle_of(const cn_meeting *m, const cn_sweep *mine)
{
    cn_sweep middle = *mine;
    middle.shape.position = cn_pose_point(mine->shape, cn_convex_center(&m->shape->convex));
    return middle;
}

// What touches from the beginning may go on until its core does, or until the core of that does when the first is at the surface
// already: there is always some way left, so that it goes on, and other points of it come to the surface.
static bool meet_core(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                      float *fraction)
{
    cn_sweep middle = middle_of(m, mine), shifted = *mine;
    core_shape core;
    cn_vec3 shift;
    float left = 1.0f - CORE_DEPTH; // of the inner radius
    for (int i = 0; i < CORES; i++, left *= 0.5f) {
        make_core(&m->shape->convex, 1.0f - left, &core, &shift);
        shifted.shape.position = cn_pose_point(mine->shape, shift);
        bool ball = core.convex.type == CN_SPHERE && m->shape->convex.type == CN_HULL; // may stand for a hull
        const cn_sweep *sweep = ball ? &middle : &shifted;
        float gap = core_distance(part, theirs, &core.convex, sweep, 0.0f);
        if (gap < CORE_GAP * left * m->core)
            continue;
        cn_cast_result hit;
        if (!cn_time_of_impact(part, theirs, &core.convex, sweep, cn_minf(m->target, 0.25f * gap), limit, &hit))
            return false;
        *fraction = hit.fraction;
        return true;
    }
    return meet_middle(m, part, &middle, theirs, limit, fraction);
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
    if (remaining_depth(mine, theirs, hit, rest) <= CN_DANGEROUS_DEPTH * m->core)
        return false;
    cn_pos3 point = cn_pos_add(m->path.center, hit->point);
    cn_vec3 center = cn_pose_point(cn_sweep_at(mine, hit->fraction), cn_convex_center(&m->shape->convex));
    return !cn_is_ghost_hit(m->world, m->shape, m->other_shape, point, cn_pos_add(m->path.center, center), hit->normal);
}

// `rest` is what is left of the step, in stretches.
static bool meet_all(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float rest,
                     float limit, float *fraction)
{
    cn_cast_result hit;
    if (!cn_time_of_impact(part, theirs, &m->shape->convex, mine, m->target, limit, &hit))
        return false;
    if (m->triangle != NULL && hit.fraction > 0.0f)
        correct_normal(m->triangle, theirs, 4.0f * m->target, &hit);
    *fraction = hit.fraction;
    if (hit.fraction > 0.0f && is_dangerous(m, mine, theirs, &hit, rest - hit.fraction))
        return true;
    // What touches from the beginning, or only lightly, may still turn into the other with another side.
    return meet_core(m, part, mine, theirs, limit, fraction);
}

// Looks at one stretch of both paths. The part of the other lies at `pose` in its shape.
static void meet_convex(cn_meeting *m, const cn_convex *part, cn_pose pose)
{
    cn_sweep mine = cn_path_sweep(&m->path, m->shape, m->path.center, m->from, m->to);
    cn_sweep theirs = cn_path_sweep(&m->other_path, m->other_shape, m->path.center, m->from, m->to);
    theirs.shape = cn_pose_mul(theirs.shape, pose);
    float length = m->to - m->from, limit = cn_minf((m->limit - m->from) / length, 1.0f), fraction;
    if (limit <= 0.0f)
        return;
    cn_sweep middle = middle_of(m, &mine);
    if (m->middle_only ? meet_middle(m, part, &middle, &theirs, limit, &fraction)
                       : meet_all(m, part, &mine, &theirs, (1.0f - m->from) / length, limit, &fraction))
        m->limit = m->from + length * fraction;
}

// ---- shapes of many parts

// Triangles stop what comes from their front, and would have at least its inner half behind their plane without that.
static bool is_in_the_way(const cn_meeting *m, const cn_triangle *triangle)
{
    cn_plane plane = { triangle->normal, cn_dot(triangle->normal, triangle->vertices[0]) };
    return cn_dot(plane.normal, m->center) > plane.offset &&
           cn_lowest_over(&m->shape->convex, &m->bounds, plane) < -CORE_DEPTH * m->core;
}

// The limit as a part of the stretch.
static float limit_in_stretch(const cn_meeting *m) { return (m->limit - m->from) / (m->to - m->from); }

static float meet_part(void *context, int index, float limit)
{
    cn_meeting *m = context;
    cn_part part;
    (void)limit;
    cn_composite_part(&m->other_shape->composite, index, &part);
    if (!part.is_triangle) {
        meet_convex(m, &part.solid, part.pose);
    } else if (is_in_the_way(m, &part.triangle)) {
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
        m->triangle = &part.triangle;
        meet_convex(m, &triangle, (cn_pose)CN_POSE_IDENTITY);
    }
    return limit_in_stretch(m);
}

static void meet_composite(cn_meeting *m)
{
    cn_sweep mine = cn_path_sweep(&m->path, m->shape, m->path.center, m->from, m->to);
    cn_sweep theirs = cn_path_sweep(&m->other_path, m->other_shape, m->path.center, m->from, m->to);
    m->bounds = cn_bound_sweep(&m->shape->convex, &mine, &theirs);
    if (m->from == 0.0f) {
        cn_vec3 center = cn_pose_point(cn_sweep_at(&mine, 0.0f), cn_convex_center(&m->shape->convex));
        m->center = cn_pose_unpoint(cn_sweep_at(&theirs, 0.0f), center);
    }
    cn_vec3 half = cn_add(m->bounds.half_extents, cn_v3(m->target, m->target, m->target));
    float limit = cn_minf(limit_in_stretch(m), 1.0f);
    cn_composite_sweep(&m->other_shape->composite, m->bounds.origin, m->bounds.translation, half, limit, meet_part, m);
}

// ---- the whole step

// The first end of a turn, or of the whole path, after a fraction of the step.
static float next_end(const cn_path *p, float fraction)
{
    return fraction < p->end ? cn_minf(p->end, turn_at(p, fraction).end) : 1.0f;
}

// Between which fractions of the step, from one to another between which both move evenly, the balls around both shapes are near. False: never.
static bool find_near(const cn_meeting *m, float begin, float end, float *from, float *to)
{
    const cn_path *other = &m->other_path;
    cn_vec3 apart = cn_madd(cn_pos_sub(m->path.center, other->center), begin, m->path.moved), moved = m->path.moved;
    apart = cn_madd(apart, -cn_minf(begin, other->end), other->moved);
    if (begin < other->end)
        moved = cn_sub(moved, other->moved);
    float reach = 1.001f * (m->shape->reach + m->other_shape->reach + m->target);
    float way_sq = cn_length_sq(moved), along = cn_dot(apart, moved), beyond = cn_length_sq(apart) - reach * reach;
    float root_sq = along * along - way_sq * beyond;
    *from = begin;
    *to = end;
    if (cn_is_composite(m->other_shape)) // its tree knows better
        return true;
    if (!(way_sq > 0.0f) || !(root_sq >= 0.0f))
        return beyond <= 0.0f;
    float root = sqrtf(root_sq);
    if (beyond > 0.0f)
        *from = begin + (-along - root) / way_sq;
    *to = cn_minf(end, begin + (root - along) / way_sq);
    return *from >= begin && *from < *to;
}

// What is apart needs no look at the small turns with which the paths of what was hit begin: up to this fraction they cannot meet.
static float skip_turns(const cn_meeting *m, float begin, float end)
{
    const cn_path *other = &m->other_path;
    if ((m->path.turn_count <= 1 && other->turn_count <= 1) || cn_is_composite(m->other_shape))
        return begin;
    cn_sweep mine = cn_path_sweep(&m->path, m->shape, m->path.center, begin, end);
    cn_sweep theirs = cn_path_sweep(other, m->other_shape, m->path.center, begin, end);
    float gap = core_distance(&m->other_shape->convex, &theirs, &m->shape->convex, &mine, 0.0f) - 2.0f * m->target;
    float rate = cn_length(m->path.moved) + cn_length(other->moved) + m->path.spin * m->shape->reach + other->spin * m->other_shape->reach;
    return gap > 0.0f ? cn_minf(begin + gap / rate, end) : begin;
}

static void meet_between(cn_meeting *m, float begin, float end)
{
    for (m->from = skip_turns(m, begin, end); m->from < cn_minf(m->limit, end); m->from = m->to) {
        m->to = cn_minf(cn_minf(next_end(&m->path, m->from), next_end(&m->other_path, m->from)), end);
        if (cn_is_composite(m->other_shape))
            meet_composite(m);
        else
            meet_convex(m, &m->other_shape->convex, (cn_pose)CN_POSE_IDENTITY);
    }
}

void cn_meet(cn_meeting *m)
{
    // The other stands still from where it was stopped.
    float legs[3] = { 0.0f, m->other_path.end < 1.0f ? m->other_path.end : 1.0f, 1.0f }, from, to;
    for (int i = 0; i < 2 && legs[i] < 1.0f; i++)
        if (legs[i] < legs[i + 1] && find_near(m, legs[i], legs[i + 1], &from, &to))
            meet_between(m, from, to);
}
