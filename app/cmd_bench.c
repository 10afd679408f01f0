#include "bench_rays.h"
#include "commands.h"
#include "joint_errors.h"
#include "json_scene.h"
#include "measure.h"
#include "options.h"
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct bench {
    cn_settings settings;
    int steps; // 0: as many as the scene says
    int rays;
    bool json;
} bench;

static void print_heading(void)
{
    printf("%-12s %7s %7s %7s | %8s %8s %8s %8s %8s | %9s %10s  %s\n", "scene", "steps", "bodies", "points", "mean ms", "p50",
           "p99", "max", "last 100", "overlap m", "J/kg", "state hash");
}

static void print_row(const cn_measure *measure, const cn_build *build, const char *scene)
{
    const cn_series *times = &measure->step_ms;
    int first = cn_measure_first(measure);
    printf("%-12s %7d %7d %7d | %8.3f %8.3f %8.3f %8.3f %8.3f | %9.4f %10.3g  %016" PRIx64 "\n", scene, times->count,
           cn_world_get_body_count(build->world), measure->last.points, cn_series_mean(times, first),
           cn_series_quantile(times, first, 0.5), cn_series_quantile(times, first, 0.99), cn_series_max(times, first),
           cn_series_mean(times, times->count - 100 > first ? times->count - 100 : first),
           cn_world_get_max_penetration(build->world), cn_kinetic_energy_per_kg(build->world), cn_world_hash(build->world));
    fflush(stdout);
}

enum { MANY_JOINTS = 2000 };

static void add_joint_errors(json_t *object, const cn_joint_errors *errors)
{
    const double degrees = 180.0 / 3.14159265358979323846;
    cn_json_number(object, "joint_gap", errors->gap);
    cn_json_number(object, "joint_gap_sum", errors->gap_sum);
    cn_json_number(object, "joint_angle_deg", degrees * errors->angle);
    cn_json_number(object, "limit_passed_deg", degrees * errors->limit);
    cn_json_number(object, "energy_lost", errors->first_energy - errors->last_energy);
}

static void print_json(const cn_settings *settings, const cn_measure *measure, const cn_build *build, const cn_scene *scene,
                       const cn_joint_errors *errors)
{
    json_t *object = cn_measure_json(measure, build, scene->name, settings->threads);
    if (cn_world_get_joint_count(build->world) > 0)
        add_joint_errors(object, errors);
    if (scene->fallen)
        json_object_set_new(object, "fallen", json_integer(scene->fallen(build)));
    cn_json_print(object);
}

static int time_scene(const bench *b, const cn_settings *settings, const cn_scene *scene)
{
    cn_world_def def = cn_settings_world(settings);
    cn_build build;
    cn_measure measure = { 0 };
    cn_joint_errors errors = { 0 };
    int steps = b->steps > 0 ? b->steps : scene->steps;
    cn_step_report report;
    if (cn_scene_build(scene, &def, &build) && b->json)
        cn_joint_errors_add(&errors, build.world);
    for (int i = 0; i < steps && cn_build_step(&build, settings->dt, &report); ++i) {
        if (!cn_measure_add(&measure, &report))
            break;
        // Between the steps, so that it takes no time of theirs; and seldom where there are so many that it would empty the
        // caches.
        if (b->json && (i % (1 + report.joints / MANY_JOINTS) == 0 || i == steps - 1))
            cn_joint_errors_add(&errors, build.world);
        cn_progress(scene->name, i + 1, steps);
    }
    bool good = !build.failed && measure.step_ms.count == steps;
    if (!good)
        cn_scene_complain("bench", scene, build.failed ? build.error.text : "out of memory");
    else if (b->json)
        print_json(settings, &measure, &build, scene, &errors);
    else
        print_row(&measure, &build, scene->name);
    cn_measure_free(&measure);
    cn_build_close(&build);
    return good ? 0 : 2;
}

static int time_named(const bench *b, const char *name)
{
    cn_settings settings = b->settings;
    const cn_scene *scene = cn_scene_open("bench", name, &settings);
    int status = scene ? time_scene(b, &settings, scene) : 2;
    cn_scene_close(scene);
    return status;
}

int cn_command_bench(int argc, char **argv)
{
    bench b = { .settings = cn_settings_default(), .rays = 1000000 };
    b.settings.dt = 0.0; // that of the scene
    const char *name = NULL;
    cn_option options[CN_SETTINGS_OPTIONS + 3] = {
        { "steps", CN_OPTION_INT, &b.steps, "N", 1, 10000000, NULL, "Make N steps instead of as many as the scene says." },
        { "rays", CN_OPTION_INT, &b.rays, "N", 10, 10000000, NULL,
          "rays: cast N rays (default 1,000,000) and a tenth as many spheres." },
        { "json", CN_OPTION_FLAG, &b.json, NULL, 0, 0, NULL, "Print one JSON object per scene, each on its own line." },
    };
    cn_settings_options(&b.settings, options + 3);
    const cn_usage usage = {
        "bench",
        "SCENE|rays|all",
        1,
        "Times a scene with sleeping off, so that a pile at rest costs what it costs. Times are milliseconds per\n"
        "step, the first step left out. The state hash must be the same for any --threads and --simd. SCENE is one of\n"
        "`cairn scenes`, or a file that ends in .json. `rays` times a million rays and 100,000 casts of a sphere.",
        "  cairn bench all\n  cairn bench pyramid --threads 4\n  cairn bench heap --solver pgs --steps 100 --json\n",
        options,
        CN_SETTINGS_OPTIONS + 3
    };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!name)
        return cn_complain("bench", "which scene? usage: cairn bench SCENE, or cairn bench all");
    if (!cn_scene_is_file(name) && cn_word_find("bench", "scene", name, cn_scene_bench_name) < 0)
        return 2;
    if (strcmp(name, "rays") == 0) {
        b.settings.dt = b.settings.dt > 0.0 ? b.settings.dt : cn_settings_default().dt;
        const cn_ray_bench rays = { b.rays, b.steps > 0 ? b.steps : 500, b.json };
        return cn_bench_rays(&b.settings, &rays);
    }
    if (!b.json)
        print_heading();
    if (strcmp(name, "all") != 0)
        return time_named(&b, name);
    int status = 0;
    for (int i = 0; cn_scene_at(i); ++i)
        if (cn_scene_at(i)->timed && time_named(&b, cn_scene_name(i)) != 0)
            status = 2;
    return status;
}
