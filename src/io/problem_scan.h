// Numbers and words out of a text, with the line for whoever has to find a mistake. Everything is separated by white space.
#ifndef CN_PROBLEM_SCAN_H
#define CN_PROBLEM_SCAN_H

#include "cairn/base.h"

#include <stddef.h>

typedef struct cn_scanner {
    const char *at, *end;
    int line;
    char error[200]; // "line 12: ...", once something has failed
} cn_scanner;

cn_scanner cn_scanner_make(const char *text, size_t length);
// Sets the error, with the line. Always false.
bool cn_scan_fail(cn_scanner *scanner, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Each says in the error what was wanted. Numbers are finite, and rounded as IEEE 754 wants whatever the locale is.
bool cn_scan_number(cn_scanner *scanner, const char *what, double *value);
bool cn_scan_numbers(cn_scanner *scanner, const char *what, double *values, int count);
bool cn_scan_int(cn_scanner *scanner, const char *what, int least, int most, int *value); // a comma may follow
bool cn_scan_word(cn_scanner *scanner, const char *word);                                 // this very one
// Whether that word comes next, or whether nothing does.
bool cn_scan_next_is(cn_scanner *scanner, const char *word);
bool cn_scan_at_end(cn_scanner *scanner);
// To the next word that contains `part`. False, without an error, when there is none.
bool cn_scan_skip_to(cn_scanner *scanner, const char *part);
void cn_scan_line(cn_scanner *scanner); // to the end of the line

// Whether the rest of the text can hold so many numbers: asked before memory is taken for them.
bool cn_scan_room(cn_scanner *scanner, const char *what, int64_t count);

#endif
