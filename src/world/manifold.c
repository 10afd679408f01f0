// The places where the shapes of a contact touch, computed in full, and the forces they take over from the last time.
#include "collide/collide_parts.h"
#include "world/world.h"

#include <string.h>

// The distance up to which a pair is known to be apart when all that was found were ghosts: they are looked at again in the
// next step.
#define LOOK_AGAIN (-1.0f)

// From the frames of the bodies' centres of mass to those of the shapes, which are often the same.
static cn_pose shape_pose(const cn_shape *a, const cn_shape *b, cn_pose b_in_a)
{
    if (!a->centered)
        b_in_a = cn_pose_mul(cn_pose_inverse(a->pose), b_in_a);
    if (!b->centered)
        b_in_a = cn_pose_mul(b_in_a, b->pose);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return b_in_a;
}

// What the points of one place carried.
typedef struct carried {
    uint32_t feature[CN_MAX_POINTS];
    float force[CN_MAX_POINTS], friction[2][CN_MAX_POINTS];
    int count;
} carried;

static carried remember_forces(const cn_touch *touch)
{
    carried old = { .count = touch->patch.point_count };
    memcpy(old.feature, touch->anchors.feature, sizeof old.feature);
    memcpy(old.force, touch->patch.force, sizeof old.force);
    memcpy(old.friction, touch->patch.point_friction, sizeof old.friction);
    return old;
}

// Points that are the same as in one of the old places start from its forces.
static void match_forces(cn_touch *touch, const carried *old, int old_count)
{
    cn_patch *patch = &touch->patch;
    memset(patch->force, 0, sizeof patch->force);
    memset(patch->point_friction, 0, sizeof patch->point_friction);
    for (int i = 0; i < patch->point_count; i++) {
        for (int k = 0; k < old_count * CN_MAX_POINTS; k++) {
            const carried *place = &old[k / CN_MAX_POINTS];
            int point = k % CN_MAX_POINTS;
            if (point < place->count && place->feature[point] == touch->anchors.feature[i]) {
                patch->force[i] = place->force[point];
                patch->point_friction[0][i] = place->friction[0][point];
                patch->point_friction[1][i] = place->friction[1][point];
                break;
            }
        }
    }
}

// Fixes the points of a manifold to the surfaces of both bodies.
static void set_points(cn_touch *touch, const cn_shape *a, cn_pose b_in_a, const cn_manifold *manifold)
{
    touch->patch.point_count = (uint8_t)manifold->count;
    touch->local_normal = a->centered ? manifold->normal : cn_rotate(a->pose.rotation, manifold->normal);
    cn_mat3 rotation = cn_mat3_from_quat(b_in_a.rotation);
    for (int i = 0; i < manifold->count; i++) {
        const cn_manifold_point *point = &manifold->points[i];
        cn_vec3 middle = a->centered ? point->position : cn_pose_point(a->pose, point->position);
        cn_vec3 half = cn_scale(0.5f * point->separation, touch->local_normal);
        cn_set_anchor(touch->anchors.a, i, cn_sub(middle, half));
        cn_set_anchor(touch->anchors.b, i, cn_mat3_tmul(&rotation, cn_sub(cn_add(middle, half), b_in_a.position)));
        touch->anchors.feature[i] = point->feature;
    }
}

static bool overlaps(const cn_manifold *manifold)
{
    bool below = false;
    for (int i = 0; i < manifold->count; i++)
        below |= manifold->points[i].separation <= 0.0f;
    return below;
}

static float compute_convex(const cn_world *world, cn_contact *contact, const cn_shape *a, const cn_shape *b, cn_pose b_in_a,
                            float needed, float slack)
{
    cn_manifold manifold;
    cn_pose pose = shape_pose(a, b, b_in_a);
    cn_collide(&a->convex, &b->convex, pose, needed + slack, &contact->cache, &manifold);
    bool ghost = manifold.count > 0 && cn_is_ghost(world, contact, pose, &manifold);
    contact->touch_count = manifold.count > 0 && !ghost;
    contact->grazes = ghost && overlaps(&manifold);
    if (contact->touch_count == 0) {
        contact->touch.patch.point_count = 0;
        return ghost ? LOOK_AGAIN : cn_maxf(needed + slack, manifold.gap);
    }
    carried old = remember_forces(&contact->touch);
    set_points(&contact->touch, a, b_in_a, &manifold);
    match_forces(&contact->touch, &old, 1);
    return needed;
}

// ---- shapes of many parts

static int shared_features(const cn_touch *touch, const cn_manifold *manifold)
{
    int shared = 0;
    for (int i = 0; i < touch->patch.point_count; i++)
        for (int k = 0; k < manifold->count; k++)
            shared += touch->anchors.feature[i] == manifold->points[k].feature;
    return shared;
}

// The old place that lives on in a manifold: the one it shares most points with, or which faces the same way.
static int find_ancestor(const cn_touch *old, int old_count, const bool *taken, const cn_manifold *manifold, cn_vec3 normal)
{
    int best = CN_NONE;
    float best_score = 0.99f; // the cosine between two normals that count as the same
    for (int i = 0; i < old_count; i++) {
        float score = cn_dot(old[i].local_normal, normal) + 2.0f * (float)shared_features(&old[i], manifold);
        if (!taken[i] && score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static void reserve_touches(const cn_world *world, cn_contact *contact, int count)
{
    if (count - 1 <= contact->more_capacity)
        return;
    cn_release(&world->allocator, contact->more, sizeof(cn_touch) * (size_t)contact->more_capacity);
    contact->more_capacity = (uint8_t)(count - 1);
    contact->more = cn_allocate(&world->allocator, sizeof(cn_touch) * (size_t)contact->more_capacity, 64);
}

static int drop_ghosts(const cn_world *world, cn_contact *contact, cn_pose b_in_a, cn_part_manifold *manifolds, int count)
{
    int kept = 0;
    contact->grazes = false;
    for (int i = 0; i < count; i++) {
        if (cn_is_ghost(world, contact, b_in_a, &manifolds[i].manifold))
            contact->grazes |= overlaps(&manifolds[i].manifold);
        else
            manifolds[kept++] = manifolds[i];
    }
    return kept;
}

// The scope in the frame of the shape; in that of the body it comes.
static cn_scope shape_scope(const cn_shape *a, cn_scope scope, float slack)
{
    scope.least += slack;
    scope.most += slack;
    if (!a->centered)
        scope.motion = cn_unrotate(a->pose.rotation, scope.motion);
    return scope;
}

static float compute_composite(const cn_world *world, cn_contact *contact, const cn_shape *a, const cn_shape *b, cn_pose b_in_a,
                               const cn_scope *scope, float slack)
{
    cn_part_manifold manifolds[CN_MAX_MANIFOLDS];
    float gap;
    cn_pose pose = shape_pose(a, b, b_in_a);
    int found = cn_collide_parts(&a->composite, &b->convex, pose, shape_scope(a, *scope, slack), manifolds, &gap);
    int count = drop_ghosts(world, contact, pose, manifolds, found);
    cn_touch old[CN_MAX_MANIFOLDS];
    carried forces[CN_MAX_MANIFOLDS];
    bool taken[CN_MAX_MANIFOLDS] = { false };
    int old_count = contact->touch_count;
    for (int i = 0; i < old_count; i++) {
        old[i] = *cn_contact_touch(contact, i);
        forces[i] = remember_forces(&old[i]);
    }
    reserve_touches(world, contact, count);
    contact->touch_count = (uint8_t)count;
    if (count == 0)
        contact->touch.patch.point_count = 0;
    for (int i = 0; i < count; i++) {
        cn_touch *touch = cn_contact_touch(contact, i);
        const cn_manifold *manifold = &manifolds[i].manifold;
        cn_vec3 normal = cn_rotate(a->pose.rotation, manifold->normal);
        int ancestor = find_ancestor(old, old_count, taken, manifold, normal);
        float inverse_size = contact->touch.patch.inverse_size;
        if (ancestor != CN_NONE) {
            *touch = old[ancestor];
            taken[ancestor] = true;
        } else {
            memset(touch, 0, sizeof *touch);
        }
        touch->patch.inverse_size = inverse_size;
        touch->material = (uint16_t)manifolds[i].material;
        set_points(touch, a, b_in_a, manifold);
        match_forces(touch, forces, old_count);
    }
    if (count > 0)
        return scope->least;
    return found > 0 ? LOOK_AGAIN : gap;
}

float cn_contact_compute(const cn_world *world, cn_contact *contact, cn_pose b_in_a, const cn_scope *scope, float slack)
{
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    return cn_is_composite(a) ? compute_composite(world, contact, a, b, b_in_a, scope, slack)
                              : compute_convex(world, contact, a, b, b_in_a, scope->most, slack);
}
