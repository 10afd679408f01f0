// Many contacts with the parts of one shape become few manifolds: those that say nothing new are dropped, those that agree
// joined.
#include "collide/part_join.h"

#include <stdlib.h>

// Points that hang over the surface by less than this many merging distances touch it.
#define SLOP 4.0f

// --- contacts that others explain --------------------------------------------------------------------------------------------

enum { MAX_WAYS = 32 };
#define SAME_WAY 0.99f // cosine

// A way out that has been found good: moving b by `depth` along `normal`.
typedef struct way_out {
    cn_vec3 normal;
    float depth;
    float lowest;        // where b begins along the normal
    const cn_part *part; // that is this deep
} way_out;

typedef struct ranked {
    float depth;
    int index;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->index - b->index;
}

static float deepest_separation(const cn_cluster *patch)
{
    float least = INFINITY;
    for (int i = 0; i < patch->count; i++)
        least = cn_minf(least, patch->points[i].separation);
    return least;
}

// How far the part reaches along a direction.
static float part_reach(const cn_part *part, cn_vec3 direction)
{
    if (part->is_triangle) {
        const cn_vec3 *v = part->triangle.vertices;
        return cn_maxf(cn_dot(direction, v[0]), cn_maxf(cn_dot(direction, v[1]), cn_dot(direction, v[2])));
    }
    cn_vec3 local = cn_unrotate(part->pose.rotation, direction);
    return cn_dot(direction, cn_pose_point(part->pose, cn_convex_support(&part->solid, local)));
}

static float lowest_along(const cn_convex *b, cn_pose b_in_a, cn_vec3 direction)
{
    cn_vec3 local = cn_unrotate(b_in_a.rotation, direction);
    return cn_dot(direction, b_in_a.position) + cn_dot(local, cn_convex_support(b, cn_neg(local)));
}

// Would the part be free of b after b went this way? A part with nearly the same way out does not count.
static bool frees(const way_out *way, const cn_part *part, cn_vec3 normal, float tolerance)
{
    return cn_dot(way->normal, normal) < SAME_WAY &&
           way->lowest + way->depth >= part_reach(part, way->normal) - 0.5f * tolerance;
}

static bool is_freed_by_shallower(const way_out *ways, int count, const way_out *own, float tolerance)
{
    for (int i = 0; i < count; i++)
        if (ways[i].depth + 2.0f * tolerance < own->depth && frees(&ways[i], own->part, own->normal, tolerance))
            return true;
    return false;
}

// By a way that it does not free in turn.
static bool is_freed_one_way(const way_out *ways, int count, const way_out *own, float tolerance)
{
    for (int i = 0; i < count; i++)
        if (frees(&ways[i], own->part, own->normal, tolerance) && !frees(own, ways[i].part, ways[i].normal, tolerance))
            return true;
    return false;
}

// A deeper contact along a known way replaces it; of more ways than there is room for the shallowest stay.
static int add_way(way_out *ways, int count, const way_out *way)
{
    const float same = 0.9998f;
    for (int i = 0; i < count; i++)
        if (cn_dot(ways[i].normal, way->normal) > same) {
            ways[i] = *way;
            return count;
        }
    if (count == MAX_WAYS)
        return count;
    ways[count] = *way;
    return count + 1;
}

static bool are_alike(const cn_part_contact *contacts, int count)
{
    for (int i = 1; i < count; i++)
        if (!(cn_dot(contacts[i].patch.normal, contacts[0].patch.normal) > SAME_WAY))
            return false;
    return true;
}

void cn_drop_explained(cn_part_contact *contacts, int count, const cn_part *parts, const cn_convex *b, cn_pose b_in_a,
                       float tolerance)
{
    enum { LOCAL = 64 };
    ranked local[LOCAL], *order = local;
    if (are_alike(contacts, count))
        return;
    if (count > LOCAL)
        order = cn_allocate(&cn_default_allocator, (size_t)count * sizeof *order, sizeof(float));
    for (int i = 0; i < count; i++)
        order[i] = (ranked){ -deepest_separation(&contacts[i].patch), i };
    qsort(order, (size_t)count, sizeof *order, compare_ranked);

    way_out ways[MAX_WAYS];
    int way_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            cn_part_contact *contact = &contacts[order[k].index];
            if (contact->dropped)
                continue;
            cn_vec3 normal = contact->patch.normal;
            way_out own = { normal, order[k].depth, lowest_along(b, b_in_a, normal), &parts[contact->index] };
            contact->dropped = pass == 0 ? is_freed_by_shallower(ways, way_count, &own, tolerance)
                                         : is_freed_one_way(ways, way_count, &own, tolerance);
            if (pass == 0 && !contact->dropped)
                way_count = add_way(ways, way_count, &own);
        }
    if (order != local)
        cn_release(&cn_default_allocator, order, (size_t)count * sizeof *order);
}

// --- joining -----------------------------------------------------------------------------------------------------------------

enum { POOL = 32, MAX_GROUPS = CN_MAX_MANIFOLDS + 1 }; // one more, for the moment before two are joined

typedef struct group {
    cn_vec3 normal; // of its deepest point
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

static void turn_group(group *g, cn_vec3 normal)
{
    float cosine = cn_dot(g->normal, normal);
    for (int i = 0; i < g->count; i++)
        g->points[i].separation *= cosine;
    g->normal = normal;
}

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
static int sort_points(group *g)
{
    cn_vec3 n = cn_abs3(g->normal);
    int axis = n.x >= n.y && n.x >= n.z ? 0 : n.y >= n.z ? 1 : 2;
    for (int i = 1; i < g->count; i++) {
        cn_clip_point point = g->points[i];
        int k = i;
        for (; k > 0 && comes_before(&point.position, &g->points[k - 1].position, axis); k--)
            g->points[k] = g->points[k - 1];
        g->points[k] = point;
    }
    return axis;
}

// Marks the corners of the area that sorted points span.
static void mark_corners(const cn_clip_point *points, int count, int axis, bool *keep)
{
    int corners[POOL];
    for (int back = 0; back < 2; back++)
        for (int i = walk_hull(points, count, back, axis, corners) - 1; i >= 0; i--)
            keep[corners[i]] = true;
}

static void keep_marked(group *g, const bool *keep)
{
    int kept = 0;
    for (int i = 0; i < g->count; i++)
        if (keep[i])
            g->points[kept++] = g->points[i];
    g->count = kept;
}

static int deepest_point(const group *g)
{
    int deepest = 0;
    for (int i = 1; i < g->count; i++)
        deepest = g->points[i].separation < g->points[deepest].separation ? i : deepest;
    return deepest;
}

// Leaves the corners of the area that the points span, and the deepest point. Many points lie where the sides of b cross the
// edges of triangles; they add nothing, but could be chosen.
static void keep_corners(group *g)
{
    int axis = sort_points(g);
    bool keep[POOL] = { false };
    mark_corners(g->points, g->count, axis, keep);
    keep[deepest_point(g)] = true;
    keep_marked(g, keep);
}

static float touching_height(const group *g, float slop)
{
    float deepest = INFINITY;
    for (int i = 0; i < g->count; i++)
        deepest = cn_minf(deepest, g->points[i].separation);
    return cn_maxf(deepest, 0.0f) + slop;
}

// Drops points that lie between others, but for the deepest: those that touch between others that do, the rest between any.
static void drop_between(group *g, float slop)
{
    int axis = sort_points(g), touching = 0, indices[POOL];
    float height = touching_height(g, slop);
    cn_clip_point points[POOL];
    bool keep[POOL] = { false }, keep_touching[POOL] = { false };
    mark_corners(g->points, g->count, axis, keep);
    for (int i = 0; i < g->count; i++)
        if (g->points[i].separation <= height) {
            indices[touching] = i;
            points[touching++] = g->points[i];
        }
    mark_corners(points, touching, axis, keep_touching);
    for (int i = 0; i < touching; i++)
        keep[indices[i]] |= keep_touching[i];
    keep[deepest_point(g)] = true;
    keep_marked(g, keep);
}

// What touches comes first: a point that hangs over the surface is no match for one that carries weight, however far apart the
// points it would span lie.
static void put_touching_first(group *g, float slop, int *touching)
{
    float height = touching_height(g, slop);
    *touching = 0;
    for (int i = 0; i < g->count; i++) {
        if (!(g->points[i].separation <= height))
            continue;
        cn_clip_point point = g->points[i];
        for (int k = i; k > *touching; k--)
            g->points[k] = g->points[k - 1];
        g->points[(*touching)++] = point;
    }
}

// Fills up with the points that lie farthest from those that are kept.
static void add_farthest(group *g, int kept)
{
    for (; kept < CN_MAX_POINTS && kept < g->count; kept++) {
        int farthest = kept;
        float distance = -1.0f;
        for (int i = kept; i < g->count; i++) {
            float nearest = INFINITY;
            for (int k = 0; k < kept; k++)
                nearest = cn_minf(nearest, cn_length_sq(cn_sub(g->points[i].position, g->points[k].position)));
            if (nearest > distance) {
                distance = nearest;
                farthest = i;
            }
        }
        cn_clip_point point = g->points[farthest];
        g->points[farthest] = g->points[kept];
        g->points[kept] = point;
    }
    g->count = kept;
}

static void reduce_group(group *g, float slop)
{
    int touching;
    drop_between(g, slop);
    put_touching_first(g, slop, &touching);
    if (touching < CN_MAX_POINTS) {
        add_farthest(g, touching);
        return;
    }
    g->count = touching;
    keep_corners(g);
    g->count = cn_reduce_points(g->points, g->count, g->normal);
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
        keep_corners(g);
    if (g->count == POOL)
        reduce_group(g, SLOP * merge);
    g->points[g->count++] = point;
}

static void add_to_group(group *g, const cn_part_contact *contact, float merge)
{
    const cn_cluster *m = &contact->patch;
    float deepest = deepest_separation(m);
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

static uint32_t deepest_feature(const group *g) { return g->points[deepest_point(g)].feature; }

// Joins the two groups whose normals are closest, of the same material if there are such.
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
    uint32_t feature = deepest_feature(other_deeper ? g : other);
    if (other_deeper) {
        turn_group(g, other->normal);
        g->deepest = other->deepest;
        g->material = other->material;
    } else
        turn_group(other, g->normal);
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
    const float same = 0.99985f; // cosine of a degree
    group groups[MAX_GROUPS];
    int group_count = 0;
    for (int i = 0; i < count; i++) {
        const cn_part_contact *contact = &contacts[i];
        int material = parts[contact->index].material, g = 0;
        if (contact->dropped)
            continue;
        while (g < group_count && !(groups[g].material == material && cn_dot(groups[g].normal, contact->patch.normal) > same))
            g++;
        if (g == group_count) {
            groups[group_count].normal = contact->patch.normal;
            groups[group_count].deepest = INFINITY;
            groups[group_count].material = material;
            groups[group_count].smooth = cn_v3(0.0f, 0.0f, 0.0f);
            groups[group_count++].count = 0;
        }
        if (parts[contact->index].is_triangle && parts[contact->index].triangle.smooth)
            groups[g].smooth = cn_madd(groups[g].smooth, (float)contact->patch.count, contact->patch.normal);
        add_to_group(&groups[g], contact, merge);
        if (group_count == MAX_GROUPS)
            group_count = join_closest(groups, group_count, merge);
    }
    for (int g = 0; g < group_count; g++)
        write_group(&groups[g], SLOP * merge, &manifolds[g]);
    return group_count;
}
