// Worlds whose sizes, masses, speeds, settings, shapes and joints are drawn over the whole range that the API accepts. What it
// refuses is left out; what it accepts has to work.
#ifndef RANDOM_WORLD_H
#define RANDOM_WORLD_H

#include "random_shapes.h"
#include "scene.h"
#include "shape/limits.h"
#include "world/check.h"

#include <string.h>

// Each kind of quantity is ordinary or drawn from its whole range; a world has a few that are.
enum {
    WILD_SIZE = 1,
    WILD_FORM = 2,     // thin, flat, and of different sizes
    WILD_DENSITY = 4,
    WILD_MASS = 8,     // set by hand
    WILD_SPEED = 16,
    WILD_SPIN = 32,
    WILD_DT = 64,
    WILD_GRAVITY = 128,
    WILD_SETTINGS = 256,
    WILD_MATERIAL = 512,
    WILD_JOINTS = 1024,
    WILD_FORCES = 2048,
    WILD_DAMPING = 4096,
    WILD_LIMITS = 8192,    // largest speeds and sleep speeds of single bodies, pairs that do not collide
    WILD_CHANGES = 16384,  // bodies, shapes and joints are changed between steps, see random_changes.h
    WILD_KINDS = 15,
};

typedef struct wild {
    rng random;
    uint32_t kinds; // bits of the above
    float size;     // of most bodies, m
    bool joints;
} wild;

static inline bool chance(wild *w, uint32_t of) { return rng_next(&w->random) % of == 0; }
static inline bool is_wild(const wild *w, uint32_t kind) { return (w->kinds & kind) != 0; }

// Over orders of magnitude, now and then at one of the ends.
static inline float any_between(wild *w, float low, float high)
{
    uint32_t pick = rng_next(&w->random) % 12;
    double part = (double)rng_range(&w->random, 0.0f, 1.0f);
    float value = (float)((double)low * pow((double)high / (double)low, part));
    return pick == 0 ? low : pick == 1 ? high : value < low ? low : value > high ? high : value;
}
static inline float any_or_zero(wild *w, float low, float high) { return chance(w, 6) ? 0.0f : any_between(w, low, high); }
static inline float pick(wild *w, uint32_t kind, float ordinary, float low, float high)
{
    return is_wild(w, kind) ? any_between(w, low, high) : ordinary;
}
static inline cn_vec3 any_vector(wild *w, float low, float high)
{
    cn_vec3 direction = rng_unit(&w->random);
    return cn_scale(any_or_zero(w, low, high), direction);
}

// ---- the world

static inline const char *any_solver(wild *w)
{
    int count = 0;
    while (cn_solver_name(count) != NULL)
        count++;
    return chance(w, 2) ? "soft_step" : cn_solver_name((int)(rng_next(&w->random) % (uint32_t)count));
}

static inline cn_world_def any_world_def(wild *w)
{
    cn_world_def def = cn_world_def_default();
    def.solver = any_solver(w);
    def.gravity = is_wild(w, WILD_GRAVITY) ? any_vector(w, 1e-6f, 0.99f * CN_MAX_GRAVITY) : def.gravity;
    def.sleeping = !chance(w, 3);
    def.friction_model = (cn_friction_model)(rng_next(&w->random) % CN_FRICTION_MODEL_COUNT);
    def.joint_solve = (cn_joint_solve)(rng_next(&w->random) % CN_JOINT_SOLVE_COUNT);
    def.position_correction = (cn_position_correction)(rng_next(&w->random) % CN_POSITION_CORRECTION_COUNT);
    def.measure = chance(w, 4);
    def.tolerance = chance(w, 8) ? any_between(w, 1e-8f, 1.0f) : 0.0f;
    def.effort = INT32_MAX; // islands do not share it
    if (!is_wild(w, WILD_SETTINGS))
        return def;
    bool light = strcmp(def.solver, "soft_step") == 0 || strcmp(def.solver, "pgs") == 0 || strcmp(def.solver, "mass_split") == 0;
    def.substeps = (int)any_between(w, 1.0f, light && chance(w, 4) ? 256.0f : 8.0f);
    def.iterations = (int)any_or_zero(w, 1.0f, 20.0f);
    def.early_exit = any_or_zero(w, 1e-6f, 1.0f);
    def.contact_stiffness = any_between(w, 1e-6f, 1.0f);
    def.contact_damping_ratio = any_or_zero(w, 1e-6f, 1e6f);
    def.push_speed = any_or_zero(w, 1e-6f, CN_MAX_SPEED);
    def.joint_speed = any_or_zero(w, 1e-6f, CN_MAX_SPEED);
    def.projection = any_or_zero(w, 1e-3f, 1.0f);
    def.restitution_speed = any_or_zero(w, 1e-6f, 1e30f);
    def.hit_speed = any_or_zero(w, 1e-6f, 1e30f);
    def.sleep_speed = any_or_zero(w, 1e-6f, 1e30f);
    def.sleep_time = any_or_zero(w, 1e-6f, 1e30f);
    return def;
}

// ---- shapes

static inline float any_size(wild *w)
{
    float size = w->size * rng_range(&w->random, 0.3f, 1.0f);
    if (is_wild(w, WILD_FORM) && chance(w, 2))
        size = any_between(w, CN_MIN_SIZE, CN_MAX_SIZE);
    return cn_clampf(size, CN_MIN_SIZE, CN_MAX_SIZE);
}

static inline cn_material any_material(wild *w)
{
    cn_material m = cn_material_default();
    m.restitution = chance(w, 3) ? rng_range(&w->random, 0.0f, 1.0f) : 0.0f;
    if (!is_wild(w, WILD_MATERIAL))
        return m;
    m.friction = any_or_zero(w, 1e-6f, CN_MAX_FRICTION);
    m.kinetic_friction = chance(w, 2) ? -1.0f : any_or_zero(w, 1e-6f, CN_MAX_FRICTION);
    m.rolling_resistance = any_or_zero(w, 1e-9f, CN_MAX_SIZE);
    m.spinning_resistance = any_or_zero(w, 1e-9f, CN_MAX_SIZE);
    if (chance(w, 3))
        m.surface_velocity = any_vector(w, 1e-6f, 0.99f * CN_MAX_SPEED);
    if (chance(w, 3)) {
        m.grain = any_vector(w, 1e-6f, 0.99f * CN_MAX_SIZE);
        m.grain_friction = any_or_zero(w, 1e-6f, CN_MAX_GRAIN_FRICTION);
    }
    return m;
}

static inline cn_geometry any_hull(wild *w, cn_world *world)
{
    cn_vec3 points[16];
    float x = any_size(w), y = any_size(w), z = any_size(w);
    for (int i = 0; i < 16; i++)
        points[i] = cn_mul(cn_v3(x, y, z), rng_vec(&w->random, 1.0f));
    return cn_hull(cn_hull_create(world, points, 16));
}

// Shapes of many parts. Shapes keep what they use.
static inline bool add_composite(wild *w, cn_world *world, cn_body_id body, cn_shape_def *def)
{
    static const cn_vec3 corners[4] = {
        { 0.5f, 0.5f, 0.5f }, { -0.5f, -0.5f, 0.5f }, { -0.5f, 0.5f, -0.5f }, { 0.5f, -0.5f, -0.5f }
    };
    static const int faces[12] = { 0, 1, 3, 0, 3, 2, 0, 2, 1, 1, 2, 3 };
    static const float heights[9] = { 0.0f, 0.1f, 0.0f, 0.2f, 0.1f, 0.3f, 0.1f, 0.0f, 0.2f };
    cn_mesh_def mesh_def = cn_mesh_def_default();
    mesh_def.vertices = corners, mesh_def.indices = faces, mesh_def.vertex_count = mesh_def.triangle_count = 4;
    cn_height_field_def field_def = cn_height_field_def_default();
    field_def.columns = field_def.rows = 3, field_def.spacing_x = field_def.spacing_z = 0.5f, field_def.heights = heights;
    cn_mesh *mesh = cn_mesh_create(&mesh_def);
    cn_height_field *field = cn_height_field_create(&field_def);
    float x = any_size(w), y = any_size(w), z = any_size(w);
    const cn_compound_part parts[2] = { { .geometry = cn_box(x, y, z), .offset = CN_POSE_IDENTITY },
                                        { .geometry = cn_sphere(y), .offset = { { x, 0.0f, 0.0f }, CN_QUAT_IDENTITY } } };
    cn_compound *compound = cn_compound_create(parts, 2, NULL);
    if (def->geometry.type == CN_COMPOUND && compound != NULL)
        def->geometry = cn_geometry_compound(compound);
    else if (def->geometry.type == CN_HEIGHT_FIELD)
        def->geometry = cn_geometry_height_field(field, cn_v3(x, y, z)), def->density = 0.0f;
    else
        def->geometry = cn_geometry_mesh(mesh, cn_v3(x, y, z));
    bool added = !CN_IS_NULL(cn_shape_create(world, body, def));
    cn_mesh_destroy(mesh);
    cn_height_field_destroy(field);
    cn_compound_destroy(compound);
    return added;
}

static inline bool add_any_shape(wild *w, cn_world *world, cn_body_id body)
{
    cn_shape_def def = cn_shape_def_default();
    float x = any_size(w), y = any_size(w), z = any_size(w);
    def.material = any_material(w);
    def.density = pick(w, WILD_DENSITY, def.density, 1e-20f, 1e30f);
    def.contact_events = def.hit_events = true;
    def.sensor = chance(w, 16);
    def.filter.category = 2;
    def.filter.mask = 2; // they do not meet the bystanders
    if (chance(w, 4))
        def.offset = random_pose(&w->random, any_size(w));
    def.geometry.type = (cn_shape_type)(rng_next(&w->random) % CN_SHAPE_TYPE_COUNT);
    switch (def.geometry.type) {
    case CN_SPHERE: def.geometry = cn_sphere(x); break;
    case CN_CAPSULE: def.geometry = cn_capsule(y, x); break;
    case CN_CYLINDER: def.geometry = cn_cylinder(y, x); break;
    case CN_TAPERED_CAPSULE: def.geometry = cn_tapered_capsule(y, x, z); break;
    case CN_HULL: def.geometry = any_hull(w, world); break;
    case CN_MESH:
    case CN_HEIGHT_FIELD:
    case CN_COMPOUND: return add_composite(w, world, body, &def);
    default: def.geometry = cn_box(x, y, z);
    }
    if (!CN_IS_NULL(cn_shape_create(world, body, &def)))
        return true;
    def.geometry = cn_sphere(x);
    return !CN_IS_NULL(cn_shape_create(world, body, &def));
}

// ---- bodies

static inline void set_any_mass(wild *w, cn_world *world, cn_body_id body)
{
    float a = any_between(w, 1e-30f, 1e28f), b = any_between(w, 0.01f, 1.0f) * a;
    cn_mass mass = { any_between(w, 1e-16f, 1e15f), { 0.0f, 0.0f, 0.0f }, { a, b, a, 0.0f, 0.0f, 0.0f } };
    if (chance(w, 2)) // about as large as the bodies are
        mass.inertia = (cn_sym3){ mass.mass * w->size * w->size, mass.mass * w->size * w->size, mass.mass * w->size * w->size, 0, 0, 0 };
    cn_body_set_mass(world, body, mass);
}

static inline cn_body_id add_any_body(wild *w, cn_world *world, bool fixed)
{
    cn_body_def def = cn_body_def_default();
    cn_vec3 place = rng_vec(&w->random, 2.0f * w->size);
    def.position = cn_p3((double)place.x, (double)place.y, (double)place.z);
    def.rotation = rng_quat(&w->random);
    def.type = fixed ? CN_STATIC : chance(w, 8) ? CN_KINEMATIC : CN_DYNAMIC;
    def.continuous = !chance(w, 4);
    if (!fixed) {
        def.linear_velocity = is_wild(w, WILD_SPEED) ? any_vector(w, 1e-6f, 0.99f * CN_MAX_SPEED) : rng_vec(&w->random, 3.0f);
        def.angular_velocity = is_wild(w, WILD_SPIN) ? any_vector(w, 1e-6f, 0.99f * CN_MAX_SPEED) : rng_vec(&w->random, 3.0f);
    }
    if (is_wild(w, WILD_DAMPING)) {
        def.linear_damping = any_or_zero(w, 1e-6f, 3e38f);
        def.angular_damping = any_or_zero(w, 1e-6f, 3e38f);
        def.gravity_scale = any_or_zero(w, 1e-6f, CN_MAX_ACCELERATION / CN_MAX_GRAVITY) * (chance(w, 3) ? -1.0f : 1.0f);
    }
    if (chance(w, 10))
        def.locks = rng_next(&w->random) % 64;
    if (is_wild(w, WILD_LIMITS) && chance(w, 2)) {
        def.max_linear_speed = any_between(w, 1e-6f, 1e30f);
        def.max_angular_speed = any_between(w, 1e-6f, 1e30f);
        def.sleep_speed = any_or_zero(w, 1e-6f, CN_MAX_SPEED);
        def.can_sleep = !chance(w, 4);
    }
    cn_body_id body = cn_body_create(world, &def);
    if (CN_IS_NULL(body))
        fail_msg("%s", cn_last_error());
    for (uint32_t i = 1 + rng_next(&w->random) % 3 / 2; i > 0; i--)
        add_any_shape(w, world, body);
    if (def.type == CN_DYNAMIC && is_wild(w, WILD_MASS))
        set_any_mass(w, world, body);
    return body;
}

// Both may be refused, where they would be too much for the body.
static inline void push_any(wild *w, cn_world *world, cn_body_id body)
{
    if (!is_wild(w, WILD_FORCES) || cn_body_get_type(world, body) != CN_DYNAMIC)
        return;
    cn_pos3 at = cn_pos_add(cn_body_get_center(world, body), any_vector(w, 1e-6f, 1e6f));
    for (int i = 0; i < 3; i++) {
        cn_body_apply_force_at(world, body, any_vector(w, 1e-20f, 3e38f), at);
        cn_body_apply_impulse_at(world, body, any_vector(w, 1e-20f, 3e38f), at);
        cn_body_apply_torque(world, body, any_vector(w, 1e-30f, 3e38f));
        cn_body_apply_angular_impulse(world, body, any_vector(w, 1e-30f, 3e38f));
    }
}

// ---- joints

static inline cn_joint_def any_preset(wild *w, cn_world *world, cn_body_id a, cn_body_id b)
{
    cn_pos3 p = cn_body_get_transform(world, a).position, q = cn_pos_add(p, rng_vec(&w->random, w->size)), up = p, down = q;
    cn_vec3 axis = rng_unit(&w->random), second = cn_perpendicular(axis);
    float stiffness = pick(w, WILD_JOINTS, 100.0f, 1e-20f, 1e20f), damping = pick(w, WILD_JOINTS, 10.0f, 1e-20f, 1e20f);
    float force = chance(w, 3) ? INFINITY : pick(w, WILD_JOINTS, 1000.0f, 1e-20f, 3e38f);
    float ratio = pick(w, WILD_JOINTS, 1.0f, 1e-6f, 1e6f), hertz = pick(w, WILD_JOINTS, 5.0f, 1e-10f, 1e6f);
    up.y += 3.0 * (double)w->size, down.y += 4.0 * (double)w->size;
    switch (rng_next(&w->random) % 14) {
    case 0: return cn_ball_joint(world, a, b, q);
    case 1: {
        float cone = rng_range(&w->random, 0.0f, 3.0f), twist = rng_range(&w->random, 0.0f, 3.0f);
        return cn_cone_twist_joint(world, a, b, q, axis, cone, twist);
    }
    case 2: return cn_hinge_joint(world, a, b, q, axis);
    case 3: return cn_slider_joint(world, a, b, q, axis);
    case 4: return cn_cylindrical_joint(world, a, b, q, axis);
    case 5: return cn_planar_joint(world, a, b, q, axis);
    case 6: return cn_fixed_joint(world, a, b, q);
    case 7: return cn_distance_joint(world, a, b, p, q);
    case 8: return cn_rope_joint(world, a, b, p, q, w->size);
    case 9: return cn_spring_joint(world, a, b, p, q, stiffness, damping);
    case 10: return cn_wheel_joint(world, a, b, q, axis, second, stiffness, damping);
    case 11: return cn_motor_joint(world, a, b, hertz, force, force);
    case 12: return cn_gear_joint(world, a, b, axis, second, ratio);
    case 13: return chance(w, 2) ? cn_rack_joint(world, a, b, axis, second, ratio) : cn_pulley_joint(world, a, b, p, q, up, down, ratio);
    default: return cn_joint_def_default();
    }
}

static inline void make_axis_wild(wild *w, cn_joint_axis *axis)
{
    bool infinite = chance(w, 3);
    axis->hertz = chance(w, 2) ? 0.0f : any_between(w, 1e-10f, 1e6f);
    axis->damping_ratio = any_or_zero(w, 1e-10f, 1e6f);
    axis->friction = chance(w, 2) ? 0.0f : any_between(w, 1e-20f, 3e38f);
    if (chance(w, 2)) {
        axis->spring_stiffness = any_or_zero(w, 1e-20f, 1e20f);
        axis->spring_damping = any_or_zero(w, 1e-20f, 1e20f);
        axis->spring_rest = rng_range(&w->random, -1.0f, 1.0f) * any_between(w, 1e-10f, 1e8f);
    }
    axis->motor = (cn_motor_mode)(rng_next(&w->random) % CN_MOTOR_MODE_COUNT);
    axis->motor_target = rng_range(&w->random, -1.0f, 1.0f) * any_between(w, 1e-10f, 1e8f);
    axis->motor_max_force = infinite ? INFINITY : any_or_zero(w, 1e-20f, 3e38f);
    axis->motor_hertz = chance(w, 2) ? 0.0f : any_between(w, 1e-10f, 1e6f);
    axis->motor_damping_ratio = any_or_zero(w, 1e-10f, 1e6f);
    if (axis->freedom == CN_FREE && chance(w, 2)) {
        axis->freedom = CN_LIMITED;
        axis->lower = -rng_range(&w->random, 0.0f, 3.0f);
        axis->upper = rng_range(&w->random, 0.0f, 3.0f);
    }
}

// One motor and one friction about all three axes.
static inline void make_ball_wild(wild *w, cn_joint_ball *ball)
{
    ball->motor = (cn_motor_mode)(rng_next(&w->random) % CN_MOTOR_MODE_COUNT);
    ball->motor_velocity = any_vector(w, 1e-10f, 0.99e8f);
    ball->motor_rotation = rng_quat(&w->random);
    ball->motor_max_torque = chance(w, 3) ? INFINITY : any_or_zero(w, 1e-20f, 3e38f);
    ball->motor_hertz = chance(w, 2) ? 0.0f : any_between(w, 1e-10f, 1e6f);
    ball->motor_damping_ratio = any_or_zero(w, 1e-10f, 1e6f);
    ball->friction = chance(w, 2) ? 0.0f : any_between(w, 1e-20f, 3e38f);
}

static inline bool turns_freely(const cn_joint_def *def)
{
    return def->kind == CN_JOINT_FRAMES && def->axes[CN_TWIST].freedom != CN_LOCKED && def->axes[CN_SWING_Y].freedom != CN_LOCKED &&
           def->axes[CN_SWING_Z].freedom != CN_LOCKED;
}

static inline void join_any(wild *w, cn_world *world, cn_body_id a, cn_body_id b)
{
    cn_body_id nobody = { 0 };
    cn_joint_def def = any_preset(w, world, a, chance(w, 6) ? nobody : b);
    int dof = (int)(rng_next(&w->random) % CN_DOF_COUNT);
    if (def.kind == CN_JOINT_KIND_COUNT)
        return;
    if (is_wild(w, WILD_JOINTS))
        make_axis_wild(w, &def.axes[def.kind == CN_JOINT_FRAMES ? dof : 0]);
    else if (def.axes[dof].freedom != CN_LOCKED && def.kind == CN_JOINT_FRAMES && chance(w, 3)) {
        def.axes[dof].motor = CN_MOTOR_SPEED;
        def.axes[dof].motor_target = 1.0f;
        def.axes[dof].motor_max_force = 100.0f;
    }
    wild other = { .random = { w->random.state + 1 }, .kinds = w->kinds }; // so that worlds without them stay what they are
    if (turns_freely(&def) && chance(&other, 2)) {
        if (is_wild(w, WILD_JOINTS))
            make_ball_wild(&other, &def.ball);
        else
            def.ball.friction = 1.0f, def.ball.motor = CN_MOTOR_PLACE, def.ball.motor_max_torque = 100.0f;
    }
    def.collide = chance(w, 3);
    if (chance(w, 6))
        def.break_force = any_between(w, 1e-10f, 1e30f);
    cn_joint_create(world, &def);
}

#endif
