// Random closed systems for the energy tests: bodies of every shape in a room, with or without gravity, on slabs, meshes and height
// fields, loose or jointed.
#ifndef TEST_ENERGY_ROOMS_H
#define TEST_ENERGY_ROOMS_H

#include "cell_mesh.h"
#include "random_shapes.h"

#include <string.h>

// ---- what a room is made of

typedef enum room_floor { FLOOR_SLAB, FLOOR_MESH, FLOOR_FIELD, FLOORS } room_floor;
// Loose bodies; pairs, pendulums and chains on ball joints; ragdolls.
typedef enum room_joints { JOINTS_NONE, JOINTS_CHAINS, JOINTS_DOLLS } room_joints;
// The last takes any of the others for each body.
typedef enum thing_kind {
    THING_SPHERE,
    THING_CAPSULE,
    THING_TAPER,
    THING_BOX,
    THING_CYLINDER,
    THING_HULL,
    THING_PAIR,  // a capsule and a bar
    THING_THREE, // three boxes in different directions
    THING_PLATE,
    THING_NEEDLE,
    THING_ANY,
    THINGS
} thing_kind;

typedef struct room {
    uint64_t seed;
    int count;
    thing_kind kind;
    room_floor floor;
    room_joints joints;
    bool gravity, continuous, cone;
    float restitution, friction, speed, spin, half; // m/s, rad/s, half the size of the room in m
} room;

static inline float pick(rng *r, const float *values, int count) { return values[rng_next(r) % (uint32_t)count]; }

// Speeds and spins are spread evenly over their powers of ten.
static inline room make_room(uint64_t seed)
{
    static const float restitutions[] = { 0.0f, 0.0f, 0.3f, 0.7f, 0.9f, 1.0f }, frictions[] = { 0.0f, 0.0f, 0.3f, 0.6f, 1.0f, 2.0f };
    rng r = { seed * 7919u + 1u };
    room t = { .seed = seed };
    t.count = rng_next(&r) % 3 == 0 ? 1 : rng_next(&r) % 3 == 0 ? 60 : 2 + (int)(rng_next(&r) % 19);
    t.kind = (thing_kind)(rng_next(&r) % THINGS);
    t.floor = rng_next(&r) % 3 != 0 ? FLOOR_SLAB : rng_next(&r) % 2 == 0 ? FLOOR_MESH : FLOOR_FIELD;
    t.gravity = rng_next(&r) % 2 == 0;
    t.continuous = rng_next(&r) % 3 != 0;
    t.cone = rng_next(&r) % 3 == 0;
    t.restitution = pick(&r, restitutions, 6);
    t.friction = pick(&r, frictions, 6);
    t.speed = powf(10.0f, rng_range(&r, -1.0f, t.continuous ? 3.0f : 1.7f));
    t.spin = rng_next(&r) % 2 == 0 ? 0.0f : powf(10.0f, rng_range(&r, -1.0f, 3.0f));
    t.half = rng_next(&r) % 2 == 0 ? 6.0f : 12.0f;
    return t;
}

// ---- the room: slabs 4 m thick, and hills on the lowest where it is no plane

static inline float hill(const void *context, int column, int row)
{
    (void)context;
    return 0.3f + 0.3f * sinf(0.628f * (float)column) * cosf(1.257f * (float)row);
}

static inline void add_hills(cn_world *world, const room *t)
{
    int cells = 2 * (int)t->half + 2, side = cells + 1;
    float heights[27 * 27];
    for (int i = 0; i < side * side; i++)
        heights[i] = hill(NULL, i % side, i / side);
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = side;
    def.spacing_x = def.spacing_z = 1.0f;
    def.heights = heights;
    cn_mesh *mesh = t->floor == FLOOR_MESH ? make_cell_mesh(cells, hill, NULL, false) : NULL;
    cn_height_field *field = t->floor == FLOOR_FIELD ? cn_height_field_create(&def) : NULL;
    cn_vec3 one = cn_v3(1.0f, 1.0f, 1.0f);
    cn_shape_def shape = solid_def(mesh != NULL ? cn_geometry_mesh(mesh, one) : cn_geometry_height_field(field, one), t->friction, t->restitution);
    double corner = -0.5 * cells;
    add_upright(world, CN_STATIC, cn_p3(corner, -(double)t->half, corner), &shape);
    cn_mesh_destroy(mesh);
    cn_height_field_destroy(field);
}

static inline void add_walls(cn_world *world, const room *t)
{
    const float thick = 2.0f, wide = t->half + thick;
    for (int i = 0; i < 6; i++) {
        float half[3] = { wide, wide, wide };
        double at[3] = { 0.0, 0.0, 0.0 };
        half[i / 2] = thick;
        at[i / 2] = i % 2 == 0 ? -(double)wide : (double)wide;
        cn_shape_def wall = solid_def(cn_box(half[0], half[1], half[2]), t->friction, t->restitution);
        add_upright(world, CN_STATIC, cn_p3(at[0], at[1], at[2]), &wall);
    }
    if (t->floor != FLOOR_SLAB)
        add_hills(world, t);
}

// ---- the bodies

static inline cn_geometry cloud(rng *r, cn_world *world)
{
    cn_vec3 points[12];
    for (int i = 0; i < 12; i++) {
        float size = rng_range(r, 0.25f, 0.5f);
        points[i] = cn_scale(size, rng_unit(r));
    }
    return cn_hull(cn_hull_create(world, points, 12));
}

static inline cn_geometry make_thing(rng *r, cn_world *world, thing_kind kind)
{
    float size = rng_range(r, 0.2f, 0.6f), other = rng_range(r, 0.1f, 0.5f), thin = 0.001f * powf(10.0f, rng_range(r, 0.0f, 1.7f));
    switch (kind) {
    case THING_SPHERE: return cn_sphere(other);
    case THING_CAPSULE:
    case THING_PAIR: return cn_capsule(size, 0.5f * other);
    case THING_TAPER: return cn_tapered_capsule(size, 0.5f * other, 0.3f * other);
    case THING_CYLINDER: return cn_cylinder(size, other);
    case THING_HULL: return cloud(r, world);
    case THING_THREE: return cn_box(size, 0.1f, 0.1f);
    case THING_PLATE: return cn_box(size, thin, other);
    case THING_NEEDLE: return cn_capsule(size, thin);
    default: return cn_box(size, other, rng_range(r, 0.1f, 0.5f));
    }
}

static inline void add_more_shapes(cn_world *world, rng *r, cn_body_id body, thing_kind kind, cn_shape_def *shape)
{
    float size = rng_range(r, 0.2f, 0.5f);
    for (int i = 0; i < (kind == THING_THREE ? 2 : kind == THING_PAIR ? 1 : 0); i++) {
        shape->geometry = cn_box(kind == THING_PAIR || i == 1 ? 0.1f : size, i == 0 && kind == THING_THREE ? 0.1f : size, 0.1f);
        shape->offset.position = kind == THING_PAIR ? cn_v3(0.3f, 0.0f, 0.0f) : cn_v3(i == 1 ? size : 0.0f, 0.0f, 0.2f * (float)(1 - i));
        if (CN_IS_NULL(cn_shape_create(world, body, shape)))
            fail_msg("%s", cn_last_error());
    }
}

static inline cn_pos3 place_of(int i)
{
    return cn_p3(2.4 * (i % 4) - 3.6, 2.4 * (i / 16) - 3.6, 2.4 * (i / 4 % 4) - 3.6);
}

static inline cn_body_id add_thing(cn_world *world, rng *r, const room *t, int i)
{
    thing_kind kind = t->kind == THING_ANY ? (thing_kind)(rng_next(r) % THING_ANY) : t->kind;
    cn_shape_def shape = solid_def(make_thing(r, world, kind), t->friction, t->restitution);
    cn_body_id body = add_body(world, CN_DYNAMIC, place_of(i), rng_quat(r), &shape);
    add_more_shapes(world, r, body, kind, &shape);
    cn_body_set_continuous(world, body, t->continuous);
    cn_vec3 velocity = cn_scale(t->speed, rng_unit(r));
    set_motion(world, body, velocity, cn_scale(t->spin, rng_unit(r)));
    return body;
}

// Every body but the first of each row of four hangs on the one before it, halfway between them; the first of every other row on the world.
static inline void join(cn_world *world, const cn_body_id *bodies, cn_body_id world_body, int i)
{
    if (i % 4 == 0 && i / 4 % 2 == 0)
        return;
    cn_pos3 here = place_of(i);
    cn_body_id other = i % 4 == 0 ? world_body : bodies[i - 1];
    cn_pos3 anchor = i % 4 == 0 ? cn_p3(here.x, here.y + 1.0, here.z) : cn_p3(here.x - 1.2, here.y, here.z);
    cn_joint_def def = cn_ball_joint(world, other, bodies[i], anchor);
    if (CN_IS_NULL(cn_joint_create(world, &def)))
        fail_msg("%s", cn_last_error());
}

static inline void add_things(cn_world *world, const room *t)
{
    rng r = { t->seed + 1u };
    cn_body_id bodies[64], world_body = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), NULL);
    for (int i = 0; t->joints != JOINTS_DOLLS && i < t->count; i++) {
        bodies[i] = add_thing(world, &r, t, i);
        if (t->joints == JOINTS_CHAINS)
            join(world, bodies, world_body, i);
    }
    for (int i = 0; t->joints == JOINTS_DOLLS && i < t->count; i++) {
        cn_ragdoll_def doll = cn_ragdoll_def_default();
        cn_ragdoll ragdoll;
        doll.position = place_of(4 * i);
        doll.velocity = cn_scale(t->speed, rng_unit(&r));
        if (!cn_ragdoll_create(world, &doll, &ragdoll))
            fail_msg("%s", cn_last_error());
    }
}

static inline cn_world *open_room(const room *t, const char *solver)
{
    cn_world_def def = t->gravity ? restless() : weightless();
    def.solver = solver;
    def.iterations = strcmp(solver, "pgd") == 0 ? 1000 : 0; // its default does not always converge
    def.friction_model = t->cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH;
    cn_world *world = open_world(&def);
    add_walls(world, t);
    add_things(world, t);
    return world;
}

// ---- what is measured

// Kinetic energy, and potential energy above the lowest slab, J.
static inline double energy_in(const cn_world *world, const room *t)
{
    cn_energy e = cn_world_get_energy(world);
    return e.kinetic + e.potential - e.mass * (double)cn_world_get_gravity(world).y * (double)t->half;
}

// Gains as parts of the energy of the moment; what is slower than 0.1 m/s counts as that fast.
typedef struct gains {
    double step, all, kept; // in one step, over the least energy so far, and what is left of the first
    int at;                 // the step that gains most
} gains;

#define LEAST_ENERGY 0.005 // J/kg

static inline gains run_room(const room *t, const char *solver, int steps)
{
    cn_world *world = open_room(t, solver);
    double start = energy_in(world, t), before = start, least = start, smallest = LEAST_ENERGY * cn_world_get_energy(world).mass;
    gains g = { 0 };
    for (int i = 0; i < steps; i++) {
        advance(world, 1);
        double now = energy_in(world, t), gain = (now - before) / fmax(before, smallest);
        if (gain > g.step) {
            g.step = gain;
            g.at = i;
        }
        g.all = fmax(g.all, (now - least) / fmax(least, smallest));
        before = now;
        least = fmin(least, now);
    }
    g.kept = before / start;
    cn_world_destroy(world);
    return g;
}

#endif
