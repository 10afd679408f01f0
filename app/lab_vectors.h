// Impulses and velocities of a problem in files of numbers: one block, or one body, per line.
#ifndef CAIRN_APP_LAB_VECTORS_H
#define CAIRN_APP_LAB_VECTORS_H

#include "cairn/problem_file.h"
#include "words.h"

// `remark` is written above them, behind a #; it may be NULL.
bool cn_lab_write_impulses(const char *path, const cn_problem *problem, const double *r, const char *remark, cn_message *error);
// The relative velocities that the impulses lead to, and those of the bodies: six numbers each.
bool cn_lab_write_velocities(const char *path, const cn_problem *problem, const double *r, cn_message *error);
bool cn_lab_write_bodies(const char *path, const cn_problem *problem, const double *r, cn_message *error);
// As many numbers as the problem has rows, besides lines that begin with #.
bool cn_lab_read_impulses(const char *path, int count, double *r, cn_message *error);

// The error of r as Siconos measures it, in which impulses and velocities are added up as numbers: for friction problems |e|
// divided by the largest of |q|, |r| and |u|; for global ones by that of |r| and |u|; for linear complementarity by |q|. NaN
// where Siconos has no such problem (lab_siconos.c).
double cn_siconos_error(const cn_problem *problem, cn_problem_kind kind, const double *r);

#endif
