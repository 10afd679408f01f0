// Files that appear complete or not at all, for functions that answer with a message. And names for temporary ones.
#ifndef CAIRN_APP_WHOLE_FILE_H
#define CAIRN_APP_WHOLE_FILE_H

#include "io/whole_file.h"
#include "words.h"

// As cn_whole_file_begin() and cn_whole_file_finish(), with the reason in `error`.
bool cn_whole_file_open(cn_whole_file *whole, const char *path, cn_message *error);
bool cn_whole_file_keep(cn_whole_file *whole, cn_message *error);

// A name for mkstemp or mkdtemp in the folder for temporary files.
void cn_temporary_template(char *path, size_t size, const char *what);

#endif
