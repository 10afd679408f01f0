// The triangles of a height field: where they lie, how their neighbours lean, and normals between them.
#include "shape/height_field_data.h"

// In the order of the vertices of each half, as columns and rows from the cell's own.
static const int8_t corners[2][3][2] = { { { 0, 0 }, { 0, 1 }, { 1, 1 } }, { { 0, 0 }, { 1, 1 }, { 1, 0 } } };

// Metres upwards per metre along x and z. In double, from the heights themselves: rounded vertices would bend a plane.
typedef struct slope {
    double x, z;
} slope;

static double rise(const cn_field_view *view, int column, int row, int to_column, int to_row)
{
    float from = cn_field_height(view->field, column, row), to = cn_field_height(view->field, to_column, to_row);
    return ((double)to - (double)from) * (double)view->scale_y;
}

static slope slope_of(const cn_field_view *view, int column, int row, int half)
{
    int side_row = row + 1 - half, side_column = column + half; // the edges that are not the diagonal
    return (slope){ rise(view, column, side_row, column + 1, side_row) / (double)view->step_x,
                    rise(view, side_column, row, side_column, row + 1) / (double)view->step_z };
}

static cn_vec3 normal_of(slope s)
{
    double inverse = 1.0 / sqrt(s.x * s.x + s.z * s.z + 1.0);
    return cn_v3((float)(-s.x * inverse), (float)inverse, (float)(-s.z * inverse));
}

cn_vec3 cn_field_normal(const cn_field_view *view, int column, int row, int half)
{
    return normal_of(slope_of(view, column, row, half));
}

// ---- leans

// Tangent of half the angle between the normals of two slopes: sine / (1 + cosine).
static double half_tangent(slope a, slope b)
{
    double x = a.x - b.x, z = a.z - b.z, y = a.x * b.z - a.z * b.x; // the cross product of (-x, 1, -z)
    double lengths = sqrt((a.x * a.x + a.z * a.z + 1.0) * (b.x * b.x + b.z * b.z + 1.0));
    return sqrt(x * x + y * y + z * z) / (lengths + a.x * b.x + a.z * b.z + 1.0);
}

static float lean_of(const cn_field_view *view, int column, int row, int half, int edge)
{
    static const int8_t neighbours[2][3][2] = { { { -1, 0 }, { 0, 1 }, { 0, 0 } }, { { 0, 0 }, { 1, 0 }, { 0, -1 } } };
    static const int8_t beyond[2][3][2] = { { { -1, 0 }, { 1, 2 }, { 1, 0 } }, { { 0, 1 }, { 2, 1 }, { 0, -1 } } };
    const double least = 1e-4; // 0.01 degrees; nothing would notice
    int neighbour_column = column + neighbours[half][edge][0], neighbour_row = row + neighbours[half][edge][1];
    const cn_height_field *field = view->field;
    if (!cn_field_is_solid(field, neighbour_column, neighbour_row))
        return CN_LEAN_FREE;
    // The two triangles are a parallelogram seen from above, so the surface is flat when opposite corners have the same sum of
    // heights, to within the rounding of each.
    double heights[3];
    for (int i = 0; i < 3; i++) {
        const int8_t *corner = corners[half][(edge + i) % 3];
        heights[i] = (double)cn_field_height(field, column + corner[0], row + corner[1]);
    }
    double far = (double)cn_field_height(field, column + beyond[half][edge][0], row + beyond[half][edge][1]);
    double bend = heights[2] + far - heights[0] - heights[1];
    double rounding = 1.2e-7 * (fabs(heights[0]) + fabs(heights[1]) + fabs(heights[2]) + fabs(far));
    if (bend >= -rounding)
        return 0.0f;
    slope own = slope_of(view, column, row, half), other = slope_of(view, neighbour_column, neighbour_row, 1 - half);
    double tangent = half_tangent(own, other);
    return tangent < least ? 0.0f : tangent < (double)CN_LEAN_FREE ? (float)tangent : CN_LEAN_FREE;
}

// ---- smooth normals

// The mean slope of the two edges that meet at a sample, of those that border on a cell.
static double mean_slope(double before, bool has_before, double after, bool has_after)
{
    return has_before && has_after ? 0.5 * (before + after) : has_before ? before : has_after ? after : 0.0;
}

static cn_vec3 sample_normal(const cn_field_view *view, int column, int row)
{
    const cn_height_field *field = view->field;
    bool solid[2][2]; // the cells around the sample, by row and column
    for (int i = 0; i < 4; i++)
        solid[i >> 1][i & 1] = cn_field_is_solid(field, column - 1 + (i & 1), row - 1 + (i >> 1));
    bool left = solid[0][0] || solid[1][0], right = solid[0][1] || solid[1][1];
    bool back = solid[0][0] || solid[0][1], front = solid[1][0] || solid[1][1];
    double x = mean_slope(left ? rise(view, column - 1, row, column, row) : 0.0, left,
                          right ? rise(view, column, row, column + 1, row) : 0.0, right);
    double z = mean_slope(back ? rise(view, column, row - 1, column, row) : 0.0, back,
                          front ? rise(view, column, row, column, row + 1) : 0.0, front);
    return normal_of((slope){ x / (double)view->step_x, z / (double)view->step_z });
}

// ---- parts

static bool is_surrounded(const cn_height_field *field, int column, int row)
{
    return cn_field_is_solid(field, column - 1, row) && cn_field_is_solid(field, column + 1, row) &&
           cn_field_is_solid(field, column, row - 1) && cn_field_is_solid(field, column, row + 1);
}

bool cn_field_corners(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3])
{
    cn_field_view view = cn_field_view_of(composite);
    int width = view.field->columns - 1;
    bool bordered = false;
    for (int i = 0; i < count; i++) {
        int cell = parts[i] / 2, half = parts[i] % 2, column = cell % width, row = cell / width;
        bordered = bordered || !is_surrounded(view.field, column, row);
        for (int k = 0; k < 3; k++) {
            cn_vec3 v = cn_field_vertex(&view, column + corners[half][k][0], row + corners[half][k][1]);
            out[i][k] = (cn_f4){ v.x, v.y, v.z, 0.0f };
        }
    }
    return bordered;
}

void cn_field_part(const cn_composite *composite, int part, cn_part *out)
{
    cn_field_view view = cn_field_view_of(composite);
    const cn_height_field *field = view.field;
    int cell = part / 2, half = part % 2, width = field->columns - 1, column = cell % width, row = cell / width;
    *out = (cn_part){ .is_triangle = true, .pose = CN_POSE_IDENTITY };
    out->material = field->materials != NULL ? field->materials[cell] : 0;
    cn_triangle *triangle = &out->triangle;
    triangle->normal = cn_field_normal(&view, column, row, half);
    triangle->smooth = field->smooth;
    for (int i = 0; i < 3; i++) {
        int at_column = column + corners[half][i][0], at_row = row + corners[half][i][1];
        triangle->vertices[i] = cn_field_vertex(&view, at_column, at_row);
        triangle->lean[i] = lean_of(&view, column, row, half, i);
        if (field->smooth)
            triangle->vertex_normals[i] = sample_normal(&view, at_column, at_row);
    }
}
