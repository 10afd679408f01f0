// Building a contact problem. Everything a user gives is checked here, so that the rest can rely on it.
#include "base/error.h"
#include "base/memory.h"
#include "model/matrix.h"

#include <math.h>
#include <string.h>

cn_block_def cn_block_def_default(cn_block_kind kind)
{
    return (cn_block_def){ .kind = kind,
                           .rows = kind == CN_BLOCK_CONTACT ? 3 : 1,
                           .upper = { (double)INFINITY, (double)INFINITY, (double)INFINITY } };
}

cn_problem *cn_problem_create(const cn_allocator *allocator)
{
    if (!cn_check_allocator(__func__, "allocator", allocator))
        return NULL;
    if (allocator == NULL)
        allocator = &cn_default_allocator;
    cn_problem *problem = cn_allocate(allocator, sizeof *problem, 64);
    *problem = (cn_problem){ .allocator = allocator };
    return problem;
}

static void drop_matrix(cn_problem *p)
{
    cn_release(p->allocator, p->row_starts, sizeof(int) * (size_t)(p->block_count + 1));
    cn_release(p->allocator, p->columns, sizeof(int) * (size_t)p->entry_count);
    cn_release(p->allocator, p->entries, sizeof(double[9]) * (size_t)p->entry_count);
    p->row_starts = p->columns = NULL;
    p->entries = NULL;
    p->entry_count = 0;
    p->unit = 0.0;
}

void cn_problem_destroy(cn_problem *p)
{
    if (p == NULL)
        return;
    drop_matrix(p);
    cn_release(p->allocator, p->blocks, sizeof(cn_block) * (size_t)p->block_capacity);
    double *per_row[] = { p->q, p->softness, p->lower, p->upper };
    for (int i = 0; i < 4; i++)
        cn_release(p->allocator, per_row[i], sizeof(double) * (size_t)p->row_capacity);
    cn_release(p->allocator, p->bodies, sizeof(cn_model_body) * (size_t)p->body_capacity);
    cn_release(p->allocator, p->sides, sizeof(cn_side) * (size_t)p->side_capacity);
    cn_release(p->allocator, p, sizeof *p);
}

static void *copy_array(const cn_allocator *allocator, const void *from, int count, size_t size)
{
    if (count == 0)
        return NULL;
    void *to = cn_allocate(allocator, size * (size_t)count, 64);
    memcpy(to, from, size * (size_t)count);
    return to;
}

static bool all_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

// ---- bodies

int cn_problem_add_body(cn_problem *p, const cn_model_body *body)
{
    const char *const function = "cn_problem_add_body";
    if (!cn_check_pointer(function, "problem", p) || !cn_check_pointer(function, "body", body))
        return -1;
    if (!all_finite(&body->inverse_mass[0][0], 36) || !all_finite(body->velocity, 6)) {
        cn_fail("%s: body %d: inverse_mass or velocity is not finite", function, p->body_count);
        return -1;
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            double a = body->inverse_mass[i][j], b = body->inverse_mass[j][i];
            if (fabs(a - b) > 1e-6 * (fabs(a) + fabs(b))) {
                cn_fail("%s: body %d: inverse_mass is not symmetric: [%d][%d] is %g, [%d][%d] is %g", function, p->body_count,
                        i, j, a, j, i, b);
                return -1;
            }
        }
        if (body->inverse_mass[i][i] < 0.0) {
            cn_fail("%s: body %d: inverse_mass[%d][%d] is negative", function, p->body_count, i, i);
            return -1;
        }
    }
    drop_matrix(p);
    if (p->body_count == p->body_capacity)
        p->bodies = cn_grow(p->allocator, p->bodies, &p->body_capacity, p->body_count + 1, sizeof *p->bodies);
    p->bodies[p->body_count] = *body;
    return p->body_count++;
}

// ---- blocks

static bool check_rows(const char *function, const cn_problem *p, const cn_block_def *def)
{
    int n = def->rows, index = p->block_count;
    if ((unsigned)def->kind >= CN_BLOCK_KIND_COUNT)
        return cn_fail("%s: block %d: kind is %d", function, index, (int)def->kind);
    if (n < 1 || n > CN_BLOCK_ROWS || (def->kind == CN_BLOCK_CONTACT && n != 3))
        return cn_fail("%s: block %d has %d rows; a contact has 3, others 1 to 3", function, index, n);
    if (!all_finite(def->bias, n))
        return cn_fail("%s: block %d: bias is not finite", function, index);
    for (int i = 0; i < n; i++) {
        if (!(isfinite(def->softness[i]) && def->softness[i] >= 0.0))
            return cn_fail("%s: block %d: softness is %g; it must be finite and not negative", function, index,
                           def->softness[i]);
        if (def->kind == CN_BLOCK_BOUNDED &&
            (!(def->lower[i] <= def->upper[i]) || def->lower[i] == (double)INFINITY || def->upper[i] == -(double)INFINITY))
            return cn_fail("%s: block %d: its bounds are %g and %g", function, index, def->lower[i], def->upper[i]);
    }
    if (def->kind == CN_BLOCK_CONTACT && !(isfinite(def->friction) && def->friction >= 0.0))
        return cn_fail("%s: block %d: friction is %g; it must be finite and not negative", function, index, def->friction);
    if (def->kind == CN_BLOCK_CONTACT && !(isfinite(def->frozen) && def->frozen >= 0.0))
        return cn_fail("%s: block %d: frozen is %g; it must be finite and not negative", function, index, def->frozen);
    return true;
}

// q of one row: the Jacobians times the velocities, plus the bias.
static double free_velocity(const cn_problem *p, const cn_block_def *def, int row)
{
    double q = def->bias[row];
    for (int s = 0; s < def->side_count; s++)
        for (int k = 0; k < 6; k++)
            q += def->sides[s].jacobian[row][k] * p->bodies[def->sides[s].body].velocity[k];
    return q;
}

static bool check_sides(const char *function, const cn_problem *p, const cn_block_def *def)
{
    if (def->side_count < 0 || def->side_count > CN_BLOCK_SIDES)
        return cn_fail("%s: block %d: side_count is %d", function, p->block_count, def->side_count);
    for (int i = 0; i < def->side_count; i++) {
        const cn_side *side = &def->sides[i];
        if (side->body < 0 || side->body >= p->body_count)
            return cn_fail("%s: block %d acts on body %d; there are %d", function, p->block_count, side->body, p->body_count);
        if (!all_finite(&side->jacobian[0][0], 6 * def->rows))
            return cn_fail("%s: block %d: a jacobian is not finite", function, p->block_count);
    }
    for (int i = 0; i < def->rows; i++)
        if (!isfinite(free_velocity(p, def, i)))
            return cn_fail("%s: block %d: jacobian times velocity is out of range", function, p->block_count);
    if (def->side_count == 2 && def->sides[0].body == def->sides[1].body)
        return cn_fail("%s: block %d acts on body %d twice", function, p->block_count, def->sides[0].body);
    return true;
}

static void grow_rows(cn_problem *p, int needed)
{
    if (needed <= p->row_capacity)
        return;
    double **per_row[] = { &p->q, &p->softness, &p->lower, &p->upper };
    int capacity = p->row_capacity;
    for (int i = 0; i < 4; i++) {
        capacity = p->row_capacity;
        *per_row[i] = cn_grow(p->allocator, *per_row[i], &capacity, needed, sizeof(double));
    }
    p->row_capacity = capacity;
}

static void add_rows(cn_problem *p, const cn_block_def *def)
{
    grow_rows(p, p->row_count + def->rows);
    for (int i = 0; i < def->rows; i++) {
        int row = p->row_count + i;
        bool bounded = def->kind == CN_BLOCK_BOUNDED;
        p->q[row] = free_velocity(p, def, i);
        p->softness[row] = def->softness[i];
        p->lower[row] = bounded ? def->lower[i] : -(double)INFINITY;
        p->upper[row] = bounded ? def->upper[i] : (double)INFINITY;
    }
    p->row_count += def->rows;
}

int cn_problem_add_block(cn_problem *p, const cn_block_def *def)
{
    if (!cn_check_pointer(__func__, "problem", p) || !cn_check_pointer(__func__, "def", def))
        return -1;
    if (!check_rows("cn_problem_add_block", p, def) || !check_sides("cn_problem_add_block", p, def))
        return -1;
    drop_matrix(p);
    if (p->block_count == p->block_capacity)
        p->blocks = cn_grow(p->allocator, p->blocks, &p->block_capacity, p->block_count + 1, sizeof *p->blocks);
    if (p->side_count + def->side_count > p->side_capacity)
        p->sides = cn_grow(p->allocator, p->sides, &p->side_capacity, p->side_count + def->side_count, sizeof *p->sides);
    p->blocks[p->block_count] =
        (cn_block){ def->kind, p->row_count, def->rows, p->side_count, def->side_count, def->friction, def->frozen };
    for (int i = 0; i < def->side_count; i++) {
        cn_side *side = &p->sides[p->side_count + i];
        *side = def->sides[i];
        for (int row = def->rows; row < CN_BLOCK_ROWS; row++)
            memset(side->jacobian[row], 0, sizeof side->jacobian[row]);
    }
    p->side_count += def->side_count;
    add_rows(p, def);
    return p->block_count++;
}

// ---- the matrix

// What a smaller block does not use of an entry is zero.
static void clear_unused(cn_problem *p)
{
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int k = 0; k < 9; k++)
                if (k / 3 >= p->blocks[i].rows || k % 3 >= p->blocks[p->columns[e]].rows)
                    p->entries[e][k] = 0.0;
}

static bool check_matrix(const char *function, const cn_problem *p, const int *row_starts, const int *columns,
                         const double (*entries)[9])
{
    if (row_starts[0] != 0)
        return cn_fail("%s: row_starts[0] is %d", function, row_starts[0]);
    for (int i = 0; i < p->block_count; i++) {
        if (row_starts[i + 1] < row_starts[i] || row_starts[i + 1] - row_starts[i] > p->block_count)
            return cn_fail("%s: block row %d goes from entry %d to %d", function, i, row_starts[i], row_starts[i + 1]);
        for (int e = row_starts[i]; e < row_starts[i + 1]; e++) {
            int least = e > row_starts[i] ? columns[e - 1] + 1 : 0;
            if (columns[e] < least || columns[e] >= p->block_count)
                return cn_fail("%s: block row %d: column %d is out of range or order", function, i, columns[e]);
            if (!all_finite(entries[e], 9))
                return cn_fail("%s: block row %d, column %d: a number is not finite", function, i, columns[e]);
        }
    }
    return true;
}

bool cn_problem_set_matrix(cn_problem *p, const int *row_starts, const int *columns, const double (*entries)[9])
{
    if (!cn_check_pointer(__func__, "problem", p) || !cn_check_pointer(__func__, "row_starts", row_starts))
        return false;
    bool empty = row_starts[p->block_count] == 0;
    if (!empty && (!cn_check_pointer(__func__, "columns", columns) || !cn_check_pointer(__func__, "entries", entries)))
        return false;
    if (!check_matrix("cn_problem_set_matrix", p, row_starts, columns, entries))
        return false;
    int count = row_starts[p->block_count];
    drop_matrix(p);
    p->entry_count = count;
    p->row_starts = copy_array(p->allocator, row_starts, p->block_count + 1, sizeof *row_starts);
    p->columns = copy_array(p->allocator, columns, count, sizeof *columns);
    p->entries = copy_array(p->allocator, entries, count, sizeof *entries);
    clear_unused(p);
    p->unit = cn_problem_unit(p);
    return true;
}

// ---- copies

cn_problem *cn_problem_copy(const cn_problem *p)
{
    if (!cn_check_pointer(__func__, "problem", p))
        return NULL;
    cn_problem *copy = cn_problem_create(p->allocator);
    const cn_allocator *a = p->allocator;
    *copy = *p;
    copy->block_capacity = p->block_count;
    copy->row_capacity = p->row_count;
    copy->body_capacity = p->body_count;
    copy->side_capacity = p->side_count;
    copy->blocks = copy_array(a, p->blocks, p->block_count, sizeof *p->blocks);
    copy->q = copy_array(a, p->q, p->row_count, sizeof *p->q);
    copy->softness = copy_array(a, p->softness, p->row_count, sizeof *p->softness);
    copy->lower = copy_array(a, p->lower, p->row_count, sizeof *p->lower);
    copy->upper = copy_array(a, p->upper, p->row_count, sizeof *p->upper);
    copy->bodies = copy_array(a, p->bodies, p->body_count, sizeof *p->bodies);
    copy->sides = copy_array(a, p->sides, p->side_count, sizeof *p->sides);
    copy->row_starts = p->row_starts == NULL ? NULL : copy_array(a, p->row_starts, p->block_count + 1, sizeof(int));
    copy->columns = copy_array(a, p->columns, p->entry_count, sizeof *p->columns);
    copy->entries = copy_array(a, p->entries, p->entry_count, sizeof *p->entries);
    return copy;
}

// A contact becomes its normal row alone. Rows move up in place: there are never more than there were.
static void keep_normals(cn_problem *p)
{
    int row = 0;
    for (int i = 0; i < p->block_count; i++) {
        cn_block *b = &p->blocks[i];
        bool contact = b->kind == CN_BLOCK_CONTACT;
        int rows = contact ? 1 : b->rows;
        for (int k = 0; k < rows; k++) {
            p->q[row + k] = p->q[b->first_row + k];
            p->softness[row + k] = p->softness[b->first_row + k];
            p->lower[row + k] = contact ? 0.0 : p->lower[b->first_row + k];
            p->upper[row + k] = contact ? (double)INFINITY : p->upper[b->first_row + k];
        }
        for (int s = b->first_side; contact && s < b->first_side + b->side_count; s++)
            memset(p->sides[s].jacobian[1], 0, sizeof(double[2][6]));
        *b = (cn_block){ contact ? CN_BLOCK_BOUNDED : b->kind, row, rows, b->first_side, b->side_count, 0.0, 0.0 };
        row += rows;
    }
    p->row_count = row;
}

cn_problem *cn_problem_without_friction(const cn_problem *p)
{
    if (!cn_check_pointer(__func__, "problem", p))
        return NULL;
    cn_problem *normals = cn_problem_copy(p);
    keep_normals(normals);
    if (normals->row_starts != NULL)
        clear_unused(normals);
    double mean = cn_mean_diagonal(normals);
    normals->unit = mean > 0.0 ? mean : 1.0; // they were contacts
    return normals;
}
