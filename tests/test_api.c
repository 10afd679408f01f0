// Bad input to every public function: each call is refused with a sentence that names the function and what is wrong, and
// changes nothing.
#include "api_fixture.h"
#include "world/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A world with something in it, another world, and ids that are good or bad in every way.
enum { NULL_ID, STALE_ID, FOREIGN_ID, UNKNOWN_ID, NULL_WORLD, BAD_COUNT };
static const char *const bad_words[BAD_COUNT] = { "is null", "is stale: it was destroyed", "belongs to another world",
                                                  "was never created", "world is NULL" };
static cn_world *world, *other;
static cn_body_id body, fixed, mover; // dynamic, static, kinematic
static cn_shape_id shape;
static cn_hull_id hull;
static cn_body_id bad_bodies[BAD_COUNT];
static cn_shape_id bad_shapes[BAD_COUNT];
static cn_hull_id bad_hulls[BAD_COUNT];

static int setup(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    world = cn_world_create(&def);
    other = cn_world_create(&def);
    body = add_body(world, CN_DYNAMIC, 0.5);
    fixed = add_body(world, CN_STATIC, -0.5);
    mover = add_body(world, CN_KINEMATIC, 9.0);
    shape = add_shape(world, body);
    add_shape(world, fixed);
    hull = cn_hull_create(world, tetrahedron, 4);
    if (CN_IS_NULL(shape) || CN_IS_NULL(hull) || CN_IS_NULL(mover))
        fail_msg("%s", cn_last_error());

    cn_body_id foreign = add_body(other, CN_DYNAMIC, 0.0), stale = add_body(world, CN_DYNAMIC, 20.0);
    cn_shape_id stale_shape = add_shape(world, stale);
    cn_hull_id stale_hull = cn_hull_create(world, tetrahedron, 4);
    cn_body_destroy(world, stale);
    cn_hull_destroy(world, stale_hull);
    cn_body_id unknown = { 1000, 1, body.world };
    cn_body_id bodies[BAD_COUNT] = { { 0 }, stale, foreign, unknown, body };
    cn_shape_id shapes[BAD_COUNT] = { { 0 }, stale_shape, add_shape(other, foreign), { 1000, 1, body.world }, shape };
    cn_hull_id hulls[BAD_COUNT] = { { 0 }, stale_hull, cn_hull_create(other, tetrahedron, 4), { 1000, 1, body.world }, hull };
    memcpy(bad_bodies, bodies, sizeof bodies);
    memcpy(bad_shapes, shapes, sizeof shapes);
    memcpy(bad_hulls, hulls, sizeof hulls);
    for (int i = 0; i < 3; i++)
        cn_world_step(world, 1.0f / 60.0f);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cn_world_destroy(world);
    cn_world_destroy(other);
    return 0;
}

// ---- the state that must not change

static uint64_t state_of(const cn_world *w)
{
    const int counts[] = { w->bodies.count,
                           w->free_bodies.count,
                           w->shapes.count,
                           w->free_shapes.count,
                           w->hulls.count,
                           w->free_hulls.count,
                           w->contacts.count,
                           w->free_contacts.count,
                           w->awake.count,
                           w->moved_shapes.count,
                           w->awake_contacts.count,
                           w->body_count,
                           w->static_tree.leaf_count,
                           w->moving_tree.leaf_count,
                           w->pending_sleep_events.count };
    uint64_t hash = cn_world_hash(w);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        hash = hash * 1000003u + (uint64_t)counts[i];
    for (int i = 0; i < w->bodies.count; i++) {
        const cn_body *b = &w->bodies.data[i];
        const float numbers[] = { b->mass,    b->inertia.xx, b->linear_damping, b->angular_damping, b->gravity_scale,
                                  b->force.x, b->torque.x,   (float)b->type,    (float)b->locks,    (float)b->shape_count };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            uint32_t bits;
            memcpy(&bits, &numbers[k], sizeof bits);
            hash = hash * 1000003u + bits;
        }
    }
    return hash;
}

static uint64_t before;

static void expect_refusal(void)
{
    cn_stage_name((cn_stage)-1); // puts another sentence in cn_last_error()
    before = state_of(world);
}

static void check_refusal(const char *call, const char *words)
{
    char function[64];
    snprintf(function, sizeof function, "%.*s: ", (int)strcspn(call, "("), call);
    const char *error = cn_last_error();
    if (strncmp(error, function, strlen(function)) != 0 || strstr(error, words) == NULL)
        fail_msg("%s should say \"%s... %s\", but says \"%s\"", call, function, words, error);
    if (state_of(world) != before)
        fail_msg("%s changed the world", call);
}

// The call answers false, zero or NULL; its error names the function and contains `words`.
#define REFUSES(call, words)                                                                                                   \
    do {                                                                                                                       \
        expect_refusal();                                                                                                      \
        if (call)                                                                                                              \
            fail_msg("%s was not refused (%s)", #call, words);                                                                 \
        check_refusal(#call, words);                                                                                           \
    } while (0)
// The same for calls that return an id or another structure: some field of it is zero.
#define REFUSES_FIELD(call, field, words)                                                                                      \
    do {                                                                                                                       \
        expect_refusal();                                                                                                      \
        if ((call).field != 0)                                                                                                 \
            fail_msg("%s was not refused (%s)", #call, words);                                                                 \
        check_refusal(#call, words);                                                                                           \
    } while (0)
// Makes the call with every bad id, and with no world; the call names them `w` and `id`.
#define EACH_BAD(kind, ids, statement)                                                                                         \
    for (int bad = 0; bad < BAD_COUNT; bad++) {                                                                                \
        cn_world *w = bad == NULL_WORLD ? NULL : world;                                                                        \
        kind id = ids[bad];                                                                                                    \
        statement;                                                                                                             \
    }
#define EACH_BAD_BODY(call) EACH_BAD(cn_body_id, bad_bodies, REFUSES(call, bad_words[bad]))
#define EACH_BAD_BODY_FIELD(call, field) EACH_BAD(cn_body_id, bad_bodies, REFUSES_FIELD(call, field, bad_words[bad]))
#define EACH_BAD_SHAPE(call) EACH_BAD(cn_shape_id, bad_shapes, REFUSES(call, bad_words[bad]))
#define EACH_BAD_SHAPE_FIELD(call, field) EACH_BAD(cn_shape_id, bad_shapes, REFUSES_FIELD(call, field, bad_words[bad]))
#define EACH_BAD_HULL(call) EACH_BAD(cn_hull_id, bad_hulls, REFUSES(call, bad_words[bad]))

// ---- ids

static void bodies_refuse_bad_ids(void **state)
{
    (void)state;
    cn_shape_id shapes[1];
    cn_contact_data contacts[1];
    cn_shape_def def = cn_shape_def_default();
    def.geometry = cn_sphere(1.0f);
    EACH_BAD_BODY(cn_body_destroy(w, id));
    EACH_BAD_BODY(cn_body_get_type(w, id));
    EACH_BAD_BODY(cn_body_set_type(w, id, CN_STATIC));
    EACH_BAD_BODY_FIELD(cn_body_get_transform(w, id), position.y);
    EACH_BAD_BODY_FIELD(cn_body_get_transform(w, id), rotation.w - 1.0f);
    EACH_BAD_BODY(cn_body_set_transform(w, id, home));
    EACH_BAD_BODY_FIELD(cn_body_get_center(w, id), y);
    EACH_BAD_BODY_FIELD(cn_body_get_linear_velocity(w, id), y);
    EACH_BAD_BODY(cn_body_set_linear_velocity(w, id, one));
    EACH_BAD_BODY_FIELD(cn_body_get_angular_velocity(w, id), y);
    EACH_BAD_BODY(cn_body_set_angular_velocity(w, id, one));
    EACH_BAD_BODY(cn_body_move_kinematic(w, id, home, 1.0f));
    EACH_BAD_BODY_FIELD(cn_body_get_mass(w, id), mass);
    EACH_BAD_BODY(cn_body_set_mass(w, id, cn_mass_sphere(1.0f, 1.0f)));
    EACH_BAD_BODY(cn_body_reset_mass(w, id));
    EACH_BAD_BODY(cn_body_apply_force(w, id, one));
    EACH_BAD_BODY(cn_body_apply_force_at(w, id, one, home.position));
    EACH_BAD_BODY(cn_body_apply_torque(w, id, one));
    EACH_BAD_BODY(cn_body_apply_impulse(w, id, one));
    EACH_BAD_BODY(cn_body_apply_impulse_at(w, id, one, home.position));
    EACH_BAD_BODY(cn_body_apply_angular_impulse(w, id, one));
    EACH_BAD_BODY(cn_body_get_linear_damping(w, id) != 0.0f);
    EACH_BAD_BODY(cn_body_set_linear_damping(w, id, 1.0f));
    EACH_BAD_BODY(cn_body_get_angular_damping(w, id) != 0.0f);
    EACH_BAD_BODY(cn_body_set_angular_damping(w, id, 1.0f));
    EACH_BAD_BODY(cn_body_get_gravity_scale(w, id) != 0.0f);
    EACH_BAD_BODY(cn_body_set_gravity_scale(w, id, 1.0f));
    EACH_BAD_BODY(cn_body_get_locks(w, id));
    EACH_BAD_BODY(cn_body_set_locks(w, id, CN_LOCK_LINEAR_X));
    EACH_BAD_BODY(cn_body_is_awake(w, id));
    EACH_BAD_BODY(cn_body_set_awake(w, id, true));
    EACH_BAD_BODY(cn_body_get_can_sleep(w, id));
    EACH_BAD_BODY(cn_body_set_can_sleep(w, id, false));
    EACH_BAD_BODY(cn_body_get_user_data(w, id));
    EACH_BAD_BODY(cn_body_set_user_data(w, id, world));
    EACH_BAD_BODY(cn_body_get_shape_count(w, id));
    EACH_BAD_BODY(cn_body_get_shapes(w, id, shapes, 1));
    EACH_BAD_BODY(cn_body_get_contacts(w, id, contacts, 1));
    EACH_BAD_BODY_FIELD(cn_shape_create(w, id, &def), index1);
    for (int i = 0; i < BAD_COUNT; i++)
        assert_false(cn_body_is_valid(i == NULL_WORLD ? NULL : world, bad_bodies[i]));
    assert_true(cn_body_is_valid(world, body));
}

static void shapes_refuse_bad_ids(void **state)
{
    (void)state;
    cn_material material = cn_material_default();
    EACH_BAD_SHAPE(cn_shape_destroy(w, id));
    EACH_BAD_SHAPE_FIELD(cn_shape_get_body(w, id), index1);
    EACH_BAD_SHAPE_FIELD(cn_shape_get_geometry(w, id), half_extents.x);
    EACH_BAD_SHAPE_FIELD(cn_shape_get_offset(w, id), position.x);
    EACH_BAD_SHAPE_FIELD(cn_shape_get_offset(w, id), rotation.w - 1.0f);
    EACH_BAD_SHAPE(cn_shape_get_density(w, id) != 0.0f);
    EACH_BAD_SHAPE_FIELD(cn_shape_get_material(w, id), friction);
    EACH_BAD_SHAPE(cn_shape_set_material(w, id, &material));
    EACH_BAD_SHAPE_FIELD(cn_shape_get_filter(w, id), mask);
    EACH_BAD_SHAPE(cn_shape_set_filter(w, id, cn_filter_default()));
    EACH_BAD_SHAPE(cn_shape_get_user_data(w, id));
    EACH_BAD_SHAPE(cn_shape_set_user_data(w, id, world));
    EACH_BAD_SHAPE_FIELD(cn_shape_get_bounds(w, id), upper.y);
    for (int i = 0; i < BAD_COUNT; i++)
        assert_false(cn_shape_is_valid(i == NULL_WORLD ? NULL : world, bad_shapes[i]));
    assert_true(cn_shape_is_valid(world, shape));
}

static void hulls_refuse_bad_ids(void **state)
{
    (void)state;
    cn_vec3 vertices[4];
    int indices[4];
    EACH_BAD_HULL(cn_hull_destroy(w, id));
    EACH_BAD_HULL(cn_hull_get_vertex_count(w, id));
    EACH_BAD_HULL(cn_hull_get_face_count(w, id));
    EACH_BAD_HULL(cn_hull_get_vertices(w, id, vertices, 4));
    EACH_BAD_HULL(cn_hull_get_face(w, id, 0, indices, 4));
    for (int i = 0; i < BAD_COUNT; i++)
        assert_false(cn_hull_is_valid(i == NULL_WORLD ? NULL : world, bad_hulls[i]));
    assert_true(cn_hull_is_valid(world, hull));
    for (int i = 0; i < NULL_WORLD; i++) {
        cn_shape_def def = cn_shape_def_default();
        def.geometry = cn_hull(bad_hulls[i]);
        REFUSES_FIELD(cn_shape_create(world, body, &def), index1, bad_words[i]);
    }
}

// ---- numbers

static const float not_finite[3] = { NAN, INFINITY, -INFINITY };

// Makes a call with NaN and infinities in place of `bad`.
#define EACH_NOT_FINITE(statement)                                                                                             \
    for (int n = 0; n < 3; n++) {                                                                                              \
        float bad = not_finite[n];                                                                                             \
        statement;                                                                                                             \
    }
// Tries a value in one field of a definition that is otherwise good.
#define REFUSES_BODY_WITH(assignment, words)                                                                                   \
    do {                                                                                                                       \
        cn_body_def def = cn_body_def_default();                                                                               \
        def.assignment;                                                                                                        \
        REFUSES_FIELD(cn_body_create(world, &def), index1, words);                                                             \
    } while (0)

static void body_definitions_are_checked(void **state)
{
    (void)state;
    cn_body_def definition = cn_body_def_default();
    REFUSES_FIELD(cn_body_create(NULL, &definition), index1, "world is NULL");
    REFUSES_FIELD(cn_body_create(world, NULL), index1, "def is NULL");
    EACH_NOT_FINITE(REFUSES_BODY_WITH(position.x = (double)bad, "def.position"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(rotation.y = bad, "def.rotation"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(linear_velocity.z = bad, "def.linear_velocity"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(angular_velocity.x = bad, "def.angular_velocity"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(linear_damping = bad, "def.linear_damping"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(angular_damping = bad, "def.angular_damping"));
    EACH_NOT_FINITE(REFUSES_BODY_WITH(gravity_scale = bad, "def.gravity_scale"));
    REFUSES_BODY_WITH(type = CN_BODY_TYPE_COUNT, "def.type");
    REFUSES_BODY_WITH(type = (cn_body_type)-1, "def.type");
    REFUSES_BODY_WITH(position.z = 2e12, "def.position");
    REFUSES_BODY_WITH(rotation.w = 0.0f, "def.rotation");
    REFUSES_BODY_WITH(linear_velocity.y = -2e8f, "def.linear_velocity");
    REFUSES_BODY_WITH(angular_velocity.y = 2e8f, "def.angular_velocity");
    REFUSES_BODY_WITH(linear_damping = -1.0f, "def.linear_damping");
    REFUSES_BODY_WITH(angular_damping = -1.0f, "def.angular_damping");
    REFUSES_BODY_WITH(gravity_scale = 1e30f, "def.gravity_scale");
    REFUSES_BODY_WITH(locks = 64, "def.locks");
    definition.type = CN_STATIC;
    definition.linear_velocity = one;
    REFUSES_FIELD(cn_body_create(world, &definition), index1, "def.linear_velocity");
    definition.type = CN_DYNAMIC;
    definition.awake = false;
    REFUSES_FIELD(cn_body_create(world, &definition), index1, "def.awake");
    definition.linear_velocity = (cn_vec3){ 0.0f, 0.0f, 0.0f };
    definition.can_sleep = false;
    REFUSES_FIELD(cn_body_create(world, &definition), index1, "def.can_sleep");
}

static void body_setters_check_numbers(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) {
        float bad = not_finite[n];
        cn_vec3 v = { 0.0f, bad, 0.0f };
        cn_transform nowhere = home, unturned = home;
        nowhere.position.x = (double)bad;
        unturned.rotation.x = bad;
        cn_mass mass = cn_mass_sphere(1.0f, 1.0f), off_centre = mass, odd = mass;
        mass.mass = bad;
        off_centre.center.x = bad;
        odd.inertia.xy = bad;
        REFUSES(cn_body_set_transform(world, body, nowhere), "transform.position");
        REFUSES(cn_body_set_transform(world, body, unturned), "transform.rotation");
        REFUSES(cn_body_set_linear_velocity(world, body, v), "velocity");
        REFUSES(cn_body_set_angular_velocity(world, body, v), "velocity");
        REFUSES(cn_body_move_kinematic(world, mover, nowhere, 1.0f), "target.position");
        REFUSES(cn_body_move_kinematic(world, mover, unturned, 1.0f), "target.rotation");
        REFUSES(cn_body_move_kinematic(world, mover, home, bad), "time");
        REFUSES(cn_body_set_mass(world, body, mass), "mass");
        REFUSES(cn_body_set_mass(world, body, off_centre), "mass.center");
        REFUSES(cn_body_set_mass(world, body, odd), "inertia");
        REFUSES(cn_body_apply_force(world, body, v), "force");
        REFUSES(cn_body_apply_force_at(world, body, v, home.position), "force");
        REFUSES(cn_body_apply_force_at(world, body, one, nowhere.position), "point");
        REFUSES(cn_body_apply_torque(world, body, v), "torque");
        REFUSES(cn_body_apply_impulse(world, body, v), "impulse");
        REFUSES(cn_body_apply_impulse_at(world, body, v, home.position), "impulse");
        REFUSES(cn_body_apply_impulse_at(world, body, one, nowhere.position), "point");
        REFUSES(cn_body_apply_angular_impulse(world, body, v), "impulse");
        REFUSES(cn_body_set_linear_damping(world, body, bad), "damping");
        REFUSES(cn_body_set_angular_damping(world, body, bad), "damping");
        REFUSES(cn_body_set_gravity_scale(world, body, bad), "scale");
    }
}

static void body_setters_check_sense(void **state)
{
    (void)state;
    cn_vec3 huge = { 3e38f, 0.0f, 0.0f };
    cn_transform far = home;
    far.position.z = -1e13;
    cn_mass flat = { 1.0f, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f } };
    cn_mass inside_out = { 1.0f, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1.0f, 1.0f, 2.0f, 0.0f, 0.0f } };
    cn_mass negative = { -1.0f, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f } };
    REFUSES(cn_body_set_type(world, body, CN_BODY_TYPE_COUNT), "type");
    REFUSES(cn_body_set_type(world, body, (cn_body_type)77), "type");
    REFUSES(cn_body_set_transform(world, body, far), "transform.position");
    REFUSES(cn_body_set_linear_velocity(world, body, huge), "velocity");
    REFUSES(cn_body_set_angular_velocity(world, body, huge), "velocity");
    REFUSES(cn_body_set_linear_velocity(world, fixed, one), "static");
    REFUSES(cn_body_set_angular_velocity(world, fixed, one), "static");
    REFUSES(cn_body_move_kinematic(world, body, home, 1.0f), "dynamic, not kinematic");
    REFUSES(cn_body_move_kinematic(world, fixed, home, 1.0f), "static, not kinematic");
    REFUSES(cn_body_move_kinematic(world, mover, home, 0.0f), "time");
    REFUSES(cn_body_move_kinematic(world, mover, home, -1.0f), "time");
    REFUSES(cn_body_move_kinematic(world, mover, home, 1e-30f), "velocity");
    REFUSES(cn_body_set_mass(world, body, flat), "inertia");
    REFUSES(cn_body_set_mass(world, body, inside_out), "inertia");
    REFUSES(cn_body_set_mass(world, body, negative), "mass is -1");
    REFUSES(cn_body_set_mass(world, fixed, cn_mass_sphere(1.0f, 1.0f)), "static");
    REFUSES(cn_body_reset_mass(world, mover), "kinematic");
    REFUSES(cn_body_apply_force(world, fixed, one), "static");
    REFUSES(cn_body_apply_force(world, mover, one), "kinematic");
    REFUSES(cn_body_apply_force_at(world, mover, one, home.position), "kinematic");
    REFUSES(cn_body_apply_torque(world, mover, one), "kinematic");
    REFUSES(cn_body_apply_impulse(world, mover, one), "kinematic");
    REFUSES(cn_body_apply_impulse_at(world, mover, one, home.position), "kinematic");
    REFUSES(cn_body_apply_angular_impulse(world, fixed, one), "static");
    REFUSES(cn_body_apply_force(world, body, huge), "acceleration");
    REFUSES(cn_body_apply_torque(world, body, huge), "acceleration");
    REFUSES(cn_body_apply_impulse(world, body, huge), "velocity");
    REFUSES(cn_body_apply_angular_impulse(world, body, huge), "velocity");
    REFUSES(cn_body_set_linear_damping(world, body, -0.1f), "damping");
    REFUSES(cn_body_set_angular_damping(world, body, -0.1f), "damping");
    REFUSES(cn_body_set_gravity_scale(world, body, 1e20f), "scale");
    REFUSES(cn_body_set_locks(world, body, 0x40), "locks");
    REFUSES(cn_body_set_awake(world, fixed, true), "static");
    REFUSES(cn_body_set_awake(world, mover, false), "kinematic");
    REFUSES(cn_body_get_shapes(world, body, NULL, 1), "shapes");
    REFUSES(cn_body_get_shapes(world, body, NULL, -1), "capacity");
    REFUSES(cn_body_get_contacts(world, body, NULL, 1), "contacts");
    REFUSES(cn_body_get_contacts(world, body, NULL, -1), "capacity");
}

#define REFUSES_SHAPE_WITH(assignment, words)                                                                                  \
    do {                                                                                                                       \
        cn_shape_def def = cn_shape_def_default();                                                                             \
        def.geometry = cn_box(1.0f, 1.0f, 1.0f);                                                                               \
        def.assignment;                                                                                                        \
        REFUSES_FIELD(cn_shape_create(world, body, &def), index1, words);                                                      \
    } while (0)

static void shape_definitions_are_checked(void **state)
{
    (void)state;
    REFUSES_FIELD(cn_shape_create(world, body, NULL), index1, "def is NULL");
    const float sizes[] = { NAN, INFINITY, -INFINITY, -1.0f, 0.0f, 1e-7f, 1e7f };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        float bad = sizes[i];
        REFUSES_SHAPE_WITH(geometry = cn_sphere(bad), "def.geometry.radius");
        REFUSES_SHAPE_WITH(geometry = cn_capsule(1.0f, bad), "def.geometry.radius");
        REFUSES_SHAPE_WITH(geometry = cn_cylinder(1.0f, bad), "def.geometry.radius");
        REFUSES_SHAPE_WITH(geometry = cn_cylinder(bad, 1.0f), "def.geometry.half_height");
        REFUSES_SHAPE_WITH(geometry = cn_box(bad, 1.0f, 1.0f), "def.geometry.half_extents.x");
        REFUSES_SHAPE_WITH(geometry = cn_box(1.0f, bad, 1.0f), "def.geometry.half_extents.y");
        REFUSES_SHAPE_WITH(geometry = cn_box(1.0f, 1.0f, bad), "def.geometry.half_extents.z");
    }
    REFUSES_SHAPE_WITH(geometry = cn_capsule(-1.0f, 1.0f), "def.geometry.half_height");
    REFUSES_SHAPE_WITH(geometry.type = CN_SHAPE_TYPE_COUNT, "def.geometry.type");
    REFUSES_SHAPE_WITH(geometry.type = (cn_shape_type)-5, "def.geometry.type");
    EACH_NOT_FINITE(REFUSES_SHAPE_WITH(offset.position.y = bad, "def.offset.position"));
    EACH_NOT_FINITE(REFUSES_SHAPE_WITH(offset.rotation.w = bad, "def.offset.rotation"));
    EACH_NOT_FINITE(REFUSES_SHAPE_WITH(density = bad, "def.density"));
    REFUSES_SHAPE_WITH(offset.position.y = 1e7f, "def.offset.position");
    REFUSES_SHAPE_WITH(offset.rotation.w = 0.0f, "def.offset.rotation");
    REFUSES_SHAPE_WITH(density = -1.0f, "def.density");
    REFUSES_SHAPE_WITH(density = 1e35f, "def.density");
    REFUSES_SHAPE_WITH(density = 1e-38f, "def.density");
    REFUSES_SHAPE_WITH(material.friction = -1.0f, "def.material.friction");
    REFUSES_SHAPE_WITH(material.restitution = 1.5f, "def.material.restitution");
}

static void materials_are_checked(void **state)
{
    (void)state;
    cn_material good = cn_material_default();
    REFUSES(cn_shape_set_material(world, shape, NULL), "material is NULL");
    for (int n = 0; n < 3; n++) {
        cn_material friction = good, kinetic = good, restitution = good, rolling = good, spinning = good, belt = good;
        friction.friction = not_finite[n];
        kinetic.kinetic_friction = not_finite[n];
        restitution.restitution = not_finite[n];
        rolling.rolling_resistance = not_finite[n];
        spinning.spinning_resistance = not_finite[n];
        belt.surface_velocity.y = not_finite[n];
        REFUSES(cn_shape_set_material(world, shape, &friction), "material.friction");
        REFUSES(cn_shape_set_material(world, shape, &kinetic), "material.kinetic_friction");
        REFUSES(cn_shape_set_material(world, shape, &restitution), "material.restitution");
        REFUSES(cn_shape_set_material(world, shape, &rolling), "material.rolling_resistance");
        REFUSES(cn_shape_set_material(world, shape, &spinning), "material.spinning_resistance");
        REFUSES(cn_shape_set_material(world, shape, &belt), "material.surface_velocity");
    }
    const float restitutions[] = { -0.1f, 1.1f };
    for (int i = 0; i < 2; i++) {
        cn_material bad = good;
        bad.restitution = restitutions[i];
        REFUSES(cn_shape_set_material(world, shape, &bad), "material.restitution");
    }
    cn_material rolling = good, spinning = good;
    rolling.rolling_resistance = spinning.spinning_resistance = -0.1f;
    REFUSES(cn_shape_set_material(world, shape, &rolling), "material.rolling_resistance");
    REFUSES(cn_shape_set_material(world, shape, &spinning), "material.spinning_resistance");
}

static void hull_points_are_checked(void **state)
{
    (void)state;
    int indices[8];
    cn_vec3 points[4];
    REFUSES_FIELD(cn_hull_create(NULL, tetrahedron, 4), index1, "world is NULL");
    REFUSES_FIELD(cn_hull_create(world, NULL, 4), index1, "points is NULL");
    REFUSES_FIELD(cn_hull_create(world, tetrahedron, 3), index1, "count is 3");
    REFUSES_FIELD(cn_hull_create(world, tetrahedron, -3), index1, "count is -3");
    for (int n = 0; n < 3; n++) {
        memcpy(points, tetrahedron, sizeof points);
        points[2].y = not_finite[n];
        REFUSES_FIELD(cn_hull_create(world, points, 4), index1, "points[2]");
    }
    memcpy(points, tetrahedron, sizeof points);
    points[1].x = 1e7f;
    REFUSES_FIELD(cn_hull_create(world, points, 4), index1, "points[1]");
    memcpy(points, tetrahedron, sizeof points);
    points[3].z = 0.0f; // flat
    REFUSES_FIELD(cn_hull_create(world, points, 4), index1, "volume");
    for (int i = 0; i < 4; i++)
        points[i] = cn_scale(1e-8f, tetrahedron[i]);
    REFUSES_FIELD(cn_hull_create(world, points, 4), index1, "points span");
    REFUSES(cn_hull_get_vertices(world, hull, NULL, 4), "vertices");
    REFUSES(cn_hull_get_vertices(world, hull, points, -4), "capacity");
    REFUSES(cn_hull_get_face(world, hull, 4, indices, 8), "face is 4");
    REFUSES(cn_hull_get_face(world, hull, -1, indices, 8), "face is -1");
    REFUSES(cn_hull_get_face(world, hull, 0, NULL, 8), "vertices");
    REFUSES(cn_hull_get_face(world, hull, 0, indices, -8), "capacity");
    assert_int_equal(cn_hull_get_face(world, hull, 0, indices, 8), 3);
    assert_int_equal(cn_hull_get_vertices(world, hull, points, 4), 4);
}

// ---- the world

#define REFUSES_WORLD_WITH(assignment, words)                                                                                  \
    do {                                                                                                                       \
        cn_world_def def = cn_world_def_default();                                                                             \
        def.assignment;                                                                                                        \
        REFUSES(cn_world_create(&def) != NULL, words);                                                                         \
    } while (0)

static void world_definitions_are_checked(void **state)
{
    (void)state;
    REFUSES(cn_world_create(NULL) != NULL, "def is NULL");
    EACH_NOT_FINITE({
        REFUSES_WORLD_WITH(gravity.x = bad, "def.gravity");
        REFUSES_WORLD_WITH(early_exit = bad, "def.early_exit");
        REFUSES_WORLD_WITH(contact_stiffness = bad, "def.contact_stiffness");
        REFUSES_WORLD_WITH(contact_damping_ratio = bad, "def.contact_damping_ratio");
        REFUSES_WORLD_WITH(push_speed = bad, "def.push_speed");
        REFUSES_WORLD_WITH(joint_speed = bad, "def.joint_speed");
        REFUSES_WORLD_WITH(projection = bad, "def.projection");
        REFUSES_WORLD_WITH(restitution_speed = bad, "def.restitution_speed");
        REFUSES_WORLD_WITH(hit_speed = bad, "def.hit_speed");
        REFUSES_WORLD_WITH(sleep_speed = bad, "def.sleep_speed");
        REFUSES_WORLD_WITH(sleep_time = bad, "def.sleep_time");
    });
    REFUSES_WORLD_WITH(gravity.y = 1e30f, "def.gravity");
    REFUSES_WORLD_WITH(solver = NULL, "def.solver is NULL; the solvers are \"soft_step\"");
    REFUSES_WORLD_WITH(solver = "softstep", "did you mean \"soft_step\"?");
    REFUSES_WORLD_WITH(solver = "psg", "did you mean \"pgs\"?");
    REFUSES_WORLD_WITH(solver = "a name that no solver has or will ever have in any language", "\"pgs\", \"mass_split\"");
    REFUSES_WORLD_WITH(substeps = -1, "def.substeps");
    REFUSES_WORLD_WITH(substeps = 257, "def.substeps");
    REFUSES_WORLD_WITH(iterations = -1, "def.iterations");
    REFUSES_WORLD_WITH(iterations = 1 << 30, "def.iterations");
    REFUSES_WORLD_WITH(early_exit = -1.0f, "def.early_exit");
    REFUSES_WORLD_WITH(friction_model = CN_FRICTION_MODEL_COUNT, "def.friction_model");
    REFUSES_WORLD_WITH(contact_stiffness = 0.0f, "def.contact_stiffness");
    REFUSES_WORLD_WITH(contact_damping_ratio = -1.0f, "def.contact_damping_ratio");
    REFUSES_WORLD_WITH(push_speed = -1.0f, "def.push_speed");
    REFUSES_WORLD_WITH(joint_speed = -1.0f, "def.joint_speed");
    REFUSES_WORLD_WITH(projection = 1.5f, "def.projection");
    REFUSES_WORLD_WITH(position_correction = (cn_position_correction)-1, "def.position_correction");
    REFUSES_WORLD_WITH(restitution_speed = -1.0f, "def.restitution_speed");
    REFUSES_WORLD_WITH(hit_speed = -1.0f, "def.hit_speed");
    REFUSES_WORLD_WITH(sleep_speed = -1.0f, "def.sleep_speed");
    REFUSES_WORLD_WITH(sleep_time = -1.0f, "def.sleep_time");
    REFUSES_WORLD_WITH(threads = 0, "def.threads");
    REFUSES_WORLD_WITH(threads = 257, "def.threads");
    REFUSES_WORLD_WITH(simd = CN_SIMD_COUNT, "def.simd");
    REFUSES_WORLD_WITH(allocator = &(cn_allocator){ 0 }, "def.allocator->allocate");
    REFUSES_WORLD_WITH(tasks = &(cn_task_system){ 0 }, "def.tasks->run");
}

static void world_functions_are_checked(void **state)
{
    (void)state;
    int count;
    cn_world_destroy(NULL);
    REFUSES_FIELD(cn_world_get_gravity(NULL), y, "world is NULL");
    REFUSES(cn_world_set_gravity(NULL, one), "world is NULL");
    EACH_NOT_FINITE(REFUSES(cn_world_set_gravity(world, cn_v3(bad, 0.0f, 0.0f)), "gravity"));
    REFUSES(cn_world_set_gravity(world, cn_v3(0.0f, 1e9f, 0.0f)), "gravity");
    REFUSES(cn_world_get_sleeping(NULL), "world is NULL");
    REFUSES(cn_world_set_sleeping(NULL, false), "world is NULL");
    REFUSES(cn_world_get_solver(NULL), "world is NULL");
    REFUSES(cn_world_set_solver(NULL, "pgs"), "world is NULL");
    REFUSES(cn_world_set_solver(world, NULL), "name is NULL");
    REFUSES(cn_world_set_solver(world, "pgss"), "did you mean \"pgs\"?");
    assert_string_equal(cn_world_get_solver(world), "soft_step");
    REFUSES(cn_world_get_user_data(NULL), "world is NULL");
    REFUSES(cn_world_get_body_count(NULL), "world is NULL");
    REFUSES_FIELD(cn_world_get_energy(NULL), kinetic, "world is NULL");
    REFUSES(cn_world_get_max_penetration(NULL) != 0.0, "world is NULL");
    REFUSES(cn_world_get_color_histogram(NULL, &count, 1), "world is NULL");
    REFUSES(cn_world_get_color_histogram(world, NULL, 1), "counts");
    REFUSES(cn_world_get_color_histogram(world, NULL, -1), "capacity");
    REFUSES(cn_world_get_islands(NULL, &count, 1), "world is NULL");
    REFUSES(cn_world_get_islands(world, NULL, 1), "islands");
    REFUSES(cn_world_get_contacts(NULL, NULL, 0), "world is NULL");
    REFUSES(cn_world_get_contacts(world, NULL, 1), "contacts");
    REFUSES(cn_world_hash(NULL), "world is NULL");
    REFUSES_FIELD(cn_world_get_contact_events(NULL), begin_count, "world is NULL");
    REFUSES(cn_world_get_move_events(NULL, &count), "world is NULL");
    REFUSES(cn_world_get_move_events(world, NULL), "count is NULL");
    REFUSES(cn_world_get_sleep_events(NULL, &count), "world is NULL");
    REFUSES(cn_world_get_sleep_events(world, NULL), "count is NULL");
    assert_int_equal(count, 0);
    REFUSES_FIELD(cn_world_step(NULL, 0.1f), ok, "world is NULL");
    const float times[] = { NAN, INFINITY, 0.0f, -0.1f };
    for (int i = 0; i < 4; i++)
        REFUSES_FIELD(cn_world_step(world, times[i]), ok, "dt");

    assert_string_equal(cn_solver_name(0), "soft_step");
    assert_null(cn_solver_name(-1));
    assert_null(cn_solver_name(1000));
    assert_non_null(cn_solver_summary(0));
    assert_null(cn_solver_summary(-1));
    assert_string_equal(cn_stage_name(CN_STAGE_SOLVE), "solve");
    assert_string_equal(cn_stage_name(CN_STAGE_COUNT), "");
    assert_int_equal(cn_get_version().major, CN_VERSION_MAJOR);
}

static void functions_without_a_world_are_checked(void **state)
{
    (void)state;
    const float values[] = { NAN, INFINITY, -1.0f };
    cn_mass good = cn_mass_sphere(1.0f, 1.0f);
    for (int i = 0; i < 3; i++) {
        float bad = values[i];
        cn_mass mass = good;
        mass.mass = bad;
        REFUSES_FIELD(cn_mass_sphere(bad, 1.0f), mass, "radius");
        REFUSES_FIELD(cn_mass_sphere(1.0f, bad), mass, "density");
        REFUSES_FIELD(cn_mass_box(cn_v3(1.0f, bad, 1.0f), 1.0f), mass, "half_extents");
        REFUSES_FIELD(cn_mass_capsule(bad, 1.0f, 1.0f), mass, "half_height");
        REFUSES_FIELD(cn_mass_cylinder(1.0f, bad, 1.0f), mass, "radius");
        REFUSES_FIELD(cn_mass_transform(mass, (cn_pose)CN_POSE_IDENTITY), mass, "mass");
        REFUSES_FIELD(cn_mass_add(mass, good), mass, "mass");
    }
    int indices[3] = { 0, 1, 2 };
    REFUSES_FIELD(cn_mass_mesh(NULL, 4, indices, 1, 1.0f), mass, "vertices");
    REFUSES_FIELD(cn_mass_mesh(tetrahedron, 4, NULL, 1, 1.0f), mass, "indices");
    REFUSES_FIELD(cn_mass_mesh(tetrahedron, 4, indices, 1, 1.0f), mass, "");
    cn_row_terms terms;
    REFUSES_FIELD(cn_rows_solve(NULL, NULL), ok, "problem");
    REFUSES(cn_row_get_terms(NULL, 0, &terms), "problem");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_refuse_bad_ids),
        cmocka_unit_test(shapes_refuse_bad_ids),
        cmocka_unit_test(hulls_refuse_bad_ids),
        cmocka_unit_test(body_definitions_are_checked),
        cmocka_unit_test(body_setters_check_numbers),
        cmocka_unit_test(body_setters_check_sense),
        cmocka_unit_test(shape_definitions_are_checked),
        cmocka_unit_test(materials_are_checked),
        cmocka_unit_test(hull_points_are_checked),
        cmocka_unit_test(world_definitions_are_checked),
        cmocka_unit_test(world_functions_are_checked),
        cmocka_unit_test(functions_without_a_world_are_checked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
