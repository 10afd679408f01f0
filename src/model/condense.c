// Condensing a mass matrix away, part by part.
#include "model/condense.h"

#include "base/error.h"
#include "model/dense.h"

#include <math.h>
#include <string.h>

// ---- the parts of M

// Rows of M sorted into groups: those of group g are rows[starts[g]] .. rows[starts[g + 1]], ascending.
typedef struct grouping {
    int count;
    int *group_of, *slot_of; // per row: its group, and its place in it
    int *starts, *rows;
} grouping;

static void list_members(const cn_sparse *m, grouping *g, cn_arena *arena)
{
    int n = m->row_count;
    g->starts = cn_arena_array(arena, int, g->count + 1);
    g->rows = cn_arena_array(arena, int, n);
    g->slot_of = cn_arena_array(arena, int, n);
    memset(g->starts, 0, sizeof(int) * (size_t)(g->count + 1));
    for (int i = 0; i < n; i++)
        g->slot_of[i] = g->starts[g->group_of[i] + 1]++;
    for (int i = 0; i < g->count; i++)
        g->starts[i + 1] += g->starts[i];
    for (int i = 0; i < n; i++)
        g->rows[g->starts[g->group_of[i]] + g->slot_of[i]] = i;
}

static int root_of(int *parents, int i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

// What M itself couples, numbered by the first row.
static grouping coupled_rows(const cn_sparse *m, cn_arena *arena)
{
    int n = m->row_count;
    grouping g = { .group_of = cn_arena_array(arena, int, n) };
    int *parents = cn_arena_array(arena, int, n);
    for (int i = 0; i < n; i++)
        parents[i] = i;
    for (int i = 0; i < n; i++) {
        for (int e = m->starts[i]; e < m->starts[i + 1]; e++) {
            int a = root_of(parents, i), b = root_of(parents, m->columns[e]);
            if (m->values[e] != 0.0)
                parents[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < n; i++) // the root is the smallest row, so it is numbered already
        g.group_of[i] = root_of(parents, i) == i ? g.count++ : g.group_of[parents[i]];
    list_members(m, &g, arena);
    return g;
}

static grouping aligned_rows(const cn_sparse *m, int size, cn_arena *arena)
{
    grouping g = { .count = (m->row_count + size - 1) / size, .group_of = cn_arena_array(arena, int, m->row_count) };
    for (int i = 0; i < m->row_count; i++)
        g.group_of[i] = i / size;
    list_members(m, &g, arena);
    return g;
}

static int largest_group(const grouping *g)
{
    int largest = 0;
    for (int i = 0; i < g->count; i++)
        if (g->starts[i + 1] - g->starts[i] > largest)
            largest = g->starts[i + 1] - g->starts[i];
    return largest;
}

// The square of M that belongs to one group, n by n.
static void gather_mass(const cn_sparse *m, const grouping *g, int group, double *a, int n)
{
    memset(a, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = g->starts[group]; k < g->starts[group + 1]; k++) {
        int row = g->rows[k];
        for (int e = m->starts[row]; e < m->starts[row + 1]; e++)
            if (m->values[e] != 0.0)
                a[g->slot_of[row] * n + g->slot_of[m->columns[e]]] = m->values[e];
    }
}

static bool fail_singular(const grouping *g, int group, int column)
{
    return cn_fail("M is singular: row %d depends on those before it", g->rows[g->starts[group] + column]);
}

// ---- W and q

typedef CN_ARRAY(cn_triplet) triplet_list;

// One part of M at a time, with room for the largest.
typedef struct condensing {
    const cn_global_problem *global;
    cn_sparse ht; // H': a row per column of H
    grouping parts;
    double *a, *scales, *x;
    int *pivots;
    int *touched; // the columns of H that act on this part
    int *mark;    // per column of H: the last part that it acts on
    triplet_list w;
    double *q;
} condensing;

static int list_touched(condensing *c, int part)
{
    const cn_sparse *h = &c->global->jacobian;
    int count = 0;
    for (int k = c->parts.starts[part]; k < c->parts.starts[part + 1]; k++) {
        int row = c->parts.rows[k];
        for (int e = h->starts[row]; e < h->starts[row + 1]; e++) {
            if (h->values[e] != 0.0 && c->mark[h->columns[e]] != part) {
                c->mark[h->columns[e]] = part;
                c->touched[count++] = h->columns[e];
            }
        }
    }
    return count;
}

// A column of H times x, within one part.
static double column_times_x(const condensing *c, int part, int column)
{
    double sum = 0.0;
    for (int e = c->ht.starts[column]; e < c->ht.starts[column + 1]; e++)
        if (c->parts.group_of[c->ht.columns[e]] == part)
            sum += c->ht.values[e] * c->x[c->parts.slot_of[c->ht.columns[e]]];
    return sum;
}

// x = M^-1 times a column of H, within one part.
static void answer_to_column(condensing *c, int part, int n, int column)
{
    memset(c->x, 0, sizeof(double) * (size_t)n);
    for (int e = c->ht.starts[column]; e < c->ht.starts[column + 1]; e++)
        if (c->parts.group_of[c->ht.columns[e]] == part)
            c->x[c->parts.slot_of[c->ht.columns[e]]] = c->ht.values[e];
    cn_lu_solve(c->a, n, c->pivots, c->x);
}

static bool condense_part(condensing *c, const cn_allocator *allocator, int part)
{
    int n = c->parts.starts[part + 1] - c->parts.starts[part], touched = list_touched(c, part);
    gather_mass(&c->global->mass, &c->parts, part, c->a, n);
    int column = cn_lu_factorise(c->a, n, c->pivots, c->scales);
    if (column >= 0)
        return fail_singular(&c->parts, part, column);
    if ((int64_t)touched * touched + c->w.count > CN_CONDENSE_ENTRIES)
        return cn_fail("W would have more than %d entries", CN_CONDENSE_ENTRIES);
    cn_array_reserve(allocator, &c->w, c->w.count + touched * touched);
    for (int j = 0; j < touched; j++) {
        answer_to_column(c, part, n, c->touched[j]);
        for (int i = 0; i < touched; i++)
            c->w.data[c->w.count++] = (cn_triplet){ c->touched[i], c->touched[j], column_times_x(c, part, c->touched[i]) };
    }
    for (int k = 0; k < n; k++)
        c->x[k] = c->global->force[c->parts.rows[c->parts.starts[part] + k]];
    cn_lu_solve(c->a, n, c->pivots, c->x);
    for (int i = 0; i < touched; i++)
        c->q[c->touched[i]] += column_times_x(c, part, c->touched[i]);
    return true;
}

bool cn_condense(const cn_global_problem *global, cn_arena *arena, cn_sparse *w, double *q)
{
    int columns = global->jacobian.column_count;
    condensing c = { .global = global, .parts = coupled_rows(&global->mass, arena), .q = q };
    int n = largest_group(&c.parts);
    if (n > CN_CONDENSE_ROWS)
        return cn_fail("M couples %d rows to each other; at most %d can be condensed", n, CN_CONDENSE_ROWS);
    c.ht = cn_sparse_transpose(arena, &global->jacobian);
    c.a = cn_arena_array(arena, double, (size_t)n *(size_t)n);
    c.scales = cn_arena_array(arena, double, n);
    c.x = cn_arena_array(arena, double, n);
    c.pivots = cn_arena_array(arena, int, n);
    c.touched = cn_arena_array(arena, int, columns);
    c.mark = cn_arena_array(arena, int, columns);
    memset(c.mark, 0xff, sizeof(int) * (size_t)columns);
    memcpy(q, global->bias, sizeof(double) * (size_t)columns);
    bool ok = true;
    for (int i = 0; i < c.parts.count && ok; i++)
        ok = condense_part(&c, arena->allocator, i);
    if (ok)
        *w = cn_sparse_make(arena, columns, columns, c.w.data, c.w.count);
    cn_array_free(arena->allocator, &c.w);
    return ok;
}

// ---- bodies

static bool mass_stays_inside(const cn_sparse *m, const grouping *g)
{
    for (int i = 0; i < m->row_count; i++)
        for (int e = m->starts[i]; e < m->starts[i + 1]; e++)
            if (m->values[e] != 0.0 && g->group_of[i] != g->group_of[m->columns[e]])
                return false;
    return true;
}

// The bodies one contact acts on, ascending: how many, or 3 for more than two. Fills its sides.
static int find_sides(const cn_sparse *ht, const grouping *g, int contact, cn_side sides[CN_BLOCK_SIDES])
{
    int count = 0;
    for (int row = 0; row < 3; row++) {
        for (int e = ht->starts[3 * contact + row]; e < ht->starts[3 * contact + row + 1]; e++) {
            int body = g->group_of[ht->columns[e]], s = 0;
            if (ht->values[e] == 0.0)
                continue;
            while (s < count && sides[s].body != body)
                s++;
            if (s == CN_BLOCK_SIDES)
                return 3;
            if (s == count)
                sides[count++] = (cn_side){ .body = body };
            sides[s].jacobian[row][g->slot_of[ht->columns[e]]] = ht->values[e];
        }
    }
    return count;
}

// Whether groups can be bodies.
static bool fits(const cn_global_problem *global, const cn_sparse *ht, const grouping *g)
{
    if (g->count == 0 || largest_group(g) > 6 || !mass_stays_inside(&global->mass, g))
        return false;
    for (int i = 0; i < ht->row_count / 3; i++) {
        cn_side sides[CN_BLOCK_SIDES];
        if (find_sides(ht, g, i, sides) > CN_BLOCK_SIDES)
            return false;
    }
    return true;
}

// Rigid bodies first, then points or bodies in the plane, then whatever M couples.
static bool find_bodies(const cn_global_problem *global, const cn_sparse *ht, cn_arena *arena, grouping *g)
{
    for (int size = 6; size >= 3; size -= 3) {
        *g = aligned_rows(&global->mass, size, arena);
        if (global->mass.row_count % size == 0 && fits(global, ht, g))
            return true;
    }
    *g = coupled_rows(&global->mass, arena);
    return fits(global, ht, g);
}

// Velocity and inverse mass of one body. `sound` is false when the inverse is no mass: not symmetric, or negative on its
// diagonal.
static bool make_body(const cn_global_problem *global, const grouping *g, int group, cn_model_body *body, bool *sound)
{
    double a[36], scales[6], inverse[6][6];
    int pivots[6], n = g->starts[group + 1] - g->starts[group];
    gather_mass(&global->mass, g, group, a, n);
    int column = cn_lu_factorise(a, n, pivots, scales);
    if (column >= 0)
        return fail_singular(g, group, column);
    *body = (cn_model_body){ 0 };
    for (int i = 0; i < n; i++) {
        body->velocity[i] = global->force[g->rows[g->starts[group] + i]];
        for (int j = 0; j < n; j++)
            inverse[i][j] = i == j;
        cn_lu_solve(a, n, pivots, inverse[i]); // a column of the inverse
    }
    cn_lu_solve(a, n, pivots, body->velocity);
    *sound = true;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            *sound = *sound && fabs(inverse[i][j] - inverse[j][i]) <= 1e-12 * sqrt(fabs(inverse[i][i] * inverse[j][j]));
            body->inverse_mass[i][j] = 0.5 * (inverse[i][j] + inverse[j][i]);
        }
        *sound = *sound && inverse[i][i] > 0.0;
    }
    return true;
}

static bool add_bodies(const cn_global_problem *global, const grouping *g, cn_arena *arena, cn_problem *p, bool *done)
{
    cn_model_body *bodies = cn_arena_array(arena, cn_model_body, g->count);
    for (int i = 0; i < g->count; i++) {
        bool sound = false;
        if (!make_body(global, g, i, &bodies[i], &sound))
            return false;
        if (!sound)
            return true;
    }
    for (int i = 0; i < g->count; i++)
        if (cn_problem_add_body(p, &bodies[i]) < 0)
            return false;
    *done = true;
    return true;
}

// Contacts on the same body are coupled to each other: W has that many blocks, at most.
static bool check_coupling(const cn_sparse *ht, const grouping *g, cn_arena *arena)
{
    int *counts = cn_arena_array(arena, int, g->count);
    int64_t coupled = 0;
    memset(counts, 0, sizeof(int) * (size_t)g->count);
    for (int i = 0; i < ht->row_count / 3; i++) {
        cn_side sides[CN_BLOCK_SIDES];
        for (int s = find_sides(ht, g, i, sides) - 1; s >= 0; s--)
            coupled += 2 * counts[sides[s].body]++ + 1;
    }
    return coupled <= CN_CONDENSE_ENTRIES || cn_fail("W would have more than %d blocks", CN_CONDENSE_ENTRIES);
}

static bool add_contacts(const cn_global_problem *global, const cn_sparse *ht, const grouping *g, const double *friction,
                         cn_problem *p)
{
    for (int i = 0; i < ht->row_count / 3; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = friction[i];
        def.side_count = find_sides(ht, g, i, def.sides);
        memcpy(def.bias, global->bias + 3 * i, sizeof def.bias);
        if (cn_problem_add_block(p, &def) < 0)
            return false;
    }
    for (int i = 0; i < p->row_count; i++)
        if (!isfinite(p->q[i]))
            return cn_fail("q of contact %d is not finite", i / 3);
    return true;
}

bool cn_condense_to_bodies(const cn_global_problem *global, const double *friction, cn_problem *p, bool *done)
{
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    cn_sparse ht = cn_sparse_transpose(&arena, &global->jacobian);
    grouping g;
    *done = false;
    bool ok = !find_bodies(global, &ht, &arena, &g) || add_bodies(global, &g, &arena, p, done);
    if (ok && *done)
        ok = check_coupling(&ht, &g, &arena) && add_contacts(global, &ht, &g, friction, p);
    cn_arena_free(&arena);
    return ok;
}
