// Plates that lie across each other come to rest, however thin they are.
#include "random_shapes.h"
#include "scene.h"

enum { PLATES = 100 };

static int awake_after_10_s(float half_thickness)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    rng r = { 5 };
    cn_body_id plates[PLATES];
    for (int i = 0; i < PLATES; i++) {
        cn_shape_def plate = solid_def(cn_box(rng_range(&r, 0.1f, 0.3f), half_thickness, rng_range(&r, 0.05f, 0.2f)), 0.6f, 0.0f);
        cn_vec3 turn = { rng_range(&r, -2.0f, 2.0f), rng_range(&r, -2.0f, 2.0f), rng_range(&r, -2.0f, 2.0f) };
        cn_pos3 place = { 0.5 * (i % 7), 2.0 + 0.5 * (i / 49), 0.5 * (i / 7 % 7) };
        plates[i] = add_body(world, CN_DYNAMIC, place, cn_quat_exp(turn), &plate);
    }
    advance(world, 600);
    int awake = 0;
    for (int i = 0; i < PLATES; i++)
        awake += cn_body_is_awake(world, plates[i]);
    cn_world_destroy(world);
    return awake;
}

static void plates_come_to_rest(void **state)
{
    (void)state;
    const float thicknesses[] = { 0.0005f, 0.002f, 0.01f, 0.03f };
    for (int i = 0; i < 4; i++) {
        int awake = awake_after_10_s(thicknesses[i]);
        print_message("%g mm: %d awake\n", 2e3 * (double)thicknesses[i], awake);
        assert_int_equal(awake, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(plates_come_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
