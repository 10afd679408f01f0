// The boxes of shapes in the tree: large enough for where a shape is expected in the next step, so that its contacts are there
// before it arrives.
#include "world/boxes.h"

#include "world/meeting.h"

#include <string.h>

enum { BODIES_PER_TASK = 64 };

static cn_vec3 row(const float r[4]) { return cn_v3(r[0], r[1], r[2]); }

// Boxes are made larger than the shape by this many margins, so that a shape that moves a little stays inside.
#define FAT_MARGINS 5.0f

static float room_inside(const cn_box3 *outer, const cn_box3 *inner)
{
    cn_vec3 below = cn_sub(inner->lower, outer->lower), above = cn_sub(outer->upper, inner->upper),
            least = cn_min3(below, above);
    return cn_minf(cn_minf(least.x, least.y), least.z);
}

cn_outlook cn_outlook_of(const cn_body *body, const cn_body_state *state, const cn_body_drive *drive, float dt)
{
    cn_vec3 velocity = body->linear_velocity;
    if (drive->free) // what falls will be faster
        velocity = cn_madd(velocity, dt, row(drive->acceleration));
    return (cn_outlook){ cn_length(row(state->moved)) + cn_length(row(state->turned)) * body->extent, cn_scale(dt, velocity),
                         dt };
}

// By how much the shape moves in the next step, but for turning about itself.
static cn_vec3 way_ahead(const cn_shape *shape, const cn_body *body, const cn_outlook *out)
{
    if (cn_is_composite(shape) || body->shape_count == 1)
        return out->ahead;
    cn_vec3 arm = cn_rotate(body->rotation, cn_pose_point(shape->pose, cn_convex_center(&shape->convex)));
    return cn_madd(out->ahead, out->dt, cn_cross(body->angular_velocity, arm));
}

// A box with what the shape will fill in the next step, as far as is known.
static cn_box3 box_ahead(const cn_world *world, const cn_shape *shape, const cn_body *body, const cn_box3 *box, const cn_outlook *out)
{
    cn_motion next = { .start = { body->center, body->rotation },
                       .moved = out->ahead,
                       .turned = cn_scale(out->dt, body->angular_velocity) };
    if (cn_path_bulge(shape, &next) == INFINITY) { // it fills the ball around it
        cn_box3 way = cn_path_box(world, shape, &next, box, shape->box_margin);
        return cn_box3_union(box, &way);
    }
    cn_vec3 ahead = way_ahead(shape, body, out), zero = { 0.0f, 0.0f, 0.0f };
    return (cn_box3){ cn_add(box->lower, cn_min3(ahead, zero)), cn_add(box->upper, cn_max3(ahead, zero)) };
}

// By how much boxes are larger than that.
static float extra_of(const cn_shape *shape) { return (FAT_MARGINS - 1.0f) * shape->box_margin; }

static cn_box3 grown(const cn_box3 *box, float by)
{
    cn_vec3 grow = { by, by, by };
    return (cn_box3){ cn_sub(box->lower, grow), cn_add(box->upper, grow) };
}

static void set_box(cn_shape *shape, cn_box3 box)
{
    shape->fat_box = box;
    shape->aimed = false;
}

// Whether the shape left the box in which its pairs were looked for, or may have left the way along which they were. `path`: the box around
// the way it took, in which others must meet it, too.
static bool has_strayed(const cn_world *world, const cn_shape *shape, cn_motion *motion, const cn_box3 *tight, cn_box3 *path)
{
    *path = cn_path_box(world, shape, motion, tight, shape->box_margin);
    if (!shape->aimed && cn_box3_contains(&shape->fat_box, path))
        return false;
    motion->path = motion->strayed ? cn_box3_union(&motion->path, path) : *path;
    motion->strayed = true;
    return true;
}

// A box that holds the shape during the next step, if its old one does not or is to be replaced. `room`: of the old one when this step
// began. True when it is another.
static bool make_box(const cn_world *world, cn_shape *shape, const cn_body *body, cn_motion *motion, const cn_outlook *out, float room,
                     bool replace)
{
    cn_box3 tight = cn_shape_box(world, shape, shape->box_margin), box = tight, path;
    float bulge = cn_path_bulge(shape, motion), end_room = room_inside(&shape->fat_box, &tight);
    // Both ends of the path are in the old box, and so is what lies between.
    bool expected = room >= bulge && end_room >= bulge && !shape->aimed;
    if (!expected && shape->sensor == CN_NONE && cn_is_fast_shape(body, shape, motion) && has_strayed(world, shape, motion, &tight, &path))
        box = path;
    box = box_ahead(world, shape, body, &box, out);
    replace |= !cn_box3_contains(&shape->fat_box, &box);
    if (replace) {
        set_box(shape, grown(&box, extra_of(shape)));
        end_room = room_inside(&shape->fat_box, &tight);
    }
    shape->room = end_room;
    return replace;
}

bool cn_refit_shape(cn_world *world, cn_shape *shape, const cn_body *body, cn_motion *motion, const cn_outlook *out)
{
    float room = shape->room; // when the step began
    shape->room -= out->travel;
    // Sensors may be larger than the body.
    if (shape->room > cn_length(out->ahead) && shape->sensor == CN_NONE && !shape->aimed)
        return false;
    if (make_box(world, shape, body, motion, out, room, shape->aimed))
        shape->looking = world->pair_round;
    return cn_is_looking(world, shape);
}

// ---- fast bodies

// What moves by more than this part of its extent in a step has pairs along its way alone.
#define AIMED 1.0f

static bool flies_far(const cn_body *body, const cn_outlook *out)
{
    return body->type == CN_DYNAMIC && body->continuous && body->joint_count == 0 &&
           cn_length_sq(out->ahead) > AIMED * AIMED * body->extent * body->extent;
}

bool cn_is_aimed(const cn_world *world, const cn_body *body, const cn_outlook *out)
{
    return body->first_shape != CN_NONE && (world->shapes.data[body->first_shape].aimed || flies_far(body, out));
}

bool cn_follow_shape(const cn_world *world, cn_shape *shape, cn_motion *motion)
{
    if (shape->sensor != CN_NONE || (shape->aimed && cn_distance(motion->moved, shape->aim) <= extra_of(shape)))
        return false;
    cn_box3 tight = cn_shape_box(world, shape, shape->box_margin), path;
    if (!has_strayed(world, shape, motion, &tight, &path))
        return false;
    set_box(shape, path);
    return true;
}

static void aim_shape(const cn_world *world, cn_shape *shape, const cn_body *body, const cn_outlook *out)
{
    if (!flies_far(body, out) || shape->sensor != CN_NONE || cn_is_composite(shape)) {
        cn_motion rests = { .start = { body->center, body->rotation } };
        make_box(world, shape, body, &rests, out, 0.0f, true);
        return;
    }
    float radius = 1.000001f * shape->reach + shape->box_margin;
    set_box(shape, cn_ball_path_box(world, body->center, out->ahead, radius + extra_of(shape)));
    shape->aimed = true;
    shape->aim = out->ahead;
    shape->room = extra_of(shape);
}

typedef struct aim_job {
    cn_world *world;
    const cn_solve_input *input;
    const cn_motion *motions;
    int count;
} aim_job;

static void aim_range(void *context, int task)
{
    const aim_job *job = context;
    cn_world *world = job->world;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (!job->motions[i].aimed)
            continue;
        cn_outlook out = cn_outlook_of(body, &job->input->states[i], &job->input->drives[i], job->input->dt);
        for (int s = body->first_shape; s != CN_NONE; s = world->shapes.data[s].next)
            aim_shape(world, &world->shapes.data[s], body, &out);
    }
}

void cn_aim_shapes(cn_world *world, const cn_solve_input *input, const cn_motion *motions, int count)
{
    aim_job job = { world, input, motions, count };
    cn_tasks_run(world->tasks, aim_range, &job, (count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    for (int i = 0; i < count; i++) {
        int s = motions[i].aimed ? world->bodies.data[world->awake.data[i]].first_shape : CN_NONE;
        for (; s != CN_NONE; s = world->shapes.data[s].next) {
            cn_shape *shape = &world->shapes.data[s];
            cn_box3 now = cn_tree_box(&world->moving_tree, shape->proxy);
            if (memcmp(&now, &shape->fat_box, sizeof now) == 0)
                continue;
            cn_tree_enlarge(&world->moving_tree, shape->proxy, shape->fat_box);
            if (!cn_is_looking(world, shape)) {
                shape->looking = world->pair_round;
                cn_array_push(&world->allocator, &world->moved_shapes, s);
            }
        }
    }
}

bool cn_shapes_stay_apart(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    if (!a->aimed || !b->aimed)
        return false;
    cn_pos3 from = world->bodies.data[a->body].center, to = world->bodies.data[b->body].center;
    cn_d3 apart = { to.x - from.x, to.y - from.y, to.z - from.z }, moved = cn_d3_from(cn_sub(b->aim, a->aim));
    float reach = a->reach + b->reach + FAT_MARGINS * (a->box_margin + b->box_margin), begin, end;
    return !cn_balls_are_near(apart, moved, (double)reach, &begin, &end) || begin > 1.0f;
}

// ---- bodies that the user has set in motion

void cn_body_set_in_motion(cn_world *world, int body)
{
    const cn_body *b = &world->bodies.data[body];
    float distance = world->last_dt * cn_length(b->linear_velocity);
    for (int s = b->first_shape; s != CN_NONE; s = world->shapes.data[s].next) {
        cn_shape *shape = &world->shapes.data[s];
        if ((distance <= shape->room && !shape->aimed) || shape->sensor != CN_NONE)
            continue;
        shape->room = 0.0f;
        shape->aimed = false;
        cn_shape_look_for_pairs(world, s);
    }
}

void cn_expect_motion(cn_world *world, float dt)
{
    for (int i = 0; i < world->moved_shapes.count; i++) {
        cn_shape *shape = &world->shapes.data[world->moved_shapes.data[i]];
        const cn_body *body = &world->bodies.data[shape->body];
        if (shape->room > 0.0f || body->type == CN_STATIC || body->awake == CN_NONE || shape->sensor != CN_NONE)
            continue;
        cn_outlook out = { 0.0f, cn_scale(dt, body->linear_velocity), dt };
        if (cn_length(way_ahead(shape, body, &out)) <= (FAT_MARGINS - 1.0f) * shape->box_margin)
            continue;
        cn_box3 tight = cn_shape_box(world, shape, FAT_MARGINS * shape->box_margin), box = box_ahead(world, shape, body, &tight, &out);
        shape->fat_box = cn_box3_union(&shape->fat_box, &box);
        shape->room = (FAT_MARGINS - 1.0f) * shape->box_margin;
        cn_tree_enlarge(&world->moving_tree, shape->proxy, shape->fat_box);
    }
}
