// Newton's method on the dual: with F the product of the sets, r = P_F(G y) is the shortest vector of F with its own sum
// G^T r, so what is looked for is the y with G^T P_F(G y) = G^T r of the solver: six numbers per body. Where no set ends, P is
// the identity and the first step is a least squares solution.
#include "lab/level.h"
#include "lab/body_rows.h"
#include "lab/lab.h"
#include "lab/smooth_map.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 30, MOST_FACTORS = 8 };
static const double SHIFT = 1e-10;      // bodies that fewer contacts hold than it takes have directions that nothing sums up to
static const double SOLVED = 1e-10;     // |G^T r - goal|, as a part of |goal|
static const double FOUND = 1e-7;       // where that gets no further: velocities are the same to single precision
static const double SAME_FACTOR = 0.1;  // while |f| falls by so much the factors are good enough
static const double SLACK = 0.5;        // of the residual that is allowed: velocities below that are none
static const double WELL_BELOW = 0.99;  // of its limit
static const double HARDLY_MORE = 1.05; // than the residual was
static const double FAR_ABOVE = 10.0;   // what the residual allows: so soft that it need not be tried
static const double LOCK_WEIGHT = 1e-3; // of what a lock carries more or less, against what a contact carries

typedef enum face { FACE_KEPT, FACE_RAY, FACE_CONE, FACE_LOCK } face;

typedef struct level {
    const cn_problem *problem;
    cn_body_rows rows;
    face *faces;
    double (*rays)[3];     // of unit length
    const double *start;   // what the solver found
    double *u;             // its velocities
    double allowed, shows; // the residual, and the velocity of one contact that alone would make it
    double work, most_work;
    double *r, (*slopes)[9];     // slopes: dP
    double *goal, *f, *y, *step; // per body six; f = G^T r - goal
} level;

static double length(const double *x, int count) { return sqrt(cn_lab_dot(x, x, count)); }

// ---- the sets

// Rows whose velocity would show what they carry more or less; locks are soft too, by next to nothing.
static bool is_soft(const cn_problem *p, const cn_block *b, double most, double shows)
{
    for (int row = b->first_row; row < b->first_row + b->rows; row++)
        if (p->softness[row] * most > FAR_ABOVE * shows)
            return true;
    return false;
}

// What friction is well below its limit sticks, whatever the solver left of its velocity.
static bool sticks(const cn_block *b, const double *r, double slide, double slack)
{
    double limit = WELL_BELOW * b->friction * fmax(r[0], 0.0);
    return b->friction > 0.0 && (slide <= slack || r[1] * r[1] + r[2] * r[2] < limit * limit);
}

// Of a contact with the impulses r and the velocities u, of which those below the slack are none. One that opens is kept,
// unless it pushes more than it opens: then it is the solver's error.
static face face_of(const cn_block *b, double unit, const double *r, const double *u, double slack, double ray[3])
{
    double slide = length(u + 1, 2), mu = b->friction;
    if (u[0] > slack && unit * r[0] <= u[0])
        return FACE_KEPT;
    if (sticks(b, r, slide, slack))
        return FACE_CONE;
    const double along[3] = { 1.0, slide > 0.0 ? -mu * u[1] / slide : 0.0, slide > 0.0 ? -mu * u[2] / slide : 0.0 };
    const double *direction = r[0] > 0.0 ? r : along; // the solver's own, so that its answer is one of the set
    for (int k = 0; k < 3; k++)
        ray[k] = direction[k] / length(direction, 3);
    return FACE_RAY;
}

// How many contacts may change.
static int choose_faces(level *l, double slack, bool locks)
{
    const cn_problem *p = l->problem;
    int count = 0;
    double most = length(l->start, p->row_count), unit = cn_problem_unit(p);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        bool contact = b->kind == CN_BLOCK_CONTACT, rigid = b->side_count > 0 && !is_soft(p, b, most, l->shows);
        l->faces[i] = FACE_KEPT;
        if (rigid && contact)
            l->faces[i] = face_of(b, unit, l->start + b->first_row, l->u + b->first_row, slack, l->rays[i]);
        if (rigid && locks && b->kind == CN_BLOCK_EQUALITY)
            l->faces[i] = FACE_LOCK;
        count += contact && l->faces[i] != FACE_KEPT;
    }
    return count;
}

// x = P(x) and its derivative. Locks may carry anything; it costs little to change it.
static void project(const level *l, int i, double x[3], double slope[9])
{
    const cn_block *b = &l->problem->blocks[i];
    double f[3];
    if (l->faces[i] == FACE_LOCK) {
        for (int k = 0; k < b->rows; k++) {
            x[k] = l->start[b->first_row + k] + x[k] / LOCK_WEIGHT;
            slope[4 * k] = 1.0 / LOCK_WEIGHT;
        }
        return;
    }
    if (l->faces[i] == FACE_CONE) {
        cn_smooth_map(l->problem, i, CN_LAW_RELAXED, x, (const double[3]){ 0.0 }, f, NULL, slope);
        for (int k = 0; k < 3; k++)
            x[k] -= f[k];
        return;
    }
    const double *ray = l->rays[i];
    double along = cn_lab_dot(ray, x, 3);
    for (int k = 0; k < 9; k++)
        slope[k] = along >= 0.0 ? ray[k / 3] * ray[k % 3] : 0.0;
    for (int k = 0; k < 3; k++)
        x[k] = fmax(along, 0.0) * ray[k];
}

// ---- the equations

// Impulses, slopes and f at y; returns |f|.
static double evaluate(level *l)
{
    const cn_problem *p = l->problem;
    int n = 6 * p->body_count;
    for (int i = 0; i < n; i++)
        l->f[i] = -l->goal[i];
    for (int i = 0; i < p->block_count; i++) {
        if (l->faces[i] == FACE_KEPT)
            continue;
        double r[3] = { 0.0 };
        cn_body_rows_apply(&l->rows, i, l->y, r);
        project(l, i, r, l->slopes[i]);
        cn_body_rows_gather(&l->rows, i, 1.0, r, l->f);
        memcpy(l->r + p->blocks[i].first_row, r, sizeof(double) * (size_t)p->blocks[i].rows);
    }
    return length(l->f, n);
}

static bool find_y(level *l)
{
    int n = 6 * l->problem->body_count, factors = 0;
    double goal = length(l->goal, n), error = evaluate(l), before = 0.0;
    for (int step = 0; step < MOST_STEPS && error > SOLVED * goal; step++) {
        if (step == 0 || !(error < SAME_FACTOR * before)) {
            l->work += cn_block_lu_work(l->rows.lu);
            if (factors++ == MOST_FACTORS || l->work > l->most_work)
                break;
            cn_body_rows_factor(&l->rows, (const double(*)[9])l->slopes, SHIFT);
        }
        before = error;
        memcpy(l->step, l->f, sizeof(double) * (size_t)n);
        cn_block_lu_solve(l->rows.lu, l->step);
        for (int i = 0; i < n; i++)
            l->y[i] -= l->step[i];
        error = evaluate(l);
    }
    return error <= FOUND * goal;
}

// ---- the call

static double *zeros(cn_arena *arena, int count)
{
    double *x = cn_arena_array(arena, double, count + 1);
    memset(x, 0, sizeof(double) * (size_t)(count + 1));
    return x;
}

static level begin(const cn_problem *p, const double *r, cn_arena *arena)
{
    level l = { .problem = p, .start = r };
    double **vectors[] = { &l.goal, &l.f, &l.y, &l.step };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = zeros(arena, 6 * p->body_count);
    l.faces = cn_arena_array(arena, face, p->block_count);
    l.rays = (double(*)[3])zeros(arena, 3 * p->block_count);
    l.slopes = (double(*)[9])zeros(arena, 9 * p->block_count);
    l.r = zeros(arena, p->row_count);
    l.u = zeros(arena, p->row_count);
    return l;
}

// With what is kept in l->r as it was.
static bool try_faces(level *l)
{
    const cn_problem *p = l->problem;
    size_t size = sizeof(double) * (size_t)(6 * p->body_count);
    memset(l->goal, 0, size);
    memset(l->y, 0, size);
    memset(l->slopes, 0, sizeof(double[9]) * (size_t)p->block_count);
    memcpy(l->r, l->start, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < p->block_count; i++)
        if (l->faces[i] != FACE_KEPT)
            cn_body_rows_gather(&l->rows, i, 1.0, l->start + p->blocks[i].first_row, l->goal);
    return find_y(l) && cn_problem_residual(p, CN_LAW_COULOMB, l->r, NULL).value <= HARDLY_MORE * l->allowed;
}

// At first as if only one contact were not quite closed, then as if all were so, at last with the joints as they are.
static bool try_all(level *l, cn_arena *arena)
{
    int blocks = l->problem->block_count;
    double slack = SLACK * l->shows, shared = slack / sqrt((double)blocks);
    const struct {
        double slack;
        bool locks;
    } tries[] = { { slack, true }, { shared, true }, { shared, false } };
    face *before = cn_arena_array(arena, face, blocks);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        if (choose_faces(l, tries[i].slack, tries[i].locks) < 2)
            return false;
        bool same = i > 0 && memcmp(before, l->faces, sizeof(face) * (size_t)blocks) == 0;
        memcpy(before, l->faces, sizeof(face) * (size_t)blocks);
        if (i == 0)
            l->rows = cn_body_rows_create(l->problem, true, arena);
        if (!same && try_faces(l))
            return true;
    }
    return false;
}

cn_lab_levelled cn_lab_level(const cn_problem *p, const cn_lab_options *options, double *r)
{
    cn_lab_levelled answer = { 0 };
    if (p->side_count == 0 || p->block_count < 2)
        return answer;
    cn_arena arena;
    cn_arena_init(&arena, options->allocator != NULL ? options->allocator : p->allocator);
    level l = begin(p, r, &arena);
    l.most_work = options->max_work > 0.0 ? options->max_work : (double)INFINITY;
    cn_problem_multiply(p, r, l.u);
    for (int i = 0; i < p->row_count; i++)
        l.u[i] += p->q[i];
    l.allowed = fmax(options->tolerance, cn_problem_residual(p, CN_LAW_COULOMB, r, l.u).value);
    l.shows = l.allowed * length(p->q, p->row_count);
    answer.changed = try_all(&l, &arena);
    answer.work = l.work;
    for (int i = 0; i < p->block_count; i++)
        answer.slides |= l.faces[i] == FACE_RAY;
    if (answer.changed)
        memcpy(r, l.r, sizeof(double) * (size_t)p->row_count);
    cn_arena_free(&arena);
    return answer;
}
