// Opening what is to be read. A pipe would make the program wait, a device never ends, and a folder has no bytes.
#ifndef CN_REGULAR_FILE_H
#define CN_REGULAR_FILE_H

#include <stdio.h>

// NULL with the reason in cn_last_error() when the path names no regular file.
FILE *cn_regular_file_open(const char *path);

#endif
