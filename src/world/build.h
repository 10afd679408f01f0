// Shared by the files that lay a step out for the solver: states.c, islands.c, colors.c.
#ifndef CN_BUILD_H
#define CN_BUILD_H

#include "world/world.h"

typedef struct cn_builder {
    cn_world *world;
    cn_solve_input *input;
    cn_body_mass *masses;
    int body_count;        // awake bodies: states [0, body_count)
    cn_found_patch *found; // by unit after cn_assign_units
    int found_count;
    bool *pushed; // per awake body: by a patch
    int *unit_of; // per awake body
    cn_unit *units;
    int unit_count;
} cn_builder;

static inline int cn_pushed_body(const cn_found_patch *patch) { return patch->a >= 0 ? patch->a : patch->b; }

void cn_allocate_states(cn_builder *b);
int cn_fill_task_count(const cn_builder *b);
void cn_fill_states(cn_builder *b, int task); // states.c: some of the awake bodies
void cn_count_patches(cn_builder *b);         // how many push each body, for mass splitting
void cn_assign_units(cn_builder *b);          // islands.c: sorts the patches by unit
void cn_color_units(cn_builder *b);           // colors.c: sorts them by colour within their unit
void cn_list_bodies(cn_builder *b); // states.c: gives bodies that nothing pushes their states, lists the bodies of each unit

#endif
