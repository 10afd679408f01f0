// Mass properties of uniform solids. Usable without a world.
#ifndef CAIRN_MASS_H
#define CAIRN_MASS_H

#include "cairn/base.h"

typedef struct cn_mass {
    float mass;      // kg
    cn_vec3 center;  // centre of mass
    cn_sym3 inertia; // about the centre of mass, along the axes of the frame the centre is given in
} cn_mass;

// All solids are centred on the origin; capsules and cylinders stand along y. A tapered capsule has its balls there as
// cn_tapered_capsule says, and its centre of mass nearer to the larger one. Bad input answers zero mass and cn_last_error().
CN_API cn_mass cn_mass_sphere(float radius, float density);
CN_API cn_mass cn_mass_box(cn_vec3 half_extents, float density);
CN_API cn_mass cn_mass_capsule(float half_height, float radius, float density);
CN_API cn_mass cn_mass_cylinder(float half_height, float radius, float density);
CN_API cn_mass cn_mass_tapered_capsule(float half_height, float bottom_radius, float top_radius, float density);
// A closed triangle mesh of uniform density, wound counter-clockwise seen from outside; `indices` holds 3 per triangle.
// An open, inside-out or volume-less mesh is refused.
CN_API cn_mass cn_mass_mesh(const cn_vec3 *vertices, int vertex_count, const int *indices, int triangle_count, float density);
// The same body seen from a frame in which its own frame lies at `pose`.
CN_API cn_mass cn_mass_transform(cn_mass mass, cn_pose pose);
// Two bodies welded into one, both given in the same frame.
CN_API cn_mass cn_mass_add(cn_mass a, cn_mass b);

#endif
