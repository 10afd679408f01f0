// Torques about all three axes in a direct solve. One that does not give way, and is shorter than its bound, holds the three
// rotations of its joint as locks would: three rows of the matrix. At its bound its direction is not known beforehand, and it
// is left to the sweep that follows.
#include "solve/joint_hold.h"

#include <math.h>

#define AT_BOUND 0.9999f

bool cn_can_hold_torque(const cn_found_joint *found, int kind, const cn_wide_joint *wide, int lane)
{
    if (!found->grips || found->joint->torques == NULL)
        return false;
    const cn_wide_bound *bound = &wide->torque->bounds[kind];
    return bound->most[lane] > 0.0f && (bound->firm[lane] != 0 || bound->drag[lane] == 1.0f);
}

void cn_list_torque_rows(struct cn_joint_direct *direct, int block, const cn_found_joint *found)
{
    cn_lock_block *b = &direct->blocks[block];
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++)
        for (int slot = 0; slot < 3 && cn_can_hold_torque(found, kind, b->wide, b->lane); slot++)
            direct->rows[direct->row_count++] = (cn_held_row){ .wide = b->wide,
                                                               .bound = &b->wide->torque->bounds[kind],
                                                               .lane = b->lane,
                                                               .block = block,
                                                               .slot = slot,
                                                               .rank = kind == CN_TORQUE_MOTOR ? 1 : 2 };
}

static float length_of(const cn_wide_bound *bound, int lane)
{
    float x = bound->impulse[0][lane], y = bound->impulse[1][lane], z = bound->impulse[2][lane];
    return sqrtf(x * x + y * y + z * z);
}

// Its impulse counts from where the pass begins.
void cn_begin_torque_row(cn_held_row *r, bool pushing)
{
    if (pushing) {
        r->axis[3 + r->slot] = 1.0;
        cn_joint_jacobian(r->wide, r->lane, r->axis, r->jacobian);
        cn_joint_response(r->wide, r->lane, (const double(*)[6])r->jacobian, r->response);
    }
    r->rate = r->impulse = r->change = r->softness = r->target[0] = r->target[1] = 0.0;
    for (int k = 0; k < 3; k++)
        r->rate += r->jacobian[1][3 + k] * (double)r->bound->lack[k][r->lane];
    r->most = (double)INFINITY;
    r->state = CN_HOLD_EQUAL;
    r->idle = length_of(r->bound, r->lane) >= AT_BOUND * r->bound->most[r->lane];
}

void cn_add_torque_change(const cn_held_row *r)
{
    for (int k = 0; k < 3; k++) {
        float change = (float)(r->change * r->jacobian[1][3 + k]);
        r->bound->impulse[k][r->lane] += change;
        r->wide->torque->change[k][r->lane] += change;
    }
}

void cn_begin_torques(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++)
        for (int k = 0; k < 3 && direct->blocks[i].wide->torque != NULL; k++)
            direct->blocks[i].wide->torque->change[k][direct->blocks[i].lane] = 0.0f;
}

// What came out longer than its bound is cut off.
void cn_bound_torques(struct cn_joint_direct *direct)
{
    for (int i = 0; i < direct->count; i++) {
        const cn_lock_block *block = &direct->blocks[i];
        for (int kind = 0; kind < CN_TORQUE_COUNT && block->first == 3 && block->wide->torque != NULL; kind++) {
            cn_wide_bound *bound = &block->wide->torque->bounds[kind];
            float length = length_of(bound, block->lane), most = bound->most[block->lane];
            for (int k = 0; k < 3 && length > most; k++) {
                float kept = bound->impulse[k][block->lane] * (most / length);
                block->wide->torque->change[k][block->lane] += kept - bound->impulse[k][block->lane];
                bound->impulse[k][block->lane] = kept;
            }
        }
    }
}
