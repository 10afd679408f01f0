// From the words of the user to a question, and the walk through the trees that looks for answers.
#include "world/check.h"
#include "world/query.h"

cn_query_filter cn_query_filter_default(void) { return (cn_query_filter){ .category = UINT64_MAX, .mask = UINT64_MAX }; }

static int body_index(const cn_world *world, cn_body_id id)
{
    if (id.index1 == 0 || id.world != world->tag || id.index1 > (uint32_t)world->bodies.count)
        return CN_NONE;
    const cn_body *body = &world->bodies.data[id.index1 - 1];
    return body->used && body->generation == id.generation ? (int)id.index1 - 1 : CN_NONE;
}

bool cn_viewer_make(const cn_world *world, const char *function, const cn_query_filter *filter, cn_viewer *viewer)
{
    if (!cn_check_askable(world, function))
        return false;
    viewer->world = world;
    viewer->filter = filter != NULL ? *filter : cn_query_filter_default();
    viewer->ignored = body_index(world, viewer->filter.ignored_body);
    return true;
}

static void set_translation(cn_caster *caster, cn_vec3 translation)
{
    double x = (double)translation.x, y = (double)translation.y, z = (double)translation.z;
    caster->translation = translation;
    caster->length = sqrt(x * x + y * y + z * z);
}

cn_caster cn_caster_at(cn_pos3 place)
{
    return (cn_caster){ .convex = { .type = CN_SPHERE }, .position = place, .rotation = CN_QUAT_IDENTITY };
}

bool cn_check_ray(const char *function, const cn_ray *ray)
{
    return cn_check_pointer(function, "ray", ray) && cn_check_position(function, "ray.origin", ray->origin) &&
           cn_check_vec3(function, "ray.translation", ray->translation);
}

cn_caster cn_caster_of_ray(const cn_ray *ray)
{
    cn_caster caster = cn_caster_at(ray->origin);
    caster.is_ray = true;
    set_translation(&caster, ray->translation);
    return caster;
}

static cn_caster convex_caster(const cn_convex *convex, cn_pos3 position, cn_quat rotation)
{
    cn_caster caster = { .convex = *convex, .position = position, .rotation = rotation };
    cn_pose turned = { { 0.0f, 0.0f, 0.0f }, rotation };
    cn_convex_bounds(convex, turned, &caster.lower, &caster.upper);
    caster.radius = cn_convex_outer_radius(convex, cn_v3(0.0f, 0.0f, 0.0f));
    return caster;
}

bool cn_check_probe(const cn_world *world, const char *function, const cn_probe *probe)
{
    cn_convex convex;
    return cn_check_pointer(function, "probe", probe) &&
           cn_make_convex(world, function, "probe.geometry", &probe->geometry, &convex) &&
           cn_check_position(function, "probe.transform.position", probe->transform.position) &&
           cn_check_quat(function, "probe.transform.rotation", probe->transform.rotation) &&
           cn_check_vec3(function, "probe.translation", probe->translation);
}

cn_caster cn_caster_of_probe(const cn_world *world, const cn_probe *probe)
{
    cn_convex convex;
    cn_make_convex(world, "", "", &probe->geometry, &convex);
    cn_caster caster = convex_caster(&convex, probe->transform.position, cn_quat_normalize(probe->transform.rotation));
    set_translation(&caster, probe->translation);
    return caster;
}

cn_caster cn_caster_of_shape(const cn_world *world, const cn_shape *shape)
{
    const cn_body *body = &world->bodies.data[shape->body];
    cn_pos3 position = cn_pos_add(body->center, cn_rotate(body->rotation, shape->pose.position));
    return convex_caster(&shape->convex, position, cn_quat_normalize(cn_quat_mul(body->rotation, shape->pose.rotation)));
}

float cn_walk_along(const cn_world *world, const cn_caster *caster, float limit, cn_tree_reach visit, void *context)
{
    cn_vec3 half = { 0.0f, 0.0f, 0.0f };
    cn_pos3 middle = caster->position;
    if (!caster->is_ray) {
        half = cn_scale(0.5f, cn_sub(caster->upper, caster->lower));
        middle = cn_pos_add(middle, cn_lerp(caster->lower, caster->upper, 0.5f));
    }
    cn_vec3 origin = cn_pos_sub(middle, world->origin);
    limit = cn_tree_sweep(&world->static_tree, origin, caster->translation, half, limit, visit, context);
    return cn_tree_sweep(&world->moving_tree, origin, caster->translation, half, limit, visit, context);
}

float cn_walk_around(const cn_world *world, const cn_caster *caster, float limit, cn_tree_reach visit, void *context)
{
    cn_bounds bounds = { cn_pos_add(caster->position, caster->lower), cn_pos_add(caster->position, caster->upper) };
    cn_box3 box = cn_world_box(world, &bounds, 0.0f);
    limit = cn_tree_near(&world->static_tree, &box, limit, visit, context);
    return cn_tree_near(&world->moving_tree, &box, limit, visit, context);
}
