#define _POSIX_C_SOURCE 200809L // fdopen

#include "io/regular_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_name(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "no file";
}

FILE *cn_regular_file_open(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe is not waited for
    FILE *file = NULL;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        cn_fail("%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        cn_fail("%s: this is %s, not a file that can be read", path, kind_name(status.st_mode));
    else if ((file = fdopen(descriptor, "rb")) == NULL)
        cn_fail("%s: %s", path, strerror(errno));
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}
