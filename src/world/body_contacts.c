// The shapes and contacts of a body, and all contacts of a world, as the user sees them.
#include "solve/wide.h"
#include "world/check.h"
#include "world/world.h"

int cn_body_get_shape_count(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? b->shape_count : 0;
}

int cn_body_get_shapes(const cn_world *world, cn_body_id body, cn_shape_id *shapes, int capacity)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    if (b == NULL || !cn_check_buffer(__func__, "shapes", shapes, capacity))
        return 0;
    int count = 0;
    for (int i = b->first_shape; i != CN_NONE && count < capacity; i = world->shapes.data[i].next)
        shapes[count++] = cn_shape_id_of(world, i);
    return b->shape_count;
}

cn_vec3 cn_touch_normal(const cn_world *world, const cn_contact *contact, const cn_touch *touch)
{
    return cn_rotate(world->bodies.data[contact->body_a].rotation, touch->local_normal);
}

cn_contact_place cn_touch_point_now(const cn_world *world, const cn_contact *contact, const cn_touch *touch, cn_vec3 normal,
                                    int point)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_pos3 on_a = cn_pos_add(a->center, cn_rotate(a->rotation, cn_get_anchor(touch->anchors.a, point)));
    cn_pos3 on_b = cn_pos_add(b->center, cn_rotate(b->rotation, cn_get_anchor(touch->anchors.b, point)));
    cn_pos3 middle = { 0.5 * (on_a.x + on_b.x), 0.5 * (on_a.y + on_b.y), 0.5 * (on_a.z + on_b.z) };
    return (cn_contact_place){ middle, cn_dot(cn_pos_sub(on_b, on_a), normal) };
}

// The friction of the patch over the step is shared out over its points in proportion to their pressure. In the cone model that is true of
// what the points' own forces of the last substep are not.
static cn_vec3 friction_on_point(const cn_world *world, const cn_patch *patch, int point)
{
    float t1[3], t2[3], f[2], sum = 0.0f;
    cn_tangent_basis(patch->normal, t1, t2);
    for (int i = 0; i < patch->point_count; i++)
        sum += patch->total[i];
    float share = sum > 0.0f ? patch->total[point] / sum : 1.0f / (float)patch->point_count;
    for (int d = 0; d < 2; d++) {
        float own = 0.0f, all = 0.0f;
        for (int i = 0; world->def.friction_model == CN_FRICTION_CONE && i < patch->point_count; i++) {
            float last = world->last_dt * patch->point_friction[d][i];
            own = i == point ? last : own;
            all += last;
        }
        f[d] = own + share * (patch->friction_total[d] - all);
    }
    return cn_v3(f[0] * t1[0] + f[1] * t2[0], f[0] * t1[1] + f[1] * t2[1], f[0] * t1[2] + f[1] * t2[2]);
}

static cn_contact_data describe(const cn_world *world, const cn_contact *contact, const cn_touch *touch)
{
    const cn_patch *patch = &touch->patch;
    cn_contact_data data = {
        .shape_a = cn_shape_id_of(world, contact->shape_a),
        .shape_b = cn_shape_id_of(world, contact->shape_b),
        .normal = cn_touch_normal(world, contact, touch),
        .color = patch->color,
        .point_count = patch->point_count,
    };
    for (int i = 0; i < data.point_count; i++) {
        cn_contact_place place = cn_touch_point_now(world, contact, touch, data.normal, i);
        data.points[i] =
            (cn_contact_point){ place.position, place.separation, patch->total[i], friction_on_point(world, patch, i) };
    }
    return data;
}

// Adds the places of a contact to those written so far, and returns how many there are then.
static int describe_all(const cn_world *world, const cn_contact *contact, cn_contact_data *contacts, int capacity, int count)
{
    for (int i = 0; i < contact->touch_count; i++, count++)
        if (count < capacity)
            contacts[count] = describe(world, contact, cn_contact_touch(contact, i));
    if (contact->touch_count > 0)
        return count;
    if (count < capacity) // ghosts alone: they touch, but nothing is there
        contacts[count] = (cn_contact_data){ .shape_a = cn_shape_id_of(world, contact->shape_a),
                                             .shape_b = cn_shape_id_of(world, contact->shape_b) };
    return count + 1;
}

int cn_body_get_contacts(const cn_world *world, cn_body_id body, cn_contact_data *contacts, int capacity)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    if (b == NULL || !cn_check_buffer(__func__, "contacts", contacts, capacity))
        return 0;
    int count = 0;
    for (int key = b->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        key = contact->edges[key & 1].next;
        if (contact->touching)
            count = describe_all(world, contact, contacts, capacity, count);
    }
    return count;
}

int cn_world_get_contacts(const cn_world *world, cn_contact_data *contacts, int capacity)
{
    if (!cn_check_world(world, __func__) || !cn_check_buffer(__func__, "contacts", contacts, capacity))
        return 0;
    int count = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[i];
        if (contact->used && contact->touching)
            count = describe_all(world, contact, contacts, capacity, count);
    }
    return count;
}
