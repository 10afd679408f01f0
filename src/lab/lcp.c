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
// Free variables are eliminated.
#include "lab/lcp.h"
#include "model/dense.h"

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
    int *firsts;                  // of each block, and behind the last one
    int *places;                  // of each variable: among the free ones, or among the others
    double *offset;               // r with all variables at zero
    double *base;                 // velocities then
    double *matrix, *q;           // of those that are not free
    double *free_matrix, *free_q; // free = free_q + free_matrix * others, after elimination
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

// Where the numbers of a pair of variables go: free ones come first in rows and columns.
static double *place(const cn_lcp *lcp, double *full, int i, int j)
{
    return full + (size_t)i * (size_t)lcp->count + (size_t)j;
}

static int index_of(const cn_lcp *lcp, int v)
{
    return lcp->variables[v].is_free ? lcp->places[v] : lcp->free_count + lcp->places[v];
}

static void couple_blocks(cn_lcp *lcp, double *full, int row_block, int entry)
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
            *place(lcp, full, index_of(lcp, i), index_of(lcp, j)) += sum;
        }
    }
}

static void add_softness(cn_lcp *lcp, double *full, int block)
{
    const double *soft = lcp->problem->softness + lcp->problem->blocks[block].first_row;
    for (int i = lcp->firsts[block]; i < lcp->firsts[block + 1]; i++) {
        for (int j = lcp->firsts[block]; j < lcp->firsts[block + 1]; j++) {
            const variable *a = &lcp->variables[i], *b = &lcp->variables[j];
            for (int k = 0; a->block >= 0 && b->block >= 0 && k < lcp->problem->blocks[block].rows; k++)
                *place(lcp, full, index_of(lcp, i), index_of(lcp, j)) += a->push[k] * soft[k] * b->push[k];
        }
    }
}

static void fill(cn_lcp *lcp, double *full, double *right)
{
    const cn_problem *p = lcp->problem;
    memset(full, 0, sizeof(double) * (size_t)lcp->count * (size_t)lcp->count);
    for (int i = 0; i < p->block_count; i++) {
        add_softness(lcp, full, i);
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            couple_blocks(lcp, full, i, e);
    }
    for (int i = 0; i < lcp->count; i++) {
        const variable *v = &lcp->variables[i];
        right[index_of(lcp, i)] = v->bound;
        for (int k = 0; v->block >= 0 && k < p->blocks[v->block].rows; k++)
            right[index_of(lcp, i)] += v->push[k] * lcp->base[p->blocks[v->block].first_row + k];
        if (v->normal >= 0)
            *place(lcp, full, index_of(lcp, i), index_of(lcp, v->normal)) += v->friction;
        if (v->limit >= 0) {
            *place(lcp, full, index_of(lcp, i), index_of(lcp, v->limit)) += 1.0;
            *place(lcp, full, index_of(lcp, v->limit), index_of(lcp, i)) -= 1.0;
        }
    }
}

// [A C; D B] with the equalities A x + C z + a = 0 becomes B - D A^-1 C and b - D A^-1 a. False when A is singular.
static bool eliminate(cn_lcp *lcp, cn_arena *arena, double *full, const double *right)
{
    int m = lcp->free_count, n = lcp->count - m, *exchanges = cn_arena_array(arena, int, m);
    size_t square = (size_t)m * (size_t)m;
    double *a = cn_arena_array(arena, double, square), *column = cn_arena_array(arena, double, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            a[(size_t)i * (size_t)m + (size_t)j] = *place(lcp, full, i, j);
    if (cn_lu_factorise(a, m, exchanges, column) >= 0)
        return false;
    for (int c = 0; c <= n; c++) { // the last one is the right side
        for (int i = 0; i < m; i++)
            column[i] = -(c < n ? *place(lcp, full, i, m + c) : right[i]);
        cn_lu_solve(a, m, exchanges, column);
        for (int i = 0; i < m; i++)
            *(c < n ? lcp->free_matrix + (size_t)i * (size_t)n + (size_t)c : lcp->free_q + i) = column[i];
        for (int i = 0; i < n; i++) {
            double sum = c < n ? *place(lcp, full, m + i, m + c) : right[m + i];
            for (int k = 0; k < m; k++)
                sum += *place(lcp, full, m + i, k) * column[k];
            *(c < n ? lcp->matrix + (size_t)i * (size_t)n + (size_t)c : lcp->q + i) = sum;
        }
    }
    return true;
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
    int others = 0;
    for (int i = 0; i < lcp->count; i++)
        lcp->places[i] = lcp->variables[i].is_free ? lcp->free_count++ : others++;
    cn_problem_multiply(p, lcp->offset, lcp->base);
    for (int i = 0; i < p->row_count; i++)
        lcp->base[i] += p->q[i];
    double *full = cn_arena_array(arena, double, (size_t)lcp->count *(size_t)lcp->count);
    double *right = cn_arena_array(arena, double, lcp->count);
    fill(lcp, full, right);
    lcp->matrix = cn_arena_array(arena, double, (size_t)others *(size_t)others);
    lcp->q = cn_arena_array(arena, double, others);
    lcp->free_matrix = cn_arena_array(arena, double, (size_t)lcp->free_count *(size_t)others);
    lcp->free_q = cn_arena_array(arena, double, lcp->free_count);
    if (!eliminate(lcp, arena, full, right)) {
        cn_lab_refuse(run, "the %d equality rows cannot be eliminated: their matrix is singular", lcp->free_count);
        return NULL;
    }
    return lcp;
}

int cn_lcp_size(const cn_lcp *lcp) { return lcp->count - lcp->free_count; }
const double *cn_lcp_matrix(const cn_lcp *lcp) { return lcp->matrix; }
const double *cn_lcp_q(const cn_lcp *lcp) { return lcp->q; }

void cn_lcp_impulses(cn_lcp *lcp, const double *z, double *r)
{
    const cn_problem *p = lcp->problem;
    int n = cn_lcp_size(lcp);
    memcpy(r, lcp->offset, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < lcp->count; i++) {
        const variable *v = &lcp->variables[i];
        double value = v->is_free ? lcp->free_q[lcp->places[i]] : z[lcp->places[i]];
        for (int j = 0; v->is_free && j < n; j++)
            value += lcp->free_matrix[(size_t)lcp->places[i] * (size_t)n + (size_t)j] * z[j];
        for (int k = 0; v->block >= 0 && k < p->blocks[v->block].rows; k++)
            r[p->blocks[v->block].first_row + k] += v->push[k] * value;
    }
}
