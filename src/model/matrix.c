// W = J M^-1 J^T: assembled block by block, or applied without being formed.
#include "model/matrix.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// M^-1 J^T of one side: how its body answers to the impulses of the block.
typedef double answer[6][CN_BLOCK_ROWS];

static void side_answer(const cn_problem *p, const cn_side *side, answer out)
{
    const cn_model_body *body = &p->bodies[side->body];
    for (int i = 0; i < 6; i++) {
        for (int row = 0; row < CN_BLOCK_ROWS; row++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++)
                sum += body->inverse_mass[i][k] * side->jacobian[row][k];
            out[i][row] = sum;
        }
    }
}

// For each body the sides that act on it, in the order of the blocks.
typedef struct side_lists {
    int *starts, *sides;
    int *block_of; // per side
} side_lists;

static side_lists list_sides(const cn_problem *p, cn_arena *arena)
{
    side_lists lists = { cn_arena_array(arena, int, p->body_count + 1), cn_arena_array(arena, int, p->side_count),
                         cn_arena_array(arena, int, p->side_count) };
    int *next = cn_arena_array(arena, int, p->body_count + 1);
    memset(lists.starts, 0, sizeof(int) * (size_t)(p->body_count + 1));
    for (int i = 0; i < p->block_count; i++)
        for (int s = 0; s < p->blocks[i].side_count; s++)
            lists.block_of[p->blocks[i].first_side + s] = i;
    for (int s = 0; s < p->side_count; s++)
        lists.starts[p->sides[s].body + 1]++;
    for (int i = 0; i < p->body_count; i++)
        lists.starts[i + 1] += lists.starts[i];
    memcpy(next, lists.starts, sizeof(int) * (size_t)(p->body_count + 1));
    for (int s = 0; s < p->side_count; s++)
        lists.sides[next[p->sides[s].body]++] = s;
    return lists;
}

static bool moves(const cn_model_body *body)
{
    for (int i = 0; i < 6; i++)
        if (body->inverse_mass[i][i] != 0.0)
            return true;
    return false;
}

// The blocks that share a moving body with block i, ascending, and i itself. Returns how many.
static int list_neighbours(const cn_problem *p, const side_lists *lists, int i, int *mark, int *neighbours)
{
    int count = 0;
    neighbours[count++] = i;
    mark[i] = i;
    for (int s = 0; s < p->blocks[i].side_count; s++) {
        int body = p->sides[p->blocks[i].first_side + s].body;
        for (int k = lists->starts[body]; moves(&p->bodies[body]) && k < lists->starts[body + 1]; k++) {
            int other = lists->block_of[lists->sides[k]], at = count;
            if (mark[other] == i)
                continue;
            mark[other] = i;
            for (; at > 0 && neighbours[at - 1] > other; at--)
                neighbours[at] = neighbours[at - 1];
            neighbours[at] = other;
            count++;
        }
    }
    return count;
}

static void add_product(const cn_side *side, answer other, double entry[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 6; k++)
                entry[3 * i + j] += side->jacobian[i][k] * other[k][j];
}

static void fill_entry(const cn_problem *p, const answer *answers, int i, int j, double entry[9])
{
    const cn_block *a = &p->blocks[i], *b = &p->blocks[j];
    memset(entry, 0, sizeof(double[9]));
    for (int s = a->first_side; s < a->first_side + a->side_count; s++)
        for (int t = b->first_side; t < b->first_side + b->side_count; t++)
            if (p->sides[s].body == p->sides[t].body)
                add_product(&p->sides[s], (double(*)[CN_BLOCK_ROWS])answers[t], entry);
}

bool cn_problem_assemble(cn_problem *p)
{
    if (!cn_check_pointer(__func__, "problem", p))
        return false;
    if (p->row_starts != NULL)
        return true;
    if (p->block_count > 0 && p->body_count == 0)
        return cn_fail("cn_problem_assemble: the problem has neither a matrix nor bodies");
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    side_lists lists = list_sides(p, &arena);
    answer *answers = cn_arena_array(&arena, answer, p->side_count);
    for (int s = 0; s < p->side_count; s++)
        side_answer(p, &p->sides[s], answers[s]);
    int *mark = cn_arena_array(&arena, int, p->block_count), *neighbours = cn_arena_array(&arena, int, p->block_count);
    int *row_starts = cn_arena_array(&arena, int, p->block_count + 1);
    CN_ARRAY(int) columns = { 0 };
    memset(mark, 0xff, sizeof(int) * (size_t)p->block_count);
    row_starts[0] = 0;
    for (int i = 0; i < p->block_count; i++) {
        int count = list_neighbours(p, &lists, i, mark, neighbours);
        cn_array_reserve(p->allocator, &columns, columns.count + count);
        memcpy(columns.data + columns.count, neighbours, sizeof(int) * (size_t)count);
        row_starts[i + 1] = columns.count += count;
    }
    double(*entries)[9] = (double(*)[9])cn_arena_alloc(&arena, sizeof(double[9]) * (size_t)(columns.count + 1));
    for (int i = 0; i < p->block_count; i++)
        for (int e = row_starts[i]; e < row_starts[i + 1]; e++)
            fill_entry(p, (const answer *)answers, i, columns.data[e], entries[e]);
    bool ok = cn_problem_set_matrix(p, row_starts, columns.data, (const double(*)[9])entries);
    cn_array_free(p->allocator, &columns);
    cn_arena_free(&arena);
    return ok;
}

// ---- the mean diagonal

static double trace_of_matrix(const cn_problem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int k = 0; p->columns[e] == i && k < p->blocks[i].rows; k++)
                sum += p->entries[e][4 * k];
    return sum;
}

static double trace_of_sides(const cn_problem *p)
{
    double sum = 0.0;
    for (int s = 0; s < p->side_count; s++) {
        answer answers;
        side_answer(p, &p->sides[s], answers);
        for (int row = 0; row < CN_BLOCK_ROWS; row++) // rows that are not there are zero
            for (int k = 0; k < 6; k++)
                sum += p->sides[s].jacobian[row][k] * answers[k][row];
    }
    return sum;
}

double cn_mean_diagonal(const cn_problem *p)
{
    double sum = p->row_starts != NULL ? trace_of_matrix(p) : trace_of_sides(p);
    for (int i = 0; i < p->row_count; i++)
        sum += p->softness[i];
    double mean = p->row_count > 0 ? sum / p->row_count : 0.0;
    return isfinite(mean) ? mean : 0.0;
}

// Of the largest number in each row of W + S, since diagonals of what is no mechanics may be zero or negative; down to a power
// of two, which rounds nothing where it scales.
static double mean_largest(const cn_problem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        for (int k = 0; k < p->blocks[i].rows; k++) {
            double largest = p->softness[p->blocks[i].first_row + k];
            for (int e = p->row_starts != NULL ? 3 * p->row_starts[i] : 0;
                 p->row_starts != NULL && e < 3 * p->row_starts[i + 1]; e++)
                largest = fmax(largest, fabs(p->entries[e / 3][3 * k + e % 3]));
            sum += largest / p->row_count;
        }
    }
    int exponent;
    frexp(isfinite(sum) ? sum : 0.0, &exponent);
    return isfinite(sum) && sum > 0.0 ? ldexp(1.0, exponent - 1) : 0.0;
}

double cn_problem_unit(const cn_problem *p)
{
    if (!cn_check_pointer(__func__, "problem", p))
        return 1.0;
    if (p->unit > 0.0)
        return p->unit;
    bool is_mechanical = p->side_count > 0;
    for (int i = 0; i < p->block_count; i++)
        is_mechanical |= p->blocks[i].kind == CN_BLOCK_CONTACT;
    double mean = is_mechanical ? cn_mean_diagonal(p) : mean_largest(p);
    return mean > 0.0 ? mean : 1.0;
}

// ---- products

static void multiply_matrix(const cn_problem *p, const double *r, double *u)
{
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        double sum[3] = { 0.0 };
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            const cn_block *c = &p->blocks[p->columns[e]];
            const double *w = p->entries[e], *x = r + c->first_row;
            if (c->rows == 3) {
                for (int k = 0; k < 3; k++)
                    sum[k] += w[3 * k] * x[0] + w[3 * k + 1] * x[1] + w[3 * k + 2] * x[2];
                continue;
            }
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < c->rows; j++)
                    sum[k] += w[3 * k + j] * x[j];
        }
        for (int k = 0; k < b->rows; k++)
            u[b->first_row + k] = sum[k];
    }
}

// Adds M^-1 J^T r to the velocities.
static void push_bodies(const cn_problem *p, const double *r, double (*velocities)[6])
{
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        for (int s = b->first_side; s < b->first_side + b->side_count; s++) {
            const cn_side *side = &p->sides[s];
            double force[6] = { 0.0 };
            for (int row = 0; row < b->rows; row++)
                for (int k = 0; k < 6; k++)
                    force[k] += side->jacobian[row][k] * r[b->first_row + row];
            for (int k = 0; k < 6; k++)
                for (int j = 0; j < 6; j++)
                    velocities[side->body][k] += p->bodies[side->body].inverse_mass[k][j] * force[j];
        }
    }
}

static void multiply_through_bodies(const cn_problem *p, const double *r, double *u)
{
    size_t size = sizeof(double[6]) * (size_t)(p->body_count > 0 ? p->body_count : 1);
    double(*velocities)[6] = cn_allocate(p->allocator, size, 64);
    memset(velocities, 0, size);
    push_bodies(p, r, velocities);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        for (int row = 0; row < b->rows; row++) {
            double sum = 0.0;
            for (int s = b->first_side; s < b->first_side + b->side_count; s++)
                for (int k = 0; k < 6; k++)
                    sum += p->sides[s].jacobian[row][k] * velocities[p->sides[s].body][k];
            u[b->first_row + row] = sum;
        }
    }
    cn_release(p->allocator, velocities, size);
}

void cn_problem_multiply(const cn_problem *p, const double *r, double *u)
{
    if (!cn_check_pointer(__func__, "problem", p) ||
        (p->row_count > 0 && (!cn_check_pointer(__func__, "r", r) || !cn_check_pointer(__func__, "u", u))))
        return;
    if (p->row_starts != NULL)
        multiply_matrix(p, r, u);
    else
        multiply_through_bodies(p, r, u);
    for (int i = 0; i < p->row_count; i++)
        u[i] += p->softness[i] * r[i];
}

void cn_problem_velocities(const cn_problem *p, const double *r, double (*velocities)[6])
{
    if (!cn_check_pointer(__func__, "problem", p) || (p->row_count > 0 && !cn_check_pointer(__func__, "r", r)) ||
        (p->body_count > 0 && !cn_check_pointer(__func__, "velocities", velocities)))
        return;
    for (int i = 0; i < p->body_count; i++)
        memcpy(velocities[i], p->bodies[i].velocity, sizeof velocities[i]);
    push_bodies(p, r, velocities);
}
