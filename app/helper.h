// Programs beside this one that know a library each for files of others. On damaged files such a library can crash, take all
// memory there is, or never come to an end; none of it reaches this program.
#ifndef CAIRN_APP_HELPER_H
#define CAIRN_APP_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct cn_helper {
    const char *program;   // its name, in the folder of this one
    const char *missing;   // what to say when it is not there
    const char *damaged;   // what to say when it did not end by itself
    unsigned most_seconds; // of processor time
    size_t most_memory;    // bytes
} cn_helper;

// Runs `PROGRAM WORD PATH` with the given standard input (NULL: ours) and output. False, with cn_last_error() that names the
// path, when it fails.
bool cn_helper_run(const cn_helper *helper, const char *word, const char *path, FILE *in, FILE *out);
// The whole of a file, from its start. Ends with a zero. NULL when memory or the disk fails.
char *cn_helper_load(FILE *file, size_t *length);

#endif
