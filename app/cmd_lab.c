#include "commands.h"
#include "lab_commands.h"
#include "lab_common.h"

#include <stdio.h>
#include <string.h>

static int list_solvers(int argc, char **argv);

typedef struct subcommand {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} subcommand;

static const subcommand subcommands[] = {
    { "solve", "solve problem files with one solver", cn_command_lab_solve },
    { "compare", "run several solvers on a problem: iterations, time, curves", cn_command_lab_compare },
    { "profile", "performance profiles of solvers over a folder of problems", cn_command_lab_profile },
    { "capture", "write the contact problem of one step of a scene", cn_command_lab_capture },
    { "jitter", "kinetic energy of a resting pile over time, solver against solver", cn_command_lab_jitter },
    { "rigidity", "what few sweeps reach against many", cn_command_lab_rigidity },
    { "solvers", "list the solvers of the laboratory", list_solvers },
};

#define SUBCOMMAND_COUNT ((int)(sizeof subcommands / sizeof subcommands[0]))

static const char *subcommand_name(int index) { return index < SUBCOMMAND_COUNT ? subcommands[index].name : NULL; }

static int list_solvers(int argc, char **argv)
{
    bool json = false;
    const cn_option options[] = {
        { "json", CN_OPTION_FLAG, &json, NULL, 0, 0, NULL, "Print one JSON object per solver, each on its own line." },
    };
    const cn_usage usage = {
        "lab solvers",
        "",
        0,
        "Lists the solvers of the laboratory, which work on contact problems in double. Those that step a\n"
        "world are listed by `cairn solvers`.",
        "  cairn lab solvers\n",
        options,
        1
    };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, NULL, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    for (int i = 0; cn_lab_solver_name(i); ++i) {
        if (json)
            cn_json_print(json_pack("{s:s, s:s}", "solver", cn_lab_solver_name(i), "summary", cn_lab_solver_summary(i)));
        else
            printf("%-17s %s\n", cn_lab_solver_name(i), cn_lab_solver_summary(i));
    }
    return 0;
}

static int print_help(void)
{
    printf("Usage: cairn lab SUBCOMMAND [options]\n\n"
           "The laboratory: contact problems as files, sixteen solvers for them, one measure of how right the answer is.\n\n"
           "Subcommands:\n");
    for (int i = 0; i < SUBCOMMAND_COUNT; ++i)
        printf("  %-10s%s\n", subcommands[i].name, subcommands[i].summary);
    printf("\nScenes, besides those of `cairn scenes`:\n");
    for (int i = 0; cn_lab_scene_at(i); ++i)
        if (!cn_scene_at(i))
            printf("  %-10s%s\n", cn_lab_scene_name(i), cn_lab_scene_at(i)->summary);
    printf("\n`cairn lab SUBCOMMAND --help` explains one.\n\nExamples:\n"
           "  cairn lab capture tower20 --out tower.dat\n"
           "  cairn lab solve tower.dat --solver pgs\n"
           "  cairn lab compare tower.dat --solvers all --svg tower.svg\n");
    return 0;
}

int cn_command_lab(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    int index = cn_word_find("lab", "subcommand", argv[1], subcommand_name);
    return index >= 0 ? subcommands[index].run(argc - 1, argv + 1) : 2;
}
