// The functions behind the table of cn_collide, one per kind of pair. All have the signature of cn_collide.
#ifndef CN_PAIRS_H
#define CN_PAIRS_H

#include "collide/collide.h"

typedef void cn_pair_function(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                              cn_manifold *manifold);

// In closed form.
cn_pair_function cn_collide_spheres;
cn_pair_function cn_collide_sphere_capsule;
cn_pair_function cn_collide_sphere_box;
cn_pair_function cn_collide_sphere_cylinder;
cn_pair_function cn_collide_capsules;
cn_pair_function cn_collide_tapers; // spheres, capsules and tapered capsules
// GJK and EPA on the cores, for any pair.
cn_pair_function cn_collide_convex;
// The one closest point, likewise. Separating axes find no point where corners pass each other; this does.
void cn_collide_corners(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_manifold *manifold);

// Where two surfaces are closest, or overlap least: the normal from a to b, and the separation along it.
typedef struct cn_closest {
    cn_vec3 point_a, point_b, normal;
    float separation;
} cn_closest;

// From closest points of the cores to those of the surfaces, which lie `skin` outside of them.
cn_closest cn_closest_surfaces(cn_closest cores, float skin_a, float skin_b);

// The feature id of the point where two surfaces are closest. Clipping never makes this number.
#define CN_WITNESS_FEATURE 0xffffffffu

// Where two segments run side by side within about a degree: the ends of the stretch they share, as points midway between
// them with the separation along `normal`. Returns 2, or 0 when they cross or hardly share anything.
int cn_segment_points(const cn_vec3 a[2], const cn_vec3 b[2], cn_vec3 normal, cn_manifold_point points[2]);

// Drops the points above the margin, and adds the closest point unless one of the others is as deep as it, up to `slop`.
void cn_finish_manifold(const cn_closest *closest, float margin, float slop, cn_manifold *manifold);

#endif
