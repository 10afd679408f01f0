// What can be written, and as which matrices.
#include "io/problem_export.h"

#include "base/error.h"
#include "model/dense.h"

#include <math.h>
#include <string.h>

int cn_block_matrix_rows(const cn_block_matrix *m) { return m->row_count > 0 ? m->row_ends[m->row_count - 1] : 0; }
int cn_block_matrix_columns(const cn_block_matrix *m) { return m->column_count > 0 ? m->column_ends[m->column_count - 1] : 0; }

static cn_block_matrix allocate_matrix(cn_arena *arena, int rows, int columns, int blocks, int values)
{
    return (cn_block_matrix){ .row_count = rows,
                              .column_count = columns,
                              .row_ends = cn_arena_array(arena, int, rows),
                              .column_ends = cn_arena_array(arena, int, columns),
                              .starts = cn_arena_array(arena, int, rows + 1),
                              .columns = cn_arena_array(arena, int, blocks),
                              .values = cn_arena_array(arena, double, values) };
}

// ---- W

cn_block_matrix cn_export_matrix(const cn_problem *p, cn_arena *arena)
{
    cn_block_matrix m = allocate_matrix(arena, p->block_count, p->block_count, p->entry_count, 9 * p->entry_count);
    double *value = m.values;
    memcpy(m.starts, p->row_starts, sizeof(int) * (size_t)(p->block_count + 1));
    if (p->entry_count > 0)
        memcpy(m.columns, p->columns, sizeof(int) * (size_t)p->entry_count);
    for (int i = 0; i < p->block_count; i++) {
        m.row_ends[i] = m.column_ends[i] = p->blocks[i].first_row + p->blocks[i].rows;
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int column = 0; column < p->blocks[p->columns[e]].rows; column++)
                for (int row = 0; row < p->blocks[i].rows; row++)
                    *value++ = p->entries[e][3 * row + column];
    }
    return m;
}

// ---- M and H

// A body as it is written: along the axes on which it can move.
typedef struct moving_body {
    int axis_count, axes[6];
    double mass[36]; // axis_count x axis_count
} moving_body;

static bool make_moving(const cn_model_body *body, moving_body *out)
{
    double a[36], scales[6];
    int pivots[6], n = 0;
    for (int i = 0; i < 6; i++)
        if (body->inverse_mass[i][i] != 0.0)
            out->axes[n++] = i;
    out->axis_count = n;
    for (int i = 0; i < n * n; i++)
        a[i] = body->inverse_mass[out->axes[i / n]][out->axes[i % n]];
    if (cn_lu_factorise(a, n, pivots, scales) >= 0)
        return false;
    for (int i = 0; i < n; i++) {
        double *column = out->mass + i * n; // of the inverse, or a row: it is symmetric
        for (int j = 0; j < n; j++)
            column[j] = i == j;
        cn_lu_solve(a, n, pivots, column);
    }
    for (int i = 0; i < n; i++) // to the last bit
        for (int j = 0; j < i; j++)
            out->mass[i * n + j] = out->mass[j * n + i] = 0.5 * (out->mass[i * n + j] + out->mass[j * n + i]);
    return true;
}

static void export_mass(const cn_problem *p, const moving_body *bodies, cn_arena *arena, cn_global_matrices *g)
{
    int count = 0, end = 0;
    for (int i = 0; i < p->body_count; i++)
        count += bodies[i].axis_count > 0;
    cn_block_matrix m = allocate_matrix(arena, count, count, count, 36 * count);
    double *value = m.values;
    g->force = cn_arena_array(arena, double, 6 * count);
    m.starts[0] = 0;
    for (int i = 0, k = 0; i < p->body_count; i++) {
        const moving_body *b = &bodies[i];
        int n = b->axis_count;
        if (n == 0)
            continue;
        for (int row = 0; row < n; row++) {
            g->force[end + row] = 0.0;
            for (int column = 0; column < n; column++)
                g->force[end + row] += b->mass[row * n + column] * p->bodies[i].velocity[b->axes[column]];
        }
        memcpy(value, b->mass, sizeof(double) * (size_t)(n * n));
        value += n * n;
        m.row_ends[k] = m.column_ends[k] = end += n;
        m.columns[k] = k;
        k++;
        m.starts[k] = k;
    }
    g->mass = m;
}

// The sides that act on each body, in the order of the contacts: those of body i are sides[starts[i]] .. sides[starts[i + 1]].
static void list_sides(const cn_problem *p, cn_arena *arena, int **starts, int **sides)
{
    *starts = cn_arena_array(arena, int, p->body_count + 2);
    *sides = cn_arena_array(arena, int, p->side_count);
    memset(*starts, 0, sizeof(int) * (size_t)(p->body_count + 2));
    for (int s = 0; s < p->side_count; s++)
        (*starts)[p->sides[s].body + 2]++;
    for (int i = 0; i < p->body_count; i++)
        (*starts)[i + 2] += (*starts)[i + 1];
    for (int s = 0; s < p->side_count; s++)
        (*sides)[(*starts)[p->sides[s].body + 1]++] = s;
}

static void export_jacobian(const cn_problem *p, const moving_body *bodies, cn_arena *arena, cn_global_matrices *g)
{
    int *starts, *sides, *block_of = cn_arena_array(arena, int, p->side_count);
    list_sides(p, arena, &starts, &sides);
    for (int i = 0; i < p->block_count; i++)
        for (int s = 0; s < p->blocks[i].side_count; s++)
            block_of[p->blocks[i].first_side + s] = i;
    cn_block_matrix h = allocate_matrix(arena, g->mass.row_count, p->block_count, p->side_count, 18 * p->side_count);
    double *value = h.values;
    memcpy(h.row_ends, g->mass.row_ends, sizeof(int) * (size_t)h.row_count);
    for (int i = 0; i < p->block_count; i++)
        h.column_ends[i] = 3 * (i + 1);
    int count = 0, row = 0;
    for (int i = 0; i < p->body_count; i++) {
        if (bodies[i].axis_count == 0)
            continue;
        h.starts[row++] = count;
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            h.columns[count++] = block_of[sides[k]];
            for (int column = 0; column < 3; column++)
                for (int axis = 0; axis < bodies[i].axis_count; axis++)
                    *value++ = p->sides[sides[k]].jacobian[column][bodies[i].axes[axis]];
        }
    }
    h.starts[row] = count;
    g->jacobian = h;
}

// q without what the velocities in f give.
static void export_bias(const cn_problem *p, const moving_body *bodies, cn_arena *arena, cn_global_matrices *g)
{
    g->bias = cn_arena_array(arena, double, p->row_count);
    if (p->row_count > 0)
        memcpy(g->bias, p->q, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        for (int s = b->first_side; s < b->first_side + b->side_count; s++) {
            const cn_side *side = &p->sides[s];
            for (int k = 0; k < 3 * bodies[side->body].axis_count; k++) {
                int axis = bodies[side->body].axes[k / 3];
                g->bias[b->first_row + k % 3] -= side->jacobian[k % 3][axis] * p->bodies[side->body].velocity[axis];
            }
        }
    }
}

bool cn_export_global(const cn_problem *p, cn_arena *arena, cn_global_matrices *g)
{
    moving_body *bodies = cn_arena_array(arena, moving_body, p->body_count);
    for (int i = 0; i < p->body_count; i++)
        if (!make_moving(&p->bodies[i], &bodies[i]))
            return cn_fail("cn_problem_write: the mass of body %d is infinite along some direction, which no file can say", i);
    export_mass(p, bodies, arena, g);
    export_jacobian(p, bodies, arena, g);
    export_bias(p, bodies, arena, g);
    return true;
}

// ---- kinds

static bool check_block(const cn_problem *p, int i)
{
    const cn_block *b = &p->blocks[i];
    if (b->frozen != 0.0)
        return cn_fail("cn_problem_write: block %d has a frozen normal impulse, which only our own format can say", i);
    for (int row = b->first_row; row < b->first_row + b->rows; row++)
        if (p->softness[row] != 0.0)
            return cn_fail("cn_problem_write: block %d has softness, which only our own format can say", i);
    return true;
}

// Relay files hold any finite bounds, the others 0 and infinity.
static bool check_bounds(const cn_problem *p, int i, bool relay)
{
    const cn_block *b = &p->blocks[i];
    for (int row = b->first_row; row < b->first_row + b->rows && b->kind == CN_BLOCK_BOUNDED; row++) {
        double lower = p->lower[row], upper = p->upper[row];
        if (relay ? !isfinite(lower) || !isfinite(upper) : lower != 0.0 || upper != (double)INFINITY)
            return cn_fail("cn_problem_write: block %d has bounds %g and %g; such a file can say %s only", i, lower, upper,
                           relay ? "finite ones" : "0 and infinity");
    }
    return true;
}

// False when some block fits no file but our own, or has the wrong bounds.
static bool check_blocks(const cn_problem *p, bool relay)
{
    for (int i = 0; i < p->block_count; i++)
        if (!check_block(p, i) || !check_bounds(p, i, relay))
            return false;
    return true;
}

static bool check_kind(const cn_problem *p, cn_problem_kind kind, const int counts[CN_BLOCK_KIND_COUNT])
{
    int contacts = counts[CN_BLOCK_CONTACT], others = p->block_count - contacts;
    switch (kind) {
    case CN_PROBLEM_FRICTION:
        if (others > 0)
            return cn_fail("cn_problem_write: a friction file holds contacts only");
        break;
    case CN_PROBLEM_GLOBAL:
        if (others > 0 || p->body_count == 0)
            return cn_fail("cn_problem_write: a global file needs bodies and holds contacts only");
        break;
    case CN_PROBLEM_LCP:
    case CN_PROBLEM_RELAY:
        if (contacts + counts[CN_BLOCK_EQUALITY] > 0)
            return cn_fail("cn_problem_write: %s holds bounded rows only",
                           kind == CN_PROBLEM_LCP ? "an LCP file" : "a relay file");
        break;
    case CN_PROBLEM_MLCP:
        if (contacts > 0)
            return cn_fail("cn_problem_write: an MLCP file holds no contacts");
        break;
    case CN_PROBLEM_CAIRN: return true;
    default: return cn_fail("cn_problem_write: kind is %d", (int)kind);
    }
    return check_blocks(p, kind == CN_PROBLEM_RELAY);
}

// Our own where the blocks fit no other; `check_blocks` leaves no error behind that anyone asks for.
static cn_problem_kind best_kind(const cn_problem *p, const int counts[CN_BLOCK_KIND_COUNT])
{
    int contacts = counts[CN_BLOCK_CONTACT], others = p->block_count - contacts;
    if (contacts > 0 && others > 0)
        return CN_PROBLEM_CAIRN;
    if (check_blocks(p, false))
        return counts[CN_BLOCK_EQUALITY] > 0 ? CN_PROBLEM_MLCP
               : others > 0                  ? CN_PROBLEM_LCP
               : p->body_count > 0           ? CN_PROBLEM_GLOBAL
                                             : CN_PROBLEM_FRICTION;
    return others == counts[CN_BLOCK_BOUNDED] && contacts == 0 && check_blocks(p, true) ? CN_PROBLEM_RELAY : CN_PROBLEM_CAIRN;
}

bool cn_export_kind(const cn_problem *p, cn_problem_kind kind, cn_problem_kind *chosen)
{
    int counts[CN_BLOCK_KIND_COUNT] = { 0 };
    for (int i = 0; i < p->block_count; i++)
        counts[p->blocks[i].kind]++;
    *chosen = kind == CN_PROBLEM_ANY ? best_kind(p, counts) : kind;
    return check_kind(p, *chosen, counts);
}
