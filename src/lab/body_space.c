// Newton in the velocities of the bodies: the contact matrix is never formed.
// Rockafellar 1976, "Augmented Lagrangians and applications of the proximal point algorithm in convex programming"; for
// Coulomb's law Alart and Curnier 1991. That bodies are fewer than contacts, and worth solving for, is Moravanszky's point.
//
// A body's velocity is its free one plus L y, L L^T its inverse mass: y is six numbers per body, and locked axes have none that
// count. With G = J L a block has the velocity u = G y + q, and impulses answer to it through a spring of stiffness 1 / shift
// around the impulses `centre` of the stage before:  r(u) = P(centre - u / shift), which obeys the law of the block exactly for
// the velocity u + shift (r - centre). What remains is  y = G^T r(u(y)),  whose Jacobian couples bodies that touch.
#include "lab/body_rows.h"
#include "lab/smooth_map.h"
#include "lab/stage.h"

#include <math.h>
#include <string.h>

enum { SEARCHES = 10 };
static const double LEAST_SHIFT = 1e-6; // impulses come from differences of velocities divided by it

typedef struct space {
    const cn_problem *problem;
    cn_law law;
    cn_body_rows rows;
    double *scale;                    // per block: the size of its own part of W
    double *y, *reference, *f;        // per body six; f = y - G^T r
    double *step, *before;            // before: y before the step
    double *r, *centre, (*slopes)[9]; // slopes: - dr/du
    cn_stage stage;
} space;

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
                    w += s->rows.g[side][row][k] * s->rows.g[side][other][k];
            sum += fabs(w);
        }
        largest = fmax(largest, sum);
    }
    return largest > 0.0 ? largest : 1.0;
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
        double give[3], x[3], u[3] = { 0.0 }, f[3], by_r[9], *slope = s->slopes[i], shift = s->stage.shift * s->scale[i];
        memcpy(u, p->q + b->first_row, sizeof(double) * (size_t)b->rows);
        cn_body_rows_apply(&s->rows, i, s->y, u);
        for (int row = 0; row < b->rows; row++) {
            give[row] = shift + p->softness[b->first_row + row]; // softness is a spring that is always there, around zero
            x[row] = s->centre[b->first_row + row] * shift / give[row];
            u[row] /= give[row];
        }
        cn_smooth_map(p, i, s->law, x, u, f, by_r, slope);
        for (int row = 0; row < b->rows; row++) {
            s->r[b->first_row + row] = x[row] - f[row];
            for (int k = 0; k < 3; k++)
                slope[3 * row + k] /= k < b->rows ? give[k] : 1.0;
        }
        cn_body_rows_gather(&s->rows, i, -1.0, s->r + b->first_row, s->f);
    }
    for (int i = 0; i < 6 * p->body_count; i++)
        sum += s->f[i] * s->f[i];
    return sum;
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
    int n = 6 * s->problem->body_count;
    memcpy(s->step, s->f, sizeof(double) * (size_t)n);
    memcpy(s->before, s->y, sizeof(double) * (size_t)n);
    cn_body_rows_factor(&s->rows, (const double(*)[9])s->slopes, 1.0);
    cn_block_lu_solve(s->rows.lu, s->step);
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
    s.rows = cn_body_rows_create(p, false, run->arena);
    cn_block_lu_until(s.rows.lu, run->deadline);
    s.scale = cn_lab_numbers(run, p->block_count);
    s.slopes = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    s.r = cn_lab_vector(run);
    s.centre = cn_lab_vector(run);
    for (int i = 0; i < p->block_count; i++)
        s.scale[i] = block_size(&s, i);
    memcpy(s.centre, run->r, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < p->block_count; i++) // y = G^T r
        cn_body_rows_gather(&s.rows, i, 1.0, run->r + p->blocks[i].first_row, s.y);
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
        if (!cn_lab_spend(run, cn_block_lu_work(s.rows.lu)))
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
