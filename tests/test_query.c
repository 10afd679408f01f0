// Queries of a world against asking every shape by itself, and what one shape answers against geometry in double.
#include "query_scene.h"

#include "collide/cast.h"
#include "world/world.h"

#include <string.h>

static const cn_pos3 zero_place = { 0.0, 0.0, 0.0 };
static const cn_pos3 far_place = { 1.0e6, -2.5e5, 1.0e6 };

static bool sees(const query_scene *s, const cn_query_filter *f, int i)
{
    cn_filter own = cn_shape_get_filter(s->world, s->shapes[i]);
    cn_body_id ignored = f->ignored_body;
    return (own.category & f->mask) && (own.mask & f->category) &&
           (f->sensors || !cn_shape_is_sensor(s->world, s->shapes[i])) &&
           !(ignored.index1 > 0 && CN_ID_EQUALS(ignored, s->bodies[i])) && (!f->accept || f->accept(f->context, s->shapes[i]));
}

static bool odd_shapes(void *context, cn_shape_id shape)
{
    (void)context;
    return shape.index1 % 2 == 1;
}

static cn_query_filter random_filter(const query_scene *s, rng *r)
{
    cn_query_filter f = cn_query_filter_default();
    if (rng_next(r) % 4 == 0)
        f.mask = rng_next(r) % 32;
    f.sensors = rng_next(r) % 4 == 0;
    if (rng_next(r) % 4 == 0)
        f.ignored_body = s->bodies[rng_next(r) % SCENE_SHAPES];
    if (rng_next(r) % 4 == 0)
        f.accept = odd_shapes;
    return f;
}

static int in_order(const void *a, const void *b)
{
    const cn_hit *x = a, *y = b;
    return x->fraction != y->fraction ? (x->fraction < y->fraction ? -1 : 1) : (int)x->shape.index1 - (int)y->shape.index1;
}

static int all_one_by_one(const query_scene *s, const cn_ray *ray, const cn_probe *probe, const cn_query_filter *f,
                          cn_hit *hits)
{
    int count = 0;
    for (int i = 0; i < SCENE_SHAPES; i++) {
        if (!sees(s, f, i))
            continue;
        cn_hit hit = ray ? cn_shape_cast_ray(s->world, s->shapes[i], ray) : cn_shape_cast_shape(s->world, s->shapes[i], probe);
        if (hit.hit)
            hits[count++] = hit;
    }
    qsort(hits, (size_t)count, sizeof *hits, in_order);
    return count;
}

static void assert_same_hit(const cn_hit *a, const cn_hit *b)
{
    assert_int_equal(a->hit, b->hit);
    assert_true(CN_ID_EQUALS(a->shape, b->shape));
    assert_int_equal(a->part, b->part);
    assert_true(a->fraction == b->fraction);
    assert_true(a->point.x == b->point.x && a->point.y == b->point.y && a->point.z == b->point.z);
    assert_true(a->normal.x == b->normal.x && a->normal.y == b->normal.y && a->normal.z == b->normal.z);
    assert_true(a->material == b->material);
}

static float count_hits(void *context, const cn_hit *hit)
{
    (void)hit;
    ++*(int *)context;
    return 1.0f;
}

static float end_at_once(void *context, const cn_hit *hit)
{
    (void)hit;
    ++*(int *)context;
    return 0.0f;
}

static int check_casts(const query_scene *s, rng *r, int queries, bool rays)
{
    static cn_hit expected[SCENE_SHAPES], found[SCENE_SHAPES];
    int hits = 0;
    for (int i = 0; i < queries; i++) {
        cn_ray ray = random_ray(s, r);
        cn_probe probe = random_probe(s, r);
        cn_query_filter f = random_filter(s, r);
        int count = all_one_by_one(s, rays ? &ray : NULL, &probe, &f, expected);
        cn_hit first = rays ? cn_world_cast_ray(s->world, &ray, &f) : cn_world_cast_shape(s->world, &probe, &f);
        assert_int_equal(first.hit, count > 0);
        if (count > 0)
            assert_same_hit(&first, &expected[0]);
        if (rays)
            assert_int_equal(cn_world_test_ray(s->world, &ray, &f), count > 0);
        int capacity = i % 3 == 0 ? (int)(rng_next(r) % 4) : SCENE_SHAPES;
        int all = rays ? cn_world_cast_ray_all(s->world, &ray, &f, found, capacity)
                       : cn_world_cast_shape_all(s->world, &probe, &f, found, capacity);
        assert_int_equal(all, count);
        for (int k = 0; k < all && k < capacity; k++)
            assert_same_hit(&found[k], &expected[k]);
        int visited = 0, once = 0;
        assert_true(rays ? cn_world_visit_ray(s->world, &ray, &f, count_hits, &visited)
                         : cn_world_visit_cast(s->world, &probe, &f, count_hits, &visited));
        assert_int_equal(visited, count);
        assert_true(rays ? cn_world_visit_ray(s->world, &ray, &f, end_at_once, &once)
                         : cn_world_visit_cast(s->world, &probe, &f, end_at_once, &once));
        assert_int_equal(once, count > 0);
        hits += count;
    }
    return hits;
}

static void casts_find_what_every_shape_answers(void **state)
{
    (void)state;
    const cn_pos3 places[2] = { zero_place, far_place };
    for (int p = 0; p < 2; p++) {
        query_scene s = open_query_scene(places[p], 1);
        rng r = { 5 };
        int rays = check_casts(&s, &r, 400, true), probes = check_casts(&s, &r, 150, false);
        print_message("%d hits by rays, %d by shapes\n", rays, probes);
        assert_true(rays > 400 && probes > 400);
        for (int i = 0; i < 20; i++) // things move, and boxes grow
            assert_true(cn_world_step(s.world, 1.0f / 60.0f).ok);
        check_casts(&s, &r, 200, true);
        check_casts(&s, &r, 50, false);
        close_query_scene(&s);
    }
}

// Where a convex shape is, in double.
static dvec local_point(const cn_world *world, cn_shape_id id, cn_pos3 p)
{
    const cn_shape *shape = &world->shapes.data[id.index1 - 1];
    const cn_body *body = &world->bodies.data[shape->body];
    dvec v = dv_unrotate(body->rotation, dv(p.x - body->center.x, p.y - body->center.y, p.z - body->center.z));
    return dv_unrotate(shape->pose.rotation, dv_sub(v, dv_of(shape->pose.position)));
}

static void hits_lie_on_rays_and_surfaces(void **state)
{
    (void)state;
    query_scene s = open_query_scene(zero_place, 1);
    rng r = { 8 };
    int hits = 0;
    for (int i = 0; i < 4000; i++) {
        cn_ray ray = random_ray(&s, &r);
        if (i % 4 == 0) { // from ten kilometres away
            cn_vec3 back = cn_scale(-10000.0f, cn_normalize(ray.translation));
            ray.origin = cn_pos_add(ray.origin, back);
            ray.translation = cn_scale(2.0f, cn_neg(back));
        }
        cn_hit hit = cn_world_cast_ray(s.world, &ray, NULL);
        if (!hit.hit)
            continue;
        hits++;
        double length = (double)cn_length(ray.translation), f = (double)hit.fraction;
        cn_pos3 on_ray = { ray.origin.x + f * (double)ray.translation.x, ray.origin.y + f * (double)ray.translation.y,
                           ray.origin.z + f * (double)ray.translation.z };
        assert_near(position_distance(on_ray, hit.point), 0.0, 6e-6 + 1e-7 * length);
        const cn_shape *shape = &s.world->shapes.data[hit.shape.index1 - 1];
        assert_true(hit.material == shape->material.user_data);
        if (cn_is_composite(shape)) {
            assert_true(hit.part >= 0);
        } else {
            double outside = outside_by(&shape->convex, local_point(s.world, hit.shape, hit.point), true);
            assert_int_equal(hit.part, -1);
            assert_true(cn_length(hit.normal) == 0.0f ? outside < 2e-6 : fabs(outside) < 2e-6);
        }
        if (cn_length(hit.normal) > 0.0f) {
            assert_true(fabsf(cn_length(hit.normal) - 1.0f) < 1e-5f);
            assert_true(cn_dot(hit.normal, ray.translation) <= 1e-4f * cn_length(ray.translation));
        } else {
            assert_true(hit.fraction == 0.0f);
        }
    }
    assert_true(hits > 1000);
    close_query_scene(&s);
}

// The same scene a thousand kilometres away: the same answers, bit by bit.
static void far_away_is_like_here(void **state)
{
    (void)state;
    query_scene here = open_query_scene(zero_place, 1), there = open_query_scene(far_place, 1);
    rng r = { 15 }, q = { 15 };
    for (int i = 0; i < 1500; i++) {
        cn_ray a = random_ray(&here, &r), b = random_ray(&there, &q);
        cn_hit x = cn_world_cast_ray(here.world, &a, NULL), y = cn_world_cast_ray(there.world, &b, NULL);
        assert_int_equal(x.hit, y.hit);
        assert_int_equal(x.shape.index1, y.shape.index1);
        assert_int_equal(x.part, y.part);
        assert_true(fabsf(x.fraction - y.fraction) <= 1.2e-7f);
        if (x.hit)
            assert_true(position_distance(
                            x.point, cn_p3(y.point.x - far_place.x, y.point.y - far_place.y, y.point.z - far_place.z)) < 1e-5);
        cn_probe c = random_probe(&here, &r), d = random_probe(&there, &q);
        x = cn_world_cast_shape(here.world, &c, NULL);
        y = cn_world_cast_shape(there.world, &d, NULL);
        assert_int_equal(x.shape.index1, y.shape.index1);
        assert_true(fabsf(x.fraction - y.fraction) <= 2e-6f);
    }
    close_query_scene(&here);
    close_query_scene(&there);
}

static void overlaps_are_found_sorted(void **state)
{
    (void)state;
    query_scene s = open_query_scene(far_place, 1);
    rng r = { 25 };
    static cn_shape_id found[SCENE_SHAPES];
    int shapes = 0, boxes = 0;
    for (int i = 0; i < 300; i++) {
        cn_probe probe = random_probe(&s, &r);
        cn_query_filter f = random_filter(&s, &r);
        int capacity = i % 3 == 0 ? (int)(rng_next(&r) % 3) : SCENE_SHAPES;
        int count = cn_world_overlap_shape(s.world, &probe, &f, found, capacity), expected = 0;
        for (int k = 0; k < SCENE_SHAPES; k++) {
            if (!sees(&s, &f, k) || !cn_shape_overlaps(s.world, s.shapes[k], &probe))
                continue;
            if (expected < capacity)
                assert_true(CN_ID_EQUALS(found[expected], s.shapes[k]));
            expected++;
        }
        assert_int_equal(count, expected);
        shapes += count;
        cn_vec3 half = cn_abs3(rng_vec(&r, 2.0f));
        cn_bounds box = { cn_pos_add(probe.transform.position, cn_neg(half)), cn_pos_add(probe.transform.position, half) };
        count = cn_world_overlap_box(s.world, &box, &f, found, SCENE_SHAPES);
        expected = 0;
        for (int k = 0; k < SCENE_SHAPES; k++) {
            cn_bounds b = cn_shape_get_bounds(s.world, s.shapes[k]);
            bool meets = b.lower.x <= box.upper.x && box.lower.x <= b.upper.x && b.lower.y <= box.upper.y &&
                         box.lower.y <= b.upper.y && b.lower.z <= box.upper.z && box.lower.z <= b.upper.z;
            if (!meets || !sees(&s, &f, k))
                continue;
            assert_true(CN_ID_EQUALS(found[expected], s.shapes[k]));
            expected++;
        }
        assert_int_equal(count, expected);
        boxes += count;
    }
    assert_true(shapes > 30 && boxes > 100);
    close_query_scene(&s);
}

static void closest_points_are_closest(void **state)
{
    (void)state;
    query_scene s = open_query_scene(far_place, 1);
    rng r = { 35 };
    int hits = 0;
    for (int i = 0; i < 300; i++) {
        cn_ray ray = random_ray(&s, &r);
        cn_query_filter f = random_filter(&s, &r);
        float reach = rng_range(&r, 0.0f, 6.0f);
        cn_closest_hit hit = cn_world_closest_point(s.world, ray.origin, reach, &f), best = { 0 };
        for (int k = 0; k < SCENE_SHAPES; k++) {
            cn_closest_hit one =
                sees(&s, &f, k) ? cn_shape_closest_point(s.world, s.shapes[k], ray.origin) : (cn_closest_hit){ 0 };
            if (one.hit && one.distance <= reach && (!best.hit || one.distance < best.distance))
                best = one;
        }
        assert_int_equal(hit.hit, best.hit);
        if (!hit.hit)
            continue;
        hits++;
        assert_true(CN_ID_EQUALS(hit.shape, best.shape) && hit.distance == best.distance && hit.part == best.part);
        assert_near(position_distance(hit.point, ray.origin), hit.distance, 1e-5);
        assert_near(position_distance(hit.probe_point, ray.origin), 0.0, hit.distance > 0.0f ? 1e-5 : 3.0);
        if (hit.distance > 1e-3f) {
            cn_vec3 away = cn_normalize(cn_pos_sub(ray.origin, hit.point));
            assert_true(cn_dot(away, hit.normal) > 0.9999f);
        }
        // With a probe around the place it is nearer by the radius.
        cn_probe ball = { cn_sphere(0.1f), { ray.origin, CN_QUAT_IDENTITY }, { 0.0f, 0.0f, 0.0f } };
        cn_closest_hit near = cn_world_closest(s.world, &ball, reach, &f);
        assert_true(near.hit);
        assert_near(near.distance, fmax((double)hit.distance - 0.1, 0.0), 1e-5);
    }
    assert_true(hits > 100);
    for (int i = 0; i < 2000; i++) { // pairs, both ways round
        cn_shape_id a = s.shapes[rng_next(&r) % SCENE_SHAPES], b = s.shapes[rng_next(&r) % SCENE_SHAPES];
        cn_closest_hit one = cn_shape_distance(s.world, a, b), other = cn_shape_distance(s.world, b, a);
        assert_int_equal(one.hit, other.hit);
        if (one.hit) {
            double tolerance = 1e-5 + 1e-6 * (double)one.distance;
            assert_near(one.distance, other.distance, tolerance);
            assert_near(position_distance(one.point, one.probe_point), one.distance, tolerance);
            assert_true(CN_ID_EQUALS(one.shape, a) && CN_ID_EQUALS(other.shape, b));
        }
    }
    close_query_scene(&s);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    query_scene s = open_query_scene(zero_place, 1);
    cn_ray rays[3] = { { { (double)NAN, 0.0, 0.0 }, { 1.0f, 0.0f, 0.0f } },
                       { { 0.0, 0.0, 0.0 }, { 0.0f, INFINITY, 0.0f } },
                       { { 0.0, 1e30, 0.0 }, { 0.0f, 1.0f, 0.0f } } };
    cn_hit hits[3];
    for (int i = 0; i < 3; i++) {
        assert_false(cn_world_cast_ray(s.world, &rays[i], NULL).hit);
        assert_non_null(strstr(cn_last_error(), "cn_world_cast_ray: ray."));
        assert_int_equal(cn_world_cast_ray_all(s.world, &rays[i], NULL, hits, 3), 0);
        assert_false(cn_world_test_ray(s.world, &rays[i], NULL));
    }
    hits[1].hit = true;
    assert_false(cn_world_cast_rays(s.world, rays, 3, NULL, hits));
    assert_non_null(strstr(cn_last_error(), "cn_world_cast_rays: ray."));
    assert_false(hits[1].hit);
    assert_false(cn_world_cast_rays(s.world, NULL, 3, NULL, hits));
    assert_false(cn_world_cast_rays(s.world, rays, -1, NULL, hits));
    assert_true(cn_world_cast_rays(s.world, NULL, 0, NULL, NULL));
    assert_false(cn_world_cast_ray(NULL, &rays[0], NULL).hit);
    assert_false(cn_world_cast_ray(s.world, NULL, NULL).hit);
    cn_ray good = { { 0.0, 0.0, 0.0 }, { 1.0f, 0.0f, 0.0f } };
    assert_int_equal(cn_world_cast_ray_all(s.world, &good, NULL, NULL, 3), 0);
    assert_false(cn_world_visit_ray(s.world, &good, NULL, NULL, NULL));
    cn_probe probes[] = {
        { cn_geometry_mesh(s.mesh, cn_v3(1.0f, 1.0f, 1.0f)), { zero_place, CN_QUAT_IDENTITY }, { 1.0f, 0.0f, 0.0f } },
        { cn_sphere(-1.0f), { zero_place, CN_QUAT_IDENTITY }, { 1.0f, 0.0f, 0.0f } },
        { cn_sphere(1.0f), { zero_place, { 0.0f, 0.0f, 0.0f, 0.0f } }, { 1.0f, 0.0f, 0.0f } },
        { cn_sphere(1.0f), { zero_place, CN_QUAT_IDENTITY }, { NAN, 0.0f, 0.0f } },
        { { .type = (cn_shape_type)77 }, { zero_place, CN_QUAT_IDENTITY }, { 1.0f, 0.0f, 0.0f } },
        { cn_hull((cn_hull_id){ 9, 9, 9 }), { zero_place, CN_QUAT_IDENTITY }, { 1.0f, 0.0f, 0.0f } }
    };
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        cn_shape_id shape;
        assert_false(cn_world_cast_shape(s.world, &probes[i], NULL).hit);
        assert_non_null(strstr(cn_last_error(), "cn_world_cast_shape: "));
        assert_int_equal(cn_world_overlap_shape(s.world, &probes[i], NULL, &shape, 1), 0);
        assert_false(cn_world_closest(s.world, &probes[i], 1.0f, NULL).hit);
        assert_false(cn_shape_cast_shape(s.world, s.shapes[0], &probes[i]).hit);
        assert_false(cn_shape_overlaps(s.world, s.shapes[0], &probes[i]));
    }
    assert_false(cn_world_closest_point(s.world, zero_place, -1.0f, NULL).hit);
    assert_false(cn_world_closest_point(s.world, zero_place, NAN, NULL).hit);
    assert_false(cn_shape_cast_ray(s.world, (cn_shape_id){ 0 }, &good).hit);
    assert_false(cn_shape_distance(s.world, s.shapes[5], s.shapes[6]).hit);
    assert_non_null(strstr(cn_last_error(), "cn_shape_distance: neither"));
    close_query_scene(&s);
}

static void a_ray_without_length_hits_what_it_is_in(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_ray ray = { { 0.2, 0.1, 0.0 }, { 0.0f, 0.0f, 0.0f } };
    assert_false(cn_world_cast_ray(world, &ray, NULL).hit); // nothing is there
    cn_shape_def box = solid_def(cn_box(1.0f, 1.0f, 1.0f), 0.5f, 0.0f);
    add_upright(world, CN_STATIC, zero_place, &box);
    cn_hit hit = cn_world_cast_ray(world, &ray, NULL);
    assert_true(hit.hit && hit.fraction == 0.0f && cn_length(hit.normal) == 0.0f);
    assert_near(position_distance(hit.point, ray.origin), 0.0, 1e-6);
    ray.origin.x = 1.5;
    assert_false(cn_world_cast_ray(world, &ray, NULL).hit);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_find_what_every_shape_answers),
        cmocka_unit_test(hits_lie_on_rays_and_surfaces),
        cmocka_unit_test(far_away_is_like_here),
        cmocka_unit_test(overlaps_are_found_sorted),
        cmocka_unit_test(closest_points_are_closest),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_ray_without_length_hits_what_it_is_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
