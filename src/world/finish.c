// The end of a step: what the solver found goes back to the bodies, boxes follow them, hits are reported, still islands fall
// asleep.
#include "world/boxes.h"
#include "world/check.h"
#include "world/lost.h"
#include "world/meeting.h"

enum { BODIES_PER_TASK = 64 };

// What is asked of every body afterwards: the box of one of its shapes grew, and as in its motion.
enum { MARK_GROWN = 1, MARK_AIMED = 2, MARK_FAST = 4 };

typedef struct finish_job {
    cn_world *world;
    const cn_solve_input *input;
    float dt;
    cn_motion *motions; // per awake body
    uint8_t *fates;     // per awake body: cn_fate
    uint8_t *marks;     // per awake body
} finish_job;

static cn_vec3 row(const float *r) { return cn_v3(r[0], r[1], r[2]); }

static bool finite3(cn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

// A pushed body that turns farther than this in a step, in rad, turns as it would freely, and by what the pushes add to that.
#define FAR_TURN 0.05f
// What turns less does not notice that its axis turns, rad.
#define SMALL_TURN 1e-3f

static double spin_energy(const cn_body *body, cn_quat rotation, cn_vec3 a, cn_vec3 b)
{
    cn_quat axes = cn_quat_mul(rotation, body->principal_rotation);
    cn_vec3 x = cn_unrotate(axes, a), y = cn_unrotate(axes, b), moments = body->principal_inertia;
    return 0.5 * ((double)(moments.x * x.x) * (double)y.x + (double)(moments.y * x.y) * (double)y.y +
                  (double)(moments.z * x.z) * (double)y.z);
}

// The acceleration that turns the axis of a body, which the solver takes as steady, does no work in truth. What it did on the velocities
// that the substeps had is not kept.
static double energy_without_lean(const cn_body *body, const cn_body_drive *drive, float dt, cn_vec3 after)
{
    float share = 1.0f / (float)drive->begun;
    cn_vec3 mean = cn_scale(share, cn_madd(row(drive->spins), 0.5f, cn_sub(after, body->angular_velocity)));
    double work = 2.0 * (double)dt * spin_energy(body, body->rotation, row(drive->lean), mean);
    return spin_energy(body, body->rotation, after, after) - work;
}

// Nothing but pushes changes how fast a round body spins about its axis: the swing of the axis is what is shortened.
static cn_vec3 limit_spin(const cn_body *body, double most, cn_vec3 after)
{
    cn_vec3 swing = cn_swing(body, after), spin = cn_sub(after, swing);
    double is = spin_energy(body, body->rotation, swing, swing), left = most - spin_energy(body, body->rotation, spin, spin);
    return is > left ? cn_madd(spin, (float)sqrt(fmax(left, 0.0) / is), swing) : after;
}

// What rolls turns many times about its own axis in a step, which moves no part of it elsewhere, while the rest of its turn lifts or lowers
// its ends. So the part of a turn about that axis comes first and the rest is what the solver meant; one turn about an axis between
// the two would carry the ends around. Returns that part; the energy stays.
static cn_vec3 twist_first(cn_body *body, cn_vec3 turn, cn_vec3 *angular_velocity)
{
    cn_vec3 axis, zero = { 0.0f, 0.0f, 0.0f };
    if (!cn_body_axis(body, &axis))
        return zero;
    axis = cn_rotate(body->rotation, axis);
    cn_vec3 twist = cn_scale(cn_dot(axis, turn), axis), w = *angular_velocity;
    double before = spin_energy(body, body->rotation, w, w);
    body->rotation = cn_quat_mul(cn_quat_exp(twist), body->rotation);
    double after = spin_energy(body, body->rotation, w, w);
    if (after > 0.0)
        *angular_velocity = cn_scale((float)sqrt(before / after), w);
    return twist;
}

// Each substep has turned it by the velocity it ended with, which changed steadily from the first to the last.
static cn_vec3 turn_pushed(cn_body *body, float dt, int substeps, cn_vec3 angular_velocity, cn_vec3 turned)
{
    cn_vec3 before = body->angular_velocity, end = before, kept = before;
    cn_quat start = body->rotation, rotation = start;
    cn_rotate_freely(body, dt, &rotation, &end);
    float part = 0.5f + 0.5f / (float)substeps;
    cn_vec3 freely = cn_scale(dt, cn_madd(before, part, cn_sub(end, before))), by = cn_sub(turned, freely);
    cn_vec3 twist = twist_first(body, by, &kept);
    cn_quat turn = cn_quat_mul(cn_quat_exp(cn_sub(by, twist)), cn_quat_mul(rotation, cn_quat_conj(start)));
    body->rotation = cn_quat_mul(turn, body->rotation);
    // What was pushed about its axis goes with the axis.
    cn_vec3 axis = cn_normalize(twist), pushed = cn_scale(cn_dot(axis, cn_sub(angular_velocity, end)), axis);
    return cn_add(angular_velocity, cn_sub(cn_rotate(turn, pushed), pushed));
}

static int substeps_of(const cn_solve_input *input, int state)
{
    const cn_unit *unit = &input->units[input->unit_of[state]];
    return unit->result.handed_over ? 1 : unit->substeps;
}

// A body that is hit first gets all its impulses, whose energy the solver reckons with the inertia as it is when the step begins, and then
// turns freely. Where it was hit on its way it has turned otherwise; velocity and all are turned by the difference, which takes no energy.
static void turn_struck(cn_body *body, float dt, cn_vec3 angular_velocity, cn_vec3 turned)
{
    cn_vec3 otherwise = cn_madd(turned, -dt, angular_velocity), twist = twist_first(body, otherwise, &angular_velocity);
    cn_quat late = cn_quat_exp(cn_sub(otherwise, twist));
    cn_rotate_freely(body, dt, &body->rotation, &angular_velocity);
    body->rotation = cn_quat_mul(late, body->rotation);
    body->angular_velocity = cn_rotate(late, angular_velocity);
}

// How a round body turns about its own axis moves nothing: contacts do not follow that, but they do follow, as if it were steady, how the
// axis turns. Spin and swing go along with the axis, which takes no energy. Returns how the axis turned: that is its path.
static cn_vec3 turn_round(cn_body *body, cn_vec3 angular_velocity, cn_vec3 turned)
{
    cn_vec3 swung = cn_swing(body, turned);
    cn_quat swing = cn_far_turn(swung);
    body->rotation = cn_quat_mul(swing, cn_quat_mul(cn_far_turn(cn_sub(turned, swung)), body->rotation));
    body->angular_velocity = cn_rotate(swing, angular_velocity);
    return swung;
}

// `turn`: of a body whose rotation the solver has followed through the step, because joints asked for it; else NULL. The turn of the motion
// becomes the one that leads from its start to where the body is; of a round body only the one of its axis, for all that meets it.
static void turn_body(cn_body *body, const cn_solve_input *input, int state, cn_motion *motion, const float *turn)
{
    const cn_body_drive *drive = &input->drives[state];
    cn_vec3 angular_velocity = motion->spin, turned = motion->turned;
    float dt = input->dt;
    float angle = dt * cn_length(body->angular_velocity);
    bool tumbles = cn_body_tumbles(body), round = false, leans = drive->leans && drive->begun > 0;
    double most = leans ? energy_without_lean(body, drive, dt, angular_velocity) : 0.0;
    if (turn == NULL && tumbles && drive->struck) {
        turn_struck(body, dt, angular_velocity, turned);
    } else if (turn == NULL && tumbles && drive->free) {
        body->angular_velocity = angular_velocity;
        cn_rotate_freely(body, dt, &body->rotation, &body->angular_velocity);
    } else if (turn == NULL && tumbles && body->round_about != 0 && angle > SMALL_TURN) {
        motion->turned = turn_round(body, angular_velocity, turned);
        round = true;
    } else {
        if (turn != NULL)
            body->rotation = cn_quat_mul((cn_quat){ turn[0], turn[1], turn[2], turn[3] }, body->rotation);
        else if (tumbles && (angle > FAR_TURN || cn_length(turned) > CN_MOST_STEADY_TURN) && angle <= CN_MOST_PUSHED_TURN)
            angular_velocity = turn_pushed(body, dt, substeps_of(input, state), angular_velocity, turned);
        else
            body->rotation = cn_quat_mul(cn_quat_exp(turned), body->rotation);
        body->angular_velocity = angular_velocity;
    }
    if (leans)
        body->angular_velocity = limit_spin(body, most, body->angular_velocity);
    body->angular_velocity = cn_limit_length(body->angular_velocity, cn_body_angular_limit(body)); // turning freely changes it
    body->rotation = cn_quat_normalize(body->rotation);
    if (!round && (drive->jointed || tumbles)) // others turn by just as much
        cn_match_turn(body, motion);
}

static bool is_rotation(cn_quat q)
{
    float length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return length_sq > 0.99f && length_sq < 1.01f;
}

static void stop_lost_body(cn_body *body, cn_motion *motion)
{
    body->center = motion->start.center;
    body->rotation = motion->start.rotation;
    body->linear_velocity = body->angular_velocity = cn_v3(0.0f, 0.0f, 0.0f);
    motion->moved = motion->turned = motion->spin = cn_v3(0.0f, 0.0f, 0.0f);
}

// A body whose motion is not finite, or no rotation, stays where it was and stops; the next time it goes on as if nothing pushed it.
static cn_fate move_body(cn_body *body, const cn_solve_input *input, int state_index, cn_motion *motion)
{
    motion->start = (cn_place){ body->center, body->rotation };
    motion->strayed = false;
    const cn_body_state *state = &input->states[state_index];
    cn_vec3 linear = row(state->linear), angular = row(state->angular), moved = row(state->moved), turned = row(state->turned);
    body->force = body->torque = cn_v3(0.0f, 0.0f, 0.0f);
    const cn_body_drive *drive = &input->drives[state_index];
    if (drive->free && drive->damping[0] == 0.0f) { // its parabola in one piece: substeps would round many times
        cn_vec3 change = cn_scale(input->dt, row(drive->acceleration));
        moved = cn_scale(input->dt, cn_madd(body->linear_velocity, 0.5f, change));
        linear = cn_add(body->linear_velocity, change);
    }
    bool lost = !finite3(linear) || !finite3(angular) || !finite3(moved) || !finite3(turned);
    bool again = body->lost_before;
    body->lost_before = lost;
    if (lost && !again) {
        stop_lost_body(body, motion);
        return CN_LOST;
    }
    if (lost) {
        linear = cn_madd(body->linear_velocity, input->dt, row(drive->acceleration));
        angular = body->angular_velocity;
        moved = cn_scale(input->dt, linear);
        turned = cn_scale(input->dt, angular);
    }
    // What cannot be solved, such as a locked body that is crushed, must not leave the range in which anything can be computed.
    float linear_limit = cn_body_linear_limit(body), angular_limit = cn_body_angular_limit(body);
    bool too_fast = cn_length_sq(linear) > linear_limit * linear_limit || cn_length_sq(angular) > angular_limit * angular_limit;
    cn_fate fate = lost ? CN_LOST_AGAIN : too_fast ? CN_HELD_BACK : CN_MOVED;
    linear = cn_limit_length(linear, linear_limit);
    angular = cn_limit_length(angular, angular_limit);
    moved = cn_limit_length(moved, input->dt * linear_limit);
    turned = cn_limit_length(turned, input->dt * angular_limit);
    motion->moved = moved;
    motion->turned = turned;
    motion->spin = angular;
    body->linear_velocity = linear;
    body->center = cn_pos_add(body->center, moved);
    turn_body(body, input, state_index, motion, drive->jointed && !lost ? input->turns[state_index] : NULL);
    if (is_rotation(body->rotation) && finite3(body->angular_velocity))
        return fate;
    stop_lost_body(body, motion);
    return CN_LOST;
}

// Whether no point of its surface moves as fast as that. Points far from the axis about which it turns are what is bounded by the extent;
// those of a needle that turns about its own axis are near it, and the energy of the turn tells: no point of a box is faster than
// sqrt(3) times the mean square of all of it.
static bool is_slower(const cn_body *body, float speed)
{
    const float fastest = 2.0f;
    float linear = cn_length(body->linear_velocity), left = speed - linear;
    if (!(linear < speed) || cn_length(body->angular_velocity) * body->extent < left)
        return linear < speed;
    double twice = 2.0 * spin_energy(body, body->rotation, body->angular_velocity, body->angular_velocity);
    return (double)(fastest * fastest * body->inverse_mass) * twice < (double)left * (double)left;
}

static void finish_range(void *context, int task)
{
    finish_job *job = context;
    cn_world *world = job->world;
    int end = (task + 1) * BODIES_PER_TASK < world->awake.count ? (task + 1) * BODIES_PER_TASK : world->awake.count;
    for (int i = task * BODIES_PER_TASK; i < end; i++) {
        int index = world->awake.data[i];
        cn_body *body = &world->bodies.data[index];
        cn_motion *motion = &job->motions[i];
        job->fates[i] = (uint8_t)move_body(body, job->input, i, motion);
        float still = body->sleep_speed >= 0.0f ? body->sleep_speed : world->def.sleep_speed;
        body->still_time = is_slower(body, still) ? body->still_time + job->dt : 0.0f;
        cn_outlook out = cn_outlook_of(body, &job->input->states[i], &job->input->drives[i], job->dt);
        motion->fast = cn_is_fast(world, body, motion);
        motion->aimed = motion->fast && cn_is_aimed(world, body, &out);
        bool grown = false;
        for (int s = body->first_shape; s != CN_NONE; s = world->shapes.data[s].next)
            grown |= motion->aimed ? cn_follow_shape(world, &world->shapes.data[s], motion)
                                   : cn_refit_shape(world, &world->shapes.data[s], body, motion, &out);
        job->marks[i] = (uint8_t)((grown ? MARK_GROWN : 0) | (motion->aimed ? MARK_AIMED : 0) | (motion->fast ? MARK_FAST : 0));
        cn_transform transform = { cn_body_origin(body), body->rotation };
        world->move_events.data[i] = (cn_move_event){ cn_body_id_of(world, index), body->user_data, transform, false };
    }
}

static void enlarge_boxes(cn_world *world, const cn_body *body, bool aimed)
{
    for (int s = body->first_shape; s != CN_NONE; s = world->shapes.data[s].next) {
        const cn_shape *shape = &world->shapes.data[s];
        if (aimed || cn_is_looking(world, shape))
            cn_tree_enlarge(&world->moving_tree, shape->proxy, shape->fat_box);
        if (!aimed && cn_is_looking(world, shape)) // or else it is not the last one
            cn_array_push(&world->allocator, &world->moved_shapes, s);
    }
}

void cn_store_bodies(cn_world *world, const cn_solve_input *input)
{
    cn_array_reserve(&world->allocator, &world->move_events, world->awake.count);
    world->move_events.count = world->awake.count;
    finish_job job = { world,
                       input,
                       input->dt,
                       cn_arena_array(&world->arena, cn_motion, world->awake.count),
                       cn_arena_array(&world->arena, uint8_t, world->awake.count),
                       cn_arena_array(&world->arena, uint8_t, world->awake.count) };
    cn_tasks_run(world->tasks, finish_range, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    cn_catch_lost_bodies(world, input, job.fates);
    int awake = world->awake.count; // fast kinematic bodies may wake others
    uint8_t any = 0;
    for (int i = 0; i < awake; i++) {
        any |= job.marks[i];
        if (job.marks[i] & MARK_GROWN)
            enlarge_boxes(world, &world->bodies.data[world->awake.data[i]], job.marks[i] & MARK_AIMED);
    }
    if (!(any & MARK_AIMED))
        cn_tree_refit(&world->moving_tree);
    if (any & MARK_FAST)
        cn_stop_at_impacts(world, input, job.motions);
    if (any & MARK_AIMED) {
        cn_aim_shapes(world, input, job.motions, awake);
        cn_tree_refit(&world->moving_tree);
    }
}

// ---- hits

static void report_hit(cn_world *world, const cn_contact *contact, const cn_patch *patch)
{
    int hardest = CN_NONE;
    for (int k = 0; k < patch->point_count; k++)
        if (patch->total[k] > 0.0f && -patch->approach[k] > world->def.hit_speed && isfinite(patch->approach[k]) &&
            (hardest == CN_NONE || patch->approach[k] < patch->approach[hardest]))
            hardest = k;
    if (hardest == CN_NONE)
        return;
    cn_vec3 offset = { patch->points[0][hardest], patch->points[1][hardest], patch->points[2][hardest] };
    cn_hit_event event = { cn_shape_id_of(world, contact->shape_a), cn_shape_id_of(world, contact->shape_b),
                           cn_pos_add(world->bodies.data[contact->body_a].center, offset),
                           cn_v3(patch->normal[0], patch->normal[1], patch->normal[2]), -patch->approach[hardest] };
    cn_array_push(&world->allocator, &world->hit_events, event);
}

// Before the bodies are moved: the points are given relative to where they were.
void cn_report_hits(cn_world *world)
{
    for (int i = 0; world->hits_wanted && i < world->awake_contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[world->awake_contacts.data[i].contact];
        for (int k = 0; contact->hits && k < contact->touch_count; k++)
            report_hit(world, contact, &cn_contact_touch(contact, k)->patch);
    }
}

// ---- sleep

typedef struct still_search {
    int *stack, *stamp; // per awake body; the stamp is the number of the search that found it, 0: none yet
    int count, number;
} still_search;

// False when the body keeps its island awake, or is part of one that an earlier search found to stay awake.
static bool visit(const cn_world *world, still_search *search, int body)
{
    const cn_body *b = &world->bodies.data[body];
    if (b->type != CN_DYNAMIC || b->awake == CN_NONE || search->stamp[b->awake] == search->number)
        return true;
    if (search->stamp[b->awake] != 0)
        return false;
    search->stamp[b->awake] = search->number;
    if (b->still_time < world->def.sleep_time || !b->can_sleep)
        return false;
    search->stack[search->count++] = body;
    return true;
}

static bool visit_neighbours(const cn_world *world, still_search *search, const cn_body *body)
{
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int other = key & 1 ? contact->body_a : contact->body_b;
        key = contact->edges[key & 1].next;
        if (cn_contact_holds(contact) && !visit(world, search, other))
            return false;
    }
    for (int key = body->first_joint; key != CN_NONE;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        int partner = cn_joint_partner(joint, key & 1);
        key = joint->edges[key & 1].next;
        if (partner != CN_NONE && !visit(world, search, partner))
            return false;
    }
    return true;
}

// Units may hold several islands; cn_put_to_sleep finds the island of a body by itself. Here only bodies are tried whose whole
// neighbourhood has been still for long enough.
static bool island_is_still(const cn_world *world, still_search *search, int body)
{
    search->count = 0;
    search->number++;
    bool still = visit(world, search, body);
    while (still && search->count > 0)
        still = visit_neighbours(world, search, &world->bodies.data[search->stack[--search->count]]);
    return still;
}

void cn_update_sleep(cn_world *world)
{
    if (!world->def.sleeping)
        return;
    cn_arena *arena = &world->arena;
    int awake = world->awake.count; // nobody falls asleep before the search is done
    still_search search = { cn_arena_array(arena, int, awake), cn_arena_array(arena, int, awake), 0, 0 };
    int *tired = cn_arena_array(arena, int, awake), tired_count = 0;
    for (int i = 0; i < awake; i++)
        search.stamp[i] = 0;
    for (int i = 0; i < awake; i++) {
        int index = world->awake.data[i];
        const cn_body *body = &world->bodies.data[index];
        if (body->type != CN_DYNAMIC || search.stamp[i] != 0 || body->still_time < world->def.sleep_time)
            continue;
        if (island_is_still(world, &search, index))
            tired[tired_count++] = index;
    }
    for (int i = 0; i < tired_count; i++)
        cn_put_to_sleep(world, tired[i]);
}
