// A world to which everything happens: begin and end of contacts and of visits to sensors pair up, and at any time those that
// have begun are those that brute force finds.
#include "collide/cast.h"
#include "scene.h"
#include "world/world.h"

enum { BODIES = 24, STEPS = 10000, PAIRS = 4096 };

typedef struct pair {
    cn_shape_id a, b;
} pair;

typedef struct pair_list {
    pair data[PAIRS];
    int count;
} pair_list;

typedef struct storm {
    cn_world *world;
    cn_body_id bodies[BODIES];
    pair_list touching, inside; // those that have begun and not ended
    uint32_t seed;
} storm;

static uint32_t next_random(storm *s)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed >> 8;
}

static double random_between(storm *s, double low, double high) { return low + (high - low) * next_random(s) / 16777216.0; }

static bool same(cn_shape_id a, cn_shape_id b) { return CN_ID_EQUALS(a, b); }

static int find_pair(const pair_list *list, cn_shape_id a, cn_shape_id b)
{
    for (int i = 0; i < list->count; i++)
        if (same(list->data[i].a, a) && same(list->data[i].b, b))
            return i;
    return -1;
}

static void begin_pair(pair_list *list, cn_shape_id a, cn_shape_id b)
{
    assert_int_equal(find_pair(list, a, b), -1);
    assert_true(list->count < PAIRS);
    list->data[list->count++] = (pair){ a, b };
}

static void end_pair(pair_list *list, cn_shape_id a, cn_shape_id b)
{
    int i = find_pair(list, a, b);
    assert_true(i >= 0);
    list->data[i] = list->data[--list->count];
}

static cn_geometry random_geometry(storm *s, float size)
{
    float x = size * (float)random_between(s, 0.4, 1.0), y = size * (float)random_between(s, 0.4, 1.0);
    switch (next_random(s) % 4) {
    case 0: return cn_sphere(x);
    case 1: return cn_capsule(0.5f * x, y);
    case 2: return cn_cylinder(x, y);
    default: return cn_box(x, y, size);
    }
}

static cn_filter random_filter(storm *s)
{
    cn_filter filter = cn_filter_default();
    filter.mask = next_random(s) % 4 == 0 ? 2 : UINT64_MAX;
    return filter;
}

// One after the other: the order in which arguments are evaluated is up to the compiler.
static cn_vec3 random_vector(storm *s, cn_vec3 low, cn_vec3 high)
{
    float x = (float)random_between(s, (double)low.x, (double)high.x);
    float y = (float)random_between(s, (double)low.y, (double)high.y);
    float z = (float)random_between(s, (double)low.z, (double)high.z);
    return cn_v3(x, y, z);
}

static cn_transform random_place(storm *s)
{
    cn_vec3 axis = random_vector(s, cn_v3(-1.0f, -1.0f, -1.0f), cn_v3(1.0f, 1.0f, 1.0f));
    cn_vec3 place = random_vector(s, cn_v3(-1.8f, 0.3f, -1.8f), cn_v3(1.8f, 2.0f, 1.8f));
    cn_quat turn = { axis.x, axis.y, axis.z, (float)random_between(s, 0.1, 1.0) };
    return (cn_transform){ cn_pos_add(cn_p3(0.0, 0.0, 0.0), place), cn_quat_normalize(turn) };
}

// Every third is a sensor, and every third of the others carries one.
static void add_random(storm *s, int slot)
{
    cn_body_def body = cn_body_def_default();
    cn_transform place = random_place(s);
    body.position = place.position;
    body.rotation = place.rotation;
    body.type = (cn_body_type)(next_random(s) % 8 == 0 ? CN_STATIC : next_random(s) % 4 == 0 ? CN_KINEMATIC : CN_DYNAMIC);
    s->bodies[slot] = cn_body_create(s->world, &body);
    bool sensor = next_random(s) % 3 == 0;
    cn_shape_def shape =
        sensor ? solid_def(random_geometry(s, 0.9f), 0.6f, 0.0f) : solid_def(random_geometry(s, 0.4f), 0.6f, 0.2f);
    shape.sensor = sensor;
    shape.filter = random_filter(s);
    assert_false(CN_IS_NULL(cn_shape_create(s->world, s->bodies[slot], &shape)));
    if (!sensor && next_random(s) % 3 == 0) {
        shape = solid_def(random_geometry(s, 0.7f), 0.6f, 0.0f);
        shape.sensor = true;
        shape.offset.position.x = 0.3f;
        assert_false(CN_IS_NULL(cn_shape_create(s->world, s->bodies[slot], &shape)));
    }
}

static void do_something(storm *s)
{
    int slot = (int)(next_random(s) % BODIES);
    cn_body_id body = s->bodies[slot];
    cn_shape_id shapes[2];
    int count = cn_body_get_shapes(s->world, body, shapes, 2);
    switch (next_random(s) % 12) {
    case 0:
        cn_body_destroy(s->world, body);
        add_random(s, slot);
        break;
    case 1:
        if (count == 2)
            cn_shape_destroy(s->world, shapes[next_random(s) % 2]);
        break;
    case 2: cn_body_set_type(s->world, body, (cn_body_type)(next_random(s) % 3)); break;
    case 3:
        if (count > 0) {
            cn_filter filter = random_filter(s);
            cn_shape_set_filter(s->world, shapes[next_random(s) % (uint32_t)count], filter);
        }
        break;
    case 4: cn_body_set_awake(s->world, body, false); break;
    case 5: cn_body_set_awake(s->world, body, true); break;
    case 6: // moved, and perhaps put to sleep at once
        cn_body_set_transform(s->world, body, random_place(s));
        if (next_random(s) % 2)
            cn_body_set_awake(s->world, body, false);
        break;
    case 7:
        cn_body_set_linear_velocity(s->world, body, random_vector(s, cn_v3(-3.0f, -1.0f, -1.0f), cn_v3(3.0f, 4.0f, 1.0f)));
        break;
    case 8:
        cn_body_set_angular_velocity(s->world, body, random_vector(s, cn_v3(-1.0f, -3.0f, -1.0f), cn_v3(1.0f, 3.0f, 1.0f)));
        break;
    default: break;
    }
    // What left the arena comes back.
    cn_transform place = cn_body_get_transform(s->world, s->bodies[slot]);
    if (fabs(place.position.x) > 4.0 || fabs(place.position.y) > 6.0 || fabs(place.position.z) > 4.0)
        cn_body_set_transform(s->world, s->bodies[slot], random_place(s));
}

static void take_events(storm *s)
{
    cn_contact_events contacts = cn_world_get_contact_events(s->world);
    for (int i = 0; i < contacts.end_count; i++)
        end_pair(&s->touching, contacts.end[i].shape_a, contacts.end[i].shape_b);
    for (int i = 0; i < contacts.begin_count; i++)
        begin_pair(&s->touching, contacts.begin[i].shape_a, contacts.begin[i].shape_b);
    cn_sensor_events sensors = cn_world_get_sensor_events(s->world);
    for (int i = 0; i < sensors.end_count; i++)
        end_pair(&s->inside, sensors.end[i].sensor, sensors.end[i].visitor);
    for (int i = 0; i < sensors.begin_count; i++)
        begin_pair(&s->inside, sensors.begin[i].sensor, sensors.begin[i].visitor);
}

// ---- the same by brute force: all pairs, distance by GJK, depth by the narrow phase

static cn_pose pose_in(const cn_world *world, const cn_shape *frame, const cn_shape *shape)
{
    const cn_body *a = &world->bodies.data[frame->body], *b = &world->bodies.data[shape->body];
    cn_pose pose_a = { cn_rotate(a->rotation, frame->pose.position), cn_quat_mul(a->rotation, frame->pose.rotation) };
    cn_pose pose_b = { cn_add(cn_pos_sub(b->center, a->center), cn_rotate(b->rotation, shape->pose.position)),
                       cn_quat_mul(b->rotation, shape->pose.rotation) };
    return cn_pose_mul(cn_pose_inverse(pose_a), pose_b);
}

static const float band = 2e-5f; // m, in which rounding decides

// 1 apart, -1 overlapping, 0 too close to say.
static int side_of(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    cn_pose b_in_a = pose_in(world, a, b);
    if (cn_convex_distance(&a->convex, &b->convex, b_in_a).distance > band)
        return 1;
    cn_pair_cache cache = { 0 };
    cn_manifold manifold;
    cn_collide(&a->convex, &b->convex, b_in_a, 0.01f, &cache, &manifold);
    for (int i = 0; i < manifold.count; i++)
        if (manifold.points[i].separation < -band)
            return -1;
    return 0;
}

static bool should_see(const cn_world *world, const cn_shape *sensor, const cn_shape *visitor)
{
    bool at_rest = world->bodies.data[sensor->body].type == CN_STATIC && world->bodies.data[visitor->body].type == CN_STATIC;
    bool filtered =
        (sensor->filter.category & visitor->filter.mask) == 0 || (visitor->filter.category & sensor->filter.mask) == 0;
    return visitor->sensor == CN_NONE && sensor->body != visitor->body && !at_rest && !filtered;
}

static void check_sensors(const storm *s, int *seen)
{
    const cn_world *world = s->world;
    for (int i = 0; i < world->shapes.count; i++) {
        const cn_shape *sensor = &world->shapes.data[i];
        if (!sensor->used || sensor->sensor == CN_NONE)
            continue;
        cn_shape_id listed[64];
        int count = cn_shape_get_overlaps(world, cn_shape_id_of(world, i), listed, 64), open = 0;
        for (int k = 0; k < count; k++) {
            assert_true(find_pair(&s->inside, cn_shape_id_of(world, i), listed[k]) >= 0);
            assert_true(k == 0 || listed[k - 1].index1 < listed[k].index1);
        }
        for (int k = 0; k < s->inside.count; k++)
            open += same(s->inside.data[k].a, cn_shape_id_of(world, i));
        assert_int_equal(open, count);
        for (int k = 0; k < world->shapes.count; k++) {
            const cn_shape *visitor = &world->shapes.data[k];
            if (!visitor->used)
                continue;
            bool inside = find_pair(&s->inside, cn_shape_id_of(world, i), cn_shape_id_of(world, k)) >= 0;
            int side = should_see(world, sensor, visitor) ? side_of(world, sensor, visitor) : 1;
            if ((inside && side > 0) || (!inside && side < 0))
                fail_msg("sensor %d and shape %d: %s, but they are %s", i, k, inside ? "inside" : "outside",
                         side > 0 ? "apart" : "overlapping");
            *seen += inside;
        }
    }
}

// Contacts are found when a step begins: what overlaps then touches, what is far apart does not.
static void check_contacts(const storm *s, const int8_t *sides, int count)
{
    const cn_world *world = s->world;
    for (int i = 0; i < s->touching.count; i++) {
        const pair *p = &s->touching.data[i];
        assert_true(cn_shape_is_valid(world, p->a) && cn_shape_is_valid(world, p->b));
    }
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            cn_shape_id x = cn_shape_id_of(world, a), y = cn_shape_id_of(world, b);
            bool open = find_pair(&s->touching, x, y) >= 0 || find_pair(&s->touching, y, x) >= 0;
            if ((open && sides[a * count + b] > 0) || (!open && sides[a * count + b] < 0))
                fail_msg("shapes %d and %d: %s", a, b, open ? "touching, but apart" : "not touching, but overlapping");
        }
    }
}

static void note_sides(const storm *s, int8_t *sides, int count)
{
    const cn_world *world = s->world;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            const cn_shape *x = &world->shapes.data[a], *y = &world->shapes.data[b];
            int8_t *side = &sides[a * count + b];
            *side = 1;
            if (!x->used || !y->used || !cn_shapes_may_touch(world, x, y))
                continue;
            // Within reach of what may move in a step, waking decides; what rests on both sides is looked at when it wakes.
            bool rests = world->bodies.data[x->body].awake == CN_NONE && world->bodies.data[y->body].awake == CN_NONE;
            float distance = cn_convex_distance(&x->convex, &y->convex, pose_in(world, x, y)).distance;
            const cn_body *m = &world->bodies.data[x->body], *n = &world->bodies.data[y->body];
            float speed = cn_length(m->linear_velocity) + cn_length(n->linear_velocity) +
                          (cn_length(m->angular_velocity) + cn_length(n->angular_velocity)) * (m->extent + n->extent + distance);
            if (rests)
                *side = cn_box3_overlaps(&x->fat_box, &y->fat_box) ? 0 : 1;
            else
                *side = distance > 0.1f + tick * speed ? 1 : side_of(world, x, y) < 0 ? -1 : 0;
        }
    }
}

static void begin_and_end_pair_up_whatever_happens(void **state)
{
    (void)state;
    static storm s;
    s = (storm){ .seed = 7 };
    cn_world_def def = cn_world_def_default();
    def.sleep_time = 0.1f;
    s.world = open_world(&def);
    add_ground(s.world, 0.6f, 0.0f);
    for (int i = 0; i < BODIES; i++)
        add_random(&s, i);
    int seen = 0, touched = 0, asleep = 0;
    for (int step = 0; step < STEPS; step++) {
        for (int i = (int)(next_random(&s) % 3); i > 0; i--)
            do_something(&s);
        int count = s.world->shapes.count;
        int8_t sides[96 * 96];
        assert_true(count <= 96);
        note_sides(&s, sides, count);
        advance(s.world, 1);
        take_events(&s);
        check_contacts(&s, sides, count);
        check_sensors(&s, &seen);
        touched += s.touching.count;
        for (int i = 0; i < BODIES; i++)
            asleep += cn_body_get_type(s.world, s.bodies[i]) == CN_DYNAMIC && !cn_body_is_awake(s.world, s.bodies[i]);
    }
    printf("%d steps: on average %.1f pairs in sensors, %.1f touching, %.1f bodies asleep\n", STEPS, (double)seen / STEPS,
           (double)touched / STEPS, (double)asleep / STEPS);
    assert_true(seen > STEPS && touched > STEPS && asleep > STEPS);
    for (int i = 0; i < BODIES; i++)
        cn_body_destroy(s.world, s.bodies[i]);
    advance(s.world, 1);
    take_events(&s);
    assert_int_equal(s.inside.count, 0);
    assert_int_equal(s.touching.count, 0);
    cn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_and_end_pair_up_whatever_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
