// Rigid cones in a direct solve: a limit along the direction in which the substep is to end (wide_joint_cone.h). What pushed in
// another direction before ends, and what is needed pushes in this one. Across it the limit curves away: for small ways that is
// a spring, whose stiffness is what the limit carries.
#include "solve/joint_hold.h"

#include <math.h>

bool cn_can_hold_cone(const cn_found_joint *found, const cn_wide_joint *wide, int lane)
{
    return found->grips && wide->joint_class == CN_CLASS_GENERAL && wide->cone != NULL && wide->cone->inverse[0][lane] > 0.0f &&
           wide->cone->response[0][4][lane] > 0.0f && wide->cone->response[1][5][lane] > 0.0f;
}

void cn_list_cone_rows(struct cn_joint_direct *direct, int block, const cn_found_joint *found)
{
    cn_lock_block *b = &direct->blocks[block];
    for (int part = 0; part < CN_CONE_PARTS && cn_can_hold_cone(found, b->wide, b->lane); part++)
        direct->rows[direct->row_count++] = (cn_held_row){
            .wide = b->wide, .cone = b->wide->cone, .lane = b->lane, .block = block, .part = (cn_cone_part)part, .limit = true
        };
}

// Where the row acts, and whether it does at all.
static void aim_row(cn_held_row *r, const double impulse[2])
{
    const cn_wide_cone *c = r->cone;
    int lane = r->lane;
    const double y = (double)c->inverse[0][lane], z = (double)c->inverse[1][lane], along_y = (double)c->aim[0][lane],
                 along_z = (double)c->aim[1][lane];
    if (r->part == CN_CONE_CARRIED) {
        r->axis[4] = impulse[0], r->axis[5] = impulse[1];
        r->idle = impulse[0] == 0.0 && impulse[1] == 0.0;
    } else if (r->part == CN_CONE_LIMIT) {
        r->axis[4] = y * along_y, r->axis[5] = z * along_z;
        r->idle = c->near[lane] == 0;
        r->slot = fabs(r->axis[5]) > fabs(r->axis[4]) ? 2 : 1;
    } else {
        r->axis[4] = -y * along_z, r->axis[5] = z * along_y;
        r->softness = c->bend[lane] > 0.0f ? 1.0 / (double)c->bend[lane] : 0.0;
        r->idle = r->softness == 0.0;
        r->slot = 3 - r[-1].slot;
    }
    if (r->idle)
        return;
    cn_joint_jacobian(r->wide, lane, r->axis, r->jacobian);
    cn_joint_response(r->wide, lane, (const double(*)[6])r->jacobian, r->response);
}

// What there is of its impulse when a pass begins. All that was there before the substep ends, and begins anew.
static double impulse_of(const cn_held_row *r, const double impulse[2], bool pushing)
{
    const cn_wide_cone *c = r->cone;
    int lane = r->lane;
    if (pushing)
        return r->part == CN_CONE_CARRIED ? 1.0 : 0.0;
    double y = impulse[0] / (double)c->inverse[0][lane], z = impulse[1] / (double)c->inverse[1][lane];
    double along_y = (double)c->aim[0][lane], along_z = (double)c->aim[1][lane];
    return r->part == CN_CONE_LIMIT ? fmin(along_y * y + along_z * z, 0.0) : along_y * z - along_z * y;
}

void cn_begin_cone_row(cn_held_row *r, bool pushing)
{
    const cn_wide_cone *c = r->cone;
    int lane = r->lane;
    const double impulse[2] = { (double)c->impulse[0][lane], (double)c->impulse[1][lane] };
    r->change = 0.0;
    r->state = CN_HOLD_LET_GO;
    if (pushing)
        aim_row(r, impulse);
    r->idle |= !pushing && r->part == CN_CONE_CARRIED;
    if (r->idle)
        return;
    r->impulse = impulse_of(r, impulse, pushing);
    r->rate = r->axis[4] * (double)r->wide->residual[4][lane] + r->axis[5] * (double)r->wide->residual[5][lane];
    r->target[0] = r->part == CN_CONE_BEND ? (double)c->across[lane] : -(double)INFINITY;
    r->target[1] = (double)c->room[lane];
    if (r->part == CN_CONE_LIMIT && (pushing ? c->pushes[lane] != 0 : r->impulse < 0.0))
        r->state = CN_HOLD_UPPER;
    else if (r->part == CN_CONE_BEND)
        r->state = cn_bend_state(r);
}

// It goes with the limit, at the target of the lower end.
cn_hold_state cn_bend_state(const cn_held_row *r) { return r[-1].state == CN_HOLD_UPPER ? CN_HOLD_LOWER : CN_HOLD_LET_GO; }

void cn_add_cone_change(cn_held_row *r)
{
    cn_wide_cone *c = r->cone;
    cn_wide_joint *wide = r->wide;
    int lane = r->lane;
    for (int k = 0; k < 2; k++) {
        float change = (float)(r->change * r->axis[4 + k]);
        c->impulse[k][lane] += change;
        wide->answer[4 + k][lane] += change;
        for (int d = 0; d < 6; d++)
            if (cn_is_locked(wide, lane, d))
                wide->impulse[d][lane] -= c->wrench[k][d][lane] * change;
    }
}
