// cairn-fclib: contact problems between HDF5 files and text. `cairn lab` calls it.
#include "file.h"

#include "base/error.h"

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

// The impulses that stand behind a word and their number, behind the problem. NULL when there are none.
static double *find_impulses(const char *text, const char *word, int count)
{
    const char *found = strstr(text, word);
    char *at;
    if (!found || strtol(found + strlen(word), &at, 10) != count)
        return NULL;
    double *r = calloc((size_t)count + 1, sizeof *r);
    for (int i = 0; r && i < count; ++i)
        r[i] = strtod(at, &at);
    return r;
}

static bool write_file(const char *path)
{
    size_t length;
    char *text = read_all(&length);
    cn_problem *problem = text ? cn_problem_parse(text, length, CN_PROBLEM_ANY, NULL, NULL) : NULL;
    double *r = problem ? find_impulses(text, "\nsolution ", problem->row_count) : NULL;
    double *guess = problem ? find_impulses(text, "\nguess ", problem->row_count) : NULL;
    bool good = problem && cn_fclib_write_file(path, problem, r, guess);
    cn_problem_destroy(problem);
    free(guess);
    free(r);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    int number;
    bool reads = argc == 3 && strcmp(argv[1], "read") == 0, guesses = argc == 3 && sscanf(argv[1], "guess%d", &number) == 1;
    if (!reads && !guesses && !(argc == 3 && strcmp(argv[1], "write") == 0)) {
        fputs("usage: cairn-fclib read FILE.hdf5 > TEXT, cairn-fclib guessN FILE.hdf5 > TEXT, or cairn-fclib write FILE.hdf5 < "
              "TEXT\n",
              stderr);
        return STATUS_USAGE;
    }
    bool good = guesses ? cn_fclib_guess_to_text(argv[2], number, stdout)
                : reads ? cn_fclib_to_text(argv[2], stdout)
                        : write_file(argv[2]);
    good = good && (fflush(stdout) == 0 || cn_fail("the text could not be written"));
    if (!good)
        fputs(cn_last_error(), stderr);
    return good ? 0 : STATUS_FAILED;
}
