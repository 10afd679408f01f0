// The boxes of shapes in the tree: large enough for where a shape is expected in the next step, so that its contacts are there
// before it arrives.
#include "world/boxes.h"

#include "world/meeting.h"

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

bool cn_refit_shape(cn_world *world, cn_shape *shape, const cn_body *body, cn_motion *motion, const cn_outlook *out)
{
    float room = shape->room; // when the step began
    shape->room -= out->travel;
    if (shape->room > cn_length(out->ahead) && shape->sensor == CN_NONE) // sensors may be larger than the body
        return false;
    cn_box3 tight = cn_shape_box(world, shape, shape->box_margin), box = tight;
    float bulge = cn_path_bulge(shape, motion), end_room = room_inside(&shape->fat_box, &tight);
    // Both ends of the path are in the old box, and so is what lies between.
    bool expected = room >= bulge && end_room >= bulge;
    if (!expected && shape->sensor == CN_NONE && cn_is_fast_shape(body, shape, motion)) {
        cn_box3 path = cn_path_box(world, shape, motion, &tight, shape->box_margin);
        if (!cn_box3_contains(&shape->fat_box, &path)) { // others must meet it there, too
            motion->path = motion->strayed ? cn_box3_union(&motion->path, &path) : path;
            motion->strayed = true;
            box = path;
        }
    }
    box = box_ahead(world, shape, body, &box, out);
    if (!cn_box3_contains(&shape->fat_box, &box)) {
        float extra = (FAT_MARGINS - 1.0f) * shape->box_margin;
        cn_vec3 grow = { extra, extra, extra };
        shape->fat_box = (cn_box3){ cn_sub(box.lower, grow), cn_add(box.upper, grow) };
        shape->looking = world->pair_round;
        end_room = room_inside(&shape->fat_box, &tight);
    }
    shape->room = end_room;
    return cn_is_looking(world, shape);
}

// ---- bodies that the user has set in motion

void cn_body_set_in_motion(cn_world *world, int body)
{
    const cn_body *b = &world->bodies.data[body];
    float distance = world->last_dt * cn_length(b->linear_velocity);
    for (int s = b->first_shape; s != CN_NONE; s = world->shapes.data[s].next) {
        cn_shape *shape = &world->shapes.data[s];
        if (distance <= shape->room || shape->sensor != CN_NONE)
            continue;
        shape->room = 0.0f;
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
