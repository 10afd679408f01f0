// The life of joints: creation, destruction, what they change about the bodies they tie, and the setters.
#include "world/joint_check.h"

#include <string.h>

// ---- the list of joints each body has

static int joint_body(const cn_joint *joint, int side) { return side == 0 ? joint->body_a : joint->body_b; }

static void link_edge(cn_world *world, int joint, int side)
{
    cn_joint *j = &world->joints.data[joint];
    int body = joint_body(j, side);
    if (body == CN_NONE)
        return;
    cn_body *owner = &world->bodies.data[body];
    j->edges[side] = (cn_contact_edge){ .next = owner->first_joint, .previous = CN_NONE };
    if (owner->first_joint != CN_NONE)
        world->joints.data[owner->first_joint >> 1].edges[owner->first_joint & 1].previous = joint * 2 + side;
    owner->first_joint = joint * 2 + side;
    owner->joint_count++;
}

static void unlink_edge(cn_world *world, int joint, int side)
{
    const cn_joint *j = &world->joints.data[joint];
    int body = joint_body(j, side);
    if (body == CN_NONE)
        return;
    cn_body *owner = &world->bodies.data[body];
    cn_contact_edge edge = j->edges[side];
    if (edge.previous != CN_NONE)
        world->joints.data[edge.previous >> 1].edges[edge.previous & 1].next = edge.next;
    else
        owner->first_joint = edge.next;
    if (edge.next != CN_NONE)
        world->joints.data[edge.next >> 1].edges[edge.next & 1].previous = edge.previous;
    owner->joint_count--;
    cn_contacts_look_again(world, body); // it may fall now
}

// ---- waking

static bool can_be_pushed(const cn_world *world, int body)
{
    return body != CN_NONE && world->bodies.data[body].type == CN_DYNAMIC && world->bodies.data[body].awake != CN_NONE;
}

static void mark_awake(cn_world *world, int joint)
{
    const cn_joint *j = &world->joints.data[joint];
    bool awake = can_be_pushed(world, j->body_a) || can_be_pushed(world, j->body_b);
    uint8_t others = world->joint_marks.data[joint] & (uint8_t)~CN_JOINT_AWAKE;
    world->joint_marks.data[joint] = others | (awake ? CN_JOINT_AWAKE : 0);
}

void cn_joints_mark_awake(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        mark_awake(world, key >> 1);
        key = world->joints.data[key >> 1].edges[key & 1].next;
    }
}

static void wake_bodies(cn_world *world, const cn_joint *joint)
{
    for (int side = 0; side < 2; side++)
        if (joint_body(joint, side) != CN_NONE)
            cn_wake_body(world, joint_body(joint, side));
}

void cn_joint_forget_forces(cn_joint *joint)
{
    memset(joint->view.force, 0, sizeof joint->view.force);
    memset(joint->view.total, 0, sizeof joint->view.total);
    for (int i = 0; i < joint->view.row_count; i++)
        joint->view.rows[i].force = joint->view.rows[i].total = 0.0f;
    for (int i = 0; joint->view.torques != NULL && i < CN_TORQUE_COUNT; i++) {
        memset(joint->view.torques[i].force, 0, sizeof joint->view.torques[i].force);
        memset(joint->view.torques[i].total, 0, sizeof joint->view.torques[i].total);
    }
}

void cn_joints_forget_forces(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        cn_joint *joint = &world->joints.data[key >> 1];
        cn_joint_forget_forces(joint);
        key = joint->edges[key & 1].next;
    }
}

void cn_joints_use_locks(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        cn_joint *joint = &world->joints.data[key >> 1];
        cn_joint_layout_rows(world, joint);
        key = joint->edges[key & 1].next;
    }
}

// ---- collision between the two bodies

bool cn_joints_let_collide(const cn_world *world, int a, int b)
{
    int few = world->bodies.data[a].joint_count <= world->bodies.data[b].joint_count ? a : b, other = few == a ? b : a;
    for (int key = world->bodies.data[few].first_joint; key != CN_NONE;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        if (!joint->def.collide && cn_joint_partner(joint, key & 1) == other)
            return false;
        key = joint->edges[key & 1].next;
    }
    return true;
}

void cn_bodies_end_contacts(cn_world *world, int a, int b)
{
    int few = world->bodies.data[a].contact_count <= world->bodies.data[b].contact_count ? a : b, other = few == a ? b : a;
    for (int key = world->bodies.data[few].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int index = key >> 1, partner = key & 1 ? contact->body_a : contact->body_b;
        key = contact->edges[key & 1].next;
        if (partner == other)
            cn_contact_destroy(world, index);
    }
}

// It is enough that one of them looks: one that moves, or else the shapes of the ground would ask for all that moves.
void cn_bodies_look_for_pairs(cn_world *world, int a, int b)
{
    const cn_body *body_a = &world->bodies.data[a], *body_b = &world->bodies.data[b];
    bool prefers_a = body_b->type != CN_DYNAMIC || (body_a->type == CN_DYNAMIC && body_a->shape_count <= body_b->shape_count);
    for (int i = (prefers_a ? body_a : body_b)->first_shape; i != CN_NONE; i = world->shapes.data[i].next)
        cn_shape_look_for_pairs(world, i);
}

// ---- creation and destruction

static int index_in(const cn_world *world, cn_body_id id)
{
    return CN_IS_NULL(id) ? CN_NONE : (int)(cn_find_body(world, __func__, id) - world->bodies.data);
}

static int take_slot(cn_world *world)
{
    if (world->free_joints.count > 0)
        return world->free_joints.data[--world->free_joints.count];
    cn_array_push(&world->allocator, &world->joints, (cn_joint){ 0 });
    cn_array_push(&world->allocator, &world->joint_marks, (uint8_t)0);
    return world->joints.count - 1;
}

static void mark_breaks(cn_world *world, int joint)
{
    const cn_joint_def *def = &world->joints.data[joint].def;
    uint8_t others = world->joint_marks.data[joint] & (uint8_t)~CN_JOINT_BREAKS;
    bool breaks = def->break_force < INFINITY || def->break_torque < INFINITY;
    world->joint_marks.data[joint] = others | (breaks ? CN_JOINT_BREAKS : 0);
}

cn_joint_id cn_joint_create(cn_world *world, const cn_joint_def *def)
{
    if (!cn_check_joint_def(world, __func__, def) || !cn_check_writable(world, __func__))
        return (cn_joint_id){ 0 };
    int index = take_slot(world);
    cn_joint *joint = &world->joints.data[index];
    *joint = (cn_joint){
        .def = *def,
        .body_a = index_in(world, def->body_a),
        .body_b = index_in(world, def->body_b),
        .generation = (uint16_t)(joint->generation + 1),
        .load = -1.0f,
        .used = true,
    };
    joint->def.frame_a.rotation = cn_quat_normalize(def->frame_a.rotation);
    joint->def.frame_b.rotation = cn_quat_normalize(def->frame_b.rotation);
    joint->def.ball.motor_rotation = cn_quat_normalize(def->ball.motor_rotation);
    cn_joint_layout_rows(world, joint);
    cn_joint_start(world, joint);
    link_edge(world, index, 0);
    link_edge(world, index, 1);
    world->joint_count++;
    if (!def->collide && joint->body_a != CN_NONE && joint->body_b != CN_NONE)
        cn_bodies_end_contacts(world, joint->body_a, joint->body_b);
    wake_bodies(world, joint);
    mark_awake(world, index);
    mark_breaks(world, index);
    return cn_joint_id_of(world, index);
}

void cn_joint_release(cn_world *world, int index)
{
    cn_joint *joint = &world->joints.data[index];
    wake_bodies(world, joint);
    unlink_edge(world, index, 0);
    unlink_edge(world, index, 1);
    bool kept_apart = !joint->def.collide && joint->body_a != CN_NONE && joint->body_b != CN_NONE;
    if (kept_apart && cn_joints_let_collide(world, joint->body_a, joint->body_b))
        cn_bodies_look_for_pairs(world, joint->body_a, joint->body_b);
    cn_joint_free_rows(world, joint);
    joint->used = false;
    world->joint_marks.data[index] = 0;
    world->joint_count--;
    if (cn_has_generations(joint->generation))
        cn_array_push(&world->allocator, &world->free_joints, index);
}

bool cn_joint_destroy(cn_world *world, cn_joint_id joint)
{
    const cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL)
        return false;
    cn_joint_release(world, (int)(j - world->joints.data));
    return true;
}

// ---- setters

// Takes over a changed definition that was found good.
static bool use_def(cn_world *world, cn_joint *joint, const cn_joint_def *def)
{
    joint->def = *def;
    cn_joint_layout_rows(world, joint);
    wake_bodies(world, joint);
    mark_breaks(world, (int)(joint - world->joints.data));
    return true;
}

bool cn_joint_set_axis(cn_world *world, cn_joint_id joint, cn_dof dof, const cn_joint_axis *axis)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL || !cn_check_joint_dof(__func__, &j->def, dof) || !cn_check_pointer(__func__, "axis", axis))
        return false;
    cn_joint_def def = j->def;
    def.axes[dof] = *axis;
    return cn_check_joint_axis(__func__, "axis->", &def, dof) && cn_check_joint_ball(__func__, "ball.", &def) &&
           use_def(world, j, &def);
}

bool cn_joint_set_motor(cn_world *world, cn_joint_id joint, cn_dof dof, cn_motor_mode mode, float target, float max_force)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL || !cn_check_joint_dof(__func__, &j->def, dof) ||
        !cn_check_int_range(__func__, "mode", (int)mode, 0, CN_MOTOR_MODE_COUNT - 1) ||
        !cn_check_motor_target(__func__, "target", target) || !cn_check_force(__func__, "max_force", max_force))
        return false;
    cn_joint_def def = j->def;
    def.axes[dof].motor = mode;
    def.axes[dof].motor_target = target;
    def.axes[dof].motor_max_force = max_force;
    return use_def(world, j, &def);
}

bool cn_joint_set_limits(cn_world *world, cn_joint_id joint, cn_dof dof, float lower, float upper)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL || !cn_check_joint_dof(__func__, &j->def, dof))
        return false;
    cn_joint_def def = j->def;
    def.axes[dof].freedom = CN_LIMITED;
    def.axes[dof].lower = lower;
    def.axes[dof].upper = upper;
    return cn_check_joint_axis(__func__, "", &def, dof) && cn_check_joint_ball(__func__, "ball.", &def) &&
           use_def(world, j, &def);
}

static bool use_ball(cn_world *world, const char *function, const char *prefix, cn_joint *joint, const cn_joint_ball *ball)
{
    cn_joint_def def = joint->def;
    def.ball = *ball;
    if (!cn_check_joint_ball(function, prefix, &def))
        return false;
    def.ball.motor_rotation = cn_quat_normalize(ball->motor_rotation);
    return use_def(world, joint, &def);
}

bool cn_joint_set_ball(cn_world *world, cn_joint_id joint, const cn_joint_ball *ball)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    return j != NULL && cn_check_pointer(__func__, "ball", ball) && use_ball(world, __func__, "ball->", j, ball);
}

static bool aim_ball(cn_world *world, const char *function, cn_joint_id joint, cn_motor_mode motor, cn_quat rotation, cn_vec3 velocity)
{
    cn_joint *j = cn_find_writable_joint(world, function, joint);
    if (j == NULL)
        return false;
    cn_joint_ball ball = j->def.ball;
    ball.motor = motor;
    if (motor == CN_MOTOR_PLACE)
        ball.motor_rotation = rotation;
    else
        ball.motor_velocity = velocity;
    return use_ball(world, function, "ball.", j, &ball);
}

bool cn_joint_set_target_rotation(cn_world *world, cn_joint_id joint, cn_quat rotation)
{
    return aim_ball(world, __func__, joint, CN_MOTOR_PLACE, rotation, cn_v3(0.0f, 0.0f, 0.0f));
}

bool cn_joint_set_target_velocity(cn_world *world, cn_joint_id joint, cn_vec3 velocity)
{
    return aim_ball(world, __func__, joint, CN_MOTOR_SPEED, cn_quat_identity(), velocity);
}

bool cn_joint_set_frames(cn_world *world, cn_joint_id joint, cn_transform frame_a, cn_transform frame_b)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL)
        return false;
    cn_joint_def def = j->def;
    def.frame_a = frame_a;
    def.frame_b = frame_b;
    if (!cn_check_joint_frames(world, __func__, "", &def))
        return false;
    def.frame_a.rotation = cn_quat_normalize(frame_a.rotation);
    def.frame_b.rotation = cn_quat_normalize(frame_b.rotation);
    use_def(world, j, &def);
    if (def.kind != CN_JOINT_FRAMES) // a twist is followed on
        cn_joint_start(world, j);
    return true;
}

bool cn_joint_set_break(cn_world *world, cn_joint_id joint, float force, float torque)
{
    cn_joint *j = cn_find_writable_joint(world, __func__, joint);
    if (j == NULL || !cn_check_joint_break(__func__, "", force, torque))
        return false;
    cn_joint_def def = j->def;
    def.break_force = force;
    def.break_torque = torque;
    return use_def(world, j, &def);
}
