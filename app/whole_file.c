#define _POSIX_C_SOURCE 200809L // lstat

#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PART_ENDING ".part"

static char *part_name(const char *path)
{
    size_t size = strlen(path) + sizeof PART_ENDING;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s" PART_ENDING, path);
    return name;
}

bool cn_whole_file_open(cn_whole_file *whole, const char *path, cn_message *error)
{
    struct stat status;
    *whole = (cn_whole_file){ .path = path };
    bool in_place = lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (!in_place && !(whole->part = part_name(path)))
        return cn_message_set(error, "%s: out of memory", path);
    whole->file = fopen(in_place ? path : whole->part, "wb");
    if (!whole->file) {
        cn_message_set(error, "%s: %s", path, strerror(errno));
        free(whole->part);
        *whole = (cn_whole_file){ 0 };
        return false;
    }
    return true;
}

bool cn_whole_file_keep(cn_whole_file *whole, cn_message *error)
{
    bool written = fflush(whole->file) == 0 && !ferror(whole->file);
    if (written && whole->part)
        written = rename(whole->part, whole->path) == 0;
    if (!written) {
        cn_message_set(error, "%s: %s", whole->path, strerror(errno));
        cn_whole_file_drop(whole);
        return false;
    }
    fclose(whole->file); // everything was flushed
    free(whole->part);
    *whole = (cn_whole_file){ 0 };
    return true;
}

void cn_whole_file_drop(cn_whole_file *whole)
{
    if (whole->file)
        fclose(whole->file);
    if (whole->part)
        remove(whole->part);
    free(whole->part);
    *whole = (cn_whole_file){ 0 };
}

void cn_temporary_template(char *path, size_t size, const char *what)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn-%s-XXXXXX", folder && *folder ? folder : "/tmp", what);
}
