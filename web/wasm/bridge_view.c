// The state of a whole world in flat arrays, one entry per body, contact point or shape: what a renderer reads every frame.
#include "bridge.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRANSFORM_NUMBERS = 8, VELOCITY_NUMBERS = 8, POINT_NUMBERS = 16, BOX_NUMBERS = 6 };

void *bridge_room(struct array *array, int count, size_t element_size)
{
    size_t size = (size_t)(count > 0 ? count : 1) * element_size;
    if (size > array->size) {
        size += size / 2;
        free(array->data);
        array->data = malloc(size);
        array->size = array->data != NULL ? size : 0;
        if (array->data == NULL) {
            fprintf(stderr, "cairn: out of memory (%zu bytes asked for)\n", size);
            abort();
        }
    }
    return array->data;
}

int EXPORT(world_slot_count)(const bridge *b) { return b->build.world->bodies.count; }

// The id of the body in a slot, 0 when there is none.
uint64_t EXPORT(world_body_at)(const bridge *b, int slot)
{
    const cn_world *world = b->build.world;
    if (slot < 0 || slot >= world->bodies.count || !world->bodies.data[slot].used)
        return 0;
    cn_body_id id = cn_body_id_of(world, slot);
    return PACK(id);
}

const float *EXPORT(world_transforms)(bridge *b)
{
    const cn_world *world = b->build.world;
    float *out = bridge_room(&b->transforms, world->bodies.count, TRANSFORM_NUMBERS * sizeof *out);
    for (int i = 0; i < world->bodies.count; i++) {
        const cn_body *body = &world->bodies.data[i];
        cn_pos3 at = cn_body_origin(body);
        float *o = out + TRANSFORM_NUMBERS * i;
        o[0] = (float)at.x, o[1] = (float)at.y, o[2] = (float)at.z, o[3] = body->awake != CN_NONE;
        o[4] = body->rotation.x, o[5] = body->rotation.y, o[6] = body->rotation.z, o[7] = body->rotation.w;
    }
    return out;
}

const float *EXPORT(world_velocities)(bridge *b)
{
    const cn_world *world = b->build.world;
    float *out = bridge_room(&b->velocities, world->bodies.count, VELOCITY_NUMBERS * sizeof *out);
    for (int i = 0; i < world->bodies.count; i++) {
        const cn_body *body = &world->bodies.data[i];
        cn_vec3 v = body->linear_velocity, w = body->angular_velocity;
        float *o = out + VELOCITY_NUMBERS * i;
        o[0] = v.x, o[1] = v.y, o[2] = v.z, o[3] = cn_length(v), o[4] = w.x, o[5] = w.y, o[6] = w.z, o[7] = 0.0f;
    }
    return out;
}

static int body_of(const cn_world *world, cn_shape_id shape) { return world->shapes.data[shape.index1 - 1].body; }

// Answers how many contact points there are; world_contact_points() says where.
int EXPORT(world_gather_contacts)(bridge *b)
{
    const cn_world *world = b->build.world;
    int count = cn_world_get_contacts(world, NULL, 0), point_count = 0;
    cn_contact_data *contacts = bridge_room(&b->contacts, count, sizeof *contacts);
    cn_world_get_contacts(world, contacts, count);
    for (int i = 0; i < count; i++)
        point_count += contacts[i].point_count;
    float *o = bridge_room(&b->points, point_count, POINT_NUMBERS * sizeof *o);
    for (int i = 0; i < count; i++) {
        const cn_contact_data *c = &contacts[i];
        for (int k = 0; k < c->point_count; k++, o += POINT_NUMBERS) {
            const cn_contact_point *p = &c->points[k];
            o[0] = (float)p->position.x, o[1] = (float)p->position.y, o[2] = (float)p->position.z;
            o[3] = c->normal.x, o[4] = c->normal.y, o[5] = c->normal.z;
            o[6] = p->normal_impulse, o[7] = p->separation;
            o[8] = (float)body_of(world, c->shape_a), o[9] = (float)body_of(world, c->shape_b), o[10] = (float)c->color;
            o[11] = p->friction_impulse.x, o[12] = p->friction_impulse.y, o[13] = p->friction_impulse.z;
            o[14] = o[15] = 0.0f;
        }
    }
    return point_count;
}

const float *EXPORT(world_contact_points)(const bridge *b) { return b->points.data; }

// Answers how many shapes there are; world_boxes() says where their boxes are.
int EXPORT(world_gather_boxes)(bridge *b)
{
    const cn_world *world = b->build.world;
    int count = 0;
    float *o = bridge_room(&b->boxes, world->shapes.count, BOX_NUMBERS * sizeof *o);
    for (int i = 0; i < world->shapes.count; i++) {
        if (!world->shapes.data[i].used)
            continue;
        cn_bounds box = cn_shape_bounds(world, &world->shapes.data[i]);
        o[0] = (float)box.lower.x, o[1] = (float)box.lower.y, o[2] = (float)box.lower.z;
        o[3] = (float)box.upper.x, o[4] = (float)box.upper.y, o[5] = (float)box.upper.z;
        o += BOX_NUMBERS;
        count++;
    }
    return count;
}

const float *EXPORT(world_boxes)(const bridge *b) { return b->boxes.data; }

const int *EXPORT(world_islands)(bridge *b)
{
    int count = b->build.world->bodies.count;
    int *islands = bridge_room(&b->islands, count, sizeof *islands);
    cn_world_get_islands(b->build.world, islands, count);
    return islands;
}
