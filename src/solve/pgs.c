// Projected Gauss-Seidel, also called sequential impulses, as taught (Moravánszky and Terdiman 2004; Catto 2005; Tonge 2012):
// one step, a few sweeps over the contacts, the accumulated impulse of each clamped at zero. Overlaps are removed by
// projection, a bias of (gamma / h) * depth in the velocity solve, or by nudges: a second solve whose velocities move the
// bodies once and are then forgotten (Cline and Pai 2003).
#include "solve/follow.h"

#include <string.h>

// Returns how many sweeps it took.
static int sweep_until_settled(cn_unit_run *run, cn_patch_kernel kernel, bool joints)
{
    const cn_solver_settings *settings = &run->input->settings;
    for (int i = 1; i <= settings->iterations; i++) {
        if (joints)
            cn_push_joints(run);
        float change = cn_run_patches(run, kernel);
        if (settings->early_exit > 0.0f && change < settings->early_exit && run->wide_joint_count == 0)
            return i;
    }
    return settings->iterations;
}

static void set_projection(cn_sweep *sweep, float gamma)
{
    for (int kind = 0; kind < 2; kind++) {
        sweep->bias_rate[kind] = gamma * sweep->inverse_h;
        sweep->mass_scale[kind] = 1.0f;
        sweep->impulse_scale[kind] = 0.0f;
        sweep->most_push[kind] = sweep->push_speed;
    }
}

// An overlap is never resolved completely: contacts that come and go are a source of jitter.
static void allow_overlap(cn_unit_run *run)
{
    for (int w = 0; w < run->wide_count; w++) {
        int lanes = run->patch_of_wide[w + 1] - run->patch_of_wide[w];
        for (int lane = 0; lane < lanes; lane++) {
            float allowed = CN_ALLOWED_OVERLAP / run->patches[run->patch_of_wide[w] + lane].inverse_size;
            for (int k = 0; k < 4; k++) {
                float s = run->wides[w].points[k].separation[lane];
                run->wides[w].points[k].separation[lane] = s < -allowed ? s + allowed : s < 0.0f ? 0.0f : s;
            }
        }
    }
}

// Where the velocities take the points in this step is no overlap any more, nor room that a nudge may close: without this, what leaves by
// itself would be lifted as well, and gain the work.
static void look_to_the_end(const cn_unit_run *run, cn_wide_patch *c)
{
    for (int lane = 0; lane < CN_LANES; lane++) {
        const cn_body_state *a = &run->sweep.states[c->a[lane]], *b = &run->sweep.states[c->b[lane]];
        cn_vec3 n = cn_v3(c->normal[0][lane], c->normal[1][lane], c->normal[2][lane]);
        cn_vec3 t1 = cn_v3(c->tangent[0][lane], c->tangent[1][lane], c->tangent[2][lane]), t2 = cn_cross(n, t1);
        cn_vec3 ra = cn_v3(c->ra[0][lane], c->ra[1][lane], c->ra[2][lane]), rb = cn_v3(c->rb[0][lane], c->rb[1][lane], c->rb[2][lane]);
        cn_vec3 wa = cn_v3(a->angular[0], a->angular[1], a->angular[2]), wb = cn_v3(b->angular[0], b->angular[1], b->angular[2]);
        cn_vec3 va = cn_add(cn_v3(a->linear[0], a->linear[1], a->linear[2]), cn_cross(wa, ra));
        cn_vec3 vb = cn_add(cn_v3(b->linear[0], b->linear[1], b->linear[2]), cn_cross(wb, rb)), turning = cn_sub(wb, wa);
        float un = cn_dot(n, cn_sub(vb, va)), w1 = cn_dot(t1, turning), w2 = cn_dot(t2, turning);
        for (int k = 0; k < c->point_count; k++) {
            cn_wide_point *p = &c->points[k];
            float separation = p->separation[lane], way = run->sweep.h * (un + w1 * p->y[lane] - w2 * p->x[lane]);
            p->separation[lane] = separation + cn_maxf(way, -cn_maxf(separation, 0.0f));
        }
    }
}

// The same sweeps on velocities that start from zero, with impulses that start from zero and no friction.
static void nudge(cn_unit_run *run)
{
    const cn_unit *unit = run->unit;
    cn_wide_patch *wides = cn_arena_array(run->arena, cn_wide_patch, run->wide_count);
    memcpy(wides, run->wides, sizeof *wides * (size_t)run->wide_count);
    for (int i = 0; i < run->wide_count; i++) {
        cn_wide_patch *c = &wides[i];
        c->friction = c->twist_arm = c->friction_impulse[0] = c->friction_impulse[1] = c->twist_impulse = cn_f8_zero();
        c->extras &= CN_EXTRA_LOCKS;
        for (int k = 0; k < 4; k++)
            c->points[k].impulse = cn_f8_zero();
        look_to_the_end(run, c);
    }
    cn_body_state *kept = cn_arena_array(run->arena, cn_body_state, unit->body_count);
    cn_body_state *states = run->sweep.states;
    for (int i = 0; i < unit->body_count; i++) {
        kept[i] = states[run->bodies[i]];
        memset(&states[run->bodies[i]], 0, sizeof *states);
    }
    cn_wide_patch *solved = run->wides;
    run->wides = run->sweep.wides = wides;
    sweep_until_settled(run, run->kernels->solve, false);
    run->wides = run->sweep.wides = solved;
    for (int i = 0; i < unit->body_count; i++) {
        cn_body_state *state = &states[run->bodies[i]];
        for (int k = 0; k < 3; k++) {
            kept[i].moved[k] += run->sweep.h * state->linear[k];
            kept[i].turned[k] += run->sweep.h * state->angular[k];
        }
        *state = kept[i];
    }
}

// The speed at which joints are closed is no motion, as that of overlaps is none: it is taken out again when it has moved the bodies.
static void relax(cn_unit_run *run)
{
    cn_follow_move(run, true);
    cn_enter_contacts(run);
    for (int i = 0; i < run->input->settings.iterations; i++)
        cn_run_patches(run, run->kernels->relax);
    cn_leave_contacts(run, true);
    cn_relax_joints(run);
    cn_follow_end_substep(run);
}

static void run_pgs(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    const cn_solver_settings *settings = &run->input->settings;
    set_projection(&run->sweep, settings->projection);
    run->sweep.measured_bias_rate = settings->nudge ? 0.0f : settings->projection * run->sweep.inverse_h;
    run->sweep.tracks = settings->early_exit > 0.0f;
    run->sweep.unpushed = settings->nudge;
    allow_overlap(run);
    cn_start_substep(run, true);
    run->unit->sweeps = sweep_until_settled(run, settings->nudge ? kernels->relax : kernels->solve, true);
    if (settings->nudge)
        nudge(run);
    cn_run_bodies(run, kernels->move);
    if (run->wide_joint_count > 0 && settings->nudge) {
        relax(run); // sums what joints did
    } else {
        cn_follow_move(run, false);
        cn_run_all_joints(run, kernels->joint_sum);
    }
    cn_run_all_patches(run, kernels->sum_impulses);
}

void cn_solve_pgs(cn_solve_input *input) { cn_run_units(input, false, false, run_pgs); }
