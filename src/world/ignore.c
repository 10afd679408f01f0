// Pairs of bodies and pairs of shapes that do not collide: a set to ask, and a list per body or shape, so that one that is
// destroyed takes its pairs along without a search.
#include "world/ignore.h"

#include "world/world.h"

bool cn_ignore_contains(const cn_ignore_table *table, int a, int b)
{
    return table->count > 0 && cn_pair_set_contains(table->set, a, b);
}

static void make_room(const cn_allocator *allocator, cn_ignore_table *table, int member)
{
    if (table->set == NULL)
        table->set = cn_pair_set_create(allocator);
    while (table->first.count <= member)
        cn_array_push(allocator, &table->first, CN_NONE);
}

static void link_side(cn_ignore_table *table, int pair, int side)
{
    int *first = &table->first.data[table->pairs.data[pair].members[side]];
    table->pairs.data[pair].edges[side] = (cn_ignore_edge){ *first, CN_NONE };
    if (*first != CN_NONE)
        table->pairs.data[*first >> 1].edges[*first & 1].previous = 2 * pair + side;
    *first = 2 * pair + side;
}

static void unlink_side(cn_ignore_table *table, int pair, int side)
{
    cn_ignore_edge edge = table->pairs.data[pair].edges[side];
    if (edge.previous != CN_NONE)
        table->pairs.data[edge.previous >> 1].edges[edge.previous & 1].next = edge.next;
    else
        table->first.data[table->pairs.data[pair].members[side]] = edge.next;
    if (edge.next != CN_NONE)
        table->pairs.data[edge.next >> 1].edges[edge.next & 1].previous = edge.previous;
}

bool cn_ignore_add(const cn_allocator *allocator, cn_ignore_table *table, int a, int b)
{
    make_room(allocator, table, a > b ? a : b);
    if (!cn_pair_set_add(table->set, a, b))
        return false;
    int pair = table->pairs.count;
    if (table->free_pairs.count > 0)
        pair = table->free_pairs.data[--table->free_pairs.count];
    else
        cn_array_push(allocator, &table->pairs, (cn_ignored_pair){ 0 });
    table->pairs.data[pair] = (cn_ignored_pair){ .members = { a, b } };
    link_side(table, pair, 0);
    link_side(table, pair, 1);
    table->count++;
    return true;
}

static void remove_pair(const cn_allocator *allocator, cn_ignore_table *table, int pair)
{
    const int *members = table->pairs.data[pair].members;
    cn_pair_set_remove(table->set, members[0], members[1]);
    unlink_side(table, pair, 0);
    unlink_side(table, pair, 1);
    cn_array_push(allocator, &table->free_pairs, pair);
    table->count--;
}

bool cn_ignore_remove(const cn_allocator *allocator, cn_ignore_table *table, int a, int b)
{
    if (!cn_ignore_contains(table, a, b))
        return false;
    int key = table->first.data[a];
    while (table->pairs.data[key >> 1].members[1 - (key & 1)] != b)
        key = table->pairs.data[key >> 1].edges[key & 1].next;
    remove_pair(allocator, table, key >> 1);
    return true;
}

void cn_ignore_forget(const cn_allocator *allocator, cn_ignore_table *table, int member)
{
    while (member < table->first.count && table->first.data[member] != CN_NONE)
        remove_pair(allocator, table, table->first.data[member] >> 1);
}

void cn_ignore_free(const cn_allocator *allocator, cn_ignore_table *table)
{
    if (table->set != NULL)
        cn_pair_set_destroy(table->set);
    cn_array_free(allocator, &table->pairs);
    cn_array_free(allocator, &table->free_pairs);
    cn_array_free(allocator, &table->first);
}

// ---- bodies

// Both wake, and what rests on them; what was pressed together ends with its events, what overlaps now is found in the next
// step.
static void follow_change(cn_world *world, int a, int b, bool collide)
{
    const int bodies[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        cn_wake_body(world, bodies[i]);
        if (!collide && world->bodies.data[bodies[i]].type != CN_STATIC)
            cn_wake_touching(world, bodies[i]);
    }
    if (collide)
        cn_bodies_look_for_pairs(world, a, b);
}

static bool find_bodies(const cn_world *world, const char *function, cn_body_id body, cn_body_id other, int found[2])
{
    const cn_body *a = cn_find_named_body(world, function, "body", body);
    const cn_body *b = a != NULL ? cn_find_named_body(world, function, "other", other) : NULL;
    if (b == NULL)
        return false;
    found[0] = (int)(a - world->bodies.data), found[1] = (int)(b - world->bodies.data);
    return a != b || cn_fail("%s: body and other are both body %u", function, body.index1);
}

bool cn_body_set_collide(cn_world *world, cn_body_id body, cn_body_id other, bool collide)
{
    int i[2];
    if (!cn_check_writable(world, __func__) || !find_bodies(world, __func__, body, other, i))
        return false;
    cn_ignore_table *table = &world->ignored_bodies;
    if (!(collide ? cn_ignore_remove(&world->allocator, table, i[0], i[1])
                  : cn_ignore_add(&world->allocator, table, i[0], i[1])))
        return true;
    follow_change(world, i[0], i[1], collide);
    if (!collide)
        cn_bodies_end_contacts(world, i[0], i[1]);
    return true;
}

bool cn_body_get_collide(const cn_world *world, cn_body_id body, cn_body_id other)
{
    int i[2];
    return cn_check_world(world, __func__) && find_bodies(world, __func__, body, other, i) &&
           !cn_ignore_contains(&world->ignored_bodies, i[0], i[1]);
}

// ---- shapes

static bool find_shapes(const cn_world *world, const char *function, cn_shape_id shape, cn_shape_id other, int found[2])
{
    const cn_shape *a = cn_find_shape(world, function, shape), *b = a != NULL ? cn_find_shape(world, function, other) : NULL;
    if (b == NULL)
        return false;
    found[0] = (int)(a - world->shapes.data), found[1] = (int)(b - world->shapes.data);
    return a != b || cn_fail("%s: shape and other are both shape %u", function, shape.index1);
}

static void end_contact(cn_world *world, int a, int b)
{
    int body = world->shapes.data[a].body;
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int index = key >> 1;
        key = contact->edges[key & 1].next;
        if ((contact->shape_a == a && contact->shape_b == b) || (contact->shape_a == b && contact->shape_b == a)) {
            cn_contact_destroy(world, index);
            return;
        }
    }
}

bool cn_shape_set_collide(cn_world *world, cn_shape_id shape, cn_shape_id other, bool collide)
{
    int i[2];
    if (!cn_check_writable(world, __func__) || !find_shapes(world, __func__, shape, other, i))
        return false;
    cn_ignore_table *table = &world->ignored_shapes;
    if (!(collide ? cn_ignore_remove(&world->allocator, table, i[0], i[1])
                  : cn_ignore_add(&world->allocator, table, i[0], i[1])))
        return true;
    follow_change(world, world->shapes.data[i[0]].body, world->shapes.data[i[1]].body, collide);
    if (!collide)
        end_contact(world, i[0], i[1]);
    return true;
}

bool cn_shape_get_collide(const cn_world *world, cn_shape_id shape, cn_shape_id other)
{
    int i[2];
    return cn_check_world(world, __func__) && find_shapes(world, __func__, shape, other, i) &&
           !cn_ignore_contains(&world->ignored_shapes, i[0], i[1]);
}
