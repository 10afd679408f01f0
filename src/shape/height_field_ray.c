// Rays and moving boxes through a height field: down the pyramid from the nearer children to the farther ones, four at a time.
#include "shape/height_field_data.h"
#include "shape/ray_triangle.h"

// ---- the walk

// What to do with a cell that is met; returns the fraction up to which the walk goes on, below 0 to end it.
typedef float (*cell_fn)(void *context, int column, int row, float limit);

typedef struct walk {
    cn_field_view view;
    cn_box3 bounds;
    cn_vec3 origin, translation, inverse;
    cn_vec3 half;              // extents of what moves, and slack for rounding
    int flip_column, flip_row; // 1: the walk goes towards lower ones
} walk;

typedef struct pending {
    float enter;
    int level, column, row;
} pending;

// Close to 0 the sign and the size do not matter any more, as long as nothing becomes 0 * infinity.
static float inverse_of(float x) { return 1.0f / (cn_absf(x) > 1.2e-38f ? x : 1.2e-38f); }

static walk make_walk(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents)
{
    cn_box3 bounds = cn_field_bounds(composite);
    cn_box3 reach = { cn_sub(bounds.lower, half_extents), cn_add(bounds.upper, half_extents) };
    float slack = cn_ray_slack(origin, &reach);
    return (walk){ .view = cn_field_view_of(composite),
                   .bounds = bounds,
                   .origin = origin,
                   .translation = translation,
                   .inverse = { inverse_of(translation.x), inverse_of(translation.y), inverse_of(translation.z) },
                   .half = cn_add(half_extents, cn_v3(slack, slack, slack)),
                   .flip_column = translation.x < 0.0f,
                   .flip_row = translation.z < 0.0f };
}

// Narrows the fractions in which four boxes are met to those between two planes across an axis.
static inline void clip(cn_f4 lower, cn_f4 upper, float origin, float half, float inverse, cn_f4 *enter, cn_f4 *leave)
{
    cn_f4 a = (lower - origin - half) * inverse, b = (upper - origin + half) * inverse;
    *enter = cn_f4_max(*enter, cn_f4_min(a, b));
    *leave = cn_f4_min(*leave, cn_f4_max(a, b));
}

static float walk_row(const walk *w, int column, int row, unsigned cells, cn_f4 enter, cn_f4 leave, float limit, cell_fn visit,
                      void *context)
{
    cn_f4 lowest, highest;
    cn_field_cell_heights(&w->view, column, row, &lowest, &highest);
    clip(lowest, highest, w->origin.y, w->half.y, w->inverse.y, &enter, &leave);
    cells &= (unsigned)cn_i4_bits(enter <= leave);
    for (int i = 0; cells != 0 && i < CN_FIELD_BLOCK; i++) {
        int c = w->flip_column ? CN_FIELD_BLOCK - 1 - i : i;
        if ((cells >> c & 1u) && enter[c] <= limit)
            limit = visit(context, column + c, row, limit);
        if (limit < 0.0f)
            break;
    }
    return limit;
}

static float walk_block(const walk *w, int block_column, int block_row, float limit, cell_fn visit, void *context)
{
    const cn_height_field *field = w->view.field;
    unsigned solid = field->solid[block_row * field->block_columns + block_column];
    int column = CN_FIELD_BLOCK * block_column, row = CN_FIELD_BLOCK * block_row;
    cn_f4 enter_x = { 0.0f }, leave_x = cn_f4_set(limit), enter_z = { 0.0f }, leave_z = cn_f4_set(limit);
    clip(cn_field_run(column, w->view.step_x), cn_field_run(column + 1, w->view.step_x), w->origin.x, w->half.x, w->inverse.x,
         &enter_x, &leave_x);
    clip(cn_field_run(row, w->view.step_z), cn_field_run(row + 1, w->view.step_z), w->origin.z, w->half.z, w->inverse.z,
         &enter_z, &leave_z);
    int rows = cn_i4_bits(enter_z <= leave_z);
    for (int i = 0; i < CN_FIELD_BLOCK && limit >= 0.0f; i++) {
        int r = w->flip_row ? CN_FIELD_BLOCK - 1 - i : i;
        unsigned cells = solid >> (CN_FIELD_BLOCK * r) & 15u;
        if (cells == 0 || !(rows >> r & 1) || enter_z[r] > limit)
            continue;
        cn_f4 enter = cn_f4_max(enter_x, cn_f4_set(enter_z[r])), leave = cn_f4_min(leave_x, cn_f4_set(leave_z[r]));
        limit = walk_row(w, column, row + r, cells, enter, leave, limit, visit, context);
    }
    return limit;
}

// Puts the children that are met on the stack, the nearest on top.
static int push_children(const walk *w, const pending *at, float limit, pending *stack, int count)
{
    const cn_field_level *level = &w->view.field->levels[at->level - 1];
    const cn_field_node *node = &level->nodes[at->row * level->columns + at->column];
    int size = 2 << at->level; // cells of a child along each side
    float left = (float)(2 * at->column * size), back = (float)(2 * at->row * size), side = (float)size;
    cn_f4 x = left + (cn_f4){ 0.0f, side, 0.0f, side }, z = back + (cn_f4){ 0.0f, 0.0f, side, side };
    cn_f4 enter = { 0.0f }, leave = cn_f4_set(limit);
    clip(x * w->view.step_x, (x + side) * w->view.step_x, w->origin.x, w->half.x, w->inverse.x, &enter, &leave);
    clip(z * w->view.step_z, (z + side) * w->view.step_z, w->origin.z, w->half.z, w->inverse.z, &enter, &leave);
    clip(node->lowest * w->view.scale_y, node->highest * w->view.scale_y, w->origin.y, w->half.y, w->inverse.y, &enter, &leave);
    int met = cn_i4_bits((enter <= leave) & (node->lowest < INFINITY));
    int flip = w->flip_column | w->flip_row << 1;
    for (int i = 3; i >= 0; i--) {
        int child = i ^ flip;
        if (met >> child & 1)
            stack[count++] = (pending){ enter[child], at->level - 1, 2 * at->column + (child & 1), 2 * at->row + (child >> 1) };
    }
    return count;
}

// The fractions between 0 and `limit` at which one box is met. False when there are none.
static inline bool clip_box(const walk *w, const cn_box3 *box, float limit, float *enter, float *leave)
{
    cn_vec3 low = cn_mul(cn_sub(cn_sub(box->lower, w->origin), w->half), w->inverse);
    cn_vec3 high = cn_mul(cn_add(cn_sub(box->upper, w->origin), w->half), w->inverse);
    cn_vec3 first = cn_min3(low, high), last = cn_max3(low, high);
    *enter = cn_maxf(cn_maxf(first.x, first.y), cn_maxf(first.z, 0.0f));
    *leave = cn_minf(cn_minf(last.x, last.y), cn_minf(last.z, limit));
    return *enter <= *leave;
}

// The nodes to begin with: those that hold the part of the way on which there may be something.
static int first_nodes(const walk *w, float limit, pending stack[4])
{
    float enter, leave;
    if (!clip_box(w, &w->bounds, limit, &enter, &leave))
        return 0;
    cn_vec3 from = cn_madd(w->origin, enter, w->translation), to = cn_madd(w->origin, leave, w->translation);
    cn_vec3 room = cn_scale(2.0f, w->half); // twice, since these two places are rounded as well
    cn_box3 way = { cn_sub(cn_min3(from, to), room), cn_add(cn_max3(from, to), room) };
    cn_field_cells cells;
    if (!cn_field_find_cells(&w->view, &way, &cells))
        return 0;
    int level = cn_field_level_of(w->view.field, &cells), shift = level + 2, count = 0;
    int first_column = cells.first_column >> shift, last_column = cells.last_column >> shift;
    int first_row = cells.first_row >> shift, last_row = cells.last_row >> shift;
    for (int row = last_row; row >= first_row; row--)
        for (int column = last_column; column >= first_column; column--)
            stack[count++] = (pending){ enter, level, w->flip_column ? first_column + last_column - column : column,
                                        w->flip_row ? first_row + last_row - row : row };
    return count;
}

// Visits the cells whose boxes are met, those of nearer nodes first.
static void walk_cells(const walk *w, float limit, cell_fn visit, void *context)
{
    pending stack[3 * CN_FIELD_LEVELS + 4];
    for (int count = first_nodes(w, limit, stack); count > 0;) {
        pending at = stack[--count];
        if (at.enter > limit)
            continue;
        if (at.level > 0)
            count = push_children(w, &at, limit, stack, count);
        else
            limit = walk_block(w, at.column, at.row, limit, visit, context);
    }
}

// ---- moving boxes

typedef struct sweep {
    walk walk;
    cn_part_visit visit;
    void *context;
} sweep;

static float sweep_cell(void *context, int column, int row, float limit)
{
    const sweep *s = context;
    for (int half = 0; half < 2 && limit >= 0.0f; half++) {
        cn_box3 box = cn_field_box(&s->walk.view, column, row, half);
        float enter, leave;
        if (clip_box(&s->walk, &box, limit, &enter, &leave))
            limit = s->visit(s->context, 2 * cn_field_cell(s->walk.view.field, column, row) + half, limit);
    }
    return limit;
}

void cn_field_sweep(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                    cn_part_visit visit, void *context)
{
    sweep s = { make_walk(composite, origin, translation, half_extents), visit, context };
    walk_cells(&s.walk, limit, sweep_cell, &s);
}

// ---- rays

typedef struct cast {
    cn_field_view view;
    cn_ray_frame frame;
    float fraction;
    int part; // -1: none yet
} cast;

// Returns the fraction that is still of interest. Of hits at the same one that with the lower number counts, whatever the order
// of the walk.
static float take_nearer(cast *c, const float edges[3], const float depths[3], int part, float limit)
{
    float fraction;
    if (!cn_ray_meet(&c->frame, edges, depths, limit, &fraction))
        return limit;
    if (c->part < 0 || fraction < limit || part < c->part)
        c->part = part;
    c->fraction = fraction;
    return fraction;
}

// Lanes go around the cell from its sample (column, row): along z, along x, back along z. Both triangles share the diagonal
// between lanes 0 and 2.
static float cast_cell(void *context, int column, int row, float limit)
{
    cast *c = context;
    const cn_ray_frame *f = &c->frame;
    const cn_height_field *field = c->view.field;
    const float *back = &field->heights[(size_t)row * (size_t)field->columns + (size_t)column], *front = back + field->columns;
    float left = (float)column * c->view.step_x, right = (float)(column + 1) * c->view.step_x;
    float low = (float)row * c->view.step_z, high = (float)(row + 1) * c->view.step_z;
    cn_f4 from[3] = { (cn_f4){ left, left, right, right } - f->origin.x,
                      (cn_f4){ back[0], front[0], front[1], back[1] } * c->view.scale_y - f->origin.y,
                      (cn_f4){ low, high, high, low } - f->origin.z };
    cn_f4 depth = from[f->z], x = from[f->x] - f->shear_x * depth, y = from[f->y] - f->shear_y * depth;
    cn_f4 next_x = __builtin_shufflevector(x, x, 1, 2, 3, 0), next_y = __builtin_shufflevector(y, y, 1, 2, 3, 0);
    cn_f4 edges = x * next_y - y * next_x;
    if (!cn_i4_all(edges != 0.0f))
        for (int i = 0; i < 4; i++)
            edges[i] = cn_ray_edge(x[i], y[i], next_x[i], next_y[i]);
    float diagonal = cn_ray_edge(x[0], y[0], x[2], y[2]);
    int part = 2 * cn_field_cell(field, column, row);
    limit =
        take_nearer(c, (float[3]){ edges[1], -diagonal, edges[0] }, (float[3]){ depth[0], depth[1], depth[2] }, part, limit);
    return take_nearer(c, (float[3]){ edges[2], edges[3], diagonal }, (float[3]){ depth[0], depth[2], depth[3] }, part + 1,
                       limit);
}

bool cn_field_cast_ray(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit)
{
    cast c = { .view = cn_field_view_of(composite), .part = -1 };
    if (!cn_ray_frame_make(origin, translation, &c.frame))
        return false;
    walk w = make_walk(composite, origin, translation, cn_v3(0.0f, 0.0f, 0.0f));
    walk_cells(&w, limit, cast_cell, &c);
    if (c.part < 0)
        return false;
    int cell = c.part / 2, width = c.view.field->columns - 1;
    *hit = (cn_surface_hit){ c.fraction, c.part, cn_field_normal(&c.view, cell % width, cell / width, c.part % 2) };
    return true;
}
