// What continuous.c asks of a pair of shapes: where the first of them, of a fast body, meets the other on its way; or, of two fast
// bodies, where each of them does.
#ifndef CN_MEETING_H
#define CN_MEETING_H

#include "collide/cast.h"
#include "world/world.h"

// A shape is fast when some point of it moves by more than this part of its inner radius in a step.
#define CN_FAST_MOTION 0.75f
// An impact counts when the body would go further into the other than this part of its inner radius.
#define CN_DANGEROUS_DEPTH 0.5f

// A piece of the rotation of a body that turns about changing axes, at a steady rate.
typedef struct cn_turn {
    float begin, end; // fractions of the step
    cn_quat rotation; // when it begins
    cn_vec3 turned;
} cn_turn;

typedef struct cn_path {
    cn_pos3 center; // at the beginning of the step
    cn_quat rotation;
    cn_vec3 moved, turned;
    float end;            // the part of it that is gone
    const cn_turn *turns; // NULL: one, of `turned`
    int turn_count;
    bool round; // they are those of the axis of a round body, which its spin goes with
    float spin; // the most it turns per step in any of them, rad
} cn_path;

typedef struct cn_meeting {
    const cn_world *world;
    const cn_shape *shape, *other_shape;
    float core, other_core; // inner radii of the shapes
    bool middle_only; // of what touches already nothing but the middle is kept out
    bool mutual;      // the other is fast and goes all the way, too, and is to be stopped like the first
    bool seen;        // both were looked at already for as long as the other moves
    cn_path path, other_path;    // that of the fast body goes all the way
    float target;                // the distance that counts as meeting, m
    float limit, other_limit;    // earliest impact of each so far
    cn_vec3 out;                 // by which the first is taken out of the other there
    const cn_triangle *triangle; // that is being looked at, of a surface
    bool behind;                 // the middle of the shape is behind it at the beginning of the step
    float from, to;              // the stretch of the step that is being looked at
    cn_sweep_bounds bounds;      // of the way of the shape in it, seen from a composite one
    cn_vec3 center;              // where the middle of the shape is at the beginning of the step, in the frame of a composite one
} cn_meeting;

// Lowers the limits to the fraction at which they meet.
void cn_meet(cn_meeting *m);
// The rotation of the body at a fraction of the step.
cn_quat cn_path_rotation(const cn_path *p, float fraction);
// How many turns describe the rotation of a fast body, and which they are (fast.c). 0: that of its motion. `round`: they are those of its
// axis alone.
int cn_count_turns(const cn_body *body, const cn_body_drive *drive, const cn_motion *motion, float dt, bool *round);
// Returns the fastest rate of them, rad per step.
float cn_find_turns(const cn_body *body, const cn_motion *motion, float dt, cn_turn *turns, int count, bool round);
// The path of a shape of the body between two fractions of the step, in one of its turns, relative to `origin`. Beyond its end
// it rests.
cn_sweep cn_path_sweep(const cn_path *p, const cn_shape *shape, cn_pos3 origin, float from, float to);
// How far any point of a shape leaves the chord of its way in a step, m; infinite when it turns too far to say (fast.c).
float cn_path_bulge(const cn_shape *shape, const cn_motion *motion);
// The box around a ball that moves in a straight line.
cn_box3 cn_ball_path_box(const cn_world *world, cn_pos3 from, cn_vec3 moved, float radius);
// The box around all of the way of a shape, which is at its end now, in the box `end`; both are larger by the margin.
cn_box3 cn_path_box(const cn_world *world, const cn_shape *shape, const cn_motion *motion, const cn_box3 *end, float margin);

#endif
