// Ghost contacts: where two shapes that do not move against each other lie side by side, the edge between them is no edge, and
// nothing that slides over the seam may catch on it.
#include "collide/ghost.h"
#include "world/world.h"

// Things within this part of the contact margin of the sliding shape count as touching: half a percent of its inner radius.
#define SEAM_WIDTH 0.125f

// Whether two shapes never move against each other.
static bool are_fixed(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    return a->body == b->body ||
           (world->bodies.data[a->body].type == CN_STATIC && world->bodies.data[b->body].type == CN_STATIC);
}

// The frame of one shape in that of another.
static cn_pose pose_in(const cn_world *world, const cn_shape *shape, const cn_shape *frame)
{
    const cn_body *a = &world->bodies.data[frame->body], *b = &world->bodies.data[shape->body];
    cn_quat inverse = cn_quat_conj(a->rotation);
    cn_pose bodies = { cn_rotate(inverse, cn_pos_sub(b->center, a->center)), cn_quat_mul(inverse, b->rotation) };
    cn_pose pose = cn_pose_mul(cn_pose_inverse(frame->pose), cn_pose_mul(bodies, shape->pose));
    pose.rotation = cn_quat_normalize(pose.rotation);
    return pose;
}

static cn_placed_solid placed(const cn_shape *shape, cn_pose pose)
{
    return (cn_placed_solid){ &shape->convex, cn_is_composite(shape) ? &shape->composite : NULL, pose };
}

// From the solid to the centre of the slider; zero when that is inside.
static cn_vec3 upright_on(const cn_placed_solid *solid, cn_vec3 center)
{
    return cn_normalize(cn_sub(center, cn_nearest_in(solid, center)));
}

// A contact between a shape that slides and one that it slides on, in the frame of shape a.
typedef struct seam_search {
    const cn_world *world;
    const cn_contact *contact;
    const cn_shape *slider, *ground;
    cn_placed_solid ground_solid;
    cn_vec3 center; // of the slider
    cn_manifold *manifold;
} seam_search;

// The box, as the trees have it, around all points of the contact. What is not there covers none of them: the surface of the
// ground is within half of the separation of each, and the one looked at within one and a half, whichever way the normal is
// turned.
static cn_box3 box_of_points(const seam_search *s)
{
    const cn_shape *frame = &s->world->shapes.data[s->contact->shape_a];
    const cn_body *body = &s->world->bodies.data[frame->body];
    cn_quat rotation = cn_quat_mul(body->rotation, frame->pose.rotation);
    cn_pos3 origin = cn_pos_add(body->center, cn_rotate(body->rotation, frame->pose.position));
    cn_vec3 lower = cn_v3(INFINITY, INFINITY, INFINITY), upper = cn_neg(lower);
    float farthest = 0.0f;
    for (int i = 0; i < s->manifold->count; i++) {
        cn_vec3 p = cn_rotate(rotation, s->manifold->points[i].position);
        lower = cn_min3(lower, p);
        upper = cn_max3(upper, p);
        farthest = cn_maxf(farthest, cn_absf(s->manifold->points[i].separation));
    }
    cn_bounds bounds = { cn_pos_add(origin, lower), cn_pos_add(origin, upper) };
    return cn_world_box(s->world, &bounds, s->slider->margin + 2.0f * farthest); // the margin is several seams wide
}

static cn_seam resolve_with(const seam_search *s, const cn_shape *neighbour)
{
    const cn_shape *frame = &s->world->shapes.data[s->contact->shape_a];
    cn_placed_solid other = placed(neighbour, pose_in(s->world, neighbour, frame));
    cn_vec3 upright = upright_on(&other, s->center);
    if (cn_length_sq(upright) == 0.0f)
        return CN_NO_SEAM;
    return cn_resolve_seam(&s->manifold->normal, s->manifold->points, s->manifold->count, &s->ground_solid, &other, upright,
                           SEAM_WIDTH * s->slider->margin);
}

// Looks at the other shapes that the slider is near and that are fixed to the one it slides on. True for a ghost.
static bool resolve_seams(const seam_search *s)
{
    const cn_world *world = s->world;
    cn_box3 box = { 0 };
    bool known = false;
    for (int key = world->bodies.data[s->slider->body].first_contact; key != CN_NONE;) {
        const cn_contact *near = &world->contacts.data[key >> 1];
        const cn_shape *other = &world->shapes.data[key & 1 ? near->shape_a : near->shape_b];
        key = near->edges[key & 1].next;
        if (near == s->contact || other == s->ground || !are_fixed(world, s->ground, other))
            continue;
        if (!known)
            box = box_of_points(s);
        known = true;
        if (cn_box3_overlaps(&box, &other->fat_box) && cn_shapes_collide(world, s->slider, other) &&
            resolve_with(s, other) == CN_SEAM_GHOST)
            return true;
    }
    return false;
}

bool cn_is_ghost(const cn_world *world, const cn_contact *contact, cn_pose b_in_a, cn_manifold *manifold)
{
    const cn_shape *shapes[2] = { &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b] };
    const cn_pose poses[2] = { CN_POSE_IDENTITY, b_in_a };
    for (int side = 0; side < 2; side++) {
        const cn_shape *slider = shapes[side], *ground = shapes[1 - side];
        if (cn_is_composite(slider))
            continue;
        const cn_body *body = &world->bodies.data[slider->body], *owner = &world->bodies.data[ground->body];
        bool has_neighbour = owner->type == CN_STATIC ? body->static_count > 1 : owner->shape_count > 1;
        if (body->type != CN_DYNAMIC || !has_neighbour)
            continue;
        seam_search s = { world, contact, slider, ground, placed(ground, poses[1 - side]), { 0.0f, 0.0f, 0.0f }, manifold };
        s.center = cn_pose_point(poses[side], cn_convex_center(&slider->convex));
        if (side == 0) // normals point from a to b, but here to the slider
            manifold->normal = cn_neg(manifold->normal);
        bool ghost = resolve_seams(&s);
        if (side == 0)
            manifold->normal = cn_neg(manifold->normal);
        if (ghost)
            return true;
    }
    return false;
}

// ---- hits on the way

typedef struct hit_search {
    const cn_world *world;
    const cn_shape *slider, *touched;
    cn_pos3 point, center;
    cn_vec3 normal;
    bool ghost;
} hit_search;

// Whether the normal of the hit leans over a neighbour whose surface goes on from the point.
static bool leans_over(const hit_search *s, const cn_shape *neighbour)
{
    const float look = 0.5f * s->slider->margin, seam = 0.1f, least_lean = 0.05f;
    const cn_body *body = &s->world->bodies.data[neighbour->body];
    cn_pose pose = { cn_rotate(body->rotation, neighbour->pose.position),
                     cn_quat_mul(body->rotation, neighbour->pose.rotation) };
    cn_placed_solid solid = placed(neighbour, pose);
    cn_vec3 upright = upright_on(&solid, cn_pos_sub(s->center, body->center));
    cn_vec3 lean = cn_madd(s->normal, -cn_dot(s->normal, upright), upright);
    if (cn_length_sq(upright) == 0.0f || cn_length(lean) < least_lean)
        return false;
    cn_vec3 beside = cn_madd(cn_pos_sub(s->point, body->center), look, cn_normalize(lean));
    return cn_distance(cn_nearest_in(&solid, beside), beside) < seam * look;
}

static bool try_neighbour(void *context, int32_t index)
{
    hit_search *s = context;
    const cn_shape *other = &s->world->shapes.data[index];
    s->ghost = other != s->touched && cn_shapes_collide(s->world, s->slider, other) && leans_over(s, other);
    return !s->ghost;
}

bool cn_is_ghost_hit(const cn_world *world, const cn_shape *slider, const cn_shape *touched, cn_pos3 point, cn_pos3 center,
                     cn_vec3 normal)
{
    hit_search s = { world, slider, touched, point, center, normal, false };
    cn_bounds bounds = { point, point };
    cn_box3 box = cn_world_box(world, &bounds, slider->margin);
    if (world->bodies.data[touched->body].type == CN_STATIC)
        cn_tree_query(&world->static_tree, &box, try_neighbour, &s);
    return s.ghost;
}
