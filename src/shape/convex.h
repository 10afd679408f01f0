// What collision detection knows of a shape: an immutable convex solid in its own frame.
#ifndef CN_CONVEX_H
#define CN_CONVEX_H

#include "base/memory.h"
#include "cairn/mass.h"
#include "cairn/shape.h"
#include "math/vec.h"

typedef struct cn_plane { cn_vec3 normal; float offset; } cn_plane; // dot(normal, p) = offset, normal outwards

typedef struct cn_half_edge {
    uint16_t next;   // around the face, counter-clockwise seen from outside
    uint16_t twin;   // the same edge in the neighbouring face; twins are stored next to each other (twin == index ^ 1)
    uint16_t origin; // vertex
    uint16_t face;
} cn_half_edge;

// A convex polyhedron. One block of memory; the arrays lie behind the header.
typedef struct cn_polyhedron {
    int vertex_count, edge_count, face_count; // edge_count counts half edges
    const cn_vec3 *vertices; // in ascending order of x
    const cn_half_edge *edges;
    const uint16_t *face_edges;   // first half edge of each face
    const uint16_t *vertex_edges; // one half edge that leaves each vertex
    const cn_plane *planes;
    cn_vec3 lower, upper; // bounds
    cn_vec3 center;       // of mass
    float inner_radius;   // distance from the centre to the nearest face
    cn_mass unit_mass;    // at density 1
    size_t size;          // of the block
} cn_polyhedron;

// NULL, with cn_last_error(), when the points have no volume, are not finite or are too many (65,535 half edges).
cn_polyhedron *cn_polyhedron_build(const cn_allocator *allocator, const cn_vec3 *points, int count);
void cn_polyhedron_free(const cn_allocator *allocator, cn_polyhedron *polyhedron);
// The vertex farthest in a direction, of any length.
int cn_polyhedron_support(const cn_polyhedron *polyhedron, cn_vec3 direction);
// Writes up to `capacity` vertices of a face, counter-clockwise seen from outside, and returns how many it has.
int cn_polyhedron_face(const cn_polyhedron *polyhedron, int face, int *vertices, int capacity);

// The types up to CN_HULL are solids. A triangle of a mesh is convex as well, but no shape of its own.
enum { CN_SOLID_TYPE_COUNT = CN_HULL + 1 };
#define CN_TRIANGLE CN_SHAPE_TYPE_COUNT

typedef struct cn_convex {
    cn_shape_type type;
    float radius; // of a tapered capsule: at its lower end
    float top_radius;
    float half_height;
    cn_vec3 half_extents;
    const cn_polyhedron *hull;
    const cn_vec3 *triangle; // three vertices
} cn_convex;

// Whether one ball of a tapered capsule contains the other; then it is that ball.
static inline bool cn_taper_is_ball(const cn_convex *shape)
{
    double wider = (double)shape->radius - (double)shape->top_radius;
    return shape->type == CN_TAPERED_CAPSULE && (wider < 0.0 ? -wider : wider) >= 2.0 * (double)shape->half_height;
}
// The largest radius that all its balls have in common.
static inline float cn_taper_skin(const cn_convex *shape)
{
    return cn_taper_is_ball(shape) ? cn_maxf(shape->radius, shape->top_radius) : cn_minf(shape->radius, shape->top_radius);
}

// The farthest point in a direction (need not be unit length), of the full shape.
cn_vec3 cn_convex_support(const cn_convex *shape, cn_vec3 direction);
// A point deep inside: that of the largest ball, as far as it is known.
static inline cn_vec3 cn_convex_center(const cn_convex *shape)
{
    if (shape->type == CN_HULL)
        return shape->hull->center;
    if (cn_taper_is_ball(shape))
        return cn_v3(0.0f, shape->top_radius > shape->radius ? shape->half_height : -shape->half_height, 0.0f);
    return cn_v3(0.0f, 0.0f, 0.0f);
}
// Bounds of the shape at `pose`.
void cn_convex_bounds(const cn_convex *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper);
cn_mass cn_convex_mass(const cn_convex *shape, float density);
// The radius of the largest ball around the shape's centre that fits inside: the length scale for margins and tolerances.
float cn_convex_inner_radius(const cn_convex *shape);
// Largest distance of any point of the shape from `point` (an upper bound).
float cn_convex_outer_radius(const cn_convex *shape, cn_vec3 point);

// The face, edge or vertex that a plane coming from `direction` touches: a polygon, counter-clockwise seen from outside, a
// segment or a point. Returns the number of vertices written; `ids` gets a stable number for each. Round caps are cut to
// polygons of 8 to 16 vertices. The rounding radius of spheres and capsules is not included (their core is a point or segment, and
// of a tapered capsule one whose thinner end is a point).
enum { CN_MAX_FACE_VERTICES = 64 };
int cn_convex_face(const cn_convex *shape, cn_vec3 direction, cn_vec3 vertices[CN_MAX_FACE_VERTICES],
                   uint16_t ids[CN_MAX_FACE_VERTICES], cn_vec3 *normal);

#endif
