// A scale reads the weight of what stands on it: the normal impulses of contacts, per second.
#include "scene.h"

static const double gravity = 10.0;

// The upward force that the contacts of a body take up, N; contacts point from a to b, and the body may be either.
static double reading(const cn_world *world, cn_body_id scale)
{
    static cn_contact_data contacts[256];
    int count = cn_body_get_contacts(world, scale, contacts, 256);
    assert_true(count <= 256);
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        bool below = CN_ID_EQUALS(cn_shape_get_body(world, contacts[i].shape_a), scale);
        for (int k = 0; k < contacts[i].point_count; k++)
            sum += (below ? 1.0 : -1.0) * (double)contacts[i].points[k].normal_impulse * (double)contacts[i].normal.y;
    }
    return sum / (double)tick;
}

// Averages over half a second: a pile at rest still shifts its load a little from step to step.
static double mean_reading(cn_world *world, cn_body_id scale)
{
    double sum = 0.0;
    for (int i = 0; i < 30; i++) {
        advance(world, 1);
        sum += reading(world, scale);
    }
    return sum / 30.0;
}

static void check_weight(cn_world *world, cn_body_id scale, double mass, const char *what)
{
    double newtons = mean_reading(world, scale);
    printf("%s: %.2f N, off by %.4f %%\n", what, newtons, 100.0 * (newtons / (mass * gravity) - 1.0));
    assert_relative(newtons, mass * gravity, 1e-3);
    cn_world_destroy(world);
}

static cn_world *open_scale(cn_body_id *scale, cn_friction_model friction)
{
    cn_world_def def = restless();
    def.friction_model = friction;
    cn_world *world = open_world(&def);
    *scale = add_ground(world, 0.6f, 0.0f);
    return world;
}

static void one_box(void **state)
{
    (void)state;
    for (int friction = 0; friction < CN_FRICTION_MODEL_COUNT; friction++) {
        cn_body_id scale;
        cn_world *world = open_scale(&scale, (cn_friction_model)friction);
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.6, 0.0), &shape);
        advance(world, 120);
        check_weight(world, scale, (double)cn_body_get_mass(world, box).mass, "box");
    }
}

static void one_ball(void **state)
{
    (void)state;
    cn_body_id scale;
    cn_world *world = open_scale(&scale, CN_FRICTION_PATCH);
    cn_shape_def shape = solid_def(cn_sphere(0.3f), 0.6f, 0.0f);
    cn_body_id ball = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.4, 0.0), &shape);
    advance(world, 120);
    check_weight(world, scale, (double)cn_body_get_mass(world, ball).mass, "ball");
}

// A pile of fifty boxes on one plate, and the plate on the scale: the plate reads the boxes, the scale reads everything.
static void a_pile(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        cn_body_id scale;
        cn_world *world = open_scale(&scale, CN_FRICTION_PATCH);
        cn_shape_def tray = solid_def(cn_box(6.0f, 0.1f, 6.0f), 0.8f, 0.0f),
                     shape = solid_def(cn_box(0.3f, 0.2f, 0.25f), 0.8f, 0.0f);
        cn_body_id plate = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.1, 0.0), &tray);
        double mass = whole ? (double)cn_body_get_mass(world, plate).mass : 0.0;
        for (int i = 0; i < 50; i++) {
            double angle = 2.4 * i, radius = 0.25 * sqrt(i % 17);
            cn_body_id box = add_body(world, CN_DYNAMIC, cn_p3(radius * cos(angle), 0.6 + 0.25 * i, radius * sin(angle)),
                                      turn_about(cn_v3(0.0f, 1.0f, 0.0f), 0.7 * i), &shape);
            mass += (double)cn_body_get_mass(world, box).mass;
        }
        advance(world, 500);
        if (whole) {
            check_weight(world, scale, mass, "pile on a plate");
            continue;
        }
        // The plate is pushed down by the boxes and up by the scale: what is left is its own weight.
        double held = mean_reading(world, plate), own = (double)cn_body_get_mass(world, plate).mass * gravity;
        assert_near(held, -own, 1e-3 * (mass * gravity + own));
        cn_world_destroy(world);
    }
}

static void a_plate_on_a_mesh(void **state)
{
    (void)state;
    enum { SIDE = 9 };
    cn_vec3 vertices[SIDE * SIDE];
    int indices[6 * (SIDE - 1) * (SIDE - 1)], count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        vertices[i] = cn_v3(0.5f * (float)(i % SIDE) - 2.0f, 0.0f, 0.5f * (float)(i / SIDE) - 2.0f);
    for (int z = 0; z < SIDE - 1; z++) {
        for (int x = 0; x < SIDE - 1; x++) {
            int v = z * SIDE + x, cell[6] = { v, v + SIDE, v + 1, v + 1, v + SIDE, v + SIDE + 1 };
            for (int k = 0; k < 6; k++)
                indices[count++] = cell[k];
        }
    }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = SIDE * SIDE;
    def.indices = indices;
    def.triangle_count = count / 3;
    cn_mesh *mesh = cn_mesh_create(&def);
    if (mesh == NULL)
        fail_msg("%s", cn_last_error());
    cn_world_def world_def = restless();
    cn_world *world = open_world(&world_def);
    cn_shape_def floor = solid_def(cn_geometry_mesh(mesh, cn_v3(1.0f, 1.0f, 1.0f)), 0.6f, 0.0f);
    floor.density = 0.0f;
    cn_shape_def shape = solid_def(cn_box(1.1f, 0.1f, 0.8f), 0.6f, 0.0f);
    cn_body_id scale = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &floor);
    cn_body_id plate = add_body(world, CN_DYNAMIC, cn_p3(0.1, 0.15, 0.05), turn_about(cn_v3(0.0f, 1.0f, 0.0f), 0.3), &shape);
    advance(world, 120);
    check_weight(world, scale, (double)cn_body_get_mass(world, plate).mass, "plate on a mesh");
    cn_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_box),
        cmocka_unit_test(one_ball),
        cmocka_unit_test(a_pile),
        cmocka_unit_test(a_plate_on_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
