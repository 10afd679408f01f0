// Fast bodies on a mesh that is finer than they are: its seams stop nothing, and what slides together stays apart.
#include "mesh_forms.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 120, SAMPLES = CELLS + 1, SLIDERS = 24 };

// Hills of 50 m in cells of 1 m, with slopes of up to 51 degrees: most edges bend by one degree, to the one side or the other.
static float height_at(float x, float z) { return 50.0f * sinf(0.025f * x) * cosf(0.025f * z); }

static void add_hills(cn_world *world)
{
    form f = form_make(SAMPLES * SAMPLES, 2 * CELLS * CELLS);
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        float x = (float)(i % SAMPLES) - 0.5f * CELLS, z = (float)(i / SAMPLES) - 0.5f * CELLS;
        f.vertices[i] = (cn_vec3){ x, height_at(x, z), z };
    }
    for (int i = 0; i < CELLS * CELLS; i++) {
        int corner = i / CELLS * SAMPLES + i % CELLS;
        form_triangle(&f, 2 * i, corner, corner + SAMPLES, corner + 1);
        form_triangle(&f, 2 * i + 1, corner + 1, corner + SAMPLES, corner + SAMPLES + 1);
    }
    cn_mesh *mesh = form_mesh(&f);
    cn_shape_def shape = solid_def(cn_geometry_mesh(mesh, (cn_vec3){ 1.0f, 1.0f, 1.0f }), 0.0f, 0.0f);
    add_upright(world, CN_STATIC, (cn_pos3){ 0.0, 0.0, 0.0 }, &shape);
    cn_mesh_destroy(mesh);
    form_free(&f);
}

static cn_world *make_hills(void)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_hills(world);
    return world;
}

// A body that lies on the slope at (x, z), turned by `yaw` in it, its middle `lift` above the surface, and slides down at
// `speed`.
static cn_body_id add_slider(cn_world *world, float x, float z, float lift, float yaw, float speed, cn_geometry geometry)
{
    const float step = 0.5f;
    cn_vec3 normal = cn_normalize(
        cn_v3(height_at(x - step, z) - height_at(x + step, z), 2.0f * step, height_at(x, z - step) - height_at(x, z + step)));
    cn_vec3 down = cn_normalize(cn_cross(normal, cn_cross(cn_v3(0.0f, -1.0f, 0.0f), normal)));
    cn_quat upright = cn_quat_normalize((cn_quat){ normal.z, 0.0f, -normal.x, 1.0f + normal.y });
    cn_vec3 place = cn_madd(cn_v3(x, height_at(x, z), z), lift, normal);
    cn_shape_def shape = solid_def(geometry, 0.0f, 0.0f);
    cn_body_id body = add_body(world, CN_DYNAMIC, (cn_pos3){ (double)place.x, (double)place.y, (double)place.z },
                               cn_quat_mul(upright, turn_about(cn_v3(0.0f, 1.0f, 0.0f), (double)yaw)), &shape);
    set_motion(world, body, cn_scale(speed, down), cn_v3(0.0f, 0.0f, 0.0f));
    return body;
}

static cn_geometry prism(cn_world *world)
{
    cn_vec3 points[12];
    for (int i = 0; i < 12; i++) {
        float angle = 1.0471976f * (float)(i / 2);
        points[i] = (cn_vec3){ 0.7f * cosf(angle), i % 2 == 0 ? -0.75f : 0.75f, 0.7f * sinf(angle) };
    }
    return cn_hull(cn_hull_create(world, points, 12));
}

// Nothing is in the way of what slides down a slope, whichever way its seams run and bend.
static void seams_stop_nothing(void **state)
{
    (void)state;
    rng r = { 5 };
    int stopped = 0;
    cn_world *world = make_hills();
    for (int i = 0; i < SLIDERS; i++) {
        float z = rng_range(&r, -30.0f, 30.0f), yaw = rng_range(&r, 0.0f, 3.0f);
        cn_geometry shape = i % 2 == 0 ? cn_box(0.5f, 0.75f, 1.0f) : prism(world);
        add_slider(world, -50.0f + 4.3f * (float)i, z, 0.77f, yaw, 27.0f, shape);
    }
    for (int i = 0; i < 15; i++)
        stopped += cn_world_step(world, tick).stopped;
    assert_int_equal(stopped, 0);
    cn_world_destroy(world);
}

// One on top of the other, at the same speed: neither is held back while the other goes on.
static void what_slides_together_stays_apart(void **state)
{
    (void)state;
    rng r = { 7 };
    double deepest = 0.0;
    cn_world *world = make_hills();
    for (int i = 0; i < SLIDERS; i++) {
        float x = -50.0f + 4.3f * (float)i, z = rng_range(&r, -30.0f, 30.0f), yaw = rng_range(&r, 0.0f, 3.0f);
        add_slider(world, x, z, 0.77f, yaw, 27.0f, prism(world));
        add_slider(world, x, z, 2.29f, yaw, 27.0f, cn_box(0.5f, 0.75f, 1.0f));
    }
    for (int i = 0; i < 60; i++)
        deepest = fmax(deepest, cn_world_step(world, tick).max_penetration);
    assert_true(deepest < 0.02);
    cn_world_destroy(world);
}

// What flies along the surface without coming closer to it is not taken for something that is about to touch, alone or beside
// another that flies with it.
static void what_flies_along_touches_nothing(void **state)
{
    (void)state;
    cn_world *world = make_hills();
    add_slider(world, 10.0f, 5.0f, 0.5f + 0.4f, 0.0f, 20.0f, cn_box(0.5f, 0.5f, 0.5f));
    add_slider(world, 30.0f, 20.0f, 0.5f + 0.4f, 0.0f, 20.0f, cn_box(0.5f, 0.5f, 0.5f));
    add_slider(world, 30.0f, 21.3f, 0.5f + 0.4f, 0.0f, 20.0f, cn_box(0.5f, 0.5f, 0.5f));
    for (int i = 0; i < 3; i++) {
        cn_step_report report = cn_world_step(world, 1.0f / 60.0f);
        assert_int_equal(report.bodies, 4);
        assert_true(report.pairs >= 3);
        cn_contact_data contacts[8];
        assert_int_equal(cn_world_get_contacts(world, contacts, 8), 0);
        assert_int_equal(report.points, 0);
    }
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_stop_nothing),
        cmocka_unit_test(what_slides_together_stays_apart),
        cmocka_unit_test(what_flies_along_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
