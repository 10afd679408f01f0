// What slides over ground of many parts does not feel where they meet, and feels what is really there.
#include "rough_ground.h"

enum { TILES = 6, TILE_CELLS = 8 };

static float flat(const void *context, int column, int row)
{
    (void)context;
    (void)column;
    (void)row;
    return 0.0f;
}

static cn_mesh *make_tile(void) { return make_cell_mesh(TILE_CELLS, flat, NULL, false); }

static void add_tiles(cn_world *world)
{
    cn_mesh *tile = make_tile();
    for (int i = 0; i < TILES; i++)
        place_static(world, cn_p3(TILE_CELLS * i, 0.0, -0.5 * TILE_CELLS), cn_geometry_mesh(tile, cn_v3(1.0f, 1.0f, 1.0f)));
    cn_mesh_destroy(tile);
}

static void add_slabs(cn_world *world)
{
    for (int i = 0; i < TILES * TILE_CELLS; i++)
        place_static(world, cn_p3(i + 0.5, -0.5, 0.0), cn_box(0.5f, 0.5f, 4.0f));
}

// A tile, then a slab, and so on.
static void add_both(cn_world *world)
{
    cn_mesh *tile = make_tile();
    for (int i = 0; i < TILES; i++) {
        double x = TILE_CELLS * i;
        if (i % 2 == 0)
            place_static(world, cn_p3(x, 0.0, -0.5 * TILE_CELLS), cn_geometry_mesh(tile, cn_v3(1.0f, 1.0f, 1.0f)));
        else
            place_static(world, cn_p3(x + 0.5 * TILE_CELLS, -0.5, 0.0), cn_box(0.5f * TILE_CELLS, 0.5f, 4.0f));
    }
    cn_mesh_destroy(tile);
}

// One body of many shapes, which is moved along beneath.
static void add_raft(cn_world *world)
{
    cn_shape_def slab = solid_def(cn_box(0.5f, 0.5f, 4.0f), 0.6f, 0.0f);
    cn_body_id raft = add_upright(world, CN_KINEMATIC, cn_p3(0.0, -0.5, 0.0), NULL);
    for (int i = 0; i < TILES * TILE_CELLS; i++) {
        slab.offset.position = cn_v3((float)i + 0.5f, 0.0f, 0.0f);
        if (CN_IS_NULL(cn_shape_create(world, raft, &slab)))
            fail_msg("%s", cn_last_error());
    }
}

static void nobody_feels_the_seams(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*build)(cn_world *world);
    } grounds[] = { { "tiles", add_tiles }, { "slabs", add_slabs }, { "both", add_both }, { "raft", add_raft } };
    static const char *const names[] = { "box", "ball", "capsule", "cylinder" };
    const cn_geometry movers[] = { cn_box(0.5f, 0.5f, 0.5f), cn_sphere(0.5f), cn_capsule(0.4f, 0.5f), cn_cylinder(0.5f, 0.4f) };
    for (int i = 0; i < 16; i++) {
        int ground = i / 4, mover = i % 4;
        bool rolls = mover == 1 || mover == 2;
        cn_world_def def = restless();
        cn_world *world = open_world(&def);
        grounds[ground].build(world);
        cn_shape_def shape = solid_def(movers[mover], rolls ? 0.6f : 0.0f, 0.0f);
        cn_quat rotation = mover == 2 ? turn_about(cn_v3(1.0f, 0.0f, 0.0f), 0.5 * (double)CN_PI) : cn_quat_identity();
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(2.0, 0.5, 0.1), rotation, &shape);
        advance(world, 30);
        set_motion(world, body, cn_v3(10.0f, 0.0f, 0.2f), rolls ? cn_v3(0.4f, 0.0f, -20.0f) : cn_v3(0.0f, 0.0f, 0.0f));
        double worst = 0.0;
        for (int step = 0; step < 240; step++) {
            advance(world, 1);
            if (step > 20)
                worst = fmax(worst, fabs((double)cn_body_get_linear_velocity(world, body).y));
        }
        // A capsule that lies askew over a seam touches both sides of it along a line, which leans a little.
        if (!(worst < (mover == 2 ? 2e-2 : 1e-3)))
            fail_msg("%s over %s: %g m/s upwards", names[mover], grounds[ground].name, worst);
        assert_near(cn_body_get_center(world, body).x, 42.0, 0.2);
        cn_world_destroy(world);
    }
}

// A kerb is an edge, however low it is beside the ball.
static void a_kerb_is_felt(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    place_static(world, cn_p3(0.0, -0.5, 0.0), cn_box(5.0f, 0.5f, 4.0f));
    place_static(world, cn_p3(10.0, -0.45, 0.0), cn_box(5.0f, 0.5f, 4.0f));
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f), box = solid_def(cn_box(0.3f, 0.3f, 0.3f), 0.0f, 0.0f);
    cn_body_id roller = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 2.0), &ball);
    cn_body_id slider = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.3, -2.0), &box);
    set_motion(world, roller, cn_v3(5.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, -10.0f));
    set_motion(world, slider, cn_v3(3.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    advance(world, 180);
    assert_near(cn_body_get_center(world, roller).y, 0.55, 0.02);    // up and on
    assert_below(cn_body_get_linear_velocity(world, slider).x, 1.0); // tipped over it
    cn_world_destroy(world);
}

// Corners of the ground under a box carry it from step to step alike, so that it falls asleep.
static void boxes_sleep_on_ridges(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_rough_mesh(world, -6.0, -6.0, false);
    cn_shape_def box = solid_def(cn_box(0.4f, 0.3f, 0.5f), 0.6f, 0.0f);
    cn_body_id boxes[36];
    for (int i = 0; i < 36; i++)
        boxes[i] = add_body(world, CN_DYNAMIC, cn_p3(1.7 * (i % 6) - 4.3, 0.6, 1.7 * (i / 6) - 4.3),
                            turn_about(cn_v3(0.0f, 1.0f, 0.0f), 0.3 * i), &box);
    advance(world, 600);
    for (int i = 0; i < 36; i++)
        assert_false(cn_body_is_awake(world, boxes[i]));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_feels_the_seams),
        cmocka_unit_test(a_kerb_is_felt),
        cmocka_unit_test(boxes_sleep_on_ridges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
