// What the solver sees of the bodies.
#include "world/build.h"

#include <string.h>

enum { BODIES_PER_TASK = 128 };

static cn_vec3 unlocked(cn_vec3 v, uint32_t locks, int first_bit)
{
    return cn_v3(locks >> first_bit & 1 ? 0.0f : v.x, locks >> (first_bit + 1) & 1 ? 0.0f : v.y,
                 locks >> (first_bit + 2) & 1 ? 0.0f : v.z);
}

static void fill_state(cn_body_state *state, const cn_body *body)
{
    *state = (cn_body_state){
        .linear = { body->linear_velocity.x, body->linear_velocity.y, body->linear_velocity.z },
        .angular = { body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z },
    };
}

static void fill_drive(cn_body_drive *drive, const cn_world *world, const cn_body *body, cn_sym3 inverse_inertia, bool pushed,
                       bool jointed, bool struck, bool follows, float dt)
{
    cn_vec3 linear = cn_scale(body->gravity_scale, world->def.gravity);
    linear = unlocked(cn_madd(linear, body->inverse_mass, body->force), body->locks, 0);
    cn_vec3 angular = cn_sym3_mul(inverse_inertia, body->torque);
    cn_vec3 lean = { 0.0f, 0.0f, 0.0f };
    if (body->gyroscopic && pushed && !struck && !follows) { // who is hit turns freely after the step, see finish.c
        lean = unlocked(cn_gyroscopic_acceleration(body, jointed, dt), body->locks, 3);
        angular = unlocked(cn_add(angular, lean), body->locks, 3);
    }
    *drive = (cn_body_drive){
        .acceleration = { linear.x, linear.y, linear.z, 0.0f, angular.x, angular.y, angular.z, 0.0f },
        .damping = { body->linear_damping, body->angular_damping },
        .locks = (uint16_t)body->locks,
        .lean = { lean.x, lean.y, lean.z },
        .leans = cn_length_sq(lean) > 0.0f && !jointed,
        .free = !pushed,
        .jointed = jointed,
        .follows = follows,
        .struck = struck,
    };
}

static void start_turn(const cn_solve_input *input, int state)
{
    float *turn = input->turns[state];
    turn[0] = turn[1] = turn[2] = 0.0f;
    turn[3] = 1.0f;
}

// What is off when the inertia of a jointed body stays as it was when the step began: the square of the angle it turns by, times how much
// more easily it turns about one axis than about another.
#define MOST_STALE 0.02f

static bool needs_following(const cn_body *body, float dt)
{
    cn_vec3 i = body->principal_inertia;
    float least = cn_minf(i.x, cn_minf(i.y, i.z)), most = cn_maxf(i.x, cn_maxf(i.y, i.z));
    return dt * dt * cn_length_sq(body->angular_velocity) * (most - least) > MOST_STALE * least;
}

void cn_fill_states(cn_builder *b, int task)
{
    const cn_world *world = b->world;
    int end = (task + 1) * BODIES_PER_TASK < b->body_count ? (task + 1) * BODIES_PER_TASK : b->body_count;
    for (int i = task * BODIES_PER_TASK; i < end; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        fill_state(&b->input->states[i], body);
        if (b->jointed[i])
            start_turn(b->input, i);
        if (body->type != CN_DYNAMIC) {
            b->masses[i] = (cn_body_mass){ 0 };
            b->input->drives[i] = (cn_body_drive){ 0 };
            continue;
        }
        cn_sym3 inverse = cn_body_world_inverse_inertia(body);
        b->masses[i] =
            (cn_body_mass){ body->inverse_mass, inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz, 0.0f };
        bool struck = b->struck[i] || b->input->dt * cn_length(cn_swing(body, body->angular_velocity)) > CN_MOST_STEADY_TURN;
        bool follows = b->jointed[i] && (b->struck[i] || needs_following(body, b->input->dt)) && cn_body_tumbles(body);
        fill_drive(&b->input->drives[i], world, body, inverse, b->pushed[i], b->jointed[i], struck && b->pushed[i] && !b->jointed[i],
                   follows, b->input->dt);
    }
}

// Marks the bodies that are tied, and returns how many ties have a side that nothing pushes.
static int mark_pushed(const cn_ties *ties, bool *pushed)
{
    int unpushed = 0;
    for (int i = 0; i < ties->count; i++) {
        cn_tie tie = cn_tie_at(ties, i);
        unpushed += tie.a < 0 || tie.b < 0;
        if (tie.a >= 0)
            pushed[tie.a] = true;
        if (tie.b >= 0)
            pushed[tie.b] = true;
    }
    return unpushed;
}

// Marks the bodies that may be hit faster than contact forces work.
static void mark_struck(const cn_builder *b)
{
    for (int i = 0; i < b->found_count; i++) {
        const cn_found_patch *found = &b->found[i];
        if (!found->may_hit || !(found->patch->extras & (CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT)))
            continue;
        if (found->a >= 0)
            b->struck[found->a] = true;
        if (found->b >= 0)
            b->struck[found->b] = true;
    }
}

void cn_allocate_states(cn_builder *b)
{
    // One more state for every patch or joint whose other body nothing pushes, and one for every eight lanes.
    cn_arena *arena = &b->world->arena;
    cn_ties patches = cn_patch_ties(b->found, b->found_count), joints = cn_joint_ties(b->joints, b->joint_count);
    size_t size = sizeof(bool) * (size_t)b->body_count;
    b->pushed = cn_arena_array(arena, bool, b->body_count);
    b->jointed = cn_arena_array(arena, bool, b->body_count);
    memset(b->jointed, 0, size);
    b->struck = cn_arena_array(arena, bool, b->body_count);
    memset(b->struck, 0, size);
    mark_struck(b);
    int unpushed = mark_pushed(&joints, b->jointed);
    memcpy(b->pushed, b->jointed, size);
    unpushed += mark_pushed(&patches, b->pushed);
    int capacity = b->body_count + unpushed + b->found_count + b->joint_count;
    b->input->states = cn_arena_array(arena, cn_body_state, capacity);
    b->input->drives = cn_arena_array(arena, cn_body_drive, capacity);
    b->input->masses = b->masses = cn_arena_array(arena, cn_body_mass, capacity);
    b->input->turns = (float(*)[4])cn_arena_alloc(arena, sizeof(float[4]) * (size_t)(b->joint_count > 0 ? capacity : 0));
}

int cn_fill_task_count(const cn_builder *b) { return (b->body_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK; }

void cn_count_patches(cn_builder *b)
{
    for (int i = 0; i < b->found_count; i++) {
        if (b->found[i].a >= 0)
            b->masses[b->found[i].a].pushed_by += 1.0f;
        if (b->found[i].b >= 0)
            b->masses[b->found[i].b].pushed_by += 1.0f;
    }
}

static int add_state(cn_builder *b, const cn_body_state *like)
{
    int state = b->input->state_count++;
    b->input->states[state] = like != NULL ? *like : (cn_body_state){ 0 };
    b->input->drives[state] = (cn_body_drive){ 0 };
    b->masses[state] = (cn_body_mass){ .pushed_by = 1.0f };
    return state;
}

// A body that nothing pushes may meet many patches and joints, on many threads: each gets its own copy of its state. Copies of
// kinematic bodies move along with the unit; the rest stay where they are.
typedef struct copy_list {
    int *units, *states;
    int count;
} copy_list;

static void copy_unpushed(cn_builder *b, int unit, int32_t *side, bool jointed, copy_list *copies)
{
    if (*side >= 0)
        return;
    bool moves = *side != CN_UNMOVING;
    *side = add_state(b, moves ? &b->input->states[CN_KINEMATIC_STATE(*side)] : NULL);
    b->input->drives[*side].jointed = jointed;
    if (jointed)
        start_turn(b->input, *side);
    if (moves) {
        copies->units[copies->count] = unit;
        copies->states[copies->count++] = *side;
        b->units[unit].body_count++;
    }
}

static int add_idle(cn_builder *b, int count, bool jointed)
{
    int first = b->input->state_count;
    for (int i = 0; i < count; i++) {
        int state = add_state(b, NULL);
        if (jointed)
            start_turn(b->input, state);
    }
    return first;
}

static void add_unpushed(cn_builder *b, copy_list *copies)
{
    for (int u = 0; u < b->unit_count; u++) {
        cn_unit *unit = &b->units[u];
        for (int i = 0; i < unit->patch_count; i++) {
            cn_found_patch *patch = &b->found[unit->first_patch + i];
            copy_unpushed(b, u, patch->a < 0 ? &patch->a : &patch->b, false, copies);
        }
        for (int i = 0; i < unit->joint_count; i++) {
            cn_found_joint *joint = &b->joints[unit->first_joint + i];
            copy_unpushed(b, u, joint->a < 0 ? &joint->a : &joint->b, true, copies);
        }
        int wides = 0;
        for (int c = 0, first = 0; c < unit->color_count; c++) {
            int end = b->input->color_ends[unit->first_color + c];
            wides += (end - first + CN_PATCH_LANES - 1) / CN_PATCH_LANES;
            first = end;
        }
        unit->first_idle = add_idle(b, wides, false);
        unit->first_joint_idle = add_idle(b, unit->joint_wide_count, true);
    }
}

void cn_list_bodies(cn_builder *b)
{
    cn_arena *arena = &b->world->arena;
    int ties = b->found_count + b->joint_count;
    copy_list copies = { cn_arena_array(arena, int, ties), cn_arena_array(arena, int, ties), 0 };
    b->input->state_count = b->body_count;
    add_unpushed(b, &copies);
    int *bodies = cn_arena_array(arena, int, b->body_count + copies.count), *next = cn_arena_array(arena, int, b->unit_count);
    int first = 0;
    for (int u = 0; u < b->unit_count; u++) {
        next[u] = b->units[u].first_body = first;
        first += b->units[u].body_count;
    }
    for (int i = 0; i < b->body_count; i++)
        bodies[next[b->unit_of[i]]++] = i;
    for (int i = 0; i < copies.count; i++)
        bodies[next[copies.units[i]]++] = copies.states[i];
    b->input->bodies = bodies;
    b->input->patches = b->found;
    b->input->joints = b->joints;
}
