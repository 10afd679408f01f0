// Problems from the matrices and vectors that files hold, whatever the form of the file.
#ifndef CN_PROBLEM_BUILD_H
#define CN_PROBLEM_BUILD_H

#include "cairn/problem_file.h"
#include "model/condense.h"

// Each returns NULL with cn_last_error() when the numbers are no problem.

// W with `dimension` rows per contact (2 or 3), q per row, mu per contact.
cn_problem *cn_build_friction(const cn_allocator *allocator, int dimension, int contact_count, const cn_sparse *w,
                              const double *q, const double *mu);
// Bodies where they can be told from M and H, else the condensed matrix.
cn_problem *cn_build_global(const cn_allocator *allocator, int dimension, int contact_count, const cn_global_problem *global,
                            const double *mu);
// Rows that are equalities, or else complementary; between bounds unless these are NULL.
cn_problem *cn_build_lcp(const cn_allocator *allocator, const cn_sparse *m, const double *q, const bool *equality,
                         const double *lower, const double *upper);

#endif
