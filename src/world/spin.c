// Free rotation of a body whose principal moments differ. The motion is split into turns about the three principal axes, each
// of which keeps the angular momentum to rounding (McLachlan 1993; Touma and Wisdom 1994); the error in energy stays bounded
// however long it runs. In double: a hundred thousand turns in float would add up to a percent.
#include "world/world.h"

#include <string.h>

// The turns of a step are cut into pieces of at most about this angle, in radians.
#define LARGEST_TURN 0.02f
enum { MOST_PIECES = 512 };
// Pieces of a larger angle than CN_MOST_FREE_TURN / MOST_PIECES would turn the momentum to where it makes more energy.

typedef struct spin {
    double q[4];        // rotation of the principal axes, x y z w, not normalised
    double momentum[3]; // along the principal axes
    double inverse_inertia[3];
} spin;

// Turns the axes about one of them, at the speed that the momentum along this axis alone gives; the momentum, seen from the
// axes, turns the other way. t is the tangent of half the angle (to third order in it), so that the rotation needs neither sine
// nor cosine.
static void turn(spin *s, int axis, double time)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double t = 0.5 * time * s->momentum[axis] * s->inverse_inertia[axis];
    double scale = 1.0 / (1.0 + t * t), cosine = (1.0 - t * t) * scale, sine = 2.0 * t * scale;
    double mi = s->momentum[i], mj = s->momentum[j];
    s->momentum[i] = cosine * mi + sine * mj;
    s->momentum[j] = cosine * mj - sine * mi;
    double *q = s->q, x = q[axis], a = q[i], b = q[j], w = q[3]; // q <- q * (t along the axis, 1)
    q[axis] = x + t * w;
    q[i] = a + t * b;
    q[j] = b - t * a;
    q[3] = w - t * x;
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

static double twice_energy(const spin *s)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += s->momentum[k] * s->momentum[k] * s->inverse_inertia[k];
    return sum;
}

// Pieces are off in energy by the square of their angle. Moves the momentum, seen from the axes, along the sphere of its length to where the
// energy is right, by Newton's method, and turns the axes by as much the other way, so that it stays where it is in the world.
static void restore_energy(spin *s, double energy)
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
        s->q[0] = q[3] * turn[0] + q[0] * turn[3] + q[1] * turn[2] - q[2] * turn[1];
        s->q[1] = q[3] * turn[1] + q[1] * turn[3] + q[2] * turn[0] - q[0] * turn[2];
        s->q[2] = q[3] * turn[2] + q[2] * turn[3] + q[0] * turn[1] - q[1] * turn[0];
        s->q[3] = q[3] * turn[3] - q[0] * turn[0] - q[1] * turn[1] - q[2] * turn[2];
    }
}

// By any number of whole turns and a rest.
static cn_quat steady_turn(float dt, cn_vec3 angular_velocity)
{
    const float full_turn = 2.0f * CN_PI;
    float angle = dt * cn_length(angular_velocity), rest = angle - full_turn * floorf(angle / full_turn);
    return cn_quat_axis_angle(cn_normalize(angular_velocity), rest);
}

// Moments that differ by less than this part of them are equal.
#define SAME_MOMENT 1e-3f

bool cn_is_symmetric_top(const cn_body *body, cn_quat rotation, cn_vec3 angular_velocity, cn_vec3 *precession)
{
    cn_vec3 i = body->principal_inertia;
    float apart[3] = { cn_absf(i.y - i.z), cn_absf(i.z - i.x), cn_absf(i.x - i.y) };
    int axis = apart[0] <= apart[1] && apart[0] <= apart[2] ? 0 : apart[1] <= apart[2] ? 1 : 2;
    float across = 0.5f * (i.x + i.y + i.z - cn_component(i, axis));
    if (!(apart[axis] <= SAME_MOMENT * across))
        return false;
    cn_quat axes = cn_quat_mul(rotation, body->principal_rotation);
    cn_vec3 w = cn_unrotate(axes, angular_velocity), momentum = { i.x * w.x, i.y * w.y, i.z * w.z };
    *precession = cn_rotate(axes, cn_scale(1.0f / across, momentum));
    return true;
}

void cn_rotate_freely(const cn_body *body, float dt, cn_quat *rotation, cn_vec3 *angular_velocity)
{
    float angle = dt * cn_length(*angular_velocity);
    cn_vec3 precession;
    if (angle > CN_MOST_STEADY_TURN && cn_is_symmetric_top(body, *rotation, *angular_velocity, &precession)) {
        // It turns about its own axis, and that about the angular momentum, both at a steady rate.
        cn_quat turn = steady_turn(dt, precession), own = steady_turn(dt, cn_sub(*angular_velocity, precession));
        *rotation = cn_quat_normalize(cn_quat_mul(turn, cn_quat_mul(own, *rotation)));
        *angular_velocity = cn_rotate(turn, *angular_velocity);
        return;
    }
    if (angle > CN_MOST_FREE_TURN) { // too fast for the pieces there are: the axis stays
        *rotation = cn_quat_normalize(cn_quat_mul(steady_turn(dt, *angular_velocity), *rotation));
        return;
    }
    cn_quat start = cn_quat_mul(*rotation, body->principal_rotation);
    cn_vec3 moments = body->principal_inertia, w = *angular_velocity;
    spin s = { { (double)start.x, (double)start.y, (double)start.z, (double)start.w },
               { 0 },
               { 1.0 / (double)moments.x, 1.0 / (double)moments.y, 1.0 / (double)moments.z } };
    normalize(s.q);
    const double world[3] = { (double)w.x, (double)w.y, (double)w.z };
    double local[3];
    rotate(s.q, -1.0, world, local);
    for (int k = 0; k < 3; k++)
        s.momentum[k] = local[k] / s.inverse_inertia[k];

    double energy = twice_energy(&s);
    int pieces = angle < LARGEST_TURN * (float)MOST_PIECES ? 1 + (int)(angle / LARGEST_TURN) : MOST_PIECES;
    double h = (double)dt / pieces;
    for (int i = 0; i < pieces; i++) {
        turn(&s, 0, 0.5 * h);
        turn(&s, 1, 0.5 * h);
        turn(&s, 2, h);
        turn(&s, 1, 0.5 * h);
        turn(&s, 0, 0.5 * h);
        normalize(s.q);
    }
    if (angle > CN_MOST_STEADY_TURN) // below it they are small enough
        restore_energy(&s, energy);
    double after[3];
    for (int k = 0; k < 3; k++)
        local[k] = s.momentum[k] * s.inverse_inertia[k];
    rotate(s.q, 1.0, local, after);
    *angular_velocity = cn_v3((float)after[0], (float)after[1], (float)after[2]);
    cn_quat end = { (float)s.q[0], (float)s.q[1], (float)s.q[2], (float)s.q[3] };
    *rotation = cn_quat_normalize(cn_quat_mul(end, cn_quat_conj(body->principal_rotation)));
}

cn_vec3 cn_gyroscopic_acceleration(const cn_body *body, float dt)
{
    // The part by which the velocity changes is at most about the angle turned: too little to matter for what hardly turns. What
    // turns more than once in a step while it is pushed keeps its axis: anything else would make energy.
    float angle_sq = dt * dt * cn_length_sq(body->angular_velocity);
    if (angle_sq < 1e-6f || angle_sq > CN_MOST_PUSHED_TURN * CN_MOST_PUSHED_TURN)
        return cn_v3(0.0f, 0.0f, 0.0f);
    cn_quat rotation = body->rotation;
    cn_vec3 after = body->angular_velocity;
    cn_rotate_freely(body, dt, &rotation, &after);
    return cn_scale(1.0f / dt, cn_sub(after, body->angular_velocity));
}
