// The rays follow from a seed by the generator of the scenes, so that bench/peers can cast the same: each from a random place
// 20 m up, in a square of 90 m, to a random place 2 m down, in a square of 100 m.
#include "bench_rays.h"

#include "base/timer.h"
#include "cairn/query.h"
#include "output.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>

#define RAY_SEED 1u
enum { ROUNDS = 3 };
static const float cast_radius = 0.25f;

typedef struct questions {
    int ray_count, cast_count;
    cn_ray *rays;
    cn_probe *probes; // the first rays with a sphere at their tip
    cn_hit *hits;
} questions;

typedef struct answers {
    double rays_per_second, casts_per_second; // of the best round
    int ray_hits, cast_hits;
} answers;

static bool ask(questions *q, int rays)
{
    cn_random random = { RAY_SEED };
    *q = (questions){ .ray_count = rays, .cast_count = rays / 10 };
    q->rays = malloc(sizeof *q->rays * (size_t)q->ray_count);
    q->probes = malloc(sizeof *q->probes * (size_t)q->cast_count);
    q->hits = malloc(sizeof *q->hits * (size_t)q->ray_count);
    if (!q->rays || !q->probes || !q->hits)
        return false;
    for (int i = 0; i < q->ray_count; ++i) {
        float from_x = cn_random_range(&random, -45.0f, 45.0f), from_z = cn_random_range(&random, -45.0f, 45.0f);
        float to_x = cn_random_range(&random, -50.0f, 50.0f), to_z = cn_random_range(&random, -50.0f, 50.0f);
        q->rays[i] = (cn_ray){ { (double)from_x, 20.0, (double)from_z }, { to_x - from_x, -22.0f, to_z - from_z } };
    }
    for (int i = 0; i < q->cast_count; ++i)
        q->probes[i] = (cn_probe){ cn_sphere(cast_radius), { q->rays[i].origin, CN_QUAT_IDENTITY }, q->rays[i].translation };
    return true;
}

static int count_hits(const cn_hit *hits, int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i)
        sum += hits[i].hit;
    return sum;
}

static answers time_casts(cn_build *build, questions *q)
{
    answers a = { 0 };
    cn_query_filter filter = cn_query_filter_default();
    for (int round = 0; round < ROUNDS && !build->failed; ++round) {
        double start = cn_now_ms();
        bool good = cn_world_cast_rays(build->world, q->rays, q->ray_count, &filter, q->hits);
        double rays = 1e3 * q->ray_count / (cn_now_ms() - start);
        a.ray_hits = count_hits(q->hits, q->ray_count);
        start = cn_now_ms();
        good = good && cn_world_cast_shapes(build->world, q->probes, q->cast_count, &filter, q->hits);
        double casts = 1e3 * q->cast_count / (cn_now_ms() - start);
        a.cast_hits = count_hits(q->hits, q->cast_count);
        if (!good)
            cn_build_fail(build, cn_last_error());
        a.rays_per_second = rays > a.rays_per_second ? rays : a.rays_per_second;
        a.casts_per_second = casts > a.casts_per_second ? casts : a.casts_per_second;
    }
    return a;
}

static void settle(const cn_settings *settings, cn_build *build, int steps)
{
    cn_step_report report;
    for (int i = 0; i < steps && cn_build_step(build, settings->dt, &report); ++i)
        cn_progress("rays", i + 1, steps);
}

static bool measure(const cn_settings *settings, questions *q, void (*scene)(cn_build *), int steps, answers *a)
{
    cn_world_def def = cn_settings_world(settings);
    cn_build build;
    if (cn_build_open(&build, &def))
        scene(&build);
    settle(settings, &build, steps);
    *a = time_casts(&build, q);
    if (build.failed)
        cn_complain("bench", "rays: %s", build.error.text);
    cn_build_close(&build);
    return !build.failed;
}

static void put_answers(json_t *object, const char *const keys[4], const answers *a)
{
    cn_json_number(object, keys[0], a->rays_per_second);
    cn_json_number(object, keys[1], a->casts_per_second);
    json_object_set_new(object, keys[2], json_integer(a->ray_hits));
    json_object_set_new(object, keys[3], json_integer(a->cast_hits));
}

static void print_json(const cn_settings *settings, const questions *q, const answers *pile, const answers *terrain)
{
    static const char *const pile_keys[4] = { "rays_per_second", "casts_per_second", "ray_hits", "cast_hits" };
    static const char *const terrain_keys[4] = { "terrain_rays_per_second", "terrain_casts_per_second", "terrain_ray_hits",
                                                 "terrain_cast_hits" };
    json_t *object = json_pack("{s:s, s:i, s:i, s:i}", "scene", "rays", "threads", settings->threads, "rays", q->ray_count,
                               "casts", q->cast_count);
    put_answers(object, pile_keys, pile);
    put_answers(object, terrain_keys, terrain);
    cn_json_print(object);
}

static void print_line(const char *where, const answers *a)
{
    printf("rays into %-18s %10.0f rays/s, %8.0f sphere casts/s; %d and %d hit something\n", where, a->rays_per_second,
           a->casts_per_second, a->ray_hits, a->cast_hits);
}

int cn_bench_rays(const cn_settings *settings, const cn_ray_bench *bench)
{
    questions q;
    answers pile, terrain;
    bool good = ask(&q, bench->rays);
    if (!good)
        cn_complain("bench", "rays: out of memory");
    good = good && measure(settings, &q, cn_build_terrain, 0, &terrain) &&
           measure(settings, &q, cn_scene_mesh_pile, bench->steps, &pile);
    if (good && bench->json) {
        print_json(settings, &q, &pile, &terrain);
    } else if (good) {
        print_line("the terrain:", &terrain);
        print_line("mesh_pile at rest:", &pile);
    }
    free(q.rays);
    free(q.probes);
    free(q.hits);
    return good ? 0 : 2;
}
