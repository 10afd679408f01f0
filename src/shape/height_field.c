// Height fields: their life and what can be asked of them.
#include "base/error.h"
#include "shape/composite_ops.h"
#include "shape/height_field_data.h"
#include "shape/limits.h"

// ---- creation

static bool check_grid(const char *function, const cn_height_field_def *def)
{
    if (!cn_check_int_range(function, "def.columns", def->columns, 2, CN_FIELD_MAX_SAMPLES) ||
        !cn_check_int_range(function, "def.rows", def->rows, 2, CN_FIELD_MAX_SAMPLES) ||
        !cn_check_size(function, "def.spacing_x", def->spacing_x) || !cn_check_size(function, "def.spacing_z", def->spacing_z))
        return false;
    int64_t triangles = 2 * (int64_t)(def->columns - 1) * (def->rows - 1);
    if (triangles > INT32_MAX)
        return cn_fail("%s: %d columns and %d rows make %lld triangles; the limit is %d", function, def->columns, def->rows,
                       (long long)triangles, INT32_MAX);
    float size_x = (float)(def->columns - 1) * def->spacing_x, size_z = (float)(def->rows - 1) * def->spacing_z;
    return (size_x <= CN_MAX_SIZE && size_z <= CN_MAX_SIZE) ||
           cn_fail("%s: the field is %g m by %g m; the limit is %g m", function, (double)size_x, (double)size_z,
                   (double)CN_MAX_SIZE);
}

static bool check_samples(const char *function, const cn_height_field_def *def)
{
    if (!cn_check_pointer(function, "def.heights", def->heights))
        return false;
    for (int row = 0; row < def->rows; row++) {
        const float *heights = def->heights + (size_t)row * (size_t)def->columns;
        for (int column = 0; column < def->columns; column++)
            if (!(cn_absf(heights[column]) <= CN_MAX_SIZE))
                return cn_fail("%s: def.heights[%zu] (column %d, row %d) is %g; heights must be finite and within %g m",
                               function, (size_t)row * (size_t)def->columns + (size_t)column, column, row,
                               (double)heights[column], (double)CN_MAX_SIZE);
    }
    size_t cells = (size_t)(def->columns - 1) * (size_t)(def->rows - 1), holes = 0;
    for (size_t i = 0; def->holes != NULL && i < cells; i++)
        holes += def->holes[i] != 0;
    return holes < cells || cn_fail("%s: def.holes leaves nothing of the field; all of its cells are holes", function);
}

static size_t heights_size(const cn_height_field *field)
{
    return sizeof(float) * ((size_t)field->columns * (size_t)field->rows + CN_FIELD_BLOCK);
}

static size_t cell_count(const cn_height_field *field) { return (size_t)(field->columns - 1) * (size_t)(field->rows - 1); }

static size_t solid_size(const cn_height_field *field)
{
    return sizeof(uint16_t) * (size_t)field->block_columns * (size_t)field->block_rows;
}

static void copy_cells(cn_height_field *field, const cn_height_field_def *def)
{
    memset(field->solid, 0, solid_size(field));
    size_t cell = 0;
    for (int row = 0; row < field->rows - 1; row++)
        for (int column = 0; column < field->columns - 1; column++, cell++) {
            int bit = CN_FIELD_BLOCK * (row % CN_FIELD_BLOCK) + column % CN_FIELD_BLOCK;
            int block = row / CN_FIELD_BLOCK * field->block_columns + column / CN_FIELD_BLOCK;
            if (def->holes == NULL || def->holes[cell] == 0)
                field->solid[block] = (uint16_t)(field->solid[block] | 1u << bit);
            if (def->materials != NULL && def->materials[cell] >= field->material_limit)
                field->material_limit = def->materials[cell] + 1;
        }
    if (field->material_limit > 1) {
        field->materials = cn_allocate(&field->allocator, cell_count(field), 64);
        memcpy(field->materials, def->materials, cell_count(field));
    }
}

cn_height_field_def cn_height_field_def_default(void) { return (cn_height_field_def){ .spacing_x = 1.0f, .spacing_z = 1.0f }; }

cn_height_field *cn_height_field_create(const cn_height_field_def *def)
{
    if (!cn_check_pointer(__func__, "def", def) || !cn_check_allocator(__func__, "def.allocator", def->allocator) || !check_grid(__func__, def) || !check_samples(__func__, def))
        return NULL;
    const cn_allocator *allocator = def->allocator != NULL ? def->allocator : &cn_default_allocator;
    cn_height_field *field = cn_allocate(allocator, sizeof *field, 64);
    *field = (cn_height_field){
        .allocator = *allocator,
        .references = 1,
        .columns = def->columns,
        .rows = def->rows,
        .spacing_x = def->spacing_x,
        .spacing_z = def->spacing_z,
        .smooth = def->smooth,
        .material_limit = 1,
        .block_columns = (def->columns + CN_FIELD_BLOCK - 2) / CN_FIELD_BLOCK,
        .block_rows = (def->rows + CN_FIELD_BLOCK - 2) / CN_FIELD_BLOCK,
    };
    size_t samples = (size_t)def->columns * (size_t)def->rows;
    field->heights = cn_allocate(allocator, heights_size(field), 64);
    memcpy(field->heights, def->heights, samples * sizeof(float));
    memset(field->heights + samples, 0, CN_FIELD_BLOCK * sizeof(float));
    field->solid = cn_allocate(allocator, solid_size(field), 64);
    copy_cells(field, def);
    cn_field_build_pyramid(field);
    return field;
}

static void retain(const cn_height_field *field)
{
    __atomic_add_fetch(&((cn_height_field *)field)->references, 1, __ATOMIC_RELAXED);
}

static void release(cn_height_field *field)
{
    if (__atomic_sub_fetch(&field->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    cn_allocator allocator = field->allocator;
    cn_field_free_pyramid(field);
    cn_release(&allocator, field->heights, heights_size(field));
    cn_release(&allocator, field->materials, cell_count(field));
    cn_release(&allocator, field->solid, solid_size(field));
    cn_release(&allocator, field, sizeof *field);
}

void cn_height_field_destroy(cn_height_field *field)
{
    if (field != NULL)
        release(field);
}

cn_geometry cn_geometry_height_field(const cn_height_field *field, cn_vec3 scale)
{
    return (cn_geometry){ .type = CN_HEIGHT_FIELD, .height_field = field, .scale = scale };
}

// ---- questions; bad input answers 0

static bool check_field(const char *function, const cn_height_field *field)
{
    return cn_check_pointer(function, "field", field);
}

static bool check_cell(const char *function, const cn_height_field *field, int column, int row)
{
    return check_field(function, field) && cn_check_int_range(function, "column", column, 0, field->columns - 2) &&
           cn_check_int_range(function, "row", row, 0, field->rows - 2);
}

int cn_height_field_get_columns(const cn_height_field *field) { return check_field(__func__, field) ? field->columns : 0; }

int cn_height_field_get_rows(const cn_height_field *field) { return check_field(__func__, field) ? field->rows : 0; }

float cn_height_field_get_height(const cn_height_field *field, int column, int row)
{
    if (!check_field(__func__, field) || !cn_check_int_range(__func__, "column", column, 0, field->columns - 1) ||
        !cn_check_int_range(__func__, "row", row, 0, field->rows - 1))
        return 0.0f;
    return cn_field_height(field, column, row);
}

bool cn_height_field_is_hole(const cn_height_field *field, int column, int row)
{
    return check_cell(__func__, field, column, row) && !cn_field_is_solid(field, column, row);
}

int cn_height_field_get_material(const cn_height_field *field, int column, int row)
{
    if (!check_cell(__func__, field, column, row) || field->materials == NULL)
        return 0;
    return field->materials[cn_field_cell(field, column, row)];
}

cn_vec3 cn_height_field_get_spacing(const cn_height_field *field)
{
    return check_field(__func__, field) ? cn_v3(field->spacing_x, 1.0f, field->spacing_z) : cn_v3(0.0f, 0.0f, 0.0f);
}

// ---- as a shape of many parts

static int part_limit(const cn_composite *composite) { return (int)(2 * cell_count(composite->height_field)); }

static int material_limit(const cn_composite *composite) { return composite->height_field->material_limit; }

cn_box3 cn_field_bounds(const cn_composite *composite)
{
    cn_field_view view = cn_field_view_of(composite);
    const cn_height_field *field = view.field;
    return (cn_box3){ { 0.0f, field->lowest * view.scale_y, 0.0f },
                      { (float)(field->columns - 1) * view.step_x, field->highest * view.scale_y,
                        (float)(field->rows - 1) * view.step_z } };
}

static bool mass_of(const cn_composite *composite, const char *function, float density, cn_mass *mass)
{
    (void)composite, (void)density;
    *mass = (cn_mass){ 0 };
    return cn_fail("%s: a height field encloses no volume, so it has no mass", function);
}

static void retain_field(const cn_composite *composite) { retain(composite->height_field); }

static void release_field(const cn_composite *composite) { release((cn_height_field *)composite->height_field); }

const cn_composite_ops cn_height_field_ops = {
    .part = cn_field_part,
    .corners = cn_field_corners,
    .part_limit = part_limit,
    .material_limit = material_limit,
    .bounds = cn_field_bounds,
    .mass = mass_of,
    .retain = retain_field,
    .release = release_field,
    .query = cn_field_query,
    .sweep = cn_field_sweep,
    .near = cn_field_near,
    .cast_ray = cn_field_cast_ray,
};
