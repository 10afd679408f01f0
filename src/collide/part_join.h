// Contacts of the parts of a shape, and how they become few manifolds.
#ifndef CN_PART_JOIN_H
#define CN_PART_JOIN_H

#include "collide/collide_parts.h"
#include "collide/collide_triangle.h"

typedef struct cn_part_contact {
    cn_cluster patch; // in the frame of the shape
    int32_t number;   // of the part
    int index;        // of the part in the list of candidates
    bool dropped;
} cn_part_contact;

static inline float cn_deepest_separation(const cn_cluster *patch)
{
    float least = INFINITY;
    for (int i = 0; i < patch->count; i++)
        least = cn_minf(least, patch->points[i].separation);
    return least;
}

// Deep in a surface, parts beside the way out have contacts of their own, with strange normals. This drops the contacts that
// end by themselves once another is resolved: where two end each other, the deeper one. `parts` are the candidates.
void cn_drop_explained(cn_part_contact *contacts, int count, const cn_part *parts, const cn_convex *b, cn_pose b_in_a,
                       float tolerance); // part_explain.c

// Joins what is left, in order, to at most CN_MAX_MANIFOLDS manifolds. Points nearer to each other than `merge` count once.
int cn_join_contacts(const cn_part_contact *contacts, int count, const cn_part *parts, float merge,
                     cn_part_manifold *manifolds);

#endif
