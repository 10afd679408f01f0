// Separating axes for shapes with flat faces: boxes and convex polyhedra.
#ifndef CN_SAT_H
#define CN_SAT_H

#include "collide/collide.h"

// Contact points of two boxes, or of two solids each of which is a CN_BOX or a CN_HULL. The arguments are those of cn_collide.
void cn_collide_boxes(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                      cn_manifold *out);
void cn_collide_polyhedra(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                          cn_manifold *out);

// A box or a hull as a polyhedron; that of a box is written to `box`.
typedef struct cn_box_solid {
    cn_polyhedron polyhedron;
    cn_vec3 vertices[8];
    cn_plane planes[6];
} cn_box_solid;
const cn_polyhedron *cn_as_polyhedron(const cn_convex *shape, cn_box_solid *box);

// How an axis is chosen. Resting contact often has several axes of nearly the same separation, and noise must not decide
// between them. Each candidate is scored by its separation plus a bonus, in units of a tolerance that is a small part of the
// smaller inner radius. Faces give several points where edges give one, so faces lead; the axis of the last call leads its
// equals. The chosen axis is never worse than the best one by more than the largest sum of bonuses, 1.5 tolerances.
#define CN_SAT_TOLERANCE 0.005f // times the inner radius
#define CN_SAT_ROUNDING 1e-6f   // times the size of both solids: below this, separations are noise
#define CN_SAT_BONUS_FACE_A 1.0f
#define CN_SAT_BONUS_FACE_B 0.9f
#define CN_SAT_BONUS_CACHED 0.5f

// Two edges span no axis when the square of the sine between them is below this: the axis would be rounding noise, and a face
// normal is then as good.
#define CN_SAT_PARALLEL 1e-5f

// A vertex outside a side of the reference face by less than this part of half the width of the narrower face counts as inside.
// Equal boxes that are stacked flush then keep their four vertices as contact points, whatever the noise.
#define CN_CLIP_SLOP 2e-3f

// The meaning of cn_pair_cache.kind here; zero is a fresh start.
enum { CN_SAT_SEPARATED = 1, CN_SAT_TOUCHING = 2 };

// A polygon, counter-clockwise seen from outside, a segment or a point.
typedef struct cn_outline {
    const cn_vec3 *vertices;
    const uint16_t *ids;
    int count;
} cn_outline;

// What cn_clip_faces does before it reduces the points, for a reference polygon in a known plane and with a slop in metres of
// its own. The points lie on the incident outline. Returns how many there are.
enum { CN_MAX_CLIP_POINTS = 2 * CN_MAX_FACE_VERTICES };
int cn_clip_prism(const cn_outline *reference, const cn_outline *incident, cn_plane plane, float slop, float margin,
                  cn_clip_point points[CN_MAX_CLIP_POINTS]);

// cn_reduce_points for at most 128 points given by their places in the plane of contact. Returns how many were chosen.
int cn_reduce_flat(const float *u, const float *v, const float *separations, int count, int chosen[4]);
void cn_keep_points(cn_clip_point *points, const int *chosen, int kept); // those that were chosen, up to 4, come first
// Are the four points `last` as good a choice as the four of `chosen`: do they span nearly as much, and reach as deep up to
// `slack`? Then they had better stay: a new choice would cost the pair what it knows about the forces at its points.
bool cn_choice_stands(const float *u, const float *v, const float *separations, const int last[4], const int chosen[4],
                      float slack);

// Adds to the single point where an edge of a crosses one of b what of the faces beside them is within the margin, measured
// along the same normal.
void cn_widen_edge_contact(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_manifold *manifold);

// Adds to the points of a face those corners of the other solid that are above it and within the margin. `rotation` and
// `offset` take them to the frame of a; the rotation is NULL where they are in it.
void cn_add_corners(const cn_outline *face, cn_vec3 normal, const cn_polyhedron *other, const cn_mat3 *rotation, cn_vec3 offset,
                    float margin, cn_manifold *manifold);

// The single point of a contact between two points of the surfaces.
static inline void cn_single_point(cn_manifold *out, cn_vec3 normal, cn_vec3 on_a, cn_vec3 on_b, uint32_t feature)
{
    out->normal = normal;
    out->count = 1;
    out->points[0] = (cn_manifold_point){ .position = cn_scale(0.5f, cn_add(on_a, on_b)),
                                          .separation = cn_dot(normal, cn_sub(on_b, on_a)),
                                          .feature = feature };
}

#endif
