// From bodies to contacts: M v = H r + f, u = H' v + w becomes u = W r + q with W = H' M^-1 H and q = H' M^-1 f + w.
#ifndef CN_CONDENSE_H
#define CN_CONDENSE_H

#include "cairn/model.h"
#include "model/sparse.h"

// As files give it. M falls into parts that nothing couples (bodies, as a rule), each of which is factorised on its own.
typedef struct cn_global_problem {
    cn_sparse mass;      // M, square
    cn_sparse jacobian;  // H: a row per velocity, a column per row of a contact
    const double *force; // f, per velocity
    const double *bias;  // w, per column of H
} cn_global_problem;

enum { CN_CONDENSE_ROWS = 2000 };       // of M, coupled to each other, at most: they are factorised densely
enum { CN_CONDENSE_ENTRIES = 1 << 24 }; // of W, or blocks when there are bodies, at most

// W and q. False, with cn_last_error(), when M is singular or a limit above is exceeded.
bool cn_condense(const cn_global_problem *global, cn_arena *arena, cn_sparse *w, double *q);

// The same as bodies and contacts with Jacobians: possible when the parts of M fit into bodies of six velocities and no contact
// acts on more than two. Three rows per contact. `done` says whether it was possible; if not, the problem is as it was. False
// as above.
bool cn_condense_to_bodies(const cn_global_problem *global, const double *friction, cn_problem *problem, bool *done);

#endif
