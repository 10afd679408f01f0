// The life of joints: ids, and what they do to collision and sleep.
#include "joint_fixture.h"

#include <stdlib.h>

// ---- ids

static void test_ids(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0), c = add_box(CN_DYNAMIC, 6.0);
    int mark = 7;
    cn_joint_def def = weld(a, b);
    def.user_data = &mark;
    cn_joint_id ab = create(&def), bc = tie(b, c), wa = tie((cn_body_id){ 0 }, a);
    assert_int_equal(cn_world_get_joint_count(world), 3);
    assert_true(cn_joint_is_valid(world, ab) && cn_joint_is_valid(world, bc) && cn_joint_is_valid(world, wa));
    assert_ptr_equal(cn_joint_get_user_data(world, ab), &mark);
    assert_true(CN_ID_EQUALS(cn_joint_get_def(world, bc).body_b, c));
    assert_int_equal(cn_joint_get_def(world, bc).axes[CN_TWIST].freedom, CN_LOCKED);

    cn_joint_id list[3] = { { 0 } };
    assert_int_equal(cn_world_get_joints(world, list, 2), 3);
    assert_true(CN_ID_EQUALS(list[0], ab) && CN_ID_EQUALS(list[1], bc) && CN_IS_NULL(list[2]));
    assert_int_equal(cn_body_get_joints(world, b, list, 3), 2);
    assert_true((CN_ID_EQUALS(list[0], ab) && CN_ID_EQUALS(list[1], bc)) ||
                (CN_ID_EQUALS(list[0], bc) && CN_ID_EQUALS(list[1], ab)));
    assert_int_equal(cn_body_get_joints(world, c, NULL, 0), 1);

    assert_true(cn_joint_destroy(world, ab));
    assert_false(cn_joint_is_valid(world, ab));
    assert_false(cn_joint_destroy(world, ab));
    expect_error("cn_joint_destroy", "stale");
    cn_joint_id again = tie(a, c);
    assert_int_equal(again.index1, ab.index1);
    assert_false(cn_joint_is_valid(world, ab));
    assert_null(cn_joint_get_user_data(world, ab));
    assert_false(cn_joint_is_valid(NULL, again));

    // A definition that is not there cannot be made into a joint, and says why.
    def = cn_joint_get_def(world, ab);
    assert_true(CN_IS_NULL(cn_joint_create(world, &def)));
    expect_error("cn_joint_get_def", "stale");
}

static void test_bodies_take_their_joints_along(void **state)
{
    (void)state;
    cn_body_id hub = add_box(CN_DYNAMIC, 0.0), rim[5];
    cn_joint_id spokes[5];
    for (int i = 0; i < 5; i++) {
        rim[i] = add_box(CN_DYNAMIC, 3.0 * (i + 1));
        spokes[i] = i % 2 == 0 ? tie(hub, rim[i]) : tie(rim[i], hub);
    }
    assert_true(cn_body_destroy(world, rim[2]));
    assert_false(cn_joint_is_valid(world, spokes[2]));
    assert_int_equal(cn_body_get_joints(world, hub, NULL, 0), 4);
    assert_true(cn_joint_destroy(world, spokes[4]));
    assert_true(cn_body_destroy(world, hub));
    assert_int_equal(cn_world_get_joint_count(world), 0);
    for (int i = 0; i < 5; i++)
        if (i != 2)
            assert_int_equal(cn_body_get_joints(world, rim[i], NULL, 0), 0);
}

// ---- collision

static int contacts_of(cn_body_id body) { return cn_body_get_contacts(world, body, NULL, 0); }

static void test_collision_between_the_two(void **state)
{
    (void)state;
    assert_true(cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f)));
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 0.99);
    advance(world, 1);
    assert_int_equal(contacts_of(a), 1);
    cn_joint_id first = tie(a, b), second = tie(b, a);
    assert_int_equal(contacts_of(a), 0); // at once
    assert_int_equal(advance(world, 5).pairs, 0);
    assert_true(cn_joint_destroy(world, first));
    assert_int_equal(advance(world, 5).pairs, 0); // the other still forbids it
    assert_true(cn_joint_destroy(world, second));
    assert_int_equal(advance(world, 1).pairs, 1);
    assert_int_equal(contacts_of(a), 1);

    cn_joint_def def = weld(a, b);
    def.collide = true;
    create(&def);
    assert_int_equal(contacts_of(a), 1);
    assert_int_equal(advance(world, 2).pairs, 1);
}

// Shapes that come later are kept apart as well, and a third body is none of the joint's business.
static void test_collision_of_new_shapes(void **state)
{
    (void)state;
    assert_true(cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f)));
    cn_body_id ground = add_box(CN_STATIC, -0.99), a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 0.99);
    tie(a, b);
    tie(ground, b);
    assert_int_equal(advance(world, 1).pairs, 1);
    cn_shape_def shape = solid_def(cn_sphere(0.6f), 0.5f, 0.0f);
    assert_false(CN_IS_NULL(cn_shape_create(world, b, &shape)));
    assert_int_equal(advance(world, 1).pairs, 1);
    assert_int_equal(contacts_of(b), 0);
    assert_true(cn_body_destroy(world, ground));
    assert_int_equal(advance(world, 1).pairs, 0);
}

// ---- sleep

static void sleep_all(void)
{
    for (int i = 0; i < 120 && world->awake.count > 0; i++)
        advance(world, 1);
}

static void test_sleep_together(void **state)
{
    (void)state;
    assert_true(cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f)));
    cn_body_id chain[4], alone = add_box(CN_DYNAMIC, -20.0);
    cn_joint_id joints[3];
    for (int i = 0; i < 4; i++)
        chain[i] = add_box(CN_DYNAMIC, 3.0 * i);
    for (int i = 0; i < 3; i++)
        joints[i] = tie(chain[i], chain[i + 1]);
    // One of them that must not sleep keeps the others awake.
    assert_true(cn_body_set_can_sleep(world, chain[3], false));
    sleep_all();
    assert_true(cn_body_is_awake(world, chain[0]) && !cn_body_is_awake(world, alone));
    assert_false(cn_body_set_awake(world, chain[0], false));
    assert_true(cn_body_set_can_sleep(world, chain[3], true));
    sleep_all();
    cn_step_report report = advance(world, 1);
    assert_int_equal(report.awake_bodies, 0);
    assert_int_equal(report.sleeping_islands, 2);
    assert_int_equal(report.joints, 0);

    assert_true(cn_body_apply_impulse(world, chain[2], cn_v3(0.0f, 1.0f, 0.0f)));
    for (int i = 0; i < 4; i++)
        assert_true(cn_body_is_awake(world, chain[i]));
    assert_false(cn_body_is_awake(world, alone));
    assert_int_equal(advance(world, 1).joints, 3);

    assert_true(cn_body_set_awake(world, chain[1], false));
    for (int i = 0; i < 4; i++)
        assert_false(cn_body_is_awake(world, chain[i]));
    assert_true(cn_joint_destroy(world, joints[1]));
    for (int i = 0; i < 4; i++)
        assert_true(cn_body_is_awake(world, chain[i]));
    assert_true(cn_body_set_awake(world, chain[1], false));
    assert_true(cn_body_is_awake(world, chain[2]));
    assert_int_equal(advance(world, 1).joints, 1);
}

static void expect_wakes(cn_body_id a, cn_body_id b, bool answer)
{
    assert_true(answer);
    assert_true(cn_body_is_awake(world, a) && cn_body_is_awake(world, b));
    assert_true(cn_body_set_awake(world, a, false));
    assert_false(cn_body_is_awake(world, b));
}

static void test_changes_wake(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0), c = add_box(CN_DYNAMIC, 6.0);
    cn_joint_def def = weld(a, b);
    cn_joint_id joint = create(&def);
    assert_true(cn_body_set_awake(world, a, false));
    expect_wakes(a, b, cn_joint_set_axis(world, joint, CN_X, &def.axes[CN_X]));
    expect_wakes(a, b, cn_joint_set_motor(world, joint, CN_X, CN_MOTOR_OFF, 0.0f, 0.0f));
    expect_wakes(a, b, cn_joint_set_limits(world, joint, CN_X, 0.0f, 0.0f));
    expect_wakes(a, b, cn_joint_set_frames(world, joint, def.frame_a, def.frame_b));
    expect_wakes(a, b, cn_joint_set_break(world, joint, 1.0f, 1.0f));
    // What is tied to a sleeper wakes it, and they sleep together from then on.
    expect_wakes(c, a, !CN_IS_NULL(tie(b, c)));
    assert_true(cn_body_destroy(world, c));
    assert_true(cn_body_is_awake(world, a) && cn_body_is_awake(world, b));
}

static void test_what_moves_keeps_awake(void **state)
{
    (void)state;
    assert_true(cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f)));
    cn_body_id carrier = add_box(CN_KINEMATIC, 0.0), load = add_box(CN_DYNAMIC, 3.0);
    cn_joint_def def = weld(carrier, load);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        def.axes[i].freedom = CN_FREE;
    create(&def);
    assert_true(cn_body_set_linear_velocity(world, carrier, cn_v3(0.0f, 0.01f, 0.0f)));
    advance(world, 60);
    assert_true(cn_body_is_awake(world, load));
    assert_true(cn_body_set_linear_velocity(world, carrier, cn_v3(0.0f, 0.0f, 0.0f)));
    advance(world, 60);
    assert_false(cn_body_is_awake(world, load));
    assert_true(cn_body_set_linear_velocity(world, carrier, cn_v3(0.0f, 0.01f, 0.0f)));
    assert_true(cn_body_is_awake(world, load));
    // The same for one that is moved at once.
    assert_true(cn_body_set_linear_velocity(world, carrier, cn_v3(0.0f, 0.0f, 0.0f)));
    advance(world, 60);
    assert_false(cn_body_is_awake(world, load));
    assert_true(cn_body_set_transform(world, carrier, (cn_transform){ { 0.0, 1.0, 0.0 }, CN_QUAT_IDENTITY }));
    assert_true(cn_body_is_awake(world, load));
}

// ---- at random

enum { MANY = 24, MOST_JOINTS = 64 };

typedef struct mirror {
    cn_body_id bodies[MANY];
    cn_joint_id joints[MOST_JOINTS];
    int a[MOST_JOINTS], b[MOST_JOINTS]; // into bodies; -1: the world
    int count;
} mirror;

static void drop_joint(mirror *m, int i)
{
    m->count--;
    m->joints[i] = m->joints[m->count];
    m->a[i] = m->a[m->count];
    m->b[i] = m->b[m->count];
}

static void replace_body(mirror *m, int body)
{
    assert_true(cn_body_destroy(world, m->bodies[body]));
    for (int i = m->count - 1; i >= 0; i--) {
        if (m->a[i] == body || m->b[i] == body) {
            assert_false(cn_joint_is_valid(world, m->joints[i]));
            drop_joint(m, i);
        }
    }
    m->bodies[body] = add_box(CN_DYNAMIC, 0.8 * body);
}

static void add_random_joint(mirror *m)
{
    int a = rand() % MANY, b = rand() % (MANY + 1) - 1;
    if (m->count == MOST_JOINTS || a == b)
        return;
    cn_joint_def def = weld(m->bodies[a], b < 0 ? (cn_body_id){ 0 } : m->bodies[b]);
    def.collide = rand() % 2 == 0;
    for (int i = CN_TWIST; i < CN_DOF_COUNT; i++)
        def.axes[i] = (cn_joint_axis){ .freedom = (cn_freedom)(rand() % 2), .friction = (float)(rand() % 2) };
    cn_transform anchor = cn_body_get_transform(world, m->bodies[a]);
    if (b < 0) {
        def.frame_a = (cn_transform){ { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY };
        def.frame_b = anchor;
    }
    m->joints[m->count] = create(&def);
    m->a[m->count] = a;
    m->b[m->count++] = b;
}

static bool tied(const mirror *m, int a, int b, bool apart)
{
    for (int i = 0; i < m->count; i++)
        if (((m->a[i] == a && m->b[i] == b) || (m->a[i] == b && m->b[i] == a)) &&
            !(apart && cn_joint_get_def(world, m->joints[i]).collide))
            return true;
    return false;
}

static void check_mirror(const mirror *m)
{
    assert_int_equal(cn_world_get_joint_count(world), m->count);
    for (int i = 0; i < m->count; i++)
        assert_true(cn_joint_is_valid(world, m->joints[i]));
    for (int body = 0; body < MANY; body++) {
        cn_joint_id listed[MOST_JOINTS];
        int expected = 0, count = cn_body_get_joints(world, m->bodies[body], listed, MOST_JOINTS);
        for (int i = 0; i < m->count; i++)
            expected += m->a[i] == body || m->b[i] == body;
        assert_int_equal(count, expected);
        for (int i = 0; i < count; i++) {
            cn_joint_def def = cn_joint_get_def(world, listed[i]);
            assert_true(CN_ID_EQUALS(def.body_a, m->bodies[body]) || CN_ID_EQUALS(def.body_b, m->bodies[body]));
        }
        for (int other = 0; other < body; other++) {
            int a = (int)m->bodies[body].index1 - 1, b = (int)m->bodies[other].index1 - 1;
            assert_int_equal(cn_joints_let_collide(world, a, b), !tied(m, body, other, true));
            if (tied(m, body, other, false))
                assert_int_equal(cn_body_is_awake(world, m->bodies[body]), cn_body_is_awake(world, m->bodies[other]));
        }
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    srand(1);
    assert_true(cn_world_set_gravity(world, cn_v3(0.0f, 0.0f, 0.0f)));
    mirror m = { 0 };
    for (int i = 0; i < MANY; i++)
        m.bodies[i] = add_box(CN_DYNAMIC, 0.8 * i); // neighbours overlap
    for (int n = 0; n < 10000; n++) {
        int choice = rand() % 100, body = rand() % MANY;
        if (choice < 48) {
            add_random_joint(&m);
        } else if (choice < 92 && m.count > 0) {
            int i = rand() % m.count;
            assert_true(cn_joint_destroy(world, m.joints[i]));
            assert_false(cn_joint_is_valid(world, m.joints[i]));
            drop_joint(&m, i);
        } else if (choice < 94) {
            replace_body(&m, body);
        } else {
            cn_body_set_awake(world, m.bodies[body], choice < 97);
        }
        if (n % 100 == 0) {
            check_mirror(&m);
            advance(world, 1);
        }
    }
    check_mirror(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
        WITH_WORLD(test_ids),
        WITH_WORLD(test_bodies_take_their_joints_along),
        WITH_WORLD(test_collision_between_the_two),
        WITH_WORLD(test_collision_of_new_shapes),
        WITH_WORLD(test_sleep_together),
        WITH_WORLD(test_changes_wake),
        WITH_WORLD(test_what_moves_keeps_awake),
        WITH_WORLD(test_random_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
