// Files that appear complete or not at all: written under another name, then renamed. And names for temporary ones.
#ifndef CAIRN_APP_WHOLE_FILE_H
#define CAIRN_APP_WHOLE_FILE_H

#include "words.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct cn_whole_file {
    FILE *file; // write here
    const char *path;
    char *part; // the name it has until it is complete; NULL when written in place, as devices and links are
} cn_whole_file;

// False with the reason in `error`; then there is nothing to close.
bool cn_whole_file_open(cn_whole_file *whole, const char *path, cn_message *error);
// Completes the file and gives it its name. False when any part of it could not be written; then it is removed.
bool cn_whole_file_keep(cn_whole_file *whole, cn_message *error);
// Removes what was written; what stood under that name before stays. Harmless after the file was kept.
void cn_whole_file_drop(cn_whole_file *whole);

// A name for mkstemp or mkdtemp in the folder for temporary files.
void cn_temporary_template(char *path, size_t size, const char *what);

#endif
