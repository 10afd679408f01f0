// Contact problems in HDF5 files, as the library FCLIB of contact mechanics lays them out.
#ifndef CAIRN_APP_FCLIB_H
#define CAIRN_APP_FCLIB_H

#include "cairn/problem_file.h"

// Whether the file begins as HDF5 files do.
bool cn_fclib_is(const char *path);
// Whether a file of this name is to be written in that layout. NULL is not.
bool cn_fclib_is_name(const char *path);
// NULL, with cn_last_error(), when the file cannot be read, or cairn-fclib, which is built where there is HDF5, is not beside this program. `info` may be NULL.
cn_problem *cn_fclib_read(const char *path, cn_problem_info *info);
// With bodies when the problem has them, else its matrix. Contacts only. With the impulses r as its solution, and those of
// `guess` as its only guess, unless they are NULL. False, with cn_last_error(), when it cannot be written.
bool cn_fclib_write(const char *path, const cn_problem *problem, const double *r, const double *guess);
// The impulses of a guess in the file, or of its solution (number 0), as the `count` rows of the problem that is read from it,
// whose contacts have that dimension. False, with cn_last_error(), when it has no such guess, or the guess no such size.
bool cn_fclib_read_guess(const char *path, int number, int dimension, int count, double *r);

#endif
