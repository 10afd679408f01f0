// The time of impact of shapes that move and turn, by conservative advancement: Mirtich 1996, "Impulse-based dynamic simulation
// of rigid body systems"; Zhang, Lee, Kim 2006, "Interactive continuous collision detection for non-convex polyhedra".
//
// At each time the closest points give a direction n in which the shapes are apart. How fast they come together along n is
// bounded for all points at once, and time advances as far as the bound allows. Two bounds hold together for the height of a
// shape along n, measured from its centre of mass:
//  - It grows at most at the rate |n x w| R, for a turn of w and points up to R away, and never beyond R: shapes that spin many
//  times
//    on their way come near each other in a few steps.
//  - A point r rises by dt (n x w).r, up to dt^2 |n x w| |w| R / 2. The largest of n.r + dt (n x w).r is the support of the
//  shape in
//    the direction n + dt (n x w), a convex function of dt, which a chord bounds: near the impact the true rate, so that the
//    gap shrinks quadratically.
#include "collide/cast.h"
#include "collide/minkowski.h"

#include <string.h>

enum { MAX_ITERATIONS = 1000 };

cn_pose cn_sweep_at(const cn_sweep *sweep, float fraction)
{
    cn_quat rotation = cn_quat_mul(cn_quat_exp(cn_scale(fraction, sweep->turned)), sweep->pose.rotation);
    cn_pose center = { cn_madd(sweep->pose.position, fraction, sweep->moved), rotation };
    return cn_pose_mul(center, sweep->shape);
}

// One of the two shapes: what stays the same while it moves, and where it is now.
typedef struct mover {
    const cn_convex *shape;
    const cn_sweep *sweep;
    float radius; // of the shape around the centre of mass
    float spin;   // length of the turn
    bool turns;   // which makes a difference
    // now
    cn_quat rotation; // of the shape in the common frame
    cn_vec3 arm;      // from the centre of mass to the shape's origin
} mover;

// `rotation`: of the body.
static void place(mover *m, cn_quat rotation)
{
    cn_quat center = cn_quat_normalize(rotation);
    m->rotation = cn_quat_normalize(cn_quat_mul(center, m->sweep->shape.rotation));
    m->arm = cn_rotate(center, m->sweep->shape.position);
}

static mover make_mover(const cn_convex *shape, const cn_sweep *sweep)
{
    cn_vec3 center = cn_neg(cn_unrotate(sweep->shape.rotation, sweep->shape.position));
    bool ball = shape->type == CN_SPHERE && cn_length_sq(center) == 0.0f;
    float spin = cn_length(sweep->turned);
    mover m = { .shape = shape, .sweep = sweep, .radius = cn_convex_outer_radius(shape, center), .spin = spin };
    m.turns = spin > 0.0f && !ball;
    if (!m.turns) // or else it is placed at each time
        place(&m, sweep->pose.rotation);
    return m;
}

static void move_to(mover *m, float fraction)
{
    if (m->turns)
        place(m, cn_quat_mul(cn_quat_exp(cn_scale(fraction, m->sweep->turned)), m->sweep->pose.rotation));
}

// From the centre of mass, of the point farthest in a direction of the common frame.
static float support_height(const mover *m, cn_vec3 direction)
{
    cn_vec3 local = cn_unrotate(m->rotation, direction);
    return cn_dot(cn_convex_support(m->shape, local), local) + cn_dot(m->arm, direction);
}

// The shapes as GJK sees them, in the frame of a. The difference of their places is formed in double: long ways leave no
// rounding.
static cn_minkowski relative(const mover *a, const mover *b, float fraction)
{
    cn_d3 apart = cn_d3_sub(cn_d3_from(b->sweep->pose.position), cn_d3_from(a->sweep->pose.position));
    cn_d3 moved = cn_d3_sub(cn_d3_from(b->sweep->moved), cn_d3_from(a->sweep->moved));
    cn_d3 arms = cn_d3_sub(cn_d3_from(b->arm), cn_d3_from(a->arm));
    cn_d3 place = cn_d3_madd(cn_d3_madd(apart, (double)fraction, moved), 1.0, arms);
    cn_pose turned = { { 0.0f, 0.0f, 0.0f }, cn_quat_mul(cn_quat_conj(a->rotation), b->rotation) };
    cn_minkowski m = cn_minkowski_make(a->shape, b->shape, turned);
    cn_mat3 axes = cn_mat3_from_quat(a->rotation);
    m.position = cn_d3_make(cn_d3_dot(cn_d3_from(axes.x), place), cn_d3_dot(cn_d3_from(axes.y), place),
                            cn_d3_dot(cn_d3_from(axes.z), place));
    return m;
}

// ---- bounds

// How much one shape can rise towards the other within some time: at `rate`, and by `room` at most.
typedef struct rise {
    float rate, room;
    cn_vec3 lean; // n x w
    float height; // now
    float bend;   // half the largest acceleration
} rise;

static rise rise_of(const mover *m, cn_vec3 n)
{
    if (!m->turns)
        return (rise){ .height = support_height(m, n) };
    cn_vec3 lean = cn_cross(n, m->sweep->turned);
    float rate = cn_length(lean) * m->radius, height = support_height(m, n);
    return (rise){ rate, cn_maxf(m->radius - height, 0.0f), lean, height, 0.5f * rate * m->spin };
}

// The time until two rises and a steady approach together have used up the gap; infinite when they never do. The sum of the
// rises is concave and piecewise linear, with a corner where each of them ends.
static float time_by_rates(const rise *a, const rise *b, float approach, float gap)
{
    const rise *first = a, *second = b;
    if (b->room * a->rate < a->room * b->rate) // b ends first
        first = b, second = a;
    float rate = approach + first->rate + second->rate;
    float end = first->rate > 0.0f ? first->room / first->rate : 0.0f;
    if (rate * end >= gap)
        return gap / rate;
    rate = approach + second->rate;
    gap -= first->room * (first->rate > 0.0f ? 1.0f : 0.0f);
    end = second->rate > 0.0f ? second->room / second->rate : 0.0f;
    if (rate * end >= gap)
        return gap / rate;
    gap -= second->room * (second->rate > 0.0f ? 1.0f : 0.0f);
    return approach > 0.0f ? gap / approach : INFINITY;
}

// The slope of the chord over `span` under which the height of a shape stays, apart from the bend.
static float chord(const mover *m, const rise *r, cn_vec3 n, float span)
{
    return r->rate > 0.0f ? (support_height(m, cn_madd(n, span, r->lean)) - r->height) / span : 0.0f;
}

// The time by the second bound: when slope t + bend t^2 has used up the gap, or `span`, up to which the chords hold.
static float time_by_chords(float slope, float bend, float gap, float span)
{
    float root = sqrtf(slope * slope + 4.0f * bend * gap), sum = slope + root;
    float t = sum > 0.0f ? 2.0f * gap / sum : INFINITY;
    return cn_minf(t, span);
}

// How long the gap along n lasts at least.
static float safe_time(const mover *a, const mover *b, cn_vec3 n, float gap, float left)
{
    float approach = cn_dot(n, cn_sub(a->sweep->moved, b->sweep->moved));
    rise up = rise_of(a, n), down = rise_of(b, cn_neg(n));
    float by_rates = time_by_rates(&up, &down, approach, gap);
    float bend = up.bend + down.bend;
    if (!(by_rates < left) || !(bend > 0.0f))
        return by_rates;
    // Over a longer span the bend alone would use up the gap.
    float span = cn_minf(left, sqrtf(gap / bend));
    float slope = approach + chord(a, &up, n, span) + chord(b, &down, cn_neg(n), span);
    return cn_maxf(by_rates, time_by_chords(slope, bend, gap, span));
}

// ---- advancement

// Of the smaller radius: of a gap that is larger no more needs to be known than that.
#define ROUGH_GAP 0.02f

static float round_down(double x) // x above 0
{
    float nearest = (float)x;
    if ((double)nearest <= x)
        return nearest;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    bits--;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

bool cn_balls_are_near(cn_d3 apart, cn_d3 moved, double reach, float *from, float *to)
{
    reach *= 1.001; // radii are rounded
    double way_sq = cn_d3_dot(moved, moved), along = cn_d3_dot(apart, moved), beyond = cn_d3_dot(apart, apart) - reach * reach;
    double root_sq = along * along - way_sq * beyond;
    *from = 0.0f;
    *to = INFINITY;
    if (!(way_sq > 0.0) || !(root_sq >= 0.0))
        return beyond <= 0.0;
    double root = sqrt(root_sq);
    if (beyond > 0.0)
        *from = (float)((-along - root) / way_sq);
    *to = (float)((-along + root) / way_sq);
    return *from >= 0.0f && *to >= *from;
}

// Of the balls around both shapes.
static bool may_meet(const mover *a, const mover *b, float target, float *from, float *to)
{
    cn_d3 apart = cn_d3_sub(cn_d3_from(b->sweep->pose.position), cn_d3_from(a->sweep->pose.position));
    cn_d3 moved = cn_d3_sub(cn_d3_from(b->sweep->moved), cn_d3_from(a->sweep->moved));
    return cn_balls_are_near(apart, moved, (double)a->radius + (double)b->radius + (double)target, from, to);
}

bool cn_time_of_impact(const cn_convex *a, const cn_sweep *sweep_a, const cn_convex *b, const cn_sweep *sweep_b, float target,
                       float limit, cn_cast_result *result)
{
    mover mover_a = make_mover(a, sweep_a), mover_b = make_mover(b, sweep_b);
    float skin_a = cn_core_skin(a), skins = skin_a + cn_core_skin(b);
    float near = 1.01f * target, aim = 1.005f * target; // so that rounding does not carry it beyond the target
    double rough = (double)(skins + cn_maxf(ROUGH_GAP * cn_minf(mover_a.radius, mover_b.radius), 2.0f * near));
    cn_pair_cache cache = { 0 };
    cn_gjk_result cores = { 0 };
    cn_vec3 normal = { 0.0f, 0.0f, 0.0f };
    float time = 0.0f, end = limit, distance = 0.0f;
    if (!may_meet(&mover_a, &mover_b, target, &time, &end) || !(time < limit))
        return false;
    limit = cn_minf(limit, end);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        move_to(&mover_a, time);
        move_to(&mover_b, time);
        cn_minkowski m = relative(&mover_a, &mover_b, time);
        cores = cn_core_distance(&m, rough, &cache);
        normal = cn_rotate(mover_a.rotation, cores.normal);
        distance = cores.distance - skins;
        if (!(distance > near))
            break;
        float safe = safe_time(&mover_a, &mover_b, normal, 0.999999f * (distance - aim), limit - time);
        double next = (double)time + (double)safe;
        if (!(next < (double)limit))
            return false;
        float after = round_down(next);
        if (!(after > time)) // the shapes meet within a rounding error of the fraction
            break;
        time = after;
    }
    cn_vec3 zero = { 0.0f, 0.0f, 0.0f };
    cn_vec3 center = cn_madd(sweep_a->pose.position, time, sweep_a->moved);
    cn_pose pose = { cn_add(center, mover_a.arm), mover_a.rotation };
    *result = (cn_cast_result){ time, cn_pose_point(pose, cn_madd(cores.point_a, skin_a, cores.normal)),
                                distance > 0.0f ? normal : zero };
    return true;
}
