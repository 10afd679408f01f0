// Stewart and Trinkle 1996, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
// friction".
//
// Impulses are sums of variables that push along a direction of their block. Variables that must not be negative are
// complementary to the velocity along their direction, plus the limits they count towards; a limit is complementary to what it
// leaves:
//
//     normal      r_N >= 0            with u_N
//     direction   b_i >= 0            with d_i . u_T + limit      where r_T = sum b_i d_i
//     limit       l >= 0              with mu r_N - sum b_i
//
// Free variables are eliminated. Those that the equalities do not determine are left as differences of two that are not
// negative, each complementary to one of the two signs of an equality that is left: w >= 0 and -w >= 0.
#include "lab/lcp.h"
#include <math.h>
#include <string.h>

typedef struct variable {
    int block; // -1: a limit
    double push[3];
    bool is_free;
    int limit; // that it counts towards, or -1
    // of a limit
    double bound, friction;
    int normal; // whose `friction` part is added to the bound, or -1
} variable;

struct cn_lcp {
    const cn_problem *problem;
    cn_law law;
    int directions;
    double edges[64][2];
    variable *variables;
    int count, free_count, capacity;
    int *firsts;         // of each block, and behind the last one
    int *places;         // of each variable in `full`: free ones come first
    double *offset;      // r with all variables at zero
    double *base;        // velocities then
    double *full;        // of all variables, count x (count + 1) with the right side; then with free ones eliminated
    int rank;            // how many are eliminated
    int *rows, *columns; // of the eliminated ones in `full`, and of the other free ones behind them
    double *matrix, *q;  // of what is left: those that are not free, then both parts of each that is
};

// ---- variables

// Unit vectors all around, from the series of sine and cosine, so that no library rounds them differently.
static void make_edges(cn_lcp *lcp)
{
    double angle = 6.283185307179586 / lcp->directions, term = 1.0, sine = 0.0, cosine = 0.0;
    for (int k = 0; k < 24; k += 2) {
        cosine += k % 4 == 0 ? term : -term;
        term *= angle / (k + 1);
        sine += k % 4 == 0 ? term : -term;
        term *= angle / (k + 2);
    }
    int half = lcp->directions / 2;
    lcp->edges[0][0] = 1.0;
    lcp->edges[0][1] = 0.0;
    for (int i = 1; i < half; i++) {
        const double *last = lcp->edges[i - 1];
        lcp->edges[i][0] = last[0] * cosine - last[1] * sine;
        lcp->edges[i][1] = last[0] * sine + last[1] * cosine;
    }
    for (int i = 0; i < half; i++)
        for (int k = 0; k < 2; k++)
            lcp->edges[half + i][k] = -lcp->edges[i][k];
}

static int add(cn_lcp *lcp, variable v)
{
    if (lcp->count < lcp->capacity)
        lcp->variables[lcp->count] = v;
    return lcp->count++;
}

static int add_push(cn_lcp *lcp, int block, double normal, double tangent1, double tangent2, int limit)
{
    return add(lcp, (variable){ .block = block, .push = { normal, tangent1, tangent2 }, .limit = limit, .normal = -1 });
}

static int add_limit(cn_lcp *lcp, double bound, int normal, double friction)
{
    return add(lcp, (variable){ .block = -1, .limit = -1, .bound = bound, .normal = normal, .friction = friction });
}

static void add_contact(cn_lcp *lcp, int block)
{
    const cn_block *b = &lcp->problem->blocks[block];
    if (lcp->law == CN_LAW_RELAXED && b->friction > 0.0) { // the edges of the pyramid itself
        for (int i = 0; i < lcp->directions; i++)
            add_push(lcp, block, 1.0, b->friction * lcp->edges[i][0], b->friction * lcp->edges[i][1], -1);
        return;
    }
    int normal = add_push(lcp, block, 1.0, 0.0, 0.0, -1);
    double bound = lcp->law == CN_LAW_DISC ? b->friction * b->frozen : 0.0;
    if (b->friction == 0.0 || (lcp->law == CN_LAW_DISC && bound == 0.0))
        return;
    int linked = lcp->law == CN_LAW_DISC ? -1 : normal;
    if (lcp->law == CN_LAW_BOX) {
        for (int axis = 0; axis < 2; axis++) {
            int limit = add_limit(lcp, 0.0, linked, b->friction);
            for (int sign = -1; sign <= 1; sign += 2)
                add_push(lcp, block, 0.0, axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, limit);
        }
        return;
    }
    int limit = add_limit(lcp, bound, linked, b->friction);
    for (int i = 0; i < lcp->directions; i++)
        add_push(lcp, block, 0.0, lcp->edges[i][0], lcp->edges[i][1], limit);
}

static void add_row(cn_lcp *lcp, int block, int k)
{
    const cn_problem *p = lcp->problem;
    const cn_block *b = &p->blocks[block];
    int row = b->first_row + k;
    double lower = p->lower[row], upper = p->upper[row];
    bool is_free = b->kind == CN_BLOCK_EQUALITY || (isinf(lower) && isinf(upper));
    variable v = { .block = block, .is_free = is_free, .limit = -1, .normal = -1 };
    v.push[k] = is_free || isfinite(lower) ? 1.0 : -1.0;
    if (!is_free) {
        lcp->offset[row] = isfinite(lower) ? lower : upper;
        if (isfinite(lower) && isfinite(upper))
            v.limit = add_limit(lcp, upper - lower, -1, 0.0);
    }
    add(lcp, v);
}

static void add_variables(cn_lcp *lcp)
{
    lcp->count = 0;
    for (int i = 0; i < lcp->problem->block_count; i++) {
        bool contact = lcp->problem->blocks[i].kind == CN_BLOCK_CONTACT;
        lcp->firsts[i] = lcp->count;
        if (contact)
            add_contact(lcp, i);
        for (int k = 0; !contact && k < lcp->problem->blocks[i].rows; k++)
            add_row(lcp, i, k);
    }
    lcp->firsts[lcp->problem->block_count] = lcp->count;
}

// ---- the matrix

static double *place(const cn_lcp *lcp, int i, int j) { return lcp->full + (size_t)i * (size_t)(lcp->count + 1) + (size_t)j; }

static void couple_blocks(cn_lcp *lcp, int row_block, int entry)
{
    const cn_problem *p = lcp->problem;
    const double *w = p->entries[entry];
    int column_block = p->columns[entry];
    for (int i = lcp->firsts[row_block]; i < lcp->firsts[row_block + 1]; i++) {
        const variable *a = &lcp->variables[i];
        for (int j = lcp->firsts[column_block]; a->block >= 0 && j < lcp->firsts[column_block + 1]; j++) {
            const variable *b = &lcp->variables[j];
            double sum = 0.0;
            for (int k = 0; b->block >= 0 && k < 9; k++)
                sum += a->push[k / 3] * w[k] * b->push[k % 3];
            *place(lcp, lcp->places[i], lcp->places[j]) += sum;
        }
    }
}

static void add_softness(cn_lcp *lcp, int block)
{
    const double *soft = lcp->problem->softness + lcp->problem->blocks[block].first_row;
    for (int i = lcp->firsts[block]; i < lcp->firsts[block + 1]; i++) {
        for (int j = lcp->firsts[block]; j < lcp->firsts[block + 1]; j++) {
            const variable *a = &lcp->variables[i], *b = &lcp->variables[j];
            for (int k = 0; a->block >= 0 && b->block >= 0 && k < lcp->problem->blocks[block].rows; k++)
                *place(lcp, lcp->places[i], lcp->places[j]) += a->push[k] * soft[k] * b->push[k];
        }
    }
}

static void fill(cn_lcp *lcp)
{
    const cn_problem *p = lcp->problem;
    memset(lcp->full, 0, sizeof(double) * (size_t)lcp->count * (size_t)(lcp->count + 1));
    for (int i = 0; i < p->block_count; i++) {
        add_softness(lcp, i);
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            couple_blocks(lcp, i, e);
    }
    for (int i = 0; i < lcp->count; i++) {
        const variable *v = &lcp->variables[i];
        double *right = place(lcp, lcp->places[i], lcp->count);
        *right = v->bound;
        for (int k = 0; v->block >= 0 && k < p->blocks[v->block].rows; k++)
            *right += v->push[k] * lcp->base[p->blocks[v->block].first_row + k];
        if (v->normal >= 0)
            *place(lcp, lcp->places[i], lcp->places[v->normal]) += v->friction;
        if (v->limit >= 0) {
            *place(lcp, lcp->places[i], lcp->places[v->limit]) += 1.0;
            *place(lcp, lcp->places[v->limit], lcp->places[i]) -= 1.0;
        }
    }
}

// ---- what is left after elimination

int cn_lcp_bounded(const cn_lcp *lcp) { return lcp->count - lcp->free_count; }
int cn_lcp_size(const cn_lcp *lcp) { return cn_lcp_bounded(lcp) + 2 * (lcp->free_count - lcp->rank); }

// Unknown k of the problem that is left: where it stands in `full`, and with which sign.
static double sign_of(const cn_lcp *lcp, int k, int *row, int *column)
{
    int part = k - cn_lcp_bounded(lcp);
    if (part < 0) {
        *row = *column = lcp->free_count + k;
        return 1.0;
    }
    *row = lcp->rows[lcp->rank + part / 2];
    *column = lcp->columns[lcp->rank + part / 2];
    return part % 2 == 0 ? 1.0 : -1.0;
}

static void take_rest(cn_lcp *lcp, cn_arena *arena)
{
    int n = cn_lcp_size(lcp);
    lcp->matrix = cn_arena_array(arena, double, (size_t)n *(size_t)n);
    lcp->q = cn_arena_array(arena, double, n);
    for (int i = 0; i < n; i++) {
        int row, column, unused;
        double sign = sign_of(lcp, i, &row, &unused);
        lcp->q[i] = sign * *place(lcp, row, lcp->count);
        for (int j = 0; j < n; j++) {
            double other = sign_of(lcp, j, &unused, &column);
            bool both_left = i >= cn_lcp_bounded(lcp) && j >= cn_lcp_bounded(lcp);
            lcp->matrix[(size_t)i * (size_t)n + (size_t)j] = both_left ? 0.0 : sign * other * *place(lcp, row, column);
        }
    }
}

// ---- interface

cn_lcp *cn_lcp_create(cn_lab_run *run, cn_arena *arena, const cn_problem *p, int max_size)
{
    cn_lcp *lcp = cn_arena_array(arena, cn_lcp, 1);
    *lcp = (cn_lcp){ .problem = p, .law = run->law, .directions = run->options.directions };
    make_edges(lcp);
    lcp->firsts = cn_arena_array(arena, int, p->block_count + 1);
    lcp->offset = cn_arena_array(arena, double, p->row_count);
    lcp->base = cn_arena_array(arena, double, p->row_count);
    memset(lcp->offset, 0, sizeof(double) * (size_t)p->row_count);
    add_variables(lcp); // counts
    lcp->capacity = lcp->count;
    if (lcp->count > max_size) {
        cn_lab_refuse(run, "%d unknowns are too many to pivot over; at most %d", lcp->count, max_size);
        return NULL;
    }
    lcp->variables = cn_arena_array(arena, variable, lcp->count);
    lcp->places = cn_arena_array(arena, int, lcp->count);
    add_variables(lcp);
    int bounded = 0;
    for (int i = 0; i < lcp->count; i++)
        lcp->free_count += lcp->variables[i].is_free;
    for (int i = 0, free = 0; i < lcp->count; i++)
        lcp->places[i] = lcp->variables[i].is_free ? free++ : lcp->free_count + bounded++;
    cn_problem_multiply(p, lcp->offset, lcp->base);
    for (int i = 0; i < p->row_count; i++)
        lcp->base[i] += p->q[i];
    lcp->full = cn_arena_array(arena, double, (size_t)lcp->count *(size_t)(lcp->count + 1));
    fill(lcp);
    lcp->rows = cn_arena_array(arena, int, lcp->free_count);
    lcp->columns = cn_arena_array(arena, int, lcp->free_count);
    lcp->rank = cn_lcp_eliminate(run, arena, lcp->full, lcp->count, lcp->free_count, lcp->rows, lcp->columns);
    if (cn_lab_out_of_time(run))
        return NULL;
    take_rest(lcp, arena);
    return lcp;
}

const double *cn_lcp_matrix(const cn_lcp *lcp) { return lcp->matrix; }
const double *cn_lcp_q(const cn_lcp *lcp) { return lcp->q; }

// The values of all variables at the places of their columns.
static void expand(const cn_lcp *lcp, const double *z, double *values)
{
    int n = cn_lcp_size(lcp), row, column;
    memset(values, 0, sizeof(double) * (size_t)lcp->count);
    for (int k = 0; k < n; k++) {
        double sign = sign_of(lcp, k, &row, &column);
        values[column] += sign * z[k];
    }
    for (int i = 0; i < lcp->rank; i++) {
        double sum = *place(lcp, lcp->rows[i], lcp->count);
        for (int j = 0; j < lcp->count; j++)
            sum += *place(lcp, lcp->rows[i], j) * (j == lcp->columns[i] ? 0.0 : values[j]);
        values[lcp->columns[i]] = -sum / *place(lcp, lcp->rows[i], lcp->columns[i]);
    }
}

void cn_lcp_impulses(cn_lcp *lcp, cn_arena *arena, const double *z, double *r)
{
    const cn_problem *p = lcp->problem;
    double *values = cn_arena_array(arena, double, lcp->count);
    expand(lcp, z, values);
    memcpy(r, lcp->offset, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < lcp->count; i++) {
        const variable *v = &lcp->variables[i];
        for (int k = 0; v->block >= 0 && k < p->blocks[v->block].rows; k++)
            r[p->blocks[v->block].first_row + k] += v->push[k] * values[lcp->places[i]];
    }
}
