// Shapes of many parts, seen alike: a mesh or height field of triangles, a compound of solids. Everything is in the shape's own
// frame, scale included. All of it may be called from several threads at once.
#ifndef CN_COMPOSITE_H
#define CN_COMPOSITE_H

#include "base/simd.h"
#include "cairn/mesh.h"
#include "math/box3.h"
#include "shape/convex.h"

typedef struct cn_composite {
    cn_shape_type type; // CN_MESH, CN_HEIGHT_FIELD or CN_COMPOUND
    cn_vec3 scale;
    const cn_mesh *mesh;
    const cn_height_field *height_field;
    const cn_compound *compound;
} cn_composite;

#define CN_LEAN_FREE 1e6f

// Edge i runs from vertex i to vertex i + 1.
typedef struct cn_triangle {
    cn_vec3 vertices[3]; // counter-clockwise seen from the front
    cn_vec3 normal;      // unit, to the front
    // How far a contact normal may lean outwards over each edge: to the normal of the neighbour there. The tangent of half the angle
    // between the two normals; 0 where the surface is flat or concave, CN_LEAN_FREE where there is no neighbour.
    float lean[3];
    bool smooth; // contact normals are interpolated:
    cn_vec3 vertex_normals[3];
} cn_triangle;

typedef struct cn_part {
    bool is_triangle;
    cn_triangle triangle;
    cn_convex solid; // otherwise, and where it lies
    cn_pose pose;
    int material;
} cn_part;

// The part by its number, as a hit reports it.
void cn_composite_part(const cn_composite *composite, int part, cn_part *out);
// The corners alone of `count` triangles, as cn_composite_part has them, in three of four lanes; not for compounds. Answers whether one
// of them may have an edge without a neighbour.
bool cn_composite_corners(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3]);
int cn_composite_part_limit(const cn_composite *composite);    // part numbers are below this; holes and dropped triangles have none
int cn_composite_material_limit(const cn_composite *composite); // so are material numbers
cn_box3 cn_composite_bounds(const cn_composite *composite);
// Mass of the solid it encloses. False, with cn_last_error() that begins with `function`, when it encloses none (an open mesh, any
// height field).
bool cn_composite_mass(const cn_composite *composite, const char *function, float density, cn_mass *mass);
// Keeps the shared object alive, and lets go of it. Thread-safe.
void cn_composite_retain(const cn_composite *composite);
void cn_composite_release(const cn_composite *composite);

// Writes the numbers of the parts whose boxes overlap `box`, in a fixed order, and returns how many there are; when that is more
// than `capacity` only the first `capacity` are written.
int cn_composite_query(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity);

// Visits the parts whose boxes are hit by a box of the given half extents (zero for a ray) that moves from `origin` by
// `translation`, nearest first as far as the tree allows. `visit` gets the fraction up to which it is still of interest and returns
// the new one, which never grows; below 0 ends the visit.
typedef float (*cn_part_visit)(void *context, int part, float limit);
void cn_composite_sweep(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                        cn_part_visit visit, void *context);
// The same for the parts whose boxes are nearer to `box` than `limit` metres.
void cn_composite_near(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context);

// The first triangle that a ray meets from its front; the fast form, for meshes and height fields. Exact for rays that pass through
// shared edges: nothing slips between two triangles. False when there is none before `limit`.
typedef struct cn_surface_hit {
    float fraction;
    int part;
    cn_vec3 normal; // of the triangle
} cn_surface_hit;
bool cn_composite_cast_ray(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit);

#endif
