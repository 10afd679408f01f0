// Which function collides which pair of shapes.
#include "collide/pairs.h"
#include "collide/sat.h"

// Rows: sphere, capsule, box, cylinder, tapered capsule, hull for a. Pairs below the diagonal are computed the other way round.
// clang-format off
static cn_pair_function *const pair_functions[CN_SOLID_TYPE_COUNT][CN_SOLID_TYPE_COUNT] = {
    // b: sphere          capsule                    box                    cylinder                    tapered capsule    hull
    { cn_collide_spheres, cn_collide_sphere_capsule, cn_collide_sphere_box, cn_collide_sphere_cylinder, cn_collide_tapers, cn_collide_convex },
    { NULL,               cn_collide_capsules,       cn_collide_convex,     cn_collide_convex,          cn_collide_tapers, cn_collide_convex },
    { NULL,               NULL,                      cn_collide_boxes,      cn_collide_convex,          cn_collide_convex, cn_collide_polyhedra },
    { NULL,               NULL,                      NULL,                  cn_collide_convex,          cn_collide_convex, cn_collide_convex },
    { NULL,               NULL,                      NULL,                  NULL,                       cn_collide_tapers, cn_collide_convex },
    { NULL,               NULL,                      NULL,                  NULL,                       NULL,              cn_collide_polyhedra },
};
// clang-format on

// Takes a result for (b, a), in the frame of b, to one for (a, b), in the frame of a.
static void swap_result(cn_pose b_in_a, cn_manifold *manifold)
{
    manifold->normal = cn_neg(cn_rotate(b_in_a.rotation, manifold->normal));
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i].position = cn_pose_point(b_in_a, manifold->points[i].position);
}

void cn_collide(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                cn_manifold *manifold)
{
    manifold->count = 0;
    manifold->gap = 0.0f;
    if (a->type <= b->type) {
        pair_functions[a->type][b->type](a, b, b_in_a, margin, cache, manifold);
        return;
    }
    pair_functions[b->type][a->type](b, a, cn_pose_inverse(b_in_a), margin, cache, manifold);
    swap_result(b_in_a, manifold);
}
