#include "model/law.h"

#include <math.h>

const char *cn_law_name(int law)
{
    static const char *const names[] = {
        [CN_LAW_COULOMB] = "coulomb", [CN_LAW_RELAXED] = "relaxed", [CN_LAW_DISC] = "disc", [CN_LAW_BOX] = "box"
    };
    return law >= 0 && law < CN_LAW_COUNT ? names[law] : NULL;
}

static double tangent_length(const double x[3]) { return sqrt(x[1] * x[1] + x[2] * x[2]); }

static double clamp(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

void cn_project_cone(double mu, double x[3])
{
    double t = tangent_length(x);
    if (t <= mu * x[0])
        return;
    if (mu * t <= -x[0]) {
        x[0] = x[1] = x[2] = 0.0;
        return;
    }
    double n = (x[0] + mu * t) / (1.0 + mu * mu), scale = t > 0.0 ? mu * n / t : 0.0;
    x[0] = n;
    x[1] *= scale;
    x[2] *= scale;
}

void cn_project_dual_cone(double mu, double x[3])
{
    double t = tangent_length(x);
    if (mu * t <= x[0])
        return;
    if (t <= -mu * x[0]) {
        x[0] = x[1] = x[2] = 0.0;
        return;
    }
    double s = (t + mu * x[0]) / (1.0 + mu * mu), scale = t > 0.0 ? s / t : 0.0;
    x[0] = mu * s;
    x[1] *= scale;
    x[2] *= scale;
}

void cn_project_disc(double radius, double x[3])
{
    double t = tangent_length(x);
    if (t <= radius)
        return;
    x[1] *= radius / t;
    x[2] *= radius / t;
}

static void project_box(double half_width, double x[3])
{
    x[1] = clamp(x[1], -half_width, half_width);
    x[2] = clamp(x[2], -half_width, half_width);
}

void cn_project_block(const cn_problem *problem, int block, cn_law law, double *x)
{
    const cn_block *b = &problem->blocks[block];
    if (b->kind == CN_BLOCK_EQUALITY)
        return;
    if (b->kind == CN_BLOCK_BOUNDED) {
        for (int i = 0; i < b->rows; i++)
            x[i] = clamp(x[i], problem->lower[b->first_row + i], problem->upper[b->first_row + i]);
        return;
    }
    switch (law) {
    case CN_LAW_COULOMB:
    case CN_LAW_RELAXED: cn_project_cone(b->friction, x); break;
    case CN_LAW_DISC:
        x[0] = x[0] > 0.0 ? x[0] : 0.0;
        cn_project_disc(b->friction * b->frozen, x);
        break;
    default: x[0] = x[0] > 0.0 ? x[0] : 0.0; project_box(b->friction * x[0], x);
    }
}

// Above this, De Saxce's form says too little: where a contact closes or pushes while it opens, its map is smaller than that
// by the factor sqrt(1 + mu^2), and where one sticks but for rounding it is larger by mu. At this it is off by 1.4 at most.
static const double STEEP = 1.0;

// The normal and friction each with a map of its own, r_N held where friction is bounded by it.
static void project_apart(const cn_block *b, cn_law law, double normal, double x[3])
{
    double bound = b->friction * (normal > 0.0 ? normal : 0.0);
    x[0] = x[0] > 0.0 ? x[0] : 0.0;
    if (law == CN_LAW_BOX)
        project_box(bound, x);
    else
        cn_project_disc(bound, x);
}

void cn_natural_map(const cn_problem *problem, int block, cn_law law, const double *r, const double *u, double e[3])
{
    const cn_block *b = &problem->blocks[block];
    bool coulomb = b->kind == CN_BLOCK_CONTACT && law == CN_LAW_COULOMB;
    double x[3] = { 0.0 };
    for (int i = 0; i < b->rows; i++)
        x[i] = r[i] - u[i];
    if ((b->kind == CN_BLOCK_CONTACT && law == CN_LAW_BOX) || (coulomb && b->friction > STEEP)) {
        project_apart(b, law, r[0], x);
    } else {
        x[0] -= coulomb ? b->friction * tangent_length(u) : 0.0;
        cn_project_block(problem, block, law, x);
    }
    for (int i = 0; i < b->rows; i++)
        e[i] = r[i] - x[i];
}
