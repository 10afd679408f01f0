// Which bodies are so fast that continuous.c looks at their paths, and what those paths are.
#include "world/meeting.h"
#include "world/spin.h"

// Beyond this turn, in rad, a ball around the centre of mass is the smaller bound.
#define LARGEST_TURN 1.0f

// Whether some point of a shape within `extent` of the centre of mass may have moved by more than makes one of this inner
// radius fast.
static bool may_be_fast(const cn_body *body, const cn_motion *motion, float extent, float inner_radius)
{
    float limit = CN_FAST_MOTION * inner_radius;
    float moved_sq = cn_length_sq(motion->moved), turned_sq = extent * extent * cn_length_sq(motion->turned);
    if (2.0f * (moved_sq + turned_sq) <= limit * limit) // no sum of two lengths is longer, and most bodies are far from it
        return false;
    return (body->type == CN_KINEMATIC || body->continuous) && sqrtf(moved_sq) + sqrtf(turned_sq) > limit;
}

float cn_path_bulge(const cn_shape *shape, const cn_motion *motion)
{
    // An eighth of the largest acceleration, see sweep_bounds.c, and what rounding may hide.
    float turn_sq = cn_length_sq(motion->turned);
    return turn_sq <= LARGEST_TURN * LARGEST_TURN ? (0.125f * turn_sq + 1e-6f) * shape->reach : INFINITY;
}

cn_box3 cn_ball_path_box(const cn_world *world, cn_pos3 from, cn_vec3 moved, float radius)
{
    cn_pos3 to = cn_pos_add(from, moved);
    cn_bounds line = { { fmin(from.x, to.x), fmin(from.y, to.y), fmin(from.z, to.z) },
                       { fmax(from.x, to.x), fmax(from.y, to.y), fmax(from.z, to.z) } };
    return cn_world_box(world, &line, radius);
}

cn_box3 cn_path_box(const cn_world *world, const cn_shape *shape, const cn_motion *motion, const cn_box3 *end, float margin)
{
    float bulge = cn_path_bulge(shape, motion);
    if (bulge < INFINITY) {
        cn_bounds bounds = cn_shape_bounds_at(shape, motion->start.center, motion->start.rotation);
        cn_box3 begin = cn_world_box(world, &bounds, margin), both = cn_box3_union(&begin, end);
        cn_vec3 grow = { bulge, bulge, bulge };
        return (cn_box3){ cn_sub(both.lower, grow), cn_add(both.upper, grow) };
    }
    return cn_ball_path_box(world, motion->start.center, motion->moved, 1.000001f * shape->reach + margin);
}

bool cn_is_fast_shape(const cn_body *body, const cn_shape *shape, const cn_motion *motion)
{
    float inner_radius = cn_is_composite(shape) ? body->core : cn_convex_inner_radius(&shape->convex);
    if (!may_be_fast(body, motion, shape->reach, inner_radius))
        return false;
    if (cn_is_composite(shape) || shape->centered)
        return true;
    cn_sweep sweep = { { { 0.0f, 0.0f, 0.0f }, motion->start.rotation }, motion->moved, motion->turned, shape->pose };
    return cn_sweep_motion(&shape->convex, &sweep, shape->size) > CN_FAST_MOTION * inner_radius;
}

void cn_match_turn(const cn_body *body, cn_motion *motion)
{
    if (!may_be_fast(body, motion, body->extent, body->core))
        return;
    cn_quat turn = cn_quat_mul(body->rotation, cn_quat_conj(motion->start.rotation));
    if (cn_length_sq(motion->turned) < 0.01f) { // the logarithm to float accuracy for small angles
        float sine_sq = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
        float s = 2.0f + sine_sq * (1.0f / 3.0f) + sine_sq * sine_sq * (3.0f / 20.0f);
        motion->turned = cn_scale(turn.w < 0.0f ? -s : s, cn_v3(turn.x, turn.y, turn.z));
        return;
    }
    motion->turned = cn_quat_log_near(turn, motion->turned);
}

// What is hit and turns about changing axes by more than CN_MOST_STEADY_TURN in a step is followed in pieces. The first is small, in rad:
// it leaves the other at the rate at which it begins to turn. Each of the others is three times as large.
#define FIRST_TURN 0.05f
// Of what reaches less than so many inner radii far, no part is carried deep by an axis that is somewhat off.
#define COMPACT 4.0f

// The axis of a round body turns steadily. Where the body was hit on its way, pieces of this angle at most lead from the turn that it has
// then to where it ended; in larger ones a little that is missing in the end would change the axis of the turn.
#define ROUND_TURN 1.0f
enum { ROUND_TURNS = 8 };

static int count_round_turns(const cn_body *body, const cn_body_drive *drive, const cn_motion *motion, float dt)
{
    cn_vec3 precession;
    if (!cn_is_symmetric_top(body, motion->start.rotation, motion->spin, &precession))
        return 0;
    float turns = dt * cn_length(precession) / ROUND_TURN;
    return !drive->struck ? 1 : turns < (float)ROUND_TURNS ? 1 + (int)turns : ROUND_TURNS;
}

int cn_count_turns(const cn_body *body, const cn_body_drive *drive, const cn_motion *motion, float dt, bool *round)
{
    float angle = dt * cn_length(motion->spin);
    if (!(angle > CN_MOST_STEADY_TURN) || !cn_body_tumbles(body) || drive->jointed || !(drive->free || drive->struck))
        return 0;
    *round = body->round_about != 0; // how it turns about its own axis makes no difference
    if (*round)
        return count_round_turns(body, drive, motion, dt);
    if (!(body->extent > COMPACT * body->core) || angle > CN_MOST_FREE_TURN || !drive->struck)
        return 0;
    int count = 1;
    for (float sum = FIRST_TURN, piece = FIRST_TURN; sum < angle; count++)
        sum += piece *= 3.0f;
    return count;
}

// The shortest turn from one unit vector to another; none when they are opposite.
static cn_quat swing_between(cn_vec3 from, cn_vec3 to)
{
    cn_vec3 cross = cn_cross(from, to);
    float real = 1.0f + cn_dot(from, to);
    return real > 1e-6f ? cn_quat_normalize((cn_quat){ cross.x, cross.y, cross.z, real }) : cn_quat_identity();
}

// Its axis goes as it would freely, and evenly by what is missing to where it is now; how far it has turned about the axis is left out.
static float find_round_turns(const cn_body *body, const cn_motion *motion, float dt, cn_turn *turns, int count)
{
    cn_quat start = motion->start.rotation, rotation = start;
    cn_vec3 end = motion->spin, precession, axis;
    cn_is_symmetric_top(body, start, motion->spin, &precession);
    cn_body_axis(body, &axis);
    cn_rotate_freely(body, dt, &rotation, &end);
    cn_vec3 missing = cn_quat_log(swing_between(cn_rotate(rotation, axis), cn_rotate(body->rotation, axis)));
    cn_vec3 turned = cn_scale(dt, precession);
    float fastest = 0.0f;
    rotation = start;
    for (int i = 0; i < count; i++) {
        float begin = (float)i / (float)count, next = i + 1 < count ? (float)(i + 1) / (float)count : 1.0f;
        cn_quat after = cn_quat_mul(cn_quat_exp(cn_scale(next, missing)), cn_quat_mul(cn_quat_exp(cn_scale(next, turned)), start));
        cn_vec3 by = cn_quat_log_near(cn_quat_mul(after, cn_quat_conj(rotation)), cn_scale(next - begin, turned));
        turns[i] = (cn_turn){ begin, next, rotation, by };
        rotation = cn_quat_normalize(after);
        fastest = cn_maxf(fastest, cn_length(by) / (next - begin));
    }
    return fastest;
}

// As cn_rotate_freely has turned it, and evenly by what is missing to where it is now. The last piece ends the step.
float cn_find_turns(const cn_body *body, const cn_motion *motion, float dt, cn_turn *turns, int count, bool round)
{
    float angle = dt * cn_length(motion->spin), sum = 0.0f, fastest = 0.0f;
    cn_quat rotation = motion->start.rotation;
    if (round)
        return find_round_turns(body, motion, dt, turns, count);
    cn_spin spin = cn_spin_start(body, rotation, motion->spin);
    for (int i = 0; i < count; i++) {
        turns[i].begin = sum / angle;
        sum = 3.0f * sum + FIRST_TURN;
        turns[i].end = i + 1 < count ? sum / angle : 1.0f;
        turns[i].rotation = rotation;
        float time = dt * (turns[i].end - turns[i].begin);
        turns[i].turned = cn_scale(time, cn_spin_velocity(&spin));
        cn_spin_advance(&spin, (double)time);
        rotation = cn_spin_rotation(&spin, body);
    }
    cn_vec3 late = cn_quat_log(cn_quat_mul(body->rotation, cn_quat_conj(rotation)));
    for (int i = 1; i < count; i++)
        turns[i].rotation = cn_quat_mul(cn_quat_exp(cn_scale(turns[i].begin, late)), turns[i].rotation);
    for (int i = 0; i < count; i++) {
        cn_quat end = i + 1 < count ? turns[i + 1].rotation : body->rotation;
        turns[i].turned = cn_quat_log_near(cn_quat_mul(end, cn_quat_conj(turns[i].rotation)), turns[i].turned);
        fastest = cn_maxf(fastest, cn_length(turns[i].turned) / (turns[i].end - turns[i].begin));
    }
    return fastest;
}

bool cn_is_fast(const cn_world *world, const cn_body *body, const cn_motion *motion)
{
    bool fast = may_be_fast(body, motion, body->extent, body->core);
    if (!fast || body->shape_count == 1)
        return fast;
    int k = body->first_shape;
    while (k != CN_NONE && (world->shapes.data[k].sensor != CN_NONE || !cn_is_fast_shape(body, &world->shapes.data[k], motion)))
        k = world->shapes.data[k].next;
    return k != CN_NONE;
}
