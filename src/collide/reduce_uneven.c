// Of points that lie in no plane a solid that rocks meets one after the other: those that come down next are needed, however
// little area they span. A point that is missing is met too late, and pushed out again, for ever.
#include "collide/sat.h"

// Heights that differ by less than this part of the extent differ by noise only.
#define NOISE_PART 1e-4f
// And those by less than this part of the largest difference.
#define ROUGH_PART 0.1f
// A triangle of this part of the square of its longest side counts as a line.
#define FLAT_PART 1e-3f
// A point must be so much better than those before it: small changes do not alter the choice.
#define BETTER 1.005f

typedef struct uneven_points {
    float u[CN_MAX_CLIP_POINTS], v[CN_MAX_CLIP_POINTS], separations[CN_MAX_CLIP_POINTS];
    int count;
    float noise;
} uneven_points;

static float extent_of(const float *x, int count)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        low = cn_minf(x[i], low);
        high = cn_maxf(x[i], high);
    }
    return high - low;
}

static void flatten(const cn_clip_point *points, int count, cn_vec3 normal, uneven_points *p)
{
    cn_vec3 axis_u = cn_perpendicular(normal), axis_v = cn_cross(normal, axis_u);
    p->count = count < CN_MAX_CLIP_POINTS ? count : CN_MAX_CLIP_POINTS;
    for (int i = 0; i < p->count; i++) {
        p->u[i] = cn_dot(axis_u, points[i].position);
        p->v[i] = cn_dot(axis_v, points[i].position);
        p->separations[i] = points[i].separation;
    }
    p->noise = NOISE_PART * cn_maxf(extent_of(p->u, p->count), extent_of(p->v, p->count));
}

// Whether one of them is farther from the plane through three of them than noise may take it. What leans on a plane does so
// with all of its points, and the roughness of that plane is nothing beside it.
static bool is_uneven(const uneven_points *p, const int corners[3])
{
    const float *u = p->u, *v = p->v, *s = p->separations;
    int a = corners[0], b = corners[1], c = corners[2];
    float ub = u[b] - u[a], vb = v[b] - v[a], uc = u[c] - u[a], vc = v[c] - v[a], area = ub * vc - vb * uc;
    float slope_u = ((s[b] - s[a]) * vc - (s[c] - s[a]) * vb) / area;
    float slope_v = ((s[c] - s[a]) * ub - (s[b] - s[a]) * uc) / area;
    float least = cn_maxf(p->noise, ROUGH_PART * extent_of(s, p->count));
    bool uneven = false;
    for (int i = 0; i < p->count; i++)
        uneven |= cn_absf(s[i] - s[a] - slope_u * (u[i] - u[a]) - slope_v * (v[i] - v[a])) > least;
    return uneven;
}

// The first that is the largest but for noise.
static int largest_of(const float *gains, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = gains[i] > BETTER * gains[best] ? i : best;
    return best;
}

// How much a point counts that hangs so high over where it would touch.
static float nearness(const uneven_points *p, float height) { return p->noise / (p->noise + cn_maxf(height, 0.0f)); }

// From a on: b is what comes down first when the solid turns about a, c and d are what comes down first when it turns about ab
// to either side, corners of the two faces of the lower convex hull that meet there. Of what touches already the farthest
// counts most.
static int choose(const uneven_points *p, int a, int chosen[4])
{
    const float *u = p->u, *v = p->v, *s = p->separations;
    float gains[CN_MAX_CLIP_POINTS], ab[CN_MAX_CLIP_POINTS], near[CN_MAX_CLIP_POINTS];
    for (int i = 0; i < p->count; i++) {
        float part = nearness(p, s[i] - s[a]), du = u[i] - u[a], dv = v[i] - v[a];
        gains[i] = part * part * (du * du + dv * dv);
    }
    int b = largest_of(gains, p->count);
    float ub = u[b] - u[a], vb = v[b] - v[a], length_sq = ub * ub + vb * vb, flat = FLAT_PART * length_sq;
    for (int i = 0; i < p->count; i++) {
        float along = (ub * (u[i] - u[a]) + vb * (v[i] - v[a])) / length_sq;
        near[i] = nearness(p, s[i] - s[a] - along * (s[b] - s[a]));
        ab[i] = ub * (v[i] - v[a]) - vb * (u[i] - u[a]);
        gains[i] = cn_absf(ab[i]) > flat ? near[i] * cn_absf(ab[i]) : 0.0f;
    }
    int c = largest_of(gains, p->count);
    chosen[0] = a;
    chosen[1] = b;
    chosen[2] = c;
    if (!(gains[c] > 0.0f))
        return 2;
    // Beyond the other two sides of the triangle a point counts as far as c touches.
    float outward = ab[c] < 0.0f ? 1.0f : -1.0f, uc = u[c] - u[a], vc = v[c] - v[a];
    for (int i = 0; i < p->count; i++) {
        float ca = vc * (u[i] - u[a]) - uc * (v[i] - v[a]), bc = ab[c] - ab[i] - ca; // the three areas add up to the whole
        float beyond_ab = ab[i] * outward, beyond_c = cn_maxf(bc * outward, ca * outward);
        gains[i] = cn_maxf(beyond_ab, beyond_c) > flat ? near[i] * cn_maxf(beyond_ab, near[c] * beyond_c) : 0.0f;
    }
    chosen[3] = largest_of(gains, p->count);
    return gains[chosen[3]] > 0.0f ? 4 : 3;
}

int cn_reduce_uneven(cn_clip_point *points, int count, cn_vec3 normal)
{
    uneven_points p;
    int chosen[4];
    flatten(points, count, normal, &p);
    if (cn_reduce_flat(p.u, p.v, p.separations, p.count, chosen) < 3 || !is_uneven(&p, chosen))
        return 0;
    int kept = choose(&p, chosen[0], chosen);
    cn_keep_points(points, chosen, kept);
    return kept;
}
