// Newton in the velocities of the bodies: the contact matrix is never formed.
// Rockafellar 1976, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming"; for
// Coulomb's law Alart and Curnier 1991. That bodies are fewer than contacts, and worth solving for, is Moravanszky's point.
//
// A body's velocity is its free one plus L y, L L^T its inverse mass: y is six numbers per body, and locked axes have none that
// count. With G = J L a block has the velocity u = G y + q, and impulses answer to it through a spring of stiffness 1 / shift
// around the impulses `centre` of the stage before:  r(u) = P(centre - u / shift), which obeys the law of the block exactly for
// the velocity u + shift (r - centre). What remains is  y = G^T r(u(y)),  whose Jacobian couples bodies that touch.
#include "lab/block_lu.h"
#include "lab/smooth_map.h"
#include "lab/stage.h"

#include <math.h>
#include <string.h>

enum { SEARCHES = 10 };
static const double LEAST_SHIFT = 1e-6; // impulses come from differences of velocities divided by it

typedef struct space {
    const cn_problem *problem;
    cn_law law;
    double (*g)[CN_BLOCK_ROWS][6]; // per side
    double *scale;                 // per block: the size of its own part of W
    cn_problem pattern;            // of the Jacobian: two blocks of three rows per body
    cn_block_lu *lu;
    double *y, *reference, *f;        // per body six; f = y - G^T r
    double *step, *before;            // before: y before the step
    double *r, *centre, (*slopes)[9]; // slopes: - dr/du
    cn_stage stage;
} space;

// ---- what bodies and blocks are like

// The lower factor of a positive semi-definite matrix; axes that do not move get none.
static void factor_mass(const double inverse_mass[6][6], double lower[6][6])
{
    memset(lower, 0, sizeof(double[6][6]));
    for (int j = 0; j < 6; j++) {
        double rest = inverse_mass[j][j];
        for (int k = 0; k < j; k++)
            rest -= lower[j][k] * lower[j][k];
        if (!(rest > 1e-14 * inverse_mass[j][j]))
            continue;
        lower[j][j] = sqrt(rest);
        for (int i = j + 1; i < 6; i++) {
            double sum = inverse_mass[i][j];
            for (int k = 0; k < j; k++)
                sum -= lower[i][k] * lower[j][k];
            lower[i][j] = sum / lower[j][j];
        }
    }
}

static void fill_sides(space *s)
{
    const cn_problem *p = s->problem;
    for (int i = 0; i < p->side_count; i++) {
        double lower[6][6];
        factor_mass(p->bodies[p->sides[i].body].inverse_mass, lower);
        for (int row = 0; row < CN_BLOCK_ROWS; row++) {
            for (int k = 0; k < 6; k++) {
                double sum = 0.0;
                for (int j = k; j < 6; j++)
                    sum += p->sides[i].jacobian[row][j] * lower[j][k];
                s->g[i][row][k] = sum;
            }
        }
    }
}

// A bound on the largest eigenvalue of G G^T + S, or 1 where nothing moves.
static double block_size(const space *s, int i)
{
    const cn_block *b = &s->problem->blocks[i];
    double largest = 0.0;
    for (int row = 0; row < b->rows; row++) {
        double sum = s->problem->softness[b->first_row + row];
        for (int other = 0; other < b->rows; other++) {
            double w = 0.0;
            for (int side = b->first_side; side < b->first_side + b->side_count; side++)
                for (int k = 0; k < 6; k++)
                    w += s->g[side][row][k] * s->g[side][other][k];
            sum += fabs(w);
        }
        largest = fmax(largest, sum);
    }
    return largest > 0.0 ? largest : 1.0;
}

// ---- the pattern: bodies that share a block

static int list_neighbours(const cn_problem *p, const int *starts, const int *blocks_of, int body, int *neighbours)
{
    int count = 0;
    neighbours[count++] = body;
    for (int e = starts[body]; e < starts[body + 1]; e++) {
        const cn_block *b = &p->blocks[blocks_of[e]];
        for (int side = b->first_side; side < b->first_side + b->side_count; side++) {
            int other = p->sides[side].body, at = count;
            while (at > 0 && neighbours[at - 1] > other)
                at--;
            if (at > 0 && neighbours[at - 1] == other)
                continue;
            memmove(neighbours + at + 1, neighbours + at, sizeof(int) * (size_t)(count - at));
            neighbours[at] = other;
            count++;
        }
    }
    return count;
}

static void make_pattern(space *s, cn_lab_run *run)
{
    const cn_problem *p = s->problem;
    cn_problem *out = &s->pattern;
    int n = p->body_count, *starts = cn_arena_array(run->arena, int, n + 1), *next = cn_arena_array(run->arena, int, n + 1);
    int *blocks_of = cn_arena_array(run->arena, int, p->side_count), *neighbours = cn_arena_array(run->arena, int, n + 1);
    memset(starts, 0, sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i < p->side_count; i++)
        starts[p->sides[i].body + 1]++;
    for (int i = 0; i < n; i++)
        starts[i + 1] += starts[i];
    memcpy(next, starts, sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i < p->block_count; i++)
        for (int side = p->blocks[i].first_side; side < p->blocks[i].first_side + p->blocks[i].side_count; side++)
            blocks_of[next[p->sides[side].body]++] = i;
    *out = (cn_problem){ .block_count = 2 * n, .row_count = 6 * n };
    out->blocks = cn_arena_array(run->arena, cn_block, 2 * n);
    out->row_starts = cn_arena_array(run->arena, int, 2 * n + 1);
    out->columns = cn_arena_array(run->arena, int, 4 * (n + 2 * p->side_count));
    out->row_starts[0] = 0;
    for (int i = 0; i < 2 * n; i++) {
        int count = list_neighbours(p, starts, blocks_of, i / 2, neighbours);
        out->blocks[i] = (cn_block){ .first_row = 3 * i, .rows = 3 };
        for (int k = 0; k < 2 * count; k++)
            out->columns[out->entry_count++] = 2 * neighbours[k / 2] + k % 2;
        out->row_starts[i + 1] = out->entry_count;
    }
    out->entries = (double(*)[9])cn_lab_numbers(run, 9 * out->entry_count);
}

// ---- one Newton step

// Impulses and f at y; returns |f|^2.
static double evaluate(space *s)
{
    const cn_problem *p = s->problem;
    double sum = 0.0;
    memcpy(s->f, s->y, sizeof(double) * (size_t)(6 * p->body_count));
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        double give[3], x[3], u[3], f[3], by_r[9], *slope = s->slopes[i];
        for (int row = 0; row < b->rows; row++) {
            double shift = s->stage.shift * s->scale[i], velocity = p->q[b->first_row + row];
            for (int side = b->first_side; side < b->first_side + b->side_count; side++)
                for (int k = 0; k < 6; k++)
                    velocity += s->g[side][row][k] * s->y[6 * p->sides[side].body + k];
            give[row] = shift + p->softness[b->first_row + row]; // softness is a spring that is always there, around zero
            x[row] = s->centre[b->first_row + row] * shift / give[row];
            u[row] = velocity / give[row];
        }
        cn_smooth_map(p, i, s->law, x, u, f, by_r, slope);
        for (int row = 0; row < b->rows; row++) {
            s->r[b->first_row + row] = x[row] - f[row];
            for (int k = 0; k < 3; k++)
                slope[3 * row + k] /= k < b->rows ? give[k] : 1.0;
        }
        for (int side = b->first_side; side < b->first_side + b->side_count; side++)
            for (int row = 0; row < b->rows; row++)
                for (int k = 0; k < 6; k++)
                    s->f[6 * p->sides[side].body + k] -= s->g[side][row][k] * s->r[b->first_row + row];
    }
    for (int i = 0; i < 6 * p->body_count; i++)
        sum += s->f[i] * s->f[i];
    return sum;
}

static int find_entry(const cn_problem *pattern, int row, int column)
{
    int low = pattern->row_starts[row], high = pattern->row_starts[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (pattern->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds G_a^T slope G_b to the entries of two bodies.
static void couple(space *s, const double *slope, int a, int b)
{
    int body_a = s->problem->sides[a].body, body_b = s->problem->sides[b].body;
    double half[CN_BLOCK_ROWS][6];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            half[i][k] = slope[3 * i] * s->g[b][0][k] + slope[3 * i + 1] * s->g[b][1][k] + slope[3 * i + 2] * s->g[b][2][k];
    for (int part = 0; part < 2; part++) {
        int entry = find_entry(&s->pattern, 2 * body_a + part, 2 * body_b);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 6; k++) {
                double sum = 0.0;
                for (int row = 0; row < 3; row++)
                    sum += s->g[a][row][3 * part + i] * half[row][k];
                s->pattern.entries[entry + k / 3][3 * i + k % 3] += sum;
            }
        }
    }
}

// Where f is the gradient of an energy, which it is but for Coulomb's law and the box, this is a line search on that energy: f
// along the step must not have turned by more than half. Returns |f|^2 there.
static double search(space *s, double slope)
{
    double near = 0.0, far = 1.0, at = 1.0, square = 0.0;
    for (int k = 0; k < SEARCHES; k++) {
        for (int i = 0; i < 6 * s->problem->body_count; i++)
            s->y[i] = s->before[i] - at * s->step[i];
        square = evaluate(s);
        double there = -cn_lab_dot(s->f, s->step, 6 * s->problem->body_count);
        if (!(there > 0.5 * fabs(slope)) && (k == 0 || !(there < -0.5 * fabs(slope))))
            break;
        near = there < 0.0 ? at : near;
        far = there < 0.0 ? far : at;
        at = 0.5 * (near + far);
    }
    return square;
}

// (1 + G^T slopes G) step = f
static double take_step(space *s)
{
    const cn_problem *p = s->problem;
    memset(s->pattern.entries, 0, sizeof(double[9]) * (size_t)s->pattern.entry_count);
    for (int i = 0; i < p->block_count; i++) {
        int first = p->blocks[i].first_side, last = first + p->blocks[i].side_count;
        for (int a = first; a < last; a++)
            for (int b = first; b < last; b++)
                couple(s, s->slopes[i], a, b);
    }
    int n = 6 * p->body_count;
    memcpy(s->step, s->f, sizeof(double) * (size_t)n);
    memcpy(s->before, s->y, sizeof(double) * (size_t)n);
    cn_block_lu_factor(s->lu, (const double(*)[9])s->pattern.entries, 1.0);
    cn_block_lu_solve(s->lu, s->step);
    return search(s, -cn_lab_dot(s->f, s->step, n));
}

// ---- the solver

static bool stage_is_solved(const space *s, double square)
{
    const cn_problem *p = s->problem;
    double shifted = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        for (int row = p->blocks[i].first_row; row < p->blocks[i].first_row + p->blocks[i].rows; row++) {
            double velocity = s->stage.shift * s->scale[i] * (s->r[row] - s->centre[row]);
            shifted += velocity * velocity;
        }
    }
    return s->stage.steps > 0 && square <= CN_STAGE_ACCURACY * CN_STAGE_ACCURACY * shifted;
}

static bool is_sound(cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        const double *soft = p->softness + b->first_row;
        if (b->side_count == 0) {
            cn_lab_refuse(run, "block %d moves no body: body_space needs bodies and Jacobians", i);
            return false;
        }
        if (b->kind == CN_BLOCK_CONTACT && (soft[0] != soft[1] || soft[1] != soft[2])) {
            cn_lab_refuse(run, "contact %d is softer in one direction than in another: body_space cannot project on its cone",
                          i);
            return false;
        }
    }
    return true;
}

static space start(cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    space s = { .problem = p, .law = run->law, .stage = { .least = LEAST_SHIFT, .patience = 8 } };
    double **vectors[] = { &s.y, &s.reference, &s.f, &s.step, &s.before };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = cn_lab_numbers(run, 6 * p->body_count);
    s.g = (double(*)[CN_BLOCK_ROWS][6])cn_lab_numbers(run, 6 * CN_BLOCK_ROWS * p->side_count);
    s.scale = cn_lab_numbers(run, p->block_count);
    s.slopes = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    s.r = cn_lab_vector(run);
    s.centre = cn_lab_vector(run);
    fill_sides(&s);
    for (int i = 0; i < p->block_count; i++)
        s.scale[i] = block_size(&s, i);
    make_pattern(&s, run);
    s.lu = cn_block_lu_create(run->arena, &s.pattern);
    memcpy(s.centre, run->r, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < p->block_count; i++) { // y = G^T r
        const cn_block *b = &p->blocks[i];
        for (int side = b->first_side; side < b->first_side + b->side_count; side++)
            for (int row = 0; row < b->rows; row++)
                for (int k = 0; k < 6; k++)
                    s.y[6 * p->sides[side].body + k] += s.g[side][row][k] * run->r[b->first_row + row];
    }
    cn_stage_begin(&s.stage, CN_STAGE_FIRST);
    return s;
}

void cn_lab_body_space(cn_lab_run *run)
{
    if (!is_sound(run))
        return;
    space s = start(run);
    size_t size = sizeof(double) * (size_t)(6 * run->problem->body_count);
    memcpy(s.reference, s.y, size);
    for (double square = evaluate(&s);;) {
        if (cn_stage_step(&s.stage, square))
            memcpy(s.reference, s.y, size);
        if (!cn_lab_spend(run, cn_block_lu_work(s.lu)))
            return;
        square = take_step(&s);
        run->products++;
        if (cn_lab_check(run, s.r))
            return;
        if (stage_is_solved(&s, square)) {
            memcpy(s.centre, s.r, sizeof(double) * (size_t)run->problem->row_count);
            cn_stage_solved(&s.stage);
            square = evaluate(&s);
        } else if (cn_stage_is_lost(&s.stage, square)) {
            memcpy(s.y, s.reference, size);
            if (!cn_stage_retry(&s.stage))
                break;
            square = evaluate(&s);
        }
    }
    run->stop = CN_STOP_STALLED;
}
