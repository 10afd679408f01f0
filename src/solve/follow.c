#include "solve/follow.h"

// ---- which bodies

static void set_lane(cn_wide_follower *f, int lane, const cn_solve_input *input, int state)
{
    const cn_body_mass *m = &input->masses[state];
    const float *turn = input->turns[state];
    cn_sym3 inverse = { m->xx, m->yy, m->zz, m->xy, m->xz, m->yz }, inertia = cn_sym3_inverse(inverse);
    cn_mat3 matrix = cn_mat3_from_quat((cn_quat){ turn[0], turn[1], turn[2], turn[3] });
    const float inverses[6] = { inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz };
    const float inertias[6] = { inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.xz, inertia.yz };
    const cn_vec3 columns[3] = { matrix.x, matrix.y, matrix.z };
    f->states[lane] = state;
    for (int k = 0; k < 4; k++)
        f->turn[k][lane] = f->end[k][lane] = turn[k];
    for (int k = 0; k < 6; k++) {
        f->inverse[k][lane] = f->now[k][lane] = inverses[k];
        f->inertia[k][lane] = inertias[k];
    }
    for (int k = 0; k < 9; k++)
        f->columns[k / 3][k % 3][lane] = cn_component(columns[k / 3], k % 3);
}

cn_wide_follower *cn_find_followers(const cn_solve_input *input, const int *bodies, int body_count, cn_arena *arena, int *count)
{
    int found = 0;
    for (int i = 0; i < body_count; i++)
        found += input->drives[bodies[i]].follows;
    *count = found;
    if (found == 0)
        return NULL;
    cn_wide_follower *wides = cn_arena_array(arena, cn_wide_follower, cn_wide_follower_count(found));
    for (int i = 0, n = 0; i < body_count; i++) {
        if (!input->drives[bodies[i]].follows)
            continue;
        cn_wide_follower *f = &wides[n / CN_LANES];
        if (n % CN_LANES == 0) {
            *f = (cn_wide_follower){ .count = found - n < CN_LANES ? found - n : CN_LANES };
            for (int lane = f->count; lane < CN_LANES; lane++)
                set_lane(f, lane, input, bodies[i]);
        }
        set_lane(f, n++ % CN_LANES, input, bodies[i]);
    }
    return wides;
}

// ---- those of a unit

// Joints have a copy of the inertias of their bodies.
static void refresh_joints(const cn_unit_run *run)
{
    for (int i = 0; i < run->followed_count; i++) {
        const cn_followed_side *side = &run->followed[i];
        const cn_wide_follower *f = &run->followers[side->follower / CN_LANES];
        cn_f8 *inertia = side->second ? side->wide->inertia_b : side->wide->inertia_a;
        for (int k = 0; k < 6; k++)
            inertia[k][side->lane] = f->now[k][side->follower % CN_LANES];
    }
}

static void run_followers(const cn_unit_run *run, cn_follower_kernel kernel)
{
    kernel(&run->sweep, run->followers, cn_wide_follower_count(run->follower_count));
}

void cn_follow_bodies(cn_unit_run *run)
{
    const cn_body_drive *drives = run->sweep.drives;
    run->followers = cn_find_followers(run->input, run->bodies, run->unit->body_count, run->arena, &run->follower_count);
    if (run->follower_count == 0)
        return;
    int *number = cn_arena_array(run->arena, int, run->input->state_count);
    for (int i = 0; i < run->follower_count; i++)
        number[run->followers[i / CN_LANES].states[i % CN_LANES]] = i;
    for (int i = 0; i < 2 * run->unit->patch_count; i++) {
        int state = i % 2 ? run->patches[i / 2].b : run->patches[i / 2].a;
        if (drives[state].follows)
            run->followers[number[state] / CN_LANES].touched[number[state] % CN_LANES] = -1;
    }
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

void cn_follow_start_substep(cn_unit_run *run) { run_followers(run, run->kernels->follow_start); }

void cn_follow_forget(cn_unit_run *run)
{
    for (int i = 0; i < run->follower_count; i++) {
        cn_wide_follower *f = &run->followers[i / CN_LANES];
        if (!run->sweep.drives[f->states[i % CN_LANES]].let_go)
            continue;
        for (int k = 0; k < 3; k++)
            f->linear[k][i % CN_LANES] = f->angular[k][i % CN_LANES] = 0.0f;
    }
}

void cn_follow_warm_start(cn_unit_run *run)
{
    if (run->follower_count > 0)
        cn_run_joints(run, run->kernels->joint_warm_followed);
}

void cn_follow_move(cn_unit_run *run, bool relaxes)
{
    run_followers(run, relaxes ? run->kernels->follow_halfway : run->kernels->follow_turn);
    if (relaxes)
        refresh_joints(run);
}

void cn_follow_end_substep(cn_unit_run *run)
{
    if (run->follower_count == 0)
        return;
    run_followers(run, run->kernels->follow_end);
    refresh_joints(run);
    cn_run_all_joints(run, run->kernels->joint_hold_followed);
}

void cn_enter_contacts(cn_unit_run *run) { run_followers(run, run->kernels->follow_enter); }

void cn_leave_contacts(cn_unit_run *run, bool carried)
{
    run_followers(run, carried ? run->kernels->follow_leave : run->kernels->follow_leave_impacts);
}
