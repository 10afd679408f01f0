#include "cairn/base.h"
#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    { "scenes", "list the named scenes, or write one to a text file", cn_command_scenes },
    { "run", "run a scene: summary, recording, plot, page", cn_command_run },
    { "bench", "time a scene, or all of them", cn_command_bench },
    { "quality", "measure how right the engine is: towers, friction, bounces, momentum ...", cn_command_quality },
    { "solvers", "list the solvers", cn_command_solvers },
    { "lab", "contact problems as files, and solvers to compare on them", cn_command_lab },
    { "info", "say what a recording holds, and whether it is intact", cn_command_info },
    { "view", "show a recording, or scenes run live, in a browser", cn_command_view },
    { "render", "draw one frame of a recording or a scene into a picture", cn_command_render },
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static const char *command_name(int index) { return index < COMMAND_COUNT ? commands[index].name : NULL; }

static int print_help(void)
{
    printf("Cairn, a rigid-body dynamics engine: piles stand still, fast, and it tells you how right it is.\n\n"
           "Usage: cairn COMMAND [options]\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; ++i)
        printf("  %-10s%s\n", commands[i].name, commands[i].summary);
    printf("\n`cairn COMMAND --help` explains a command. A first try:\n"
           "  cairn run shapes --plot shapes.svg\n"
           "  cairn quality tower\n"
           "  cairn bench pyramid\n");
    return 0;
}

static int print_version(void)
{
    cn_version version = cn_get_version();
    printf("cairn %d.%d.%d\n", version.major, version.minor, version.patch);
    return 0;
}

static int run_help(int argc, char **argv)
{
    if (argc < 2)
        return print_help();
    int index = cn_word_find("help", "command", argv[1], command_name);
    char help[] = "--help", *arguments[] = { argv[1], argc > 2 ? argv[2] : help, help, NULL };
    return index >= 0 ? commands[index].run(argc > 2 ? 3 : 2, arguments) : 2;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    int index = cn_word_find(NULL, "command", argv[1], command_name);
    return index >= 0 ? commands[index].run(argc - 1, argv + 1) : 2;
}

int main(int argc, char **argv)
{
    cn_output_open();
    int status = cn_output_close(run_command(argc, argv));
    if (status == CN_STATUS_INTERRUPTED)
        cn_interrupt_end();
    return status;
}
