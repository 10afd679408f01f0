// Shapes: their life, their boxes in the trees, and the list of those that look for pairs.
#include "world/check.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// So many margins may a shape move before its place in the tree changes: 10 cm for a unit cube.
static const float fat_margins = 5.0f;

// ---- boxes

cn_bounds cn_shape_bounds_at(const cn_shape *shape, cn_pos3 center, cn_quat rotation)
{
    cn_pose turned = { cn_rotate(rotation, shape->pose.position), cn_quat_mul(rotation, shape->pose.rotation) };
    cn_vec3 lower, upper;
    cn_shape_local_bounds(shape, turned, &lower, &upper);
    return (cn_bounds){ cn_pos_add(center, lower), cn_pos_add(center, upper) };
}

cn_bounds cn_shape_bounds(const cn_world *world, const cn_shape *shape)
{
    const cn_body *body = &world->bodies.data[shape->body];
    return cn_shape_bounds_at(shape, body->center, body->rotation);
}

// Without a branch, which would be as good as random. What rounds up to a zero was negative, and so is that zero.
static float round_down(double x)
{
    float nearest = (float)x;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    uint32_t below = (bits >> 31) * 2 - 1; // 1, or -1 for what is positive
    bits += below * (uint32_t)((double)nearest > x);
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

static float round_up(double x) { return -round_down(-x); }

cn_box3 cn_world_box(const cn_world *world, const cn_bounds *b, float margin)
{
    cn_pos3 o = world->origin;
    double m = (double)margin;
    return (cn_box3){
        { round_down(b->lower.x - o.x - m), round_down(b->lower.y - o.y - m), round_down(b->lower.z - o.z - m) },
        { round_up(b->upper.x - o.x + m), round_up(b->upper.y - o.y + m), round_up(b->upper.z - o.z + m) },
    };
}

cn_box3 cn_shape_box(const cn_world *world, const cn_shape *shape, float margin)
{
    cn_bounds bounds = cn_shape_bounds(world, shape);
    return cn_world_box(world, &bounds, margin);
}

// ---- proxies

static cn_tree *tree_of(cn_world *world, const cn_shape *shape)
{
    return world->bodies.data[shape->body].type == CN_STATIC ? &world->static_tree : &world->moving_tree;
}

static cn_box3 fat_box(const cn_world *world, const cn_shape *shape)
{
    bool is_static = world->bodies.data[shape->body].type == CN_STATIC;
    return cn_shape_box(world, shape, is_static ? shape->box_margin : fat_margins * shape->box_margin);
}

void cn_shape_look_for_pairs(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    s->changed_step = world->step_count;
    if (cn_is_looking(world, s))
        return;
    s->looking = world->pair_round;
    cn_array_push(&world->allocator, &world->moved_shapes, shape);
}

static void stop_looking(cn_world *world, int shape)
{
    cn_shape *s = &world->shapes.data[shape];
    if (!cn_is_looking(world, s))
        return;
    s->looking = 0;
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
    s->aimed = false;
    cn_tree_move(tree_of(world, s), s->proxy, s->fat_box);
    cn_shape_look_for_pairs(world, shape);
}

static bool wake_owner(void *context, int32_t shape)
{
    cn_world *world = context;
    if (world->shapes.data[shape].sensor == CN_NONE)
        cn_wake_body(world, world->shapes.data[shape].body);
    return true;
}

void cn_shape_wake_overlapping(cn_world *world, int shape)
{
    if (world->shapes.data[shape].sensor == CN_NONE)
        cn_tree_query(&world->moving_tree, &world->shapes.data[shape].fat_box, wake_owner, world);
}

// ---- creation

static bool check_materials(const char *function, const cn_shape_def *def)
{
    if (def->material_count < 0 || (def->material_count > 0 && def->materials == NULL))
        return cn_fail("%s: def.material_count is %d%s", function, def->material_count,
                       def->material_count > 0 ? ", but def.materials is NULL" : "; it must not be negative");
    for (int i = 0; i < def->material_count; i++) {
        char field[40];
        snprintf(field, sizeof field, "def.materials[%d]", i);
        if (!cn_check_material(function, field, &def->materials[i]))
            return false;
    }
    return cn_check_material(function, "def.material", &def->material);
}

static bool check_def(const char *function, const cn_shape_def *def)
{
    return cn_check_pointer(function, "def", def) && cn_check_offset(function, "def.offset.position", def->offset.position) &&
           cn_check_quat(function, "def.offset.rotation", def->offset.rotation) &&
           cn_check_not_negative(function, "def.density", def->density) &&
           check_materials(function, def);
}

// Numbers of materials that parts of the shape have, but the definition does not.
static bool check_part_materials(const char *function, const cn_shape_def *def, const cn_shape *shape)
{
    int needed = cn_is_composite(shape) ? cn_composite_material_limit(&shape->composite) : 0;
    return def->material_count == 0 || needed <= def->material_count ||
           cn_fail("%s: def.material_count is %d, but parts of the shape have material %d", function, def->material_count,
                   needed - 1);
}

static bool shape_from_def(const char *function, const cn_world *world, int body, const cn_shape_def *def, cn_shape *shape)
{
    *shape = (cn_shape){
        .used = true,
        .contact_events = def->contact_events,
        .hit_events = def->hit_events,
        .modify = def->modify,
        .sensor = CN_NONE,
        .body = body,
        .next = CN_NONE,
        .previous = CN_NONE,
        .hull = CN_NONE,
        .offset = { def->offset.position, cn_quat_normalize(def->offset.rotation) },
        .density = def->sensor ? 0.0f : def->density,
        .material = def->material,
        .filter = def->filter,
        .user_data = def->user_data,
        .proxy = CN_NONE,
    };
    return cn_shape_use_geometry(world, function, &def->geometry, shape) && check_part_materials(function, def, shape);
}

// Whether the body can carry the weight of one more shape, which is added to the sum. What does not move needs none.
static bool check_weight(const char *function, const cn_body *body, const cn_shape *shape, cn_mass *sum)
{
    cn_mass mass;
    if (cn_is_composite(shape) && body->type != CN_DYNAMIC)
        return true;
    if (cn_is_composite(shape) && shape->density > 0.0f &&
        !cn_composite_mass(&shape->composite, function, shape->density, &mass))
        return false;
    return cn_shape_add_mass(function, body, shape, sum);
}

// What the shape shares with others or owns, from now on until cn_shape_release.
static void take_shared(cn_world *world, cn_shape *shape, const cn_shape_def *def)
{
    if (shape->hull != CN_NONE)
        world->hulls.data[shape->hull].users++;
    if (!cn_is_composite(shape))
        return;
    cn_composite_retain(&shape->composite);
    if (def->material_count > 0) {
        size_t size = sizeof(cn_material) * (size_t)def->material_count;
        shape->material_count = def->material_count;
        shape->materials = cn_allocate(&world->allocator, size, 64);
        memcpy(shape->materials, def->materials, size);
    }
}

void cn_shape_release_shared(cn_world *world, cn_shape *shape)
{
    if (shape->hull != CN_NONE) {
        world->hulls.data[shape->hull].users--;
        cn_hull_release_unused(world, shape->hull);
    }
    if (!cn_is_composite(shape))
        return;
    cn_composite_release(&shape->composite);
    cn_release(&world->allocator, shape->materials, sizeof(cn_material) * (size_t)shape->material_count);
}

static int take_slot(cn_world *world)
{
    if (world->free_shapes.count > 0)
        return world->free_shapes.data[--world->free_shapes.count];
    cn_array_push(&world->allocator, &world->shapes, (cn_shape){ 0 });
    return world->shapes.count - 1;
}

// Whether the shape can be made; `sum` is the mass of what the body has before, and then with it.
static bool prepare(const char *function, const cn_world *world, int body, const cn_shape_def *def, cn_shape *shape,
                    cn_mass *sum)
{
    return check_def(function, def) && shape_from_def(function, world, body, def, shape) &&
           check_weight(function, &world->bodies.data[body], shape, sum);
}

// Enters the list of its body; its mass and its box are not up to date yet.
static int attach(cn_world *world, cn_shape *shape, const cn_shape_def *def)
{
    int index = take_slot(world);
    cn_body *body = &world->bodies.data[shape->body];
    shape->generation = (uint16_t)(world->shapes.data[index].generation + 1);
    shape->previous = body->last_shape;
    take_shared(world, shape, def);
    world->shapes.data[index] = *shape;
    if (def->sensor)
        cn_sensor_add(world, index);
    if (body->last_shape != CN_NONE)
        world->shapes.data[body->last_shape].next = index;
    else
        body->first_shape = index;
    body->last_shape = index;
    body->shape_count++;
    return index;
}

static void update_body(cn_world *world, int body)
{
    world->bodies.data[body].mass_overridden = false;
    cn_body_update_mass(world, body);
}

cn_shape_id cn_shape_create(cn_world *world, cn_body_id body, const cn_shape_def *def)
{
    const cn_body *b = cn_find_writable_body(world, __func__, body);
    cn_mass sum;
    cn_shape shape;
    if (b == NULL)
        return (cn_shape_id){ 0 };
    int body_index = (int)(b - world->bodies.data);
    cn_body_sum_mass(world, b, &sum);
    if (!prepare(__func__, world, body_index, def, &shape, &sum))
        return (cn_shape_id){ 0 };
    cn_wake_body(world, body_index);
    int index = attach(world, &shape, def);
    update_body(world, body_index);
    cn_shape_add_proxy(world, index);
    return cn_shape_id_of(world, index);
}

static bool blame_shape(const char *function, int index)
{
    char name[32];
    snprintf(name, sizeof name, "defs[%d]", index);
    return cn_fail_in(function, name);
}

bool cn_shape_create_many(cn_world *world, cn_body_id body, const cn_shape_def *defs, int count, cn_shape_id *ids)
{
    const cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL || !cn_check_int_range(__func__, "count", count, 0, INT32_MAX) || !cn_check_buffer(__func__, "defs", defs, count))
        return false;
    int body_index = (int)(b - world->bodies.data);
    size_t size = sizeof(cn_shape) * (size_t)(count > 0 ? count : 1);
    cn_shape *shapes = cn_allocate(&world->allocator, size, 64);
    cn_mass sum;
    cn_body_sum_mass(world, b, &sum);
    bool good = true;
    for (int i = 0; good && i < count; i++)
        good = prepare(__func__, world, body_index, &defs[i], &shapes[i], &sum) || blame_shape(__func__, i);
    if (good && count > 0) {
        cn_wake_body(world, body_index);
        int first = CN_NONE;
        for (int i = 0; i < count; i++) {
            int index = attach(world, &shapes[i], &defs[i]);
            first = i == 0 ? index : first;
        }
        update_body(world, body_index);
        for (int i = first, k = 0; i != CN_NONE; i = world->shapes.data[i].next, k++) {
            cn_shape_add_proxy(world, i);
            if (ids != NULL)
                ids[k] = cn_shape_id_of(world, i);
        }
    }
    cn_release(&world->allocator, shapes, size);
    return good;
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
    cn_sensor_remove(world, shape);
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
    cn_shape_release_shared(world, s);
    cn_ignore_forget(&world->allocator, &world->ignored_shapes, shape);
    s->used = false;
    if (cn_has_generations(s->generation))
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
    update_body(world, body);
    return true;
}
