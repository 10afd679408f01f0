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
                       float dt)
{
    cn_vec3 linear = cn_scale(body->gravity_scale, world->def.gravity);
    linear = unlocked(cn_madd(linear, body->inverse_mass, body->force), body->locks, 0);
    cn_vec3 angular = cn_sym3_mul(inverse_inertia, body->torque);
    if (body->gyroscopic && pushed)
        angular = unlocked(cn_add(angular, cn_gyroscopic_acceleration(body, dt)), body->locks, 3);
    *drive = (cn_body_drive){
        .acceleration = { linear.x, linear.y, linear.z, 0.0f, angular.x, angular.y, angular.z, 0.0f },
        .damping = { body->linear_damping, body->angular_damping },
        .locks = (uint16_t)body->locks,
        .free = !pushed,
    };
}

void cn_fill_states(cn_builder *b, int task)
{
    const cn_world *world = b->world;
    int end = (task + 1) * BODIES_PER_TASK < b->body_count ? (task + 1) * BODIES_PER_TASK : b->body_count;
    for (int i = task * BODIES_PER_TASK; i < end; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        fill_state(&b->input->states[i], body);
        if (body->type != CN_DYNAMIC) {
            b->masses[i] = (cn_body_mass){ 0 };
            b->input->drives[i] = (cn_body_drive){ 0 };
            continue;
        }
        cn_sym3 inverse = cn_body_world_inverse_inertia(body);
        b->masses[i] =
            (cn_body_mass){ body->inverse_mass, inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz, 0.0f };
        fill_drive(&b->input->drives[i], world, body, inverse, b->pushed[i], b->input->dt);
    }
}

void cn_allocate_states(cn_builder *b)
{
    // One more state for every patch whose other body nothing pushes, and one for every eight lanes.
    cn_arena *arena = &b->world->arena;
    int unpushed = 0;
    b->pushed = cn_arena_array(arena, bool, b->body_count);
    memset(b->pushed, 0, sizeof(bool) * (size_t)b->body_count);
    for (int i = 0; i < b->found_count; i++) {
        const cn_found_patch *patch = &b->found[i];
        unpushed += patch->a < 0 || patch->b < 0;
        if (patch->a >= 0)
            b->pushed[patch->a] = true;
        if (patch->b >= 0)
            b->pushed[patch->b] = true;
    }
    int capacity = b->body_count + unpushed + b->found_count;
    b->input->states = cn_arena_array(arena, cn_body_state, capacity);
    b->input->drives = cn_arena_array(arena, cn_body_drive, capacity);
    b->input->masses = b->masses = cn_arena_array(arena, cn_body_mass, capacity);
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

// A body that nothing pushes may meet many patches, on many threads: each patch gets its own copy of its state. Copies of
// kinematic bodies move along with the unit of the patch; the rest stay where they are.
static void add_unpushed(cn_builder *b, int *unit_of_copy, int *copy_count)
{
    for (int u = 0; u < b->unit_count; u++) {
        for (int i = 0; i < b->units[u].patch_count; i++) {
            cn_found_patch *patch = &b->found[b->units[u].first_patch + i];
            int32_t *side = patch->a < 0 ? &patch->a : &patch->b;
            if (*side == CN_UNMOVING) {
                *side = add_state(b, NULL);
            } else if (*side < 0) {
                *side = add_state(b, &b->input->states[CN_KINEMATIC_STATE(*side)]);
                unit_of_copy[2 * *copy_count] = u;
                unit_of_copy[2 * (*copy_count)++ + 1] = *side;
                b->units[u].body_count++;
            }
        }
        int wides = 0;
        for (int c = 0, first = 0; c < b->units[u].color_count; c++) {
            int end = b->input->color_ends[b->units[u].first_color + c];
            wides += (end - first + CN_PATCH_LANES - 1) / CN_PATCH_LANES;
            first = end;
        }
        b->units[u].first_idle = b->input->state_count;
        for (int i = 0; i < wides; i++)
            add_state(b, NULL);
    }
}

void cn_list_bodies(cn_builder *b)
{
    cn_arena *arena = &b->world->arena;
    int *copies = cn_arena_array(arena, int, 2 * b->found_count), copy_count = 0; // pairs of unit and state
    b->input->state_count = b->body_count;
    add_unpushed(b, copies, &copy_count);
    int *bodies = cn_arena_array(arena, int, b->body_count + copy_count), *next = cn_arena_array(arena, int, b->unit_count);
    int first = 0;
    for (int u = 0; u < b->unit_count; u++) {
        next[u] = b->units[u].first_body = first;
        first += b->units[u].body_count;
    }
    for (int i = 0; i < b->body_count; i++)
        bodies[next[b->unit_of[i]]++] = i;
    for (int i = 0; i < copy_count; i++)
        bodies[next[copies[2 * i]]++] = copies[2 * i + 1];
    b->input->bodies = bodies;
    b->input->patches = b->found;
}
