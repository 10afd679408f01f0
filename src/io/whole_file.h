// Files that appear complete or not at all: written under another name in the same folder, then renamed.
#ifndef CN_WHOLE_FILE_H
#define CN_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

enum { CN_LONGEST_PATH = 4096 };

typedef struct cn_whole_file {
    FILE *file; // write here
    const char *path;
    char target[CN_LONGEST_PATH]; // what the path means once links are followed
    char part[CN_LONGEST_PATH +
              16]; // the name it has until it is complete; empty when written in place, as devices and pipes are
} cn_whole_file;

// False with the reason in cn_last_error(); then there is nothing to close. The path is not copied.
bool cn_whole_file_begin(cn_whole_file *whole, const char *path);
// Completes the file and gives it its name. False when any part of it could not be written; then it is removed.
bool cn_whole_file_finish(cn_whole_file *whole);
// Removes what was written; what stood under that name before stays. Harmless after the file was finished.
void cn_whole_file_drop(cn_whole_file *whole);

#endif
