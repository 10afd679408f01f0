// When moving things meet: rays, casts without and with rotation, and closest points. In float, in one common frame.
#ifndef CN_CAST_H
#define CN_CAST_H

#include "collide/collide.h"
#include "math/d3.h"

typedef struct cn_cast_result {
    float fraction; // of the motion
    cn_vec3 point;  // where they meet, on the surface of a
    cn_vec3 normal; // of a there, towards b; zero when they overlap from the start
} cn_cast_result;

// A ray against a solid, in the solid's frame. One that starts inside meets it at once; one that starts on the surface meets it
// when it goes in. Triangles are met from their front only. False when it does not meet the shape up to `limit`.
bool cn_cast_ray(const cn_convex *shape, cn_vec3 origin, cn_vec3 translation, float limit, cn_cast_result *result);

// `b` moves by `translation` without turning; everything in the frame of a. They meet when their distance has fallen to
// `target` metres, which may be 0. By GJK ray cast. False when that does not happen before `limit`.
bool cn_cast_convex(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, cn_vec3 translation, float target, float limit,
                    cn_cast_result *result);

// How a shape moves: its body's centre of mass by `moved` in a straight line, while it turns about it at a steady rate by the
// rotation vector `turned` (rad, any length).
typedef struct cn_sweep {
    cn_pose pose; // of the frame of the centre of mass at the beginning
    cn_vec3 moved, turned;
    cn_pose shape; // of the shape in that frame
} cn_sweep;

cn_pose cn_sweep_at(const cn_sweep *sweep, float fraction); // of the shape, in the common frame

// How far any point of the shape, which is within `size` of its middle, moves at most (sweep_bounds.c).
float cn_sweep_motion(const cn_convex *shape, const cn_sweep *sweep, float size);

// A box that goes straight and holds the shape all along its way, in the frame of the other shape.
typedef struct cn_sweep_bounds {
    cn_vec3 origin, translation, half_extents;
    float bulge;        // how far any point leaves the chord of its way, m
    bool turns_far;     // then nothing is said of the shape at both ends:
    cn_pose begin, end; // in the frame of the other
} cn_sweep_bounds;
cn_sweep_bounds cn_bound_sweep(const cn_convex *shape, const cn_sweep *mine, const cn_sweep *theirs);
// The height over a plane of the other's frame that the shape keeps at least.
float cn_lowest_over(const cn_convex *shape, const cn_sweep_bounds *bounds, cn_plane plane);

// Between which parts of their way two balls are within `reach`, whose centres are `apart` and move against each other by `moved`,
// from the beginning on; `to` may lie beyond the end. False: never.
bool cn_balls_are_near(cn_d3 apart, cn_d3 moved, double reach, float *from, float *to);

// The first time two moving shapes come as near as `target` metres (above 0), by conservative advancement: never later than the
// truth, and earlier only by what the distance may be off, a hundredth of the target, and by the rounding of fractions. It
// takes a few iterations; after a thousand, which needs a hundred turns close to the other shape, it answers the time it has
// come to. A pair that is that near from the beginning meets at 0. False when it does not happen before `limit`. `result` is in
// the common frame.
bool cn_time_of_impact(const cn_convex *a, const cn_sweep *sweep_a, const cn_convex *b, const cn_sweep *sweep_b, float target,
                       float limit, cn_cast_result *result);

// The closest points of two convex shapes with their full surfaces (skins included), in the frame of a. Overlapping shapes have
// distance 0, no normal, and a point they share.
typedef struct cn_distance_result {
    float distance;
    cn_vec3 point_a, point_b;
    cn_vec3 normal; // from a to b
} cn_distance_result;
cn_distance_result cn_convex_distance(const cn_convex *a, const cn_convex *b, cn_pose b_in_a);

#endif
