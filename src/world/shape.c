// Shapes: their life, their boxes in the trees, and the list of those that look for pairs.
#include "world/check.h"
#include "world/world.h"

#include <string.h>

// Fractions of a shape's inner radius, so that nothing depends on the scale of a scene: a unit cube makes contacts 2 cm ahead
// and may move 10 cm before its place in the tree changes.
static const float margin_fraction = 0.04f;
static const float fat_fraction = 0.2f;

// ---- boxes

cn_bounds cn_shape_bounds(const cn_world *world, const cn_shape *shape)
{
    const cn_body *body = &world->bodies.data[shape->body];
    cn_pose turned = { cn_rotate(body->rotation, shape->pose.position), cn_quat_mul(body->rotation, shape->pose.rotation) };
    cn_vec3 lower, upper;
    cn_convex_bounds(&shape->convex, turned, &lower, &upper);
    return (cn_bounds){ cn_pos_add(body->center, lower), cn_pos_add(body->center, upper) };
}

// The next float after a finite one, towards minus infinity.
static float next_below(float x)
{
    if (x == 0.0f)
        return -1e-45f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0.0f ? bits - 1 : bits + 1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float round_down(double x)
{
    float nearest = (float)x;
    return (double)nearest > x ? next_below(nearest) : nearest;
}

static float round_up(double x) { return -round_down(-x); }

cn_box3 cn_shape_box(const cn_world *world, const cn_shape *shape, float margin)
{
    cn_bounds b = cn_shape_bounds(world, shape);
    double m = (double)margin;
    return (cn_box3){ { round_down(b.lower.x - m), round_down(b.lower.y - m), round_down(b.lower.z - m) },
                      { round_up(b.upper.x + m), round_up(b.upper.y + m), round_up(b.upper.z + m) } };
}

// ---- proxies

static cn_tree *tree_of(cn_world *world, const cn_shape *shape)
{
    return world->bodies.data[shape->body].type == CN_STATIC ? &world->static_tree : &world->moving_tree;
}

static cn_box3 fat_box(const cn_world *world, const cn_shape *shape)
{
    bool is_static = world->bodies.data[shape->body].type == CN_STATIC;
    float fat = is_static ? shape->margin : fat_fraction * cn_convex_inner_radius(&shape->convex);
    return cn_shape_box(world, shape, fat);
}

void cn_shape_look_for_pairs(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    if (s->enlarged)
        return;
    s->enlarged = true;
    cn_array_push(&world->allocator, &world->moved_shapes, shape);
}

static void stop_looking(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    if (!s->enlarged)
        return;
    s->enlarged = false;
    int i = world->moved_shapes.count - 1;
    while (i >= 0 && world->moved_shapes.data[i] != shape)
        i--;
    if (i >= 0)
        world->moved_shapes.data[i] = world->moved_shapes.data[--world->moved_shapes.count];
}

void cn_shape_add_proxy(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    s->fat_box = fat_box(world, s);
    s->room = 0.0f;
    s->proxy = cn_tree_insert(tree_of(world, s), s->fat_box, shape);
    cn_shape_look_for_pairs(world, shape);
}

void cn_shape_remove_proxy(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    cn_tree_remove(tree_of(world, s), s->proxy);
    s->proxy = CN_NONE;
    stop_looking(world, shape);
}

void cn_shape_refresh(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    s->fat_box = fat_box(world, s);
    s->room = 0.0f;
    cn_tree_move(tree_of(world, s), s->proxy, s->fat_box);
    cn_shape_look_for_pairs(world, shape);
}

static bool wake_owner(void *context, int32_t shape)
{
    cn_world *world = context;
    cn_wake_body(world, world->shapes.data[shape].body);
    return true;
}

void cn_shape_wake_overlapping(cn_world *world, int shape)
{
    cn_tree_query(&world->moving_tree, &world->shapes.data[shape].fat_box, wake_owner, world);
}

// ---- creation

static bool check_geometry(const char *function, const cn_world *world, const cn_geometry *g)
{
    switch (g->type) {
    case CN_SPHERE: return cn_check_size(function, "def.geometry.radius", g->radius);
    case CN_CAPSULE: // without height it is a ball
        return cn_check_range(function, "def.geometry.half_height", g->half_height, 0.0f, CN_MAX_SIZE) &&
               cn_check_size(function, "def.geometry.radius", g->radius);
    case CN_BOX:
        return cn_check_size(function, "def.geometry.half_extents.x", g->half_extents.x) &&
               cn_check_size(function, "def.geometry.half_extents.y", g->half_extents.y) &&
               cn_check_size(function, "def.geometry.half_extents.z", g->half_extents.z);
    case CN_CYLINDER:
        return cn_check_size(function, "def.geometry.half_height", g->half_height) &&
               cn_check_size(function, "def.geometry.radius", g->radius);
    case CN_HULL: return cn_find_hull(world, function, g->hull) != NULL;
    default: return cn_fail("%s: def.geometry.type is %d, which is no shape type", function, (int)g->type);
    }
}

static bool check_def(const char *function, const cn_world *world, const cn_shape_def *def)
{
    return cn_check_pointer(function, "def", def) && check_geometry(function, world, &def->geometry) &&
           cn_check_offset(function, "def.offset.position", def->offset.position) &&
           cn_check_quat(function, "def.offset.rotation", def->offset.rotation) &&
           cn_check_not_negative(function, "def.density", def->density) &&
           cn_check_material(function, "def.material", &def->material);
}

static cn_shape shape_from_def(const cn_world *world, int body, const cn_shape_def *def)
{
    const cn_geometry *g = &def->geometry;
    int hull = g->type == CN_HULL ? (int)g->hull.index1 - 1 : CN_NONE;
    cn_shape shape = {
        .used = true,
        .contact_events = def->contact_events,
        .hit_events = def->hit_events,
        .body = body,
        .next = CN_NONE,
        .previous = world->bodies.data[body].last_shape,
        .convex = { .type = g->type },
        .hull = hull,
        .offset = { def->offset.position, cn_quat_normalize(def->offset.rotation) },
        .density = def->density,
        .material = def->material,
        .filter = def->filter,
        .user_data = def->user_data,
        .proxy = CN_NONE,
    };
    if (g->type == CN_BOX)
        shape.convex.half_extents = g->half_extents;
    else if (hull != CN_NONE)
        shape.convex.hull = world->hulls.data[hull].polyhedron;
    else
        shape.convex.radius = g->radius;
    if (g->type == CN_CAPSULE || g->type == CN_CYLINDER)
        shape.convex.half_height = g->half_height;
    shape.margin = margin_fraction * cn_convex_inner_radius(&shape.convex);
    return shape;
}

static int take_slot(cn_world *world)
{
    if (world->free_shapes.count > 0)
        return world->free_shapes.data[--world->free_shapes.count];
    cn_array_push(&world->allocator, &world->shapes, (cn_shape){ 0 });
    return world->shapes.count - 1;
}

cn_shape_id cn_shape_create(cn_world *world, cn_body_id body, const cn_shape_def *def)
{
    cn_shape_id null = { 0 };
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !check_def(__func__, world, def))
        return null;
    int body_index = (int)(b - world->bodies.data);
    cn_shape shape = shape_from_def(world, body_index, def);
    cn_mass mass;
    if (!cn_body_sum_mass(world, __func__, b, &shape, &mass))
        return null;

    cn_wake_body(world, body_index);
    int index = take_slot(world);
    shape.generation = cn_next_generation(world->shapes.data[index].generation);
    world->shapes.data[index] = shape;
    if (shape.hull != CN_NONE)
        world->hulls.data[shape.hull].users++;
    if (b->last_shape != CN_NONE)
        world->shapes.data[b->last_shape].next = index;
    else
        b->first_shape = index;
    b->last_shape = index;
    b->shape_count++;
    b->mass_overridden = false;
    cn_body_update_mass(world, body_index);
    cn_shape_add_proxy(world, index);
    return cn_shape_id_of(world, index);
}

// ---- destruction

static void destroy_contacts(cn_world *world, int shape)
{
    for (int key = world->bodies.data[world->shapes.data[shape].body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int index = key >> 1;
        key = contact->edges[key & 1].next;
        if (contact->shape_a == shape || contact->shape_b == shape)
            cn_contact_destroy(world, index);
    }
}

void cn_shape_release(cn_world *world, int shape)
{
    destroy_contacts(world, shape);
    cn_shape_remove_proxy(world, shape);
    cn_shape *s = &world->shapes.data[shape];
    cn_body *body = &world->bodies.data[s->body];
    if (s->previous != CN_NONE)
        world->shapes.data[s->previous].next = s->next;
    else
        body->first_shape = s->next;
    if (s->next != CN_NONE)
        world->shapes.data[s->next].previous = s->previous;
    else
        body->last_shape = s->previous;
    body->shape_count--;
    if (s->hull != CN_NONE) {
        world->hulls.data[s->hull].users--;
        cn_hull_release_unused(world, s->hull);
    }
    s->used = false;
    cn_array_push(&world->allocator, &world->free_shapes, shape);
}

bool cn_shape_destroy(cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_writable_shape(world, __func__, shape);
    if (s == NULL)
        return false;
    int body = s->body;
    cn_wake_body(world, body);
    cn_wake_touching(world, body);
    cn_shape_release(world, (int)(s - world->shapes.data));
    world->bodies.data[body].mass_overridden = false;
    cn_body_update_mass(world, body);
    return true;
}
