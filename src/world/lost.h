// Bodies that the solver lost: their motion was not finite.
#ifndef CN_LOST_H
#define CN_LOST_H

#include "world/world.h"

// What became of a body in a step.
typedef enum cn_fate {
    CN_MOVED,
    CN_HELD_BACK, // it was faster than anything may be, and goes on as fast as that
    CN_LOST,      // its motion was not finite, and it was stopped
    CN_LOST_AGAIN, // as in the step before: it goes on as if nothing pushed it
} cn_fate;

// By index in world->awake: contacts and joints of lost bodies forget their forces, and the report names them; contacts of bodies that
// were held back, and all joints, do where a force is not finite.
void cn_catch_lost_bodies(cn_world *world, const cn_solve_input *input, const uint8_t *fates);

// Nothing of the last step is carried over to the next.
void cn_patch_forget_forces(cn_patch *patch);
// Whether the forces are.
bool cn_patch_is_finite(const cn_patch *patch);
bool cn_joint_is_finite(const cn_joint *joint); // and all that can be asked of it

// Whether everything that can be asked of the world is a finite number; if not, cn_last_error() says what is not. For tests: it
// looks at all bodies, shapes, contacts, joints and events.
bool cn_world_is_finite(const cn_world *world);

#endif
