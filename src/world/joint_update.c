// Joints in a step: what the solver sees of those that are awake, and which of them break.
#include "world/check.h"
#include "world/joint_view.h"

enum { JOINTS_PER_TASK = 64, PREFETCH_AHEAD = 3 };

typedef struct update_job {
    cn_world *world;
    const int *awake; // joints, in order of their index
    float dt, gravity;
} update_job;

static int32_t encode(const cn_world *world, int body)
{
    return body == CN_NONE ? CN_UNMOVING : cn_encode_body(&world->bodies.data[body]);
}

// What update_range touches of a joint.
static void prefetch_joint(const cn_joint *joint)
{
    for (size_t at = 0; at < offsetof(cn_joint, def.axes); at += 64)
        __builtin_prefetch((const char *)joint + at);
}

static void update_range(void *context, int task)
{
    const update_job *job = context;
    cn_world *world = job->world;
    int begin = task * JOINTS_PER_TASK, end = begin + JOINTS_PER_TASK;
    if (end > world->found_joint_count)
        end = world->found_joint_count;
    for (int i = begin; i < end; i++) {
        if (i + PREFETCH_AHEAD < end)
            prefetch_joint(&world->joints.data[job->awake[i + PREFETCH_AHEAD]]);
        cn_joint *joint = &world->joints.data[job->awake[i]];
        cn_joint_update_view(world, joint);
        joint->solved_dt = job->dt;
        cn_found_joint *found = &world->found_joints[i];
        *found =
            (cn_found_joint){ .joint = &joint->view, .a = encode(world, joint->body_a), .b = encode(world, joint->body_b) };
        cn_joint_note_load(world, joint, job->gravity, found);
    }
}

void cn_update_joints(cn_world *world, float dt)
{
    int *awake = cn_arena_array(&world->arena, int, world->joint_count), count = 0;
    for (int i = 0; i < world->joints.count; i++)
        if (world->joint_marks.data[i] & CN_JOINT_AWAKE)
            awake[count++] = i;
    world->found_joints = cn_arena_array(&world->arena, cn_found_joint, count);
    world->found_joint_count = world->report.joints = count;
    update_job job = { world, awake, dt, cn_length(world->def.gravity) };
    cn_tasks_run(world->tasks, update_range, &job, (count + JOINTS_PER_TASK - 1) / JOINTS_PER_TASK);
}

// ---- breaking

typedef struct load {
    float force, torque; // N, N m
} load;

// A coupling pulls on its two bodies differently: the harder side counts.
static load coupling_load(const cn_solver_joint *view, float rate)
{
    float most_force = 0.0f, most_torque = 0.0f, scale = cn_absf(view->total[0][0]) * rate;
    for (int side = 0; side < 2; side++) {
        cn_vec3 force = cn_get3(view->jacobian[side][0]), arm = cn_get3(side == 0 ? view->arm_a : view->arm_b);
        cn_vec3 torque = cn_sub(cn_get3(view->jacobian[side][1]), cn_cross(arm, force));
        most_force = cn_maxf(most_force, cn_length(force));
        most_torque = cn_maxf(most_torque, cn_length(torque));
    }
    return (load){ scale * most_force, scale * most_torque };
}

static load measure(const cn_solver_joint *view, float dt)
{
    float rate = 1.0f / dt;
    if (view->joint_class == CN_CLASS_COUPLING)
        return coupling_load(view, rate);
    return (load){ rate * cn_length_of_any(cn_get3(view->total[0])), rate * cn_length_of_any(cn_get3(view->total[1])) };
}

static cn_body_id body_id(const cn_world *world, int body)
{
    return body == CN_NONE ? (cn_body_id){ 0 } : cn_body_id_of(world, body);
}

void cn_break_joints(cn_world *world, float dt)
{
    for (int i = 0; i < world->joints.count; i++) {
        if (world->joint_marks.data[i] != (CN_JOINT_AWAKE | CN_JOINT_BREAKS))
            continue;
        const cn_joint *joint = &world->joints.data[i];
        load carried = measure(&joint->view, dt);
        if (!(carried.force > joint->def.break_force || carried.torque > joint->def.break_torque))
            continue;
        cn_joint_event event = { cn_joint_id_of(world, i),
                                 body_id(world, joint->body_a),
                                 body_id(world, joint->body_b),
                                 joint->def.user_data,
                                 carried.force,
                                 carried.torque };
        cn_array_push(&world->allocator, &world->joint_events, event);
        cn_joint_release(world, i);
    }
}

const cn_joint_event *cn_world_get_joint_events(const cn_world *world, int *count)
{
    if (!cn_check_pointer(__func__, "count", count))
        return NULL;
    *count = 0;
    if (!cn_check_world(world, __func__))
        return NULL;
    *count = world->joint_events.count;
    return world->joint_events.data;
}
