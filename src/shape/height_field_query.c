// Which triangles of a height field are at or near a box.
#include "shape/height_field_data.h"

// ---- cells

// The cells whose interval [cell * step, (cell + 1) * step] meets [lower, upper]: the same products as those of the vertices.
// False when there are none.
static bool cell_range(float lower, float upper, float step, int cells, int *first, int *last)
{
    if (!(lower <= upper && upper >= 0.0f && lower <= (float)cells * step))
        return false;
    float from = lower / step - 1.0f, to = upper / step + 1.0f;
    int a = from > 0.0f ? (from < (float)cells ? (int)from : cells - 1) : 0;
    int b = to < (float)(cells - 1) ? (int)to : cells - 1;
    while (a < cells - 1 && (float)(a + 1) * step < lower)
        a++;
    while (b > 0 && (float)b * step > upper)
        b--;
    *first = a;
    *last = b;
    return a <= b;
}

bool cn_field_find_cells(const cn_field_view *view, const cn_box3 *box, cn_field_cells *cells)
{
    const cn_height_field *field = view->field;
    return cell_range(box->lower.x, box->upper.x, view->step_x, field->columns - 1, &cells->first_column,
                      &cells->last_column) &&
           cell_range(box->lower.z, box->upper.z, view->step_z, field->rows - 1, &cells->first_row, &cells->last_row);
}

int cn_field_level_of(const cn_height_field *field, const cn_field_cells *cells)
{
    int level = 0, shift = 2;
    while (level < field->level_count && ((cells->last_column >> shift) - (cells->first_column >> shift) > 1 ||
                                          (cells->last_row >> shift) - (cells->first_row >> shift) > 1)) {
        level++;
        shift++;
    }
    return level;
}

// ---- overlaps

typedef struct query {
    cn_field_view view;
    cn_box3 box;
    cn_field_cells cells;
    int32_t *out;
    int count, capacity;
} query;

// Those of the four numbers from `base` on that are in a range, as bits.
static unsigned in_range(int base, int first, int last)
{
    int low = first > base ? first - base : 0, high = last < base + 3 ? last - base : 3;
    return (15u << low) & (15u >> (3 - high));
}

static void query_cell(query *q, int column, int row)
{
    for (int half = 0; half < 2; half++) {
        cn_box3 box = cn_field_box(&q->view, column, row, half);
        if (!(box.lower.y <= q->box.upper.y && box.upper.y >= q->box.lower.y))
            continue;
        if (q->count < q->capacity)
            q->out[q->count] = 2 * cn_field_cell(q->view.field, column, row) + half;
        q->count++;
    }
}

static void query_block(query *q, int block_column, int block_row)
{
    const cn_height_field *field = q->view.field;
    int column = CN_FIELD_BLOCK * block_column, row = CN_FIELD_BLOCK * block_row;
    unsigned solid = field->solid[block_row * field->block_columns + block_column];
    unsigned columns = in_range(column, q->cells.first_column, q->cells.last_column);
    for (unsigned rows = in_range(row, q->cells.first_row, q->cells.last_row); rows != 0; rows &= rows - 1) {
        int r = __builtin_ctz(rows);
        unsigned cells = solid >> (CN_FIELD_BLOCK * r) & columns;
        if (cells == 0)
            continue;
        cn_f4 lowest, highest;
        cn_field_cell_heights(&q->view, column, row + r, &lowest, &highest);
        cells &= (unsigned)cn_i4_bits((lowest <= q->box.upper.y) & (highest >= q->box.lower.y));
        for (; cells != 0; cells &= cells - 1)
            query_cell(q, column + __builtin_ctz(cells), row + r);
    }
}

// A node of level k, or a block when it is 0.
static void query_node(query *q, int level, int column, int row)
{
    if (level == 0) {
        query_block(q, column, row);
        return;
    }
    const cn_field_level *nodes = &q->view.field->levels[level - 1];
    const cn_field_node *node = &nodes->nodes[row * nodes->columns + column];
    cn_f4 lowest = node->lowest * q->view.scale_y, highest = node->highest * q->view.scale_y;
    int met = cn_i4_bits((lowest <= q->box.upper.y) & (highest >= q->box.lower.y) & (node->lowest < INFINITY));
    int shift = level + 1; // cells of a child: 4 << (level - 1)
    for (int i = 0; i < 4; i++) {
        int child_column = 2 * column + (i & 1), child_row = 2 * row + (i >> 1);
        if ((met >> i & 1) && child_column >= q->cells.first_column >> shift && child_column <= q->cells.last_column >> shift &&
            child_row >= q->cells.first_row >> shift && child_row <= q->cells.last_row >> shift)
            query_node(q, level - 1, child_column, child_row);
    }
}

int cn_field_query(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity)
{
    query q = { .view = cn_field_view_of(composite), .box = *box, .out = out, .capacity = capacity };
    if (!cn_field_find_cells(&q.view, box, &q.cells))
        return 0;
    int level = cn_field_level_of(q.view.field, &q.cells), shift = level + 2;
    for (int row = q.cells.first_row >> shift; row <= q.cells.last_row >> shift; row++)
        for (int column = q.cells.first_column >> shift; column <= q.cells.last_column >> shift; column++)
            query_node(&q, level, column, row);
    return q.count;
}

// ---- nearness

typedef struct search {
    cn_field_view view;
    cn_box3 box;
    float limit;
    cn_part_visit visit;
    void *context;
} search;

// The distance between [lower, upper] and an interval of the box, on one axis.
static cn_f4 gap4(cn_f4 lower, cn_f4 upper, float box_lower, float box_upper)
{
    return cn_f4_max(cn_f4_max(lower - box_upper, box_lower - upper), (cn_f4){ 0.0f });
}

static float gap(float lower, float upper, float box_lower, float box_upper)
{
    return cn_maxf(cn_maxf(lower - box_upper, box_lower - upper), 0.0f);
}

static float box_distance(const cn_box3 *a, const cn_box3 *b)
{
    float x = gap(a->lower.x, a->upper.x, b->lower.x, b->upper.x), y = gap(a->lower.y, a->upper.y, b->lower.y, b->upper.y);
    float z = gap(a->lower.z, a->upper.z, b->lower.z, b->upper.z);
    return sqrtf(x * x + y * y + z * z);
}

typedef struct candidate {
    float distance;
    int number;
} candidate;

// Keeps the nearest in front, and those that are equally near in the order they came.
static void insert(candidate *sorted, int *count, candidate c)
{
    int i = (*count)++;
    for (; i > 0 && sorted[i - 1].distance > c.distance; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = c;
}

static void search_block(search *s, int block_column, int block_row)
{
    const cn_height_field *field = s->view.field;
    unsigned solid = field->solid[block_row * field->block_columns + block_column];
    candidate sorted[2 * CN_FIELD_BLOCK * CN_FIELD_BLOCK];
    int count = 0;
    for (int bit = 0; bit < CN_FIELD_BLOCK * CN_FIELD_BLOCK; bit++) {
        int column = CN_FIELD_BLOCK * block_column + bit % CN_FIELD_BLOCK,
            row = CN_FIELD_BLOCK * block_row + bit / CN_FIELD_BLOCK;
        for (int half = 0; half < 2 && (solid >> bit & 1u); half++) {
            cn_box3 box = cn_field_box(&s->view, column, row, half);
            float distance = box_distance(&box, &s->box);
            if (distance < s->limit)
                insert(sorted, &count, (candidate){ distance, 2 * cn_field_cell(field, column, row) + half });
        }
    }
    for (int i = 0; i < count && sorted[i].distance < s->limit; i++)
        s->limit = s->visit(s->context, sorted[i].number, s->limit);
}

static void search_node(search *s, int level, int column, int row)
{
    if (level == 0) {
        search_block(s, column, row);
        return;
    }
    const cn_field_view *view = &s->view;
    const cn_field_level *nodes = &view->field->levels[level - 1];
    const cn_field_node *node = &nodes->nodes[row * nodes->columns + column];
    int size = 2 << level; // cells of a child along each side
    float left = (float)(2 * column * size), back = (float)(2 * row * size), side = (float)size;
    cn_f4 child_x = left + (cn_f4){ 0.0f, side, 0.0f, side }, child_z = back + (cn_f4){ 0.0f, 0.0f, side, side };
    cn_f4 x = gap4(child_x * view->step_x, (child_x + side) * view->step_x, s->box.lower.x, s->box.upper.x);
    cn_f4 y = gap4(node->lowest * view->scale_y, node->highest * view->scale_y, s->box.lower.y, s->box.upper.y);
    cn_f4 z = gap4(child_z * view->step_z, (child_z + side) * view->step_z, s->box.lower.z, s->box.upper.z);
    cn_f4 distance_sq = x * x + y * y + z * z;
    candidate sorted[4];
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (node->lowest[i] < INFINITY)
            insert(sorted, &count, (candidate){ sqrtf(distance_sq[i]), i });
    for (int i = 0; i < count && sorted[i].distance < s->limit; i++)
        search_node(s, level - 1, 2 * column + (sorted[i].number & 1), 2 * row + (sorted[i].number >> 1));
}

void cn_field_near(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context)
{
    search s = { cn_field_view_of(composite), *box, limit, visit, context };
    search_node(&s, s.view.field->level_count, 0, 0);
}
