#define _POSIX_C_SOURCE 200809L // getrusage

#include "measure.h"

#include <math.h>
#include <sys/resource.h>

bool cn_measure_add(cn_measure *measure, const cn_step_report *report)
{
    bool added = cn_series_add(&measure->step_ms, report->step_ms);
    for (int i = 0; i < CN_STAGE_COUNT; ++i)
        added = cn_series_add(&measure->stage_ms[i], report->stage_ms[i]) && added;
    added = cn_series_add(&measure->residual, report->residual.value) && added;
    measure->handed_over += report->handed_over;
    measure->missed += report->missed;
    measure->lost += report->lost;
    measure->worst_penetration = fmax(measure->worst_penetration, report->max_penetration);
    measure->last = *report;
    return added;
}

void cn_measure_free(cn_measure *measure)
{
    cn_series_free(&measure->step_ms);
    cn_series_free(&measure->residual);
    for (int i = 0; i < CN_STAGE_COUNT; ++i)
        cn_series_free(&measure->stage_ms[i]);
}

double cn_kinetic_energy_per_kg(const cn_world *world)
{
    cn_energy energy = cn_world_get_energy(world);
    return energy.mass > 0.0 ? energy.kinetic / energy.mass : 0.0;
}

double cn_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0; // kilobytes on Linux
}

json_t *cn_measure_json(const cn_measure *measure, const cn_build *build, const char *scene, int threads)
{
    const cn_series *times = &measure->step_ms;
    int first = cn_measure_first(measure);
    json_t *object = json_object(), *stages = json_object();
    json_object_set_new(object, "scene", json_string(scene));
    json_object_set_new(object, "solver", json_string(cn_world_get_solver(build->world)));
    json_object_set_new(object, "threads", json_integer(threads));
    json_object_set_new(object, "substeps", json_integer(measure->last.substeps));
    json_object_set_new(object, "steps", json_integer(times->count));
    json_object_set_new(object, "bodies", json_integer(cn_world_get_body_count(build->world)));
    json_object_set_new(object, "manifolds", json_integer(measure->last.manifolds));
    json_object_set_new(object, "points", json_integer(measure->last.points));
    cn_json_number(object, "ms_mean", cn_series_mean(times, first));
    cn_json_number(object, "ms_p50", cn_series_quantile(times, first, 0.50));
    cn_json_number(object, "ms_p99", cn_series_quantile(times, first, 0.99));
    cn_json_number(object, "ms_max", cn_series_max(times, first));
    cn_json_number(object, "ms_last", cn_series_mean(times, times->count - 100 > first ? times->count - 100 : first));
    for (int i = 0; i < CN_STAGE_COUNT; ++i)
        cn_json_number(stages, cn_stage_name((cn_stage)i), cn_series_mean(&measure->stage_ms[i], first));
    json_object_set_new(object, "stages", stages);
    cn_json_number(object, "peak_rss_mb", cn_peak_memory());
    cn_json_number(object, "max_penetration", cn_world_get_max_penetration(build->world));
    cn_json_number(object, "kinetic_energy_per_kg", cn_kinetic_energy_per_kg(build->world));
    cn_json_hash(object, "state_hash", cn_world_hash(build->world));
    int counts[CN_MOST_COLORS], colors = cn_world_get_color_histogram(build->world, counts, CN_MOST_COLORS);
    json_t *histogram = json_array();
    for (int i = 0; i < colors && i < CN_MOST_COLORS; ++i)
        json_array_append_new(histogram, json_integer(counts[i]));
    json_object_set_new(object, "colors", histogram);
    if (cn_series_max(&measure->residual, 0) > 0.0) {
        cn_json_number(object, "residual", measure->last.residual.value);
        cn_json_number(object, "residual_max", cn_series_max(&measure->residual, 0));
        json_object_set_new(object, "handed_over", json_integer(measure->handed_over));
        json_object_set_new(object, "missed", json_integer(measure->missed));
    }
    json_object_set_new(object, "joints", json_integer(measure->last.joints));
    json_object_set_new(object, "direct", json_integer(measure->last.direct));
    json_object_set_new(object, "lost", json_integer(measure->lost));
    json_object_set_new(object, "iterations", json_integer(measure->last.iterations));
    json_object_set_new(object, "max_substeps", json_integer(measure->last.max_substeps));
    return object;
}
