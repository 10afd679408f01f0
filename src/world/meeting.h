// What continuous.c asks of a pair of shapes: where the first of them, of a fast body, meets the other on its way.
#ifndef CN_MEETING_H
#define CN_MEETING_H

#include "collide/cast.h"
#include "world/world.h"

// An impact counts when the body would go further into the other than this part of its inner radius.
#define CN_DANGEROUS_DEPTH 0.5f

typedef struct cn_path {
    cn_pos3 center; // at the beginning of the step
    cn_quat rotation;
    cn_vec3 moved, turned;
    float end; // the part of it that is gone
} cn_path;

typedef struct cn_meeting {
    const cn_world *world;
    const cn_body *body;
    const cn_shape *shape, *other_shape;
    cn_path path, other_path;    // that of the fast body goes all the way
    float target;                // the distance that counts as meeting, m
    float limit;                 // earliest impact so far
    const cn_triangle *triangle; // that is being looked at, of a surface
} cn_meeting;

// Lowers the limit to the fraction at which they meet.
void cn_meet(cn_meeting *m);
// Half the extents of the box around the shape wherever it is on its path, relative to its body's centre of mass, in the axes
// of a frame.
cn_vec3 cn_path_extents(const cn_meeting *m, cn_quat frame);

#endif
