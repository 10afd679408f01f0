// Many contacts with the parts of one shape become few manifolds: those that agree are joined.
#include "collide/part_join.h"

enum { POOL = 32, MAX_GROUPS = CN_MAX_MANIFOLDS + 1 }; // one more, for the moment before two are joined

// Contacts along normals that differ by less are one: the cosine of a degree.
#define SAME_SIDE 0.99985f
// Points that hang over the surface by less than this many merging distances touch it.
#define SLOP 4.0f

typedef struct group {
    cn_vec3 normal; // of its deepest contact
    float deepest;
    int material;
    int count;
    cn_clip_point points[POOL];
    cn_vec3 smooth; // sum of the normals of smooth triangles, once for each of their points
} group;

// The same in every step for the same part and feature, and different for others but for one chance in billions.
static uint32_t mix_feature(int32_t part, uint32_t feature)
{
    uint32_t x = feature * 0x85ebca6bu ^ ((uint32_t)part + 1u) * 0x9e3779b1u;
    x = (x ^ x >> 16) * 0x7feb352du;
    return x ^ x >> 15;
}

// --- corners -----------------------------------------------------------------------------------------------------------------

// Twice the area of the triangle of three points, seen along the axis that the normal is nearest to.
static float turn_of(const cn_vec3 *a, const cn_vec3 *b, const cn_vec3 *c, int axis)
{
    cn_vec3 area = cn_cross(cn_sub(*b, *a), cn_sub(*c, *a));
    return cn_component(area, axis);
}

static bool comes_before(const cn_vec3 *a, const cn_vec3 *b, int axis)
{
    float au = axis == 0 ? a->y : a->x, bu = axis == 0 ? b->y : b->x, av = axis == 2 ? a->y : a->z,
          bv = axis == 2 ? b->y : b->z;
    return au < bu || (au == bu && av < bv);
}

// Half of the convex hull (Andrew 1979), from the first to the last of the sorted points or back. Points less than a
// thousandth of a side off it do not count as corners.
static int walk_hull(const cn_clip_point *points, int count, bool back, int axis, int *corners)
{
    float sign = back ? -1.0f : 1.0f;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const cn_vec3 *p = &points[i].position;
        for (; kept >= 2; kept--) {
            const cn_vec3 *a = &points[corners[kept - 2]].position, *b = &points[corners[kept - 1]].position;
            float side = cn_length_sq(cn_sub(*p, *a));
            if (sign * turn_of(a, b, p, axis) > 1e-3f * side)
                break;
        }
        corners[kept++] = i;
    }
    return kept;
}

// Brings the points into the order in which their hull is walked, along two axes across the one that the normal is nearest to.
static int sort_points(cn_clip_point *points, int count, cn_vec3 normal)
{
    cn_vec3 n = cn_abs3(normal);
    int axis = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
    for (int i = 1; i < count; i++) {
        cn_clip_point point = points[i];
        int k = i;
        for (; k > 0 && comes_before(&point.position, &points[k - 1].position, axis); k--)
            points[k] = points[k - 1];
        points[k] = point;
    }
    return axis;
}

static int deepest_point(const cn_clip_point *points, int count)
{
    int deepest = 0;
    for (int i = 1; i < count; i++)
        deepest = points[i].separation < points[deepest].separation ? i : deepest;
    return deepest;
}

// Leaves the corners of the area that the points span, and the deepest point. Many points lie where the sides of b cross the
// edges of triangles; they add nothing, but could be chosen.
static int keep_corners(cn_clip_point *points, int count, cn_vec3 normal)
{
    int axis = sort_points(points, count, normal), corners[POOL], kept = 0;
    bool keep[POOL] = { false };
    for (int back = 0; back < 2; back++)
        for (int i = walk_hull(points, count, back, axis, corners) - 1; i >= 0; i--)
            keep[corners[i]] = true;
    keep[deepest_point(points, count)] = true;
    for (int i = 0; i < count; i++)
        if (keep[i])
            points[kept++] = points[i];
    return kept;
}

// --- which points stay -------------------------------------------------------------------------------------------------------

// What touches comes first: a point that hangs over the surface is no match for one that carries weight, however far apart the
// points it would span lie.
static int put_touching_first(group *g, float slop)
{
    float height = cn_maxf(g->points[deepest_point(g->points, g->count)].separation, 0.0f) + slop;
    int touching = 0;
    for (int i = 0; i < g->count; i++) {
        if (!(g->points[i].separation <= height))
            continue;
        cn_clip_point point = g->points[i];
        g->points[i] = g->points[touching];
        g->points[touching++] = point;
    }
    return touching;
}

// How much a point adds to those that are kept: its distance from the nearest of them, less twice its height over the deepest. b
// must turn by their ratio before it touches there; corners far above the surface wait until others have come down.
static float gain_of(const cn_clip_point *point, const cn_clip_point *kept, int count, float lowest)
{
    float nearest = INFINITY;
    for (int k = 0; k < count; k++)
        nearest = cn_minf(nearest, cn_length_sq(cn_sub(point->position, kept[k].position)));
    return sqrtf(nearest) - 2.0f * (point->separation - lowest);
}

// Fills up with the points that add the most to those that are kept, which come first.
static void add_farthest(group *g, int kept, int from)
{
    float lowest = g->points[deepest_point(g->points, g->count)].separation;
    for (int i = from; i < g->count; i++)
        g->points[kept + i - from] = g->points[i];
    g->count -= from - kept;
    for (; kept < CN_MAX_POINTS && kept < g->count; kept++) {
        int farthest = kept;
        float most = -INFINITY;
        for (int i = kept; i < g->count; i++) {
            float gain = gain_of(&g->points[i], g->points, kept, lowest);
            if (gain > most) {
                most = gain;
                farthest = i;
            }
        }
        cn_clip_point point = g->points[farthest];
        g->points[farthest] = g->points[kept];
        g->points[kept] = point;
    }
    g->count = kept;
}

// Leaves at most four points: the corners of the area that those which touch span, then others.
static void reduce_group(group *g, float slop)
{
    int uneven = cn_reduce_uneven(g->points, g->count, g->normal);
    if (uneven > 0) {
        g->count = uneven;
        return;
    }
    int touching = put_touching_first(g, slop);
    int kept = touching;
    if (touching > 2) {
        kept = keep_corners(g->points, touching, g->normal);
        kept = cn_reduce_points(g->points, kept, g->normal);
    }
    add_farthest(g, kept, touching);
}

static void add_point(group *g, cn_clip_point point, float merge)
{
    for (int i = 0; i < g->count; i++)
        if (cn_length_sq(cn_sub(g->points[i].position, point.position)) <= merge * merge) {
            if (point.separation < g->points[i].separation)
                g->points[i] = point;
            return;
        }
    if (g->count == POOL)
        g->count = keep_corners(g->points, g->count, g->normal);
    if (g->count == POOL)
        reduce_group(g, SLOP * merge);
    g->points[g->count++] = point;
}

// --- groups ------------------------------------------------------------------------------------------------------------------

static void turn_group(group *g, cn_vec3 normal)
{
    float cosine = cn_dot(g->normal, normal);
    for (int i = 0; i < g->count; i++)
        g->points[i].separation *= cosine;
    g->normal = normal;
}

static void start_group(group *g, const cn_part_contact *contact, int material)
{
    g->normal = contact->patch.normal;
    g->deepest = INFINITY;
    g->material = material;
    g->count = 0;
    g->smooth = cn_v3(0.0f, 0.0f, 0.0f);
}

static void add_to_group(group *g, const cn_part_contact *contact, const cn_part *part, float merge)
{
    const cn_cluster *m = &contact->patch;
    float deepest = cn_deepest_separation(m);
    if (part->is_triangle && part->triangle.smooth)
        g->smooth = cn_madd(g->smooth, (float)m->count, m->normal);
    if (deepest < g->deepest) {
        turn_group(g, m->normal);
        g->deepest = deepest;
    }
    float cosine = cn_dot(g->normal, m->normal);
    for (int i = 0; i < m->count; i++) {
        uint32_t feature = mix_feature(contact->number, m->points[i].feature);
        // Not scaled by a cosine that rounding keeps from being 1.
        float separation = m->points[i].separation * (cosine > 0.999999f ? 1.0f : cosine);
        add_point(g, (cn_clip_point){ m->points[i].position, separation, feature }, merge);
    }
}

// The deepest point of `points` stays among the four that are left, whatever the area.
static void reduce_keeping(group *g, uint32_t feature, float slop)
{
    cn_clip_point kept = { 0 };
    bool found = false;
    for (int i = 0; i < g->count; i++)
        if (g->points[i].feature == feature) {
            kept = g->points[i];
            found = true;
        }
    reduce_group(g, slop);
    for (int i = 0; i < g->count && found; i++)
        found = g->points[i].feature != feature;
    if (found)
        g->points[g->count < CN_MAX_POINTS ? g->count++ : g->count - 1] = kept;
}

// Joins the two groups whose normals are closest, of the same material if there are such. The deeper one says where to.
static int join_closest(group *groups, int count, float merge)
{
    int into = 0, from = 1;
    float closest = -INFINITY;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            float likeness =
                cn_dot(groups[i].normal, groups[j].normal) - (groups[i].material == groups[j].material ? 0.0f : 4.0f);
            if (likeness > closest) {
                closest = likeness;
                into = i;
                from = j;
            }
        }
    group *g = &groups[into], *other = &groups[from];
    bool other_deeper = other->deepest < g->deepest;
    const group *shallower = other_deeper ? g : other;
    uint32_t feature = shallower->points[deepest_point(shallower->points, shallower->count)].feature;
    cn_vec3 normal = other_deeper ? other->normal : g->normal;
    turn_group(g, normal);
    turn_group(other, normal);
    g->material = other_deeper ? other->material : g->material;
    g->deepest = cn_minf(g->deepest, other->deepest);
    reduce_group(other, SLOP * merge);
    for (int i = 0; i < other->count; i++)
        add_point(g, other->points[i], merge);
    reduce_keeping(g, feature, SLOP * merge);
    for (int i = from; i + 1 < count; i++)
        groups[i] = groups[i + 1];
    return count - 1;
}

static void write_group(group *g, float slop, cn_part_manifold *out)
{
    if (g->count > CN_MAX_POINTS)
        reduce_group(g, slop);
    // A smooth surface is not that of the deepest triangle alone, which would change from step to step.
    out->manifold.normal = cn_length_sq(g->smooth) > 0.0f ? cn_normalize(g->smooth) : g->normal;
    out->manifold.gap = 0.0f;
    out->manifold.count = g->count;
    out->material = g->material;
    for (int i = 0; i < out->manifold.count; i++)
        out->manifold.points[i] = (cn_manifold_point){ g->points[i].position, g->points[i].separation, g->points[i].feature };
}

int cn_join_contacts(const cn_part_contact *contacts, int count, const cn_part *parts, float merge, cn_part_manifold *manifolds)
{
    group groups[MAX_GROUPS];
    int group_count = 0;
    for (int i = 0; i < count; i++) {
        const cn_part_contact *contact = &contacts[i];
        const cn_part *part = &parts[contact->index];
        cn_vec3 normal = contact->patch.normal;
        int g = 0;
        if (contact->dropped)
            continue;
        while (g < group_count && !(groups[g].material == part->material && cn_dot(groups[g].normal, normal) > SAME_SIDE))
            g++;
        if (g == group_count)
            start_group(&groups[group_count++], contact, part->material);
        add_to_group(&groups[g], contact, part, merge);
        if (group_count == MAX_GROUPS)
            group_count = join_closest(groups, group_count, merge);
    }
    for (int g = 0; g < group_count; g++)
        write_group(&groups[g], SLOP * merge, &manifolds[g]);
    return group_count;
}
