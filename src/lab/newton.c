// Semi-smooth Newton inside proximal steps, island by island: the reference solver.
// Alart and Curnier 1991, "A mixed formulation for frictional contact problems prone to Newton like solution methods";
// Rockafellar 1976, "Monotone operators and the proximal point algorithm".
//
// W is usually singular, and Newton's steps then run away along impulses that move nothing. So a stage poses the problem with
// the velocities u + shift * (r - centre); the next one has the solution for its centre and a smaller shift, and what is left
// of the shift vanishes with r - centre. The first stage has the least shift: near a solution, or where W is regular, it is the
// only one.
//
// A stage takes full Newton steps on Alart and Curnier's equations. When they get nowhere it goes back and solves the
// equivalent r = P(centre - u / shift) with a line search: where the law has an energy, that cannot fail. If it does, the stage
// is posed again with more shift, and at last from where sweeps lead.
#include "lab/block_lu.h"
#include "lab/islands.h"
#include "lab/smooth_map.h"
#include "lab/stage.h"
#include "lab/sweep.h"
#include "model/law.h"

#include <math.h>
#include <string.h>

// In the units of an island, where no block's own part of W exceeds 1.
static const double LEAST_SHIFT = 1e-9;
static const double LEAST_TO_SEARCH = 1e-7; // velocities divided by it still mean something
static const double WEDGES = 1.0;           // a friction with which normal and tangents cannot be solved in turn
enum { PATIENCE = 8, FIRST_PATIENCE = 3 };  // FIRST: of a stage that only the lucky need
enum { REFINEMENTS = 4, SEARCHES = 10, FIRST_EXTRA_SWEEPS = 50, MOST_SWEEPS = 20000 };

typedef struct newton {
    const cn_island *island;
    const cn_problem *problem; // of the island
    cn_law law;
    cn_block_lu *lu;
    double work;           // of a factorisation
    double (*jacobian)[9]; // dF/dr, laid out as W
    double (*by_r)[9], (*by_u)[9];
    double *r, *u; // iterate, and its velocities
    double *f;
    double *step, *push, *rest; // push = W step
    double *before_r, *before_u;
    double *centre, *reference; // reference: where |F| was least in this stage
    double *best;
    double best_error; // square of the natural map in the units of the whole problem
    cn_stage stage;
    bool searching; // the stage has gone back to do so
    int sweeps;     // the next time that nothing else helps; 0: there were none yet
    int products;
    bool finished;
} newton;

static void copy(double *to, const double *from, int count) { memcpy(to, from, sizeof(double) * (size_t)count); }

// ---- velocities and residuals

static void update_velocities(newton *n)
{
    cn_problem_multiply(n->problem, n->r, n->u);
    for (int i = 0; i < n->problem->row_count; i++)
        n->u[i] += n->problem->q[i];
}

static void keep_best(const cn_lab_run *run, newton *n)
{
    double error = 0.0;
    for (int i = 0; i < n->problem->block_count; i++) {
        const cn_block *b = &n->problem->blocks[i];
        double r[3], u[3];
        for (int k = 0; k < b->rows; k++) {
            r[k] = n->r[b->first_row + k] * n->island->scale[i];
            u[k] = n->u[b->first_row + k] / n->island->scale[i];
        }
        error += cn_map_square(run->problem, n->island->blocks[i], n->law, 1.0, r, u);
    }
    if (!(error < n->best_error))
        return;
    n->best_error = error;
    copy(n->best, n->r, n->problem->row_count);
}

// The equations of one block. Full steps take F(r, u + shift (r - centre)); the search takes r - P(centre - u / shift), whose
// derivative by r is the identity.
static void evaluate_block(newton *n, int i, double f[3])
{
    const cn_block *b = &n->problem->blocks[i];
    const double *r = n->r + b->first_row, *u = n->u + b->first_row, *centre = n->centre + b->first_row;
    double shift = n->stage.shift, v[3] = { 0.0 };
    for (int k = 0; k < b->rows; k++)
        v[k] = n->searching ? u[k] / shift : u[k] + shift * (r[k] - centre[k]);
    cn_smooth_map(n->problem, i, n->law, n->searching ? centre : r, v, f, n->by_r[i], n->by_u[i]);
    if (!n->searching)
        return;
    for (int k = 0; k < 9; k++) {
        n->by_r[i][k] = k % 4 == 0 && k / 4 < b->rows ? 1.0 : 0.0;
        n->by_u[i][k] /= shift;
    }
    for (int k = 0; k < b->rows; k++)
        f[k] += r[k] - centre[k];
}

// F and its derivatives; returns |F|^2.
static double evaluate(newton *n)
{
    double sum = 0.0;
    for (int i = 0; i < n->problem->block_count; i++) {
        double f[3];
        evaluate_block(n, i, f);
        for (int k = 0; k < n->problem->blocks[i].rows; k++) {
            n->f[n->problem->blocks[i].first_row + k] = f[k];
            sum += f[k] * f[k];
        }
    }
    return sum;
}

// ---- one Newton step

// dF/dr = by_r + by_u W, and for full steps also by_u shift
static void fill_jacobian(newton *n)
{
    const cn_problem *p = n->problem;
    double shift = n->searching ? 0.0 : n->stage.shift;
    for (int i = 0; i < p->block_count; i++) {
        const double *a = n->by_r[i], *b = n->by_u[i];
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            const double *w = p->entries[e];
            double *j = n->jacobian[e];
            for (int k = 0; k < 9; k += 3)
                for (int c = 0; c < 3; c++)
                    j[k + c] = b[k] * w[c] + b[k + 1] * w[3 + c] + b[k + 2] * w[6 + c];
            for (int k = 0; p->columns[e] == i && k < 9; k++)
                j[k] += a[k] + shift * b[k];
        }
    }
}

// rest = -F - dF/dr step; returns its square.
static double linear_residual(newton *n)
{
    double square = 0.0, shift = n->searching ? 0.0 : n->stage.shift;
    cn_problem_multiply(n->problem, n->step, n->push);
    n->products++;
    for (int i = 0; i < n->problem->block_count; i++) {
        const cn_block *b = &n->problem->blocks[i];
        const double *step = n->step + b->first_row, *push = n->push + b->first_row;
        for (int k = 0; k < b->rows; k++) {
            double sum = -n->f[b->first_row + k];
            for (int j = 0; j < b->rows; j++)
                sum -= n->by_r[i][3 * k + j] * step[j] + n->by_u[i][3 * k + j] * (push[j] + shift * step[j]);
            n->rest[b->first_row + k] = sum;
            square += sum * sum;
        }
    }
    return square;
}

static void move_along(newton *n, double length)
{
    for (int i = 0; i < n->problem->row_count; i++) {
        n->r[i] = n->before_r[i] + length * n->step[i];
        n->u[i] = n->before_u[i] + length * n->push[i];
    }
}

// W F is the gradient of a stage's energy where the law has one: along the step it must not have turned by more than half.
static void search(newton *n)
{
    int rows = n->problem->row_count;
    double slope = cn_lab_dot(n->f, n->push, rows), near = 0.0, far = 1.0, length = 1.0;
    for (int k = 0; k < SEARCHES; k++) {
        move_along(n, length);
        evaluate(n);
        double there = cn_lab_dot(n->f, n->push, rows);
        if (!(there > 0.5 * fabs(slope)) && (k == 0 || !(there < -0.5 * fabs(slope))))
            return;
        near = there < 0.0 ? length : near;
        far = there < 0.0 ? far : length;
        length = 0.5 * (near + far);
    }
}

static void take_step(newton *n, double square)
{
    int rows = n->problem->row_count;
    fill_jacobian(n);
    cn_block_lu_factor(n->lu, (const double(*)[9])n->jacobian, 0.0);
    memset(n->step, 0, sizeof(double) * (size_t)rows);
    for (int i = 0; i < rows; i++)
        n->rest[i] = -n->f[i];
    for (int k = 0; k < REFINEMENTS; k++) {
        cn_block_lu_solve(n->lu, n->rest);
        for (int i = 0; i < rows; i++)
            n->step[i] += n->rest[i];
        if (!(linear_residual(n) > 1e-20 * square))
            break;
    }
    copy(n->before_r, n->r, rows);
    copy(n->before_u, n->u, rows);
    if (n->searching)
        search(n);
    else
        move_along(n, 1.0);
}

// ---- stages

// Where the iterate is, the stage begins.
static void set_centre(newton *n)
{
    copy(n->centre, n->r, n->problem->row_count);
    copy(n->reference, n->r, n->problem->row_count);
}

static bool stage_is_solved(const newton *n, double square)
{
    double away = 0.0;
    for (int i = 0; i < n->problem->row_count; i++)
        away += (n->r[i] - n->centre[i]) * (n->r[i] - n->centre[i]);
    double still_shifted = CN_STAGE_ACCURACY * n->stage.shift;
    return n->stage.steps > 0 && square <= still_shifted * still_shifted * away;
}

static void sweep(cn_lab_run *run, newton *n, int count)
{
    const cn_problem *p = n->problem;
    for (int s = 0; s < count && !cn_lab_out_of_time(run); s++) {
        for (int i = 0; i < p->block_count; i++) {
            int e = p->row_starts[i];
            while (p->columns[e] != i) // islands have every diagonal block
                e++;
            double v[3] = { 0.0 };
            cn_lab_sweep_velocities(p, i, n->r, v);
            bool wedges = p->blocks[i].friction > WEDGES;
            (wedges ? cn_local_exact : cn_local_rows)(p, i, n->law, p->entries[e], v, n->r + p->blocks[i].first_row);
        }
    }
    n->products += count;
}

static void retry(cn_lab_run *run, newton *n)
{
    bool search_next = !n->searching && n->sweeps > 0 && n->stage.shift >= LEAST_TO_SEARCH;
    n->searching = search_next;
    if (search_next) {
        copy(n->r, n->centre, n->problem->row_count);
        cn_stage_begin(&n->stage, n->stage.shift);
    } else {
        copy(n->r, n->reference, n->problem->row_count);
        if (n->sweeps == 0 || !cn_stage_retry(&n->stage)) {
            n->finished = n->sweeps > MOST_SWEEPS;
            sweep(run, n, n->sweeps == 0 ? run->options.first_sweeps : n->sweeps);
            n->sweeps = n->sweeps == 0 ? FIRST_EXTRA_SWEEPS : 2 * n->sweeps;
            n->stage.patience = PATIENCE;
            cn_stage_begin(&n->stage, CN_STAGE_FIRST);
        }
        set_centre(n);
    }
    update_velocities(n);
}

static void iterate(cn_lab_run *run, newton *n, double enough)
{
    double square = evaluate(n);
    if (stage_is_solved(n, square)) {
        cn_stage_solved(&n->stage);
        n->searching = false;
        set_centre(n);
        square = evaluate(n);
    } else if (cn_stage_is_lost(&n->stage, square)) {
        retry(run, n);
        square = evaluate(n);
    }
    if (cn_stage_step(&n->stage, square))
        copy(n->reference, n->r, n->problem->row_count);
    take_step(n, square);
    update_velocities(n);
    keep_best(run, n);
    n->finished |= n->best_error <= enough;
}

// ---- all islands

static newton start(cn_lab_run *run, const cn_island *island)
{
    const cn_problem *p = &island->problem;
    newton n = { .island = island, .problem = p, .law = run->law, .best_error = (double)INFINITY };
    n.lu = cn_block_lu_create(run->arena, p);
    cn_block_lu_until(n.lu, run->deadline);
    n.work = cn_block_lu_work(n.lu);
    n.jacobian = (double(*)[9])cn_lab_numbers(run, 9 * p->entry_count);
    n.by_r = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    n.by_u = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    double **vectors[] = { &n.r,    &n.u,    &n.before_r, &n.before_u,  &n.f,   &n.step,
                           &n.push, &n.rest, &n.centre,   &n.reference, &n.best };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = cn_lab_numbers(run, p->row_count);
    cn_island_gather(island, run->problem, run->r, n.r);
    update_velocities(&n);
    keep_best(run, &n);
    set_centre(&n);
    n.stage = (cn_stage){ .least = LEAST_SHIFT, .patience = FIRST_PATIENCE };
    cn_stage_begin(&n.stage, LEAST_SHIFT);
    return n;
}

// Islands run side by side: an iteration is one Newton step in each that is not finished.
void cn_lab_newton(cn_lab_run *run)
{
    cn_islands all = cn_islands_create(run->arena, run->problem);
    newton *states = cn_arena_array(run->arena, newton, all.count);
    double *r = cn_lab_vector(run), enough = 0.5 * run->options.tolerance * run->q_norm;
    enough *= enough / (all.count > 0 ? all.count : 1); // so that all islands together are good enough
    for (int i = 0; i < all.count; i++) {
        states[i] = start(run, &all.islands[i]);
        states[i].finished = states[i].best_error <= enough;
    }
    for (bool busy = true; busy;) {
        int products = 0;
        busy = false;
        for (int i = 0; i < all.count; i++) {
            if (!states[i].finished && (cn_lab_out_of_time(run) || !cn_lab_spend(run, states[i].work)))
                return;
            if (!states[i].finished)
                iterate(run, &states[i], enough);
            busy |= !states[i].finished;
            products = states[i].products > products ? states[i].products : products;
            cn_island_scatter(&all.islands[i], run->problem, states[i].best, r);
        }
        run->products = products; // of the island that took most
        if (cn_lab_check(run, r))
            return;
    }
    run->stop = CN_STOP_STALLED;
}
