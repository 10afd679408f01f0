// The boxes in which shapes are expected.
#ifndef CN_BOXES_H
#define CN_BOXES_H

#include "world/world.h"

// Of a body, for the boxes of its shapes.
typedef struct cn_outlook {
    float travel;  // how far any point of it has moved in this step, m
    cn_vec3 ahead; // how far its centre of mass will move in the next one, as far as is known
    float dt;
} cn_outlook;

cn_outlook cn_outlook_of(const cn_body *body, const cn_body_state *state, const cn_body_drive *drive, float dt);
// Makes a box that the shape may fill during the next step, if its old one does not do. True when the box grew.
bool cn_refit_shape(cn_world *world, cn_shape *shape, const cn_body *body, cn_motion *motion, const cn_outlook *out);
// When a step begins: boxes of shapes that are new, or whose velocity the user has set, reach as far as they will move.
void cn_expect_motion(cn_world *world, float dt);

#endif
