// What each kind of shape of many parts can do. composite.c chooses by type; composite.h says what the functions mean.
#ifndef CN_COMPOSITE_OPS_H
#define CN_COMPOSITE_OPS_H

#include "shape/composite.h"

typedef struct cn_composite_ops {
    void (*part)(const cn_composite *composite, int part, cn_part *out);
    int (*part_limit)(const cn_composite *composite);
    int (*material_limit)(const cn_composite *composite);
    cn_box3 (*bounds)(const cn_composite *composite);
    bool (*mass)(const cn_composite *composite, const char *function, float density, cn_mass *mass);
    void (*retain)(const cn_composite *composite);
    void (*release)(const cn_composite *composite);
    int (*query)(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity);
    void (*sweep)(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                  cn_part_visit visit, void *context);
    void (*near)(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context);
    bool (*corners)(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3]);
    bool (*cast_ray)(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit);
} cn_composite_ops;

extern const cn_composite_ops cn_mesh_ops;         // mesh.c
extern const cn_composite_ops cn_height_field_ops; // height_field.c
extern const cn_composite_ops cn_compound_ops;     // compound.c; it has no triangles

#endif
