// Piles that have to stand: a tower, a heavy box on a light one, a pyramid at rest.
#include "measure.h"
#include "quality.h"
#include "scenes.h"

#include <math.h>
#include <stdlib.h>

static const double most_drift = 0.25, most_loss = 0.5; // of a cube's edge: beyond it, a tower does not stand

cn_tower_result cn_measure_tower(cn_quality *quality, int height, float size, double seconds)
{
    cn_build build;
    cn_quality_open(quality, &build, 10.0f);
    float half = 0.5f * size;
    cn_build_upright(&build, CN_STATIC, (cn_pos3){ 0.0, (double)-half, 0.0 }, cn_box(100.0f * size, half, 100.0f * size));
    cn_body_id top = { 0 };
    for (int i = 0; i < height; ++i)
        top = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, (i + 0.5) * (double)size, 0.0 }, cn_box(half, half, half));
    cn_quality_run(quality, &build, seconds, NULL, NULL);
    cn_pos3 end = cn_center(&build, top);
    cn_quality_close(quality, &build);
    return (cn_tower_result){ hypot(end.x, end.z), (height - 0.5) * (double)size - end.y };
}

static void tower_case(cn_quality *quality, int height, bool judged)
{
    cn_case_begin(quality, "tower");
    cn_tower_result result = cn_measure_tower(quality, height, 1.0f, 30.0);
    cn_case_parameter(quality, "height", height);
    cn_case_flag(quality, "stands", result.drift < most_drift && fabs(result.loss) < most_loss);
    cn_case_limit(quality, "drift", result.drift, "m", most_drift);
    cn_case_limit(quality, "loss", result.loss, "m", most_loss);
    cn_case_end(quality, judged);
}

void cn_quality_tower(cn_quality *quality)
{
    if (isfinite(quality->height)) {
        tower_case(quality, (int)quality->height, true);
        return;
    }
    for (int height = 10; height <= 160; height *= 2)
        tower_case(quality, height, height <= 80);
}

static void heavy_case(cn_quality *quality, double ratio, double most_overlap, bool judged)
{
    cn_build build;
    cn_case_begin(quality, "heavy_on_light");
    cn_quality_open(quality, &build, 10.0f);
    cn_build_ground(&build);
    cn_geometry cube = cn_box(0.5f, 0.5f, 0.5f);
    build.density = 1.0f;
    cn_body_id light = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.5, 0.0 }, cube);
    build.density = (float)ratio;
    cn_body_id heavy = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 1.5, 0.0 }, cube);
    cn_quality_run(quality, &build, 10.0, NULL, NULL);
    cn_pos3 low = cn_center(&build, light), high = cn_center(&build, heavy);
    // Seen from the positions, whatever the engine believes: how far each cube is inside what carries it.
    double overlap = fmax(fmax(0.5 - low.y, 1.0 - (high.y - low.y)), 0.0);
    bool stands = hypot(high.x, high.z) < most_drift && hypot(low.x, low.z) < most_drift && 1.5 - high.y < most_loss;
    cn_case_parameter(quality, "ratio", ratio);
    cn_case_flag(quality, "stands", stands);
    cn_case_limit(quality, "overlap", overlap, "m", most_overlap);
    cn_case_number(quality, "drift", hypot(high.x, high.z), "m");
    cn_case_number(quality, "loss", 1.5 - high.y, "m");
    cn_quality_close(quality, &build);
    cn_case_end(quality, judged);
}

void cn_quality_heavy_on_light(cn_quality *quality)
{
    if (isfinite(quality->ratio)) {
        heavy_case(quality, quality->ratio, quality->ratio <= 100.0 ? 0.01 : 0.1, true);
        return;
    }
    for (double ratio = 10.0; ratio <= 10000.0; ratio *= 10.0)
        heavy_case(quality, ratio, ratio <= 100.0 ? 0.01 : 0.1, ratio <= 1000.0);
}

// What a pile that should be at rest does in the time it is watched.
typedef struct rest {
    cn_series energy; // J per kg after each step
    double speed, penetration;
} rest;

static bool watch_rest(void *context, const cn_build *build, double time)
{
    rest *r = context;
    (void)time;
    r->speed = fmax(r->speed, cn_fastest(build));
    r->penetration = fmax(r->penetration, cn_world_get_max_penetration(build->world));
    return cn_series_add(&r->energy, cn_kinetic_energy_per_kg(build->world));
}

// Watches for five seconds a pile that has had time to come to rest.
static void measure_rest(cn_quality *quality, cn_build *build, double most_energy)
{
    rest r = { 0 };
    cn_pos3 *from = cn_copy_centers(build);
    cn_quality_run(quality, build, 5.0, watch_rest, &r);
    cn_case_limit(quality, "kinetic_energy_per_kg", cn_series_mean(&r.energy, 0), "J/kg", most_energy);
    cn_case_number(quality, "max_penetration", r.penetration, "m");
    cn_case_number(quality, "max_speed", r.speed, "m/s");
    cn_case_number(quality, "creep", cn_longest_way(build, from), "m");
    free(from);
    cn_series_free(&r.energy);
}

void cn_quality_jitter(cn_quality *quality)
{
    cn_build build;
    cn_case_begin(quality, "jitter");
    cn_quality_open(quality, &build, 10.0f);
    cn_build_ground(&build);
    cn_build_pyramid(&build, 20, 0.0, 0.0);
    cn_quality_run(quality, &build, 5.0, NULL, NULL);
    cn_case_parameter(quality, "base", 20);
    measure_rest(quality, &build, 5e-9);
    cn_quality_close(quality, &build);
    cn_case_end(quality, true);
}

void cn_quality_pile_jitter(cn_quality *quality)
{
    const double settling = 40.0; // s: the last boxes roll off the pile long after the others lie still
    cn_build build;
    cn_case_begin(quality, "pile_jitter");
    cn_quality_open(quality, &build, 10.0f);
    cn_scene_mesh_pile(&build);
    cn_quality_run(quality, &build, settling, NULL, NULL);
    cn_case_parameter(quality, "boxes", build.body_count - 1);
    measure_rest(quality, &build, 1e-6);
    cn_case_limit(quality, "fallen", build.failed ? (double)NAN : cn_terrain_fallen(&build), "", 0.0);
    cn_quality_close(quality, &build);
    cn_case_end(quality, true);
}
