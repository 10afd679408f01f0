// FCLIB's HDF5 files, in a program of their own: on damaged ones the HDF5 library can take all memory there is, or never come
// to an end, and what it is linked against should not weigh on those who have no such files.
#ifndef CAIRN_FCLIB_FILE_H
#define CAIRN_FCLIB_FILE_H

#include "cairn/problem_file.h"

#include <stdio.h>

// Writes the problem in an HDF5 file to `out`, as a text that cn_problem_parse reads. False, with cn_last_error() (read.c).
bool cn_fclib_to_text(const char *path, FILE *out);
// Writes the impulses of a guess in it, or of its solution (number 0): how many, then all of them (read.c).
bool cn_fclib_guess_to_text(const char *path, int number, FILE *out);
// With bodies when the problem has them, else its matrix. Contacts only. With r as its solution and `guess` as its only guess,
// unless they are NULL. False, with cn_last_error(), when it cannot be written (write.c).
bool cn_fclib_write_file(const char *path, const cn_problem *problem, const double *r, const double *guess);

#endif
