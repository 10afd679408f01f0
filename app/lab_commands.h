// The subcommands of `cairn lab`. As in commands.h, argv[0] is the name of the subcommand.
#ifndef CAIRN_APP_LAB_COMMANDS_H
#define CAIRN_APP_LAB_COMMANDS_H

int cn_command_lab_solve(int argc, char **argv);
int cn_command_lab_compare(int argc, char **argv);
int cn_command_lab_capture(int argc, char **argv);
int cn_command_lab_jitter(int argc, char **argv);
int cn_command_lab_profile(int argc, char **argv);
int cn_command_lab_rigidity(int argc, char **argv);

#endif
