// Bodies that the solver lost: their motion was not finite.
#ifndef CN_LOST_H
#define CN_LOST_H

#include "world/world.h"

// Contacts and joints of the awake bodies that are marked, by index in world->awake, forget their forces; the report names them.
void cn_catch_lost_bodies(cn_world *world, const bool *lost);

// Nothing of the last step is carried over to the next.
void cn_patch_forget_forces(cn_patch *patch);

// Whether everything that can be asked of the world is a finite number; if not, cn_last_error() says what is not. For tests: it
// looks at all bodies, shapes, contacts, joints and events.
bool cn_world_is_finite(const cn_world *world);

#endif
