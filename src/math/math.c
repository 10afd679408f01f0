#include "math/vec.h"

// sin and cos by reduction to [-pi/4, pi/4] in double and Taylor polynomials, so that no libm decides the bits.
void cn_sin_cos(float x, float *sine, float *cosine)
{
    const float most = 1e9f; // beyond, floats are further apart than a turn
    if (!(x > -most && x < most))
        x = 0.0f;
    double quarter = (double)x * 0.63661977236758134308;
    double rounded = quarter < 0.0 ? (double)(int64_t)(quarter - 0.5) : (double)(int64_t)(quarter + 0.5);
    double r = (double)x - rounded * 1.57079632679489661923;
    double r2 = r * r;
    double s = r * (1.0 + r2 * (-1.0 / 6.0 + r2 * (1.0 / 120.0 + r2 * (-1.0 / 5040.0 + r2 * (1.0 / 362880.0)))));
    double c = 1.0 + r2 * (-0.5 + r2 * (1.0 / 24.0 + r2 * (-1.0 / 720.0 + r2 * (1.0 / 40320.0 - r2 / 3628800.0))));
    switch ((int)((int64_t)rounded & 3)) {
    case 0: *sine = (float)s, *cosine = (float)c; break;
    case 1: *sine = (float)c, *cosine = (float)-s; break;
    case 2: *sine = (float)-s, *cosine = (float)-c; break;
    default: *sine = (float)-c, *cosine = (float)s; break;
    }
}

// The nearest of nine known angles comes off first; what is left is below atan(1/16), where the series is short.
double cn_atan2(double y, double x)
{
    static const double known[9] = { 0.0,
                                     0.12435499454676144,
                                     0.24497866312686414,
                                     0.35877067027057225,
                                     0.4636476090008061,
                                     0.5585993153435624,
                                     0.6435011087932844,
                                     0.7188299996216245,
                                     0.7853981633974483 };
    double across = fabs(x), up = fabs(y);
    double low = up < across ? up : across, high = up < across ? across : up;
    double ratio = low / high;
    if (!(ratio <= 1.0)) // the origin, or no numbers
        return 0.0;
    int eighths = (int)(8.0 * ratio + 0.5);
    double slope = 0.125 * eighths;
    double t = (low - slope * high) / (high + slope * low), u = t * t;
    double even = 1.0 + u * u * (1.0 / 5.0 + u * u * (1.0 / 9.0 + u * u * (1.0 / 13.0)));
    double odd = 1.0 / 3.0 + u * u * (1.0 / 7.0 + u * u * (1.0 / 11.0));
    double angle = known[eighths] + t * (even - u * odd);
    if (up >= across)
        angle = 1.57079632679489661923 - angle;
    if (x < 0.0)
        angle = 3.14159265358979323846 - angle;
    return y < 0.0 ? -angle : angle;
}

cn_quat cn_quat_exp(cn_vec3 rotation)
{
    float angle_sq = cn_length_sq(rotation);
    if (angle_sq < 0.01f) {
        // sin(a/2)/a and cos(a/2) to float accuracy for small angles
        float s = 0.5f - angle_sq * (1.0f / 48.0f) + angle_sq * angle_sq * (1.0f / 3840.0f);
        float c = 1.0f - angle_sq * 0.125f + angle_sq * angle_sq * (1.0f / 384.0f);
        return (cn_quat){ s * rotation.x, s * rotation.y, s * rotation.z, c };
    }
    float angle = sqrtf(angle_sq), sine, cosine;
    cn_sin_cos(0.5f * angle, &sine, &cosine);
    float s = sine / angle;
    return (cn_quat){ s * rotation.x, s * rotation.y, s * rotation.z, cosine };
}

cn_vec3 cn_quat_log(cn_quat q)
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = fabs((double)q.w);
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0))
        return cn_v3(0.0f, 0.0f, 0.0f);
    // tan(a/2) = sin(a) / (1 + cos(a)) three times brings a quarter turn down to atan(0.2), where the series is short.
    double t = length / (w + sqrt(w * w + length * length));
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    double u = t * t, arc = 0.0;
    for (int n = 17; n >= 1; n -= 2)
        arc = 1.0 / n - u * arc;
    double s = 16.0 * t * arc / (q.w < 0.0f ? -length : length);
    return cn_v3((float)(s * x), (float)(s * y), (float)(s * z));
}

cn_vec3 cn_quat_log_near(cn_quat q, cn_vec3 expected)
{
    const float full = 2.0f * CN_PI;
    cn_vec3 turned = cn_quat_log(q);
    float angle = cn_length(turned), far = cn_length(expected);
    if (!(angle > 0.0f))
        return far > CN_PI ? cn_scale(full * floorf(far / full + 0.5f) / far, expected) : turned;
    float turns = floorf((cn_dot(turned, expected) / angle - angle) / full + 0.5f);
    return cn_scale(1.0f + turns * full / angle, turned);
}

cn_sym3 cn_sym3_inverse(cn_sym3 s)
{
    // Cofactors in double: inertia tensors of tiny and huge bodies leave the range of float.
    double xx = (double)s.xx, yy = (double)s.yy, zz = (double)s.zz, xy = (double)s.xy, xz = (double)s.xz, yz = (double)s.yz;
    double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    double determinant = xx * a + xy * b + xz * c;
    if (!(determinant > 0.0))
        return (cn_sym3){ 0 };
    double d = 1.0 / determinant;
    return (cn_sym3){ (float)(d * a),       (float)(d * (xx * zz - xz * xz)), (float)(d * (xx * yy - xy * xy)),
                      (float)(d * b), (float)(d * c), (float)(d * (xy * xz - xx * yz)) };
}

cn_sym3 cn_sym3_rotate(cn_sym3 s, cn_quat q)
{
    cn_mat3 r = cn_mat3_from_quat(q);
    // rows of R
    cn_vec3 rx = { r.x.x, r.y.x, r.z.x }, ry = { r.x.y, r.y.y, r.z.y }, rz = { r.x.z, r.y.z, r.z.z };
    cn_vec3 sx = cn_sym3_mul(s, rx), sy = cn_sym3_mul(s, ry), sz = cn_sym3_mul(s, rz);
    return (cn_sym3){ cn_dot(rx, sx), cn_dot(ry, sy), cn_dot(rz, sz), cn_dot(rx, sy), cn_dot(rx, sz), cn_dot(ry, sz) };
}

void cn_sym3_principal(cn_sym3 s, cn_vec3 *moments, cn_quat *rotation)
{
    double a[3][3] = { { (double)s.xx, (double)s.xy, (double)s.xz },
                       { (double)s.xy, (double)s.yy, (double)s.yz },
                       { (double)s.xz, (double)s.yz, (double)s.zz } };
    double q[4] = { 0.0, 0.0, 0.0, 1.0 }; // rotation so far, x y z w
    for (int sweep = 0; sweep < 32; sweep++) {
        // the largest off-diagonal element decides the axis of the next rotation
        double yz = fabs(a[1][2]), xz = fabs(a[0][2]), xy = fabs(a[0][1]);
        int axis = yz >= xz && yz >= xy ? 0 : xz >= xy ? 1 : 2;
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        if (fabs(a[i][j]) <= 1e-12 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2])))
            break;
        double theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
        double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), sine = t * c;
        for (int k = 0; k < 3; k++) { // a <- a G, with G the rotation in the plane (i, j)
            double aki = a[k][i], akj = a[k][j];
            a[k][i] = c * aki - sine * akj;
            a[k][j] = sine * aki + c * akj;
        }
        for (int k = 0; k < 3; k++) { // a <- G' a
            double aik = a[i][k], ajk = a[j][k];
            a[i][k] = c * aik - sine * ajk;
            a[j][k] = sine * aik + c * ajk;
        }
        // G turns about `axis` by the angle -atan(t): half-angle quaternion
        double half_c = sqrt(0.5 * (1.0 + c)), half_s = -sine / (2.0 * half_c);
        double g[4] = { 0.0, 0.0, 0.0, half_c };
        g[axis] = half_s;
        double r[4] = { q[3] * g[0] + q[0] * g[3] + q[1] * g[2] - q[2] * g[1],
                        q[3] * g[1] - q[0] * g[2] + q[1] * g[3] + q[2] * g[0],
                        q[3] * g[2] + q[0] * g[1] - q[1] * g[0] + q[2] * g[3],
                        q[3] * g[3] - q[0] * g[0] - q[1] * g[1] - q[2] * g[2] };
        for (int k = 0; k < 4; k++)
            q[k] = r[k];
    }
    *moments = cn_v3((float)a[0][0], (float)a[1][1], (float)a[2][2]);
    *rotation = cn_quat_normalize((cn_quat){ (float)q[0], (float)q[1], (float)q[2], (float)q[3] });
}
