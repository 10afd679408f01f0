// The narrow phase: contact points between two convex shapes.
#ifndef CN_COLLIDE_H
#define CN_COLLIDE_H

#include "shape/convex.h"

enum { CN_MAX_POINTS = 4 };

typedef struct cn_manifold_point {
    cn_vec3 position;  // midway between the two surfaces, in the frame of shape a
    float separation;  // along the normal, negative when overlapping
    uint32_t feature;  // the same number for the same pair of features in the next step
} cn_manifold_point;

typedef struct cn_manifold {
    cn_vec3 normal; // unit, from a to b, in the frame of shape a
    int count;
    float gap; // without points: the shapes are at least this far apart, which is more than the margin; 0 when not known
    cn_manifold_point points[CN_MAX_POINTS];
} cn_manifold;

// What a pair remembers from one call to the next, to start where it left off. All zero is a fresh start. It only saves time:
// whether it is there changes no result beyond which of several equally good answers is found.
typedef struct cn_pair_cache {
    uint8_t kind;      // what the rest means, private to each pair function
    uint8_t count;
    uint16_t a[4];     // features of a: simplex vertices, face or edge
    uint16_t b[4];
} cn_pair_cache;

// Finds where two shapes touch or come closer than `margin`. `b_in_a` is the frame of b in the frame of a. Points with a
// separation above `margin` are not reported; none at all leaves count = 0 and sets `gap`. Deep overlap is resolved along the
// direction of least penetration.
void cn_collide(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache, cn_manifold *manifold);

// The pieces, each usable and tested alone.

// Distance by GJK between the cores of two shapes (sphere: its centre, capsule: its segment, others: the shape itself). The
// cores count as overlapping from a distance of 1e-7 of their largest coordinate. `cache` may be NULL.
typedef struct cn_gjk_result {
    float distance;    // 0 when the cores overlap
    cn_vec3 point_a, point_b; // closest points of the cores, in the frame of a
    cn_vec3 normal;    // from a to b; zero when the cores overlap
    int iterations;
} cn_gjk_result;
cn_gjk_result cn_gjk_distance(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, cn_pair_cache *cache);

// Penetration depth by EPA for overlapping cores: normal from a to b, witness points. Moving b by depth along the normal parts
// the cores, to the accuracy of float; cores that just touch may have a depth a rounding error below 0.
typedef struct cn_epa_result {
    bool ok; // false: degenerate, the normal is a guess
    float depth;
    cn_vec3 normal, point_a, point_b;
} cn_epa_result;
cn_epa_result cn_epa_penetration(const cn_convex *a, const cn_convex *b, cn_pose b_in_a);

// Parameters in [0, 1] of the closest points of the segments p1 + s d1 and p2 + t d2. True when both are inside of their
// segments and the segments are not parallel: the normal is then across both.
bool cn_closest_on_segments(cn_vec3 p1, cn_vec3 d1, cn_vec3 p2, cn_vec3 d2, float *s, float *t);

// Clips the incident polygon against the side planes of the reference polygon and keeps what is below the reference plane by
// less than `margin`; then reduces to at most 4 points that keep the deepest point and the most area.
// All in one frame. `normal` is the outward normal of the reference face. `flip` tells that the reference face belongs to b.
// Polygons may be segments or single points.
void cn_clip_faces(const cn_vec3 *reference, const uint16_t *reference_ids, int reference_count, const cn_vec3 *incident,
                   const uint16_t *incident_ids, int incident_count, cn_vec3 normal, float margin, bool flip,
                   cn_manifold *manifold);

typedef struct cn_clip_point { cn_vec3 position; float separation; uint32_t feature; } cn_clip_point;
// Picks at most 4 of `count` points: the deepest, then those that span the largest area around it. Returns how many.
int cn_reduce_points(cn_clip_point *points, int count, cn_vec3 normal);
// The same for points that lie in no plane, of which a solid that rocks meets one after the other. Returns 0, and changes nothing, when they
// do lie in one.
int cn_reduce_uneven(cn_clip_point *points, int count, cn_vec3 normal);

#endif
