// What is on its way out: the check that all of it arrives, JSON lines, and the little statistics that several subcommands
// print.
#ifndef CAIRN_APP_OUTPUT_H
#define CAIRN_APP_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// Before anything else: sees to it that no file we open is taken for standard input, output or error because that was closed.
void cn_output_open(void);
// At the very end: sees to it that all that was printed is where it should be. Answers `status`, or 2 after one line on
// standard error.
int cn_output_close(int status);

// Sets a number, or null where JSON has no word for it (infinite, not a number).
void cn_json_number(json_t *object, const char *key, double value);
// Sets a 64-bit hash as 16 hexadecimal digits, since a JSON number would lose bits.
void cn_json_hash(json_t *object, const char *key, uint64_t hash);
// Prints the object on a line of its own, keys in the order they were set, and releases it.
void cn_json_print(json_t *object);

// A list of numbers that grows.
typedef struct cn_series {
    double *values;
    int count, capacity;
} cn_series;

bool cn_series_add(cn_series *series, double value);
void cn_series_free(cn_series *series);
// Mean and quantile of values[first..count); 0 when that is empty. `fraction` 0.5 is the median.
double cn_series_mean(const cn_series *series, int first);
double cn_series_quantile(const cn_series *series, int first, double fraction);
double cn_series_max(const cn_series *series, int first);

// A bar on standard error, drawn only when that is a terminal.
void cn_progress(const char *label, int done, int total);

#endif
