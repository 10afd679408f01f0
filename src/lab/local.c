// The one-contact problem, solved to machine precision.
//
// Given the normal impulse n, friction is a problem in the plane: the tangents x_T of least energy within a disc or a box. What
// is left is one equation, that the normal velocity vanishes:
//
//     g(n) = k_NN n + k_NT . x_T(n) + c_N = 0        c: velocities without impulses;  the relaxed law subtracts mu |u_T|
//
// When g(0) >= 0 the contact opens. Otherwise g has a zero, since it ends up positive when friction sticks and k is positive
// definite; secants in a bracket find it. For the relaxed law g is the derivative of a convex function, and the zero is the
// only one.
#include "lab/local.h"

#include <math.h>
#include <string.h>

static double clamp(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }
static double length2(const double x[2]) { return sqrt(x[0] * x[0] + x[1] * x[1]); }

// ---- small linear systems; matrices have rows of three, so that k + 4 is the tangential part of k

static double largest_of(const double *k, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            largest = fmax(largest, fabs(k[3 * i + j]));
    return largest;
}

// k x = b by elimination with row exchanges. An unknown that k does not reach stays zero. True when all equations hold.
static bool solve_linear(const double *k, int count, const double *b, double *x)
{
    double a[3][4] = { { 0.0 } }, size = 0.0;
    const double nothing = 1e-14 * largest_of(k, count);
    for (int i = 0; i < count; i++) {
        memcpy(a[i], k + 3 * i, sizeof(double) * (size_t)count);
        a[i][3] = b[i];
        size = fmax(size, fabs(b[i]));
    }
    for (int i = 0; i < count; i++) {
        int pivot = i;
        for (int j = i + 1; j < count; j++)
            if (fabs(a[j][i]) > fabs(a[pivot][i]))
                pivot = j;
        for (int m = 0; m < 4 && pivot != i; m++) {
            double swapped = a[i][m];
            a[i][m] = a[pivot][m];
            a[pivot][m] = swapped;
        }
        for (int j = i + 1; j < count && fabs(a[i][i]) > nothing; j++) {
            double factor = a[j][i] / a[i][i];
            for (int m = i; m < 4; m++)
                a[j][m] -= factor * a[i][m];
        }
    }
    bool holds = true;
    for (int i = count - 1; i >= 0; i--) {
        double sum = a[i][3];
        for (int j = i + 1; j < count; j++)
            sum -= a[i][j] * x[j];
        bool reached = fabs(a[i][i]) > nothing;
        x[i] = reached ? sum / a[i][i] : 0.0;
        holds = holds && (reached || fabs(sum) <= 1e-13 * size);
    }
    return holds;
}

// Bounded rows: every choice of rows that rest on a bound is tried, and the one that errs least is taken.
static void solve_bounded(const double *k, int count, const double *c, const double *lower, const double *upper, double *x)
{
    const double scale = fmax(largest_of(k, count), 1e-300);
    const int choices = count == 1 ? 3 : count == 2 ? 9 : 27;
    double least = (double)INFINITY;
    for (int choice = 0; choice < choices && least > 0.0; choice++) {
        double system[9] = { 0.0 }, b[3] = { 0.0 }, y[3] = { 0.0 }, error = 0.0;
        for (int i = 0, digits = choice; i < count; i++, digits /= 3) {
            if (digits % 3 == 0) {
                memcpy(system + 3 * i, k + 3 * i, sizeof(double) * (size_t)count);
                b[i] = -c[i];
            } else {
                system[4 * i] = scale;
                b[i] = scale * (digits % 3 == 1 ? lower[i] : upper[i]);
            }
        }
        if (!isfinite(b[0] + b[1] + b[2]))
            continue;
        solve_linear(system, count, b, y);
        for (int i = 0; i < count; i++) {
            double u = c[i];
            for (int j = 0; j < count; j++)
                u += k[3 * i + j] * y[j];
            error = fmax(error, fabs(y[i] - clamp(y[i] - u / scale, lower[i], upper[i])));
        }
        if (error < least) {
            least = error;
            for (int i = 0; i < count; i++)
                x[i] = clamp(y[i], lower[i], upper[i]);
        }
    }
}

// ---- friction for a given normal impulse

// x = -(k_TT + a)^-1 b.
static void damped_tangents(const double *k, double a, const double b[2], double x[2])
{
    double k11 = k[4] + a, k22 = k[8] + a, inverse = 1.0 / (k11 * k22 - k[5] * k[7]);
    x[0] = -inverse * (k22 * b[0] - k[5] * b[1]);
    x[1] = -inverse * (k11 * b[1] - k[7] * b[0]);
}

// The a >= 0 for which |(k_TT + a)^-1 b| = radius, and that x. Newton's method on 1 / |x|, which is nearly linear in a (More
// and Sorensen 1983), inside a bracket.
static double find_damping(const double *k, const double b[2], double radius, double x[2])
{
    double low = 0.0, high = length2(b) / radius, a = fmax(0.0, high - (k[4] + k[8]));
    for (int i = 0; i < 60; i++) {
        double w[2];
        damped_tangents(k, a, b, x);
        damped_tangents(k, a, x, w);
        double size = length2(x);
        if (size <= radius)
            high = a;
        else
            low = a;
        double next = a - size * size / (x[0] * w[0] + x[1] * w[1]) * (size - radius) / radius;
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        if (fabs(size - radius) <= 4e-16 * radius || next == a)
            break;
        a = next;
    }
    return a;
}

// Tangents of least energy in the disc: they stick, or oppose the slide u_T = -a x. Returns |u_T|.
double cn_local_disc(const double k[9], const double b[2], double radius, double x[2])
{
    double slide = length2(b), minus_b[2] = { -b[0], -b[1] };
    x[0] = x[1] = 0.0;
    if (!(radius > 0.0) || slide == 0.0)
        return slide;
    bool regular = k[4] * k[8] - k[5] * k[7] > 1e-14 * k[4] * k[8];
    if (regular)
        damped_tangents(k, 0.0, b, x);
    if ((regular || solve_linear(k + 4, 2, minus_b, x)) && length2(x) <= radius)
        return 0.0;
    double a = find_damping(k, b, radius, x), size = length2(x);
    bool usable = size > 0.0 && isfinite(size);
    for (int i = 0; i < 2; i++)
        x[i] = usable ? radius / size * x[i] : -radius / slide * b[i];
    return a * radius;
}

// ---- the normal impulse

typedef struct contact {
    const double *k, *c; // velocities are k x + c
    double friction, frozen;
    cn_law law;
} contact;

// g(n), and the tangents for it in x.
static double normal_velocity(const contact *one, double n, double x[3])
{
    const double *k = one->k, *c = one->c, b[2] = { c[1] + k[3] * n, c[2] + k[6] * n };
    double limit = one->friction * (one->law == CN_LAW_DISC ? one->frozen : n), slide = 0.0;
    x[0] = n;
    if (one->law == CN_LAW_BOX) {
        const double lower[2] = { -limit, -limit }, upper[2] = { limit, limit };
        solve_bounded(k + 4, 2, b, lower, upper, x + 1);
    } else {
        slide = cn_local_disc(k, b, limit, x + 1);
    }
    double lift = one->law == CN_LAW_RELAXED ? one->friction * slide : 0.0;
    return k[0] * n + (k[1] * x[1] + k[2] * x[2]) + c[0] - lift;
}

// A zero of g above zero, where g(0) = g_low < 0. Secants, halving the older end's value when one end stays (Illinois). False
// when no impulse is large enough.
static bool find_normal(const contact *one, double g_low, double x[3])
{
    double low = 0.0, high = -one->c[0] / one->k[0], g_high;
    high = high > 0.0 && isfinite(high) ? high : -g_low / one->k[0];
    for (int i = 0; (g_high = normal_velocity(one, high, x)) < 0.0; i++) {
        if (i == 100 || !isfinite(g_high))
            return false;
        low = high;
        g_low = g_high;
        high *= 2.0;
    }
    for (int i = 0, side = 0; i < 100 && g_high > 0.0; i++) {
        double n = high - g_high * (high - low) / (g_high - g_low);
        if (!(n > low && n < high))
            n = 0.5 * (low + high);
        if (n == low || n == high)
            break;
        double g = normal_velocity(one, n, x);
        if (fabs(g) <= 4e-16 * (fabs(one->c[0]) + one->k[0] * n))
            break;
        if (g > 0.0) {
            high = n;
            g_high = g;
            g_low *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            low = n;
            g_low = g;
            g_high *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
    }
    return true;
}

static bool allows(const contact *one, const double x[3])
{
    double limit = one->friction * (one->law == CN_LAW_DISC ? one->frozen : x[0]);
    double push = one->law == CN_LAW_BOX ? fmax(fabs(x[1]), fabs(x[2])) : length2(x + 1);
    return x[0] >= 0.0 && push <= limit;
}

static void solve_contact(const contact *one, double x[3])
{
    const double *c = one->c, minus_c[3] = { -c[0], -c[1], -c[2] };
    double y[3];
    double g = normal_velocity(one, 0.0, y);
    bool found = g >= 0.0;
    if (!found)
        found = (solve_linear(one->k, 3, minus_c, y) && allows(one, y)) || (one->k[0] > 0.0 && find_normal(one, g, y));
    if (found && isfinite(y[0] + y[1] + y[2]))
        memcpy(x, y, sizeof y);
}

// ---- the steps

static void free_velocities(const double k[9], int rows, const double v[3], const double x[3], double c[3])
{
    for (int i = 0; i < rows; i++) {
        c[i] = v[i];
        for (int j = 0; j < rows; j++)
            c[i] -= k[3 * i + j] * x[j];
    }
}

static void solve_rows(const cn_problem *p, const cn_block *b, const double k[9], const double v[3], double x[3])
{
    double c[3], d[3], minus_v[3] = { -v[0], 0.0, 0.0 };
    if (b->kind == CN_BLOCK_BOUNDED) {
        free_velocities(k, b->rows, v, x, c);
        solve_bounded(k, b->rows, c, p->lower + b->first_row, p->upper + b->first_row, x);
        return;
    }
    for (int i = 1; i < b->rows; i++)
        minus_v[i] = -v[i];
    solve_linear(k, b->rows, minus_v, d);
    for (int i = 0; i < b->rows; i++)
        x[i] += d[i];
}

void cn_local_exact(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3])
{
    const cn_block *b = &problem->blocks[block];
    double c[3];
    if (b->kind != CN_BLOCK_CONTACT) {
        solve_rows(problem, b, k, v, x);
        return;
    }
    free_velocities(k, 3, v, x, c);
    solve_contact(&(contact){ k, c, b->friction, b->frozen, law }, x);
}

void cn_local_clipped(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3])
{
    const cn_block *b = &problem->blocks[block];
    double c[3], minus_c[3], y[3];
    if (b->kind != CN_BLOCK_CONTACT) {
        solve_rows(problem, b, k, v, x);
        return;
    }
    free_velocities(k, 3, v, x, c);
    for (int i = 0; i < 3; i++)
        minus_c[i] = -c[i];
    solve_linear(k, 3, minus_c, y);
    if (!(y[0] > 0.0) && law != CN_LAW_DISC)
        y[1] = y[2] = 0.0;
    y[0] = fmax(y[0], 0.0);
    double limit = b->friction * (law == CN_LAW_DISC ? b->frozen : y[0]), size = length2(y + 1);
    for (int i = 1; i < 3; i++)
        y[i] = law == CN_LAW_BOX ? clamp(y[i], -limit, limit) : size > limit ? limit / size * y[i] : y[i];
    if (isfinite(y[0] + y[1] + y[2]))
        memcpy(x, y, sizeof y);
}
