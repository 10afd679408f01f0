// The format of our own: everything a problem can be, to the last bit.
#ifndef CN_PROBLEM_OWN_H
#define CN_PROBLEM_OWN_H

#include "cairn/problem_file.h"
#include "io/problem_scan.h"

#include <stdio.h>

#define CN_OWN_WORD "cairn-problem" // how such a file begins

void cn_put_own(FILE *file, const cn_problem *problem);
// NULL with the error of the scanner.
cn_problem *cn_scan_own(cn_scanner *scanner, const cn_allocator *allocator, cn_problem_info *info);

#endif
