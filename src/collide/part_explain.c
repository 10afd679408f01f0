// Contacts of parts that say nothing new: where moving out of one part frees another too, only the first is kept.
#include "collide/part_join.h"

#include <stdlib.h>

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
        order[i] = (ranked){ -cn_deepest_separation(&contacts[i].patch), i };
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
