// cairn lab capture: the contact problem of one step of a scene, as a file.
#include "fclib.h"
#include "lab_commands.h"
#include "lab_common.h"

#include <stdio.h>
#include <string.h>

#define COMMAND "lab capture"

typedef struct capture {
    cn_settings settings;
    const cn_scene *scene;
    int step, island, kind; // the island is -1 for all of them
    const char *out_path;
    bool json;
} capture;

static bool write_problem(const capture *a, const cn_problem *problem, cn_message *error)
{
    bool written = cn_fclib_is_name(a->out_path) ? cn_fclib_write(a->out_path, problem, NULL, NULL)
                                                 : cn_problem_write(a->out_path, problem, (cn_problem_kind)a->kind);
    return written || cn_lab_fail(error, a->out_path);
}

static bool keep_island(cn_lab_case *c, int number, cn_message *error)
{
    cn_problem *part = cn_lab_island(c->problem, number);
    if (!part)
        return cn_message_set(error, "%s has no island %d in step %d; they count from 0, the largest", c->name, number,
                              c->step);
    cn_problem_destroy(c->problem);
    c->problem = part;
    c->info.contacts = cn_lab_contacts(part);
    return true;
}

static void print_result(const capture *a, const cn_lab_case *c)
{
    const cn_problem *p = c->problem;
    if (!a->json) {
        int others = p->block_count - c->info.contacts;
        char joints[48] = "";
        if (others > 0)
            snprintf(joints, sizeof joints, " and %d block%s of joints", others, others == 1 ? "" : "s");
        printf("%s, step %d: %d contacts%s between %d bodies, %d rows, in %s\n", c->name, c->step, c->info.contacts, joints,
               p->body_count, p->row_count, a->out_path);
        return;
    }
    json_t *object =
        json_pack("{s:s, s:i, s:s, s:i, s:i, s:i, s:i}", "scene", c->name, "step", c->step, "file", a->out_path, "contacts",
                  c->info.contacts, "blocks", p->block_count, "rows", p->row_count, "bodies", p->body_count);
    json_object_set_new(object, "island", a->island >= 0 ? json_integer(a->island) : json_null());
    cn_json_print(object);
}

static int capture_step(const capture *a)
{
    cn_lab_case c;
    cn_message error;
    bool good = cn_lab_capture(&c, a->scene, &a->settings, a->step, &error) &&
                (a->island < 0 || keep_island(&c, a->island, &error)) && write_problem(a, c.problem, &error);
    if (good)
        print_result(a, &c);
    else
        cn_complain(COMMAND, "%s", error.text);
    cn_lab_close(&c);
    return good ? 0 : 2;
}

int cn_command_lab_capture(int argc, char **argv)
{
    capture a = { .settings = cn_settings_default(), .island = -1 };
    a.settings.dt = 0.0; // that of the scene
    const char *name = NULL;
    enum { OWN = 5 };
    cn_option options[OWN + CN_SETTINGS_OPTIONS] = {
        { "step", CN_OPTION_INT, &a.step, "N", 1, 10000000, NULL,
          "Which step, the first being 1 (default 60, or the scene's own)." },
        { "out", CN_OPTION_TEXT, &a.out_path, "FILE", 0, 0, NULL,
          "Where to write it: in FCLIB's HDF5 when FILE ends in .hdf5 or .h5, else as text." },
        { "kind", CN_OPTION_CHOICE, &a.kind, "KIND", 0, 0, cn_problem_kind_name,
          "Text: in which form (default any: one of Siconos' where that can hold the problem, else our own, cairn)." },
        { "island", CN_OPTION_INT, &a.island, "I", 0, 10000000, NULL,
          "Only the bodies that hang together by touching; number 0 has the most contacts (default: all)." },
        { "json", CN_OPTION_FLAG, &a.json, NULL, 0, 0, NULL, "Print one JSON object on one line." },
    };
    cn_settings_options(&a.settings, options + OWN);
    const cn_usage usage = {
        COMMAND,
        "SCENE",
        1,
        "Runs a scene to a step and writes the contact problem of that step, as `cairn lab solve` reads it.\n"
        "SCENE is one of `cairn scenes`, one of the small ones that `cairn lab --help` lists, or a file that ends in .json.",
        "  cairn lab capture tower20 --step 60 --out tower.dat\n"
        "  cairn lab capture pile --step 45 --island 0 --out pile.dat\n"
        "  cairn lab capture shapes --step 120 --solver pgs --threads 2 --out shapes.dat\n",
        options,
        OWN + CN_SETTINGS_OPTIONS
    };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!name)
        return cn_complain(COMMAND, "which scene? usage: cairn lab capture SCENE --step N --out FILE");
    a.scene = cn_lab_scene_open(COMMAND, name, &a.settings);
    if (!a.scene)
        return 2;
    if (a.step == 0)
        a.step = cn_lab_scene_step(a.scene);
    int status =
        a.out_path ? capture_step(&a) : cn_complain(COMMAND, "where to? usage: cairn lab capture SCENE --step N --out FILE");
    cn_scene_close(a.scene);
    return status;
}
