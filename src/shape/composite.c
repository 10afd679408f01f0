// Which functions belong to which kind of shape of many parts.
#include "shape/composite_ops.h"

static const cn_composite_ops *ops_of(const cn_composite *composite)
{
    switch (composite->type) {
    case CN_MESH: return &cn_mesh_ops;
    case CN_HEIGHT_FIELD: return &cn_height_field_ops;
    default: return &cn_compound_ops;
    }
}

void cn_composite_part(const cn_composite *composite, int part, cn_part *out) { ops_of(composite)->part(composite, part, out); }

bool cn_composite_corners(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3])
{
    return ops_of(composite)->corners(composite, parts, count, out);
}

int cn_composite_part_limit(const cn_composite *composite) { return ops_of(composite)->part_limit(composite); }

int cn_composite_material_limit(const cn_composite *composite) { return ops_of(composite)->material_limit(composite); }

cn_box3 cn_composite_bounds(const cn_composite *composite) { return ops_of(composite)->bounds(composite); }

bool cn_composite_mass(const cn_composite *composite, const char *function, float density, cn_mass *mass)
{
    return ops_of(composite)->mass(composite, function, density, mass);
}

void cn_composite_retain(const cn_composite *composite) { ops_of(composite)->retain(composite); }

void cn_composite_release(const cn_composite *composite) { ops_of(composite)->release(composite); }

int cn_composite_query(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity)
{
    return ops_of(composite)->query(composite, box, out, capacity);
}

void cn_composite_sweep(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                        cn_part_visit visit, void *context)
{
    ops_of(composite)->sweep(composite, origin, translation, half_extents, limit, visit, context);
}

void cn_composite_near(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context)
{
    ops_of(composite)->near(composite, box, limit, visit, context);
}

bool cn_composite_cast_ray(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit)
{
    return ops_of(composite)->cast_ray(composite, origin, translation, limit, hit);
}
