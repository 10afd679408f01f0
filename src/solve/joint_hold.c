#include "solve/joint_hold.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROUNDS = 8,
    FREE_ROUNDS = 4, // then rows only leave the matrix, so that trying ends
};

// ---- which rows there are

// What gives way comes last: it can follow the others, and they cannot follow it.
static int rank_of(const cn_joint_row *row)
{
    static const int ranks[] = { [CN_ROW_STOP] = 0, [CN_ROW_MOTOR] = 1, [CN_ROW_FRICTION] = 2, [CN_ROW_SPRING] = 4 };
    return row->kind == CN_ROW_MOTOR && row->per_mass ? 3 : ranks[row->kind];
}

bool cn_can_hold(const cn_found_joint *found, int n, const cn_wide_joint *wide, int lane)
{
    bool part = found->joint->rows[n].kind == CN_ROW_FRICTION ? found->rubs : found->grips;
    return part && wide->rows[n].drag[lane] > 0.0f && wide->rows[n].mass[lane] > 0.0f;
}

static const cn_found_joint *found_of(const cn_unit_run *run, const cn_lock_block *block)
{
    return &run->joints[run->joint_of_wide[block->wide - run->wide_joints] + block->lane];
}

void cn_list_held_rows(struct cn_joint_direct *direct, cn_unit_run *run)
{
    int count = 0;
    for (int i = 0; i < direct->count; i++)
        count += found_of(run, &direct->blocks[i])->joint->row_count + 3 * CN_TORQUE_COUNT + CN_CONE_PARTS;
    direct->rows = cn_arena_array(run->arena, cn_held_row, count);
    direct->row_count = 0;
    for (int i = 0; i < direct->count; i++) {
        cn_lock_block *block = &direct->blocks[i];
        const cn_found_joint *found = found_of(run, block);
        const cn_solver_joint *joint = found->joint;
        block->first_row = direct->row_count;
        for (int n = 0; n < joint->row_count; n++)
            if (joint->rows[n].dof / 3 == block->first / 3 && cn_can_hold(found, n, block->wide, block->lane))
                direct->rows[direct->row_count++] = (cn_held_row){ .wide = block->wide,
                                                                   .row = &block->wide->rows[n],
                                                                   .lane = block->lane,
                                                                   .block = i,
                                                                   .slot = joint->rows[n].dof - block->first,
                                                                   .rank = rank_of(&joint->rows[n]),
                                                                   .limit = joint->rows[n].kind == CN_ROW_STOP };
        if (block->first == 3) {
            cn_list_cone_rows(direct, i, found);
            cn_list_torque_rows(direct, i, found);
        }
        block->end_row = direct->row_count;
    }
}

// ---- what they want: the laws of wide_joint_laws.h, with their fixed points for targets

static bool is_cone(const cn_held_row *r) { return r->row->cones[r->lane] != 0; }

// A cone takes the slot of the swing that it bounds most.
static void find_axis(cn_held_row *r)
{
    for (int d = 0; d < 6; d++)
        r->axis[d] = (double)r->row->axis[d][r->lane];
    if (is_cone(r))
        r->slot = fabs(r->axis[5]) > fabs(r->axis[4]) ? 2 : 1;
}

static double rate_of(const cn_held_row *r)
{
    double sum = 0.0;
    if (r->wide->joint_class == CN_CLASS_COUPLING)
        return (double)r->wide->residual[0][r->lane];
    for (int d = 0; d < 6; d++)
        sum += r->axis[d] != 0.0 ? r->axis[d] * (double)r->wide->residual[d][r->lane] : 0.0;
    return sum;
}

// The rate at which a limit is to be left, or may be approached, `room` from its end.
static double limit_rate(const cn_held_row *r, const cn_sweep *s, double room, bool pushing)
{
    double pull = (double)r->row->pull[r->lane], drag = (double)r->row->drag[r->lane], most = (double)s->joint_speed;
    if (r->row->firm[r->lane] == 0)
        return -pull * room / drag;
    if (room >= 0.0 || !pushing)
        return room > 0.0 ? -room * (double)s->inverse_h : 0.0;
    return fmin(-pull * room, most) / drag;
}

static void set_targets(cn_held_row *r, const cn_sweep *s, bool pushing)
{
    int lane = r->lane;
    const cn_wide_row *row = r->row;
    double drag = (double)row->drag[lane], pull = (double)row->pull[lane], mass = (double)row->mass[lane];
    bool firm = row->firm[lane] != 0, relaxes = firm && !pushing;
    r->softness = drag > 0.0 && drag < 1.0 && mass > 0.0 && !relaxes ? (1.0 - drag) / (drag * mass) : 0.0;
    if (!r->limit) {
        double error = (double)row->now[lane] - (double)row->rest[lane];
        r->target[0] = r->target[1] = (double)row->speed[lane] - (relaxes ? 0.0 : pull * error / drag);
        return;
    }
    // One that gives way pulls from where it was when the substep began, in both passes.
    double now = (double)(firm && !pushing ? row->after[lane] : row->now[lane]);
    r->target[0] = limit_rate(r, s, now - (double)row->lower[lane], pushing);
    r->target[1] = -limit_rate(r, s, (double)row->upper[lane] - now, pushing);
}

static cn_hold_state first_state(const cn_held_row *r)
{
    if (r->limit)
        return r->impulse > 0.0 ? CN_HOLD_LOWER : r->impulse < 0.0 ? CN_HOLD_UPPER : CN_HOLD_LET_GO;
    return r->impulse >= r->most ? CN_HOLD_UPPER : r->impulse <= -r->most ? CN_HOLD_LOWER : CN_HOLD_EQUAL;
}

// What nothing moves any more, and limits that no blow within this substep reaches.
static bool is_idle(const cn_held_row *r, const cn_sweep *s)
{
    const cn_wide_row *row = r->row;
    int lane = r->lane;
    if (!(row->mass[lane] > 0.0f))
        return true;
    float room = row->now[lane] - row->lower[lane], above = row->upper[lane] - row->now[lane];
    double far = (double)s->h * (4.0 * fabs(r->rate) + (double)s->joint_speed);
    return r->limit && row->impulse[lane] == 0.0f && (double)(room < above ? room : above) > far;
}

static void begin_row(cn_held_row *r, const cn_sweep *s, bool pushing)
{
    if (pushing)
        find_axis(r);
    r->rate = rate_of(r);
    r->impulse = (double)r->row->impulse[r->lane];
    r->most = (double)r->row->most[r->lane];
    r->change = 0.0;
    if (pushing)
        r->idle = is_idle(r, s);
    if (r->idle)
        return;
    if (pushing) {
        cn_joint_jacobian(r->wide, r->lane, r->axis, r->jacobian);
        cn_joint_response(r->wide, r->lane, (const double(*)[6])r->jacobian, r->response);
    }
    set_targets(r, s, pushing);
    r->state = first_state(r);
}

static void begin(struct cn_joint_direct *direct, const cn_sweep *s, bool pushing)
{
    cn_begin_torques(direct);
    memset(direct->watched, 0, sizeof *direct->watched * (size_t)direct->body_count);
    memset(direct->followed, 0, sizeof *direct->followed * (size_t)direct->body_count);
    if (direct->row_count > 0)
        memset(direct->changes, 0, sizeof *direct->changes * (size_t)direct->body_count);
    for (int i = 0; i < direct->row_count; i++) {
        cn_held_row *r = &direct->rows[i];
        if (r->bound != NULL) {
            cn_begin_torque_row(r, pushing);
            direct->watched[direct->blocks[r->block].part] |= !r->idle;
            continue;
        }
        if (r->cone != NULL)
            cn_begin_cone_row(r, pushing);
        else
            begin_row(r, s, pushing);
        if (r->idle)
            continue;
        const cn_lock_block *block = &direct->blocks[r->block];
        direct->watched[block->part] = true;
        for (int side = 0; side < 2; side++)
            if (block->bodies[side] >= 0)
                direct->followed[block->bodies[side]] = true;
    }
}

// ---- one round

static bool is_held(const cn_held_row *r)
{
    return !r->idle && (r->limit ? r->state != CN_HOLD_LET_GO : r->state == CN_HOLD_EQUAL);
}

static void list_open(struct cn_joint_direct *direct)
{
    int places = 0;
    direct->open_count = direct->open_row_count = 0;
    for (int i = 0; i < direct->count; i++) {
        if (direct->open[direct->blocks[i].part])
            direct->open_blocks[direct->open_count++] = i;
        if (direct->open[direct->blocks[direct->order.order[i]].part])
            direct->open_places[places++] = i;
    }
    for (int i = 0; i < direct->row_count; i++)
        if (!direct->rows[i].idle && direct->open[direct->blocks[direct->rows[i].block].part])
            direct->open_rows[direct->open_row_count++] = i;
}

// Of the rows that want a degree of freedom, one gets it.
static void choose_rows(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->open_count; i++) {
        cn_lock_block *block = &direct->blocks[direct->open_blocks[i]];
        if (block->first_row == block->end_row)
            continue;
        cn_held_row *chosen[3] = { NULL, NULL, NULL };
        for (int n = block->first_row; n < block->end_row; n++) {
            cn_held_row *r = &direct->rows[n];
            if (is_held(r) && (chosen[r->slot] == NULL || chosen[r->slot]->rank > r->rank))
                chosen[r->slot] = r;
        }
        for (int k = 0; k < 3; k++) {
            if (chosen[k] == block->rows[k])
                continue;
            direct->stale[block->part] = true;
            block->rows[k] = chosen[k];
            cn_lock_block_set(block, k, chosen[k] != NULL ? (const double(*)[6])chosen[k]->jacobian : NULL,
                              chosen[k] != NULL ? (const double(*)[6])chosen[k]->response : NULL);
        }
    }
}

static bool has_slot(const struct cn_joint_direct *direct, const cn_held_row *r)
{
    return direct->blocks[r->block].rows[r->slot] == r;
}

static void add_change(struct cn_joint_direct *direct, const cn_lock_block *block, double impulse, const double *a,
                       const double *b)
{
    for (int side = 0; side < 2; side++) {
        const double *response = side == 0 ? a : b;
        for (int k = 0; k < 6 && block->bodies[side] >= 0; k++)
            direct->changes[block->bodies[side]][k] += impulse * response[k];
    }
}

static double changed_rate(const struct cn_joint_direct *direct, const cn_lock_block *block, const double *a, const double *b)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        const double *jacobian = side == 0 ? a : b;
        const double *v = block->bodies[side] >= 0 ? direct->changes[block->bodies[side]] : NULL;
        for (int k = 0; k < 6 && v != NULL; k++)
            sum += jacobian[k] * v[k];
    }
    return sum;
}

// What the rows do whose force is known: those at a bound go there, those that were let go of lose theirs.
static bool apply_known(struct cn_joint_direct *direct)
{
    bool any = false;
    for (int i = 0; direct->open_row_count > 0 && i < direct->open_count; i++) {
        const cn_lock_block *block = &direct->blocks[direct->open_blocks[i]];
        for (int side = 0; side < 2; side++)
            if (block->bodies[side] >= 0 && direct->followed[block->bodies[side]])
                memset(direct->changes[block->bodies[side]], 0, sizeof(double[6]));
    }
    for (int i = 0; i < direct->open_row_count; i++) {
        cn_held_row *r = &direct->rows[direct->open_rows[i]];
        r->change = 0.0;
        if (is_held(r))
            continue;
        double bound = r->limit ? 0.0 : r->state == CN_HOLD_UPPER ? r->most : -r->most;
        r->change = bound - r->impulse;
        any |= r->change != 0.0;
        if (r->change != 0.0)
            add_change(direct, &direct->blocks[r->block], r->change, r->response[0], r->response[1]);
    }
    return any;
}

static double target_of(const cn_held_row *r) { return r->target[r->limit && r->state == CN_HOLD_UPPER]; }

// By how much the rows of a block have changed.
static cn_d4 changed_rates(const struct cn_joint_direct *direct, const cn_lock_block *block)
{
    cn_d4 sum = { 0.0, 0.0, 0.0, 0.0 };
    for (int side = 0; side < 2; side++) {
        const double *v = block->bodies[side] >= 0 ? direct->changes[block->bodies[side]] : NULL;
        for (int k = 0; k < 6 && v != NULL; k++)
            sum += block->jacobian[side][k] * v[k];
    }
    return sum;
}

// What the rows of the matrix lack.
static void set_residuals(struct cn_joint_direct *direct, bool pushing)
{
    bool moved = apply_known(direct);
    for (int i = 0; i < direct->open_count; i++) {
        const cn_lock_block *block = &direct->blocks[direct->open_blocks[i]];
        const cn_wide_joint *c = block->wide;
        cn_d4 x = { 0.0, 0.0, 0.0, 0.0 };
        for (int k = 0; k < 3; k++) {
            const cn_held_row *r = block->rows[k];
            if (r != NULL)
                x[k] = target_of(r) - r->rate - r->softness * r->impulse;
            else if (block->locked >> k & 1)
                x[k] = -(double)c->residual[block->first + k][block->lane];
            else
                continue;
            if (pushing && block->in_loop)
                x[k] -= block->give[k] * (r != NULL ? r->impulse : (double)c->impulse[block->first + k][block->lane]);
        }
        if (moved && block->held != 0 && direct->watched[block->part])
            x -= changed_rates(direct, block);
        direct->x[direct->order.position[direct->open_blocks[i]]] = x;
    }
}

// ---- were they right?

static void add_answers(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->open_count; i++) {
        const cn_lock_block *block = &direct->blocks[direct->open_blocks[i]];
        if (!direct->watched[block->part])
            continue;
        const cn_d4 x = direct->x[direct->order.position[direct->open_blocks[i]]];
        for (int k = 0; k < 3; k++)
            if (block->rows[k] != NULL)
                block->rows[k]->change = x[k];
        for (int side = 0; side < 2 && block->held != 0; side++) {
            if (block->bodies[side] < 0 || !direct->followed[block->bodies[side]])
                continue;
            double *change = direct->changes[block->bodies[side]];
            for (int k = 0; k < 6; k++) {
                cn_d4 product = x * block->response[side][k];
                change[k] += product[0] + product[1] + product[2];
            }
        }
    }
}

// Whether a limit that does not push lets its bodies be. One that gives way acts from the substep in which it will be passed.
static cn_hold_state reached_limit(const cn_held_row *r, const cn_sweep *s, double rate, bool pushing)
{
    const cn_wide_row *row = r->row;
    double slack = (double)(CN_JOINT_SLACK * s->inverse_h), below = rate - r->target[0], above = r->target[1] - rate;
    if (row != NULL && row->firm[r->lane] == 0) {
        double ahead = pushing ? (double)row->now[r->lane] + (double)s->h * rate : (double)row->after[r->lane];
        below = ahead < (double)row->lower[r->lane] ? below : 0.0;
        above = ahead > (double)row->upper[r->lane] ? above : 0.0;
    }
    return below < -slack ? CN_HOLD_LOWER : above < -slack ? CN_HOLD_UPPER : CN_HOLD_LET_GO;
}

static cn_hold_state revise_limit(const cn_held_row *r, const cn_sweep *s, double rate, bool pushing)
{
    double impulse = r->impulse + r->change;
    if (r->state == CN_HOLD_LOWER)
        return impulse < 0.0 ? CN_HOLD_LET_GO : r->state;
    if (r->state == CN_HOLD_UPPER)
        return impulse > 0.0 ? CN_HOLD_LET_GO : r->state;
    return reached_limit(r, s, rate, pushing);
}

static cn_hold_state revise_bounded(const cn_held_row *r, double rate, double slack)
{
    double impulse = r->impulse + r->change, wanted = r->target[0] - rate - r->softness * impulse;
    if (r->state == CN_HOLD_EQUAL)
        return impulse > r->most ? CN_HOLD_UPPER : impulse < -r->most ? CN_HOLD_LOWER : r->state;
    if (r->state == CN_HOLD_UPPER)
        return wanted < -slack ? CN_HOLD_EQUAL : r->state;
    return wanted > slack ? CN_HOLD_EQUAL : r->state;
}

// Parts in which something was wrong stay open for another round. Returns whether there are any.
static bool revise(struct cn_joint_direct *direct, const cn_sweep *s, int round, bool pushing)
{
    bool changed = false;
    double slack = (double)(CN_JOINT_SLACK * s->inverse_h);
    for (int i = 0; i < direct->body_count; i++)
        direct->stale[i] = false; // which of them are wrong, for now
    for (int i = 0; i < direct->open_row_count; i++) {
        cn_held_row *r = &direct->rows[direct->open_rows[i]];
        bool held = is_held(r);
        if (r->cone != NULL && r->part != CN_CONE_LIMIT) {
            r->state = r->part == CN_CONE_BEND ? cn_bend_state(r) : r->state;
            continue;
        }
        if ((held && !has_slot(direct, r)) || (!held && round >= FREE_ROUNDS))
            continue;
        const cn_lock_block *block = &direct->blocks[r->block];
        double rate = held ? 0.0 : r->rate + changed_rate(direct, block, r->jacobian[0], r->jacobian[1]);
        cn_hold_state state = r->limit ? revise_limit(r, s, rate, pushing) : revise_bounded(r, rate, slack);
        direct->stale[block->part] |= state != r->state;
        changed |= state != r->state;
        r->state = state;
    }
    for (int i = 0; i < direct->body_count; i++) {
        direct->open[i] = direct->stale[i];
        direct->stale[i] = false;
    }
    return changed;
}

// ---- out

static void keep_within(cn_held_row *r)
{
    double impulse = r->impulse + r->change;
    if (r->limit)
        impulse = r->state == CN_HOLD_LOWER ? fmax(impulse, 0.0) : r->state == CN_HOLD_UPPER ? fmin(impulse, 0.0) : impulse;
    else
        impulse = fmax(fmin(impulse, r->most), -r->most);
    r->change = impulse - r->impulse;
}

// A row's own impulse comes with what the locks of its joint do meanwhile (cn_wide_row.wrench): that much less is theirs.
static void store(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++) {
        const cn_lock_block *block = &direct->blocks[i];
        const cn_d4 x = direct->x[direct->order.position[i]];
        for (int k = 0; k < 3; k++) {
            int dof = block->first + k;
            bool locked = block->rows[k] == NULL && block->locked >> k & 1;
            block->wide->answer[dof][block->lane] = locked ? (float)x[k] : 0.0f;
            if (locked)
                block->wide->impulse[dof][block->lane] += (float)x[k];
        }
    }
    for (int i = 0; i < direct->row_count; i++) {
        cn_held_row *r = &direct->rows[i];
        if (r->change == 0.0)
            continue;
        if (r->bound != NULL) {
            cn_add_torque_change(r);
            continue;
        }
        if (r->part != CN_CONE_BEND)
            keep_within(r);
        if (r->cone != NULL) {
            cn_add_cone_change(r);
            continue;
        }
        float change = (float)r->change;
        r->row->impulse[r->lane] += change;
        if (r->wide->joint_class == CN_CLASS_COUPLING) {
            r->wide->answer[0][r->lane] += change;
            continue;
        }
        for (int d = 0; d < 6; d++) {
            r->wide->answer[d][r->lane] += (float)r->axis[d] * change;
            if (cn_is_locked(r->wide, r->lane, d))
                r->wide->impulse[d][r->lane] -= r->row->wrench[d][r->lane] * change;
        }
    }
    cn_bound_torques(direct);
}

void cn_hold_joints(cn_unit_run *run, bool pushing)
{
    struct cn_joint_direct *direct = run->direct;
    if (pushing)
        run->kernels->lock_jacobians(direct);
    begin(direct, &run->sweep, pushing);
    for (int i = 0; i < direct->body_count; i++) {
        direct->open[i] = true;
        direct->stale[i] = pushing;
    }
    for (int round = 0; round < MOST_ROUNDS; round++) {
        list_open(direct);
        choose_rows(direct);
        run->kernels->lock_factor(direct);
        set_residuals(direct, pushing);
        run->kernels->lock_solve(direct);
        if (direct->open_row_count == 0)
            break;
        add_answers(direct);
        if (!revise(direct, &run->sweep, round, pushing))
            break;
    }
    store(direct);
}
