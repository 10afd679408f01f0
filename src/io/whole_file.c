#define _POSIX_C_SOURCE 200809L // lstat, readlink, fsync

#include "io/whole_file.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_PARTS = 1000 };

// Replaces a path in `path` that is a symbolic link by what it leads to. What leads nowhere yet is a path like any other.
static bool follow_links(char path[CN_LONGEST_PATH])
{
    char link[CN_LONGEST_PATH];
    struct stat status;
    for (int i = 0; i < MOST_LINKS; i++) {
        if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
            return true;
        ssize_t length = readlink(path, link, sizeof link);
        char *slash = strrchr(path, '/'), *name = slash != NULL && link[0] != '/' ? slash + 1 : path;
        if (length < 0)
            return false;
        if ((size_t)(name - path) + (size_t)length >= CN_LONGEST_PATH) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(name, link, (size_t)length);
        name[length] = '\0';
    }
    errno = ELOOP;
    return false;
}

// A new file beside the target, of a name that nothing has.
static bool open_part(cn_whole_file *whole)
{
    struct stat status;
    bool exists = stat(whole->target, &status) == 0;
    if (exists && access(whole->target, W_OK) != 0)
        return false;
    for (int i = 0; whole->file == NULL && i < MOST_PARTS; i++) {
        snprintf(whole->part, sizeof whole->part, "%s.part", whole->target);
        if (i > 0)
            snprintf(whole->part, sizeof whole->part, "%s.part%d", whole->target, i);
        whole->file = fopen(whole->part, "wbx");
        if (whole->file == NULL && errno != EEXIST)
            break;
    }
#if !defined(__wasi__) // which knows no permissions
    if (whole->file != NULL && exists)
        chmod(whole->part, status.st_mode & 07777);
#endif
    return whole->file != NULL;
}

// What is no file cannot be replaced, only written to.
static bool is_in_place(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool cn_whole_file_begin(cn_whole_file *whole, const char *path)
{
    *whole = (cn_whole_file){ .path = path };
    size_t length = strlen(path);
    bool fits = length > 0 && length < CN_LONGEST_PATH;
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    if (fits)
        memcpy(whole->target, path, length + 1);
    bool good = fits;
    if (good && is_in_place(path))
        good = (whole->file = fopen(path, "wb")) != NULL;
    else
        good = good && follow_links(whole->target) && open_part(whole);
    if (!good) {
        cn_fail("%s: %s", path, strerror(errno));
        *whole = (cn_whole_file){ 0 };
    }
    return good;
}

static bool fail(const cn_whole_file *whole) { return cn_fail("%s: %s", whole->path, strerror(errno)); }

bool cn_whole_file_finish(cn_whole_file *whole)
{
    bool flushed = fflush(whole->file) == 0, in_place = whole->part[0] == '\0';
    if (flushed && ferror(whole->file))
        errno = EIO; // an earlier error, of which nothing but the fact is known any more
    bool written = (flushed && !ferror(whole->file) && (in_place || fsync(fileno(whole->file)) == 0)) || fail(whole);
    if (fclose(whole->file) != 0 && written)
        written = fail(whole);
    whole->file = NULL;
    if (written && !in_place && rename(whole->part, whole->target) != 0)
        written = fail(whole);
    if (written)
        whole->part[0] = '\0';
    cn_whole_file_drop(whole);
    return written;
}

void cn_whole_file_drop(cn_whole_file *whole)
{
    if (whole->file != NULL)
        fclose(whole->file);
    if (whole->part[0] != '\0')
        remove(whole->part);
    *whole = (cn_whole_file){ 0 };
}
