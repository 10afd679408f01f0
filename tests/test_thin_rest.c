// Thin bodies that are thrown, each alone, lie still soon after they landed: on a floor, on a mesh, on a height field.
#include "random_shapes.h"
#include "scene.h"

enum { BODIES = 500, CELLS = 40, PLATE = 0, HULL, WEIGHTED, TEE, ELL, KINDS };

static const char *const names[KINDS] = { "plates", "hulls", "weighted plates", "tees", "ells" };

static float hill(float x, float z) { return 0.5f * (float)(sin(0.628 * (double)x) * cos(1.257 * (double)z)); }

static void add_hills(cn_world *world, bool field)
{
    static float heights[CELLS + 1][CELLS + 1];
    static cn_vec3 vertices[CELLS + 1][CELLS + 1];
    static int indices[6 * CELLS * CELLS];
    int count = 0;
    for (int z = 0; z <= CELLS; z++)
        for (int x = 0; x <= CELLS; x++) {
            heights[z][x] = hill((float)(x - CELLS / 2), (float)(z - CELLS / 2));
            vertices[z][x] = cn_v3((float)x, heights[z][x], (float)z);
            int here = z * (CELLS + 1) + x;
            const int cell[6] = { here, here + CELLS + 1, here + CELLS + 2, here + CELLS + 2, here + 1, here };
            for (int k = 0; k < 6 && x < CELLS && z < CELLS; k++)
                indices[count++] = cell[k];
        }
    cn_height_field_def field_def = cn_height_field_def_default();
    field_def.columns = field_def.rows = CELLS + 1;
    field_def.spacing_x = field_def.spacing_z = 1.0f;
    field_def.heights = &heights[0][0];
    cn_mesh_def mesh_def = cn_mesh_def_default();
    mesh_def.vertices = &vertices[0][0];
    mesh_def.vertex_count = (CELLS + 1) * (CELLS + 1);
    mesh_def.indices = indices;
    mesh_def.triangle_count = count / 3;
    cn_height_field *as_field = cn_height_field_create(&field_def);
    cn_mesh *as_mesh = cn_mesh_create(&mesh_def);
    cn_vec3 scale = { 1.0f, 1.0f, 1.0f };
    cn_shape_def ground =
        solid_def(field ? cn_geometry_height_field(as_field, scale) : cn_geometry_mesh(as_mesh, scale), 0.6f, 0.0f);
    add_upright(world, CN_STATIC, cn_p3(-0.5 * CELLS, 0.0, -0.5 * CELLS), &ground);
    cn_height_field_destroy(as_field);
    cn_mesh_destroy(as_mesh);
}

// They meet the ground and not each other.
static cn_shape_def part_of(cn_geometry geometry, float x, float y)
{
    cn_shape_def def = solid_def(geometry, 0.6f, 0.0f);
    def.filter.category = 2;
    def.filter.mask = 1;
    def.offset.position = cn_v3(x, y, 0.0f);
    return def;
}

static void add_part(cn_world *world, cn_body_id body, const cn_shape_def *def)
{
    if (CN_IS_NULL(cn_shape_create(world, body, def)))
        fail_msg("%s", cn_last_error());
}

static cn_geometry random_hull(cn_world *world, rng *r, float half_thickness)
{
    cn_vec3 points[20];
    int count = 5 + (int)(rng_next(r) % 15);
    for (int i = 0; i < count; i++) {
        double angle = 6.2831853 * (double)rng_range(r, 0.0f, 1.0f), away = 0.2 * sqrt((double)rng_range(r, 0.0f, 1.0f));
        float y = rng_range(r, -half_thickness, half_thickness);
        points[i] = cn_v3((float)(away * cos(angle)), y, (float)(away * sin(angle)));
    }
    return cn_hull(cn_hull_create(world, points, count));
}

// A millimetre to four centimetres thick.
static void add_shapes(cn_world *world, cn_body_id body, int kind, rng *r)
{
    float t = (float)(0.0005 * exp((double)rng_range(r, 0.0f, 3.7f))), x = rng_range(r, 0.1f, 0.3f),
          z = rng_range(r, 0.05f, 0.2f);
    cn_shape_def plate = part_of(kind == HULL ? random_hull(world, r, t) : cn_box(x, t, z), 0.0f, 0.0f);
    add_part(world, body, &plate);
    if (kind == WEIGHTED) {
        cn_mass mass = cn_body_get_mass(world, body);
        float along = rng_range(r, -0.9f, 0.9f), across = rng_range(r, -0.9f, 0.9f);
        mass.center = cn_v3(along * x, 0.0f, across * z);
        assert_true(cn_body_set_mass(world, body, mass));
    }
    if (kind == TEE || kind == ELL) {
        cn_shape_def upright = part_of(cn_box(t, x, z), kind == TEE ? 0.0f : x, kind == TEE ? -x : x);
        add_part(world, body, &upright);
    }
}

static int awake_after_7_s(int kind, int ground)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    if (ground == 0)
        add_ground(world, 0.6f, 0.0f);
    else
        add_hills(world, ground == 2);
    rng r = { (uint64_t)(10 * kind + ground + 1) };
    static cn_body_id bodies[BODIES];
    for (int i = 0; i < BODIES; i++) {
        cn_vec3 at = rng_over(&r, 10.0f, 3.0f, 10.0f);
        bodies[i] = add_body(world, CN_DYNAMIC, cn_p3((double)at.x, (double)at.y, (double)at.z), rng_quat(&r), NULL);
        add_shapes(world, bodies[i], kind, &r);
        cn_vec3 velocity = rng_vec(&r, 1.0f), spin = rng_vec(&r, 5.0f);
        set_motion(world, bodies[i], velocity, spin);
    }
    int awake = advance(world, 420).awake_bodies;
    cn_world_destroy(world);
    return awake;
}

static void thrown_thin_bodies_come_to_rest(void **state)
{
    (void)state;
    static const char *const grounds[] = { "a floor", "a mesh", "a height field" };
    int all = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int ground = 0; ground < 3; ground++) {
            int awake = awake_after_7_s(kind, ground);
            print_message("%s on %s: %d of %d awake\n", names[kind], grounds[ground], awake, BODIES);
            all += awake;
        }
    print_message("%d of %d awake\n", all, 3 * KINDS * BODIES);
    assert_true(500 * all <= 3 * KINDS * BODIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(thrown_thin_bodies_come_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
