// Batches of queries on any number of threads, queries from several threads at once, and how fast they are.
#include "query_scene.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { RAYS = 3000, PROBES = 600, ASKERS = 4 };

static const cn_pos3 place = { 1000.0, 0.0, -500.0 };

static void fill(const query_scene *s, cn_ray *rays, cn_probe *probes)
{
    rng r = { 77 };
    for (int i = 0; i < RAYS; i++)
        rays[i] = random_ray(s, &r);
    for (int i = 0; i < PROBES; i++)
        probes[i] = random_probe(s, &r);
}

static bool same_hit(const cn_hit *a, const cn_hit *b)
{
    return a->hit == b->hit && a->shape.index1 == b->shape.index1 && a->part == b->part && a->fraction == b->fraction &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 && memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           a->material == b->material;
}

static void batches_are_like_single_casts(void **state)
{
    (void)state;
    static cn_ray rays[RAYS];
    static cn_probe probes[PROBES];
    static cn_hit hits[RAYS];
    for (int threads = 1; threads <= 4; threads++) {
        query_scene s = open_query_scene(place, threads);
        fill(&s, rays, probes);
        int count = 0;
        assert_true(cn_world_cast_rays(s.world, rays, RAYS, NULL, hits));
        for (int i = 0; i < RAYS; i++) {
            cn_hit one = cn_world_cast_ray(s.world, &rays[i], NULL);
            assert_true(same_hit(&one, &hits[i]));
            count += one.hit;
        }
        assert_true(cn_world_cast_shapes(s.world, probes, PROBES, NULL, hits));
        for (int i = 0; i < PROBES; i++) {
            cn_hit one = cn_world_cast_shape(s.world, &probes[i], NULL);
            assert_true(same_hit(&one, &hits[i]));
        }
        assert_in_range(count, RAYS / 10, RAYS);
        close_query_scene(&s);
    }
}

// ---- from several threads at once

typedef struct asker {
    const query_scene *scene;
    const cn_ray *rays;
    const cn_probe *probes;
    const cn_hit *expected;
    int wrong;
} asker;

static void *ask(void *context)
{
    asker *a = context;
    cn_world *world = a->scene->world;
    for (int i = 0; i < RAYS; i++) {
        cn_hit hit = cn_world_cast_ray(world, &a->rays[i], NULL);
        a->wrong += !same_hit(&hit, &a->expected[i]);
        cn_ray bad = { { (double)NAN, 0.0, 0.0 }, { 1.0f, 0.0f, 0.0f } };
        a->wrong += cn_world_test_ray(world, &bad, NULL); // errors belong to the thread
        if (i < PROBES) {
            cn_hit cast = cn_world_cast_shape(world, &a->probes[i], NULL);
            cn_closest_hit near = cn_world_closest(world, &a->probes[i], 1.0f, NULL);
            cn_shape_id shapes[8];
            int touching = cn_world_overlap_shape(world, &a->probes[i], NULL, shapes, 8);
            a->wrong += near.hit && near.distance == 0.0f && touching == 0;
            a->wrong +=
                cast.hit && cast.fraction > 0.0f && touching > 0 && cast.part == -1 && near.part == -1 && near.distance == 0.0f;
        }
    }
    return NULL;
}

static void queries_from_several_threads_agree(void **state)
{
    (void)state;
    static cn_ray rays[RAYS];
    static cn_probe probes[PROBES];
    static cn_hit expected[RAYS];
    query_scene s = open_query_scene(place, 1);
    fill(&s, rays, probes);
    for (int i = 0; i < RAYS; i++)
        expected[i] = cn_world_cast_ray(s.world, &rays[i], NULL);
    pthread_t threads[ASKERS];
    asker askers[ASKERS];
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (asker){ &s, rays, probes, expected, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < ASKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(askers[i].wrong, 0);
    }
    close_query_scene(&s);
}

// ---- speed, for information

// Of the processor, so that other programs do not count.
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void time_batch(cn_world *world, const cn_ray *rays, int count, cn_hit *hits, const char *what)
{
    double best = 1e9;
    int met = 0;
    for (int run = 0; run < 5; run++) {
        double begin = seconds();
        assert_true(cn_world_cast_rays(world, rays, count, NULL, hits));
        best = fmin(best, seconds() - begin);
    }
    for (int i = 0; i < count; i++)
        met += hits[i].hit;
    print_message("%s: %.2f million rays per second, %d%% hit\n", what, 1e-6 * count / best, 100 * met / count);
}

static void rays_per_second(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    cn_ray *rays = malloc(sizeof *rays * COUNT);
    cn_hit *hits = malloc(sizeof *hits * COUNT);
    query_scene s = open_query_scene(place, 1);
    rng r = { 3 };
    for (int i = 0; i < COUNT; i++)
        rays[i] = random_ray(&s, &r);
    time_batch(s.world, rays, COUNT, hits, "400 shapes of all kinds");
    close_query_scene(&s);

    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_mesh *mesh = bumpy_ball(142);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_geometry_mesh(mesh, cn_v3(1.0f, 1.0f, 1.0f));
    add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &shape);
    for (int i = 0; i < COUNT; i++) {
        cn_vec3 from = cn_scale(2.0f, rng_unit(&r)), to = rng_vec(&r, 0.8f);
        rays[i] = (cn_ray){ cn_pos_add(cn_p3(0.0, 0.0, 0.0), from), cn_scale(2.0f, cn_sub(to, from)) };
    }
    char what[64];
    snprintf(what, sizeof what, "a mesh of %d triangles", cn_mesh_get_triangle_count(mesh));
    time_batch(world, rays, COUNT, hits, what);
    cn_world_destroy(world);
    cn_mesh_destroy(mesh);
    free(rays);
    free(hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_like_single_casts),
        cmocka_unit_test(queries_from_several_threads_agree),
        cmocka_unit_test(rays_per_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
