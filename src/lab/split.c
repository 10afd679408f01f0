// Tonge, Benevolenski and Voroshilov 2012, "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation", without copies of
// bodies.
//
// A body that n groups of blocks push is cut into n parts, one for each group, which move as the body did. A part has an n-th
// of the mass, so it answers n times as strongly; when the parts are joined, each adds an n-th of its velocity. What remains of
// the cut is the matrix that a group sees of itself,
//
//     K_ij = sum over bodies b of n_b J_ib M_b^-1 J_jb^T        i, j in the same group,
//
// while the joined velocities are those of W. As |sum of n terms|^2 <= n * sum of |terms|^2, K - W is positive semi-definite: a
// group that lowers its own energy by K lowers the whole by at least as much, whatever the others do at the same time.
//
// A problem given by its matrix has no bodies to cut. There x_g . W_gh x_h <= s_g s_h <= (s_g^2 + s_h^2) / 2 with
// s_g^2 = x_g . W_gg x_g gives the same for K_ij = d_g W_ij, where d_g counts the groups that g is coupled to, itself included.
#include "lab/split.h"

#include <math.h>
#include <string.h>

// ---- groups

// Breadth first from the first block that is left: the groups are compact.
static void make_groups(cn_split *split, cn_arena *arena, int group_size)
{
    const cn_problem *p = split->problem;
    int count = p->block_count, filled = 0;
    split->group_of = cn_arena_array(arena, int, count);
    split->starts = cn_arena_array(arena, int, count + 1);
    split->members = cn_arena_array(arena, int, count);
    memset(split->group_of, 0xff, sizeof(int) * (size_t)count);
    for (int seed = 0; seed < count; seed++) {
        if (split->group_of[seed] >= 0)
            continue;
        int group = split->group_count++, first = filled;
        split->starts[group] = first;
        split->group_of[seed] = group;
        split->members[filled++] = seed;
        for (int at = first; at < filled; at++) {
            int block = split->members[at];
            for (int e = p->row_starts[block]; e < p->row_starts[block + 1] && filled - first < group_size; e++) {
                int other = p->columns[e];
                if (split->group_of[other] >= 0 || !cn_lab_couples(p->entries[e]))
                    continue;
                split->group_of[other] = group;
                split->members[filled++] = other;
            }
        }
    }
    split->starts[split->group_count] = filled;
}

// ---- the matrix of the parts

// sum over bodies of parts_b J_i M^-1 J_j^T.
static void pair_entry(const cn_problem *p, int i, int j, const int *parts, double entry[9])
{
    const cn_block *a = &p->blocks[i], *b = &p->blocks[j];
    memset(entry, 0, sizeof(double[9]));
    for (int s = a->first_side; s < a->first_side + a->side_count; s++) {
        for (int t = b->first_side; t < b->first_side + b->side_count; t++) {
            const cn_side *mine = &p->sides[s], *other = &p->sides[t];
            const cn_model_body *body = &p->bodies[mine->body];
            if (mine->body != other->body)
                continue;
            for (int row = 0; row < 9; row++)
                for (int k = 0; k < 36; k++)
                    entry[row] += (parts != NULL ? parts[mine->body] : 1) * mine->jacobian[row / 3][k / 6] *
                                  body->inverse_mass[k / 6][k % 6] * other->jacobian[row % 3][k % 6];
        }
    }
}

// Whether W is that of the bodies: a problem may have both, and its matrix from elsewhere.
static bool bodies_explain_matrix(const cn_problem *p)
{
    for (int i = 0; i < p->block_count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            double entry[9];
            pair_entry(p, i, p->columns[e], NULL, entry);
            for (int k = 0; k < 9; k++)
                if (!(fabs(entry[k] - p->entries[e][k]) <= 1e-9 * (1.0 + fabs(entry[k]))))
                    return false;
        }
    }
    return true;
}

// Per body, how many groups push it.
static int *count_parts(const cn_split *split, cn_lab_run *run)
{
    const cn_problem *p = split->problem;
    int *parts = cn_arena_array(run->arena, int, p->body_count), *last = cn_arena_array(run->arena, int, p->body_count);
    for (int i = 0; i < p->body_count; i++) {
        parts[i] = 0;
        last[i] = -1;
    }
    for (int g = 0; g < split->group_count; g++) {
        for (int m = split->starts[g]; m < split->starts[g + 1]; m++) {
            const cn_block *b = &p->blocks[split->members[m]];
            for (int s = b->first_side; s < b->first_side + b->side_count; s++) {
                int body = p->sides[s].body;
                parts[body] += last[body] != g;
                last[body] = g;
            }
        }
    }
    return parts;
}

// Per group, how many groups it is coupled to.
static int *count_coupled(const cn_split *split, cn_lab_run *run)
{
    const cn_problem *p = split->problem;
    int *coupled = cn_arena_array(run->arena, int, split->group_count);
    int *last = cn_arena_array(run->arena, int, split->group_count);
    memset(last, 0xff, sizeof(int) * (size_t)split->group_count);
    for (int g = 0; g < split->group_count; g++) {
        coupled[g] = 1;
        last[g] = g;
        for (int m = split->starts[g]; m < split->starts[g + 1]; m++) {
            int block = split->members[m];
            for (int e = p->row_starts[block]; e < p->row_starts[block + 1]; e++) {
                int other = split->group_of[p->columns[e]];
                coupled[g] += last[other] != g && cn_lab_couples(p->entries[e]);
                last[other] = cn_lab_couples(p->entries[e]) ? g : last[other];
            }
        }
    }
    return coupled;
}

// K_ij for the pair whose entry of W is given.
static void part_entry(const cn_split *split, const int *parts, bool bodies, int i, int j, const double w[9], double out[9])
{
    if (bodies)
        pair_entry(split->problem, i, j, parts, out);
    for (int k = 0; k < 9 && !bodies; k++)
        out[k] = parts[split->group_of[i]] * w[k];
}

static void fill_matrix(cn_split *split, cn_lab_run *run)
{
    const cn_problem *p = split->problem;
    bool bodies = p->body_count > 0 && bodies_explain_matrix(p);
    const int *parts = bodies ? count_parts(split, run) : count_coupled(split, run);
    int at = 0;
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        split->row_starts[i] = at;
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            int j = p->columns[e];
            if (split->group_of[j] != split->group_of[i])
                continue;
            part_entry(split, parts, bodies, i, j, p->entries[e], j == i ? split->own[i] : split->entries[at]);
            if (j != i)
                split->columns[at++] = j;
        }
        for (int k = 0; k < b->rows; k++)
            split->own[i][4 * k] += p->softness[b->first_row + k];
    }
    split->row_starts[p->block_count] = at;
}

void cn_split_init(cn_split *split, cn_lab_run *run, int group_size)
{
    const cn_problem *p = run->problem;
    *split = (cn_split){ .problem = p };
    make_groups(split, run->arena, group_size);
    split->own = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    split->row_starts = cn_arena_array(run->arena, int, p->block_count + 1);
    split->columns = cn_arena_array(run->arena, int, p->entry_count);
    split->entries = (double(*)[9])cn_lab_numbers(run, 9 * p->entry_count);
    fill_matrix(split, run);
}

// ---- iterations

static void add_product(const double k[9], const double *x, int rows, double v[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < rows; j++)
            v[i] += k[3 * i + j] * x[j];
}

// Solves one block against the parts of its group. `moved` is what the impulses of this iteration have changed so far.
static double solve_part(const cn_split *split, const cn_lab_sweep *sweep, int block, const double *u, double *moved, double *r)
{
    const cn_problem *p = split->problem;
    int row = p->blocks[block].first_row, rows = p->blocks[block].rows;
    double v[3] = { 0.0 }, before[3] = { 0.0 }, target[3];
    memcpy(v, u + row, sizeof(double) * (size_t)rows);
    memcpy(before, r + row, sizeof(double) * (size_t)rows);
    memcpy(target, before, sizeof before);
    add_product(split->own[block], moved + row, rows, v);
    for (int e = split->row_starts[block]; e < split->row_starts[block + 1]; e++) {
        const cn_block *other = &p->blocks[split->columns[e]];
        add_product(split->entries[e], moved + other->first_row, other->rows, v);
    }
    cn_local_exact(p, block, sweep->law, split->own[block], v, target);
    double change = cn_lab_sweep_relax(sweep, block, target, r + row);
    for (int k = 0; k < rows; k++)
        moved[row + k] += r[row + k] - before[k];
    return change;
}

void cn_split_solve(cn_lab_run *run, int group_size, int sweeps)
{
    cn_lab_sweep sweep;
    cn_split split;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    cn_split_init(&split, run, group_size);
    double *u = cn_lab_vector(run), *moved = cn_lab_vector(run), change;
    do {
        change = 0.0;
        cn_lab_velocities(run, run->r, u);
        memset(moved, 0, sizeof(double) * (size_t)run->problem->row_count);
        for (int g = 0; g < split.group_count; g++)
            for (int s = 0; s < sweeps; s++)
                for (int m = split.starts[g]; m < split.starts[g + 1]; m++)
                    change = fmax(change, solve_part(&split, &sweep, split.members[m], u, moved, run->r));
    } while (!cn_lab_sweep_check(run, run->r, change));
}
