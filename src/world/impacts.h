// What the files of continuous collision share: who is fast, and the search for what a fast body meets.
#ifndef CN_IMPACTS_H
#define CN_IMPACTS_H

#include "world/meeting.h"

// What a fast body, by its place in `fast`, was found to meet from the side of another one.
typedef struct cn_return_hit {
    int rank;
    float fraction;
} cn_return_hit;

typedef struct cn_stop {
    int body;       // index into world->awake
    float fraction; // of its path; 1: all of it
    cn_vec3 out;    // by which it is taken out of what it met there
    bool fresh;     // what comes behind it has not been looked at since it was stopped there
    bool let_go;    // it would be stopped by what has held it for long
    cn_turn *turns; // of its path
    int turn_count;
    bool round; // they are those of its axis alone
    float spin; // the most it turns per step in any of them, rad
    cn_return_hit *hits; // of fast bodies that come after it, as many as it has contacts at most
    int hit_count;
} cn_stop;

// A body that the solver does not get away from what it is pressed into gives up its speed after so many steps, half of it in
// each that follows: it would only be given more and more. Another dynamic body holds it no longer than that: two that have got
// into each other would hang where they are.
enum { CN_MOST_HELD = 8 };

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
    const cn_contact *contact; // of the pair, if it has one
    bool seen;              // it was looked at before, with the whole path of the other
    bool both;              // pairs of two fast bodies are looked at once, for both of them, by the one that comes first
    bool mine, its;         // of the pair that is looked at: which body may be stopped
    const cn_shape *judged; // the shape that was looked at last, and what came of it
    bool looked_after;
} cn_impact_search;

// Calls `visit` for all pairs of a shape of the body with one that it may meet on its way: those it has a contact with, and
// when it left the boxes it was expected in, what else is on its path.
typedef void cn_pair_visit(void *context, const cn_shape *mine, const cn_shape *other);

cn_path cn_impact_path(const cn_impact_job *job, int body); // impact_search.c
cn_impact_search cn_impact_search_for(const cn_impact_job *job, cn_stop *place);
void cn_impact_meet(cn_impact_search *s, const cn_shape *other); // lowers the fraction of its stop, and keeps the other's for it
void cn_impact_return_hits(cn_impact_job *job);                  // to the others
// Stops it there at the latest, because of the other. False: it is stopped earlier, or the other has held it for long.
bool cn_impact_stop(const cn_impact_job *job, cn_stop *stop, const cn_body *other, float fraction);
void cn_visit_impact_pairs(cn_impact_search *s, cn_pair_visit *visit, void *context);
void cn_prefetch_impacts(const cn_impact_job *job, const cn_stop *stop); // what the search for its pairs begins with
void cn_place_shapes_again(cn_world *world, int body);          // after a body was put elsewhere at the end of a step
void cn_take_others_along(cn_world *world, cn_impact_job *job); // carry.c: what fast kinematic bodies meet

#endif
