// Contact problems in HDF5 files, as the library FCLIB of contact mechanics lays them out.
#ifndef CAIRN_APP_FCLIB_H
#define CAIRN_APP_FCLIB_H

#include "cairn/problem_file.h"

// Whether the file begins as HDF5 files do.
bool cn_fclib_is(const char *path);
// NULL, with cn_last_error(), when the file cannot be read, or cairn-fclib, which is built where there is HDF5, is not beside this program. `info` may be NULL.
cn_problem *cn_fclib_read(const char *path, cn_problem_info *info);
// With bodies when the problem has them, else its matrix. Contacts only. False, with cn_last_error(), when it cannot be
// written.
bool cn_fclib_write(const char *path, const cn_problem *problem);

#endif
