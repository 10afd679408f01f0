#include "solve/follow.h"

#include <math.h>

static cn_vec3 load(const float *r) { return cn_v3(r[0], r[1], r[2]); }

static void store(float *r, cn_vec3 v) { r[0] = v.x, r[1] = v.y, r[2] = v.z; }

// ---- one body

static void set_turn(cn_follower *f, cn_quat turn)
{
    f->turn = turn;
    f->columns[0] = cn_rotate(turn, cn_v3(1.0f, 0.0f, 0.0f));
    f->columns[1] = cn_rotate(turn, cn_v3(0.0f, 1.0f, 0.0f));
    f->columns[2] = cn_rotate(turn, cn_v3(0.0f, 0.0f, 1.0f));
}

cn_follower cn_follower_of(const cn_solve_input *input, int state)
{
    const cn_body_mass *m = &input->masses[state];
    const float *turn = input->turns[state];
    cn_sym3 inverse = { m->xx, m->yy, m->zz, m->xy, m->xz, m->yz };
    cn_quat q = { turn[0], turn[1], turn[2], turn[3] };
    cn_follower f = { .state = state, .end = q, .inverse = inverse, .inertia = cn_sym3_inverse(inverse) };
    set_turn(&f, q);
    return f;
}

cn_sym3 cn_follower_inverse(const cn_follower *f) { return cn_sym3_rotate(f->inverse, f->turn); }

// Euler's equation by the midpoint rule, in the axes of the body: the angular momentum turns against it by the mean velocity.
// The rule keeps energy where it has converged; what a few rounds leave is scaled away. Each leaves about half the turn as a
// part.
#define SLOW_TURN 1e-4f // rad, squared
static cn_vec3 tumble(const cn_follower *f, cn_vec3 w, float h, cn_vec3 *mean)
{
    float turn = h * h * cn_dot(w, w);
    int rounds = turn < SLOW_TURN ? 2 : 3;
    cn_vec3 momentum = cn_sym3_mul(f->inertia, w), after = w, turned = momentum;
    *mean = w;
    for (int i = 0; i < rounds; i++) {
        turned = cn_unrotate(cn_quat_exp(cn_scale(h, *mean)), momentum);
        after = cn_sym3_mul(f->inverse, turned);
        *mean = cn_scale(0.5f, cn_add(w, after));
    }
    float is = cn_dot(after, turned), was = cn_dot(w, momentum);
    return is > 0.0f && was > 0.0f ? cn_scale(sqrtf(was / is), after) : w;
}

static void advance(cn_follower *f, const cn_solve_input *input, cn_quat to, float h)
{
    float *angular = input->states[f->state].angular;
    cn_vec3 mean, w = tumble(f, cn_unrotate(f->turn, load(angular)), h, &mean);
    set_turn(f, to);
    store(angular, cn_rotate(to, w));
}

static cn_vec3 mean_velocity(const cn_follower *f, const cn_solve_input *input, float h)
{
    cn_vec3 mean;
    tumble(f, cn_unrotate(f->turn, load(input->states[f->state].angular)), h, &mean);
    return mean;
}

static void set_end(cn_follower *f, const cn_solve_input *input, cn_quat end)
{
    f->end = cn_quat_normalize(end);
    float *turn = input->turns[f->state];
    turn[0] = f->end.x, turn[1] = f->end.y, turn[2] = f->end.z, turn[3] = f->end.w;
}

void cn_follower_turn(cn_follower *f, const cn_solve_input *input, float h)
{
    cn_vec3 mean = mean_velocity(f, input, h);
    set_end(f, input, cn_quat_mul(f->turn, cn_quat_exp(cn_scale(h, mean))));
    advance(f, input, f->end, h);
}

// ---- those of a unit

// Joints have a copy of the inertias of their bodies.
static void refresh_joints(const cn_unit_run *run)
{
    for (int i = 0; i < run->follower_count; i++)
        run->followers[i].now = cn_follower_inverse(&run->followers[i]);
    for (int i = 0; i < run->followed_count; i++) {
        const cn_followed_side *side = &run->followed[i];
        cn_sym3 now = run->followers[side->follower].now;
        const float values[6] = { now.xx, now.yy, now.zz, now.xy, now.xz, now.yz };
        cn_f8 *inertia = side->second ? side->wide->inertia_b : side->wide->inertia_a;
        for (int k = 0; k < 6; k++)
            inertia[k][side->lane] = values[k];
    }
}

static void mark_touched(const cn_unit_run *run, const int *number)
{
    for (int i = 0; i < 2 * run->unit->patch_count; i++) {
        int state = i % 2 ? run->patches[i / 2].b : run->patches[i / 2].a;
        if (run->sweep.drives[state].follows)
            run->followers[number[state]].touched = true;
    }
}

void cn_follow_bodies(cn_unit_run *run)
{
    cn_body_drive *drives = run->sweep.drives;
    const int *bodies = run->bodies;
    int count = 0, *number = NULL;
    for (int i = 0; i < run->unit->body_count; i++)
        count += drives[bodies[i]].follows;
    if (count == 0)
        return;
    run->followers = cn_arena_array(run->arena, cn_follower, count);
    number = cn_arena_array(run->arena, int, run->input->state_count);
    for (int i = 0; i < run->unit->body_count; i++) {
        if (!drives[bodies[i]].follows)
            continue;
        number[bodies[i]] = run->follower_count;
        run->followers[run->follower_count++] = cn_follower_of(run->input, bodies[i]);
    }
    mark_touched(run, number);
    run->followed = cn_arena_array(run->arena, cn_followed_side, 2 * run->unit->joint_count);
    for (int w = 0; w < run->wide_joint_count; w++)
        for (int i = 0; i < 2 * (run->joint_of_wide[w + 1] - run->joint_of_wide[w]); i++) {
            cn_wide_joint *wide = &run->wide_joints[w];
            int state = i % 2 ? wide->b[i / 2] : wide->a[i / 2];
            if (!drives[state].follows)
                continue;
            wide->follows = true;
            run->followed[run->followed_count++] = (cn_followed_side){ wide, i / 2, number[state], i % 2 };
        }
}

void cn_follow_start_substep(cn_unit_run *run)
{
    for (int i = 0; i < run->follower_count; i++) {
        const cn_follower *f = &run->followers[i];
        const cn_body_state *state = &run->sweep.states[f->state];
        float *before = run->sweep.drives[f->state].before;
        store(before, cn_sub(load(state->linear), f->linear));
        store(before + 4, cn_sub(load(state->angular), cn_rotate(f->turn, f->angular)));
    }
}

void cn_follow_forget(cn_unit_run *run)
{
    for (int i = 0; i < run->follower_count; i++)
        if (run->sweep.drives[run->followers[i].state].let_go)
            run->followers[i].linear = run->followers[i].angular = cn_v3(0.0f, 0.0f, 0.0f);
}

void cn_follow_warm_start(cn_unit_run *run)
{
    if (run->follower_count > 0)
        cn_run_joints(run, run->kernels->joint_warm_followed);
}

void cn_follow_move(cn_unit_run *run, bool relaxes)
{
    float h = run->sweep.h;
    for (int i = 0; i < run->follower_count; i++) {
        cn_follower *f = &run->followers[i];
        if (!relaxes) {
            cn_follower_turn(f, run->input, h);
            continue;
        }
        cn_quat half = cn_quat_exp(cn_scale(0.5f * h, mean_velocity(f, run->input, h)));
        cn_quat middle = cn_quat_mul(f->turn, half);
        set_end(f, run->input, cn_quat_mul(middle, half));
        advance(f, run->input, middle, 0.5f * h);
    }
    if (relaxes && run->follower_count > 0)
        refresh_joints(run);
}

void cn_follow_end_substep(cn_unit_run *run)
{
    if (run->follower_count == 0)
        return;
    for (int i = 0; i < run->follower_count; i++)
        advance(&run->followers[i], run->input, run->followers[i].end, 0.5f * run->sweep.h);
    refresh_joints(run);
    cn_run_all_joints(run, run->kernels->joint_hold_followed);
}

// ---- contacts

static cn_vec3 turn_by(const cn_vec3 columns[3], cn_vec3 v)
{
    return cn_add(cn_scale(v.x, columns[0]), cn_add(cn_scale(v.y, columns[1]), cn_scale(v.z, columns[2])));
}

static cn_vec3 turn_back(const cn_vec3 columns[3], cn_vec3 v)
{
    return cn_v3(cn_dot(columns[0], v), cn_dot(columns[1], v), cn_dot(columns[2], v));
}

static void turn_rows(const cn_unit_run *run, const cn_follower *f, bool back)
{
    float *rows[2] = { run->sweep.states[f->state].angular, run->sweep.drives[f->state].before + 4 };
    for (int k = 0; k < 2; k++)
        store(rows[k], back ? turn_back(f->columns, load(rows[k])) : turn_by(f->columns, load(rows[k])));
}

// Levers that follow a slide change it without a change of velocity.
static cn_vec3 angular_carried(const cn_unit_run *run, const cn_follower *f)
{
    return cn_sub(load(run->sweep.states[f->state].angular), load(run->sweep.drives[f->state].before + 4));
}

void cn_enter_contacts(cn_unit_run *run)
{
    for (int i = 0; i < run->follower_count; i++) {
        cn_follower *f = &run->followers[i];
        if (!f->touched)
            continue;
        turn_rows(run, f, true);
        const cn_body_state *state = &run->sweep.states[f->state];
        store(f->entered[0], load(state->linear));
        store(f->entered[1], angular_carried(run, f));
    }
}

void cn_leave_contacts(cn_unit_run *run, bool carried)
{
    for (int i = 0; i < run->follower_count; i++) {
        cn_follower *f = &run->followers[i];
        if (!f->touched)
            continue;
        const cn_body_state *state = &run->sweep.states[f->state];
        if (carried) {
            f->linear = cn_add(f->linear, cn_sub(load(state->linear), load(f->entered[0])));
            f->angular = cn_add(f->angular, cn_sub(angular_carried(run, f), load(f->entered[1])));
        }
        turn_rows(run, f, false);
    }
}
