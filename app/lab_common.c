#define _POSIX_C_SOURCE 200809L // isatty

#include "lab_common.h"
#include "base/timer.h"
#include "fclib.h"
#include "io/regular_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Problems

bool cn_lab_fail(cn_message *error, const char *name)
{
    const char *reason = cn_last_error();
    const char *colon = strncmp(reason, "cn_", 3) == 0 ? strstr(reason, ": ") : NULL;
    reason = colon ? colon + 2 : reason;
    if (strncmp(reason, name, strlen(name)) == 0)
        return cn_message_set(error, "%s", reason);
    return cn_message_set(error, "%s: %s", name, reason);
}

bool cn_lab_read(cn_lab_case *c, const char *path, cn_problem_kind kind, cn_message *error)
{
    *c = (cn_lab_case){ .name = path };
    bool fclib = cn_fclib_is(path);
    c->problem = fclib ? cn_fclib_read(path, &c->info) : cn_problem_read(path, kind, NULL, &c->info);
    return c->problem || cn_lab_fail(error, path);
}

int cn_lab_contacts(const cn_problem *problem)
{
    int contacts = 0;
    for (int i = 0; i < problem->block_count; ++i)
        contacts += problem->blocks[i].kind == CN_BLOCK_CONTACT;
    return contacts;
}

void cn_lab_progress(cn_lab_watch *watch, const char *command, const char *what, int done, int total)
{
    const double apart = 5000.0;
    double now = cn_now_ms();
    cn_progress(what, done, total);
    if (watch->last_ms == 0.0)
        watch->last_ms = now;
    if (isatty(STDERR_FILENO) || done >= total || now - watch->last_ms < apart)
        return;
    watch->last_ms = now;
    cn_complain(command, "%s: %d of %d steps", what, done, total);
}

// Only the last step is captured: keeping a problem costs time.
static bool run_to(cn_build *build, const cn_scene *scene, double dt, int step)
{
    cn_step_report report;
    cn_lab_watch watch = { 0.0 };
    for (int i = 1; i <= step; ++i) {
        if (i == step && !cn_world_set_capture(build->world, true))
            return cn_message_set(&build->error, "%s", cn_last_error());
        if (!cn_build_step(build, dt, &report))
            return false;
        cn_lab_progress(&watch, "lab", scene->name, i, step);
    }
    return true;
}

bool cn_lab_capture(cn_lab_case *c, const cn_scene *scene, const cn_settings *settings, int step, cn_message *error)
{
    *c = (cn_lab_case){ .name = scene->name, .step = step };
    cn_world_def def = cn_settings_world(settings);
    cn_build build;
    bool good = cn_scene_build(scene, &def, &build) && run_to(&build, scene, settings->dt, step);
    if (!good)
        cn_scene_error(scene, build.error.text, error);
    else if (!(c->problem = cn_world_take_problem(build.world)))
        good = cn_lab_fail(error, scene->name);
    else if (c->problem->block_count == 0)
        good = cn_message_set(error, "%s: nothing touches in step %d", scene->name, step);
    if (good)
        c->info = (cn_problem_info){ CN_PROBLEM_GLOBAL, 3, cn_lab_contacts(c->problem) };
    else
        cn_lab_close(c);
    cn_build_close(&build);
    return good;
}

static bool is_file(const char *name)
{
    FILE *file = cn_regular_file_open(name);
    if (file)
        fclose(file);
    return file != NULL;
}

static bool is_scene(const char *name)
{
    if (cn_scene_is_file(name))
        return true;
    for (int i = 0; cn_lab_scene_at(i); ++i)
        if (strcmp(cn_lab_scene_name(i), name) == 0)
            return true;
    return false;
}

bool cn_lab_open(cn_lab_case *c, const char *command, const char *name, int step)
{
    cn_message error;
    bool good;
    if (is_scene(name)) {
        cn_settings settings = cn_settings_default();
        settings.dt = 0.0; // that of the scene
        const cn_scene *scene = cn_lab_scene_open(command, name, &settings);
        if (!scene)
            return false;
        good = cn_lab_capture(c, scene, &settings, step > 0 ? step : cn_lab_scene_step(scene), &error);
        c->name = name; // that of the scene may end with its file
        cn_scene_close(scene);
    } else if (!is_file(name) && !strpbrk(name, "/.")) {
        cn_word_find(command, "scene or file", name, cn_lab_scene_name);
        return false;
    } else if (step > 0) {
        cn_complain(command, "%s is a file, and has no step %d", name, step);
        return false;
    } else {
        good = cn_lab_read(c, name, CN_PROBLEM_ANY, &error);
    }
    if (!good)
        cn_complain(command, "%s", error.text);
    return good;
}

void cn_lab_close(cn_lab_case *c)
{
    if (c->problem)
        cn_problem_destroy(c->problem);
    c->problem = NULL;
}

const char *cn_lab_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void cn_lab_describe(const cn_lab_case *c, char *text, size_t size)
{
    char step[32] = "", contacts[32] = "";
    if (c->step > 0)
        snprintf(step, sizeof step, ", step %d", c->step);
    if (c->info.dimension > 0) // a linear complementarity problem has none
        snprintf(contacts, sizeof contacts, "%d contact%s, ", c->info.contacts, c->info.contacts == 1 ? "" : "s");
    snprintf(text, size, "%s%s: %s%d rows", cn_lab_base_name(c->name), step, contacts, c->problem->row_count);
}

// ---- Lists on the command line

// Copies the next word of a list into `word` and answers where the list goes on; NULL when it has ended.
static const char *next_word(const char *text, char *word, size_t size)
{
    if (!text)
        return NULL;
    size_t length = strcspn(text, ",");
    snprintf(word, size, "%.*s", (int)length, text);
    return text + length;
}

int cn_lab_words(const char *command, const char *what, const char *text, cn_word_list list, int indices[CN_LAB_LIST])
{
    int count = 0;
    char word[64];
    if (strcmp(text, "all") == 0) {
        while (count < CN_LAB_LIST && list(count)) {
            indices[count] = count;
            ++count;
        }
        return count;
    }
    for (const char *rest = text; (rest = next_word(rest, word, sizeof word)); rest = *rest ? rest + 1 : NULL) {
        int index = cn_word_find(command, what, word, list);
        if (index < 0)
            return 0;
        if (count == CN_LAB_LIST) {
            cn_complain(command, "more than %d words in \"%s\"", CN_LAB_LIST, text);
            return 0;
        }
        indices[count++] = index;
    }
    return count;
}

int cn_lab_counts(const char *command, const char *option, const char *text, int numbers[CN_LAB_LIST])
{
    const int most = 1000000;
    int count = 0;
    char word[64], *end;
    for (const char *rest = text; (rest = next_word(rest, word, sizeof word)); rest = *rest ? rest + 1 : NULL) {
        long number = strtol(word, &end, 10);
        bool good = *word && !*end && number > 0 && number <= most && count < CN_LAB_LIST;
        if (!good || (count > 0 && number <= numbers[count - 1])) {
            cn_complain(command, "--%s wants growing numbers from 1 to %d such as 15,60,500, not \"%s\"", option, most, text);
            return 0;
        }
        numbers[count++] = (int)number;
    }
    return count;
}

// ---- Solves

static const char *order_word(int index)
{
    static const char *const words[] = {
        [CN_ORDER_GIVEN] = "given", [CN_ORDER_PRIORITISED] = "prioritised", [CN_ORDER_REVERSED] = "reversed"
    };
    return index < CN_SWEEP_ORDER_COUNT ? words[index] : NULL;
}

static const char *local_word(int index)
{
    static const char *const words[] = { [CN_LOCAL_EXACT] = "exact", [CN_LOCAL_CLIPPED] = "clipped" };
    return index < CN_LOCAL_SOLVER_COUNT ? words[index] : NULL;
}

cn_lab_choice cn_lab_choice_default(void)
{
    cn_lab_options options = cn_lab_options_default();
    return (cn_lab_choice){ options, (int)options.law, (int)options.order, (int)options.local };
}

void cn_lab_choice_options(cn_lab_choice *choice, cn_option *options)
{
    cn_lab_options *o = &choice->options;
    const cn_option all[CN_LAB_CHOICE_OPTIONS] = {
        { "tolerance", CN_OPTION_REAL, &o->tolerance, "T", 0, 1, NULL,
          "Solve until the residual is at most T (default 1e-8)." },
        { "max-iterations", CN_OPTION_INT, &o->max_iterations, "N", 1, 100000000, NULL,
          "Give up after N iterations instead of the solver's own number." },
        { "law", CN_OPTION_CHOICE, &choice->law, "LAW", 0, 0, cn_law_name, "How contacts slip (default coulomb)." },
        { "relaxation", CN_OPTION_REAL, &o->relaxation, "W", 0.001, 1.999, NULL,
          "Sweeps: the part of every change that is made, instead of the solver's own." },
        { "order", CN_OPTION_CHOICE, &choice->order, "ORDER", 0, 0, order_word,
          "Sweeps: which contacts go first (default given)." },
        { "local", CN_OPTION_CHOICE, &choice->local, "METHOD", 0, 0, local_word,
          "block_pgs: solve one contact exactly, or as a ball joint clipped to its cone (default exact)." },
        { "friction-after", CN_OPTION_FLAG, &o->friction_after, NULL, 0, 0, NULL,
          "pgs: all normals first, then all friction, instead of contact by contact." },
        { "group-size", CN_OPTION_INT, &o->group_size, "N", 1, 1000000, NULL,
          "block_mass_split: contacts per group (default 8)." },
        { "group-sweeps", CN_OPTION_INT, &o->group_sweeps, "N", 1, 100000, NULL,
          "block_mass_split: sweeps in a group per iteration (default 1)." },
        { "directions", CN_OPTION_INT, &o->directions, "N", 4, 64, NULL,
          "lemke: edges of the pyramid that stands for the friction cone, an even number (default 8)." },
    };
    for (int i = 0; i < CN_LAB_CHOICE_OPTIONS; ++i)
        options[i] = all[i];
}

cn_lab_options cn_lab_chosen(const cn_lab_choice *choice)
{
    cn_lab_options options = choice->options;
    options.law = (cn_law)choice->law;
    options.order = (cn_sweep_order)choice->order;
    options.local = (cn_local_solver)choice->local;
    return options;
}

double *cn_lab_impulses(const cn_problem *problem) { return calloc((size_t)problem->row_count + 1, sizeof(double)); }

cn_lab_report cn_lab_try(cn_lab_case *c, int solver, const cn_lab_options *options, double *r, cn_message *reason)
{
    cn_lab_report report = cn_lab_solve(c->problem, cn_lab_solver_name(solver), options, r);
    cn_message_set(reason, "%s", "");
    if (report.stop == CN_STOP_REFUSED)
        cn_lab_fail(reason, "");
    return report;
}

static void set_measures(json_t *object, const cn_residual *residual)
{
    cn_json_number(object, "residual", residual->value);
    cn_json_number(object, "worst", residual->worst);
    json_object_set_new(object, "worst_block", json_integer(residual->worst_block));
    cn_json_number(object, "approach", residual->approach);
    cn_json_number(object, "negative_impulse", residual->negative_impulse);
    cn_json_number(object, "cone", residual->cone);
    cn_json_number(object, "gap", residual->gap);
    cn_json_number(object, "direction", residual->direction);
    cn_json_number(object, "energy", residual->energy);
}

json_t *cn_lab_report_json(const cn_lab_case *c, int solver, cn_law law, const cn_lab_report *report, const cn_message *reason)
{
    json_t *object = json_object();
    json_object_set_new(object, c->step > 0 ? "scene" : "file", json_string(c->name));
    if (c->step > 0)
        json_object_set_new(object, "step", json_integer(c->step));
    json_object_set_new(object, "kind", json_string(cn_problem_kind_name((int)c->info.kind)));
    json_object_set_new(object, "contacts", json_integer(c->info.contacts));
    json_object_set_new(object, "rows", json_integer(c->problem->row_count));
    json_object_set_new(object, "solver", json_string(cn_lab_solver_name(solver)));
    json_object_set_new(object, "law", json_string(cn_law_name((int)law)));
    json_object_set_new(object, "converged", json_boolean(report->converged));
    json_object_set_new(object, "stop", json_string(cn_lab_stop_name((int)report->stop)));
    json_object_set_new(object, "iterations", json_integer(report->iterations));
    json_object_set_new(object, "products", json_integer(report->products));
    cn_json_number(object, "ms", report->ms);
    if (report->stop == CN_STOP_REFUSED) {
        json_object_set_new(object, "residual", json_null());
        json_object_set_new(object, "reason", json_string(reason->text));
    } else {
        set_measures(object, &report->residual);
    }
    return object;
}
