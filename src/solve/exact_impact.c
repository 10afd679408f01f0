// An impact is an impulse of its own, pair by pair, before contact forces act. The points of a patch that close within the
// (sub)step are hit together: along the normal they leave with their part of the speed they came with, and friction acts within
// its cone. For one pair without friction that is v - (1 + e) P v with P the projection, in the metric of the masses, on what
// the contact stops: it keeps a part e^2 of the energy of P v, all of it for e = 1. With friction, or where the points were hit
// at different times, Newton's law can gain energy (Kane 1984); the impulse is then shortened to the length at which it gains
// none. So no impact adds energy, in whatever order they come, and contacts without restitution never do.
//
// The bodies meet somewhere within the (sub)step, and the impulse acts on the velocities of then. What hits a wall has moved as
// it did until then, so that a ball comes back to its height. Two bodies that both give way part from where they were when the
// (sub)step began: normal and levers are those of then, and at other places the same impulse would change the angular momentum
// of the pair.
#include "solve/exact_impact.h"
#include "cairn/lab.h"
#include "solve/unit_model.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 16, POINTS = 4 };
static const double TOLERANCE = 1e-9; // of the problem of one pair

// The points of a patch that are hit.
typedef struct hits {
    int count, points[POINTS];
    double velocity[POINTS][3]; // at the time of the impact, along normal and friction axes, m/s
    double time;                // since the (sub)step began, s
} hits;

typedef struct impacts {
    const cn_solve_input *input;
    double h;
    bool *struck; // per state
} impacts;

// None when no point is faster than the threshold.
static hits find_hits(const cn_solve_input *input, const cn_found_patch *found, double h)
{
    const cn_body_state *a = &input->states[found->a], *b = &input->states[found->b];
    const float *pull_a = input->drives[found->a].acceleration, *pull_b = input->drives[found->b].acceleration;
    double gaps = 0.0, speeds = 0.0, pull = 0.0, fastest = 0.0, pulls[POINTS][3];
    hits out = { 0 };
    for (int k = 0; k < found->patch->point_count; k++) {
        cn_point_rows rows = cn_point_rows_of(found->patch, k);
        double *v = out.velocity[out.count], gap = fmax((double)cn_point_separation(found->patch, k, a, b), 0.0);
        for (int row = 0; row < 3; row++) {
            v[row] = cn_row_speed(&rows, row, a->linear, b->linear);
            pulls[out.count][row] = cn_row_speed(&rows, row, pull_a, pull_b);
        }
        if (!(gap + h * v[0] < 0.0))
            continue;
        gaps += gap;
        speeds -= v[0];
        fastest = fmax(fastest, -v[0]);
        pull += pulls[out.count][0];
        out.points[out.count++] = k;
    }
    if (!(fastest > (double)input->settings.restitution_speed))
        return (hits){ 0 };
    double soonest = gaps / speeds, until_then = speeds + pull * (h - 0.5 * soonest); // sums of mean speeds on the way
    out.time = until_then > 0.0 ? fmin(gaps / until_then, h) : h;
    for (int i = 0; i < out.count; i++) {
        for (int row = 0; row < 3; row++)
            out.velocity[i][row] -= pulls[i][row] * (h - out.time);
        out.velocity[i][0] = fmin(out.velocity[i][0], 0.0);
    }
    return out;
}

// The problem of one pair; points where neither gives way are hit no more. `states` gets the states of its bodies.
static cn_problem *pose(const cn_solve_input *input, const cn_found_patch *found, hits *hit, int states[2])
{
    const int sides[2] = { found->a, found->b };
    cn_problem *p = cn_problem_create(input->allocator);
    int bodies[2];
    for (int s = 0; s < 2; s++) {
        cn_model_body body = cn_model_body_of(input, sides[s]);
        bodies[s] = cn_is_pushed(&input->masses[sides[s]]) ? cn_problem_add_body(p, &body) : -1;
        if (bodies[s] >= 0)
            states[bodies[s]] = sides[s];
    }
    int count = 0;
    for (int i = 0; i < hit->count; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = (double)found->patch->friction;
        if (!cn_set_point_sides(&def, p, found->patch, bodies, hit->points[i]))
            continue;
        cn_problem_add_block(p, &def);
        memmove(hit->velocity[count], hit->velocity[i], sizeof hit->velocity[i]);
        hit->points[count++] = hit->points[i];
    }
    hit->count = count;
    for (int i = 0; i < p->row_count; i++)
        p->q[i] = hit->velocity[i / 3][i % 3];
    return p;
}

// An impulse of the length x gains x a + x^2 b / 2, with its work a on the velocities before and b on the change that it makes:
// nothing up to x = -2 a / b.
static double length_without_gain(const cn_problem *p, const hits *hit, const double *r)
{
    double change[3 * POINTS], a = 0.0, b = 0.0;
    cn_problem_multiply(p, r, change);
    for (int i = 0; i < p->row_count; i++) {
        a += r[i] * hit->velocity[i / 3][i % 3];
        b += r[i] * change[i];
    }
    return b > 0.0 ? fmin(fmax(-2.0 * a / b, 0.0), 1.0) : 0.0;
}

// What hits something that does not give way follows its parabolas: (sub)steps move by the velocity they end with, which is
// off by h^2 / 2 times the acceleration.
static void set_back(const impacts *all, int index, const double change[6], double time)
{
    cn_body_state *state = &all->input->states[index];
    const float *pull = all->input->drives[index].acceleration;
    double first = all->struck[index] ? 0.0 : 0.5 * all->h * all->h;
    all->struck[index] = true;
    for (int k = 0; k < 3; k++) {
        state->moved[k] -= (float)(time * change[k] + first * (double)pull[k]);
        state->turned[k] -= (float)(time * change[3 + k]);
    }
}

static void strike(const impacts *all, const cn_problem *p, const int states[2], const double *r, double time)
{
    double velocities[2][6];
    cn_problem_velocities(p, r, velocities);
    for (int i = 0; i < p->body_count; i++) {
        cn_body_state *state = &all->input->states[states[i]];
        double change[6];
        for (int k = 0; k < 3; k++) {
            change[k] = velocities[i][k] - (double)state->linear[k];
            change[3 + k] = velocities[i][3 + k] - (double)state->angular[k];
            state->linear[k] = (float)velocities[i][k];
            state->angular[k] = (float)velocities[i][3 + k];
        }
        if (p->body_count == 1)
            set_back(all, states[i], change, time);
    }
}

// True when the patch was hit.
static bool resolve(const impacts *all, const cn_found_patch *found)
{
    const cn_solve_input *input = all->input;
    hits hit = find_hits(input, found, all->h);
    if (hit.count == 0)
        return false;
    int states[2];
    cn_problem *p = pose(input, found, &hit, states);
    double r[3 * POINTS] = { 0.0 };
    cn_lab_options options = cn_lab_options_default();
    options.tolerance = TOLERANCE;
    options.allocator = input->allocator;
    for (int i = 0; i < hit.count; i++)
        p->q[3 * i] *= 1.0 + (double)found->patch->restitution;
    cn_lab_solve(p, "newton", &options, r);
    double part = length_without_gain(p, &hit, r);
    for (int i = 0; i < p->row_count; i++)
        r[i] *= part;
    for (int i = 0; i < hit.count; i++) {
        double friction[2] = { r[3 * i + 1], r[3 * i + 2] };
        cn_from_friction_axes(found->patch, friction);
        float *total = &found->patch->total[hit.points[i]];
        *total = cn_kept_force((double)*total + r[3 * i]);
        for (int d = 0; d < 2; d++)
            found->patch->friction_total[d] = cn_kept_force((double)found->patch->friction_total[d] + friction[d]);
    }
    strike(all, p, states, r, hit.time);
    cn_problem_destroy(p);
    return hit.count > 0;
}

static bool may_bounce(const cn_solve_input *input, const cn_unit *unit)
{
    for (int i = 0; i < unit->patch_count; i++)
        if (input->patches[unit->first_patch + i].patch->restitution > 0.0f)
            return true;
    return false;
}

// One impact may cause the next, as in a row of balls. What is still hit after the last round is stopped by contact forces.
void cn_resolve_impacts(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena)
{
    bool any = may_bounce(input, unit);
    if (!any)
        return;
    impacts all = { input, (double)h, cn_arena_array(arena, bool, input->state_count) };
    memset(all.struck, 0, sizeof(bool) * (size_t)input->state_count);
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        any = false;
        for (int i = 0; i < unit->patch_count; i++) {
            const cn_found_patch *found = &input->patches[unit->first_patch + i];
            if (found->patch->restitution > 0.0f)
                any |= resolve(&all, found);
        }
    }
}
