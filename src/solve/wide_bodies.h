// The passes over bodies: velocities before contacts act, and displacements.
#ifndef CN_WIDE_BODIES_H
#define CN_WIDE_BODIES_H

#include "solve/wide.h"

CN_INLINE cn_f8 load_row(const float *row) { return *(const cn_f8 *)row; }

CN_INLINE cn_f8 damping_factors(const cn_body_drive *d, float h)
{
    float linear = 1.0f / (1.0f + h * d->damping[0]), angular = 1.0f / (1.0f + h * d->damping[1]);
    return (cn_f8){ linear, linear, linear, linear, angular, angular, angular, angular };
}

CN_INLINE cn_f8 driven(const cn_sweep *s, const cn_body_drive *d, cn_f8 velocity)
{
    velocity += cn_f8_set(s->h) * load_row(d->acceleration);
    if (d->damping[0] != 0.0f || d->damping[1] != 0.0f)
        velocity *= damping_factors(d, s->h);
    return velocity;
}

static void start_step(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_f8 *velocity = (cn_f8 *)s->states[bodies[i]].linear;
        cn_body_drive *d = &s->drives[bodies[i]];
        *velocity = *(cn_f8 *)d->before = driven(s, d, *velocity);
    }
}

// While the patches are frozen for the step, what the contacts added to a body's velocity in the last substep is all their
// impulses together. Adding it again warm starts every contact at once, without visiting any.
static void start_substep(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_f8 *velocity = (cn_f8 *)s->states[bodies[i]].linear;
        cn_body_drive *d = &s->drives[bodies[i]];
        cn_f8 added = *velocity - load_row(d->before), before = driven(s, d, *velocity);
        *(cn_f8 *)d->before = before;
        *velocity = before + added;
    }
}

// Squared angles, rad: above the first they are halved; from the second on nothing is left of the digits.
#define LARGE_TURN 1.0f
#define LARGEST_TURN 1e20f

// The quaternion of a rotation vector, exact to the fourth order of the angle and of unit length to the fifth. Large angles are
// halved until they are small, and the rotation is doubled as often: it stays one, whatever the speed.
CN_INLINE void small_turn(float q[4], float x, float y, float z)
{
    float sq = x * x + y * y + z * z, scale = 1.0f;
    int halvings = 0;
    if (!(sq < LARGEST_TURN))
        sq = scale = 0.0f; // nothing tells where it would be
    for (; sq > LARGE_TURN; halvings++)
        sq *= 0.25f, scale *= 0.5f;
    float s = scale * (0.5f - sq * (1.0f / 48.0f) + sq * sq * (1.0f / 3840.0f)), c = 1.0f - 0.125f * sq + sq * sq * (1.0f / 384.0f);
    q[0] = x * s, q[1] = y * s, q[2] = z * s, q[3] = c;
    for (; halvings > 0; halvings--) {
        float v = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], w = 2.0f * q[3], unit = 1.0f / (v + q[3] * q[3]);
        q[3] = unit * (q[3] * q[3] - v);
        for (int i = 0; i < 3; i++)
            q[i] = unit * w * q[i];
    }
}

// The rotation of a body that joints ask for.
CN_INLINE void turn_body(float turn[4], const float *angular, float h)
{
    float q[4];
    small_turn(q, h * angular[0], h * angular[1], h * angular[2]);
    float x = q[0], y = q[1], z = q[2], c = q[3], qx = turn[0], qy = turn[1], qz = turn[2], qw = turn[3];
    float nx = c * qx + qw * x + (y * qz - z * qy), ny = c * qy + qw * y + (z * qx - x * qz),
          nz = c * qz + qw * z + (x * qy - y * qx), nw = c * qw - (x * qx + y * qy + z * qz);
    turn[0] = nx, turn[1] = ny, turn[2] = nz, turn[3] = nw;
}

// A body that no contact pushed follows its parabola exactly: h * (velocity before gravity + after) / 2.
static void move(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_body_state *state = &s->states[bodies[i]];
        cn_body_drive *d = &s->drives[bodies[i]];
        cn_f8 velocity = load_row(state->linear);
        if (!cn_any(velocity != load_row(d->before)))
            velocity -= cn_f8_set(0.5f * s->h) * load_row(d->acceleration);
        cn_f8 step = cn_f8_set(s->h) * velocity;
        *(cn_f8 *)state->moved += step;
        memcpy(d->last_move, &step, sizeof d->last_move);
        if (d->jointed) {
            float applied[CN_LANES];
            memcpy(applied, &velocity, sizeof applied);
            turn_body(s->turns[bodies[i]], applied + 4, s->h);
        }
    }
}

#endif
