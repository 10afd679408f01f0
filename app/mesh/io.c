#define _XOPEN_SOURCE 700 // realpath

#include "io.h"

#include "base/error.h"
#include "io/regular_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PATH_MAX <= sizeof(((cn_model_io *)0)->folder), "realpath() needs the room");

static FILE *stream(struct aiFile *file) { return (FILE *)(void *)file->UserData; }

static size_t read_items(struct aiFile *file, char *bytes, size_t size, size_t count)
{
    return fread(bytes, size, count, stream(file));
}

static size_t write_nothing(struct aiFile *file, const char *bytes, size_t size, size_t count)
{
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file) { return (size_t)ftell(stream(file)); }

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    int from = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    return fseek(stream(file), (long)offset, from) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static size_t measure(struct aiFile *file)
{
    long at = ftell(stream(file)), size = fseek(stream(file), 0, SEEK_END) == 0 ? ftell(stream(file)) : 0;
    return fseek(stream(file), at, SEEK_SET) == 0 && size > 0 ? (size_t)size : 0;
}

static void flush_nothing(struct aiFile *file) { (void)file; }

static bool is_allowed(cn_model_io *place, const char *name)
{
    char path[PATH_MAX];
    size_t length = strlen(place->folder);
    if (realpath(name, path) == NULL)
        return false;
    bool inside = strncmp(path, place->folder, length) == 0 && (path[length] == '/' || length == 1);
    if (inside || strcmp(path, place->model) == 0)
        return true;
    snprintf(place->refused, sizeof place->refused, "%s", name);
    return false;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
    cn_model_io *place = (cn_model_io *)(void *)io->UserData;
    FILE *opened = mode[0] == 'r' && is_allowed(place, name) ? cn_regular_file_open(name) : NULL;
    struct aiFile *file = opened != NULL ? malloc(sizeof *file) : NULL;
    if (file != NULL)
        *file = (struct aiFile){ read_items, write_nothing, tell, measure, seek, flush_nothing, (aiUserData)(void *)opened };
    else if (opened != NULL)
        fclose(opened);
    return file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    fclose(stream(file));
    free(file);
}

bool cn_model_io_open(cn_model_io *place, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    *place = (cn_model_io){ .io = { open_file, close_file, (aiUserData)(void *)place } };
    int length = slash == NULL ? 0 : (int)(slash - path) + 1;
    if (length >= PATH_MAX)
        return cn_fail("%s", strerror(ENAMETOOLONG));
    snprintf(folder, sizeof folder, "%.*s", length, length > 0 ? path : "");
    bool found = realpath(path, place->model) != NULL && realpath(length > 0 ? folder : ".", place->folder) != NULL;
    return found || cn_fail("%s", strerror(errno));
}
