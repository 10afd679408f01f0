// What one shape answers to a question. Places come in double and are looked at in the frame of the shape, in float, from near
// it: so answers are as exact at the end of a world as in its middle, and for a ray that comes from far away as for a near one.
#include "collide/cast_parts.h"
#include "world/query.h"

// ---- frames

// Most of what rays meet does not turn, and turning costs as much as the rest of what is done here.
static inline bool is_turned(cn_quat q) { return q.x != 0.0f || q.y != 0.0f || q.z != 0.0f; }
static inline cn_vec3 rotate(cn_quat q, cn_vec3 v) { return is_turned(q) ? cn_rotate(q, v) : v; }
static inline cn_vec3 unrotate(cn_quat q, cn_vec3 v) { return is_turned(q) ? cn_unrotate(q, v) : v; }

static inline cn_vec3 into_frame(const cn_body *body, const cn_shape *shape, cn_vec3 from_center)
{
    cn_vec3 p = unrotate(body->rotation, from_center);
    return shape->centered ? p : unrotate(shape->pose.rotation, cn_sub(p, shape->pose.position));
}

static inline cn_vec3 into_axes(const cn_body *body, const cn_shape *shape, cn_vec3 v)
{
    return unrotate(shape->pose.rotation, unrotate(body->rotation, v));
}

static cn_vec3 out_of_axes(const cn_body *body, const cn_shape *shape, cn_vec3 v)
{
    return rotate(body->rotation, rotate(shape->pose.rotation, v));
}

static cn_pos3 out_of_frame(const cn_body *body, const cn_shape *shape, cn_vec3 p)
{
    cn_vec3 from_center = cn_add(shape->pose.position, rotate(shape->pose.rotation, p));
    return cn_pos_add(body->center, rotate(body->rotation, from_center));
}

static cn_quat turn_into_frame(const cn_body *body, const cn_shape *shape, cn_quat rotation)
{
    cn_quat own = cn_quat_mul(body->rotation, shape->pose.rotation);
    return cn_quat_normalize(cn_quat_mul(cn_quat_conj(own), rotation));
}

// ---- casts

// The part of the way on which the caster can meet the body at all, generously: from `start`, for `span`, as fractions.
typedef struct near_way {
    double start, span;
    cn_vec3 from_center; // where it begins
} near_way;

static near_way find_near_way(const cn_body *body, const cn_shape *shape, const cn_caster *caster)
{
    double x = caster->position.x - body->center.x, y = caster->position.y - body->center.y,
           z = caster->position.z - body->center.z;
    near_way way = { .span = 1.0 };
    double reach = 2.0 * ((double)shape->reach + (double)caster->radius);
    if (caster->length > reach) {
        double dx = (double)caster->translation.x, dy = (double)caster->translation.y, dz = (double)caster->translation.z;
        double inverse = 1.0 / caster->length;
        double nearest = -(x * dx + y * dy + z * dz) * inverse * inverse, before = nearest - reach * inverse;
        way.start = before > 0.0 ? before : 0.0;
        way.span = (double)(float)(nearest + reach * inverse - way.start);
        x += way.start * dx;
        y += way.start * dy;
        z += way.start * dz;
    }
    way.from_center = cn_v3((float)x, (float)y, (float)z);
    return way;
}

static bool meet(const cn_shape *shape, const cn_caster *caster, cn_pose pose, cn_vec3 translation, float limit,
                 cn_cast_result *result, int *part)
{
    *part = -1;
    if (cn_is_composite(shape))
        return caster->is_ray
                   ? cn_cast_ray_parts(&shape->composite, pose.position, translation, limit, result, part)
                   : cn_cast_convex_parts(&shape->composite, &caster->convex, pose, translation, limit, result, part);
    return caster->is_ray ? cn_cast_ray(&shape->convex, pose.position, translation, limit, result)
                          : cn_cast_convex(&shape->convex, &caster->convex, pose, translation, 0.0f, limit, result);
}

bool cn_shape_meet(const cn_world *world, int index, const cn_caster *caster, float limit, cn_found *found)
{
    const cn_shape *shape = &world->shapes.data[index];
    const cn_body *body = &world->bodies.data[shape->body];
    near_way way = find_near_way(body, shape, caster);
    if (!(way.span >= 0.0) || way.start > (double)limit)
        return false;
    cn_pose pose = { into_frame(body, shape, way.from_center), CN_QUAT_IDENTITY };
    if (!caster->is_ray)
        pose.rotation = turn_into_frame(body, shape, caster->rotation);
    cn_vec3 translation = into_axes(body, shape, cn_scale((float)way.span, caster->translation));
    // A little farther than asked for: rounding decides at the end, the same for all shapes.
    double rest = way.span > 0.0 ? ((double)limit - way.start) / way.span * (1.0 + 1e-6) : 1.0;
    cn_cast_result result;
    if (!meet(shape, caster, pose, translation, rest < 1.0 ? (float)rest : 1.0f, &result, &found->part))
        return false;
    found->fraction = (float)(way.start + way.span * (double)result.fraction);
    found->shape = index;
    found->point = result.point;
    found->normal = result.normal;
    return found->fraction <= limit;
}

static uint64_t material_of(const cn_shape *shape, int part)
{
    if (part < 0 || shape->material_count == 0)
        return shape->material.user_data;
    cn_part where;
    cn_composite_part(&shape->composite, part, &where);
    return cn_part_material(shape, where.material)->user_data;
}

cn_hit cn_found_hit(const cn_world *world, const cn_found *found)
{
    const cn_shape *shape = &world->shapes.data[found->shape];
    const cn_body *body = &world->bodies.data[shape->body];
    return (cn_hit){ .hit = true,
                     .shape = cn_shape_id_of(world, found->shape),
                     .part = found->part,
                     .fraction = found->fraction,
                     .point = out_of_frame(body, shape, found->point),
                     .normal = out_of_axes(body, shape, found->normal),
                     .material = material_of(shape, found->part) };
}

// ---- overlaps and closest points

static cn_pose pose_in_frame(const cn_body *body, const cn_shape *shape, const cn_caster *caster)
{
    return (cn_pose){ into_frame(body, shape, cn_pos_sub(caster->position, body->center)),
                      turn_into_frame(body, shape, caster->rotation) };
}

bool cn_shape_touches(const cn_world *world, int index, const cn_caster *caster)
{
    const cn_shape *shape = &world->shapes.data[index];
    cn_pose pose = pose_in_frame(&world->bodies.data[shape->body], shape, caster);
    return cn_is_composite(shape) ? cn_overlap_parts(&shape->composite, &caster->convex, pose)
                                  : cn_overlap_convex(&shape->convex, &caster->convex, pose);
}

bool cn_shape_near(const cn_world *world, int index, const cn_caster *caster, float limit, cn_closest_hit *hit)
{
    const cn_shape *shape = &world->shapes.data[index];
    const cn_body *body = &world->bodies.data[shape->body];
    cn_pose pose = pose_in_frame(body, shape, caster);
    cn_distance_result d;
    int part = -1;
    if (!cn_is_composite(shape))
        d = cn_convex_distance(&shape->convex, &caster->convex, pose);
    else if (!cn_distance_parts(&shape->composite, &caster->convex, pose, limit, &d, &part))
        return false;
    if (!(d.distance <= limit))
        return false;
    *hit = (cn_closest_hit){ .hit = true,
                             .shape = cn_shape_id_of(world, index),
                             .part = part,
                             .distance = d.distance,
                             .point = out_of_frame(body, shape, d.point_a),
                             .probe_point = out_of_frame(body, shape, d.point_b),
                             .normal = out_of_axes(body, shape, d.normal) };
    return true;
}
