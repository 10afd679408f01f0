#include "solve/joint_hold.h"

#include <string.h>

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
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++) {
            block->jacobian[side][i][k] = jacobian != NULL ? jacobian[side][i] : 0.0;
            block->response[side][i][k] = jacobian != NULL ? response[side][i] : 0.0;
        }
}

void cn_lock_coupling(cn_lock_block *block)
{
    double jacobian[2][6], response[2][6];
    coupling_jacobian(block->wide, block->lane, jacobian);
    cn_joint_response(block->wide, block->lane, (const double(*)[6])jacobian, response);
    cn_lock_block_set(block, 0, block->locked & 1 ? (const double(*)[6])jacobian : NULL, (const double(*)[6])response);
}
