// Contact problems in files, in the text formats that contact mechanics exchanges its test problems in (those of Siconos; see
// docs/problem-files.md).
#ifndef CAIRN_PROBLEM_FILE_H
#define CAIRN_PROBLEM_FILE_H

#include "cairn/model.h"

typedef enum cn_problem_kind {
    CN_PROBLEM_ANY,      // reading: whichever the numbers fit
    CN_PROBLEM_FRICTION, // W, q, mu: a reduced friction problem, in 2D or 3D
    CN_PROBLEM_GLOBAL,   // M, H, f, w, mu: bodies and Jacobians; condensed when it is read
    CN_PROBLEM_LCP,      // linear complementarity
    CN_PROBLEM_MLCP,     // mixed: with equalities
    CN_PROBLEM_RELAY,    // linear complementarity between finite bounds
    CN_PROBLEM_CAIRN,    // our own: whatever a problem can be, to the last bit
    CN_PROBLEM_KIND_COUNT
} cn_problem_kind;
CN_API const char *cn_problem_kind_name(int kind); // "any", "friction" and so on; NULL past the end

typedef struct cn_problem_info {
    cn_problem_kind kind; // what the file holds
    int dimension;        // 2 or 3 for friction; 0 else
    int contacts;         // or rows, for linear complementarity
} cn_problem_info;

// Reads a problem from memory or from a file. A contact in the plane becomes one in space whose second tangent nothing moves.
// NULL, with the line and what is wrong with it in cn_last_error(), when the text is not a problem. `info` may be NULL.
CN_API cn_problem *cn_problem_parse(const char *text, size_t length, cn_problem_kind kind, const cn_allocator *allocator,
                                    cn_problem_info *info);
CN_API cn_problem *cn_problem_read(const char *path, cn_problem_kind kind, const cn_allocator *allocator,
                                   cn_problem_info *info);

// Writes a problem. Reading gives it back to the last bit, or to rounding when it is written with its bodies: files hold
// masses, not their inverses. Kind CN_PROBLEM_ANY: the global form when the problem has bodies and contacts alone, else reduced
// friction, LCP, MLCP or relay as its blocks are, and our own format where none of these can say what the problem holds
// (softness, some bounds, several kinds of blocks). False, with cn_last_error(), when the format asked for cannot, or the file
// cannot be written; a file of that name then stays as it was.
CN_API bool cn_problem_write(const char *path, const cn_problem *problem, cn_problem_kind kind);

#endif
