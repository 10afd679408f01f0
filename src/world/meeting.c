// Where a fast body first meets one other shape on its way.
#include "world/meeting.h"

#include "shape/core.h"

// What touches from the beginning is kept out of the core, which is this part of the inner radius below the surface.
#define CORE_DEPTH 0.5f
// When even that is in, a ball of this part of the inner radius around the middle is kept out.
#define MIDDLE_DEPTH 0.25f
#define LEAST_DEPTH 0.1f
// A core that is at the surface already has a core of its own, half as far from the middle, and so on; so many at most.
enum { CORES = 4 };
// A core is at the surface when the gap is smaller than this part of the inner radius of what is left.
#define CORE_GAP 0.2f
// What is stopped before this part of its way, though it touched the other already, hardly gets on.
#define HELD_FRACTION 0.1f

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

// Where a shape meets another.
typedef struct impact {
    float fraction; // of the stretch
    cn_vec3 out;    // by which it is taken out of the other there
} impact;

// How far the fast body would still go into the other where they meet; `rest` is what is left of its way, in stretches.
static float remaining_depth(const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit, float rest)
{
    cn_vec3 arm = cn_sub(hit->point, cn_madd(mine->pose.position, hit->fraction, mine->moved));
    cn_vec3 other_arm = cn_sub(hit->point, cn_madd(theirs->pose.position, hit->fraction, theirs->moved));
    cn_vec3 motion = cn_add(mine->moved, cn_cross(mine->turned, arm));
    cn_vec3 other_motion = cn_add(theirs->moved, cn_cross(theirs->turned, other_arm));
    return -rest * cn_dot(cn_sub(motion, other_motion), hit->normal);
}

static float core_distance(const cn_convex *part, const cn_sweep *theirs, const cn_convex *core, const cn_sweep *mine,
                           float time)
{
    cn_pose a = cn_sweep_at(theirs, time), b = cn_sweep_at(mine, time), b_in_a = cn_pose_mul(cn_pose_inverse(a), b);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return cn_convex_distance(part, core, b_in_a).distance;
}

// The middle of what is deep in the other already stays out: beyond it, nothing would push the shape back. It may come nearer,
// by half of the way that is left; what has hardly any left may only go away, and is taken out of the other so far that it has.
static bool meet_middle(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                        impact *found)
{
    found->out = cn_v3(0.0f, 0.0f, 0.0f);
    cn_convex ball = { .type = CN_SPHERE };
    float distance = core_distance(part, theirs, &ball, mine, 0.0f);
    if (!(distance > 0.0f))
        return false;
    ball.radius = cn_minf(MIDDLE_DEPTH * m->core, 0.5f * distance);
    cn_cast_result hit;
    if (distance < LEAST_DEPTH * m->core) {
        cn_pose place = cn_sweep_at(theirs, 0.0f);
        cn_vec3 begin = cn_pose_unpoint(place, cn_sweep_at(mine, 0.0f).position);
        cn_vec3 end = cn_pose_unpoint(cn_sweep_at(theirs, limit), cn_sweep_at(mine, limit).position);
        cn_pose at = { begin, CN_QUAT_IDENTITY };
        cn_vec3 normal = cn_convex_distance(part, &(cn_convex){ .type = CN_SPHERE }, at).normal;
        *found = (impact){ 0.0f, cn_scale(MIDDLE_DEPTH * m->core - distance, cn_rotate(place.rotation, normal)) };
        return cn_dot(normal, cn_sub(end, begin)) < 0.0f;
    }
    if (!cn_time_of_impact(part, theirs, &ball, mine, cn_minf(m->target, 0.25f * distance), limit, &hit))
        return false;
    found->fraction = hit.fraction;
    return true;
}

static cn_sweep middle_of(const cn_meeting *m, const cn_sweep *mine)
{
    cn_sweep middle = *mine;
    middle.shape.position = cn_pose_point(mine->shape, cn_convex_center(&m->shape->convex));
    return middle;
}

// Whether a triangle is hit at its front; other parts are all around.
static bool is_at_front(const cn_meeting *m, const cn_sweep *theirs, const cn_cast_result *hit)
{
    return m->triangle == NULL ||
           cn_dot(cn_rotate(cn_sweep_at(theirs, hit->fraction).rotation, m->triangle->normal), hit->normal) > 0.0f;
}

// Of what has its middle behind a triangle when the step begins, nothing but what comes from the front is met.
static bool comes_from_front(const cn_meeting *m, const cn_sweep *theirs, const cn_cast_result *hit)
{
    return !m->behind || is_at_front(m, theirs, hit);
}

// How much nearer the shape is to the other than its core, along the normal at the hit of the core, at the pose it has there.
static float layer_depth(const cn_convex *shape, const cn_convex *core, cn_pose pose, cn_pose core_pose, cn_vec3 normal)
{
    cn_vec3 local = cn_unrotate(pose.rotation, cn_neg(normal)), arm = cn_sub(core_pose.position, pose.position);
    return cn_dot(local, cn_sub(cn_convex_support(shape, local), cn_convex_support(core, local))) + cn_dot(normal, arm);
}

// The first core that has some way left to the surface: its number, or CORES. Those of a hull do not lie one in another everywhere: when the
// inner ones are in the surface, it is the one with the largest gap.
static int choose_core(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *middle, const cn_sweep *theirs,
                       cn_core *core, float *gap)
{
    int best = CORES;
    float left = 1.0f - CORE_DEPTH; // of the inner radius
    *gap = 0.0f;
    for (int i = 0; i < CORES; i++, left *= 0.5f) {
        cn_make_core(&m->shape->convex, 1.0f - left, core);
        float now = core_distance(part, theirs, &core->convex, core->ball ? middle : mine, 0.0f);
        if (now > *gap) {
            *gap = now;
            best = i;
        }
        if (now >= CORE_GAP * left * m->core)
            return i;
    }
    if (best < CORES)
        cn_make_core(&m->shape->convex, 1.0f - (1.0f - CORE_DEPTH) / (float)(1 << best), core);
    return best;
}

// What touches from the beginning may go on until its core does, or until the core of that does when the first is at the surface
// already: there is always some way left, so that it goes on, and other points of it come to the surface. In the latter case, and where it
// hardly gets on, it is taken out of the other: of the push that the solver gives it, it gets the part up to the impact alone, and would sink in
// from step to step.
static bool meet_core(const cn_meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                      impact *found)
{
    cn_sweep middle = middle_of(m, mine);
    cn_core core;
    float gap;
    int chosen = choose_core(m, part, mine, &middle, theirs, &core, &gap);
    if (chosen < CORES) {
        const cn_sweep *sweep = core.ball ? &middle : mine;
        float target = cn_minf(m->target, 0.25f * gap);
        cn_cast_result hit;
        if (!cn_time_of_impact(part, theirs, &core.convex, sweep, target, limit, &hit) || !comes_from_front(m, theirs, &hit))
            return false;
        float depth = layer_depth(&m->shape->convex, &core.convex, cn_sweep_at(mine, hit.fraction), cn_sweep_at(sweep, hit.fraction), hit.normal);
        bool held = is_at_front(m, theirs, &hit) && (chosen > 0 || (m->from == 0.0f && hit.fraction < HELD_FRACTION));
        *found = (impact){ hit.fraction, cn_scale(held ? cn_maxf(depth - target, 0.0f) + m->target : 0.0f, hit.normal) };
        return true;
    }
    return !m->behind && meet_middle(m, part, &middle, theirs, limit, found);
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

// Whether a hit would take the body further into the other than it may go without being stopped. `origin`: what sweeps are relative to.
static bool is_dangerous(const cn_meeting *m, cn_pos3 origin, const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit,
                         float rest)
{
    if (remaining_depth(mine, theirs, hit, rest) <= CN_DANGEROUS_DEPTH * m->core)
        return false;
    cn_pos3 point = cn_pos_add(origin, hit->point);
    cn_vec3 center = cn_pose_point(cn_sweep_at(mine, hit->fraction), cn_convex_center(&m->shape->convex));
    return !cn_is_ghost_hit(m->world, m->shape, m->other_shape, point, cn_pos_add(origin, center), hit->normal);
}

// One of the ways in which a body meets another, within a stretch of both paths.
typedef struct encounter {
    const cn_convex *part; // of the other
    cn_pos3 origin;        // of the sweeps
    cn_sweep mine, theirs;
    float rest; // what is left of the step, in stretches
} encounter;

// Whether the body stops for a hit, or for its core. What touches from the beginning, or only lightly, may still turn into the
// other with another side.
static bool stops_for(const cn_meeting *m, const encounter *e, const cn_cast_result *hit, float limit, impact *found)
{
    if (!(hit->fraction < limit))
        return false;
    *found = (impact){ hit->fraction, { 0.0f, 0.0f, 0.0f } };
    if (hit->fraction > 0.0f && is_dangerous(m, e->origin, &e->mine, &e->theirs, hit, e->rest - hit->fraction))
        return true;
    return meet_core(m, e->part, &e->mine, &e->theirs, limit, found);
}

// A limit as a part of the stretch.
static float limit_within(const cn_meeting *m, float limit) { return cn_minf((limit - m->from) / (m->to - m->from), 1.0f); }

// The same encounter as the other body has it.
static void stop_other(cn_meeting *m, const encounter *e, const cn_cast_result *hit)
{
    cn_meeting its = { .world = m->world, .shape = m->other_shape, .other_shape = m->shape, .core = m->other_core, .target = m->target };
    encounter seen = { &m->shape->convex, e->origin, e->theirs, e->mine, e->rest };
    cn_cast_result back = { hit->fraction, cn_madd(hit->point, m->target, hit->normal), cn_neg(hit->normal) };
    impact found;
    float limit = limit_within(m, m->other_limit);
    if (limit > 0.0f && stops_for(&its, &seen, &back, limit, &found))
        m->other_limit = m->from + (m->to - m->from) * found.fraction;
}

// Looks at one stretch of both paths. The part of the other lies at `pose` in its shape.
static void meet_convex(cn_meeting *m, const cn_convex *part, cn_pose pose)
{
    float length = m->to - m->from, limit = limit_within(m, m->limit);
    impact found = { .fraction = 1.0f };
    float longer = m->mutual ? limit_within(m, cn_maxf(m->limit, m->other_limit)) : limit;
    if (longer <= 0.0f)
        return;
    encounter e = { part, m->path.center, cn_path_sweep(&m->path, m->shape, m->path.center, m->from, m->to),
                    cn_path_sweep(&m->other_path, m->other_shape, m->path.center, m->from, m->to), (1.0f - m->from) / length };
    e.theirs.shape = cn_pose_mul(e.theirs.shape, pose);
    if (m->middle_only) {
        cn_sweep middle = middle_of(m, &e.mine);
        if (meet_middle(m, part, &middle, &e.theirs, limit, &found))
            m->limit = m->from + length * found.fraction;
        return;
    }
    cn_cast_result hit;
    if (!cn_time_of_impact(part, &e.theirs, &m->shape->convex, &e.mine, m->target, longer, &hit))
        return;
    if (hit.fraction > 0.0f && !comes_from_front(m, &e.theirs, &hit))
        return;
    if (m->triangle != NULL && hit.fraction > 0.0f)
        correct_normal(m->triangle, &e.theirs, 4.0f * m->target, &hit);
    if (m->mutual)
        stop_other(m, &e, &hit);
    if (limit > 0.0f && stops_for(m, &e, &hit, limit, &found)) {
        m->limit = m->from + length * found.fraction;
        m->out = found.out;
    }
}

// ---- shapes of many parts

// Triangles stop what comes from their front, and would have at least its inner half behind their plane without that. What has its
// middle behind the plane when the step begins, beside the triangle, may still come around to the front.
static bool is_in_the_way(cn_meeting *m, const cn_triangle *triangle)
{
    cn_plane plane = { triangle->normal, cn_dot(triangle->normal, triangle->vertices[0]) };
    cn_plane back = { cn_neg(plane.normal), -plane.offset };
    m->behind = !(cn_dot(plane.normal, m->center) > plane.offset);
    return cn_lowest_over(&m->shape->convex, &m->bounds, plane) < -CORE_DEPTH * m->core &&
           (!m->behind || cn_lowest_over(&m->shape->convex, &m->bounds, back) < 0.0f);
}

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
        m->triangle = NULL;
        m->behind = false;
    }
    return limit_within(m, m->limit);
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
    cn_composite_sweep(&m->other_shape->composite, m->bounds.origin, m->bounds.translation, half, limit_within(m, m->limit), meet_part, m);
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
    *from = begin;
    *to = end;
    if (cn_is_composite(m->other_shape)) // its tree knows better
        return true;
    cn_d3 moved = cn_d3_from(m->path.moved), other_moved = cn_d3_from(other->moved);
    cn_d3 apart = { m->path.center.x - other->center.x, m->path.center.y - other->center.y, m->path.center.z - other->center.z };
    apart = cn_d3_madd(cn_d3_madd(apart, (double)begin, moved), -(double)cn_minf(begin, other->end), other_moved);
    if (begin < other->end)
        moved = cn_d3_sub(moved, other_moved);
    double reach = (double)m->shape->reach + (double)m->other_shape->reach + (double)m->target;
    float first, last;
    if (!cn_balls_are_near(apart, moved, reach, &first, &last))
        return false;
    *from = begin + first;
    *to = cn_minf(end, begin + last);
    return *from < *to;
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
    for (m->from = skip_turns(m, begin, end); m->from < end && (m->from < m->limit || (m->mutual && m->from < m->other_limit));
         m->from = m->to) {
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
    for (int i = m->seen ? 1 : 0; i < 2 && legs[i] < 1.0f; i++)
        if (legs[i] < legs[i + 1] && find_near(m, legs[i], legs[i + 1], &from, &to))
            meet_between(m, from, to);
}
