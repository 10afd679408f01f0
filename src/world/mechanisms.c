// Which joints are solved directly. Sweeps carry a load from joint to joint, a little in each: what holds many times its own
// weight stays soft, and a blow drives limbs past their limits before it has reached them all. So a mechanism, all that hangs
// together by joints, is solved directly while one of its joints carries a heavy load, and is let go of when none carries half
// of that. One that is torn is pulled together by sweeps, which give way: locks that are solved directly would squeeze what is
// between its bodies with any force. What has never been solved counts as heavy (joint_load.c). Both the size of a mechanism
// and the number of joints in a step are bounded; those of what is hit more closely, because their limits are solved with them. The heaviest
// loads, the hardest blows and what is past its limits go first.
//
// Rows that carry little are left to sweeps, but not while the mechanism shakes: friction that sticks is a lock. Solved without it, the
// locks turn what it holds, sweeps turn that back, each time late, and a foot in the air shakes for ever.
#include "world/build.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 256, JOINTS_PER_STEP = 240, HIT_JOINTS_PER_STEP = 64 };
#define PASSED 0.005f  // rad beyond a limit that weigh as much as a load that is heavy
#define MOST_ROLL 0.1f // rad that a joined body may turn in a substep when it is hit

typedef struct mechanism {
    int joints;
    bool heavy, limited, torn; // one of its joints carries much; has a limit; is torn
    bool direct, hit;
    bool slow, moves; // all of its bodies have been slow for long; one of them is not still
    float burden, passed; // the largest of its joints: load in times of what is heavy, rad beyond a limit
    float need;      // of a direct solve
    float roll_rate; // of the fastest turn that contact can make of sliding past, rad/s
} mechanism;

static cn_vec3 velocity_of(const cn_world *world, int32_t state)
{
    int awake = state >= 0 ? state : state == CN_UNMOVING ? CN_NONE : CN_KINEMATIC_STATE(state);
    return awake == CN_NONE ? cn_v3(0.0f, 0.0f, 0.0f) : world->bodies.data[world->awake.data[awake]].linear_velocity;
}

float cn_roll_rate(const cn_world *world, const cn_found_patch *patch)
{
    return cn_length(cn_sub(velocity_of(world, patch->a), velocity_of(world, patch->b))) * patch->inverse_size;
}

float cn_substeps_to_roll(float roll_rate, float dt) { return dt * roll_rate / MOST_ROLL; }

static void note_patch(const cn_builder *b, mechanism *mechanisms, int *parent, const cn_found_patch *patch)
{
    const int32_t sides[2] = { patch->a, patch->b };
    for (int side = 0; side < 2; side++) {
        mechanism *own = sides[side] >= 0 ? &mechanisms[cn_find_root(parent, sides[side])] : NULL;
        if (own != NULL && own->limited)
            own->roll_rate = cn_maxf(own->roll_rate, cn_roll_rate(b->world, patch));
    }
}

static mechanism *find_mechanisms(const cn_builder *b, int *parent)
{
    mechanism *mechanisms = cn_arena_array(&b->world->arena, mechanism, b->body_count);
    memset(mechanisms, 0, sizeof *mechanisms * (size_t)b->body_count);
    cn_ties joints = cn_joint_ties(b->joints, b->joint_count);
    for (int i = 0; i < b->body_count; i++)
        parent[i] = i;
    cn_join_ties(parent, &joints);
    for (int i = 0; i < b->joint_count; i++) {
        mechanism *own = &mechanisms[cn_find_root(parent, cn_pushed_body(cn_tie_at(&joints, i)))];
        own->slow = (own->joints++ == 0 || own->slow) && b->joints[i].slow;
        own->moves |= b->joints[i].moves;
        own->heavy |= b->joints[i].heavy;
        own->burden = cn_maxf(own->burden, b->joints[i].burden);
        own->passed = cn_maxf(own->passed, b->joints[i].passed);
        own->limited |= b->joints[i].limited;
        own->torn |= b->joints[i].torn;
    }
    for (int i = 0; i < b->found_count; i++)
        note_patch(b, mechanisms, parent, &b->found[i]);
    return mechanisms;
}

static int compare_needs(const void *x, const void *y)
{
    const mechanism *a = *(const mechanism *const *)x, *b = *(const mechanism *const *)y;
    if (a->need != b->need)
        return a->need > b->need ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Who may be solved directly, those in the greatest need first.
static int list_candidates(const cn_builder *b, mechanism *mechanisms, mechanism **candidates)
{
    int count = 0;
    for (int i = 0; i < b->body_count; i++) {
        mechanism *own = &mechanisms[i];
        float blow = cn_substeps_to_roll(own->roll_rate, b->input->dt) / (float)b->input->settings.substeps;
        own->hit = blow > 1.0f;
        own->need = cn_maxf(own->heavy ? own->burden : 0.0f, own->hit ? blow : 0.0f) + own->passed / PASSED;
        if (own->joints > 0 && own->joints <= MOST_JOINTS && !own->torn && (own->heavy || own->hit))
            candidates[count++] = own;
    }
    qsort(candidates, (size_t)count, sizeof *candidates, compare_needs);
    return count;
}

// False when there is none.
static bool choose_among(const cn_builder *b, mechanism *mechanisms)
{
    mechanism **candidates = cn_arena_array(&b->world->arena, mechanism *, b->body_count);
    int count = list_candidates(b, mechanisms, candidates), left = JOINTS_PER_STEP, left_of_hit = HIT_JOINTS_PER_STEP;
    for (int i = 0; i < count; i++) {
        mechanism *own = candidates[i];
        own->direct = own->joints <= left && (!own->hit || own->heavy || own->joints <= left_of_hit);
        if (own->direct)
            left -= own->joints;
        if (own->direct && own->hit && !own->heavy)
            left_of_hit -= own->joints;
    }
    return count > 0;
}

void cn_choose_direct(cn_builder *b)
{
    cn_joint_solve how = b->input->settings.joint_solve;
    if (b->joint_count == 0 || how == CN_JOINTS_SWEEP)
        return;
    int *parent = cn_arena_array(&b->world->arena, int, b->body_count);
    mechanism *mechanisms = find_mechanisms(b, parent);
    if (!choose_among(b, mechanisms) && how != CN_JOINTS_DIRECT)
        return;
    for (int i = 0; i < b->joint_count; i++) {
        const mechanism *own = &mechanisms[cn_find_root(parent, cn_pushed_body((cn_tie){ b->joints[i].a, b->joints[i].b }))];
        b->joints[i].direct = own->direct || how == CN_JOINTS_DIRECT;
        bool shakes = b->joints[i].direct && own->slow && own->moves && !b->joints[i].jammed;
        b->joints[i].grips |= own->hit || shakes; // its limits are about to carry much
        b->joints[i].rubs |= shakes;
        b->world->report.direct += b->joints[i].direct;
    }
}
