// What can be asked of a body and changed about it.
#include "world/check.h"
#include "world/world.h"

static const char *const type_names[CN_BODY_TYPE_COUNT] = { "static", "kinematic", "dynamic" };

static int index_of(const cn_world *world, const cn_body *body) { return (int)(body - world->bodies.data); }

// Moving wakes a body, and what a kinematic body moves against.
static void wake_for_motion(cn_world *world, const cn_body *body)
{
    cn_wake_body(world, index_of(world, body));
    cn_body_set_in_motion(world, index_of(world, body));
    if (body->type == CN_KINEMATIC && cn_length_sq(body->linear_velocity) + cn_length_sq(body->angular_velocity) > 0.0f)
        cn_wake_touching(world, index_of(world, body));
}

// ---- place and motion

cn_body_type cn_body_get_type(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? (cn_body_type)b->type : CN_STATIC;
}

cn_transform cn_body_get_transform(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? (cn_transform){ cn_body_origin(b), b->rotation } : (cn_transform){ .rotation = CN_QUAT_IDENTITY };
}

static bool check_transform(const char *function, const char *position, const char *rotation, const cn_transform *t)
{
    return cn_check_position(function, position, t->position) && cn_check_quat(function, rotation, t->rotation);
}

static cn_pos3 center_at(const cn_body *body, const cn_transform *t)
{
    return cn_pos_add(t->position, cn_rotate(t->rotation, body->local_center));
}

bool cn_body_set_transform(cn_world *world, cn_body_id body, cn_transform transform)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !check_transform(__func__, "transform.position", "transform.rotation", &transform))
        return false;
    int index = index_of(world, b);
    cn_wake_body(world, index);
    cn_wake_touching(world, index);
    transform.rotation = cn_quat_normalize(transform.rotation);
    b->center = center_at(b, &transform);
    b->rotation = transform.rotation;
    cn_body_refresh_shapes(world, index);
    for (int i = b->first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        cn_shape_wake_overlapping(world, i); // nothing sleeps on inside a wall that was put there
    return true;
}

cn_pos3 cn_body_get_center(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->center : cn_p3(0.0, 0.0, 0.0);
}

cn_vec3 cn_body_get_linear_velocity(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->linear_velocity : cn_v3(0.0f, 0.0f, 0.0f);
}

cn_vec3 cn_body_get_angular_velocity(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->angular_velocity : cn_v3(0.0f, 0.0f, 0.0f);
}

static cn_body *find_movable(cn_world *world, const char *function, cn_body_id body)
{
    cn_body *b = cn_find_writable_body(world, function, body);
    if (b != NULL && b->type == CN_STATIC) {
        cn_fail("%s: body %u is static: it has no velocity", function, body.index1);
        return NULL;
    }
    return b;
}

bool cn_body_set_linear_velocity(cn_world *world, cn_body_id body, cn_vec3 velocity)
{
    cn_body *b = find_movable(world, __func__, body);
    if (b == NULL || !cn_check_velocity(__func__, "velocity", velocity))
        return false;
    b->linear_velocity = velocity;
    cn_body_apply_locks(b);
    wake_for_motion(world, b);
    return true;
}

bool cn_body_set_angular_velocity(cn_world *world, cn_body_id body, cn_vec3 velocity)
{
    cn_body *b = find_movable(world, __func__, body);
    if (b == NULL || !cn_check_velocity(__func__, "velocity", velocity))
        return false;
    b->angular_velocity = velocity;
    cn_body_apply_locks(b);
    wake_for_motion(world, b);
    return true;
}

bool cn_body_move_kinematic(cn_world *world, cn_body_id body, cn_transform target, float time)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !check_transform(__func__, "target.position", "target.rotation", &target) ||
        !cn_check_positive(__func__, "time", time))
        return false;
    if (b->type != CN_KINEMATIC)
        return cn_fail("%s: body %u is %s, not kinematic", __func__, body.index1, type_names[b->type]);
    target.rotation = cn_quat_normalize(target.rotation);
    cn_pos3 center = center_at(b, &target);
    double rate = 1.0 / (double)time;
    cn_vec3 linear = { (float)(rate * (center.x - b->center.x)), (float)(rate * (center.y - b->center.y)),
                       (float)(rate * (center.z - b->center.z)) };
    cn_vec3 turn = cn_quat_log(cn_quat_mul(target.rotation, cn_quat_conj(b->rotation)));
    cn_vec3 angular = { (float)(rate * (double)turn.x), (float)(rate * (double)turn.y), (float)(rate * (double)turn.z) };
    if (!cn_check_velocity(__func__, "the velocity to reach target.position in time", linear) ||
        !cn_check_velocity(__func__, "the angular velocity to reach target.rotation in time", angular))
        return false;
    b->linear_velocity = linear;
    b->angular_velocity = angular;
    wake_for_motion(world, b);
    return true;
}

// ---- mass

cn_mass cn_body_get_mass(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? (cn_mass){ b->mass, b->local_center, b->inertia } : (cn_mass){ 0 };
}

cn_body *cn_find_dynamic_body(cn_world *world, const char *function, cn_body_id body)
{
    cn_body *b = cn_find_writable_body(world, function, body);
    if (b != NULL && b->type != CN_DYNAMIC) {
        cn_fail("%s: body %u is %s: only dynamic bodies have mass and feel forces", function, body.index1, type_names[b->type]);
        return NULL;
    }
    return b;
}

bool cn_body_set_mass(cn_world *world, cn_body_id body, cn_mass mass)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    if (b == NULL || !cn_check_mass(__func__, "mass", &mass) || !cn_check_offset(__func__, "mass.center", mass.center))
        return false;
    b->mass_overridden = true;
    cn_body_use_mass(world, index_of(world, b), &mass);
    cn_wake_body(world, index_of(world, b));
    return true;
}

bool cn_body_reset_mass(cn_world *world, cn_body_id body)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    if (b == NULL)
        return false;
    b->mass_overridden = false;
    cn_body_update_mass(world, index_of(world, b));
    cn_wake_body(world, index_of(world, b));
    return true;
}

// ---- settings

float cn_body_get_linear_damping(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->linear_damping : 0.0f;
}

bool cn_body_set_linear_damping(cn_world *world, cn_body_id body, float damping)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_not_negative(__func__, "damping", damping))
        return false;
    b->linear_damping = damping;
    cn_wake_body(world, index_of(world, b));
    return true;
}

float cn_body_get_angular_damping(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->angular_damping : 0.0f;
}

bool cn_body_set_angular_damping(cn_world *world, cn_body_id body, float damping)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_not_negative(__func__, "damping", damping))
        return false;
    b->angular_damping = damping;
    cn_wake_body(world, index_of(world, b));
    return true;
}

float cn_body_get_gravity_scale(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->gravity_scale : 0.0f;
}

bool cn_body_set_gravity_scale(cn_world *world, cn_body_id body, float scale)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_gravity_scale(__func__, "scale", scale))
        return false;
    b->gravity_scale = scale;
    cn_wake_body(world, index_of(world, b));
    cn_contacts_look_again(world, index_of(world, b)); // what falls faster looks farther
    return true;
}

uint32_t cn_body_get_locks(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->locks : 0;
}

bool cn_body_set_locks(cn_world *world, cn_body_id body, uint32_t locks)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_locks(__func__, "locks", locks))
        return false;
    b->locks = locks;
    cn_body_apply_locks(b);
    cn_joints_use_locks(world, index_of(world, b));
    cn_wake_body(world, index_of(world, b));
    return true;
}

bool cn_body_is_awake(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL && b->awake != CN_NONE;
}

bool cn_body_set_awake(cn_world *world, cn_body_id body, bool awake)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    if (b->type != CN_DYNAMIC)
        return cn_fail("%s: body %u is %s: only dynamic bodies sleep", __func__, body.index1, type_names[b->type]);
    if (awake) {
        cn_wake_body(world, index_of(world, b));
        return true;
    }
    if (!world->def.sleeping)
        return cn_fail("%s: sleeping is off in this world", __func__);
    return cn_put_to_sleep(world, index_of(world, b)) ||
           cn_fail("%s: body %u is, or touches, something that must not sleep", __func__, body.index1);
}

bool cn_body_get_continuous(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL && b->continuous;
}

bool cn_body_set_continuous(cn_world *world, cn_body_id body, bool continuous)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    b->continuous = continuous;
    return true;
}

bool cn_body_get_can_sleep(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL && b->can_sleep;
}

bool cn_body_set_can_sleep(cn_world *world, cn_body_id body, bool can_sleep)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    b->can_sleep = can_sleep;
    if (!can_sleep)
        cn_wake_body(world, index_of(world, b));
    return true;
}

void *cn_body_get_user_data(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->user_data : NULL;
}

bool cn_body_set_user_data(cn_world *world, cn_body_id body, void *user_data)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    b->user_data = user_data;
    return true;
}
