// Projected Gauss-Seidel over Jacobian rows, as taught by Eric Christensen, "Understanding a Physics Solver" (GTC 2009):
// every row is scaled by its diagonal once, then each sweep takes the rows in turn,
//     delta = b - lambda De - x Js,    lambda is clamped to its bounds,    x += M^-1 J^T delta,
// until the largest delta of a sweep is small enough.
#include "cairn/rows.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/vec.h"

#include <float.h>

// The four vectors of a row, or of anything shaped like one.
typedef struct jacobian {
    cn_vec3 linear_a, angular_a, linear_b, angular_b;
} jacobian;

typedef struct prepared_row {
    cn_row_terms terms;
    jacobian response; // M^-1 J^T: how the bodies change per unit of lambda
} prepared_row;

typedef struct change {
    cn_vec3 linear, angular;
} change;

cn_row cn_row_default(void) { return (cn_row){ .body_b = CN_ROW_NO_BODY, .lower = -INFINITY, .upper = INFINITY }; }

cn_row_options cn_row_options_default(void) { return (cn_row_options){ .iterations = 16, .relaxation = 1.0f }; }

// ---- Scaling a row by its diagonal

static jacobian row_response(const cn_row_body *bodies, const cn_row *row)
{
    const cn_row_body *a = &bodies[row->body_a];
    jacobian response = { .linear_a = cn_scale(a->inverse_mass, row->linear_a),
                          .angular_a = cn_sym3_mul(a->inverse_inertia, row->angular_a) };
    if (row->body_b != CN_ROW_NO_BODY) {
        const cn_row_body *b = &bodies[row->body_b];
        response.linear_b = cn_scale(b->inverse_mass, row->linear_b);
        response.angular_b = cn_sym3_mul(b->inverse_inertia, row->angular_b);
    }
    return response;
}

static float row_velocity(const cn_row_body *bodies, const cn_row *row)
{
    const cn_row_body *a = &bodies[row->body_a];
    float velocity = cn_dot(row->linear_a, a->linear_velocity) + cn_dot(row->angular_a, a->angular_velocity);
    if (row->body_b != CN_ROW_NO_BODY) {
        const cn_row_body *b = &bodies[row->body_b];
        velocity += cn_dot(row->linear_b, b->linear_velocity) + cn_dot(row->angular_b, b->angular_velocity);
    }
    return velocity;
}

static bool prepare_row(const char *function, const cn_row_body *bodies, const cn_row *rows, int index, prepared_row *prepared)
{
    const cn_row *row = &rows[index];
    jacobian r = row_response(bodies, row);
    float mobility = cn_dot(r.linear_a, row->linear_a) + cn_dot(r.angular_a, row->angular_a) +
                     cn_dot(r.linear_b, row->linear_b) + cn_dot(r.angular_b, row->angular_b);
    float divisor = mobility + row->mixing;
    if (!isfinite(divisor))
        return cn_fail("%s: row %d is out of range: its J M^-1 J^T is %g", function, index, (double)mobility);
    // The tolerance lets rounding through: an inertia that is flat along an axis may come out a little negative.
    float scale = cn_absf(cn_dot(r.linear_a, row->linear_a)) + cn_absf(cn_dot(r.linear_b, row->linear_b)) +
                  cn_absf(cn_dot(r.angular_a, row->angular_a)) + cn_absf(cn_dot(r.angular_b, row->angular_b));
    if (mobility < -1e-5f * scale)
        return cn_fail("%s: row %d: an inverse_inertia of its bodies is not positive semi-definite", function, index);

    // A row that neither moves a body nor gives way is left alone.
    float d = divisor >= FLT_MIN ? 1.0f / divisor : 0.0f;
    *prepared = (prepared_row){
        .terms = { .diagonal = d,
                   .target = d * (row->force - row_velocity(bodies, row)),
                   .softness = d * row->mixing,
                   .linear_a = cn_scale(d, row->linear_a),
                   .angular_a = cn_scale(d, row->angular_a),
                   .linear_b = cn_scale(d, row->linear_b),
                   .angular_b = cn_scale(d, row->angular_b) },
        .response = r,
    };
    return true;
}

// ---- Checking input

static bool check_body(const char *function, int index, const cn_row_body *body)
{
    const cn_sym3 *i = &body->inverse_inertia;
    if (!(isfinite(body->inverse_mass) && body->inverse_mass >= 0.0f))
        return cn_fail("%s: inverse_mass of body %d is %g; it must be finite and not negative", function, index,
                       (double)body->inverse_mass);
    if (!(isfinite(i->xx) && isfinite(i->yy) && isfinite(i->zz) && isfinite(i->xy) && isfinite(i->xz) && isfinite(i->yz)))
        return cn_fail("%s: inverse_inertia of body %d is not finite", function, index);
    if (i->xx < 0.0f || i->yy < 0.0f || i->zz < 0.0f)
        return cn_fail("%s: inverse_inertia of body %d has a negative diagonal", function, index);
    if (!cn_check_vec3(function, "linear_velocity", body->linear_velocity) ||
        !cn_check_vec3(function, "angular_velocity", body->angular_velocity))
        return false;
    return true;
}

static bool check_row(const char *function, int index, const cn_row *row, int body_count)
{
    if (row->body_a < 0 || row->body_a >= body_count)
        return cn_fail("%s: body_a of row %d is %d; there are %d bodies", function, index, row->body_a, body_count);
    if (row->body_b != CN_ROW_NO_BODY && (row->body_b < 0 || row->body_b >= body_count))
        return cn_fail("%s: body_b of row %d is %d; there are %d bodies", function, index, row->body_b, body_count);
    if (row->body_a == row->body_b)
        return cn_fail("%s: row %d joins body %d to itself", function, index, row->body_a);
    if (!cn_check_vec3(function, "linear_a", row->linear_a) || !cn_check_vec3(function, "angular_a", row->angular_a) ||
        !cn_check_vec3(function, "linear_b", row->linear_b) || !cn_check_vec3(function, "angular_b", row->angular_b))
        return false;
    if (!cn_check_finite(function, "force", row->force) || !cn_check_not_negative(function, "mixing", row->mixing) ||
        !cn_check_finite(function, "lambda", row->lambda))
        return false;
    // Written so that a NaN bound fails, and bounds that no finite lambda can satisfy do too.
    if (!(row->lower <= row->upper) || row->lower == INFINITY || row->upper == -INFINITY)
        return cn_fail("%s: row %d has lower = %g and upper = %g", function, index, (double)row->lower, (double)row->upper);
    return true;
}

static bool check_problem(const char *function, const cn_row_problem *problem)
{
    if (problem == NULL)
        return cn_fail("%s: problem is NULL", function);
    if (problem->body_count < 0 || problem->row_count < 0)
        return cn_fail("%s: body_count is %d and row_count %d; neither may be negative", function, problem->body_count,
                       problem->row_count);
    if (problem->bodies == NULL && problem->body_count > 0)
        return cn_fail("%s: bodies is NULL", function);
    if (problem->rows == NULL && problem->row_count > 0)
        return cn_fail("%s: rows is NULL", function);
    for (int i = 0; i < problem->body_count; i++) {
        if (!check_body(function, i, &problem->bodies[i]))
            return false;
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (!check_row(function, i, &problem->rows[i], problem->body_count))
            return false;
    }
    return true;
}

static bool check_options(const cn_row_options *options)
{
    if (!cn_check_allocator("cn_rows_solve", "options.allocator", options->allocator))
        return false;
    if (options->iterations < 1)
        return cn_fail("cn_rows_solve: iterations is %d; it must be at least 1", options->iterations);
    if (!cn_check_not_negative("cn_rows_solve", "epsilon", options->epsilon))
        return false;
    if (!(options->relaxation > 0.0f && options->relaxation < 2.0f))
        return cn_fail("cn_rows_solve: relaxation is %g; it must lie between 0 and 2", (double)options->relaxation);
    return true;
}

// ---- Solving

// What a solve works on; the problem is only written when it succeeded.
typedef struct work {
    const cn_row *rows;
    int row_count;
    prepared_row *prepared;
    change *changes; // x, per body
    float *lambdas;
} work;

static void apply(const work *w, int index, float delta)
{
    const cn_row *row = &w->rows[index];
    const jacobian *response = &w->prepared[index].response;
    change *a = &w->changes[row->body_a];
    a->linear = cn_madd(a->linear, delta, response->linear_a);
    a->angular = cn_madd(a->angular, delta, response->angular_a);
    if (row->body_b != CN_ROW_NO_BODY) {
        change *b = &w->changes[row->body_b];
        b->linear = cn_madd(b->linear, delta, response->linear_b);
        b->angular = cn_madd(b->angular, delta, response->angular_b);
    }
}

// Moves one row towards its target and returns by how much its lambda changed.
static float relax_row(const work *w, int index, float relaxation)
{
    const cn_row *row = &w->rows[index];
    const cn_row_terms *t = &w->prepared[index].terms;
    const change *a = &w->changes[row->body_a];
    float moved = cn_dot(a->linear, t->linear_a) + cn_dot(a->angular, t->angular_a);
    if (row->body_b != CN_ROW_NO_BODY) {
        const change *b = &w->changes[row->body_b];
        moved += cn_dot(b->linear, t->linear_b) + cn_dot(b->angular, t->angular_b);
    }
    float lambda = w->lambdas[index];
    float delta = relaxation * ((t->target - lambda * t->softness) - moved);
    float next = lambda + delta;
    if (next < row->lower) {
        delta = row->lower - lambda;
        next = row->lower;
    } else if (next > row->upper) {
        delta = row->upper - lambda;
        next = row->upper;
    }
    w->lambdas[index] = next;
    apply(w, index, delta);
    return delta;
}

// The largest change of a lambda in one pass over all rows; not a finite number when the problem ran out of range.
static float sweep(const work *w, float relaxation)
{
    float largest = 0.0f;
    for (int i = 0; i < w->row_count; i++) {
        if (w->prepared[i].terms.diagonal == 0.0f)
            continue;
        float delta = cn_absf(relax_row(w, i, relaxation));
        if (!(delta <= largest)) // also takes a NaN, and then keeps it
            largest = delta;
        if (!isfinite(largest))
            break;
    }
    return largest;
}

static bool start(const work *w, const cn_row_problem *problem)
{
    for (int i = 0; i < problem->body_count; i++)
        w->changes[i] = (change){ 0 };
    for (int i = 0; i < w->row_count; i++) {
        if (!prepare_row("cn_rows_solve", problem->bodies, w->rows, i, &w->prepared[i]))
            return false;
        bool moves = w->prepared[i].terms.diagonal > 0.0f;
        w->lambdas[i] = moves ? cn_clampf(w->rows[i].lambda, w->rows[i].lower, w->rows[i].upper) : 0.0f;
        apply(w, i, w->lambdas[i]);
    }
    return true;
}

static void finish(const work *w, cn_row_problem *problem)
{
    for (int i = 0; i < problem->body_count; i++) {
        problem->bodies[i].linear_change = w->changes[i].linear;
        problem->bodies[i].angular_change = w->changes[i].angular;
    }
    for (int i = 0; i < problem->row_count; i++)
        problem->rows[i].lambda = w->lambdas[i];
}

static bool changes_are_finite(const work *w, int body_count)
{
    for (int i = 0; i < body_count; i++) {
        cn_vec3 l = w->changes[i].linear, a = w->changes[i].angular;
        if (!(isfinite(l.x) && isfinite(l.y) && isfinite(l.z) && isfinite(a.x) && isfinite(a.y) && isfinite(a.z)))
            return false;
    }
    return true;
}

static cn_row_report solve(const work *w, cn_row_problem *problem, const cn_row_options *options)
{
    cn_row_report report = { 0 };
    if (!start(w, problem))
        return report;
    while (report.iterations < options->iterations && !report.converged) {
        report.largest_delta = sweep(w, options->relaxation);
        report.iterations++;
        report.converged = report.largest_delta <= options->epsilon;
    }
    if (!isfinite(report.largest_delta) || !changes_are_finite(w, problem->body_count)) {
        cn_fail("cn_rows_solve: the numbers left the range of float in sweep %d", report.iterations);
        return (cn_row_report){ 0 };
    }
    finish(w, problem);
    report.ok = true;
    return report;
}

cn_row_report cn_rows_solve(cn_row_problem *problem, const cn_row_options *options)
{
    cn_row_options chosen = options != NULL ? *options : cn_row_options_default();
    if (!check_problem("cn_rows_solve", problem) || !check_options(&chosen))
        return (cn_row_report){ 0 };

    cn_arena memory;
    cn_arena_init(&memory, chosen.allocator != NULL ? chosen.allocator : &cn_default_allocator);
    work w = { .rows = problem->rows, .row_count = problem->row_count };
    w.prepared = cn_arena_array(&memory, prepared_row, problem->row_count);
    w.changes = cn_arena_array(&memory, change, problem->body_count);
    w.lambdas = cn_arena_array(&memory, float, problem->row_count);
    cn_row_report report = solve(&w, problem, &chosen);
    cn_arena_free(&memory);
    return report;
}

bool cn_row_get_terms(const cn_row_problem *problem, int row, cn_row_terms *terms)
{
    if (terms == NULL)
        return cn_fail("cn_row_get_terms: terms is NULL");
    *terms = (cn_row_terms){ 0 };
    if (!check_problem("cn_row_get_terms", problem))
        return false;
    if (row < 0 || row >= problem->row_count)
        return cn_fail("cn_row_get_terms: row is %d; there are %d rows", row, problem->row_count);
    prepared_row prepared;
    if (!prepare_row("cn_row_get_terms", problem->bodies, problem->rows, row, &prepared))
        return false;
    *terms = prepared.terms;
    return true;
}
