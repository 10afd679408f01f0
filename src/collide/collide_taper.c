// Spheres, capsules and tapered capsules against tapered capsules, in closed form.
//
// Each is the union of the balls along its axis, with radii in proportion, so two of them are apart by the least of
// f(s, t) = |w| - r, where w leads from the ball at s of the one to that at t of the other, and r is the sum of their radii.
// Both change in proportion to s and t and f is convex, so its least value is where its gradient vanishes, or on the border.
// That holds for overlapping shapes too, as long as w is not zero: the direction of w is then that of least overlap.
#include "collide/minkowski.h"
#include "collide/pairs.h"
#include "shape/taper.h"

// An axis in the frame of a, with the radii at its ends.
typedef struct axis {
    cn_d3 ends[2], along;
    double radius[2], wider; // the difference of the radii
} axis;

typedef struct nearest {
    double s, t, distance, value; // |w|, and f
    cn_d3 normal;                 // from a to b
} nearest;

static axis axis_of(const cn_convex *shape, cn_pose pose)
{
    cn_taper taper = cn_taper_of(shape);
    cn_d3 up = cn_d3_from(cn_mat3_from_quat(pose.rotation).y), position = cn_d3_from(pose.position);
    axis x = { .radius = { taper.radius[0], taper.radius[1] }, .wider = taper.radius[1] - taper.radius[0] };
    for (int i = 0; i < 2; i++)
        x.ends[i] = cn_d3_madd(position, taper.y[i], up);
    x.along = cn_d3_sub(x.ends[1], x.ends[0]);
    return x;
}

static double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

// Where the ball of an axis nearest to point p is: the line to it stands upright on the side.
static double nearest_on(const axis *x, cn_d3 p)
{
    double length_sq = cn_d3_dot(x->along, x->along);
    if (!(length_sq > 0.0))
        return 0.0;
    cn_d3 to = cn_d3_sub(p, x->ends[0]);
    double foot = cn_d3_dot(to, x->along) / length_sq;
    cn_d3 out = cn_d3_madd(to, -foot, x->along);
    double room = length_sq - x->wider * x->wider; // above 0: no end contains the other
    return clamp01(foot + x->wider * sqrt(cn_d3_dot(out, out) / (length_sq * room)));
}

static nearest measure(const axis *a, const axis *b, double s, double t)
{
    cn_d3 w = cn_d3_sub(cn_d3_madd(b->ends[0], t, b->along), cn_d3_madd(a->ends[0], s, a->along));
    double distance = sqrt(cn_d3_dot(w, w)), radii = a->radius[0] + s * a->wider + b->radius[0] + t * b->wider;
    return (nearest){ s, t, distance, distance - radii, cn_d3_scale(distance > 0.0 ? 1.0 / distance : 0.0, w) };
}

// Where the gradient vanishes: both sides stand upright on the normal. False when that is beyond an end, or the axes are
// parallel.
static bool find_crossing(const axis *a, const axis *b, nearest *best)
{
    cn_d3 u = a->along, v = b->along, start = cn_d3_sub(b->ends[0], a->ends[0]), across = cn_d3_cross(u, v);
    double uu = cn_d3_dot(u, u), vv = cn_d3_dot(v, v), uv = cn_d3_dot(u, v), area_sq = cn_d3_dot(across, across);
    if (!(area_sq > 1e-10 * uu * vv))
        return false;
    // The part of the normal in the plane of both axes, lean = p u + q v, with lean.u = -a->wider and lean.v = b->wider.
    double p = (-a->wider * vv - b->wider * uv) / area_sq, q = (b->wider * uu + a->wider * uv) / area_sq;
    double lean_sq = -a->wider * p + b->wider * q, height = cn_d3_dot(across, start);
    if (!(lean_sq < 1.0))
        return false;
    double upright = sqrt((1.0 - lean_sq) / area_sq), side = height < 0.0 ? -upright : upright;
    double distance = side * height / (1.0 - lean_sq);
    // start - s u + t v = distance lean, in the plane
    cn_d3 rest = cn_d3_madd(cn_d3_madd(start, -distance * p, u), -distance * q, v);
    double ru = cn_d3_dot(rest, u), rv = cn_d3_dot(rest, v);
    double s = (ru * vv - rv * uv) / area_sq, t = (ru * uv - rv * uu) / area_sq;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0))
        return false;
    double radii = a->radius[0] + s * a->wider + b->radius[0] + t * b->wider;
    cn_d3 normal = cn_d3_madd(cn_d3_madd(cn_d3_scale(side, across), p, u), q, v);
    *best = (nearest){ s, t, distance, distance - radii, normal };
    return true;
}

static nearest find_on_border(const axis *a, const axis *b)
{
    nearest best = measure(a, b, 0.0, nearest_on(b, a->ends[0]));
    for (int i = 1; i < 4; i++) {
        int end = i & 1;
        nearest other = i < 2 ? measure(a, b, (double)end, nearest_on(b, a->ends[end]))
                              : measure(a, b, nearest_on(a, b->ends[end]), (double)end);
        if (other.value < best.value)
            best = other;
    }
    return best;
}

// Axes that meet without crossing are parted across them, between their thickest ends.
static nearest part_across(const axis *a, const axis *b)
{
    cn_d3 along = cn_d3_dot(b->along, b->along) > cn_d3_dot(a->along, a->along) ? b->along : a->along;
    bool upright = along.y * along.y > along.x * along.x + along.z * along.z;
    cn_d3 across = cn_d3_cross(along, upright ? cn_d3_make(1.0, 0.0, 0.0) : cn_d3_make(0.0, 1.0, 0.0));
    double length = sqrt(cn_d3_dot(across, across));
    int s = a->wider > 0.0, t = b->wider > 0.0;
    cn_d3 normal = length > 0.0 ? cn_d3_scale(1.0 / length, across) : cn_d3_make(0.0, 1.0, 0.0);
    return (nearest){ (double)s, (double)t, 0.0, -(a->radius[s] + b->radius[t]), normal };
}

static cn_vec3 surface_point(const axis *x, int end, cn_d3 normal, double sign)
{
    return cn_d3_float(cn_d3_madd(x->ends[end], sign * x->radius[end], normal));
}

void cn_collide_tapers(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                       cn_manifold *manifold)
{
    (void)cache;
    axis x = axis_of(a, (cn_pose)CN_POSE_IDENTITY), y = axis_of(b, b_in_a);
    nearest best;
    if (!find_crossing(&x, &y, &best)) {
        best = find_on_border(&x, &y);
        if (!(best.distance > 1e-7 * (x.radius[0] + y.radius[0])))
            best = part_across(&x, &y);
    }
    cn_d3 n = best.normal, on_a = cn_d3_madd(x.ends[0], best.s, x.along), on_b = cn_d3_madd(y.ends[0], best.t, y.along);
    on_a = cn_d3_madd(on_a, x.radius[0] + best.s * x.wider, n);
    on_b = cn_d3_madd(on_b, -(y.radius[0] + best.t * y.wider), n);
    cn_closest closest = { cn_d3_float(on_a), cn_d3_float(on_b), cn_d3_float(n), (float)best.value };
    cn_vec3 side_a[2], side_b[2];
    for (int i = 0; i < 2; i++) {
        side_a[i] = surface_point(&x, i, n, 1.0);
        side_b[i] = surface_point(&y, i, n, -1.0);
    }
    manifold->count = cn_segment_points(side_a, side_b, closest.normal, manifold->points);
    cn_finish_manifold(&closest, margin, 1e-3f * cn_minf(cn_convex_inner_radius(a), cn_convex_inner_radius(b)), manifold);
}
