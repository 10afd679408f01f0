// Joints by sweeps, or directly and then by a sweep. A direct pass takes three steps: locks, motors, limits and friction say what
// they lack, the impulses that give it to all of them at once are found and applied, and a sweep looks after what could not be
// had at once.
#include "solve/joint_direct.h"

#include "base/forest.h"
#include "solve/joint_hold.h"

// ---- pattern

static bool is_pushed(const cn_body_mass *mass) { return mass->inverse_mass > 0.0f || mass->xx + mass->yy + mass->zz > 0.0f; }

// Something holds one of three degrees of freedom, or may.
static bool is_wanted(const cn_wide_joint *wide, int lane, int first, const cn_found_joint *found)
{
    bool wanted = cn_is_locked(wide, lane, first) || cn_is_locked(wide, lane, first + 1) || cn_is_locked(wide, lane, first + 2);
    for (int n = 0; n < found->joint->row_count; n++)
        wanted |= found->joint->rows[n].dof / 3 == first / 3 && cn_can_hold(found, n, wide, lane);
    wanted |= first == 3 && cn_can_hold_cone(found, wide, lane);
    for (int kind = 0; kind < CN_TORQUE_COUNT && first == 3; kind++)
        wanted |= cn_can_hold_torque(found, kind, wide, lane);
    return wanted;
}

static void list_blocks(struct cn_joint_direct *direct, cn_unit_run *run)
{
    direct->blocks = cn_arena_array(run->arena, cn_lock_block, 2 * run->unit->joint_count);
    direct->count = 0;
    for (int w = 0; w < run->wide_joint_count; w++) {
        cn_wide_joint *wide = &run->wide_joints[w];
        for (int i = 0; i < 6; i++)
            wide->answer[i] = cn_f8_zero();
        for (int lane = 0; lane < run->joint_of_wide[w + 1] - run->joint_of_wide[w]; lane++) {
            const cn_found_joint *found = &run->joints[run->joint_of_wide[w] + lane];
            for (int first = 0; first < 6 && found->direct; first += 3) {
                if (!is_wanted(wide, lane, first, found))
                    continue;
                cn_lock_block *block = &direct->blocks[direct->count++];
                *block = (cn_lock_block){ .wide = wide, .lane = lane, .first = first };
                const int states[2] = { wide->a[lane], wide->b[lane] };
                for (int side = 0; side < 2; side++)
                    block->states[side] = is_pushed(&run->sweep.masses[states[side]]) ? states[side] : -1;
                direct->count -= block->states[0] < 0 && block->states[1] < 0; // all of both is locked
            }
        }
    }
}

// Which bodies of the unit hang together, by contacts too: by state, a body of the same island.
static int *find_islands(const struct cn_joint_direct *direct, const cn_unit_run *run)
{
    int *parent = cn_arena_array(run->arena, int, run->input->state_count);
    for (int i = 0; i < run->unit->body_count; i++)
        parent[run->bodies[i]] = run->bodies[i];
    for (int i = 0; i < run->unit->patch_count; i++) {
        int a = run->patches[i].a, b = run->patches[i].b;
        if (is_pushed(&run->sweep.masses[a]) && is_pushed(&run->sweep.masses[b]))
            parent[cn_find_root(parent, a)] = cn_find_root(parent, b);
    }
    for (int i = 0; i < direct->count; i++) {
        const int *states = direct->blocks[i].states;
        if (states[0] >= 0 && states[1] >= 0)
            parent[cn_find_root(parent, states[0])] = cn_find_root(parent, states[1]);
    }
    return parent;
}

// Loops are found by joining bodies joint by joint. All that nothing moves is one body to an island, and another one to the rest: a
// loop elsewhere is none here.
static void find_loops(struct cn_joint_direct *direct, const cn_unit_run *run)
{
    int states = run->input->state_count, *island = find_islands(direct, run);
    int *parent = cn_arena_array(run->arena, int, 2 * states);
    bool *loops = cn_arena_array(run->arena, bool, 2 * states);
    for (int pass = 0; pass < 3; pass++) { // prepare, join, tell
        for (int i = 0; i < direct->count; i++) {
            cn_lock_block *block = &direct->blocks[i];
            int moving = block->states[0] >= 0 ? block->states[0] : block->states[1];
            int ground = states + cn_find_root(island, moving);
            int a = block->states[0] >= 0 ? block->states[0] : ground, b = block->states[1] >= 0 ? block->states[1] : ground;
            if (pass == 0) {
                parent[a] = a, parent[b] = b;
                loops[a] = loops[b] = false;
                continue;
            }
            int root_a = cn_find_root(parent, a), root_b = cn_find_root(parent, b);
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
    direct->sharings = cn_arena_array(arena, cn_lock_sharing, pairs);
    int *starts = cn_arena_array(arena, int, count + 1), *columns = cn_arena_array(arena, int, 2 * pairs);
    int entries = 0;
    direct->sharing_count = 0;
    direct->first_sharing = cn_arena_array(arena, int, count + 1);
    for (int i = 0; i < count; i++) {
        starts[i] = entries;
        direct->first_sharing[i] = direct->sharing_count;
        for (int s = 0; s < 2; s++) {
            int state = direct->blocks[i].states[s];
            for (int at = state >= 0 ? head[state] : -1; at >= 0; at = sides[at].next) {
                int j = sides[at].block;
                if (j <= i)
                    direct->sharings[direct->sharing_count++] = (cn_lock_sharing){ i, s, j, sides[at].side, -1, false };
                if (j != i)
                    columns[entries++] = j;
            }
        }
    }
    starts[count] = entries;
    direct->first_sharing[count] = direct->sharing_count;
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
    direct->first_target = cn_arena_array(arena, int, direct->count);
    for (int p = 0; p < direct->count; p++) {
        direct->first_target[p] = (int)(target - direct->targets);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            for (int t = s + 1; t < order->starts[p + 1]; t++)
                *target++ = find_slot(order, order->columns[s], order->columns[t]);
    }
}

static void find_parts(struct cn_joint_direct *direct, cn_arena *arena)
{
    int *parent = cn_arena_array(arena, int, direct->body_count);
    for (int i = 0; i < direct->body_count; i++)
        parent[i] = i;
    for (int pass = 0; pass < 2; pass++) // join, tell
        for (int i = 0; i < direct->count; i++) {
            cn_lock_block *block = &direct->blocks[i];
            int a = block->bodies[0], b = block->bodies[1];
            if (pass == 0 && a >= 0 && b >= 0)
                parent[cn_find_root(parent, a)] = cn_find_root(parent, b);
            else if (pass == 1)
                block->part = cn_find_root(parent, a >= 0 ? a : b);
        }
}

static void number_bodies(struct cn_joint_direct *direct, cn_unit_run *run)
{
    int *number = cn_arena_array(run->arena, int, run->input->state_count);
    direct->body_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 * direct->count; i++) {
            cn_lock_block *block = &direct->blocks[i / 2];
            int state = block->states[i % 2];
            if (pass == 0 && state >= 0)
                number[state] = -1;
            else if (pass == 1 && state >= 0 && number[state] < 0)
                number[state] = direct->body_count++;
            if (pass == 1)
                block->bodies[i % 2] = state >= 0 ? number[state] : -1;
        }
    find_parts(direct, run->arena);
    direct->open = cn_arena_array(run->arena, bool, direct->body_count);
    direct->watched = cn_arena_array(run->arena, bool, direct->body_count);
    direct->stale = cn_arena_array(run->arena, bool, direct->body_count);
    direct->followed = cn_arena_array(run->arena, bool, direct->body_count);
    direct->changes = (double(*)[6])cn_arena_alloc(run->arena, sizeof(double[6]) * (size_t)direct->body_count);
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
        cn_lock_sharing *sh = &direct->sharings[k];
        int p = order->position[sh->block_i], q = order->position[sh->block_j];
        if (p == q)
            continue;
        sh->transposed = p > q; // the entry of the upper triangle is (earlier, later)
        sh->slot = p < q ? find_slot(order, p, q) : find_slot(order, q, p);
    }
    find_targets(direct, run->arena);
    number_bodies(direct, run);
    cn_list_held_rows(direct, run);
    direct->open_blocks = cn_arena_array(run->arena, int, direct->count);
    direct->open_places = cn_arena_array(run->arena, int, direct->count);
    direct->open_rows = cn_arena_array(run->arena, int, direct->row_count);
    direct->diagonal = (cn_d4(*)[3])cn_arena_alloc(run->arena, sizeof(cn_d4[3]) * (size_t)direct->count);
    direct->upper = (cn_d4(*)[3])cn_arena_alloc(run->arena, sizeof(cn_d4[3]) * (size_t)(order->fill + 1));
    direct->x = cn_arena_array(run->arena, cn_d4, direct->count);
    return direct;
}

// ---- the passes

void cn_push_joints(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    if (run->direct != NULL) {
        cn_run_all_joints(run, kernels->joint_push_residual);
        cn_hold_joints(run, true);
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
        cn_hold_joints(run, false);
        cn_run_joints(run, kernels->joint_relax_answer);
    }
    cn_run_joints(run, kernels->joint_relax);
}
