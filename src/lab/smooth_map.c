// Alart and Curnier 1991, "A mixed formulation for frictional contact problems prone to Newton like solution methods".
#include "lab/smooth_map.h"

#include <math.h>
#include <string.h>

typedef struct map {
    double *f, *by_r, *by_u; // of one block
} map;

// Row k says u = 0, or r = value.
static void row_moves_not(map m, int k, double u)
{
    m.f[k] = u;
    m.by_u[4 * k] = 1.0;
}
static void row_is_held(map m, int k, double r, double value)
{
    m.f[k] = r - value;
    m.by_r[4 * k] = 1.0;
}

static void map_interval(map m, int k, double r, double u, double lower, double upper)
{
    double x = r - u;
    if (x < lower)
        row_is_held(m, k, r, lower);
    else if (x > upper)
        row_is_held(m, k, r, upper);
    else
        row_moves_not(m, k, u);
}

// |r_T| <= radius, and the radius grows by `slope` with r_N - u_N.
static void map_disc(map m, const double *r, const double *u, double radius, double slope)
{
    double y[2] = { r[1] - u[1], r[2] - u[2] }, length = sqrt(y[0] * y[0] + y[1] * y[1]);
    if (length <= radius) {
        row_moves_not(m, 1, u[1]);
        row_moves_not(m, 2, u[2]);
        return;
    }
    double d[2] = { y[0] / length, y[1] / length }, part = radius / length;
    for (int i = 0; i < 2; i++) {
        m.f[1 + i] = r[1 + i] - radius * d[i];
        m.by_r[3 * (1 + i)] = -slope * d[i];
        m.by_u[3 * (1 + i)] = slope * d[i];
        for (int j = 0; j < 2; j++) {
            double turned = part * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
            m.by_r[3 * (1 + i) + 1 + j] = (i == j ? 1.0 : 0.0) - turned;
            m.by_u[3 * (1 + i) + 1 + j] = turned;
        }
    }
}

static void map_box(map m, const double *r, const double *u, double half_width, double slope)
{
    for (int i = 1; i < 3; i++) {
        double x = r[i] - u[i], side = x < 0.0 ? -1.0 : 1.0;
        map_interval(m, i, r[i], u[i], -half_width, half_width);
        if (fabs(x) > half_width) {
            m.by_r[3 * i] = -slope * side;
            m.by_u[3 * i] = slope * side;
        }
    }
}

// r - P_K(r - u). Where P is smooth, its derivative is that of (n, mu n d) with n = (x_N + mu |x_T|) / (1 + mu^2).
static void map_cone(map m, const double *r, const double *u, double mu)
{
    double x[3] = { r[0] - u[0], r[1] - u[1], r[2] - u[2] }, t = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (t <= mu * x[0]) {
        for (int k = 0; k < 3; k++)
            row_moves_not(m, k, u[k]);
        return;
    }
    if (mu * t <= -x[0]) {
        for (int k = 0; k < 3; k++)
            row_is_held(m, k, r[k], 0.0);
        return;
    }
    double weight = 1.0 / (1.0 + mu * mu), n = weight * (x[0] + mu * t);
    double d[3] = { 0.0, x[1] / t, x[2] / t }, across = mu * n / t;
    for (int i = 0; i < 3; i++) {
        double gi = i == 0 ? 1.0 : mu * d[i];
        m.f[i] = r[i] - n * gi;
        for (int j = 0; j < 3; j++) {
            double gj = j == 0 ? 1.0 : mu * d[j], identity = i == j ? 1.0 : 0.0;
            double slope = weight * gi * gj + (i > 0 && j > 0 ? across * (identity - d[i] * d[j]) : 0.0);
            m.by_r[3 * i + j] = identity - slope;
            m.by_u[3 * i + j] = slope;
        }
    }
}

static void map_contact(map m, const cn_block *b, cn_law law, const double *r, const double *u)
{
    if (law == CN_LAW_RELAXED) {
        map_cone(m, r, u, b->friction);
        return;
    }
    double x = r[0] - u[0], slope = x > 0.0 && law != CN_LAW_DISC ? b->friction : 0.0;
    double radius = law == CN_LAW_DISC ? b->friction * b->frozen : slope * x;
    map_interval(m, 0, r[0], u[0], 0.0, (double)INFINITY);
    if (law == CN_LAW_BOX)
        map_box(m, r, u, radius, slope);
    else
        map_disc(m, r, u, radius, slope);
}

void cn_smooth_map(const cn_problem *p, int block, cn_law law, const double *r, const double *u, double f[3], double by_r[9],
                   double by_u[9])
{
    const cn_block *b = &p->blocks[block];
    double unused[2][9];
    map m = { f, by_r != NULL ? by_r : unused[0], by_u != NULL ? by_u : unused[1] };
    memset(m.by_r, 0, sizeof unused[0]);
    memset(m.by_u, 0, sizeof unused[1]);
    f[0] = f[1] = f[2] = 0.0;
    if (b->kind == CN_BLOCK_CONTACT) {
        map_contact(m, b, law, r, u);
        return;
    }
    for (int k = 0; k < b->rows; k++) {
        if (b->kind == CN_BLOCK_EQUALITY)
            row_moves_not(m, k, u[k]);
        else
            map_interval(m, k, r[k], u[k], p->lower[b->first_row + k], p->upper[b->first_row + k]);
    }
}
