// Shared by the files that lay a step out for the solver: states.c, islands.c, mechanisms.c, colors.c.
#ifndef CN_BUILD_H
#define CN_BUILD_H

#include "base/forest.h"
#include "world/world.h"

typedef struct cn_builder {
    cn_world *world;
    cn_solve_input *input;
    cn_body_mass *masses;
    int body_count;        // awake bodies: states [0, body_count)
    cn_found_patch *found; // by unit after cn_assign_units
    int found_count;
    cn_found_joint *joints; // likewise
    int joint_count;
    bool *pushed, *jointed; // per awake body: by a patch or joint, by a joint
    bool *struck;           // likewise: it may be hit faster than contact forces work
    int *unit_of;           // per awake body
    cn_unit *units;
    int unit_count;
} cn_builder;

// Patches and joints alike: something that ties two bodies.
typedef struct cn_ties {
    const char *first_sides; // the states of the first one
    size_t stride;
    int count;
} cn_ties;
static inline cn_ties cn_patch_ties(const cn_found_patch *patches, int count)
{
    return (cn_ties){ (const char *)patches + offsetof(cn_found_patch, a), sizeof *patches, count };
}
static inline cn_ties cn_joint_ties(const cn_found_joint *joints, int count)
{
    return (cn_ties){ (const char *)joints + offsetof(cn_found_joint, a), sizeof *joints, count };
}
typedef struct cn_tie {
    int32_t a, b;
} cn_tie;
static inline cn_tie cn_tie_at(const cn_ties *ties, int i)
{
    return *(const cn_tie *)(const void *)(ties->first_sides + ties->stride * (size_t)i);
}
static inline int cn_pushed_body(cn_tie tie) { return tie.a >= 0 ? tie.a : tie.b; }

static inline void cn_join_ties(int *parent, const cn_ties *ties)
{
    for (int i = 0; i < ties->count; i++) {
        cn_tie tie = cn_tie_at(ties, i);
        if (tie.a >= 0 && tie.b >= 0)
            cn_join(parent, tie.a, tie.b);
    }
}

void cn_allocate_states(cn_builder *b);
int cn_fill_task_count(const cn_builder *b);
void cn_fill_states(cn_builder *b, int task); // states.c: some of the awake bodies
void cn_count_patches(cn_builder *b);         // how many push each body, for mass splitting
void cn_choose_direct(cn_builder *b);         // mechanisms.c: which joints are solved directly
// How fast a body turns that rolls instead of sliding past the other, rad/s; and how many substeps then turn it by little enough in each.
float cn_roll_rate(const cn_world *world, const cn_found_patch *patch);
float cn_substeps_to_roll(float roll_rate, float dt);
void cn_assign_units(cn_builder *b);          // islands.c: sorts the patches by unit
void cn_color_units(cn_builder *b);           // colors.c: sorts them by colour within their unit
void cn_list_bodies(cn_builder *b); // states.c: gives bodies that nothing pushes their states, lists the bodies of each unit

#endif
