// The points of a patch one by one: where they are, how they move, what the law of a contact wants of each, and how they share
// the friction of the patch.
#ifndef CN_PATCH_POINTS_H
#define CN_PATCH_POINTS_H

#include "math/vec.h"
#include "solve/solve.h"

static inline cn_vec3 cn_row3(const float *r) { return cn_v3(r[0], r[1], r[2]); }

typedef struct cn_patch_frame {
    cn_vec3 n, t1, t2;
} cn_patch_frame;
cn_patch_frame cn_frame_of(const cn_patch *patch);

// Friction with a grain is friction without one in other coordinates: f = A y, see wide_friction.h. The columns of A as
// directions; without a grain they are the tangents.
typedef struct cn_friction_axes {
    cn_vec3 a1, a2;
} cn_friction_axes;
cn_friction_axes cn_friction_axes_of(const cn_patch *patch);
void cn_to_friction_axes(const cn_patch *patch, double f[2]);   // from the tangent frame of the patch
void cn_from_friction_axes(const cn_patch *patch, double y[2]); // and back

// From the centres of the two bodies to a point.
typedef struct cn_point_arms {
    cn_vec3 a, b;
} cn_point_arms;
cn_point_arms cn_get_arms(const cn_patch *patch, int point);

// Velocities of a point along the normal and the friction axes, per velocity of a and of b: linear before angular.
typedef struct cn_point_rows {
    double side[2][3][6];
} cn_point_rows;
cn_point_rows cn_point_rows_of(const cn_patch *patch, int point);
// Along one of them when the bodies move at a and b; linear and angular numbers begin at 0 and 4.
double cn_row_speed(const cn_point_rows *rows, int row, const float *a, const float *b);

// How far apart a point of a patch is after what its bodies have moved in this step, m.
float cn_point_separation(const cn_patch *patch, int point, const cn_body_state *a, const cn_body_state *b);
// What a nudge wants of the normal velocity of a point, u + bias >= 0: the part of an overlap that is to go, at most at the
// push speed; a gap may be closed, no more.
double cn_nudge_bias(const cn_solve_input *input, const cn_found_patch *found, float separation, double h);
// Normal velocities before contacts act, for events.
void cn_note_approach(const cn_solve_input *input, const cn_found_patch *found);
// The velocity of b against a along the normal and the friction axes, as it would be without contacts, plus what the law of the
// point wants: gaps may be closed, overlaps are projected away where the settings say so, belts run.
void cn_point_free_velocity(const cn_solve_input *input, const cn_found_patch *found, int point, double h, double q[3]);

// The friction of a patch as impulses of its points over h: in proportion to their pressure, so that force and torque are the
// same.
void cn_share_friction(const cn_patch *patch, float h, float shares[4][2]);
// The other way round: one friction force and one torque for the patch, which is what the fast solvers start from.
void cn_collect_friction(cn_patch *patch);

#endif
