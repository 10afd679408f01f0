// A closed surface is the sum of signed tetrahedra from any point to its triangles. For a tetrahedron (0, a, b, c) with
// s = a + b + c the integral of x is det/24 * s.x, and that of x y is det/120 * (s.x s.y + a.x a.y + b.x b.y + c.x c.y).
#include "shape/moments.h"

#include "base/error.h"

void cn_moments_add_triangle(cn_moments *m, cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    cn_pos3 o = m->origin;
    double p[3][3] = { { (double)a.x - o.x, (double)a.y - o.y, (double)a.z - o.z },
                       { (double)b.x - o.x, (double)b.y - o.y, (double)b.z - o.z },
                       { (double)c.x - o.x, (double)c.y - o.y, (double)c.z - o.z } };
    double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                 p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    m->volume6 += det;
    double s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = p[0][i] + p[1][i] + p[2][i];
        m->first24[i] += det * s[i];
        m->second120[i] += det * (s[i] * s[i] + p[0][i] * p[0][i] + p[1][i] * p[1][i] + p[2][i] * p[2][i]);
    }
    for (int k = 0; k < 3; k++) {
        int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
        m->mixed120[k] += det * (s[i] * s[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
    }
}

double cn_moments_volume(const cn_moments *m) { return m->volume6 / 6.0; }

bool cn_moments_to_mass(const cn_moments *m, double density, const char *function, cn_mass *mass)
{
    double volume = cn_moments_volume(m);
    double x = m->first24[0] / (4.0 * m->volume6), y = m->first24[1] / (4.0 * m->volume6),
           z = m->first24[2] / (4.0 * m->volume6);
    // second moments about the centre
    double xx = m->second120[0] / 120.0 - volume * x * x, yy = m->second120[1] / 120.0 - volume * y * y,
           zz = m->second120[2] / 120.0 - volume * z * z;
    double xy = m->mixed120[0] / 120.0 - volume * x * y, xz = m->mixed120[1] / 120.0 - volume * x * z,
           yz = m->mixed120[2] / 120.0 - volume * y * z;
    *mass = (cn_mass){ (float)(density * volume),
                       { (float)(m->origin.x + x), (float)(m->origin.y + y), (float)(m->origin.z + z) },
                       { (float)(density * (yy + zz)), (float)(density * (xx + zz)), (float)(density * (xx + yy)),
                         (float)(-density * xy), (float)(-density * xz), (float)(-density * yz) } };
    float sum = mass->mass + mass->inertia.xx + mass->inertia.yy + mass->inertia.zz;
    bool usable = density == 0.0 || (mass->mass > 0.0f && mass->inertia.xx > 0.0f && mass->inertia.yy > 0.0f &&
                                     mass->inertia.zz > 0.0f && isfinite(sum));
    return usable ||
           cn_fail("%s: mass (%g kg) or inertia is out of range; check the scale of the points", function, density * volume);
}
