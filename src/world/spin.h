// The free rotation of a body, in parts: see spin.c.
#ifndef CN_SPIN_H
#define CN_SPIN_H

#include "world/world.h"

typedef struct cn_spin {
    double q[4];        // rotation of the principal axes, x y z w
    double momentum[3]; // along the principal axes
    double length;      // of the momentum
    double inverse_inertia[3];
    int low, middle, high; // the axes with the smallest, the middle and the largest inverse moment
} cn_spin;

cn_spin cn_spin_start(const cn_body *body, cn_quat rotation, cn_vec3 angular_velocity);
void cn_spin_advance(cn_spin *s, double time);
cn_quat cn_spin_rotation(const cn_spin *s, const cn_body *body);
cn_vec3 cn_spin_velocity(const cn_spin *s); // angular, world axes

#endif
