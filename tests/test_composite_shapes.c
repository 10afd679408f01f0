// Meshes, height fields and compounds as shapes of a world: what is refused, who owns what, and how bodies behave on them.
#include "rough_ground.h"

#include <stdlib.h>
#include <string.h>

static cn_mesh *cube_mesh(float h)
{
    const cn_vec3 v[8] = { { -h, -h, -h }, { h, -h, -h }, { -h, h, -h }, { h, h, -h },
                           { -h, -h, h },  { h, -h, h },  { -h, h, h },  { h, h, h } };
    static const int faces[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = v;
    def.vertex_count = 8;
    def.indices = faces;
    def.triangle_count = 12;
    cn_mesh *mesh = cn_mesh_create(&def);
    if (mesh == NULL)
        fail_msg("%s", cn_last_error());
    return mesh;
}

// A flat square of 2 * half, of two triangles, the second with material 1.
static cn_mesh *flat_mesh(float half)
{
    const cn_vec3 v[4] = { { -half, 0.0f, -half }, { half, 0.0f, -half }, { -half, 0.0f, half }, { half, 0.0f, half } };
    static const int faces[6] = { 0, 2, 1, 1, 2, 3 };
    static const uint16_t materials[2] = { 0, 1 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = v;
    def.vertex_count = 4;
    def.indices = faces;
    def.triangle_count = 2;
    def.materials = materials;
    return cn_mesh_create(&def);
}

static cn_world *plain_world(void)
{
    cn_world_def def = restless();
    return open_world(&def);
}

static const cn_vec3 one = { 1.0f, 1.0f, 1.0f };

// ---- what is refused

static void refuses(cn_world *world, cn_body_type type, cn_shape_def shape, const char *word)
{
    cn_body_id body = add_upright(world, type, cn_p3(0.0, 0.0, 0.0), NULL);
    assert_true(CN_IS_NULL(cn_shape_create(world, body, &shape)));
    if (strstr(cn_last_error(), word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", cn_last_error(), word);
    assert_int_equal(cn_body_get_shape_count(world, body), 0);
    assert_true(cn_world_step(world, tick).ok);
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    cn_world *world = plain_world();
    cn_mesh *flat = flat_mesh(1.0f);
    const cn_material materials[2] = { { .friction = 0.5f }, { .friction = NAN } };
    cn_shape_def good = solid_def(cn_geometry_mesh(flat, one), 0.6f, 0.0f), def = good;
    def.geometry.mesh = NULL;
    refuses(world, CN_STATIC, def, "def.geometry.mesh");
    def = good;
    def.geometry.scale = cn_v3(1.0f, 0.0f, 1.0f);
    refuses(world, CN_STATIC, def, "scale.y");
    def.geometry.scale = cn_v3(1.0f, 1.0f, NAN);
    refuses(world, CN_STATIC, def, "scale.z");
    def.geometry.scale = cn_v3(1e6f, 1.0f, 1e6f);
    def.offset.position = cn_v3(NAN, 0.0f, 0.0f);
    refuses(world, CN_STATIC, def, "def.offset.position");
    def = good;
    def.materials = materials;
    def.material_count = 1;
    refuses(world, CN_STATIC, def, "material 1");
    def.material_count = 2;
    refuses(world, CN_STATIC, def, "def.materials[1].friction");
    def.material_count = -1;
    refuses(world, CN_STATIC, def, "material_count");
    refuses(world, CN_DYNAMIC, good, "cn_shape_create"); // it has no inside
    def = good;
    def.geometry = cn_geometry_height_field(NULL, one);
    refuses(world, CN_STATIC, def, "height_field");
    def.geometry = cn_geometry_compound(NULL);
    refuses(world, CN_STATIC, def, "compound");
    cn_mesh_destroy(flat);
    cn_world_destroy(world);
}

// ---- who owns what

static void worlds_share_a_mesh(void **state)
{
    (void)state;
    cn_mesh *cube = cube_mesh(0.5f);
    cn_world *first = plain_world(), *second = plain_world();
    place_static(first, cn_p3(0.0, 0.0, 0.0), cn_geometry_mesh(cube, one));
    place_static(second, cn_p3(0.0, 0.0, 0.0), cn_geometry_mesh(cube, cn_v3(2.0f, 1.0f, 2.0f)));
    cn_mesh_destroy(cube); // the shapes keep it
    cn_world_destroy(first);
    cn_shape_def ball = solid_def(cn_sphere(0.2f), 0.6f, 0.0f);
    cn_body_id body = add_upright(second, CN_DYNAMIC, cn_p3(0.3, 1.0, 0.2), &ball);
    advance(second, 90);
    assert_near(cn_body_get_center(second, body).y, 0.7, 1e-3);
    cn_world_destroy(second);
}

// ---- bodies on them

// A closed mesh falls like the box it is the surface of.
static void a_mesh_weighs_and_rests(void **state)
{
    (void)state;
    cn_world *world = plain_world();
    add_ground(world, 0.6f, 0.0f);
    cn_mesh *cube = cube_mesh(0.5f);
    cn_shape_def mesh = solid_def(cn_geometry_mesh(cube, cn_v3(1.0f, -1.0f, 1.0f)), 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.0, 0.0), &mesh);
    assert_relative(cn_body_get_mass(world, body).mass, 1000.0, 1e-5);
    assert_relative(cn_body_get_mass(world, body).inertia.xx, 1000.0 / 6.0, 1e-4);
    advance(world, 180);
    assert_near(cn_body_get_center(world, body).y, 0.5, 2e-3);
    assert_below(cn_length(cn_body_get_linear_velocity(world, body)), 1e-3);
    cn_mesh_destroy(cube);
    cn_world_destroy(world);
}

static void a_kinematic_mesh_carries(void **state)
{
    (void)state;
    cn_world *world = plain_world();
    cn_mesh *flat = flat_mesh(3.0f);
    cn_shape_def floor = solid_def(cn_geometry_mesh(flat, one), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.3f, 0.3f, 0.3f), 0.6f, 0.0f);
    cn_body_id lift = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 0.0, 0.0), &floor);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.5, 0.3, 0.5), &box);
    advance(world, 30);
    set_motion(world, lift, cn_v3(0.5f, 1.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    advance(world, 120);
    assert_near(cn_body_get_center(world, body).y, 2.3, 5e-3);
    assert_near(cn_body_get_center(world, body).x, 1.5, 2e-2);
    cn_mesh_destroy(flat);
    cn_world_destroy(world);
}

// One triangle is ice, the other is not.
static void each_triangle_has_its_material(void **state)
{
    (void)state;
    cn_world *world = plain_world();
    cn_mesh *flat = flat_mesh(40.0f);
    const cn_material materials[2] = { { .friction = 0.0f, .kinetic_friction = -1.0f },
                                       { .friction = 0.5f, .kinetic_friction = -1.0f } };
    cn_shape_def floor = solid_def(cn_geometry_mesh(flat, one), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.3f, 0.3f, 0.3f), 0.5f, 0.0f);
    floor.materials = materials;
    floor.material_count = 2;
    cn_body_id land = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &floor);
    cn_body_id on_ice = add_upright(world, CN_DYNAMIC, cn_p3(-20.0, 0.3, -10.0), &box);
    cn_body_id on_land = add_upright(world, CN_DYNAMIC, cn_p3(20.0, 0.3, 10.0), &box);
    set_motion(world, on_ice, cn_v3(0.0f, 0.0f, -4.0f), cn_v3(0.0f, 0.0f, 0.0f));
    set_motion(world, on_land, cn_v3(0.0f, 0.0f, 4.0f), cn_v3(0.0f, 0.0f, 0.0f));
    advance(world, 120);
    assert_near(cn_body_get_linear_velocity(world, on_ice).z, -4.0, 1e-3);
    assert_near(cn_body_get_center(world, on_land).z, 10.0 + 16.0 / (2.0 * 0.5 * 10.0), 0.05); // v^2 / (2 mu g)
    cn_shape_id shape;
    assert_int_equal(cn_body_get_shapes(world, land, &shape, 1), 1);
    assert_true(cn_shape_set_part_material(world, shape, 0, &materials[1])); // the ice melts
    advance(world, 120);
    assert_near(cn_body_get_linear_velocity(world, on_ice).z, 0.0, 1e-3);
    cn_mesh_destroy(flat);
    cn_world_destroy(world);
}

static void things_fall_through_holes_only(void **state)
{
    (void)state;
    cn_world *world = plain_world();
    float heights[25] = { 0.0f };
    uint8_t holes[16] = { 0 };
    holes[1 * 4 + 2] = 1;
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = 5;
    def.spacing_x = def.spacing_z = 2.0f;
    def.heights = heights;
    def.holes = holes;
    cn_height_field *field = cn_height_field_create(&def);
    place_static(world, cn_p3(0.0, 0.0, 0.0), cn_geometry_height_field(field, one));
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
    cn_body_id balls[16];
    for (int i = 0; i < 16; i++)
        balls[i] = add_upright(world, CN_DYNAMIC, cn_p3(2.0 * (i % 4) + 1.0, 0.6, 2.0 * (i / 4) + 1.0), &ball);
    advance(world, 120);
    for (int i = 0; i < 16; i++)
        assert_true(cn_body_get_center(world, balls[i]).y > 0.0 ? !holes[i] : holes[i]);
    cn_height_field_destroy(field);
    cn_world_destroy(world);
}

// A hall of a thousand stones as one shape; what lies in it rests.
static void a_compound_is_a_floor(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    cn_world *world = plain_world();
    cn_compound_part *parts = calloc(SIDE * SIDE, sizeof *parts);
    for (int i = 0; i < SIDE * SIDE; i++) {
        parts[i] = (cn_compound_part){ .geometry = cn_box(0.5f, 0.25f, 0.5f), .offset = CN_POSE_IDENTITY };
        parts[i].offset.position = cn_v3((float)(i % SIDE) - 0.5f * SIDE, -0.25f, (float)(i / SIDE) - 0.5f * SIDE);
    }
    cn_compound *floor = cn_compound_create(parts, SIDE * SIDE, NULL);
    free(parts);
    place_static(world, cn_p3(0.0, 0.0, 0.0), cn_geometry_compound(floor));
    cn_compound_destroy(floor);
    cn_shape_def slab = solid_def(cn_box(5.3f, 0.2f, 4.7f), 0.6f, 0.0f), ball = solid_def(cn_sphere(0.4f), 0.6f, 0.0f);
    cn_body_id wide = add_upright(world, CN_DYNAMIC, cn_p3(-6.0, 0.25, 0.3), &slab);
    cn_body_id round = add_upright(world, CN_DYNAMIC, cn_p3(8.0, 0.5, 8.0), &ball);
    cn_step_report report = advance(world, 120);
    assert_near(cn_body_get_center(world, wide).y, 0.2, 1e-3);
    assert_near(cn_body_get_center(world, round).y, 0.4, 1e-3);
    assert_int_equal(report.manifolds, 2); // a hundred stones under the slab are one floor
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_shapes_are_refused),         cmocka_unit_test(worlds_share_a_mesh),
        cmocka_unit_test(a_mesh_weighs_and_rests),        cmocka_unit_test(a_kinematic_mesh_carries),
        cmocka_unit_test(each_triangle_has_its_material), cmocka_unit_test(things_fall_through_holes_only),
        cmocka_unit_test(a_compound_is_a_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
