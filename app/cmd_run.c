#include "cairn/joint.h"
#include "commands.h"
#include "html.h"
#include "interrupt.h"
#include "json_scene.h"
#include "measure.h"
#include "options.h"
#include "plot.h"
#include "record_scene.h"
#include "settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUN_OPTIONS = 6 };

typedef struct run {
    cn_settings settings;
    const cn_scene *scene;
    int steps; // to make; once they have been made, how many there were
    bool interrupted;
    int sleep; // 0 off, 1 on, -1 as the scene says
    const char *record_path, *plot_path, *html_path;
    bool json;
    cn_build build;
    cn_recorder *recorder;
    cn_html html;
    cn_measure measure;
    cn_series energy, points, overlap; // per step: J per kg, contact points, deepest overlap in mm
} run;

static const char *switch_word(int index)
{
    static const char *const words[] = { "off", "on" };
    return index < 2 ? words[index] : NULL;
}

static bool note_step(run *r, const cn_step_report *report, cn_message *error)
{
    cn_energy energy = cn_world_get_energy(r->build.world);
    if (!cn_measure_add(&r->measure, report) || !cn_series_add(&r->points, report->points) ||
        !cn_series_add(&r->overlap, 1e3 * report->max_penetration) ||
        !cn_series_add(&r->energy, energy.mass > 0.0 ? energy.kinetic / energy.mass : 0.0))
        return cn_message_set(error, "out of memory");
    cn_frame frame = cn_frame_after(r->build.world, report);
    return !r->recorder || cn_recorder_add(r->recorder, &frame, error);
}

static bool step_through(run *r, cn_message *error)
{
    cn_step_report report;
    for (int i = 0; i < r->steps; ++i) {
        if (cn_interrupted()) {
            r->interrupted = true;
            r->steps = i;
            cn_progress(r->scene->name, 1, 1);
            return true;
        }
        if (!cn_build_step(&r->build, r->settings.dt, &report))
            return cn_message_set(error, "step %d: %s", i + 1, r->build.error.text);
        if (!note_step(r, &report, error))
            return false;
        cn_progress(r->scene->name, i + 1, r->steps);
    }
    return true;
}

// Tells where the motion is to be kept: NULL when nobody asked for it. Opens the page before the long work, so that a bad
// path is known early.
static bool prepare_recording(run *r, const char **path, cn_message *error)
{
    *path = r->record_path;
    if (!r->html_path)
        return true;
    if (!cn_html_open(&r->html, r->html_path, error))
        return false;
    if (!*path)
        *path = cn_html_temporary(&r->html, error);
    return *path != NULL;
}

static bool simulate(run *r, cn_message *error)
{
    const char *path;
    cn_world_def def = cn_settings_world(&r->settings);
    if (r->sleep >= 0)
        def.sleeping = r->sleep == 1;
    if (!cn_scene_build(r->scene, &def, &r->build))
        return cn_message_set(error, "%s", r->build.error.text);
    if (!prepare_recording(r, &path, error))
        return false;
    if (path) {
        r->recorder = cn_recorder_open(path, &r->build, r->scene->name, r->settings.dt, error);
        if (!r->recorder)
            return false;
    }
    bool good = step_through(r, error);
    // A step reports the overlap it begins with.
    r->measure.worst_penetration = fmax(r->measure.worst_penetration, cn_world_get_max_penetration(r->build.world));
    if (r->recorder)
        good = cn_recorder_close(r->recorder, good ? error : &(cn_message){ 0 }) && good;
    return good && (!r->html_path || cn_html_write(&r->html, path, error));
}

static bool plot(const run *r, cn_message *error)
{
    char title[128];
    int bodies = cn_world_get_body_count(r->build.world);
    snprintf(title, sizeof title, "%s, %s, %d bod%s", r->scene->name, cn_world_get_solver(r->build.world), bodies,
             bodies == 1 ? "y" : "ies");
    const cn_plot_panel panels[] = {
        { "kinetic energy [J/kg]", "#b03a2e", &r->energy, true },
        { "contact points", "#1f618d", &r->points, false },
        { "deepest overlap [mm]", "#7d3c98", &r->overlap, false },
        { "time per step [ms]", "#1e8449", &r->measure.step_ms, false },
        { "residual", "#b9770e", &r->measure.residual, true },
    };
    int count = (int)(sizeof panels / sizeof *panels);
    bool measured = r->settings.residual || r->settings.tolerance > 0.0;
    return cn_plot_write(r->plot_path, title, panels, measured ? count : count - 1, r->settings.dt, error);
}

static void print_stages(const run *r)
{
    double mean = cn_series_mean(&r->measure.step_ms, cn_measure_first(&r->measure));
    printf("%-18s%8.3f ms per step, slowest %.3f ms\n", "time", mean, cn_series_max(&r->measure.step_ms, 0));
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        double stage = cn_series_mean(&r->measure.stage_ms[i], cn_measure_first(&r->measure));
        printf("  %-16s%8.3f ms %5.1f %%\n", cn_stage_name((cn_stage)i), stage, mean > 0.0 ? 100.0 * stage / mean : 0.0);
    }
}

// How right the run was, where that was measured.
static void print_accuracy(const run *r)
{
    const cn_residual *last = &r->measure.last.residual;
    if (!r->settings.residual && r->settings.tolerance <= 0.0)
        return;
    printf("%-18s%.3g at the end, %.3g at worst, median %.3g\n", "residual", last->value, cn_series_max(&r->measure.residual, 0),
           cn_series_quantile(&r->measure.residual, 0, 0.5));
    printf("  %-16sapproach %.2g m/s, friction beyond its cone %.2g N s, impulse times gap %.2g J\n", "last step",
           last->approach, last->cone, last->gap);
    if (r->settings.tolerance > 0.0)
        printf("  %-16s%ld island%s in %d step%s; %ld missed %g all the same\n", "handed over", r->measure.handed_over,
               cn_plural(r->measure.handed_over), r->steps, cn_plural(r->steps), r->measure.missed, r->settings.tolerance);
}

static void print_summary(const run *r)
{
    const cn_step_report *last = &r->measure.last;
    const cn_world *world = r->build.world;
    cn_energy energy = cn_world_get_energy(world);
    double total_ms = cn_series_mean(&r->measure.step_ms, 0) * r->steps;
    printf("%s: %s\n", r->scene->name, r->scene->summary);
    printf("%-18s%s, %d substep%s (%d where most is carried), %d thread%s\n", "solver", cn_world_get_solver(world),
           last->substeps, cn_plural(last->substeps), last->max_substeps, r->settings.threads, cn_plural(r->settings.threads));
    printf("%-18s%d, %d awake in %d island%s\n", "bodies", cn_world_get_body_count(world), last->awake_bodies, last->islands,
           cn_plural(last->islands));
    printf("%-18s%d point%s in %d manifold%s of %d colour%s\n", "contacts", last->points, cn_plural(last->points),
           last->manifolds, cn_plural(last->manifolds), last->colors, cn_plural(last->colors));
    if (cn_world_get_joint_count(world) > 0)
        printf("%-18s%d, %d awake, %d of them solved directly\n", "joints", cn_world_get_joint_count(world), last->joints,
               last->direct);
    printf("%-18s%d step%s, %.2f s, %.1f times real time\n", "simulated", r->steps, cn_plural(r->steps),
           r->steps * r->settings.dt, total_ms > 0.0 ? 1000.0 * r->steps * r->settings.dt / total_ms : 0.0);
    print_stages(r);
    printf("%-18s%.3g mm at the end, %.3g mm at worst\n", "penetration", 1e3 * cn_world_get_max_penetration(world),
           1e3 * r->measure.worst_penetration);
    printf("%-18s%.4g J/kg kinetic, %.4g J kinetic, %.6g J potential\n", "energy", cn_kinetic_energy_per_kg(world),
           energy.kinetic, energy.potential);
    print_accuracy(r);
    if (r->measure.lost > 0)
        printf("%-18s%ld time%s a body whose motion was not finite was stopped where it was\n", "lost", r->measure.lost,
               cn_plural(r->measure.lost));
    printf("%-18s%016" PRIx64 "\n", "state hash", cn_world_hash(world));
    if (r->record_path)
        printf("The recording is in %s (cairn info %s).\n", r->record_path, r->record_path);
    if (r->plot_path)
        printf("The plot is in %s.\n", r->plot_path);
    if (r->html_path)
        printf("The page is in %s, %.2f MB; open it in a browser.\n", r->html_path, 1e-6 * (double)r->html.size);
}

static void print_json(const run *r)
{
    json_t *object = cn_measure_json(&r->measure, &r->build, r->scene->name, r->settings.threads);
    cn_json_number(object, "dt", r->settings.dt);
    cn_json_number(object, "worst_penetration", r->measure.worst_penetration);
    json_object_set_new(object, "awake_bodies", json_integer(r->measure.last.awake_bodies));
    if (r->record_path)
        json_object_set_new(object, "record", json_string(r->record_path));
    if (r->plot_path)
        json_object_set_new(object, "plot", json_string(r->plot_path));
    if (r->html_path) {
        json_object_set_new(object, "html", json_string(r->html_path));
        json_object_set_new(object, "html_bytes", json_integer((json_int_t)r->html.size));
    }
    cn_json_print(object);
}

static int run_scene(run *r)
{
    cn_message error;
    int asked = r->steps;
    cn_interrupt_catch(); // so that the files are finished with what there is
    bool good = simulate(r, &error) && (!r->plot_path || plot(r, &error));
    if (r->interrupted)
        cn_complain("run", "interrupted after %d of %d steps", r->steps, asked);
    if (!good)
        cn_scene_complain("run", r->scene, error.text);
    else if (r->json)
        print_json(r);
    else
        print_summary(r);
    cn_html_close(&r->html);
    cn_measure_free(&r->measure);
    cn_series_free(&r->energy);
    cn_series_free(&r->points);
    cn_series_free(&r->overlap);
    cn_build_close(&r->build);
    return !good ? 2 : r->interrupted ? CN_STATUS_INTERRUPTED : 0;
}

// The later of two files of one name would replace the other.
static bool check_paths(const run *r)
{
    const char *const paths[] = { r->record_path, r->html_path, r->plot_path };
    static const char *const names[] = { "record", "html", "plot" };
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j)
            if (paths[i] && paths[j] && strcmp(paths[i], paths[j]) == 0)
                return cn_complain("run", "--%s and --%s name the same file, %s", names[i], names[j], paths[i]) == 0;
    return true;
}

int cn_command_run(int argc, char **argv)
{
    run r = { .settings = cn_settings_default(), .sleep = -1 };
    r.settings.dt = 0.0; // that of the scene
    const char *name = NULL;
    cn_option options[CN_SETTINGS_OPTIONS + RUN_OPTIONS] = {
        { "steps", CN_OPTION_INT, &r.steps, "N", 1, 10000000, NULL, "Make N steps instead of as many as the scene says." },
        { "record", CN_OPTION_TEXT, &r.record_path, "FILE", 0, 0, NULL,
          "Keep the motion of all bodies, for `cairn view FILE`; `cairn info FILE` says what is in it." },
        { "html", CN_OPTION_TEXT, &r.html_path, "FILE", 0, 0, NULL,
          "Write a page that plays the run in any browser and needs no other file." },
        { "plot", CN_OPTION_TEXT, &r.plot_path, "FILE.svg", 0, 0, NULL,
          "Draw kinetic energy, contacts and time per step over time. A pile that rests shows as energy that falls to "
          "nothing." },
        { "sleep", CN_OPTION_CHOICE, &r.sleep, "SWITCH", 0, 0, switch_word,
          "Whether islands that came to rest stop being simulated (default off, so that jitter shows, or as a file says)." },
        { "json", CN_OPTION_FLAG, &r.json, NULL, 0, 0, NULL, "Print one JSON object on one line instead of the summary." },
    };
    cn_settings_options(&r.settings, options + RUN_OPTIONS);
    const cn_usage usage = { "run",
                             "SCENE",
                             1,
                             "Runs a scene and says what came of it. SCENE is one of `cairn scenes`, or a file that ends in\n"
                             ".json.",
                             "  cairn run shapes --plot shapes.svg\n"
                             "  cairn run heap --threads 4 --record heap.rec\n"
                             "  cairn run dominoes --html dominoes.html\n"
                             "  cairn run tower --solver pgs --iterations 20 --steps 1800\n",
                             options,
                             CN_SETTINGS_OPTIONS + RUN_OPTIONS };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!name)
        return cn_complain("run", "which scene? usage: cairn run SCENE; cairn scenes lists them");
    if (!check_paths(&r))
        return 2;
    r.scene = cn_scene_open("run", name, &r.settings);
    if (!r.scene)
        return 2;
    if (r.steps == 0)
        r.steps = r.scene->steps;
    int status = run_scene(&r);
    cn_scene_close(r.scene);
    return status;
}
