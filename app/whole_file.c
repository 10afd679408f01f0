#include "whole_file.h"

#include "cairn/base.h"

#include <stdlib.h>

bool cn_whole_file_open(cn_whole_file *whole, const char *path, cn_message *error)
{
    return cn_whole_file_begin(whole, path) || cn_message_set(error, "%s", cn_last_error());
}

bool cn_whole_file_keep(cn_whole_file *whole, cn_message *error)
{
    return cn_whole_file_finish(whole) || cn_message_set(error, "%s", cn_last_error());
}

void cn_temporary_template(char *path, size_t size, const char *what)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn-%s-XXXXXX", folder && *folder ? folder : "/tmp", what);
}
