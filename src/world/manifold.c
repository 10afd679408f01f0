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

// What the points of the old places carried, one place after the other.
typedef struct carried {
    int count;
    uint32_t feature[CN_MAX_MANIFOLDS * CN_MAX_POINTS];
    uint8_t place[CN_MAX_MANIFOLDS * CN_MAX_POINTS];
    float force[CN_MAX_MANIFOLDS * CN_MAX_POINTS][3]; // along the normal, friction
} carried;

static void remember_forces(const cn_touch *touch, int place, carried *old)
{
    const cn_patch *patch = &touch->patch;
    for (int i = 0; i < patch->point_count; i++) {
        int k = old->count++;
        old->feature[k] = touch->anchors.feature[i];
        old->place[k] = (uint8_t)place;
        old->force[k][0] = patch->force[i];
        old->force[k][1] = patch->point_friction[0][i];
        old->force[k][2] = patch->point_friction[1][i];
    }
}

// Points that are the same as in one of the old places start from its forces.
static void match_forces(cn_touch *touch, const carried *old)
{
    cn_patch *patch = &touch->patch;
    memset(patch->force, 0, sizeof patch->force);
    memset(patch->point_friction, 0, sizeof patch->point_friction);
    for (int i = 0; i < patch->point_count; i++) {
        int k = 0;
        while (k < old->count && old->feature[k] != touch->anchors.feature[i])
            k++;
        if (k == old->count)
            continue;
        patch->force[i] = old->force[k][0];
        patch->point_friction[0][i] = old->force[k][1];
        patch->point_friction[1][i] = old->force[k][2];
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
    carried old;
    old.count = 0;
    remember_forces(&contact->touch, 0, &old);
    set_points(&contact->touch, a, b_in_a, &manifold);
    match_forces(&contact->touch, &old);
    return needed;
}

// ---- shapes of many parts

// The old place that lives on in a manifold: the one it shares most points with, or which faces the same way.
static int find_ancestor(const cn_touch *old, int old_count, const carried *points, const bool *taken,
                         const cn_manifold *manifold, cn_vec3 normal)
{
    int shared[CN_MAX_MANIFOLDS] = { 0 }, best = CN_NONE;
    float best_score = 0.99f; // the cosine between two normals that count as the same
    for (int i = 0; i < manifold->count; i++)
        for (int k = 0; k < points->count; k++)
            shared[points->place[k]] += points->feature[k] == manifold->points[i].feature;
    for (int i = 0; i < old_count; i++) {
        float score = cn_dot(old[i].local_normal, normal) + 2.0f * (float)shared[i];
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
    carried forces;
    bool taken[CN_MAX_MANIFOLDS] = { false };
    int old_count = contact->touch_count;
    forces.count = 0;
    for (int i = 0; i < old_count; i++) {
        old[i] = *cn_contact_touch(contact, i);
        remember_forces(&old[i], i, &forces);
    }
    reserve_touches(world, contact, count);
    contact->touch_count = (uint8_t)count;
    if (count == 0)
        contact->touch.patch.point_count = 0;
    for (int i = 0; i < count; i++) {
        cn_touch *touch = cn_contact_touch(contact, i);
        const cn_manifold *manifold = &manifolds[i].manifold;
        cn_vec3 normal = cn_rotate(a->pose.rotation, manifold->normal);
        int ancestor = find_ancestor(old, old_count, &forces, taken, manifold, normal);
        if (ancestor != CN_NONE) {
            *touch = old[ancestor];
            taken[ancestor] = true;
        } else {
            memset(touch, 0, sizeof *touch);
        }
        touch->material = (uint16_t)manifolds[i].material;
        set_points(touch, a, b_in_a, manifold);
        match_forces(touch, &forces);
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
