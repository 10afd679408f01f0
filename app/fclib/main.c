// cairn-fclib: contact problems between HDF5 files and text. `cairn lab` calls it.
#include "file.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_FAILED = 1, STATUS_USAGE = 2 };

// All of standard input. Ends with a zero. NULL when memory fails.
static char *read_all(size_t *length)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text) {
        *length += fread(text + *length, 1, capacity - *length - 1, stdin);
        if (*length < capacity - 1)
            break;
        char *more = realloc(text, capacity *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        text[*length] = '\0';
    return text;
}

static bool write_file(const char *path)
{
    size_t length;
    char *text = read_all(&length);
    cn_problem *problem = text ? cn_problem_parse(text, length, CN_PROBLEM_ANY, NULL, NULL) : NULL;
    bool good = problem && cn_fclib_write_file(path, problem);
    cn_problem_destroy(problem);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    bool reads = argc == 3 && strcmp(argv[1], "read") == 0;
    if (!reads && !(argc == 3 && strcmp(argv[1], "write") == 0)) {
        fputs("usage: cairn-fclib read FILE.hdf5 > TEXT, or cairn-fclib write FILE.hdf5 < TEXT\n", stderr);
        return STATUS_USAGE;
    }
    bool good = reads ? cn_fclib_to_text(argv[2], stdout) && fflush(stdout) == 0 : write_file(argv[2]);
    if (!good)
        fputs(cn_last_error(), stderr);
    return good ? 0 : STATUS_FAILED;
}
