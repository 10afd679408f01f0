// What the files of height fields share: the samples, and a pyramid of the lowest and highest of them over blocks of cells.
//
// A block is 4 x 4 cells. A node of level k covers 2^k x 2^k blocks and holds the heights of its four children, which are nodes
// of level k - 1, or blocks when k is 1. Child i lies at column 2 c + (i & 1), row 2 r + (i >> 1). Nothing else is stored:
// where a node lies follows from its number.
#ifndef CN_HEIGHT_FIELD_DATA_H
#define CN_HEIGHT_FIELD_DATA_H

#include "base/simd.h"
#include "shape/composite.h"

enum {
    CN_FIELD_MAX_SAMPLES = 65537, // along one axis: more would not stay apart in float
    CN_FIELD_BLOCK = 4,           // cells along each side of a block
    CN_FIELD_LEVELS = 16,         // above the blocks; 65536 cells need 14
};

// A child without any triangles has both heights at infinity.
typedef struct cn_field_node {
    cn_f4 lowest, highest;
} cn_field_node;

typedef struct cn_field_level {
    cn_field_node *nodes; // row after row
    int columns, rows;
} cn_field_level;

struct cn_height_field {
    cn_allocator allocator;
    int references;
    int columns, rows; // of samples
    float spacing_x, spacing_z;
    bool smooth;
    int material_limit;
    float lowest, highest;
    float *heights;     // with room for a vector to read past the last one
    uint8_t *materials; // NULL: all 0
    uint16_t *solid;    // per block, bit 4 r + c: a cell is there and no hole
    int block_columns, block_rows;
    int level_count;
    cn_field_level levels[CN_FIELD_LEVELS]; // levels[k - 1] is level k; the last one is a single node
};

void cn_field_build_pyramid(cn_height_field *field);
void cn_field_free_pyramid(cn_height_field *field);

// A field with the scale of a shape.
typedef struct cn_field_view {
    const cn_height_field *field;
    float step_x, scale_y, step_z;
} cn_field_view;

static inline cn_field_view cn_field_view_of(const cn_composite *composite)
{
    const cn_height_field *field = composite->height_field;
    return (cn_field_view){ field, field->spacing_x * composite->scale.x, composite->scale.y,
                            field->spacing_z * composite->scale.z };
}

// Unscaled.
static inline float cn_field_height(const cn_height_field *field, int column, int row)
{
    return field->heights[(size_t)row * (size_t)field->columns + (size_t)column];
}

static inline cn_vec3 cn_field_vertex(const cn_field_view *view, int column, int row)
{
    return cn_v3((float)column * view->step_x, cn_field_height(view->field, column, row) * view->scale_y,
                 (float)row * view->step_z);
}

static inline int cn_field_cell(const cn_height_field *field, int column, int row)
{
    return row * (field->columns - 1) + column;
}

// Cells outside of the field are not solid.
static inline bool cn_field_is_solid(const cn_height_field *field, int column, int row)
{
    if (column < 0 || row < 0 || column >= field->columns - 1 || row >= field->rows - 1)
        return false;
    unsigned block = field->solid[(row / CN_FIELD_BLOCK) * field->block_columns + column / CN_FIELD_BLOCK];
    return (block >> (CN_FIELD_BLOCK * (row % CN_FIELD_BLOCK) + column % CN_FIELD_BLOCK) & 1u) != 0;
}

// The box of triangle `half` (0 or 1) of a cell.
static inline cn_box3 cn_field_box(const cn_field_view *view, int column, int row, int half)
{
    cn_vec3 a = cn_field_vertex(view, column, row), d = cn_field_vertex(view, column + 1, row + 1);
    float third = half == 0 ? cn_field_height(view->field, column, row + 1) : cn_field_height(view->field, column + 1, row);
    third *= view->scale_y;
    return (cn_box3){ cn_v3(a.x, cn_minf(cn_minf(a.y, d.y), third), a.z), cn_v3(d.x, cn_maxf(cn_maxf(a.y, d.y), third), d.z) };
}

// The four numbers from first on, as coordinates.
static inline cn_f4 cn_field_run(int first, float step) { return ((float)first + (cn_f4){ 0.0f, 1.0f, 2.0f, 3.0f }) * step; }

// The lowest and highest scaled heights of the four cells from (column, row) on; cells past the end of a row mean nothing.
static inline void cn_field_cell_heights(const cn_field_view *view, int column, int row, cn_f4 *lowest, cn_f4 *highest)
{
    const float *near = &view->field->heights[(size_t)row * (size_t)view->field->columns + (size_t)column];
    const float *far = near + view->field->columns;
    cn_f4 a, b, c, d;
    memcpy(&a, near, sizeof a);
    memcpy(&b, near + 1, sizeof b);
    memcpy(&c, far, sizeof c);
    memcpy(&d, far + 1, sizeof d);
    *lowest = cn_f4_min(cn_f4_min(a, b), cn_f4_min(c, d)) * view->scale_y;
    *highest = cn_f4_max(cn_f4_max(a, b), cn_f4_max(c, d)) * view->scale_y;
}

// A rectangle of cells, the last ones included.
typedef struct cn_field_cells {
    int first_column, last_column, first_row, last_row;
} cn_field_cells;

// The cells that a box meets, seen from above. False when there are none.
bool cn_field_find_cells(const cn_field_view *view, const cn_box3 *box, cn_field_cells *cells);
// The lowest level at which four nodes or fewer hold all of these cells. A node of level k is 4 << k cells wide, also when it
// is 0 and the nodes are blocks.
int cn_field_level_of(const cn_height_field *field, const cn_field_cells *cells);

// ---- operations; composite.h says what they mean

void cn_field_part(const cn_composite *composite, int part, cn_part *out);
bool cn_field_corners(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3]);
cn_vec3 cn_field_normal(const cn_field_view *view, int column, int row, int half);
cn_box3 cn_field_bounds(const cn_composite *composite);
int cn_field_query(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity);
void cn_field_near(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context);
void cn_field_sweep(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                    cn_part_visit visit, void *context);
bool cn_field_cast_ray(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit);

#endif
