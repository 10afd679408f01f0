// The patch of a place where two shapes touch, as the solver sees it in this step.
#include "base/simd.h"
#include "world/world.h"

// Bodies that move against each other by more than this many margins per step are followed exactly while they do.
#define SLIDING_MOTION 0.05f
// A gap wider than this part of the margin is watched within the step.
#define APART_DISTANCE 0.05f

static void fill_patch_materials(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_body *a,
                                 const cn_body *b, bool sliding, float dt)
{
    cn_patch *patch = &touch->patch;
    cn_mix mix = cn_touch_mix(world, contact, touch);
    patch->friction = patch->sliding ? mix.kinetic_friction : mix.friction;
    patch->spin_arm = mix.spin_arm;
    patch->extras = 0;
    if (mix.restitution > 0.0f || contact->hits)
        patch->extras |= CN_EXTRA_RESTITUTION;
    if (mix.rolling_arm > 0.0f)
        patch->extras |= CN_EXTRA_ROLLING;
    if (((a->locks | b->locks) & (CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z)) != 0)
        patch->extras |= CN_EXTRA_LOCKS;
    patch->restitution = mix.restitution;
    patch->rolling_arm = mix.rolling_arm;
    if (a->inverse_mass > 0.0f && b->inverse_mass > 0.0f && sliding)
        patch->extras |= CN_EXTRA_SLIDING;
    cn_touch_set_surface_velocity(world, contact, touch, &mix, dt);
    if (mix.grain != CN_GRAIN_NONE)
        cn_touch_set_grain(world, contact, touch, &mix);
}

// A ball about its centre of mass.
static bool is_ball(const cn_shape *shape)
{
    return shape->convex.type == CN_SPHERE && cn_length_sq(shape->pose.position) == 0.0f;
}

// Whether some point closes within the step, at that speed or faster. Contact forces can stop what comes by less than its size in a step;
// what is faster is an impact, also where it does not bounce. What hangs in joints is one from `restitution_speed` on: contacts and joints
// that pass a blow on to each other as forces, substep by substep, would add energy.
static bool is_struck(const cn_patch *patch, const cn_body *a, const cn_body *b, float threshold, float dt)
{
    cn_vec3 n = { patch->normal[0], patch->normal[1], patch->normal[2] };
    cn_vec3 between = { patch->between[0], patch->between[1], patch->between[2] };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = { patch->points[0][k], patch->points[1][k], patch->points[2][k] };
        cn_vec3 va = cn_add(a->linear_velocity, cn_cross(a->angular_velocity, arm));
        cn_vec3 vb = cn_add(b->linear_velocity, cn_cross(b->angular_velocity, cn_sub(arm, between)));
        float speed = cn_dot(n, cn_sub(va, vb));
        if (speed > threshold && patch->separation[k] < dt * speed)
            return true;
    }
    return false;
}

static bool is_hit(const cn_world *world, const cn_contact *contact, const cn_patch *patch, bool jointed, float motion, float dt)
{
    float fast = cn_maxf(world->def.restitution_speed, jointed ? 0.0f : 1.0f / (dt * contact->inverse_size));
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    return motion > dt * fast && is_struck(patch, a, b, fast, dt);
}

CN_INLINE cn_f4 splat(float x) { return (cn_f4){ x, x, x, x }; }

// R p for the four points at once.
CN_INLINE void rotate_points(const cn_mat3 *r, const float rows[3][CN_MAX_POINTS], cn_f4 out[3])
{
    cn_f4 x = *(const cn_f4 *)rows[0], y = *(const cn_f4 *)rows[1], z = *(const cn_f4 *)rows[2];
    out[0] = splat(r->x.x) * x + splat(r->y.x) * y + splat(r->z.x) * z;
    out[1] = splat(r->x.y) * x + splat(r->y.y) * y + splat(r->z.y) * z;
    out[2] = splat(r->x.z) * x + splat(r->y.z) * y + splat(r->z.z) * z;
}

// An overlap deeper than this, as a negative separation, reaches far out of the smaller body.
static float deepest_between(const cn_body *a, const cn_body *b) { return -2.0f * cn_minf(a->extent, b->extent); }

// Of the way between the surfaces, the part from a's to b's where the two meet when each gives way by its inverse mass, as levers that
// follow a slide do.
static float meeting_part(const cn_body *a, const cn_body *b)
{
    float sum = a->inverse_mass + b->inverse_mass;
    return sum > 0.0f ? b->inverse_mass * (1.0f / sum) : 0.5f;
}

// Forces act halfway between the surfaces. Halfway through a deep overlap that would turn the smaller body as no force can: there they act
// where the two meet.
static void move_deep_points(cn_patch *patch, const cn_body *a, const cn_body *b, const cn_f4 on_a[3], const cn_f4 on_b[3])
{
    float part = meeting_part(a, b);
    for (int i = 0; i < patch->point_count; i++)
        for (int k = 0; patch->separation[i] < deepest_between(a, b) && k < 3; k++)
            patch->points[k][i] = on_a[k][i] + part * (on_b[k][i] - on_a[k][i]);
}

static bool is_round(const cn_shape *shape)
{
    cn_shape_type type = shape->convex.type;
    return type == CN_SPHERE || type == CN_CAPSULE || type == CN_TAPERED_CAPSULE;
}

// A round body touches with the surface that is nearest now, however it turns, and friction has the lever that it has there, whether it is
// still apart or one point of it has got in already. Which corner of another body touches is not known, halfway is as good as any.
static void move_round_points(cn_patch *patch, const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float gap)
{
    if (!is_round(shape_a) && !is_round(shape_b))
        return;
    float part = meeting_part(a, b), along = is_round(part > 0.5f ? shape_b : shape_a) ? (part - 0.5f) * gap : 0.0f;
    for (int i = 0; i < patch->point_count && along != 0.0f; i++)
        for (int k = 0; k < 3; k++)
            patch->points[k][i] += along * patch->normal[k];
}

// Where the points are now: carried along by both bodies, and measured along the normal, which turns with a. Returns the
// smallest separation, and the largest.
static float fill_patch_points(cn_touch *touch, const cn_body *a, const cn_body *b, cn_vec3 between, float *largest)
{
    cn_patch *patch = &touch->patch;
    cn_mat3 rotation_a = cn_mat3_from_quat(a->rotation), rotation_b = cn_mat3_from_quat(b->rotation);
    cn_vec3 normal = cn_mat3_mul(&rotation_a, touch->local_normal);
    const float n[3] = { normal.x, normal.y, normal.z }, offset[3] = { between.x, between.y, between.z };
    cn_f4 on_a[3], on_b[3], separation = splat(0.0f);
    rotate_points(&rotation_a, touch->anchors.a, on_a);
    rotate_points(&rotation_b, touch->anchors.b, on_b);
    for (int k = 0; k < 3; k++) {
        patch->normal[k] = n[k];
        patch->between[k] = offset[k];
        on_b[k] += splat(offset[k]);
        *(cn_f4 *)patch->points[k] = splat(0.5f) * (on_a[k] + on_b[k]);
        separation += splat(n[k]) * (on_b[k] - on_a[k]);
    }
    *(cn_f4 *)patch->separation = separation;
    float smallest = CN_FAR;
    *largest = -CN_FAR;
    for (int i = 0; i < patch->point_count; i++) {
        smallest = cn_minf(smallest, patch->separation[i]);
        *largest = cn_maxf(*largest, patch->separation[i]);
    }
    if (smallest < deepest_between(a, b))
        move_deep_points(patch, a, b, on_a, on_b);
    for (int i = patch->point_count; i < CN_MAX_POINTS; i++) {
        patch->points[0][i] = patch->points[1][i] = patch->points[2][i] = 0.0f;
        patch->separation[i] = CN_FAR;
    }
    return smallest;
}

float cn_touch_fill_patch(const cn_world *world, const cn_contact *contact, cn_touch *touch, cn_vec3 between, float motion,
                          float dt)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    float margin = cn_minf(shape_a->margin, shape_b->margin), largest;
    float smallest = fill_patch_points(touch, a, b, between, &largest);
    // A mechanism gives way as a whole.
    if (a->joint_count + b->joint_count == 0 && (smallest > 0.0f || touch->patch.point_count == 1) && smallest >= deepest_between(a, b))
        move_round_points(&touch->patch, a, b, shape_a, shape_b, smallest);
    fill_patch_materials(world, contact, touch, a, b, motion > SLIDING_MOTION * margin, dt);
    if (largest > APART_DISTANCE * margin)
        touch->patch.extras |= CN_EXTRA_APART;
    bool jointed = a->joint_count + b->joint_count > 0;
    bool was_hit = jointed && touch->patch.impact > 0.0f; // its mechanism is looked after in the next step, too
    if (was_hit || (motion > dt * world->def.restitution_speed && is_hit(world, contact, &touch->patch, jointed, motion, dt)))
        touch->patch.extras |= CN_EXTRA_IMPACT;
    touch->patch.ball_radius = is_ball(shape_a) && is_ball(shape_b) ? shape_a->convex.radius : 0.0f;
    return smallest;
}
