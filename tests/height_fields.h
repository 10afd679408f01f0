// Height fields for the tests: random ones with holes, materials and scales, and plain grids to be filled.
#ifndef HEIGHT_FIELDS_H
#define HEIGHT_FIELDS_H

#include "part_visits.h"

enum { MAX_SAMPLES = MAX_PARTS / 2 };

typedef struct sample_field {
    cn_height_field_def def;
    float heights[MAX_SAMPLES];
    uint8_t holes[MAX_SAMPLES], materials[MAX_SAMPLES];
    cn_composite composite;
} sample_field;

static inline void make_composite(sample_field *f, cn_vec3 scale)
{
    f->def.heights = f->heights;
    cn_height_field *field = cn_height_field_create(&f->def);
    assert_non_null(field);
    f->composite = (cn_composite){ .type = CN_HEIGHT_FIELD, .scale = scale, .height_field = field };
}

static inline void free_composite(sample_field *f) { cn_composite_release(&f->composite); }

// Rough ground with holes and materials, of up to 19 x 19 samples, scaled.
static inline void make_random(sample_field *f, rng *r, bool with_holes)
{
    f->def = cn_height_field_def_default();
    f->def.columns = 2 + (int)(rng_next(r) % 18);
    f->def.rows = 2 + (int)(rng_next(r) % 18);
    f->def.spacing_x = rng_range(r, 0.2f, 3.0f);
    f->def.spacing_z = rng_range(r, 0.2f, 3.0f);
    float relief = rng_range(r, 0.0f, 4.0f), base = rng_range(r, -20.0f, 20.0f);
    int cells = (f->def.columns - 1) * (f->def.rows - 1);
    for (int i = 0; i < f->def.columns * f->def.rows; i++)
        f->heights[i] = base + rng_range(r, -relief, relief);
    for (int i = 0; i < cells; i++) {
        f->holes[i] = rng_next(r) % 4 == 0;
        f->materials[i] = (uint8_t)(rng_next(r) % 7);
    }
    f->holes[rng_next(r) % (uint32_t)cells] = 0;
    f->def.holes = with_holes ? f->holes : NULL;
    f->def.materials = f->materials;
    float x = rng_range(r, 0.5f, 2.0f), y = rng_range(r, 0.5f, 2.0f);
    make_composite(f, cn_v3(x, y, rng_range(r, 0.5f, 2.0f)));
}

static inline bool is_there(const sample_field *f, int part)
{
    int cell = part / 2, width = f->def.columns - 1;
    return !cn_height_field_is_hole(f->composite.height_field, cell % width, cell / width);
}

static inline cn_box3 part_box(const sample_field *f, int part)
{
    cn_part p;
    cn_composite_part(&f->composite, part, &p);
    cn_box3 box;
    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = p.triangle.vertices };
    cn_convex_bounds(&triangle, (cn_pose)CN_POSE_IDENTITY, &box.lower, &box.upper);
    return box;
}

// A box, or point, in and around the field.
static inline cn_vec3 place_around(rng *r, const sample_field *f, float margin)
{
    cn_box3 b = cn_composite_bounds(&f->composite);
    float x = rng_range(r, b.lower.x - margin, b.upper.x + margin), y = rng_range(r, b.lower.y - margin, b.upper.y + margin);
    return cn_v3(x, y, rng_range(r, b.lower.z - margin, b.upper.z + margin));
}

static inline void make_grid(sample_field *f, int columns, int rows, float spacing_x, float spacing_z)
{
    f->def = cn_height_field_def_default();
    f->def.columns = columns;
    f->def.rows = rows;
    f->def.spacing_x = spacing_x;
    f->def.spacing_z = spacing_z;
}

static inline dvec normal_of(const dvec corner[3])
{
    return dv_unit(dv_cross(dv_sub(corner[1], corner[0]), dv_sub(corner[2], corner[0])));
}

#endif
