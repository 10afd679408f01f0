// Contact modification: what the hook is told, what it may change, and what comes of it.
#include "scene.h"

#include <string.h>

static cn_shape_def modified_box(cn_vec3 half)
{
    cn_shape_def def = solid_def(cn_box(half.x, half.y, half.z), 0.5f, 0.0f);
    def.modify = true;
    return def;
}

typedef struct scene {
    cn_world *world;
    cn_body_id ground, box;
} scene;

// A box at rest on a ground whose contacts are modified.
static scene open_scene(cn_world_def def, cn_modify_fn modify, void *context)
{
    def.modify = modify;
    def.modify_context = context;
    scene s = { .world = open_world(&def) };
    cn_shape_def ground = modified_box(cn_v3(50.0f, 1.0f, 50.0f)), box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f);
    box.hit_events = true;
    s.ground = add_upright(s.world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &ground);
    s.box = add_upright(s.world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &box);
    return s;
}

// ---- what it is told

static void remember(void *context, cn_contact_change *change) { *(cn_contact_change *)context = *change; }

static void the_hook_is_told_what_is_there(void **state)
{
    (void)state;
    cn_contact_change change = { 0 };
    scene s = open_scene(restless(), remember, &change);
    advance(s.world, 60);
    cn_body_set_linear_velocity(s.world, s.box, cn_v3(2.0f, 0.0f, 0.0f));
    advance(s.world, 1);
    assert_true(CN_ID_EQUALS(change.body_a, s.ground));
    assert_true(CN_ID_EQUALS(change.body_b, s.box));
    assert_true(CN_ID_EQUALS(cn_shape_get_body(s.world, change.shape_b), s.box));
    assert_near(change.normal.y, 1.0f, 1e-6);
    assert_int_equal(change.point_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(fabs(change.points[i].x), 0.5, 1e-3);
        assert_near(change.points[i].y, 0.0, 2e-3);
        assert_near(change.separations[i], 0.0f, 5e-3);
    }
    assert_near(change.relative_velocity.x, 2.0f, 1e-4);
    assert_relative(change.last_normal_impulse, cn_body_get_mass(s.world, s.box).mass * 10.0f * tick, 1e-3);
    assert_true(change.enabled);
    assert_near(change.friction, 0.5f, 1e-6);
    assert_near(change.restitution + change.rolling_resistance + change.spinning_resistance, 0.0f, 0.0);
    cn_world_destroy(s.world);
}

static void count_calls(void *context, cn_contact_change *change)
{
    (void)change;
    (*(int *)context)++;
}

static void only_shapes_that_ask_are_shown(void **state)
{
    (void)state;
    int calls = 0;
    cn_world_def def = restless();
    def.modify = count_calls;
    def.modify_context = &calls;
    cn_world *world = open_world(&def);
    add_ground(world, 0.5f, 0.0f);
    cn_shape_def plain = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f), asking = modified_box(cn_v3(0.5f, 0.5f, 0.5f));
    add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &plain);
    advance(world, 10);
    assert_int_equal(calls, 0);
    add_upright(world, CN_DYNAMIC, cn_p3(5.0, 0.5, 0.0), &asking);
    advance(world, 10);
    assert_int_equal(calls, 10); // once per place and step
    assert_true(cn_world_set_modify(world, NULL, NULL));
    advance(world, 10);
    assert_int_equal(calls, 10);
    cn_world_destroy(world);
}

// ---- what it may change

static void make_ice(void *context, cn_contact_change *change)
{
    (void)context;
    change->friction = 0.0f;
}

static void make_glue(void *context, cn_contact_change *change)
{
    (void)context;
    change->friction = 0.8f;
}

static void make_rubber(void *context, cn_contact_change *change)
{
    (void)context;
    change->restitution = 0.8f;
}

static void make_belt(void *context, cn_contact_change *change)
{
    (void)context;
    change->surface_velocity = cn_v3(1.5f, 0.0f, 0.0f);
}

static void make_mud(void *context, cn_contact_change *change)
{
    (void)context;
    change->rolling_resistance = change->spinning_resistance = 0.05f;
}

static void values_apply(void **state)
{
    (void)state;
    cn_world_def def = restless();
    scene s = open_scene(def, make_ice, NULL);
    cn_body_set_linear_velocity(s.world, s.box, cn_v3(2.0f, 0.0f, 0.0f));
    advance(s.world, 60);
    assert_near(cn_body_get_linear_velocity(s.world, s.box).x, 2.0f, 1e-5);
    cn_world_set_modify(s.world, make_glue, NULL);
    advance(s.world, 6);
    assert_near(cn_body_get_linear_velocity(s.world, s.box).x, 1.2f, 0.01); // 2 - 0.8 * 10 * 0.1
    advance(s.world, 30);
    cn_world_set_modify(s.world, NULL, NULL); // back to the materials
    cn_body_set_linear_velocity(s.world, s.box, cn_v3(2.0f, 0.0f, 0.0f));
    advance(s.world, 12);
    assert_near(cn_body_get_linear_velocity(s.world, s.box).x, 1.0f, 0.01); // 2 - 0.5 * 10 * 0.2
    cn_world_destroy(s.world);

    s = open_scene(def, make_belt, NULL);
    advance(s.world, 60);
    assert_near(cn_body_get_linear_velocity(s.world, s.box).x, 1.5f, 1e-3);
    cn_world_destroy(s.world);

    s = open_scene(def, make_rubber, NULL);
    cn_body_set_transform(s.world, s.box, (cn_transform){ { 0.0, 1.5, 0.0 }, CN_QUAT_IDENTITY });
    float fastest = 0.0f;
    for (int i = 0; i < 60; i++) {
        advance(s.world, 1);
        fastest = fmaxf(fastest, cn_body_get_linear_velocity(s.world, s.box).y);
    }
    assert_relative(fastest, 0.8 * sqrt(2.0 * 10.0 * 1.0), 0.03);
    cn_world_destroy(s.world);
}

static void resistance_applies(void **state)
{
    (void)state;
    double rolled[2];
    for (int mud = 0; mud < 2; mud++) {
        cn_world_def def = restless();
        def.modify = mud ? make_mud : NULL;
        cn_world *world = open_world(&def);
        add_ground(world, 0.5f, 0.0f);
        cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.5f, 0.0f);
        ball.modify = true;
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &ball);
        set_motion(world, body, cn_v3(2.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, -4.0f));
        advance(world, 180);
        rolled[mud] = cn_body_get_center(world, body).x;
        cn_world_destroy(world);
    }
    assert_near(rolled[0], 6.0, 0.05);
    // A torque of arm * weight slows a rolling ball by arm g / (r (1 + 2/5)).
    assert_relative(rolled[1], 4.0 / (2.0 * 0.05 * 10.0 / (0.5 * 1.4)), 0.03);
}

// ---- disabling

static void disable(void *context, cn_contact_change *change)
{
    (void)context;
    change->enabled = false;
}

static void what_is_disabled_does_not_push(void **state)
{
    (void)state;
    scene s = open_scene(restless(), disable, NULL);
    int begun = 0, ended = 0, hits = 0;
    for (int i = 1; i <= 60; i++) {
        advance(s.world, 1);
        double t = i * (double)tick;
        assert_near(cn_body_get_center(s.world, s.box).y, 0.5 - 5.0 * t * t, 2e-3); // falls freely
        cn_contact_events events = cn_world_get_contact_events(s.world);
        begun += events.begin_count;
        ended += events.end_count;
        hits += events.hit_count;
        cn_contact_data contact = { 0 };
        if (cn_body_get_contacts(s.world, s.box, &contact, 1) == 1)
            for (int k = 0; k < contact.point_count; k++)
                assert_near(contact.points[k].normal_impulse, 0.0f, 0.0);
    }
    assert_int_equal(begun, 1); // touching is geometry: it begins and ends as if it pushed
    assert_int_equal(ended, 1);
    assert_int_equal(hits, 0);
    cn_world_destroy(s.world);
}

// Two boxes in each other whose contact is disabled are two islands; one falls asleep without the other.
static void what_is_disabled_does_not_hold_together(void **state)
{
    (void)state;
    for (int disabled = 0; disabled < 2; disabled++) {
        cn_world_def def = cn_world_def_default();
        def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
        def.modify = disabled ? disable : NULL;
        cn_world *world = open_world(&def);
        cn_shape_def box = modified_box(cn_v3(0.5f, 0.5f, 0.5f));
        cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &box);
        cn_body_id b = add_upright(world, CN_DYNAMIC, cn_p3(0.999, 0.0, 0.0), &box);
        cn_body_set_can_sleep(world, b, false);
        advance(world, 60);
        int islands[2];
        assert_int_equal(cn_world_get_islands(world, islands, 2), 2);
        assert_int_equal(islands[0] != islands[1], disabled);
        assert_int_equal(cn_body_is_awake(world, a), !disabled);
        assert_true(cn_body_is_awake(world, b));
        cn_world_destroy(world);
    }
}

// ---- what it must not do

typedef struct tally {
    int logged, refused;
    cn_world *world;
    cn_body_id body;
} tally;

static void note_log(void *context, cn_log_level level, const char *message)
{
    tally *t = context;
    assert_int_equal(level, CN_LOG_WARNING);
    assert_non_null(strstr(message, "modify"));
    t->logged++;
}

static void write_nonsense(void *context, cn_contact_change *change)
{
    (void)context;
    change->friction = NAN;
    change->restitution = 2.0f;
    change->rolling_resistance = -1.0f;
    change->spinning_resistance = INFINITY;
    change->surface_velocity = cn_v3(0.0f, NAN, 0.0f);
    change->point_count = 1000;
    change->normal = cn_v3(NAN, NAN, NAN);
    change->shape_a.index1 = 12345;
}

static void nonsense_is_ignored_and_logged(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int nonsense = 0; nonsense < 2; nonsense++) {
        tally t = { 0 };
        cn_world_def def = restless();
        def.log = note_log;
        def.log_context = &t;
        scene s = open_scene(def, nonsense ? write_nonsense : NULL, NULL);
        cn_body_set_linear_velocity(s.world, s.box, cn_v3(2.0f, 0.0f, 0.5f));
        advance(s.world, 30);
        hashes[nonsense] = cn_world_hash(s.world);
        assert_int_equal(t.logged, nonsense ? 5 * 30 : 0);
        cn_world_destroy(s.world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void try_to_change(void *context, cn_contact_change *change)
{
    tally *t = context;
    t->refused += !cn_body_destroy(t->world, change->body_b);
    t->refused += !cn_body_apply_impulse(t->world, change->body_b, cn_v3(0.0f, 1.0f, 0.0f));
    t->refused += !cn_world_set_modify(t->world, NULL, NULL);
    t->refused += !cn_world_step(t->world, tick).ok;
    t->refused += !cn_shape_destroy(t->world, change->shape_a);
    assert_true(cn_body_is_valid(t->world, change->body_b)); // reading is fine
    assert_near(cn_body_get_center(t->world, change->body_b).y, 0.5, 0.01);
    cn_world_destroy(t->world); // says no
}

static void the_world_refuses_changes_from_the_hook(void **state)
{
    (void)state;
    tally t = { 0 };
    scene s = open_scene(restless(), try_to_change, &t);
    t.world = s.world;
    advance(s.world, 10);
    assert_int_equal(t.refused, 5 * 10);
    assert_true(cn_body_apply_impulse(s.world, s.box, cn_v3(0.0f, 1.0f, 0.0f)));
    cn_world_destroy(s.world);
}

// ---- the order of calls

static void hash_calls(void *context, cn_contact_change *change)
{
    uint64_t *hash = context;
    uint32_t bits;
    memcpy(&bits, &change->separations[0], sizeof bits);
    *hash = (*hash ^ change->shape_a.index1) * 0x100000001b3u;
    *hash = (*hash ^ change->shape_b.index1) * 0x100000001b3u;
    *hash = (*hash ^ bits) * 0x100000001b3u;
    change->friction *= change->shape_b.index1 % 3 == 0 ? 0.2f : 1.0f;
    change->enabled = change->shape_b.index1 % 7 != 0;
}

static void the_order_does_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t calls[2] = { 1, 1 }, hashes[2];
    for (int many = 0; many < 2; many++) {
        cn_world_def def = restless();
        def.threads = many ? 4 : 1;
        def.modify = hash_calls;
        def.modify_context = &calls[many];
        cn_world *world = open_world(&def);
        add_ground(world, 0.5f, 0.0f);
        for (int i = 0; i < 150; i++) {
            cn_shape_def box = modified_box(cn_v3(0.5f, 0.4f, 0.3f));
            box.modify = i % 4 != 0;
            add_upright(world, CN_DYNAMIC, cn_p3(0.7 * (i % 6), 0.5 + 0.9 * (i / 12), 0.8 * (i % 2)), &box);
        }
        advance(world, 60);
        hashes[many] = cn_world_hash(world);
        cn_world_destroy(world);
    }
    assert_true(calls[0] == calls[1]);
    assert_true(hashes[0] == hashes[1]);
}

// ---- parts

static void note_material(void *context, cn_contact_change *change) { *(int *)context = change->material; }

// Two halves of a floor, one slippery; the material of a half can be changed, which wakes what lies there.
static void parts_have_their_materials(void **state)
{
    (void)state;
    const cn_compound_part parts[2] = {
        { .geometry = cn_box(5.0f, 0.5f, 5.0f), .offset = { { -5.0f, -0.5f, 0.0f }, CN_QUAT_IDENTITY }, .material = 0 },
        { .geometry = cn_box(5.0f, 0.5f, 5.0f), .offset = { { 5.0f, -0.5f, 0.0f }, CN_QUAT_IDENTITY }, .material = 1 },
    };
    cn_compound *compound = cn_compound_create(parts, 2, NULL);
    assert_non_null(compound);
    int material = -1;
    cn_world_def def = cn_world_def_default();
    def.gravity = cn_v3(0.0f, -10.0f, 2.0f);
    def.modify = note_material;
    def.modify_context = &material;
    cn_world *world = open_world(&def);
    cn_material materials[2] = { cn_material_default(), cn_material_default() };
    cn_shape_def floor = cn_shape_def_default();
    floor.geometry = cn_geometry_compound(compound);
    floor.materials = materials;
    floor.material_count = 2;
    floor.modify = true;
    cn_body_id ground = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &floor);
    cn_shape_id shape;
    cn_body_get_shapes(world, ground, &shape, 1);
    cn_shape_def box = solid_def(cn_box(0.3f, 0.3f, 0.3f), 0.6f, 0.0f);
    cn_body_id left = add_upright(world, CN_DYNAMIC, cn_p3(-5.0, 0.3, 0.0), &box);
    advance(world, 1);
    assert_int_equal(material, 0);
    cn_body_id right = add_upright(world, CN_DYNAMIC, cn_p3(5.0, 0.3, 0.0), &box);
    advance(world, 120);
    assert_false(cn_body_is_awake(world, left) || cn_body_is_awake(world, right));
    materials[1].friction = 0.0f;
    assert_int_equal(cn_shape_get_part_material_count(world, shape), 2);
    assert_true(cn_shape_set_part_material(world, shape, 1, &materials[1]));
    assert_near(cn_shape_get_part_material(world, shape, 1).friction, 0.0f, 0.0);
    assert_near(cn_shape_get_part_material(world, shape, 0).friction, 0.6f, 1e-7);
    assert_true(cn_body_is_awake(world, right));
    advance(world, 60);
    assert_int_equal(material, 1);
    assert_near(cn_body_get_center(world, left).z, 0.0, 0.01);
    assert_near(cn_body_get_center(world, right).z, 1.0, 0.05); // a t^2 / 2

    assert_false(cn_shape_set_part_material(world, shape, 2, &materials[1]));
    assert_false(cn_shape_set_part_material(world, shape, -1, &materials[1]));
    assert_false(cn_shape_set_part_material(world, shape, 0, NULL));
    materials[1].friction = NAN;
    assert_false(cn_shape_set_part_material(world, shape, 0, &materials[1]));
    cn_body_get_shapes(world, left, &shape, 1);
    assert_false(cn_shape_set_part_material(world, shape, 0, &materials[0]));
    assert_non_null(strstr(cn_last_error(), "without materials"));
    cn_world_destroy(world);
    cn_compound_destroy(compound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hook_is_told_what_is_there),
        cmocka_unit_test(only_shapes_that_ask_are_shown),
        cmocka_unit_test(values_apply),
        cmocka_unit_test(resistance_applies),
        cmocka_unit_test(what_is_disabled_does_not_push),
        cmocka_unit_test(what_is_disabled_does_not_hold_together),
        cmocka_unit_test(nonsense_is_ignored_and_logged),
        cmocka_unit_test(the_world_refuses_changes_from_the_hook),
        cmocka_unit_test(the_order_does_not_depend_on_threads),
        cmocka_unit_test(parts_have_their_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
