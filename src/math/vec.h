// Vectors, quaternions, poses and small matrices. Everything is inline and uses only + - * / and sqrt, so that every compiler
// produces the same bits.
#ifndef CN_VEC_H
#define CN_VEC_H

#include "cairn/base.h"

#include <math.h>
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define CN_PI 3.14159265358979323846f

// As one instruction. WebAssembly has none for floats by themselves that means just this, only for four of them, and engines turn a
// choice between floats into a branch.
#if defined(__wasm_simd128__)
static inline float cn_minf(float a, float b)
{
    return wasm_f32x4_extract_lane(wasm_f32x4_pmin(wasm_f32x4_splat(b), wasm_f32x4_splat(a)), 0);
}
static inline float cn_maxf(float a, float b)
{
    return wasm_f32x4_extract_lane(wasm_f32x4_pmax(wasm_f32x4_splat(b), wasm_f32x4_splat(a)), 0);
}
#else
static inline float cn_minf(float a, float b) { return a < b ? a : b; }
static inline float cn_maxf(float a, float b) { return a > b ? a : b; }
#endif
static inline float cn_clampf(float x, float low, float high) { return cn_minf(cn_maxf(x, low), high); }
static inline float cn_absf(float x) { return fabsf(x); }

static inline cn_vec3 cn_v3(float x, float y, float z) { return (cn_vec3){ x, y, z }; }
static inline cn_vec3 cn_add(cn_vec3 a, cn_vec3 b) { return cn_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline cn_vec3 cn_sub(cn_vec3 a, cn_vec3 b) { return cn_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline cn_vec3 cn_neg(cn_vec3 a) { return cn_v3(-a.x, -a.y, -a.z); }
static inline cn_vec3 cn_scale(float s, cn_vec3 a) { return cn_v3(s * a.x, s * a.y, s * a.z); }
static inline cn_vec3 cn_mul(cn_vec3 a, cn_vec3 b) { return cn_v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline cn_vec3 cn_madd(cn_vec3 a, float s, cn_vec3 b) { return cn_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline cn_vec3 cn_lerp(cn_vec3 a, cn_vec3 b, float t) { return cn_madd(a, t, cn_sub(b, a)); }
static inline cn_vec3 cn_abs3(cn_vec3 a) { return cn_v3(cn_absf(a.x), cn_absf(a.y), cn_absf(a.z)); }
static inline cn_vec3 cn_min3(cn_vec3 a, cn_vec3 b) { return cn_v3(cn_minf(a.x, b.x), cn_minf(a.y, b.y), cn_minf(a.z, b.z)); }
static inline cn_vec3 cn_max3(cn_vec3 a, cn_vec3 b) { return cn_v3(cn_maxf(a.x, b.x), cn_maxf(a.y, b.y), cn_maxf(a.z, b.z)); }
static inline float cn_dot(cn_vec3 a, cn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline float cn_length_sq(cn_vec3 a) { return cn_dot(a, a); }
static inline float cn_length(cn_vec3 a) { return sqrtf(cn_dot(a, a)); }
// Of forces: their squares may leave the range of float.
static inline float cn_length_of_any(cn_vec3 a)
{
    double x = (double)a.x, y = (double)a.y, z = (double)a.z;
    return (float)sqrt(x * x + y * y + z * z);
}
static inline float cn_distance(cn_vec3 a, cn_vec3 b) { return cn_length(cn_sub(a, b)); }
static inline cn_vec3 cn_cross(cn_vec3 a, cn_vec3 b)
{
    return cn_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// Zero stays zero.
static inline cn_vec3 cn_normalize(cn_vec3 a)
{
    float length = cn_length(a);
    return length > 0.0f ? cn_scale(1.0f / length, a) : a;
}
// The vector, or one of length `limit` (above 0) along it where it is longer.
static inline cn_vec3 cn_limit_length(cn_vec3 v, float limit)
{
    if (!(cn_length_sq(v) > limit * limit))
        return v;
    float largest = cn_maxf(cn_absf(v.x), cn_maxf(cn_absf(v.y), cn_absf(v.z))); // squares may leave the range of float
    return cn_scale(limit, cn_normalize(cn_scale(1.0f / largest, v)));
}
// Some unit vector at right angles to the unit vector n.
static inline cn_vec3 cn_perpendicular(cn_vec3 n)
{
    cn_vec3 axis = cn_absf(n.x) < 0.57735027f ? cn_v3(1.0f, 0.0f, 0.0f) : cn_v3(0.0f, 1.0f, 0.0f);
    return cn_normalize(cn_cross(n, axis));
}
static inline float cn_component(cn_vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static inline cn_pos3 cn_p3(double x, double y, double z) { return (cn_pos3){ x, y, z }; }
static inline cn_pos3 cn_pos_add(cn_pos3 p, cn_vec3 v) { return cn_p3(p.x + (double)v.x, p.y + (double)v.y, p.z + (double)v.z); }
static inline cn_vec3 cn_pos_sub(cn_pos3 a, cn_pos3 b)
{
    return cn_v3((float)(a.x - b.x), (float)(a.y - b.y), (float)(a.z - b.z));
}

static inline cn_quat cn_quat_identity(void) { return (cn_quat)CN_QUAT_IDENTITY; }
static inline cn_quat cn_quat_conj(cn_quat q) { return (cn_quat){ -q.x, -q.y, -q.z, q.w }; }
static inline cn_quat cn_quat_mul(cn_quat a, cn_quat b)
{
    return (cn_quat){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}
static inline cn_quat cn_quat_normalize(cn_quat q)
{
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0.0f))
        return cn_quat_identity();
    float s = 1.0f / length;
    return (cn_quat){ s * q.x, s * q.y, s * q.z, s * q.w };
}
static inline cn_vec3 cn_rotate(cn_quat q, cn_vec3 v)
{
    cn_vec3 u = { q.x, q.y, q.z };
    cn_vec3 t = cn_scale(2.0f, cn_cross(u, v));
    return cn_add(cn_madd(v, q.w, t), cn_cross(u, t));
}
static inline cn_vec3 cn_unrotate(cn_quat q, cn_vec3 v) { return cn_rotate(cn_quat_conj(q), v); }
// Sine and cosine to about 1e-7, from + and * alone; those of 0 for |x| above 1e9, where floats are further apart than a turn.
void cn_sin_cos(float x, float *sine, float *cosine);
// The angle of the point (x, y) from the x axis, within +-pi and to 1e-15; 0 at the origin.
double cn_atan2(double y, double x);
// The rotation about `rotation` by its length, in radians (the exponential map).
cn_quat cn_quat_exp(cn_vec3 rotation);
// The inverse: the shortest turn, of length up to pi, that makes the unit quaternion q.
cn_vec3 cn_quat_log(cn_quat q);
// Of all the turns that make q and differ by whole turns about its axis, the one nearest to what is expected.
cn_vec3 cn_quat_log_near(cn_quat q, cn_vec3 expected);
static inline cn_quat cn_quat_axis_angle(cn_vec3 unit_axis, float angle) { return cn_quat_exp(cn_scale(angle, unit_axis)); }

// Frames: `pose` takes a point of its own frame to the frame it is given in.
static inline cn_vec3 cn_pose_point(cn_pose pose, cn_vec3 p) { return cn_add(pose.position, cn_rotate(pose.rotation, p)); }
static inline cn_vec3 cn_pose_unpoint(cn_pose pose, cn_vec3 p) { return cn_unrotate(pose.rotation, cn_sub(p, pose.position)); }
static inline cn_pose cn_pose_mul(cn_pose a, cn_pose b)
{
    return (cn_pose){ cn_pose_point(a, b.position), cn_quat_mul(a.rotation, b.rotation) };
}
static inline cn_pose cn_pose_inverse(cn_pose a)
{
    cn_quat q = cn_quat_conj(a.rotation);
    return (cn_pose){ cn_neg(cn_rotate(q, a.position)), q };
}
// An upper bound on how far any point within `extent` of the frame's origin moves when the frame does.
static inline float cn_pose_motion(const cn_pose *from, const cn_pose *to, float extent)
{
    cn_quat p = from->rotation, q = to->rotation;
    float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f ? -1.0f : 1.0f;
    float x = q.x - sign * p.x, y = q.y - sign * p.y, z = q.z - sign * p.z, w = q.w - sign * p.w;
    return cn_distance(from->position, to->position) + 2.0f * sqrtf(x * x + y * y + z * z + w * w) * extent;
}

// Columns of a rotation.
typedef struct cn_mat3 { cn_vec3 x, y, z; } cn_mat3;
static inline cn_mat3 cn_mat3_from_quat(cn_quat q)
{
    float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, xw = q.x * q.w, yw = q.y * q.w, zw = q.z * q.w;
    return (cn_mat3){ { 1.0f - 2.0f * (yy + zz), 2.0f * (xy + zw), 2.0f * (xz - yw) },
                      { 2.0f * (xy - zw), 1.0f - 2.0f * (xx + zz), 2.0f * (yz + xw) },
                      { 2.0f * (xz + yw), 2.0f * (yz - xw), 1.0f - 2.0f * (xx + yy) } };
}
static inline cn_vec3 cn_mat3_mul(const cn_mat3 *m, cn_vec3 v)
{
    return cn_v3(m->x.x * v.x + m->y.x * v.y + m->z.x * v.z, m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                 m->x.z * v.x + m->y.z * v.y + m->z.z * v.z);
}
static inline cn_vec3 cn_mat3_tmul(const cn_mat3 *m, cn_vec3 v) { return cn_v3(cn_dot(m->x, v), cn_dot(m->y, v), cn_dot(m->z, v)); }

static inline cn_vec3 cn_sym3_mul(cn_sym3 s, cn_vec3 v)
{
    return cn_v3(s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                 s.xz * v.x + s.yz * v.y + s.zz * v.z);
}
static inline cn_sym3 cn_sym3_add(cn_sym3 a, cn_sym3 b)
{
    return (cn_sym3){ a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz };
}
cn_sym3 cn_sym3_inverse(cn_sym3 s);                 // zero when singular
cn_sym3 cn_sym3_rotate(cn_sym3 s, cn_quat q);       // R s R'
// Principal axes: s = R diag(moments) R' with R = rotation (Jacobi).
void cn_sym3_principal(cn_sym3 s, cn_vec3 *moments, cn_quat *rotation);

#endif
