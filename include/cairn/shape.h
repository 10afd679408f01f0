// Shapes: what a body looks like to collision detection, what it is made of, and what it collides with.
#ifndef CAIRN_SHAPE_H
#define CAIRN_SHAPE_H

#include "cairn/base.h"

typedef enum cn_shape_type {
    CN_SPHERE,
    CN_CAPSULE,
    CN_BOX,
    CN_CYLINDER,
    CN_TAPERED_CAPSULE,
    CN_HULL,
    CN_MESH,         // the last three are made of many parts, see cairn/mesh.h
    CN_HEIGHT_FIELD,
    CN_COMPOUND,
    CN_SHAPE_TYPE_COUNT
} cn_shape_type;

typedef struct cn_mesh cn_mesh;
typedef struct cn_height_field cn_height_field;
typedef struct cn_compound cn_compound;

// The form of a shape in its own frame. Capsules and cylinders stand along the local y axis. Fill with the functions below.
typedef struct cn_geometry {
    cn_shape_type type;
    float radius;         // sphere, capsule, cylinder; tapered capsule: of the ball at its lower end, y = -half_height
    float top_radius;     // tapered capsule: of the ball at its upper end
    float half_height;    // capsules: half the distance between the centres of their caps; cylinder: half its height
    cn_vec3 half_extents; // box
    cn_hull_id hull;      // hull
    const cn_mesh *mesh;
    const cn_height_field *height_field;
    const cn_compound *compound;
    cn_vec3 scale; // mesh and height field: factors along their axes
} cn_geometry;

CN_API cn_geometry cn_sphere(float radius);
CN_API cn_geometry cn_capsule(float half_height, float radius);
CN_API cn_geometry cn_box(float half_x, float half_y, float half_z);
CN_API cn_geometry cn_cylinder(float half_height, float radius);
// The convex hull of two balls, as of a limb or a tree trunk: one of `bottom_radius` around (0, -half_height, 0), one of `top_radius`
// around (0, half_height, 0). With equal radii it is the capsule; where one ball contains the other, it is that ball.
CN_API cn_geometry cn_tapered_capsule(float half_height, float bottom_radius, float top_radius);
CN_API cn_geometry cn_hull(cn_hull_id hull);

// Friction of a pair is the geometric mean of both, restitution the larger, rolling and spinning resistance the larger.
// When both have a grain, that with the smaller factor counts.
typedef struct cn_material {
    float friction;            // static coefficient: holds up to friction * normal force
    float kinetic_friction;    // coefficient while sliding; negative means the same as `friction`
    float restitution;         // 0 keeps no approach speed, 1 all of it
    float rolling_resistance;  // lever arm in metres: resists rolling by a torque of this times the normal force
    float spinning_resistance; // lever arm in metres: the same for spinning about the normal
    cn_vec3 surface_velocity;  // in the shape's frame: a conveyor belt
    cn_vec3 grain;             // direction in the shape's frame along which friction is different; zero: none
    float grain_friction;      // how: a factor on friction along the grain, 0 to 10; across it friction is as above
    uint64_t user_data;
} cn_material;

CN_API cn_material cn_material_default(void);

// Two shapes collide when each one's category is in the other's mask, unless they share a non-zero group: then they collide
// when the group is positive and do not when it is negative.
typedef struct cn_filter {
    uint64_t category;
    uint64_t mask;
    int32_t group;
} cn_filter;

CN_API cn_filter cn_filter_default(void);

typedef struct cn_shape_def {
    cn_geometry geometry;
    cn_pose offset;       // of the shape's frame in the body's frame
    float density;        // kg/m^3; 0 makes the shape weigh nothing
    cn_material material;
    const cn_material *materials; // for parts of a mesh, height field or compound: their numbers point here; NULL: all are `material`
    int material_count;
    cn_filter filter;
    bool contact_events;  // report begin and end of touching (reported when either shape asks)
    bool hit_events;      // report impacts above the world's hit speed (when either shape asks)
    bool sensor;          // reports what overlaps it, see cairn/events.h; pushes nothing and weighs nothing
    bool modify;          // its contacts are shown to cn_world_def.modify (when either shape asks)
    void *user_data;
} cn_shape_def;

CN_API cn_shape_def cn_shape_def_default(void);

// Attaches a shape to a body and updates the body's mass. Null id on failure. Sizes are between 1e-6 and 1e6 m; the shapes of a
// dynamic body, one by one and together, weigh 1e-16 to 1e15 kg.
CN_API cn_shape_id cn_shape_create(cn_world *world, cn_body_id body, const cn_shape_def *def);
// Attaches `count` shapes at once, in their order, and updates the body's mass once: the time is proportional to their number, where
// one by one it grows with its square. Writes their ids to `ids`, which may be NULL. All or none: on failure nothing has changed, and
// cn_last_error() names the one that is bad. No shapes at all are none too few.
CN_API bool cn_shape_create_many(cn_world *world, cn_body_id body, const cn_shape_def *defs, int count, cn_shape_id *ids);
CN_API bool cn_shape_destroy(cn_world *world, cn_shape_id shape);
CN_API bool cn_shape_is_valid(const cn_world *world, cn_shape_id shape);

CN_API cn_body_id cn_shape_get_body(const cn_world *world, cn_shape_id shape);
CN_API cn_geometry cn_shape_get_geometry(const cn_world *world, cn_shape_id shape);
CN_API cn_pose cn_shape_get_offset(const cn_world *world, cn_shape_id shape);
CN_API float cn_shape_get_density(const cn_world *world, cn_shape_id shape);
CN_API cn_material cn_shape_get_material(const cn_world *world, cn_shape_id shape);
CN_API bool cn_shape_set_material(cn_world *world, cn_shape_id shape, const cn_material *material);
// The materials of the parts of a mesh, height field or compound: entry `index` of cn_shape_def.materials. Setting one
// wakes what touches the shape. A shape that was created without them has none.
CN_API int cn_shape_get_part_material_count(const cn_world *world, cn_shape_id shape);
CN_API cn_material cn_shape_get_part_material(const cn_world *world, cn_shape_id shape, int index);
CN_API bool cn_shape_set_part_material(cn_world *world, cn_shape_id shape, int index, const cn_material *material);
CN_API bool cn_shape_is_sensor(const cn_world *world, cn_shape_id shape);
CN_API cn_filter cn_shape_get_filter(const cn_world *world, cn_shape_id shape);
CN_API bool cn_shape_set_filter(cn_world *world, cn_shape_id shape, cn_filter filter);
// The same for two shapes as cn_body_set_collide for two bodies: shapes collide when neither they nor their bodies were set not to.
CN_API bool cn_shape_set_collide(cn_world *world, cn_shape_id shape, cn_shape_id other, bool collide);
CN_API bool cn_shape_get_collide(const cn_world *world, cn_shape_id shape, cn_shape_id other);
CN_API void *cn_shape_get_user_data(const cn_world *world, cn_shape_id shape);
CN_API bool cn_shape_set_user_data(cn_world *world, cn_shape_id shape, void *user_data);
// The bounding box of the shape where it is now.
CN_API cn_bounds cn_shape_get_bounds(const cn_world *world, cn_shape_id shape);

// A convex hull is built once and shared by any number of shapes. Any point cloud will do: duplicates, interior points and
// coplanar points are merged. Fails, with the reason in cn_last_error(), when the cloud has no volume.
// The world keeps a hull until it is destroyed by the user and no shape uses it any more.
CN_API cn_hull_id cn_hull_create(cn_world *world, const cn_vec3 *points, int count);
CN_API bool cn_hull_destroy(cn_world *world, cn_hull_id hull);
CN_API bool cn_hull_is_valid(const cn_world *world, cn_hull_id hull);
CN_API int cn_hull_get_vertex_count(const cn_world *world, cn_hull_id hull);
CN_API int cn_hull_get_face_count(const cn_world *world, cn_hull_id hull);
// Copies up to `capacity` vertices and returns how many the hull has.
CN_API int cn_hull_get_vertices(const cn_world *world, cn_hull_id hull, cn_vec3 *vertices, int capacity);
// Copies the vertex indices of one face, counter-clockwise seen from outside; returns how many the face has.
CN_API int cn_hull_get_face(const cn_world *world, cn_hull_id hull, int face, int *vertices, int capacity);

#endif
