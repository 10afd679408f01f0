// What the files of continuous collision share: who is fast, and the search for what a fast body meets.
#ifndef CN_IMPACTS_H
#define CN_IMPACTS_H

#include "world/meeting.h"

typedef struct cn_stop {
    int body;       // index into world->awake
    float fraction; // of its path; 1: all of it
    bool fresh;     // what comes behind it has not been looked at since it was stopped there
    cn_turn *turns; // of its path
    int turn_count;
    float spin; // the most it turns per step in any of them, rad
} cn_stop;

typedef struct cn_impact_job {
    const cn_world *world;
    const cn_motion *motions; // per awake body
    const cn_solve_input *input;
    int awake_count;
    cn_stop *fast; // the bodies that are fast
    int fast_count;
    int *rank;   // per awake body: its place in `fast`, or CN_NONE
    bool behind; // the second look: at what comes behind those that were stopped
} cn_impact_job;

typedef struct cn_impact_search {
    const cn_impact_job *job;
    const cn_body *body;
    const cn_shape *shape;
    cn_path path;
    cn_stop *stop;
    bool fast_only;         // shapes that are not fast themselves are left alone
    bool touching;          // the pair that is looked at has contact points, which the solver has seen
    const cn_shape *judged; // the shape that was looked at last, and what came of it
    bool looked_after;
} cn_impact_search;

// Calls `visit` for all pairs of a shape of the body with one that it may meet on its way: those it has a contact with, and
// when it left the boxes it was expected in, what else is on its path.
typedef void cn_pair_visit(void *context, const cn_shape *mine, const cn_shape *other);

cn_path cn_impact_path(const cn_impact_job *job, int body); // impact_search.c
cn_impact_search cn_impact_search_for(const cn_impact_job *job, cn_stop *place);
void cn_impact_meet(cn_impact_search *s, const cn_shape *other); // lowers the fraction of its stop
void cn_visit_impact_pairs(cn_impact_search *s, cn_pair_visit *visit, void *context);
void cn_place_shapes_again(cn_world *world, int body);          // after a body was put elsewhere at the end of a step
void cn_take_others_along(cn_world *world, cn_impact_job *job); // carry.c: what fast kinematic bodies meet

#endif
