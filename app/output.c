#define _POSIX_C_SOURCE 200809L // isatty, fcntl

#include "output.h"

#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cn_output_open(void)
{
    // A closed one cannot be written to, or read from, as before.
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; ++i)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
            _exit(2);
}

int cn_output_close(int status)
{
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) != 0)
        return cn_complain(NULL, "standard output: %s", strerror(errno));
    return failed ? cn_complain(NULL, "standard output: some of it could not be written") : status;
}

void cn_json_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

void cn_json_hash(json_t *object, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_object_set_new(object, key, json_string(text));
}

void cn_json_print(json_t *object)
{
    json_dumpf(object, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    putchar('\n');
    fflush(stdout);
    json_decref(object);
}

bool cn_series_add(cn_series *series, double value)
{
    if (series->count == series->capacity) {
        int capacity = series->capacity ? 2 * series->capacity : 512;
        double *values = realloc(series->values, (size_t)capacity * sizeof *values);
        if (!values)
            return false;
        series->values = values;
        series->capacity = capacity;
    }
    series->values[series->count++] = value;
    return true;
}

void cn_series_free(cn_series *series)
{
    free(series->values);
    *series = (cn_series){ 0 };
}

double cn_series_mean(const cn_series *series, int first)
{
    double sum = 0.0;
    first = first < 0 ? 0 : first;
    for (int i = first; i < series->count; ++i)
        sum += series->values[i];
    return first < series->count ? sum / (series->count - first) : 0.0;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cn_series_quantile(const cn_series *series, int first, double fraction)
{
    int count = series->count - first;
    if (count <= 0)
        return 0.0;
    double *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted)
        return 0.0;
    memcpy(sorted, series->values + first, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    double value = sorted[(int)(fraction * (count - 1) + 0.5)];
    free(sorted);
    return value;
}

double cn_series_max(const cn_series *series, int first)
{
    double largest = 0.0;
    for (int i = first; i < series->count; ++i)
        largest = fmax(largest, series->values[i]);
    return largest;
}

void cn_progress(const char *label, int done, int total)
{
    enum { WIDTH = 40 };
    if (!isatty(STDERR_FILENO) || total <= 0)
        return;
    if (done >= total) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    int filled = (int)((long)done * WIDTH / total);
    if (done > 0 && filled == (int)((long)(done - 1) * WIDTH / total))
        return; // nothing to redraw
    fprintf(stderr, "\r%-12s [%.*s%*s] %d/%d ", label, filled, "########################################", WIDTH - filled, "",
            done, total);
    fflush(stderr);
}
