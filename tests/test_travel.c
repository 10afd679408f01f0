// Pairs that are near without touching are not looked at until their bodies have travelled far enough: nothing may be missed.
#include "scene.h"
#include "world/world.h"

enum { SIDE = 3, COUNT = SIDE * SIDE * SIDE };

typedef struct lattice {
    cn_world *world;
    cn_body_id boxes[COUNT]; // the one in the middle is index COUNT / 2
} lattice;

static const cn_vec3 nowhere = { 0.0f, 0.0f, 0.0f };

// Unit cubes in free space with small gaps between them: every one has neighbours that it does not touch.
static lattice make_lattice(double gap, cn_body_type middle)
{
    cn_world_def def = weightless();
    lattice l = { .world = open_world(&def) };
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    for (int i = 0; i < COUNT; i++) {
        cn_pos3 place = { (1.0 + gap) * (i % SIDE), (1.0 + gap) * (i / SIDE % SIDE), (1.0 + gap) * (i / (SIDE * SIDE)) };
        l.boxes[i] = add_upright(l.world, i == COUNT / 2 ? middle : CN_DYNAMIC, place, &shape);
    }
    return l;
}

static cn_step_report next_step(const lattice *l) { return advance(l->world, 1); }

static int quiet_pairs(const cn_world *world)
{
    int count = 0;
    for (int i = 0; i < world->awake_contacts.count; i++)
        count += isfinite(world->awake_contacts.data[i].limit);
    return count;
}

// Steps until every pair is quiet, and makes sure that there are enough of them for limits to be used.
static void settle(const lattice *l)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_step(l).manifolds, 0);
    assert_true(l->world->apart_count >= COUNT);
    assert_int_equal(quiet_pairs(l->world), l->world->awake_contacts.count);
}

static void a_slow_body_is_seen_when_it_arrives(void **state)
{
    (void)state;
    lattice l = make_lattice(0.05, CN_DYNAMIC);
    settle(&l);
    double before = cn_world_get_energy(l.world).linear_momentum[0];
    set_motion(l.world, l.boxes[COUNT / 2], cn_v3(0.05f, 0.0f, 0.0f), nowhere);
    int met = 0;
    for (int i = 1; i <= 90; i++) {
        int manifolds = next_step(&l).manifolds;
        met = met == 0 && manifolds > 0 ? i : met;
        assert_true(cn_world_get_max_penetration(l.world) < 1e-3);
    }
    assert_in_range(met, 1, 60); // the gap is closed after 60 steps
    assert_true(cn_body_get_linear_velocity(l.world, l.boxes[COUNT / 2 + 1]).x > 0.01f); // and the next one pushed
    assert_true(fabs(cn_world_get_energy(l.world).linear_momentum[0] - before) > 1.0);
    cn_world_destroy(l.world);
}

static void a_blow_is_seen_at_once(void **state)
{
    (void)state;
    lattice l = make_lattice(0.05, CN_DYNAMIC);
    settle(&l);
    set_motion(l.world, l.boxes[COUNT / 2], cn_v3(0.0f, 6.0f, 0.0f), nowhere);
    assert_true(next_step(&l).manifolds > 0);
    assert_true(cn_body_get_linear_velocity(l.world, l.boxes[COUNT / 2 + SIDE]).y > 1.0f);
    cn_world_destroy(l.world);
}

static void turning_counts_as_travel(void **state)
{
    (void)state;
    lattice l = make_lattice(0.05, CN_DYNAMIC);
    settle(&l);
    set_motion(l.world, l.boxes[COUNT / 2], nowhere, cn_v3(0.0f, 0.0f, 0.5f));
    for (int i = 0; i < 60; i++) {
        next_step(&l);
        assert_true(cn_world_get_max_penetration(l.world) < 2e-3);
    }
    assert_true(fabsf(cn_body_get_angular_velocity(l.world, l.boxes[COUNT / 2]).z) < 0.45f); // its corners met the others
    cn_world_destroy(l.world);
}

static void a_kinematic_body_pushes(void **state)
{
    (void)state;
    lattice l = make_lattice(0.05, CN_KINEMATIC);
    settle(&l);
    set_motion(l.world, l.boxes[COUNT / 2], cn_v3(0.0f, 0.0f, 0.3f), nowhere);
    for (int i = 0; i < 60; i++) {
        next_step(&l);
        assert_true(cn_world_get_max_penetration(l.world) < 1e-3);
    }
    assert_true(cn_body_get_linear_velocity(l.world, l.boxes[COUNT / 2 + SIDE * SIDE]).z > 0.25f);
    cn_world_destroy(l.world);
}

// A static body is not among those whose travel is measured.
static void what_the_user_moves_is_looked_at_again(void **state)
{
    (void)state;
    lattice l = make_lattice(0.05, CN_STATIC);
    settle(&l);
    cn_transform place = cn_body_get_transform(l.world, l.boxes[COUNT / 2]);
    place.position.x += 0.06;
    assert_true(cn_body_set_transform(l.world, l.boxes[COUNT / 2], place));
    assert_true(next_step(&l).manifolds > 0);
    cn_world_destroy(l.world);
}

// The end of a long bar moves much when the bar turns on the spot, whichever of the two bodies comes first.
static void the_end_of_a_turning_bar_pushes(void **state)
{
    (void)state;
    for (int bar_first = 0; bar_first < 2; bar_first++) {
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        cn_shape_def small = solid_def(cn_box(0.05f, 0.05f, 0.05f), 0.6f, 0.0f), bar = solid_def(cn_box(2.0f, 0.05f, 0.05f), 0.6f, 0.0f);
        cn_body_id ids[2];
        for (int i = 0; i < 2; i++)
            ids[i] = (i == 0) == (bar_first != 0) ? add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &bar)
                                                  : add_upright(world, CN_DYNAMIC, cn_p3(1.9, 0.0, 0.2), &small);
        cn_body_id turning = ids[bar_first ? 0 : 1], pushed = ids[bar_first ? 1 : 0];
        advance(world, 3);
        set_motion(world, turning, nowhere, cn_v3(0.0f, -0.1f, 0.0f));
        for (int i = 0; i < 180; i++) {
            advance(world, 1);
            assert_true(cn_world_get_max_penetration(world) < 1e-3);
        }
        assert_true(cn_body_get_transform(world, pushed).position.z > 0.3);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_body_is_seen_when_it_arrives), cmocka_unit_test(a_blow_is_seen_at_once),
        cmocka_unit_test(turning_counts_as_travel),            cmocka_unit_test(a_kinematic_body_pushes),
        cmocka_unit_test(what_the_user_moves_is_looked_at_again), cmocka_unit_test(the_end_of_a_turning_bar_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
