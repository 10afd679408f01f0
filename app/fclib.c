#define _POSIX_C_SOURCE 200809L // mkstemp

#include "fclib.h"

#include "base/error.h"
#include "helper.h"
#include "io/regular_file.h"
#include "process.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cn_fclib_is(const char *path)
{
    static const unsigned char magic[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char bytes[8];
    FILE *file = cn_regular_file_open(path);
    bool same = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes && memcmp(bytes, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return same;
}

bool cn_fclib_is_name(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return (length >= 5 && strcmp(path + length - 5, ".hdf5") == 0) || (length >= 3 && strcmp(path + length - 3, ".h5") == 0);
}

static const cn_helper hdf5 = {
    .program = "cairn-fclib",
    .missing = "this program was built without HDF5",
    .damaged = "the file is damaged: the HDF5 library failed on it",
    .most_seconds = 20,
    .most_memory = 2000000000,
};

// ---- Reading and writing

// The text is ours, so its lines mean nothing to the user.
static void fail_without_line(const char *path)
{
    char reason[512];
    const char *line = strstr(cn_last_error(), "line "), *colon = line ? strstr(line, ": ") : NULL;
    snprintf(reason, sizeof reason, "%s", colon ? colon + 2 : cn_last_error());
    cn_fail("%s: %s", path, reason);
}

cn_problem *cn_fclib_read(const char *path, cn_problem_info *info)
{
    FILE *out = tmpfile();
    size_t length = 0;
    cn_problem *problem = NULL;
    if (cn_helper_run(&hdf5, "read", path, NULL, out)) {
        char *text = cn_helper_load(out, &length);
        problem = text ? cn_problem_parse(text, length, CN_PROBLEM_ANY, NULL, info) : NULL;
        if (!text)
            cn_fail("%s: %s", path, strerror(errno));
        else if (!problem)
            fail_without_line(path);
        free(text);
    }
    if (out)
        fclose(out);
    return problem;
}

// A contact in the plane has a second tangent here, and none there.
bool cn_fclib_read_guess(const char *path, int number, int dimension, int count, double *r)
{
    char verb[16];
    size_t length = 0;
    FILE *out = tmpfile();
    if (!cn_fclib_is(path)) {
        if (out)
            fclose(out);
        return cn_fail("%s: this is no HDF5 file, and has no guesses", path);
    }
    snprintf(verb, sizeof verb, "guess%d", number);
    bool good = cn_helper_run(&hdf5, verb, path, NULL, out);
    char *text = good ? cn_helper_load(out, &length) : NULL, *at = text;
    int stored = text ? (int)strtol(at, &at, 10) : 0, rows = dimension == 2 ? count / 3 * 2 : count;
    if (text && stored != rows)
        good = cn_fail("%s: guess %d has %d numbers; the problem needs %d", path, number, stored, rows);
    for (int i = 0; text && good && i < count; ++i)
        r[i] = dimension == 2 && i % 3 == 2 ? 0.0 : strtod(at, &at);
    free(text);
    if (out)
        fclose(out);
    return good && text;
}

static bool append(FILE *file, const char *word, const double *r, int count)
{
    fprintf(file, "%s %d\n", word, count);
    for (int i = 0; i < count; ++i)
        fprintf(file, "%.17g\n", r[i]);
    return ferror(file) == 0;
}

// Impulses stand behind the problem, where readers of problems look no more.
static bool append_impulses(const char *path, const double *r, const double *guess, int count)
{
    FILE *file = fopen(path, "ab");
    bool good = file && (!r || append(file, "solution", r, count)) && (!guess || append(file, "guess", guess, count));
    good = file && fclose(file) == 0 && good;
    return good || cn_fail("%s: %s", path, strerror(errno));
}

bool cn_fclib_write(const char *path, const cn_problem *problem, const double *r, const double *guess)
{
    char text_path[CN_PROCESS_PATH];
    cn_temporary_template(text_path, sizeof text_path, "problem");
    int descriptor = mkstemp(text_path);
    if (descriptor < 0)
        return cn_fail("%s: %s: %s", path, text_path, strerror(errno));
    close(descriptor);
    FILE *text = NULL, *out = tmpfile();
    cn_whole_file whole;
    bool good = cn_problem_write(text_path, problem, CN_PROBLEM_ANY) &&
                append_impulses(text_path, r, guess, problem->row_count) && (text = fopen(text_path, "rb")) &&
                cn_whole_file_begin(&whole, path);
    if (good) {
        good = cn_helper_run(&hdf5, "write", whole.part[0] ? whole.part : path, text, out) && cn_whole_file_finish(&whole);
        cn_whole_file_drop(&whole);
    }
    if (text)
        fclose(text);
    if (out)
        fclose(out);
    unlink(text_path);
    return good;
}
