#include "solve/joint_hold.h"

#include <string.h>

// The part of its diagonal by which a lock gives way. Joints in a loop may say the same thing twice, or contradict each other:
// there pushing errors away is soft, so that what they fight with stays bounded and is shared.
#define GIVE_IN_TREE 1e-8
#define GIVE_IN_LOOP 1e-3

// ---- 3x3 blocks

CN_INLINE void multiply_transposed(double c[9], const double a[9], const double b[9]) // c = a^T b
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

CN_INLINE void subtract_product(double c[9], const double a[9], const double b[9]) // c -= a b
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[3 * i + j] -= a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

CN_INLINE void add_product(double y[3], const double a[9], const double x[3]) // y += a x
{
    for (int i = 0; i < 3; i++)
        y[i] += a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

// Of a symmetric positive matrix, in place.
static void invert(double m[9])
{
    double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * a + m[1] * b + m[2] * c;
    double d = determinant > 0.0 ? 1.0 / determinant : 0.0;
    double r[9] = { d * a, d * (m[2] * m[7] - m[1] * m[8]), d * (m[1] * m[5] - m[2] * m[4]),
                    d * b, d * (m[0] * m[8] - m[2] * m[6]), d * (m[2] * m[3] - m[0] * m[5]),
                    d * c, d * (m[1] * m[6] - m[0] * m[7]), d * (m[0] * m[4] - m[1] * m[3]) };
    memcpy(m, r, sizeof r);
}

// ---- Jacobians

static void set_row(double row[6], const double direction[3], const double lever[3], double sign)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        row[k] = sign * direction[k];
        row[3 + k] = sign * (lever[l] * direction[m] - lever[m] * direction[l]);
    }
}

// How one degree of freedom answers to the velocities of a and of b.
static void dof_jacobian(const cn_wide_joint *c, int lane, int dof, double jacobian[2][6])
{
    bool ball = c->joint_class == CN_CLASS_BALL;
    double direction[3] = { 0.0, 0.0, 0.0 };
    for (int k = 0; k < 3; k++) {
        if (dof < 3)
            direction[k] = ball ? (dof == k ? 1.0 : 0.0) : (double)c->axes[dof][k][lane];
        for (int d = 0; dof >= 3 && d < 3; d++)
            direction[k] += (double)c->turn_axes[dof - 3][d][lane] * (double)c->axes[d][k][lane];
    }
    for (int side = 0; side < 2; side++) {
        const cn_f8 *lever = side == 0 ? c->lever_a : c->lever_b;
        const double arm[3] = { (double)lever[0][lane], (double)lever[1][lane], (double)lever[2][lane] };
        double sign = side == 0 ? -1.0 : 1.0;
        if (dof < 3)
            set_row(jacobian[side], direction, arm, sign);
        for (int k = 0; dof >= 3 && k < 3; k++) {
            jacobian[side][k] = 0.0;
            jacobian[side][3 + k] = sign * direction[k];
        }
    }
}

static void coupling_jacobian(const cn_wide_joint *c, int lane, double jacobian[2][6])
{
    for (int k = 0; k < 6; k++) {
        jacobian[0][k] = (double)c->jacobian_a[k][lane];
        jacobian[1][k] = (double)c->jacobian_b[k][lane];
    }
}

void cn_joint_jacobian(const cn_wide_joint *c, int lane, const double axis[6], double jacobian[2][6])
{
    if (c->joint_class == CN_CLASS_COUPLING) {
        coupling_jacobian(c, lane, jacobian);
        return;
    }
    memset(jacobian, 0, sizeof(double[2][6]));
    for (int dof = 0; dof < 6; dof++) {
        double own[2][6];
        if (axis[dof] == 0.0)
            continue;
        dof_jacobian(c, lane, dof, own);
        for (int k = 0; k < 12; k++)
            jacobian[k / 6][k % 6] += axis[dof] * own[k / 6][k % 6];
    }
}

void cn_joint_response(const cn_wide_joint *c, int lane, const double jacobian[2][6], double response[2][6])
{
    for (int side = 0; side < 2; side++) {
        const cn_f8 *m = side == 0 ? c->inverse_mass_a : c->inverse_mass_b, *s = side == 0 ? c->inertia_a : c->inertia_b;
        const double xx = (double)s[0][lane], yy = (double)s[1][lane], zz = (double)s[2][lane], xy = (double)s[3][lane],
                     xz = (double)s[4][lane], yz = (double)s[5][lane];
        const double *j = jacobian[side];
        double *r = response[side];
        for (int k = 0; k < 3; k++)
            r[k] = (double)m[k][lane] * j[k];
        r[3] = xx * j[3] + xy * j[4] + xz * j[5];
        r[4] = xy * j[3] + yy * j[4] + yz * j[5];
        r[5] = xz * j[3] + yz * j[4] + zz * j[5];
    }
}

void cn_lock_block_set(cn_lock_block *block, int k, const double jacobian[2][6], const double response[2][6])
{
    block->held = (uint8_t)((block->held & ~(1 << k)) | (jacobian != NULL ? 1 << k : 0));
    for (int side = 0; side < 2; side++) {
        if (jacobian == NULL) {
            memset(block->jacobian[side][k], 0, sizeof block->jacobian[side][k]);
            memset(block->response[side][k], 0, sizeof block->response[side][k]);
        } else {
            memcpy(block->jacobian[side][k], jacobian[side], sizeof block->jacobian[side][k]);
            memcpy(block->response[side][k], response[side], sizeof block->response[side][k]);
        }
    }
}

static void set_lock(cn_lock_block *block, int k)
{
    double jacobian[2][6], response[2][6];
    if (block->wide->joint_class == CN_CLASS_COUPLING)
        coupling_jacobian(block->wide, block->lane, jacobian);
    else
        dof_jacobian(block->wide, block->lane, block->first + k, jacobian);
    cn_joint_response(block->wide, block->lane, (const double(*)[6])jacobian, response);
    cn_lock_block_set(block, k, (const double(*)[6])jacobian, (const double(*)[6])response);
}

void cn_lock_matrix_jacobians(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++) {
        cn_lock_block *block = &direct->blocks[i];
        for (int k = 0; k < 3; k++) {
            block->rows[k] = NULL;
            if (cn_is_locked(block->wide, block->lane, block->first + k))
                set_lock(block, k);
            else if (block->held >> k & 1)
                cn_lock_block_set(block, k, NULL, NULL);
        }
    }
}

// ---- the matrix

static void assemble(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    for (int p = 0; p < direct->count; p++) {
        if (!direct->stale[direct->blocks[order->order[p]].part])
            continue;
        memset(direct->diagonal[p], 0, sizeof direct->diagonal[p]);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            memset(direct->upper[s], 0, sizeof direct->upper[s]);
    }
    for (int k = 0; k < direct->sharing_count; k++) {
        const cn_lock_sharing *sh = &direct->sharings[k];
        const cn_lock_block *bi = &direct->blocks[sh->block_i], *bj = &direct->blocks[sh->block_j];
        if (bi->held == 0 || bj->held == 0 || !direct->stale[bi->part])
            continue;
        double *entry = sh->slot < 0 ? direct->diagonal[direct->order.position[sh->block_i]] : direct->upper[sh->slot];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *a = bi->jacobian[sh->side_i][i], *b = bj->response[sh->side_j][j];
                double sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
                entry[sh->transposed ? 3 * j + i : 3 * i + j] += sum;
            }
    }
    for (int i = 0; i < direct->count; i++) {
        cn_lock_block *block = &direct->blocks[i];
        if (!direct->stale[block->part])
            continue;
        double *diagonal = direct->diagonal[direct->order.position[i]], give = block->in_loop ? GIVE_IN_LOOP : GIVE_IN_TREE;
        for (int k = 0; k < 3; k++) {
            double *d = &diagonal[4 * k];
            block->give[k] = give * *d;
            double softness = block->rows[k] != NULL ? block->rows[k]->softness : 0.0;
            *d = *d > 0.0 ? *d + block->give[k] + softness : 1.0; // free rows, and what cannot move
        }
    }
}

// U^T D^-1 U with U the matrix itself after the updates of all pivots before: each pivot takes its share from what follows.
void cn_lock_matrix_factor(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    assemble(direct);
    const int *target = direct->targets;
    for (int p = 0; p < direct->count; p++) {
        int row = order->starts[p + 1] - order->starts[p];
        const cn_lock_block *block = &direct->blocks[order->order[p]];
        if (block->held == 0 || !direct->stale[block->part]) { // nothing is coupled to what is not held
            target += row * (row - 1) / 2;
            continue;
        }
        invert(direct->diagonal[p]);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++) {
            double scaled[9] = { 0 }; // U_s^T D^-1
            multiply_transposed(scaled, direct->upper[s], direct->diagonal[p]);
            subtract_product(direct->diagonal[order->columns[s]], scaled, direct->upper[s]);
            for (int t = s + 1; t < order->starts[p + 1]; t++)
                subtract_product(direct->upper[*target++], scaled, direct->upper[t]);
        }
    }
    memset(direct->stale, 0, sizeof *direct->stale * (size_t)direct->body_count);
}

void cn_lock_matrix_solve(struct cn_joint_direct *direct)
{
    const cn_block_order *order = &direct->order;
    double(*x)[3] = direct->x;
    for (int p = 0; p < direct->count; p++) {
        double y[3] = { 0.0, 0.0, 0.0 };
        const cn_lock_block *block = &direct->blocks[order->order[p]];
        if (block->held == 0 || !direct->open[block->part])
            continue;
        add_product(y, direct->diagonal[p], x[p]);
        memcpy(x[p], y, sizeof y);
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++) {
            const double *u = direct->upper[s];
            double *later = x[order->columns[s]];
            for (int i = 0; i < 3; i++)
                later[i] -= u[i] * y[0] + u[3 + i] * y[1] + u[6 + i] * y[2];
        }
    }
    for (int p = direct->count - 1; p >= 0; p--) {
        double sum[3] = { 0.0, 0.0, 0.0 }, y[3] = { 0.0, 0.0, 0.0 };
        const cn_lock_block *block = &direct->blocks[order->order[p]];
        if (block->held == 0 || !direct->open[block->part])
            continue;
        for (int s = order->starts[p]; s < order->starts[p + 1]; s++)
            add_product(sum, direct->upper[s], x[order->columns[s]]);
        add_product(y, direct->diagonal[p], sum);
        for (int i = 0; i < 3; i++)
            x[p][i] -= y[i];
    }
}
