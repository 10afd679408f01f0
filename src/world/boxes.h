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

// Of bodies that fly far in a step, pairs are looked for along their way alone, and boxes are made when it is known where they are stopped;
// until then they have those of this step. Whether a fast body is one of them:
bool cn_is_aimed(const cn_world *world, const cn_body *body, const cn_outlook *out);
// Whether a shape left the way it was aimed along, or the box. Its box is that of its path then.
bool cn_follow_shape(const cn_world *world, cn_shape *shape, cn_motion *motion);
// Makes their boxes, among the first `count` awake bodies.
void cn_aim_shapes(cn_world *world, const cn_solve_input *input, const cn_motion *motions, int count);

// When a step begins: boxes of shapes that are new, or whose velocity the user has set, reach as far as they will move.
void cn_expect_motion(cn_world *world, float dt);

#endif
