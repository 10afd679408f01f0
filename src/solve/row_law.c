#include "solve/row_law.h"

#include <math.h>

// The part of what its force makes of the mass that a motor without a spring counts on for braking: gravity and what hangs on its
// bodies take the rest.
#define BRAKING_PART 0.5f

// What a motor's spring and damper do to a velocity within a substep, in times of itself: beyond this they are not told from a lock, and
// push as one. As springs they would leave in the velocities what removes the error, and several in a row would feed each other.
#define STIFFEST 9.0f

// exp(-x) for x in [0, 2], by its series at x / 8: no libm decides the bits.
static float decay(float x)
{
    double y = (double)x * -0.125, sum = 1.0;
    for (int n = 8; n > 0; n--)
        sum = 1.0 + sum * y / n;
    sum *= sum;
    sum *= sum;
    return (float)(sum * sum);
}

// A spring and damper on a mass, over h. Up to a sixth of a period per step the amplitude falls by exactly what the damper
// takes and the spring carries a load exactly where it should; the frequency is right to second order. Stiffer ones are
// integrated implicitly: they cannot be seen to swing, and must not gain energy.
static void set_spring(cn_row_law *law, double stiffness, double damping, double h)
{
    double damped = damping * h, stiff = stiffness * h * h; // in double: a stiff spring on next to nothing leaves the range of float
    if (damped <= 1.0 && stiff <= 0.25) {
        double left = (double)decay((float)damped);
        law->drag = (float)(1.0 - left);
        law->pull = (float)(left * stiff / h);
    } else {
        double scale = 1.0 / (1.0 + damped + stiff);
        law->drag = (float)((damped + stiff) * scale);
        law->pull = (float)(stiff / h * scale);
    }
}

static float bounded(float x) { return x > CN_ROW_FAR ? CN_ROW_FAR : x < -CN_ROW_FAR ? -CN_ROW_FAR : x; }

cn_row_law cn_row_law_of(const cn_joint_row *row, float mass, float h, float lock_drag, float lock_pull)
{
    cn_row_law law = {
        .rest = row->rest, .most = bounded(row->most_force * h), .lower = -CN_ROW_FAR, .upper = CN_ROW_FAR, .drag = 1.0f
    };
    double inverse = row->per_mass ? 1.0 : mass > 0.0f ? 1.0 / (double)mass : 0.0;
    bool gives = row->stiffness > 0.0f || row->damping > 0.0f;
    bool follows = row->kind == CN_ROW_MOTOR && row->per_mass && row->stiffness * h * h + row->damping * h > STIFFEST;
    follows |= row->kind == CN_ROW_MOTOR && isinf(row->stiffness);
    if (follows) {
        law.firm = true;
        law.drag = lock_drag;
        law.pull = lock_pull;
    } else if (gives) {
        set_spring(&law, inverse * (double)row->stiffness, inverse * (double)row->damping, (double)h);
    }
    if (row->kind == CN_ROW_MOTOR)
        law.speed = row->speed;
    if (row->kind == CN_ROW_STOP) {
        law.stops = true;
        law.lower = bounded(row->lower);
        law.upper = bounded(row->upper);
        law.firm = !gives;
        if (!gives) {
            law.drag = lock_drag;
            law.pull = lock_pull;
        }
    }
    return law;
}

cn_row_law cn_torque_law(const cn_joint_torque *torque, float h, float lock_drag, float lock_pull)
{
    cn_joint_row row = { .kind = CN_ROW_MOTOR,
                         .stiffness = torque->stiffness,
                         .damping = torque->damping,
                         .per_mass = true,
                         .most_force = torque->most };
    return cn_row_law_of(&row, 1.0f, h, lock_drag, lock_pull);
}

static float length_of(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

bool cn_goes_along(float moved, float near) { return fabsf(moved) <= 4.0f * near; }

void cn_drive_motor(cn_motor_drive *drive, float h, float dt, float part, float near)
{
    float moving = cn_goes_along(length_of(drive->moved), near) ? 1.0f : 0.0f, own[3];
    for (int k = 0; k < 3; k++)
        own[k] = drive->error[k] + moving * drive->moved[k];
    float size = length_of(own), mass = drive->mass;
    // As a lock it moves by what its force does from rest in each substep, which is then taken out again.
    float reach = mass > 0.0f ? drive->most_force * h / mass * dt : near, held = 1.0f;
    near = reach < near ? reach : near;
    if (size > near)
        held = near / size;
    float speed = part * (1.0f - held) * size / dt, brakes = mass > 0.0f ? 2.0f * BRAKING_PART * drive->most_force / mass * size : INFINITY;
    float slower = speed * speed > brakes ? sqrtf(brakes) / speed : 1.0f;
    for (int k = 0; k < 3; k++) {
        drive->held[k] = held * own[k];
        drive->speed[k] = (moving * drive->moved[k] - slower * part * (1.0f - held) * own[k]) / dt;
    }
}
