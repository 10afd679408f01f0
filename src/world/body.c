// Bodies: their life, their mass, and what follows when either changes.
#include "world/check.h"
#include "world/world.h"

enum {
    ALL_LOCKS =
        CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z,
};

cn_body_def cn_body_def_default(void)
{
    return (cn_body_def){
        .type = CN_DYNAMIC,
        .rotation = CN_QUAT_IDENTITY,
        .gravity_scale = 1.0f,
        .continuous = true,
        .can_sleep = true,
        .sleep_speed = -1.0f,
        .max_linear_speed = INFINITY,
        .max_angular_speed = INFINITY,
        .awake = true,
    };
}

bool cn_check_locks(const char *function, const char *field, uint32_t locks)
{
    return (locks & ~(uint32_t)ALL_LOCKS) == 0 ||
           cn_fail("%s: %s is 0x%x; it has bits that are not in cn_lock", function, field, locks);
}

bool cn_check_body_type(const char *function, const char *field, cn_body_type type)
{
    return (unsigned)type < CN_BODY_TYPE_COUNT || cn_fail("%s: %s is %d, which is no body type", function, field, (int)type);
}

// ---- mass

// Beyond these, what the solvers compute leaves the range of float: products of two inverse masses or of two impulses, and an
// impulse over the shortest substep. Moments are held against the mass, as squares of the radius of gyration, m^2.
static const float least_mass = 1e-16f, largest_mass = 1e15f;
static const double least_gyration_sq = 1e-14, largest_gyration_sq = 1e13;
// Of the largest principal moment to the smallest. Turned into world axes, a matrix of floats has room for either of two inverses
// that are further apart, not for both. That of a wire that is 30,000 times as long as thick is about this.
static const double largest_moment_ratio = 1e10;
// What rounding of the others makes of one that is much smaller, at most.
static const double hidden_moment = 1e-6;
// And what is reckoned with. Beyond this, rounding of the largest inverse hides the smallest: the matrix answers to some torques by turning
// the wrong way, and a contact at the end of a needle gains energy from it.
static const float solved_moment_ratio = 1e5f;

bool cn_check_mass(const char *function, const char *field, const cn_mass *mass)
{
    if (!(mass->mass >= least_mass && mass->mass <= largest_mass))
        return cn_fail("%s: %s is %g kg; it must be between %g and %g kg", function, field, (double)mass->mass,
                       (double)least_mass, (double)largest_mass);
    const cn_sym3 *i = &mass->inertia;
    cn_vec3 moments = { 0.0f, 0.0f, 0.0f };
    cn_quat axes;
    if (isfinite(i->xx) && isfinite(i->yy) && isfinite(i->zz) && isfinite(i->xy) && isfinite(i->xz) && isfinite(i->yz))
        cn_sym3_principal(*i, &moments, &axes);
    double least = (double)mass->mass * least_gyration_sq, largest = (double)mass->mass * largest_gyration_sq;
    double smallest = (double)cn_minf(moments.x, cn_minf(moments.y, moments.z)),
           most = (double)cn_maxf(moments.x, cn_maxf(moments.y, moments.z));
    // Of a turned needle, rounding hides the smallest moment; set_inertia gives it one that can be solved with.
    bool hidden = (i->xy != 0.0f || i->xz != 0.0f || i->yz != 0.0f) && smallest >= -hidden_moment * most && most >= least;
    if (!((smallest >= least || hidden) && most <= largest))
        return cn_fail("%s: %s has an inertia with principal moments (%g, %g, %g); for %g kg they must be between %g and %g kg m^2",
                       function, field, (double)moments.x, (double)moments.y, (double)moments.z, (double)mass->mass, least, largest);
    return hidden || most <= largest_moment_ratio * smallest ||
           cn_fail("%s: %s has an inertia with principal moments (%g, %g, %g); none may be more than %g times another", function,
                   field, (double)moments.x, (double)moments.y, (double)moments.z, largest_moment_ratio);
}

static void add_mass(cn_mass *sum, const cn_shape *shape)
{
    cn_mass mass = { 0 };
    if (!cn_is_composite(shape))
        mass = cn_convex_mass(&shape->convex, shape->density);
    else if (shape->density > 0.0f)
        cn_composite_mass(&shape->composite, "", shape->density, &mass);
    if (mass.mass > 0.0f) {
        mass = cn_mass_transform(mass, shape->offset);
        *sum = sum->mass > 0.0f ? cn_mass_add(*sum, mass) : mass;
    }
}

void cn_body_sum_mass(const cn_world *world, const cn_body *body, cn_mass *mass)
{
    *mass = (cn_mass){ 0 };
    for (int i = body->first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        add_mass(mass, &world->shapes.data[i]);
}

bool cn_shape_add_mass(const char *function, const cn_body *body, const cn_shape *shape, cn_mass *sum)
{
    cn_mass alone = { 0 };
    add_mass(sum, shape);
    add_mass(&alone, shape); // the others may be removed later
    return shape->density == 0.0f || body->type != CN_DYNAMIC ||
           (cn_check_mass(function, "the mass from def.density", &alone) &&
            cn_check_mass(function, "the mass of the body with def.density", sum));
}

// Shapes of bodies that are not dynamic may be as large as they like: nothing asks for their mass until the body becomes dynamic.
static bool check_shape_masses(const cn_world *world, const char *function, const cn_body *body)
{
    cn_mass sum = { 0 };
    for (int i = body->first_shape; i != CN_NONE; i = world->shapes.data[i].next) {
        cn_mass alone = { 0 };
        add_mass(&alone, &world->shapes.data[i]);
        add_mass(&sum, &world->shapes.data[i]);
        if (alone.mass > 0.0f && !cn_check_mass(function, "the mass of one of its shapes", &alone))
            return false;
    }
    return !(sum.mass > 0.0f) || cn_check_mass(function, "the mass of the body", &sum);
}

// A dynamic body that no shape gives a mass.
static const cn_mass bare_mass = { 1.0f, { 0.0f, 0.0f, 0.0f }, { 0.4f, 0.4f, 0.4f, 0.0f, 0.0f, 0.0f } };

// Shapes are placed relative to the centre of mass.
static void place_shapes(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    b->extent = 0.0f;
    b->core = INFINITY;
    for (int i = b->first_shape; i != CN_NONE; i = world->shapes.data[i].next) {
        cn_shape *shape = &world->shapes.data[i];
        shape->pose = (cn_pose){ cn_sub(shape->offset.position, b->local_center), shape->offset.rotation };
        shape->centered = cn_length_sq(shape->pose.position) == 0.0f && shape->pose.rotation.w == 1.0f;
        shape->reach = cn_shape_outer_radius(shape, cn_pose_unpoint(shape->pose, cn_v3(0.0f, 0.0f, 0.0f)));
        shape->size = cn_shape_outer_radius(shape, cn_convex_center(&shape->convex));
        if (shape->sensor != CN_NONE)
            continue;
        b->extent = cn_maxf(b->extent, shape->reach);
        if (!cn_is_composite(shape))
            b->core = cn_minf(b->core, cn_convex_inner_radius(&shape->convex));
    }
}

// Moves the centre of mass within the body; the body itself stays where it is. Contacts are kept: their anchors move along,
// and their manifolds are computed anew.
static void move_center(cn_world *world, int body, cn_vec3 local_center)
{
    cn_body *b = &world->bodies.data[body];
    cn_vec3 local_shift = cn_sub(local_center, b->local_center);
    cn_vec3 shift = cn_rotate(b->rotation, local_shift);
    b->center = cn_pos_add(b->center, shift);
    b->local_center = local_center;
    b->linear_velocity = cn_add(b->linear_velocity, cn_cross(b->angular_velocity, shift));
    for (int key = b->first_contact; key != CN_NONE;) {
        cn_contact *contact = &world->contacts.data[key >> 1];
        for (int k = 0; k < contact->touch_count; k++) {
            cn_anchors *anchors = &cn_contact_touch(contact, k)->anchors;
            float(*side)[CN_MAX_POINTS] = (key & 1) == 0 ? anchors->a : anchors->b;
            for (int i = 0; i < CN_MAX_POINTS; i++)
                cn_set_anchor(side, i, cn_sub(cn_get_anchor(side, i), local_shift));
        }
        contact->covered = -1.0f;
        key = contact->edges[key & 1].next;
    }
}

// A needle turns about its axis as if it were somewhat thicker.
static void set_inertia(cn_body *b, cn_sym3 inertia)
{
    b->inertia = inertia;
    cn_sym3_principal(inertia, &b->principal_inertia, &b->principal_rotation);
    cn_vec3 p = b->principal_inertia;
    float most = cn_maxf(p.x, cn_maxf(p.y, p.z)), least = cn_minf(p.x, cn_minf(p.y, p.z)), wanted = most / solved_moment_ratio;
    b->gyroscopic = most - least > 1e-3f * most;
    if (least < wanted) {
        b->principal_inertia = p = cn_v3(cn_maxf(p.x, wanted), cn_maxf(p.y, wanted), cn_maxf(p.z, wanted));
        b->inertia = cn_sym3_rotate((cn_sym3){ p.x, p.y, p.z, 0.0f, 0.0f, 0.0f }, b->principal_rotation);
    }
    b->inverse_inertia = cn_sym3_inverse(b->inertia);
}

void cn_body_use_mass(cn_world *world, int body, const cn_mass *mass)
{
    cn_body *b = &world->bodies.data[body];
    move_center(world, body, mass->center);
    b->mass = mass->mass;
    b->inverse_mass = b->mass > 0.0f ? 1.0f / b->mass : 0.0f;
    set_inertia(b, mass->inertia);
    place_shapes(world, body);
    b->round_about = cn_find_round_axis(world, b);
    cn_body_apply_locks(b);
}

void cn_body_update_mass(cn_world *world, int body)
{
    const cn_body *b = &world->bodies.data[body];
    cn_mass mass = { 0 };
    if (b->mass_overridden)
        return;
    if (b->type == CN_DYNAMIC) {
        cn_body_sum_mass(world, b, &mass);
        if (!(mass.mass > 0.0f))
            mass = bare_mass;
    }
    cn_body_use_mass(world, body, &mass);
}

cn_sym3 cn_body_world_inverse_inertia(const cn_body *body)
{
    cn_sym3 s = cn_sym3_rotate(body->inverse_inertia, body->rotation);
    if (body->locks & CN_LOCK_ANGULAR_X)
        s.xx = s.xy = s.xz = 0.0f;
    if (body->locks & CN_LOCK_ANGULAR_Y)
        s.yy = s.xy = s.yz = 0.0f;
    if (body->locks & CN_LOCK_ANGULAR_Z)
        s.zz = s.xz = s.yz = 0.0f;
    return s;
}

static cn_vec3 locked(cn_vec3 v, uint32_t locks)
{
    return cn_v3(locks & 1 ? 0.0f : v.x, locks & 2 ? 0.0f : v.y, locks & 4 ? 0.0f : v.z);
}

void cn_body_apply_locks(cn_body *body)
{
    if (body->type != CN_DYNAMIC)
        return;
    body->linear_velocity = locked(body->linear_velocity, body->locks);
    body->angular_velocity = locked(body->angular_velocity, body->locks >> 3);
}

// The next step would do this, but not for a body that is put to sleep before.
static void end_disjoint_contacts(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int index = key >> 1;
        key = contact->edges[key & 1].next;
        if (!cn_box3_overlaps(&world->shapes.data[contact->shape_a].fat_box, &world->shapes.data[contact->shape_b].fat_box))
            cn_contact_destroy(world, index);
    }
}

void cn_body_refresh_shapes(cn_world *world, int body)
{
    cn_contacts_look_again(world, body);
    for (int i = world->bodies.data[body].first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        cn_shape_refresh(world, i);
    end_disjoint_contacts(world, body);
}

// ---- creation and destruction

static bool check_rest(const char *function, const cn_world *world, const cn_body_def *def)
{
    bool moves = cn_length_sq(def->linear_velocity) > 0.0f || cn_length_sq(def->angular_velocity) > 0.0f;
    if (def->type == CN_STATIC && moves)
        return cn_fail("%s: def.linear_velocity and def.angular_velocity must be zero for a static body", function);
    if (def->type != CN_DYNAMIC || def->awake)
        return true;
    if (!world->def.sleeping)
        return cn_fail("%s: def.awake is false, but sleeping is off in this world", function);
    if (!def->can_sleep)
        return cn_fail("%s: def.awake is false, but so is def.can_sleep", function);
    return !moves || cn_fail("%s: def.awake is false, but the body is given a velocity", function);
}

static bool check_def(const char *function, const cn_world *world, const cn_body_def *def)
{
    return cn_check_pointer(function, "def", def) && cn_check_body_type(function, "def.type", def->type) &&
           cn_check_position(function, "def.position", def->position) &&
           cn_check_quat(function, "def.rotation", def->rotation) &&
           cn_check_velocity(function, "def.linear_velocity", def->linear_velocity) &&
           cn_check_velocity(function, "def.angular_velocity", def->angular_velocity) &&
           cn_check_not_negative(function, "def.linear_damping", def->linear_damping) &&
           cn_check_not_negative(function, "def.angular_damping", def->angular_damping) &&
           cn_check_gravity_scale(function, "def.gravity_scale", def->gravity_scale) &&
           cn_check_locks(function, "def.locks", def->locks) &&
           cn_check_sleep_speed(function, "def.sleep_speed", def->sleep_speed) &&
           cn_check_speed_limit(function, "def.max_linear_speed", def->max_linear_speed) &&
           cn_check_speed_limit(function, "def.max_angular_speed", def->max_angular_speed) && check_rest(function, world, def);
}

static int take_slot(cn_world *world)
{
    if (world->free_bodies.count > 0)
        return world->free_bodies.data[--world->free_bodies.count];
    cn_array_push(&world->allocator, &world->bodies, (cn_body){ 0 });
    return world->bodies.count - 1;
}

// Near the first body, in steps that are exact in float.
static cn_pos3 choose_origin(cn_pos3 first)
{
    const double step = 1024.0;
    return cn_p3(step * floor(first.x / step + 0.5), step * floor(first.y / step + 0.5), step * floor(first.z / step + 0.5));
}

cn_body_id cn_body_create(cn_world *world, const cn_body_def *def)
{
    if (!cn_check_writable(world, __func__) || !check_def(__func__, world, def))
        return (cn_body_id){ 0 };
    if (world->body_count == 0)
        world->origin = choose_origin(def->position);
    int index = take_slot(world);
    cn_body *body = &world->bodies.data[index];
    *body = (cn_body){
        .generation = (uint16_t)(body->generation + 1),
        .travel = body->travel,
        .used = true,
        .type = (uint8_t)def->type,
        .locks = def->locks,
        .user_data = def->user_data,
        .center = def->position,
        .rotation = cn_quat_normalize(def->rotation),
        .linear_velocity = def->linear_velocity,
        .angular_velocity = def->angular_velocity,
        .linear_damping = def->linear_damping,
        .angular_damping = def->angular_damping,
        .gravity_scale = def->gravity_scale,
        .max_linear_speed = def->max_linear_speed,
        .max_angular_speed = def->max_angular_speed,
        .can_sleep = def->can_sleep,
        .sleep_speed = def->sleep_speed,
        .continuous = def->continuous,
        .awake = CN_NONE,
        .sleeping_island = CN_NONE,
        .first_shape = CN_NONE,
        .last_shape = CN_NONE,
        .first_contact = CN_NONE,
        .first_joint = CN_NONE,
    };
    world->body_count++;
    cn_travel_begin(world, index);
    cn_body_update_mass(world, index);
    if (def->type == CN_DYNAMIC && !def->awake)
        cn_put_to_sleep(world, index);
    else
        cn_wake_body(world, index);
    return cn_body_id_of(world, index);
}

static void leave_contacts(cn_world *world, int body)
{
    cn_wake_body(world, body);
    cn_wake_touching(world, body);
    while (world->bodies.data[body].first_contact != CN_NONE)
        cn_contact_destroy(world, world->bodies.data[body].first_contact >> 1);
}

bool cn_body_destroy(cn_world *world, cn_body_id body)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    int index = (int)(b - world->bodies.data);
    leave_contacts(world, index);
    while (b->first_shape != CN_NONE)
        cn_shape_release(world, b->first_shape);
    while (b->first_joint != CN_NONE)
        cn_joint_release(world, b->first_joint >> 1);
    cn_path_remove(world, index);
    cn_ignore_forget(&world->allocator, &world->ignored_bodies, index);
    cn_body_remove_awake(world, index);
    b->used = false;
    world->body_count--;
    if (cn_has_generations(b->generation))
        cn_array_push(&world->allocator, &world->free_bodies, index);
    return true;
}

bool cn_body_set_type(cn_world *world, cn_body_id body, cn_body_type type)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_body_type(__func__, "type", type))
        return false;
    if (type == (cn_body_type)b->type)
        return true;
    if (type == CN_DYNAMIC && !check_shape_masses(world, __func__, b))
        return false;
    int index = (int)(b - world->bodies.data);
    leave_contacts(world, index);
    for (int i = b->first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        cn_shape_remove_proxy(world, i);
    cn_path_remove(world, index);
    cn_body_remove_awake(world, index);
    b->type = (uint8_t)type;
    b->mass_overridden = false;
    b->force = b->torque = cn_v3(0.0f, 0.0f, 0.0f);
    if (type == CN_STATIC)
        b->linear_velocity = b->angular_velocity = cn_v3(0.0f, 0.0f, 0.0f);
    cn_travel_begin(world, index);
    cn_body_update_mass(world, index);
    cn_joints_forget_forces(world, index);
    for (int i = b->first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        cn_shape_add_proxy(world, i);
    cn_wake_body(world, index);
    return true;
}
