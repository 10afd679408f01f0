// Free rotation of a body whose principal moments differ. With the inverse moments a and the momentum L, twice the energy is
//     a_mid |L|^2 + (a_low - a_mid) L_low^2 + (a_high - a_mid) L_high^2.
// Each part alone is a turn that can be written down: the first about the momentum, which stays, the others about a principal axis. The first goes
// with the others exactly; those two are taken in turns (Strang splitting, or the fourth order method of Blanes and Moan 2002, "Practical
// symplectic partitioned Runge-Kutta and Runge-Kutta-Nystrom methods"), which keeps the momentum to rounding and the error in energy
// bounded however long it runs. A body with two equal moments is exact at any speed. In double: a hundred thousand turns in float would add up to a percent.
#include "world/spin.h"

#include <string.h>

// The turns of a step are cut into pieces of at most about this angle, in radians: a few in the simple way, more in rounds of six at once,
// whose pieces are as good when they are three times as large.
#define LARGEST_TURN 0.05
#define LARGEST_ROUND 0.9
// More of them cost more than they tell: at CN_MOST_FREE_TURN they are off by a hundredth of the angle, but never in momentum and energy.
enum { FEW_PIECES = 5, MOST_ROUNDS = 8 };

// 1 / (k (k + 1)) and 1 / (k (k - 1)) for k = 20, 18, .. 2.
static const double sine_series[] = { 1.0 / 420.0, 1.0 / 342.0, 1.0 / 272.0, 1.0 / 210.0, 1.0 / 156.0,
                                      1.0 / 110.0, 1.0 / 72.0,  1.0 / 42.0,  1.0 / 20.0,  1.0 / 6.0 };
static const double cosine_series[] = { 1.0 / 380.0, 1.0 / 306.0, 1.0 / 240.0, 1.0 / 182.0, 1.0 / 132.0,
                                        1.0 / 90.0,  1.0 / 56.0,  1.0 / 30.0,  1.0 / 12.0,  1.0 / 2.0 };

// Sine and cosine of half of an angle by their series, to 1e-13; both with the other sign beyond half a turn, which is the same rotation.
static void half_angle(double angle, double *sine, double *cosine)
{
    const double half_turn = 3.14159265358979323846;
    double h = 0.5 * angle;
    if (fabs(h) > 0.125)
        h -= half_turn * floor(h / half_turn + 0.5);
    double x = h * h;
    if (x > 4.0) // so large that its turns are below its rounding
        h = x = 0.0;
    if (x <= 0.125 * 0.125) {
        *sine = h * (1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 20.0) * (1.0 - x * (1.0 / 42.0))));
        *cosine = 1.0 - x * 0.5 * (1.0 - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0))));
        return;
    }
    if (x <= 0.5 * 0.5) { // most pieces of a round
        double a = 1.0 - x * (1.0 / 110.0) * (1.0 - x * (1.0 / 156.0)),
               b = 1.0 - x * (1.0 / 90.0) * (1.0 - x * (1.0 / 132.0) * (1.0 - x * (1.0 / 182.0)));
        *sine =
            h * (1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 20.0) * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0) * a))));
        *cosine = 1.0 - x * 0.5 * (1.0 - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * b)));
        return;
    }
    double s = 1.0, c = 1.0;
    for (int k = 0; k < (int)(sizeof sine_series / sizeof *sine_series); k++) {
        s = 1.0 - x * sine_series[k] * s;
        c = 1.0 - x * cosine_series[k] * c;
    }
    *sine = h * s;
    *cosine = c;
}

// Turns the axes about one of them at the rate times the momentum along it; the momentum, seen from the axes, turns the other way.
static inline void turn(double momentum[3], double q[4], int axis, double angle_per_momentum)
{
    int i = axis < 2 ? axis + 1 : 0, j = axis > 0 ? axis - 1 : 2;
    double sh, ch;
    half_angle(angle_per_momentum * momentum[axis], &sh, &ch);
    double cosine = ch * ch - sh * sh, sine = 2.0 * sh * ch, mi = momentum[i], mj = momentum[j];
    momentum[i] = cosine * mi + sine * mj;
    momentum[j] = cosine * mj - sine * mi;
    double x = q[axis], a = q[i], b = q[j], w = q[3]; // q <- q * (sh along the axis, ch)
    q[axis] = ch * x + sh * w;
    q[i] = ch * a + sh * b;
    q[j] = ch * b - sh * a;
    q[3] = ch * w - sh * x;
}

static void normalize(double q[4])
{
    double scale = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] *= scale;
}

// v' = q v q*, or the inverse rotation with sign = -1.
static void rotate(const double q[4], double sign, const double v[3], double out[3])
{
    double x = sign * q[0], y = sign * q[1], z = sign * q[2], w = q[3];
    double tx = 2.0 * (y * v[2] - z * v[1]), ty = 2.0 * (z * v[0] - x * v[2]), tz = 2.0 * (x * v[1] - y * v[0]);
    out[0] = v[0] + w * tx + y * tz - z * ty;
    out[1] = v[1] + w * ty + z * tx - x * tz;
    out[2] = v[2] + w * tz + x * ty - y * tx;
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static double twice_energy(const cn_spin *s)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += s->momentum[k] * s->momentum[k] * s->inverse_inertia[k];
    return sum;
}

// Pieces are off in energy by the square of their angle. Moves the momentum, seen from the axes, along the sphere of its length to where the
// energy is right, by Newton's method, and turns the axes by as much the other way, so that it stays where it is in the world.
static void restore_energy(cn_spin *s, double energy)
{
    for (int round = 0; round < 2; round++) {
        double *m = s->momentum, now = twice_energy(s), length = 0.0, slope = 0.0, step[3];
        for (int k = 0; k < 3; k++)
            length += m[k] * m[k];
        for (int k = 0; k < 3; k++) { // the gradient of the energy along the sphere
            step[k] = (s->inverse_inertia[k] - now / length) * m[k];
            slope += 2.0 * s->inverse_inertia[k] * m[k] * step[k];
        }
        // Near an axis the energy hardly changes along the sphere: nothing to restore there but rounding.
        double part = slope > 1e-6 * now * now / length ? (energy - now) / slope : 0.0;
        // Half the turn from m to m + part * step, as a rotation of the axes against it.
        double x = 0.5 * part / length, turn[4] = { x * (step[1] * m[2] - step[2] * m[1]), x * (step[2] * m[0] - step[0] * m[2]),
                                                    x * (step[0] * m[1] - step[1] * m[0]), 1.0 };
        normalize(turn);
        double moved[3], q[4] = { s->q[0], s->q[1], s->q[2], s->q[3] };
        rotate(turn, -1.0, m, moved);
        memcpy(m, moved, sizeof moved);
        multiply(q, turn, s->q);
    }
}

// An angle, in rad, without its whole turns.
static float rest_of_turn(float angle)
{
    const float full_turn = 2.0f * CN_PI;
    return angle - full_turn * floorf(angle / full_turn);
}

cn_quat cn_far_turn(cn_vec3 turned)
{
    return cn_quat_axis_angle(cn_normalize(turned), rest_of_turn(cn_length(turned)));
}

// Moments that differ by less than this part of them are equal.
#define SAME_MOMENT 1e-3f
// A body has an axis of its own when the moments across it differ by less than this part of them.
#define EVEN_MOMENTS 0.1f

// The axis about which the two other moments differ least, and by which part of their mean.
static int most_even_axis(cn_vec3 i, float *uneven)
{
    float apart[3] = { cn_absf(i.y - i.z), cn_absf(i.z - i.x), cn_absf(i.x - i.y) };
    int axis = apart[0] <= apart[1] && apart[0] <= apart[2] ? 0 : apart[1] <= apart[2] ? 1 : 2;
    *uneven = 2.0f * apart[axis] / (i.x + i.y + i.z - cn_component(i, axis));
    return axis;
}

// The axis whose moment is not one of two equal ones; -1 where all three differ.
static int odd_axis(cn_vec3 i)
{
    float uneven;
    int axis = most_even_axis(i, &uneven);
    return uneven <= SAME_MOMENT ? axis : -1;
}

bool cn_is_symmetric_top(const cn_body *body, cn_quat rotation, cn_vec3 angular_velocity, cn_vec3 *precession)
{
    cn_vec3 i = body->principal_inertia;
    int axis = odd_axis(i);
    if (axis < 0)
        return false;
    float across = 0.5f * (i.x + i.y + i.z - cn_component(i, axis));
    cn_quat axes = cn_quat_mul(rotation, body->principal_rotation);
    cn_vec3 w = cn_unrotate(axes, angular_velocity), momentum = { i.x * w.x, i.y * w.y, i.z * w.z };
    *precession = cn_rotate(axes, cn_scale(1.0f / across, momentum));
    return true;
}

bool cn_body_axis(const cn_body *body, cn_vec3 *axis)
{
    float uneven;
    int k = most_even_axis(body->principal_inertia, &uneven);
    *axis = cn_rotate(body->principal_rotation, cn_v3(k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f));
    return uneven <= EVEN_MOMENTS;
}

static void order_axes(cn_spin *s)
{
    const double *a = s->inverse_inertia;
    s->low = a[0] <= a[1] ? (a[0] <= a[2] ? 0 : 2) : (a[1] <= a[2] ? 1 : 2);
    int i = (s->low + 1) % 3, j = (s->low + 2) % 3;
    s->high = a[i] > a[j] ? i : j;
    s->middle = 3 - s->low - s->high;
}

// Turns the body about its momentum, which is the same vector before and after, seen from the axes too.
static void turn_about_momentum(cn_spin *s, double angle_per_length)
{
    double sh, ch, q[4] = { s->q[0], s->q[1], s->q[2], s->q[3] };
    half_angle(angle_per_length * s->length, &sh, &ch);
    sh = s->length > 0.0 ? sh / s->length : 0.0;
    double turn[4] = { sh * s->momentum[0], sh * s->momentum[1], sh * s->momentum[2], ch };
    multiply(q, turn, s->q);
}

cn_spin cn_spin_start(const cn_body *body, cn_quat rotation, cn_vec3 angular_velocity)
{
    cn_quat start = cn_quat_mul(rotation, body->principal_rotation);
    cn_vec3 moments = body->principal_inertia, w = angular_velocity;
    cn_spin s = { .q = { (double)start.x, (double)start.y, (double)start.z, (double)start.w },
                  .inverse_inertia = { 1.0 / (double)moments.x, 1.0 / (double)moments.y, 1.0 / (double)moments.z } };
    normalize(s.q);
    const double world[3] = { (double)w.x, (double)w.y, (double)w.z };
    double local[3], length_sq = 0.0;
    rotate(s.q, -1.0, world, local);
    for (int k = 0; k < 3; k++) {
        s.momentum[k] = local[k] / s.inverse_inertia[k];
        length_sq += s.momentum[k] * s.momentum[k];
    }
    s.length = sqrt(length_sq);
    order_axes(&s);
    return s;
}

// Rounds of six pieces in one, of fourth order, about the axes 0 and `high`, which is known where it is compiled. The last turn of a round
// and the first of the next are about the same axis.
static inline void turn_rounds(double momentum[3], double q[4], int high, double slow, double fast, int rounds)
{
    static const double a[4] = { 0.0792036964311957, 0.353172906049774, -0.0420650803577195, 0.2193769557534996 };
    static const double b[3] = { 0.209515106613362, -0.143851773179818, 0.434336666566456 };
    for (int k = 0, i = 0; k < 6 * rounds; k++, i = i < 5 ? i + 1 : 0) {
        turn(momentum, q, 0, slow * (i == 0 && k > 0 ? 2.0 * a[0] : a[i < 4 ? i : 6 - i]));
        turn(momentum, q, high, fast * b[i < 3 ? i : 5 - i]);
    }
    turn(momentum, q, 0, slow * a[0]);
}

static inline void turn_pieces(double momentum[3], double q[4], int high, double slow, double fast, int pieces)
{
    if (slow != 0.0) // else the moments are those of a symmetric body
        turn(momentum, q, 0, 0.5 * slow);
    for (int i = 0; i < pieces; i++) {
        if (fast != 0.0)
            turn(momentum, q, high, fast);
        if (slow != 0.0)
            turn(momentum, q, 0, i + 1 < pieces ? slow : 0.5 * slow);
    }
}

void cn_spin_advance(cn_spin *s, double time)
{
    const double *a = s->inverse_inertia;
    double slow = a[s->low] - a[s->middle], fast = a[s->high] - a[s->middle];
    double angle = time * s->length * sqrt(-slow * fast); // about what the two kinds of turns disagree by
    int order[3] = { s->low, s->low < 2 ? s->low + 1 : 0, s->low > 0 ? s->low - 1 : 2 }; // the axis of the lowest comes first
    double momentum[3], q[4] = { s->q[order[0]], s->q[order[1]], s->q[order[2]], s->q[3] };
    for (int k = 0; k < 3; k++)
        momentum[k] = s->momentum[order[k]];
    bool second = order[1] == s->high, many = angle > LARGEST_TURN * FEW_PIECES;
    double pieces = many ? angle / LARGEST_ROUND : angle / LARGEST_TURN;
    int count = pieces < MOST_ROUNDS ? 1 + (int)pieces : MOST_ROUNDS; // never more than FEW_PIECES + 1 in the simple way
    slow *= time / count;
    fast *= time / count;
    if (many && second)
        turn_rounds(momentum, q, 1, slow, fast, count);
    else if (many)
        turn_rounds(momentum, q, 2, slow, fast, count);
    else
        turn_pieces(momentum, q, second ? 1 : 2, slow, fast, count);
    for (int k = 0; k < 3; k++) {
        s->momentum[order[k]] = momentum[k];
        s->q[order[k]] = q[k];
    }
    s->q[3] = q[3];
    turn_about_momentum(s, time * a[s->middle]);
}

cn_quat cn_spin_rotation(const cn_spin *s, const cn_body *body)
{
    cn_quat axes = { (float)s->q[0], (float)s->q[1], (float)s->q[2], (float)s->q[3] };
    return cn_quat_normalize(cn_quat_mul(axes, cn_quat_conj(body->principal_rotation)));
}

cn_vec3 cn_spin_velocity(const cn_spin *s)
{
    double local[3], w[3];
    for (int k = 0; k < 3; k++)
        local[k] = s->momentum[k] * s->inverse_inertia[k];
    rotate(s->q, 1.0, local, w);
    return cn_v3((float)w[0], (float)w[1], (float)w[2]);
}

void cn_rotate_freely(const cn_body *body, float dt, cn_quat *rotation, cn_vec3 *angular_velocity)
{
    cn_vec3 precession;
    if (dt * cn_length(*angular_velocity) > CN_MOST_FREE_TURN &&
        !cn_is_symmetric_top(body, *rotation, *angular_velocity, &precession)) { // too fast for the pieces there are: the axis stays
        *rotation = cn_quat_normalize(cn_quat_mul(cn_far_turn(cn_scale(dt, *angular_velocity)), *rotation));
        return;
    }
    cn_spin s = cn_spin_start(body, *rotation, *angular_velocity);
    if (!(s.length > 0.0))
        return;
    double energy = twice_energy(&s);
    cn_spin_advance(&s, (double)dt);
    normalize(s.q);
    restore_energy(&s, energy);
    *angular_velocity = cn_spin_velocity(&s);
    *rotation = cn_spin_rotation(&s, body);
}

// ---- round bodies

uint8_t cn_find_round_axis(const cn_world *world, const cn_body *body)
{
    cn_shape_type type = body->shape_count == 1 ? world->shapes.data[body->first_shape].convex.type : CN_BOX;
    if (body->mass_overridden || !body->gyroscopic || (type != CN_CAPSULE && type != CN_TAPERED_CAPSULE && type != CN_CYLINDER))
        return 0;
    int axis = odd_axis(body->principal_inertia);
    return axis < 0 ? 0 : (uint8_t)(axis + 1);
}

cn_vec3 cn_round_axis(const cn_body *body)
{
    int axis = body->round_about;
    cn_vec3 local = { axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f, axis == 3 ? 1.0f : 0.0f };
    return cn_rotate(body->rotation, cn_rotate(body->principal_rotation, local));
}

cn_vec3 cn_swing(const cn_body *body, cn_vec3 turn)
{
    if (body->round_about == 0)
        return turn;
    cn_vec3 axis = cn_round_axis(body);
    return cn_madd(turn, -cn_dot(axis, turn), axis);
}

// Seen from its axis u, w across it turns about u, at (moment about u / moment across) times the rate of the spin: from the momentum, which stays.
static cn_vec3 precession_of_round(const cn_body *body, float dt)
{
    cn_vec3 u = cn_round_axis(body), w = body->angular_velocity, i = body->principal_inertia;
    float spin = cn_dot(u, w), about = cn_component(i, body->round_about - 1), across = 0.5f * (i.x + i.y + i.z - about);
    cn_vec3 swing = cn_madd(w, -spin, u), after = cn_rotate(cn_quat_axis_angle(u, rest_of_turn(dt * spin * about / across)), swing);
    return cn_scale(1.0f / dt, cn_sub(after, swing));
}

cn_vec3 cn_gyroscopic_acceleration(const cn_body *body, bool jointed, float dt)
{
    // The part by which the velocity changes is at most about the angle turned: too little to matter for what hardly turns. What
    // turns more than once in a step while it is pushed keeps its axis: anything else would make energy.
    float angle_sq = dt * dt * cn_length_sq(body->angular_velocity);
    if (angle_sq >= 1e-6f && body->round_about != 0 && !jointed)
        return precession_of_round(body, dt);
    if (angle_sq < 1e-6f || angle_sq > CN_MOST_PUSHED_TURN * CN_MOST_PUSHED_TURN)
        return cn_v3(0.0f, 0.0f, 0.0f);
    cn_quat rotation = body->rotation;
    cn_vec3 after = body->angular_velocity;
    cn_rotate_freely(body, dt, &rotation, &after);
    return cn_scale(1.0f / dt, cn_sub(after, body->angular_velocity));
}
