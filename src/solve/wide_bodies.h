// The passes over bodies: velocities before contacts act, and displacements.
#ifndef CN_WIDE_BODIES_H
#define CN_WIDE_BODIES_H

#include "math/vec.h"
#include "shape/limits.h"
#include "solve/wide.h"

CN_INLINE cn_f8 load_row(const float *row) { return *(const cn_f8 *)row; }

CN_INLINE cn_f8 damping_factors(const cn_body_drive *d, float h)
{
    float linear = 1.0f / (1.0f + h * d->damping[0]), angular = 1.0f / (1.0f + h * d->damping[1]);
    return (cn_f8){ linear, linear, linear, linear, angular, angular, angular, angular };
}

CN_APART void note_spin(cn_body_drive *d, const float *angular)
{
    for (int k = 0; k < 3; k++)
        d->spins[k] += angular[k];
    d->begun++;
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
        if (d->leans)
            note_spin(d, s->states[bodies[i]].angular);
        *velocity = *(cn_f8 *)d->before = driven(s, d, *velocity);
    }
}

// A motor or a spring without bounds may drive a body faster than anything may be: it goes on as fast as that, in this substep already,
// because what is much farther away in the next cannot be computed with. So does what joints that have flown open throw about.
CN_APART void hold_back(cn_body_state *state)
{
    for (int row = 0; row < 2; row++) {
        float *v = row == 0 ? state->linear : state->angular;
        double sq = (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
        double most = (double)CN_MAX_SPEED;
        for (int k = 0; k < 3 && sq > most * most; k++)
            v[k] = (float)((double)v[k] * (most / sqrt(sq)));
    }
}

// While the patches are frozen for the step, what the contacts added to a body's velocity in the last substep is all their
// impulses together. Adding it again warm starts every contact at once, without visiting any.
static void start_substep(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_f8 *velocity = (cn_f8 *)s->states[bodies[i]].linear;
        cn_body_drive *d = &s->drives[bodies[i]];
        if (cn_any(cn_f8_abs(*velocity) > cn_f8_set(CN_MAX_SPEED)))
            hold_back(&s->states[bodies[i]]);
        if (d->leans)
            note_spin(d, s->states[bodies[i]].angular);
        cn_f8 added = *velocity - load_row(d->before), before = driven(s, d, *velocity);
        if (cn_any(~(cn_f8_abs(added) <= cn_f8_set(CN_MAX_SPEED)))) // no such force balances another
            added = cn_f8_zero();
        *(cn_f8 *)d->before = before;
        *velocity = before + added;
    }
}

// By more than this, rad^2, the polynomials below make a quaternion that is longer than 1, and the product of those of many
// substeps leaves the range of float.
#define SMALL_TURN_SQ 1.0f

static void turn_far(float turn[4], float x, float y, float z)
{
    cn_quat q = { turn[0], turn[1], turn[2], turn[3] };
    q = cn_quat_normalize(cn_quat_mul(cn_quat_exp(cn_v3(x, y, z)), q));
    turn[0] = q.x, turn[1] = q.y, turn[2] = q.z, turn[3] = q.w;
}

// Forces that balance in one substep hardly move the body in the next. When they do, by more than what counts as an impact, they were
// those of an impact, or what they balanced is gone.
CN_INLINE bool is_thrown(const cn_sweep *s, int body)
{
    if (s->drives[body].let_go)
        return true;
    const float *velocity = s->states[body].linear, *before = s->drives[body].before, *pull = s->drives[body].acceleration;
    float x = s->h * pull[0], y = s->h * pull[1], z = s->h * pull[2], least = s->restitution_speed;
    float pulled = x * x + y * y + z * z;
    x += velocity[0] - before[0], y += velocity[1] - before[1], z += velocity[2] - before[2];
    float sq = x * x + y * y + z * z;
    if (sq <= least * least)
        return false;
    float most = least + sqrtf(pulled);
    return sq > most * most;
}

static bool any_thrown(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++)
        if (is_thrown(s, bodies[i]))
            return true;
    return false;
}

// The rotation of a body that joints ask for: exact to the fourth order of the angle of a substep, and of unit length to the fifth.
CN_INLINE void turn_body(float turn[4], const float *angular, float h)
{
    float x = h * angular[0], y = h * angular[1], z = h * angular[2], sq = x * x + y * y + z * z;
    if (sq > SMALL_TURN_SQ) {
        turn_far(turn, x, y, z);
        return;
    }
    float s = 0.5f - sq * (1.0f / 48.0f) + sq * sq * (1.0f / 3840.0f), c = 1.0f - 0.125f * sq + sq * sq * (1.0f / 384.0f);
    x *= s, y *= s, z *= s;
    float qx = turn[0], qy = turn[1], qz = turn[2], qw = turn[3];
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
        if (cn_any(cn_f8_abs(load_row(state->linear)) > cn_f8_set(CN_MAX_SPEED)))
            hold_back(state);
        cn_f8 velocity = load_row(state->linear);
        if (!cn_any(velocity != load_row(d->before)))
            velocity -= cn_f8_set(0.5f * s->h) * load_row(d->acceleration);
        cn_f8 step = cn_f8_set(s->h) * velocity;
        *(cn_f8 *)state->moved += step;
        memcpy(d->last_move, &step, sizeof d->last_move);
        if (d->jointed && !d->follows) {
            float applied[CN_LANES];
            memcpy(applied, &velocity, sizeof applied);
            turn_body(s->turns[bodies[i]], applied + 4, s->h);
        }
    }
}

#endif
