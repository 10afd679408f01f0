// Geometries and default definitions.
#include "cairn/shape.h"

cn_geometry cn_sphere(float radius) { return (cn_geometry){ .type = CN_SPHERE, .radius = radius }; }

cn_geometry cn_capsule(float half_height, float radius)
{
    return (cn_geometry){ .type = CN_CAPSULE, .radius = radius, .half_height = half_height };
}

cn_geometry cn_box(float half_x, float half_y, float half_z)
{
    return (cn_geometry){ .type = CN_BOX, .half_extents = { half_x, half_y, half_z } };
}

cn_geometry cn_cylinder(float half_height, float radius)
{
    return (cn_geometry){ .type = CN_CYLINDER, .radius = radius, .half_height = half_height };
}

cn_geometry cn_tapered_capsule(float half_height, float bottom_radius, float top_radius)
{
    return (cn_geometry){
        .type = CN_TAPERED_CAPSULE, .radius = bottom_radius, .top_radius = top_radius, .half_height = half_height
    };
}

cn_geometry cn_hull(cn_hull_id hull) { return (cn_geometry){ .type = CN_HULL, .hull = hull }; }

cn_material cn_material_default(void) { return (cn_material){ .friction = 0.6f, .kinetic_friction = -1.0f, .grain_friction = 1.0f }; }

cn_filter cn_filter_default(void) { return (cn_filter){ .category = 1, .mask = UINT64_MAX }; }

cn_shape_def cn_shape_def_default(void)
{
    return (cn_shape_def){
        .offset = CN_POSE_IDENTITY,
        .density = 1000.0f,
        .material = cn_material_default(),
        .filter = cn_filter_default(),
        .contact_events = true,
    };
}
