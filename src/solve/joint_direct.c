// Joints by sweeps, or directly and then by a sweep. A direct pass takes three steps: the locks say what they lack, the
// impulses that give it to all of them at once are found and applied, and a sweep looks after motors, limits and friction,
// which can only push so hard or one way.
//
// Every joint has up to two blocks of three locked degrees of freedom. Two blocks are coupled when they share a body that
// moves.
#include "solve/joint_direct.h"
#include "lab/block_order.h"

#include <string.h>

// The part of its diagonal by which a lock gives way. Joints in a loop may say the same thing twice, or contradict each other:
// there pushing errors away is soft, so that what they fight with stays bounded and is shared.
#define GIVE_IN_TREE 1e-8
#define GIVE_IN_LOOP 1e-3

typedef struct lock_block {
    cn_wide_joint *wide;
    int lane, first; // the degrees of freedom first .. first + 2
    int states[2];   // or -1 where nothing moves
    double give[3];  // in units of the matrix
    bool in_loop;
    double jacobian[2][3][6];
    double response[2][3][6]; // M^-1 J^T, transposed
} lock_block;

// What two blocks that share a body add to an entry of the matrix.
typedef struct sharing {
    int block_i, side_i, block_j, side_j;
    int slot; // of the upper triangle in the order of elimination; -1: diagonal of block_i
    bool transposed;
} sharing;

struct cn_joint_direct {
    lock_block *blocks;
    int count;
    sharing *sharings;
    int sharing_count;
    cn_block_order order;
    int *targets;          // slots that the updates of a factorisation go to, in their order
    double (*diagonal)[9]; // by position; after factoring the inverses
    double (*upper)[9];    // by slot
    double (*x)[3];        // by position
};

// ---- 3x3 blocks

CN_INLINE void multiply_transposed(double c[9], const double a[9], const double b[9]) // c = a^T b
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

CN_INLINE void subtract_product(double c[9], const double a[9], const double b[9]) // c -= a b
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[3 * i + j] -= a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

CN_INLINE void add_product(double y[3], const double a[9], const double x[3]) // y += a x
{
    for (int i = 0; i < 3; i++)
        y[i] += a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

// Of a symmetric positive matrix, in place.
static void invert(double m[9])
{
    double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * a + m[1] * b + m[2] * c;
    double d = determinant > 0.0 ? 1.0 / determinant : 0.0;
    double r[9] = { d * a, d * (m[2] * m[7] - m[1] * m[8]), d * (m[1] * m[5] - m[2] * m[4]),
                    d * b, d * (m[0] * m[8] - m[2] * m[6]), d * (m[2] * m[3] - m[0] * m[5]),
                    d * c, d * (m[1] * m[6] - m[0] * m[7]), d * (m[0] * m[4] - m[1] * m[3]) };
    memcpy(m, r, sizeof r);
}

// ---- pattern

static bool is_pushed(const cn_body_mass *mass) { return mass->inverse_mass > 0.0f || mass->xx + mass->yy + mass->zz > 0.0f; }

static bool is_locked(const cn_wide_joint *wide, int lane, int dof)
{
    if (wide->joint_class == CN_CLASS_GENERAL)
        return wide->locked[dof][lane] > 0.0f;
    return wide->joint_class == CN_CLASS_BALL ? dof < 3 : dof == 0 && wide->locked[0][lane] > 0.0f;
}

static bool has_locks(const cn_wide_joint *wide, int lane, int first)
{
    return is_locked(wide, lane, first) || is_locked(wide, lane, first + 1) || is_locked(wide, lane, first + 2);
}

static void list_blocks(struct cn_joint_direct *direct, cn_unit_run *run)
{
    direct->blocks = cn_arena_array(run->arena, lock_block, 2 * run->unit->joint_count);
    direct->count = 0;
    for (int w = 0; w < run->wide_joint_count; w++) {
        cn_wide_joint *wide = &run->wide_joints[w];
        for (int i = 0; i < 6; i++)
            wide->answer[i] = cn_f8_zero();
        for (int lane = 0; lane < run->joint_of_wide[w + 1] - run->joint_of_wide[w]; lane++) {
            for (int first = 0; first < 6; first += 3) {
                if (!has_locks(wide, lane, first))
                    continue;
                lock_block *block = &direct->blocks[direct->count++];
                block->wide = wide;
                block->lane = lane;
                block->first = first;
                const int states[2] = { wide->a[lane], wide->b[lane] };
                for (int side = 0; side < 2; side++)
                    block->states[side] = is_pushed(&run->sweep.masses[states[side]]) ? states[side] : -1;
            }
        }
    }
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Loops are found by joining bodies joint by joint; all that nothing moves is one body, the last.
static void find_loops(struct cn_joint_direct *direct, const cn_unit_run *run)
{
    int states = run->input->state_count;
    int *parent = cn_arena_array(run->arena, int, states + 1);
    bool *loops = cn_arena_array(run->arena, bool, states + 1);
    for (int pass = 0; pass < 3; pass++) { // prepare, join, tell
        for (int i = 0; i < direct->count; i++) {
            lock_block *block = &direct->blocks[i];
            int a = block->states[0] >= 0 ? block->states[0] : states, b = block->states[1] >= 0 ? block->states[1] : states;
            if (pass == 0) {
                parent[a] = a, parent[b] = b;
                loops[a] = loops[b] = false;
                continue;
            }
            int root_a = find_root(parent, a), root_b = find_root(parent, b);
            bool second = i > 0 && block[-1].wide == block->wide && block[-1].lane == block->lane; // of the same joint
            if (pass == 2) {
                block->in_loop = loops[root_a];
            } else if (root_a != root_b) {
                loops[root_b] |= loops[root_a];
                parent[root_a] = root_b;
            } else if (!second) {
                loops[root_a] = true;
            }
        }
    }
}

typedef struct block_side {
    int block, side, next; // next: in the list of the body
} block_side;

// The pattern of the matrix: every pair of blocks on a body.
static void find_pattern(struct cn_joint_direct *direct, cn_unit_run *run)
{
    cn_arena *arena = run->arena;
    int count = direct->count, states = run->input->state_count, pairs = 0;
    int *head = cn_arena_array(arena, int, states), *degree = cn_arena_array(arena, int, states);
    block_side *sides = cn_arena_array(arena, block_side, 2 * count);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < 2; s++)
            if (direct->blocks[i].states[s] >= 0) {
                head[direct->blocks[i].states[s]] = -1;
                degree[direct->blocks[i].states[s]] = 0;
            }
    for (int i = count - 1; i >= 0; i--)
        for (int s = 0; s < 2; s++) {
            int state = direct->blocks[i].states[s];
            sides[2 * i + s] = (block_side){ i, s, -1 };
            if (state < 0)
                continue;
            sides[2 * i + s].next = head[state];
            head[state] = 2 * i + s;
            pairs += 1 + degree[state]++;
        }
    // Sharings of a block with those before it on each of its bodies, and with itself.
    direct->sharings = cn_arena_array(arena, sharing, pairs);
    int *starts = cn_arena_array(arena, int, count + 1), *columns = cn_arena_array(arena, int, 2 * pairs);
    int entries = 0;
    direct->sharing_count = 0;
    for (int i = 0; i < count; i++) {
        starts[i] = entries;
        for (int s = 0; s < 2; s++) {
            int state = direct->blocks[i].states[s];
            for (int at = state >= 0 ? head[state] : -1; at >= 0; at = sides[at].next) {
                int j = sides[at].block;
                if (j <= i)
                    direct->sharings[direct->sharing_count++] = (sharing){ i, s, j, sides[at].side, -1, false };
                if (j != i)
                    columns[entries++] = j;
            }
        }
    }
    starts[count] = entries;
    direct->order = cn_block_order_create(arena, count, starts, columns);
}

static int find_slot(const cn_block_order *order, int row, int column)
{
    int low = order->starts[row], high = order->starts[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (order->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_targets(struct cn_joint_direct *direct, cn_arena *arena)
{
    const cn_block_order *order = &direct->order;
    int count = 0;
    for (int p = 0; p < direct->count; p++) {
        int row = order->starts[p + 1] - order->starts[p];
        count += row * (row - 1) / 2;
    }
    int *target = direct->targets = cn_arena_array(arena, int, count);
    for (int p = 0; p < direct->count; p++)
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            for (int t = s + 1; t < order->starts[p + 1]; t++)
                *target++ = find_slot(order, order->columns[s], order->columns[t]);
}

struct cn_joint_direct *cn_joint_direct_create(cn_unit_run *run)
{
    struct cn_joint_direct *direct = cn_arena_array(run->arena, struct cn_joint_direct, 1);
    list_blocks(direct, run);
    if (direct->count == 0)
        return NULL;
    find_loops(direct, run);
    find_pattern(direct, run);
    const cn_block_order *order = &direct->order;
    for (int k = 0; k < direct->sharing_count; k++) {
        sharing *sh = &direct->sharings[k];
        int p = order->position[sh->block_i], q = order->position[sh->block_j];
        if (p == q)
            continue;
        sh->transposed = p > q; // the entry of the upper triangle is (earlier, later)
        sh->slot = p < q ? find_slot(order, p, q) : find_slot(order, q, p);
    }
    find_targets(direct, run->arena);
    direct->diagonal = (double(*)[9])cn_arena_alloc(run->arena, sizeof(double[9]) * (size_t)direct->count);
    direct->upper = (double(*)[9])cn_arena_alloc(run->arena, sizeof(double[9]) * (size_t)(order->fill + 1));
    direct->x = (double(*)[3])cn_arena_alloc(run->arena, sizeof(double[3]) * (size_t)direct->count);
    return direct;
}

// ---- numbers

static void set_row(double row[6], const double direction[3], const double lever[3], double sign)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        row[k] = sign * direction[k];
        row[3 + k] = sign * (lever[l] * direction[m] - lever[m] * direction[l]);
    }
}

// How one degree of freedom answers to the velocities of a and of b.
static void dof_jacobian(const cn_wide_joint *c, int lane, int dof, double jacobian[2][6])
{
    bool ball = c->joint_class == CN_CLASS_BALL;
    double direction[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < 3; k++) {
        if (dof < 3)
            direction[k] = ball ? (dof == k ? 1.0 : 0.0) : (double)c->axes[dof][k][lane];
        for (int d = 0; dof >= 3 && d < 3; d++)
            direction[k] += (double)c->turn_axes[dof - 3][d][lane] * (double)c->axes[d][k][lane];
    }
    for (int side = 0; side < 2; side++) {
        const cn_f8 *lever = side == 0 ? c->lever_a : c->lever_b;
        const double arm[3] = { (double)lever[0][lane], (double)lever[1][lane], (double)lever[2][lane] };
        double sign = side == 0 ? -1.0 : 1.0;
        if (dof < 3)
            set_row(jacobian[side], direction, arm, sign);
        for (int k = 0; dof >= 3 && k < 3; k++) {
            jacobian[side][k] = 0.0;
            jacobian[side][3 + k] = sign * direction[k];
        }
    }
}

static void coupling_jacobian(const cn_wide_joint *c, int lane, double jacobian[2][6])
{
    for (int k = 0; k < 6; k++) {
        jacobian[0][k] = (double)c->jacobian_a[k][lane];
        jacobian[1][k] = (double)c->jacobian_b[k][lane];
    }
}

static void fill_jacobian(lock_block *block)
{
    const cn_wide_joint *c = block->wide;
    memset(block->jacobian, 0, sizeof block->jacobian);
    for (int i = 0; i < 3; i++) {
        double jacobian[2][6];
        if (!is_locked(c, block->lane, block->first + i))
            continue;
        if (c->joint_class == CN_CLASS_COUPLING)
            coupling_jacobian(c, block->lane, jacobian);
        else
            dof_jacobian(c, block->lane, block->first + i, jacobian);
        memcpy(block->jacobian[0][i], jacobian[0], sizeof jacobian[0]);
        memcpy(block->jacobian[1][i], jacobian[1], sizeof jacobian[1]);
    }
}

static void fill_response(lock_block *block)
{
    const cn_wide_joint *c = block->wide;
    int lane = block->lane;
    for (int side = 0; side < 2; side++) {
        const cn_f8 *mass = side == 0 ? c->inverse_mass_a : c->inverse_mass_b, *s = side == 0 ? c->inertia_a : c->inertia_b;
        const double m[3] = { (double)mass[0][lane], (double)mass[1][lane], (double)mass[2][lane] };
        const double xx = (double)s[0][lane], yy = (double)s[1][lane], zz = (double)s[2][lane], xy = (double)s[3][lane],
                     xz = (double)s[4][lane], yz = (double)s[5][lane];
        for (int i = 0; i < 3; i++) {
            const double *j = block->jacobian[side][i];
            double *r = block->response[side][i];
            for (int k = 0; k < 3; k++)
                r[k] = m[k] * j[k];
            r[3] = xx * j[3] + xy * j[4] + xz * j[5];
            r[4] = xy * j[3] + yy * j[4] + yz * j[5];
            r[5] = xz * j[3] + yz * j[4] + zz * j[5];
        }
    }
}

static void assemble(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++) {
        fill_jacobian(&direct->blocks[i]);
        fill_response(&direct->blocks[i]);
        memset(direct->diagonal[i], 0, sizeof direct->diagonal[i]);
    }
    memset(direct->upper, 0, sizeof(double[9]) * (size_t)direct->order.fill);
    for (int k = 0; k < direct->sharing_count; k++) {
        const sharing *sh = &direct->sharings[k];
        const lock_block *bi = &direct->blocks[sh->block_i], *bj = &direct->blocks[sh->block_j];
        double *entry = sh->slot < 0 ? direct->diagonal[direct->order.position[sh->block_i]] : direct->upper[sh->slot];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *a = bi->jacobian[sh->side_i][i], *b = bj->response[sh->side_j][j];
                double sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
                entry[sh->transposed ? 3 * j + i : 3 * i + j] += sum;
            }
    }
    for (int i = 0; i < direct->count; i++) {
        lock_block *block = &direct->blocks[i];
        double *diagonal = direct->diagonal[direct->order.position[i]], give = block->in_loop ? GIVE_IN_LOOP : GIVE_IN_TREE;
        for (int k = 0; k < 3; k++) {
            double *d = &diagonal[4 * k];
            block->give[k] = give * *d;
            *d = *d > 0.0 ? *d + block->give[k] : 1.0; // free rows, and what cannot move
        }
    }
}

// U^T D^-1 U with U the matrix itself after the updates of all pivots before: each pivot takes its share from what follows.
static void factor(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    assemble(direct);
    const int *target = direct->targets;
    for (int p = 0; p < direct->count; p++) {
        invert(direct->diagonal[p]);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++) {
            double scaled[9] = { 0 }; // U_s^T D^-1
            multiply_transposed(scaled, direct->upper[s], direct->diagonal[p]);
            subtract_product(direct->diagonal[order->columns[s]], scaled, direct->upper[s]);
            for (int t = s + 1; t < order->starts[p + 1]; t++)
                subtract_product(direct->upper[*target++], scaled, direct->upper[t]);
        }
    }
}

static void solve(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    double(*x)[3] = direct->x;
    for (int p = 0; p < direct->count; p++) {
        double y[3] = { 0.0, 0.0, 0.0 };
        add_product(y, direct->diagonal[p], x[p]);
        memcpy(x[p], y, sizeof y);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++) {
            const double *u = direct->upper[s];
            double *later = x[order->columns[s]];
            for (int i = 0; i < 3; i++)
                later[i] -= u[i] * y[0] + u[3 + i] * y[1] + u[6 + i] * y[2];
        }
    }
    for (int p = direct->count - 1; p >= 0; p--) {
        double sum[3] = { 0.0, 0.0, 0.0 }, y[3] = { 0.0, 0.0, 0.0 };
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            add_product(sum, direct->upper[s], x[order->columns[s]]);
        add_product(y, direct->diagonal[p], sum);
        for (int i = 0; i < 3; i++)
            x[p][i] -= y[i];
    }
}

// From what the locks lack to the impulses that give it.
static void answer(struct cn_joint_direct *direct, bool pushing)
{
    for (int i = 0; i < direct->count; i++) {
        const lock_block *block = &direct->blocks[i];
        const cn_wide_joint *c = block->wide;
        double *x = direct->x[direct->order.position[i]];
        for (int k = 0; k < 3; k++) {
            int dof = block->first + k;
            bool locked = is_locked(c, block->lane, dof);
            x[k] = locked ? -(double)c->residual[dof][block->lane] : 0.0;
            if (locked && pushing && block->in_loop)
                x[k] -= block->give[k] * (double)c->impulse[dof][block->lane];
        }
    }
    solve(direct);
    for (int i = 0; i < direct->count; i++) {
        const lock_block *block = &direct->blocks[i];
        const double *x = direct->x[direct->order.position[i]];
        for (int k = 0; k < 3; k++)
            if (is_locked(block->wide, block->lane, block->first + k))
                block->wide->answer[block->first + k][block->lane] = (float)x[k];
    }
}

// ---- the passes

void cn_push_joints(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    if (run->direct != NULL) {
        cn_run_all_joints(run, kernels->joint_push_residual);
        factor(run->direct);
        answer(run->direct, true);
        cn_run_joints(run, kernels->joint_push_answer);
    }
    for (int i = 0; i < run->unit->joint_sweeps; i++)
        cn_run_joints(run, kernels->joint_push);
}

void cn_relax_joints(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    if (run->direct != NULL) {
        cn_run_all_joints(run, kernels->joint_relax_residual);
        answer(run->direct, false);
        cn_run_joints(run, kernels->joint_relax_answer);
    }
    cn_run_joints(run, kernels->joint_relax);
}
