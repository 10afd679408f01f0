#include "build.h"

#include <stdlib.h>
#include <string.h>

#define SCENE_SEED 20240611u

void cn_build_fail(cn_build *build, const char *reason)
{
    if (!build->failed)
        cn_message_set(&build->error, "%s", reason);
    build->failed = true;
}

bool cn_build_open(cn_build *build, const cn_world_def *def)
{
    memset(build, 0, sizeof *build);
    build->random.state = SCENE_SEED;
    build->density = 100.0f;
    build->material = cn_material_default();
    build->material.friction = 0.6f;
    build->material.restitution = 0.0f;
    build->filter = cn_filter_default();
    build->world = cn_world_create(def);
    if (!build->world)
        cn_build_fail(build, cn_last_error());
    return !build->failed;
}

void cn_build_close(cn_build *build)
{
    if (build->world)
        cn_world_destroy(build->world);
    free(build->bodies);
    build->world = NULL;
    build->bodies = NULL;
}

static bool reserve_body(cn_build *build)
{
    if (build->body_count < build->body_capacity)
        return true;
    int capacity = build->body_capacity ? 2 * build->body_capacity : 256;
    cn_body_id *bodies = realloc(build->bodies, (size_t)capacity * sizeof *bodies);
    if (!bodies) {
        cn_build_fail(build, "out of memory for the bodies of a scene");
        return false;
    }
    build->bodies = bodies;
    build->body_capacity = capacity;
    return true;
}

cn_body_id cn_build_body_def(cn_build *build, const cn_body_def *def)
{
    cn_body_id body = { 0 };
    if (build->failed || !reserve_body(build))
        return body;
    cn_body_def placed = *def;
    placed.position.x += build->origin;
    body = cn_body_create(build->world, &placed);
    if (CN_IS_NULL(body))
        cn_build_fail(build, cn_last_error());
    else
        build->bodies[build->body_count++] = body;
    return body;
}

bool cn_build_shape_def(cn_build *build, cn_body_id body, const cn_shape_def *def)
{
    if (!build->failed && CN_IS_NULL(cn_shape_create(build->world, body, def)))
        cn_build_fail(build, cn_last_error());
    return !build->failed;
}

cn_body_id cn_build_body(cn_build *build, cn_body_type type, cn_pos3 position, cn_quat rotation)
{
    cn_body_def def = cn_body_def_default();
    def.type = type;
    def.position = position;
    def.rotation = rotation;
    def.linear_damping = 0.0f;
    def.angular_damping = 0.0f;
    return cn_build_body_def(build, &def);
}

void cn_build_shape(cn_build *build, cn_body_id body, cn_geometry geometry, cn_pose offset)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = geometry;
    def.offset = offset;
    def.density = build->density;
    def.material = build->material;
    def.filter = build->filter;
    cn_build_shape_def(build, body, &def);
}

cn_body_id cn_build_solid(cn_build *build, cn_body_type type, cn_pos3 position, cn_quat rotation, cn_geometry geometry)
{
    cn_body_id body = cn_build_body(build, type, position, rotation);
    cn_build_shape(build, body, geometry, (cn_pose)CN_POSE_IDENTITY);
    return body;
}

cn_body_id cn_build_upright(cn_build *build, cn_body_type type, cn_pos3 position, cn_geometry geometry)
{
    return cn_build_solid(build, type, position, (cn_quat)CN_QUAT_IDENTITY, geometry);
}

cn_hull_id cn_build_hull(cn_build *build, const cn_vec3 *points, int count)
{
    cn_hull_id hull = { 0 };
    if (build->failed)
        return hull;
    hull = cn_hull_create(build->world, points, count);
    if (CN_IS_NULL(hull))
        cn_build_fail(build, cn_last_error());
    return hull;
}

void cn_build_velocity(cn_build *build, cn_body_id body, cn_vec3 linear, cn_vec3 angular)
{
    if (build->failed)
        return;
    if (!cn_body_set_linear_velocity(build->world, body, linear) || !cn_body_set_angular_velocity(build->world, body, angular))
        cn_build_fail(build, cn_last_error());
}

// ---- Joints

cn_pos3 cn_build_anchor(const cn_build *build, double x, double y, double z) { return (cn_pos3){ build->origin + x, y, z }; }

cn_joint_id cn_build_joint(cn_build *build, const cn_joint_def *def)
{
    cn_joint_id joint = { 0 };
    if (build->failed)
        return joint;
    joint = cn_joint_create(build->world, def);
    if (CN_IS_NULL(joint))
        cn_build_fail(build, cn_last_error());
    return joint;
}

bool cn_build_ragdoll(cn_build *build, const cn_ragdoll_def *def, cn_ragdoll *ragdoll)
{
    cn_ragdoll_def placed = *def;
    placed.position.x += build->origin;
    if (build->failed)
        return false;
    if (!cn_ragdoll_create(build->world, &placed, ragdoll))
        cn_build_fail(build, cn_last_error());
    for (int i = 0; !build->failed && i < CN_BONE_COUNT; ++i)
        if (reserve_body(build))
            build->bodies[build->body_count++] = ragdoll->bodies[i];
    return !build->failed;
}

bool cn_body_numbers_open(cn_body_numbers *numbers, const cn_build *build)
{
    *numbers = (cn_body_numbers){ .count = 1 };
    for (int i = 0; i < build->body_count; ++i)
        if (build->bodies[i].index1 >= numbers->count)
            numbers->count = build->bodies[i].index1 + 1;
    numbers->of_index = calloc(numbers->count, sizeof *numbers->of_index);
    for (uint32_t i = 0; numbers->of_index && i < numbers->count; ++i)
        numbers->of_index[i] = CN_BODY_UNLISTED;
    for (int i = 0; numbers->of_index && i < build->body_count; ++i)
        numbers->of_index[build->bodies[i].index1] = i;
    return numbers->of_index != NULL;
}

int cn_body_number(const cn_body_numbers *numbers, cn_body_id body)
{
    if (CN_IS_NULL(body))
        return CN_BODY_WORLD;
    return body.index1 < numbers->count ? numbers->of_index[body.index1] : CN_BODY_UNLISTED;
}

void cn_body_numbers_free(cn_body_numbers *numbers)
{
    free(numbers->of_index);
    *numbers = (cn_body_numbers){ 0 };
}

// ---- Terrain

static void add_composite(cn_build *build, cn_pos3 position, bool made, cn_geometry geometry)
{
    if (made)
        cn_build_upright(build, CN_STATIC, position, geometry);
    else
        cn_build_fail(build, cn_last_error());
}

void cn_build_mesh(cn_build *build, cn_pos3 position, cn_mesh *mesh)
{
    add_composite(build, position, mesh != NULL, cn_geometry_mesh(mesh, (cn_vec3){ 1.0f, 1.0f, 1.0f }));
    cn_mesh_destroy(mesh);
}

void cn_build_height_field(cn_build *build, cn_pos3 position, cn_height_field *field)
{
    add_composite(build, position, field != NULL, cn_geometry_height_field(field, (cn_vec3){ 1.0f, 1.0f, 1.0f }));
    cn_height_field_destroy(field);
}

void cn_build_compound(cn_build *build, cn_pos3 position, cn_compound *compound)
{
    add_composite(build, position, compound != NULL, cn_geometry_compound(compound));
    cn_compound_destroy(compound);
}

void cn_build_ground(cn_build *build)
{
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, -1.0, 0.0 }, cn_box(400.0f, 1.0f, 400.0f));
}

void cn_build_pit(cn_build *build, float half_width, float height)
{
    const float thickness = 1.0f; // half of it; thick enough to hold what arrives at 60 m/s
    double away = (double)(half_width + thickness), middle = 0.5 * (double)height;
    float along = half_width + 2.0f * thickness;
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, (double)-thickness, 0.0 }, cn_box(along, thickness, along));
    cn_geometry wall_x = cn_box(thickness, 0.5f * height, along), wall_z = cn_box(half_width, 0.5f * height, thickness);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ -away, middle, 0.0 }, wall_x);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ away, middle, 0.0 }, wall_x);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, middle, -away }, wall_z);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, middle, away }, wall_z);
}

bool cn_build_step(cn_build *build, double dt, cn_step_report *report)
{
    if (build->failed)
        return false;
    *report = cn_world_step(build->world, (float)dt);
    if (!report->ok)
        cn_build_fail(build, cn_last_error());
    return report->ok;
}
