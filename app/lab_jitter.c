// cairn lab jitter: the kinetic energy of a resting pile over time, one curve per solver of the engine.
#include "lab_commands.h"
#include "lab_common.h"
#include "measure.h"
#include "plot.h"
#include "whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "lab jitter"

enum { CURVE_POINTS = 1200 };

// One solver on the scene.
typedef struct run {
    int solver;
    cn_series time, energy; // s, J/kg
} run;

typedef struct jitter {
    cn_settings settings;
    const cn_scene *scene;
    double seconds;
    const char *solver_text, *svg_path, *csv_path;
    bool json;
    run runs[CN_LAB_LIST];
    int run_count;
} jitter;

static bool simulate(const jitter *j, run *r, cn_message *error)
{
    cn_settings settings = j->settings;
    settings.solver = r->solver;
    cn_world_def def = cn_settings_world(&settings);
    cn_build build;
    cn_step_report report;
    char what[96];
    cn_lab_watch watch = { 0.0 };
    int steps = (int)lround(j->seconds / settings.dt);
    snprintf(what, sizeof what, "%s (solver %d of %d)", cn_solver_name(r->solver), (int)(r - j->runs) + 1, j->run_count);
    bool good = cn_scene_build(j->scene, &def, &build);
    for (int i = 1; i <= steps && good; ++i) {
        good = cn_build_step(&build, settings.dt, &report);
        if (good &&
            (!cn_series_add(&r->time, i * settings.dt) || !cn_series_add(&r->energy, cn_kinetic_energy_per_kg(build.world))))
            good = cn_message_set(&build.error, "out of memory");
        cn_lab_progress(&watch, COMMAND, what, i, steps);
    }
    if (!good)
        cn_scene_error(j->scene, build.error.text, error);
    cn_build_close(&build);
    return good;
}

// The second half is when the pile should be at rest.
static void print_run(const jitter *j, const run *r)
{
    int half = r->energy.count / 2;
    double mean = cn_series_mean(&r->energy, half), most = cn_series_max(&r->energy, half);
    const char *solver = cn_solver_name(r->solver);
    if (!j->json) {
        printf("%-17s %14.4g %14.4g\n", solver, mean, most);
        return;
    }
    json_t *object = json_pack("{s:s, s:s, s:i, s:f}", "scene", j->scene->name, "solver", solver, "steps", r->energy.count,
                               "seconds", j->seconds);
    cn_json_number(object, "kinetic_energy_per_kg", mean);
    cn_json_number(object, "kinetic_energy_per_kg_max", most);
    cn_json_print(object);
}

static bool write_csv(const jitter *j, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, j->csv_path, error))
        return false;
    fprintf(out.file, "solver,time,kinetic_energy_per_kg\n");
    for (int i = 0; i < j->run_count; ++i)
        for (int k = 0; k < j->runs[i].energy.count; ++k)
            fprintf(out.file, "%s,%.6f,%.9e\n", cn_solver_name(j->runs[i].solver), j->runs[i].time.values[k],
                    j->runs[i].energy.values[k]);
    return cn_whole_file_keep(&out, error);
}

static bool write_svg(const jitter *j, cn_message *error)
{
    char title[128];
    cn_curve curves[CN_LAB_LIST];
    for (int i = 0; i < j->run_count; ++i)
        curves[i] = (cn_curve){ cn_solver_name(j->runs[i].solver), &j->runs[i].time, &j->runs[i].energy };
    snprintf(title, sizeof title, "%s: a pile at rest", j->scene->name);
    const cn_chart_panel panel = { "kinetic energy [J/kg]", true, 0.0, curves };
    const cn_chart chart = { title, "simulated time [s]", false, 0.0, &panel, 1, j->run_count, CURVE_POINTS, false };
    return cn_chart_write(j->svg_path, &chart, error);
}

static int run_all(jitter *j)
{
    cn_message error;
    if (!j->json)
        printf("%s, %g s; kinetic energy in J/kg over the second half\n%-17s %14s %14s\n", j->scene->name, j->seconds, "solver",
               "mean", "largest");
    fflush(stdout);
    for (int i = 0; i < j->run_count; ++i) {
        if (!simulate(j, &j->runs[i], &error))
            return cn_complain(COMMAND, "%s", error.text);
        print_run(j, &j->runs[i]);
        fflush(stdout);
    }
    if ((j->csv_path && !write_csv(j, &error)) || (j->svg_path && !write_svg(j, &error)))
        return cn_complain(COMMAND, "%s", error.text);
    return 0;
}

int cn_command_lab_jitter(int argc, char **argv)
{
    jitter j = { .settings = cn_settings_default(), .seconds = 10.0, .solver_text = "soft_step,pgs,mass_split" };
    j.settings.dt = 0.0; // that of the scene
    const char *name = "pyramid20";
    enum { OWN = 5 };
    cn_option settings[CN_SETTINGS_OPTIONS], options[OWN + CN_SETTINGS_OPTIONS] = {
        { "solvers", CN_OPTION_TEXT, &j.solver_text, "A,B,...", 0, 0, NULL,
          "Which ones of `cairn solvers`, separated by commas, or all (default soft_step,pgs,mass_split)." },
        { "seconds", CN_OPTION_REAL, &j.seconds, "S", 0.001, 100000, NULL, "How long to watch (default 10)." },
        { "svg", CN_OPTION_TEXT, &j.svg_path, "FILE.svg", 0, 0, NULL, "Draw the energy over time." },
        { "csv", CN_OPTION_TEXT, &j.csv_path, "FILE.csv", 0, 0, NULL, "Write every step: solver, time, energy." },
        { "json", CN_OPTION_FLAG, &j.json, NULL, 0, 0, NULL, "Print one JSON object per solver, each on its own line." },
    };
    cn_settings_options(&j.settings, settings);
    int count = OWN;
    for (int i = 0; i < CN_SETTINGS_OPTIONS; ++i)
        if (strcmp(settings[i].name, "solver") != 0)
            options[count++] = settings[i];
    const cn_usage usage = {
        COMMAND,
        "[SCENE]",
        1,
        "Runs a pile that should stand still (default pyramid20) with several solvers of the engine, and says how\n"
        "much it moves: kinetic energy per kilogram, with sleeping off.",
        "  cairn lab jitter --svg jitter.svg\n"
        "  cairn lab jitter tower20 --seconds 5 --solvers soft_step,pgs --csv jitter.csv\n",
        options,
        OWN + CN_SETTINGS_OPTIONS - 1
    };
    int operand_count, solvers[CN_LAB_LIST];
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    j.run_count = cn_lab_words(COMMAND, "solver", j.solver_text, cn_solver_name, solvers);
    j.scene = j.run_count > 0 ? cn_lab_scene_open(COMMAND, name, &j.settings) : NULL;
    if (!j.scene)
        return 2;
    for (int i = 0; i < j.run_count; ++i)
        j.runs[i].solver = solvers[i];
    int status = run_all(&j);
    cn_scene_close(j.scene);
    for (int i = 0; i < j.run_count; ++i) {
        cn_series_free(&j.runs[i].time);
        cn_series_free(&j.runs[i].energy);
    }
    return status;
}
