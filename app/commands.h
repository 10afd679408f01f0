// The subcommands. Each reads its own command line (argv[0] is its name) and answers the exit status:
// 0 done and in bounds, 1 ran but a bound was missed, 2 wrong use or bad input,
// CN_STATUS_INTERRUPTED (interrupt.h) ended early by a signal.
#ifndef CAIRN_APP_COMMANDS_H
#define CAIRN_APP_COMMANDS_H

int cn_command_scenes(int argc, char **argv);
int cn_command_run(int argc, char **argv);
int cn_command_bench(int argc, char **argv);
int cn_command_quality(int argc, char **argv);
int cn_command_solvers(int argc, char **argv);
int cn_command_lab(int argc, char **argv);
int cn_command_info(int argc, char **argv);
int cn_command_view(int argc, char **argv);
int cn_command_render(int argc, char **argv);

#endif
