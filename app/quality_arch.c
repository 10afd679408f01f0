// A semicircular stone arch against limit analysis (Heyman 1966, The stone skeleton): it stands when forces can be found that
// balance its weight, pass through every joint, and are nowhere steeper to a joint than friction allows.
#include "quality.h"
#include "scenes.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const cn_arch form = { .radius = 5.0, .thickness = 1.0, .depth = 1.5 };

// ---- The smallest friction

// By symmetry it is enough to look at one half, and its forces are known up to two numbers: the thrust H at the crown, which is
// level there, and its moment about the middle of the arch, M. What a joint demands is linear in both.
enum { MOST_STONES = 101, MOST_LINES = 2 * MOST_STONES + 8 };
typedef struct line {
    double h, m, limit;
} line; // h H + m M <= limit

// |force| <= factor * normal, all three linear in H and M.
static void add_pair(line *lines, int *count, line force, double factor, line normal)
{
    for (int sign = -1; sign <= 1; sign += 2)
        lines[(*count)++] = (line){ sign * force.h - factor * normal.h, sign * force.m - factor * normal.m,
                                    factor * normal.limit - sign * force.limit };
}

// Area of the piece of the polygonal arch between the angles `from` and `to` (from the crown, at most one stone), and its first
// moment about the vertical through the crown.
static void piece(double from, double to, double joint, double *area, double *first)
{
    double inner = form.radius - 0.5 * form.thickness, outer = form.radius + 0.5 * form.thickness;
    double cut = from > 0.0 ? 1.0 : cos(joint); // the keystone is cut in half where its faces are level
    const double x[4] = { cut * inner * sin(from), cut * outer * sin(from), outer * sin(to), inner * sin(to) };
    const double y[4] = { cut * inner * cos(from), cut * outer * cos(from), outer * cos(to), inner * cos(to) };
    for (int i = 0; i < 4; ++i) {
        int j = (i + 1) % 4;
        double cross = x[j] * y[i] - x[i] * y[j];
        *area += 0.5 * cross;
        *first += cross * (x[i] + x[j]) / 6.0;
    }
}

static int demand(int stones, double mu, line *lines)
{
    int count = 0;
    double weight = 0.0, first = 0.0; // of what lies between the crown and the joint, for unit weight per area
    for (int i = 0; i <= stones / 2; ++i) {
        double angle = pi * (i + 0.5) / stones, s = sin(angle), c = cos(angle);
        piece(i > 0 ? angle - pi / stones : 0.0, angle, angle, &weight, &first);
        line normal = { c, 0.0, weight * s }, shear = { s, 0.0, -weight * c }; // here the third number is added, not a limit
        line moment = { form.radius * c, -1.0, form.radius * s * weight - first }; // about the middle of the joint
        add_pair(lines, &count, shear, mu, normal);
        add_pair(lines, &count, moment, 0.5 * form.thickness, normal);
    }
    return count;
}

// Whether any H and M keep all demands: if so, then a corner of two of them does.
static bool can_stand(int stones, double mu)
{
    line lines[MOST_LINES];
    int count = demand(stones, mu, lines);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            double d = lines[i].h * lines[j].m - lines[i].m * lines[j].h;
            if (fabs(d) < 1e-12)
                continue;
            double h = (lines[i].limit * lines[j].m - lines[i].m * lines[j].limit) / d;
            double m = (lines[i].h * lines[j].limit - lines[i].limit * lines[j].h) / d;
            int kept = 0;
            while (kept < count && lines[kept].h * h + lines[kept].m * m <= lines[kept].limit + 1e-9)
                ++kept;
            if (kept == count)
                return true;
        }
    }
    return false;
}

static double smallest_friction(int stones)
{
    double falls = 0.0, stands = 2.0;
    for (int i = 0; i < 24; ++i) {
        double middle = 0.5 * (falls + stands);
        if (can_stand(stones, middle))
            stands = middle;
        else
            falls = middle;
    }
    return stands;
}

// ---- The arch

static void arch_case(cn_quality *quality, int stones, double mu, double bound)
{
    cn_build build;
    cn_arch arch = form;
    cn_case_begin(quality, "arch");
    cn_quality_open(quality, &build, 10.0f);
    build.material.friction = (float)mu;
    build.density = 2000.0f;
    arch.stones = stones;
    cn_build_ground(&build);
    cn_build_arch(&build, &arch);
    cn_pos3 *from = cn_copy_centers(&build);
    cn_quality_run(quality, &build, 10.0, NULL, NULL);
    double drift = cn_longest_way(&build, from);
    bool stands = drift < 0.25 * form.thickness;
    free(from);
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "stones", stones);
    cn_case_number(quality, "thickness_per_radius", form.thickness / form.radius, "");
    cn_case_parameter(quality, "tolerance", quality->settings.tolerance);
    cn_case_number(quality, "mu", mu, "");
    cn_case_number(quality, "mu_bound", bound, "");
    cn_case_number(quality, "drift", drift, "m");
    cn_case_label(quality, "stands", stands ? "yes" : "no");
    cn_case_flag(quality, "as_expected", stands == (mu > bound));
    cn_case_end(quality, true);
}

void cn_quality_arch(cn_quality *quality)
{
    double asked = quality->settings.tolerance;
    for (int stones = 15; stones <= 31; stones += 8) {
        double bound = smallest_friction(stones);
        if (isfinite(quality->mu)) {
            arch_case(quality, stones, quality->mu, bound);
            continue;
        }
        arch_case(quality, stones, 1.1 * bound, bound);
        arch_case(quality, stones, 0.95 * bound, bound);
        quality->settings.tolerance = asked > 0.0 ? asked : 1e-4; // told to be accurate, it comes within a hundredth
        arch_case(quality, stones, 1.01 * bound, bound);
        arch_case(quality, stones, 0.99 * bound, bound);
        quality->settings.tolerance = asked;
    }
}
