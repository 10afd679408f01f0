// The arithmetic of the matrix of locks (lock_matrix.h): its blocks are 3x3, a row of one is a vector of double.
#ifndef CN_WIDE_LOCK_H
#define CN_WIDE_LOCK_H

#include "solve/joint_hold.h"

// The part of its diagonal by which a lock gives way. Joints in a loop may say the same thing twice, or contradict each other:
// there pushing errors away is soft, so that what they fight with stays bounded and is shared.
#define GIVE_IN_TREE 1e-8
#define GIVE_IN_LOOP 1e-3

CN_INLINE cn_d4 all_lanes(double x) { return (cn_d4){ x, x, x, x }; }

// ---- 3x3 blocks, by rows

CN_INLINE cn_d4 combine3(double x, double y, double z, const cn_d4 rows[3])
{
    return all_lanes(x) * rows[0] + all_lanes(y) * rows[1] + all_lanes(z) * rows[2];
}

CN_INLINE void multiply_transposed(cn_d4 c[3], const cn_d4 a[3], const cn_d4 b[3]) // c = a^T b
{
    for (int i = 0; i < 3; i++)
        c[i] = combine3(a[0][i], a[1][i], a[2][i], b);
}

CN_INLINE void subtract_product(cn_d4 c[3], const cn_d4 a[3], const cn_d4 b[3]) // c -= a b
{
    for (int i = 0; i < 3; i++)
        c[i] -= combine3(a[i][0], a[i][1], a[i][2], b);
}

// Of a symmetric positive matrix, in place. What rounding makes of the lower triangle is left out: the inverse must be symmetric to the
// last bit, for it stands on both sides of what joints in a loop can hardly tell apart.
CN_INLINE void invert_block(cn_d4 m[3])
{
    double xx = m[0][0], xy = m[0][1], xz = m[0][2], yy = m[1][1], yz = m[1][2], zz = m[2][2];
    double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    double determinant = xx * a + xy * b + xz * c;
    double d = determinant > 0.0 ? 1.0 / determinant : 0.0, e = xz * xy - xx * yz;
    m[0] = all_lanes(d) * (cn_d4){ a, b, c, 0.0 };
    m[1] = all_lanes(d) * (cn_d4){ b, xx * zz - xz * xz, e, 0.0 };
    m[2] = all_lanes(d) * (cn_d4){ c, e, xx * yy - xy * xy, 0.0 };
}

// ---- Jacobians

typedef struct vec4d {
    cn_d4 x, y, z; // of the three degrees of freedom of a block
} vec4d;

CN_INLINE vec4d cross_arm(const double r[3], vec4d d)
{
    return (vec4d){ all_lanes(r[1]) * d.z - all_lanes(r[2]) * d.y, all_lanes(r[2]) * d.x - all_lanes(r[0]) * d.z,
                    all_lanes(r[0]) * d.y - all_lanes(r[1]) * d.x };
}

CN_INLINE double lane_of(const cn_f8 *x, int lane) { return (double)((const float *)x)[lane]; }

// Along the axes of three degrees of freedom of a joint; 0 where they are not locked.
CN_INLINE vec4d block_axes(const cn_lock_block *block)
{
    const cn_wide_joint *c = block->wide;
    cn_d4 axes[3];
    for (int i = 0; i < 3; i++)
        axes[i] = c->joint_class == CN_CLASS_BALL ? (cn_d4){ i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0, 0.0 }
                                                  : (cn_d4){ lane_of(&c->axes[i][0], block->lane), lane_of(&c->axes[i][1], block->lane),
                                                             lane_of(&c->axes[i][2], block->lane), 0.0 };
    cn_d4 rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = axes[i];
        if (block->first == 3)
            rows[i] = combine3(lane_of(&c->turn_axes[i][0], block->lane), lane_of(&c->turn_axes[i][1], block->lane),
                               lane_of(&c->turn_axes[i][2], block->lane), axes);
        rows[i] *= all_lanes(block->locked >> i & 1 ? 1.0 : 0.0);
    }
    return (vec4d){ { rows[0][0], rows[1][0], rows[2][0], 0.0 }, { rows[0][1], rows[1][1], rows[2][1], 0.0 },
                    { rows[0][2], rows[1][2], rows[2][2], 0.0 } };
}

CN_INLINE void set_block_side(cn_lock_block *block, int side, vec4d d)
{
    const cn_wide_joint *c = block->wide;
    const cn_f8 *arm = side == 0 ? c->lever_a : c->lever_b, *m = side == 0 ? c->inverse_mass_a : c->inverse_mass_b,
                *inertia = side == 0 ? c->inertia_a : c->inertia_b;
    int lane = block->lane;
    cn_d4 *j = block->jacobian[side], *r = block->response[side];
    if (side == 0)
        d = (vec4d){ -d.x, -d.y, -d.z };
    if (block->first == 0) {
        const double lever[3] = { lane_of(&arm[0], lane), lane_of(&arm[1], lane), lane_of(&arm[2], lane) };
        j[0] = d.x, j[1] = d.y, j[2] = d.z;
        for (int k = 0; k < 3; k++)
            r[k] = all_lanes(lane_of(&m[k], lane)) * j[k];
        d = cross_arm(lever, d);
    }
    j[3] = d.x, j[4] = d.y, j[5] = d.z;
    const cn_d4 xx = all_lanes(lane_of(&inertia[0], lane)), yy = all_lanes(lane_of(&inertia[1], lane)),
                zz = all_lanes(lane_of(&inertia[2], lane)), xy = all_lanes(lane_of(&inertia[3], lane)),
                xz = all_lanes(lane_of(&inertia[4], lane)), yz = all_lanes(lane_of(&inertia[5], lane));
    r[3] = xx * d.x + xy * d.y + xz * d.z;
    r[4] = xy * d.x + yy * d.y + yz * d.z;
    r[5] = xz * d.x + yz * d.y + zz * d.z;
}

static void lock_jacobians(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++) {
        cn_lock_block *block = &direct->blocks[i];
        block->locked = 0;
        for (int k = 0; k < 3; k++) {
            block->rows[k] = NULL;
            block->locked |= (uint8_t)(cn_is_locked(block->wide, block->lane, block->first + k) ? 1 << k : 0);
        }
        if (block->wide->joint_class == CN_CLASS_COUPLING) {
            cn_lock_coupling(block);
            continue;
        }
        if (block->locked != 0 || block->held != 0) {
            vec4d axes = block_axes(block);
            set_block_side(block, 0, axes);
            set_block_side(block, 1, axes);
        }
        block->held = block->locked;
    }
}

// ---- the matrix

CN_INLINE void add_sharing(struct cn_joint_direct *direct, const cn_lock_sharing *sh)
{
    const cn_lock_block *bi = &direct->blocks[sh->block_i], *bj = &direct->blocks[sh->block_j];
    if (bi->held == 0 || bj->held == 0)
        return;
    cn_d4 *entry = sh->slot < 0 ? direct->diagonal[direct->order.position[sh->block_i]] : direct->upper[sh->slot];
    const cn_d4 *a = sh->transposed ? bj->jacobian[sh->side_j] : bi->jacobian[sh->side_i];
    const cn_d4 *response = sh->transposed ? bi->response[sh->side_i] : bj->response[sh->side_j];
    bool pushes = bi->first == 0 && bj->first == 0; // torques alone move nothing along
    for (int i = 0; i < 3; i++) {
        cn_d4 sum = combine3(a[3][i], a[4][i], a[5][i], response + 3);
        if (pushes)
            sum += combine3(a[0][i], a[1][i], a[2][i], response);
        entry[i] += sum;
    }
}

CN_INLINE void assemble_block(struct cn_joint_direct *direct, int i)
{
    cn_lock_block *block = &direct->blocks[i];
    cn_d4 *diagonal = direct->diagonal[direct->order.position[i]];
    double give = block->in_loop ? GIVE_IN_LOOP : GIVE_IN_TREE;
    for (int k = direct->first_sharing[i]; k < direct->first_sharing[i + 1]; k++)
        add_sharing(direct, &direct->sharings[k]);
    for (int k = 0; k < 3; k++) {
        double d = diagonal[k][k], softness = block->rows[k] != NULL ? block->rows[k]->softness : 0.0;
        block->give[k] = give * d;
        diagonal[k][k] = d > 0.0 ? d + block->give[k] + softness : 1.0; // free rows, and what cannot move
    }
}

CN_INLINE void assemble(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    for (int n = 0; n < direct->open_count; n++) {
        int p = direct->open_places[n];
        if (!direct->stale[direct->blocks[order->order[p]].part])
            continue;
        memset(direct->diagonal[p], 0, sizeof direct->diagonal[p]);
        memset(direct->upper[order->starts[p]], 0, sizeof *direct->upper * (size_t)(order->starts[p + 1] - order->starts[p]));
    }
    for (int n = 0; n < direct->open_count; n++)
        if (direct->stale[direct->blocks[direct->open_blocks[n]].part])
            assemble_block(direct, direct->open_blocks[n]);
}

// U^T D^-1 U with U the matrix itself after the updates of all pivots before: each pivot takes its share from what follows.
static void lock_factor(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    assemble(direct);
    for (int n = 0; n < direct->open_count; n++) {
        int p = direct->open_places[n];
        const cn_lock_block *block = &direct->blocks[order->order[p]];
        if (block->held == 0 || !direct->stale[block->part]) // nothing is coupled to what is not held
            continue;
        const int *target = direct->targets + direct->first_target[p];
        invert_block(direct->diagonal[p]);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++) {
            cn_d4 scaled[3]; // U_s^T D^-1
            multiply_transposed(scaled, direct->upper[s], direct->diagonal[p]);
            subtract_product(direct->diagonal[order->columns[s]], scaled, direct->upper[s]);
            for (int t = s + 1; t < order->starts[p + 1]; t++)
                subtract_product(direct->upper[*target++], scaled, direct->upper[t]);
        }
    }
    memset(direct->stale, 0, sizeof *direct->stale * (size_t)direct->body_count);
}

static void lock_solve(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    cn_d4 *x = direct->x;
    for (int n = 0; n < direct->open_count; n++) {
        int p = direct->open_places[n];
        if (direct->blocks[order->order[p]].held == 0)
            continue;
        cn_d4 y = combine3(x[p][0], x[p][1], x[p][2], direct->diagonal[p]);
        x[p] = y;
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            x[order->columns[s]] -= combine3(y[0], y[1], y[2], direct->upper[s]);
    }
    for (int n = direct->open_count - 1; n >= 0; n--) {
        int p = direct->open_places[n];
        if (direct->blocks[order->order[p]].held == 0)
            continue;
        cn_d4 sums[3] = { all_lanes(0.0), all_lanes(0.0), all_lanes(0.0) };
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            for (int i = 0; i < 3; i++)
                sums[i] += direct->upper[s][i] * x[order->columns[s]];
        x[p] -= combine3(sums[0][0] + sums[0][1] + sums[0][2], sums[1][0] + sums[1][1] + sums[1][2], sums[2][0] + sums[2][1] + sums[2][2],
                         direct->diagonal[p]);
    }
}

#endif
