// Support functions of cores and of their Minkowski difference.
#include "collide/minkowski.h"

#include "shape/taper.h"

// A point of a cylinder's rim is named by 1 bit for the cap, 2 for the quadrant and 13 for the place in it, measured along
// the chord. Decoding gives a point on the rim within 1e-4 radians of the one encoded.
enum { RIM_STEPS = 8192, TOP_BIT = 0x8000 };

static uint16_t rim_encode(double x, double z, bool top)
{
    double ax = x < 0.0 ? -x : x, az = z < 0.0 ? -z : z, sum = ax + az;
    bool odd = (x > 0.0) != (z >= 0.0);
    int quadrant = z >= 0.0 ? (x > 0.0 ? 0 : 1) : (x > 0.0 ? 3 : 2);
    double fraction = sum > 0.0 ? (odd ? ax : az) / sum : 0.0;
    int step = fraction < 1.0 ? (int)(fraction * RIM_STEPS) : RIM_STEPS - 1;
    return (uint16_t)((top ? TOP_BIT : 0) | quadrant * RIM_STEPS | step);
}

static cn_d3 rim_decode(const cn_convex *shape, uint16_t id)
{
    double f = ((double)(id & (RIM_STEPS - 1)) + 0.5) / RIM_STEPS, g = 1.0 - f;
    int quadrant = (id / RIM_STEPS) & 3;
    double s = (double)shape->radius / sqrt(f * f + g * g);
    double height = (double)(id & TOP_BIT ? shape->half_height : -shape->half_height);
    switch (quadrant) {
    case 0: return cn_d3_make(s * g, height, s * f);
    case 1: return cn_d3_make(-s * f, height, s * g);
    case 2: return cn_d3_make(-s * g, height, -s * f);
    default: return cn_d3_make(s * f, height, -s * g);
    }
}

// The core of a tapered capsule has a ball at its thicker end only. Points on that have the highest bit set and are named by
// their direction, folded into a square of 128 by 256 cells; the centres of both ends are 0 and 1.
enum { BALL_BIT = 0x8000, CELLS_X = 128, CELLS_Z = 256 };

static double size_of(double x) { return x < 0.0 ? -x : x; }

// Swaps the outer corners of the square, where the lower half of the ball lies, and the inner ones.
static void fold(double *x, double *z)
{
    double a = size_of(*x), b = size_of(*z);
    *x = *x < 0.0 ? b - 1.0 : 1.0 - b;
    *z = *z < 0.0 ? a - 1.0 : 1.0 - a;
}

static uint16_t ball_encode(cn_d3 d)
{
    double sum = size_of(d.x) + size_of(d.y) + size_of(d.z), x = d.x / sum, z = d.z / sum;
    if (!(sum > 0.0 && sum < (double)INFINITY)) // no direction: any point will do
        return BALL_BIT;
    if (d.y < 0.0)
        fold(&x, &z);
    int i = (int)((x + 1.0) * (0.5 * CELLS_X)), k = (int)((z + 1.0) * (0.5 * CELLS_Z));
    i = i < 0 ? 0 : i >= CELLS_X ? CELLS_X - 1 : i;
    k = k < 0 ? 0 : k >= CELLS_Z ? CELLS_Z - 1 : k;
    return (uint16_t)(BALL_BIT | i * CELLS_Z | k);
}

static cn_d3 ball_decode(uint16_t id)
{
    int i = (id & ~BALL_BIT) / CELLS_Z, k = id % CELLS_Z;
    double x = ((double)i + 0.5) / (0.5 * CELLS_X) - 1.0, z = ((double)k + 0.5) / (0.5 * CELLS_Z) - 1.0;
    double y = 1.0 - size_of(x) - size_of(z);
    if (y < 0.0)
        fold(&x, &z);
    return cn_d3_scale(1.0 / sqrt(x * x + y * y + z * z), cn_d3_make(x, y, z));
}

static cn_d3 taper_point(const cn_convex *shape, uint16_t id)
{
    cn_taper taper = cn_taper_of(shape);
    if (!(id & BALL_BIT))
        return cn_d3_make(0.0, taper.y[id & 1], 0.0);
    int end = taper.radius[1] > taper.radius[0];
    double radius = taper.radius[end] - (double)cn_taper_skin(shape);
    return cn_d3_madd(cn_d3_make(0.0, taper.y[end], 0.0), radius, ball_decode(id));
}

static cn_d3 taper_support(const cn_convex *shape, cn_d3 d, uint16_t *id)
{
    cn_taper taper = cn_taper_of(shape);
    double length = sqrt(cn_d3_dot(d, d)), skin = (double)cn_taper_skin(shape);
    double low = taper.y[0] * d.y + (taper.radius[0] - skin) * length;
    double high = taper.y[1] * d.y + (taper.radius[1] - skin) * length;
    int end = high > low;
    double radius = taper.radius[end] - skin;
    *id = radius > 0.0 && length > 0.0 ? ball_encode(d) : (uint16_t)end;
    return cn_d3_madd(cn_d3_make(0.0, taper.y[end], 0.0), length > 0.0 ? radius / length : 0.0, d);
}

static uint16_t hull_support(const cn_polyhedron *hull, cn_d3 direction)
{
    // Scaled so that float neither overflows nor vanishes.
    double size = cn_d3_norm_max(direction);
    cn_vec3 d = cn_d3_float(cn_d3_scale(size > 0.0 ? 1.0 / size : 0.0, direction));
    return (uint16_t)cn_polyhedron_support(hull, d);
}

// The point of a core that `id` names; any id gives a point of the core.
static cn_d3 core_point(const cn_convex *shape, uint16_t id)
{
    switch (shape->type) {
    case CN_CAPSULE: return cn_d3_make(0.0, (double)(id & 1 ? shape->half_height : -shape->half_height), 0.0);
    case CN_BOX: {
        cn_vec3 h = shape->half_extents;
        return cn_d3_make((double)(id & 1 ? h.x : -h.x), (double)(id & 2 ? h.y : -h.y), (double)(id & 4 ? h.z : -h.z));
    }
    case CN_CYLINDER: return rim_decode(shape, id);
    case CN_TAPERED_CAPSULE: return taper_point(shape, id);
    case CN_HULL: return cn_d3_from(shape->hull->vertices[id < shape->hull->vertex_count ? id : 0]);
    case CN_TRIANGLE: return cn_d3_from(shape->triangle[id < 3 ? id : 0]);
    default: return cn_d3_make(0.0, 0.0, 0.0);
    }
}

static uint16_t triangle_support(const cn_vec3 *triangle, cn_d3 d)
{
    double a = cn_d3_dot(cn_d3_from(triangle[0]), d), b = cn_d3_dot(cn_d3_from(triangle[1]), d),
           c = cn_d3_dot(cn_d3_from(triangle[2]), d);
    return a >= b && a >= c ? 0 : b >= c ? 1 : 2;
}

static cn_d3 core_support(const cn_convex *shape, cn_d3 d, uint16_t *id)
{
    switch (shape->type) {
    case CN_CAPSULE: *id = d.y > 0.0; break;
    case CN_BOX: *id = (uint16_t)((d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2); break;
    case CN_CYLINDER: {
        double length = sqrt(d.x * d.x + d.z * d.z);
        double s = length > 0.0 ? (double)shape->radius / length : 0.0;
        cn_d3 rim = { s * d.x, (double)(d.y > 0.0 ? shape->half_height : -shape->half_height), s * d.z };
        *id = rim_encode(rim.x, rim.z, d.y > 0.0);
        return length > 0.0 ? rim : core_point(shape, *id);
    }
    case CN_TAPERED_CAPSULE: return taper_support(shape, d, id);
    case CN_HULL: *id = hull_support(shape->hull, d); break;
    case CN_TRIANGLE: *id = triangle_support(shape->triangle, d); break;
    default: *id = 0; break;
    }
    return core_point(shape, *id);
}

cn_minkowski cn_minkowski_make(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    cn_mat3 r = cn_mat3_from_quat(b_in_a.rotation);
    return (cn_minkowski){ a, b, cn_d3_from(b_in_a.position), cn_d3_from(r.x), cn_d3_from(r.y), cn_d3_from(r.z) };
}

static cn_minkowski_vertex make_vertex(const cn_minkowski *m, cn_d3 a, cn_d3 local_b, uint16_t id_a, uint16_t id_b)
{
    cn_d3 b = cn_d3_madd(cn_d3_madd(cn_d3_madd(m->position, local_b.x, m->x), local_b.y, m->y), local_b.z, m->z);
    return (cn_minkowski_vertex){ cn_d3_sub(a, b), a, b, id_a, id_b };
}

cn_minkowski_vertex cn_minkowski_support(const cn_minkowski *m, cn_d3 d)
{
    uint16_t id_a, id_b;
    cn_d3 a = core_support(m->a, d, &id_a);
    cn_d3 d_in_b = { -cn_d3_dot(m->x, d), -cn_d3_dot(m->y, d), -cn_d3_dot(m->z, d) };
    cn_d3 b = core_support(m->b, d_in_b, &id_b);
    return make_vertex(m, a, b, id_a, id_b);
}

cn_minkowski_vertex cn_minkowski_vertex_of(const cn_minkowski *m, uint16_t id_a, uint16_t id_b)
{
    return make_vertex(m, core_point(m->a, id_a), core_point(m->b, id_b), id_a, id_b);
}
