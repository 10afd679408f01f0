// What is said of a whole path holds at every time of it, and is not said of more than need be.
#include "cast_shapes.h"
#include "collide/cast.h"
#include "hull_fixture.h"

enum { TIMES = 33 };

static cn_sweep random_sweep(rng *r, float size, float far, float turns)
{
    cn_sweep s;
    s.pose = random_pose(r, far);
    s.shape = random_pose(r, rng_next(r) % 2 ? 0.0f : size * rng_range(r, 0.0f, 4.0f));
    s.moved = rng_vec(r, size * rng_range(r, 0.0f, 5.0f));
    s.turned = rng_vec(r, turns);
    return s;
}

// Where the shape is at a time, seen from the other.
static cn_pose seen_at(const cn_sweep *mine, const cn_sweep *theirs, float time)
{
    return cn_pose_mul(cn_pose_inverse(cn_sweep_at(theirs, time)), cn_sweep_at(mine, time));
}

static void bounds_hold_all_along_the_path(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int i = 0; i < 4000; i++) {
        cast_shape shape;
        float size = powf(10.0f, rng_range(&r, -1.5f, 1.5f)), turns = powf(10.0f, rng_range(&r, -3.0f, 1.0f));
        make_cast_shape(&shape, &r, (int)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size, &hulls);
        cn_sweep mine = random_sweep(&r, size, 2.0f * size, turns), theirs = random_sweep(&r, size, size, turns);
        if (rng_next(&r) % 2)
            theirs.turned = cn_v3(0.0f, 0.0f, 0.0f);
        cn_sweep_bounds bounds = cn_bound_sweep(&shape.convex, &mine, &theirs);
        cn_plane plane = { rng_unit(&r), 0.0f };
        plane.offset = rng_range(&r, -size, size);
        float lowest = cn_lowest_over(&shape.convex, &bounds, plane), slack = 1e-5f * (float)shape.size;
        for (int k = 0; k < TIMES; k++) {
            float time = (float)k / (float)(TIMES - 1);
            cn_vec3 lower, upper, at = cn_madd(bounds.origin, time, bounds.translation);
            cn_pose pose = seen_at(&mine, &theirs, time);
            cn_convex_bounds(&shape.convex, pose, &lower, &upper);
            cn_vec3 below = cn_sub(cn_sub(at, bounds.half_extents), lower),
                    above = cn_sub(upper, cn_add(at, bounds.half_extents));
            cn_vec3 out = cn_max3(below, above), local = cn_unrotate(pose.rotation, plane.normal);
            if (!(cn_maxf(out.x, cn_maxf(out.y, out.z)) <= slack))
                fail_msg("case %d at %g: out of the box by %g", i, (double)time, (double)cn_maxf(out.x, cn_maxf(out.y, out.z)));
            cn_vec3 deepest = cn_pose_point(pose, cn_convex_support(&shape.convex, cn_neg(local)));
            float height = cn_dot(plane.normal, deepest) - plane.offset;
            if (!(height >= lowest - slack))
                fail_msg("case %d at %g: %g below what was said", i, (double)time, (double)(lowest - height));
        }
    }
}

static void no_point_moves_farther_than_is_said(void **state)
{
    (void)state;
    rng r = { 6 };
    for (int i = 0; i < 4000; i++) {
        cast_shape shape;
        float size = powf(10.0f, rng_range(&r, -1.5f, 1.5f)), turns = powf(10.0f, rng_range(&r, -3.0f, 1.0f));
        make_cast_shape(&shape, &r, (int)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size, &hulls);
        cn_sweep sweep = random_sweep(&r, size, 0.0f, turns);
        float radius = cn_convex_outer_radius(&shape.convex, cn_convex_center(&shape.convex));
        float most = cn_sweep_motion(&shape.convex, &sweep, radius);
        cn_vec3 point = cn_convex_support(&shape.convex, rng_unit(&r));
        cn_vec3 start = cn_pose_point(cn_sweep_at(&sweep, 0.0f), point);
        for (int k = 1; k < TIMES; k++) {
            float moved = cn_distance(start, cn_pose_point(cn_sweep_at(&sweep, (float)k / (float)(TIMES - 1)), point));
            if (!(moved <= 1.0001f * most))
                fail_msg("case %d: %g instead of at most %g", i, (double)moved, (double)most);
        }
    }
}

// A rod of 52 m turns about its lower end. What sits there hardly moves, and what sits at the top is in a box of its own size.
static void parts_of_a_long_body_move_by_themselves(void **state)
{
    (void)state;
    const float turn = 0.5f / 60.0f;
    cn_convex part = { .type = CN_BOX, .half_extents = { 0.3f, 1.0f, 0.3f } };
    float size = cn_length(part.half_extents);
    cn_sweep still = { .pose = CN_POSE_IDENTITY, .shape = CN_POSE_IDENTITY };
    cn_sweep sweep = { CN_POSE_IDENTITY, { -26.0f * turn, 0.0f, 0.0f }, { 0.0f, 0.0f, turn }, CN_POSE_IDENTITY };
    sweep.shape.position = cn_v3(0.0f, -25.0f, 0.0f);
    assert_true(cn_sweep_motion(&part, &sweep, size) < 0.025f);
    sweep.shape.position = cn_v3(0.0f, 25.0f, 0.0f);
    assert_true(cn_sweep_motion(&part, &sweep, size) > 51.0f * turn);
    cn_sweep_bounds bounds = cn_bound_sweep(&part, &sweep, &still);
    assert_true(bounds.half_extents.x < 0.32f && bounds.half_extents.y < 1.02f && bounds.half_extents.z < 0.32f);
    cn_plane ground = { { 0.0f, 1.0f, 0.0f }, -26.0f };
    assert_true(cn_lowest_over(&part, &bounds, ground) > 49.9f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_all_along_the_path),
        cmocka_unit_test(no_point_moves_farther_than_is_said),
        cmocka_unit_test(parts_of_a_long_body_move_by_themselves),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
