// Other programs: finding them, starting them, ending them.
#ifndef CAIRN_APP_PROCESS_H
#define CAIRN_APP_PROCESS_H

#include "words.h"
#include <stdbool.h>
#include <sys/types.h>

#define CN_PROCESS_PATH 4096

// Where this program lies. False when the system does not tell.
bool cn_program_folder(char *folder, size_t size);
// The program by that name in PATH, or the one at that path when there is a slash in it. False when there is none.
bool cn_program_find(const char *name, char path[CN_PROCESS_PATH]);

// Starts a program, which does not hear the signals of our terminal. With a folder, it leaves its temporary files,
// configuration and caches there, what it prints goes to the file CN_PROCESS_LOG in it, and it ends when we do. With NULL it
// keeps the user's own, what it prints is lost, and it lives on. Answers its id, or -1.
#define CN_PROCESS_LOG "printed.txt"
pid_t cn_process_start(char *const *arguments, const char *folder);
// Whether it has ended, and how: its exit status, or 128 and the number of the signal that ended it.
bool cn_process_ended(pid_t id, int *status);
// Ends it and what it started: asks first, then insists.
void cn_process_stop(pid_t id);

#endif
