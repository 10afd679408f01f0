// The pyramid of a height field.
#include "shape/height_field_data.h"

static const float none = INFINITY;

// The heights around the cells of a block that are there.
static void block_heights(const cn_height_field *field, int block_column, int block_row, float *lowest, float *highest)
{
    *lowest = *highest = none;
    unsigned solid = field->solid[block_row * field->block_columns + block_column];
    cn_field_view plain = { field, field->spacing_x, 1.0f, field->spacing_z };
    float low = none, high = -none;
    for (int r = 0; r < CN_FIELD_BLOCK; r++) {
        unsigned row = solid >> (CN_FIELD_BLOCK * r) & 15u;
        if (row == 0)
            continue;
        cn_f4 lows, highs;
        cn_field_cell_heights(&plain, CN_FIELD_BLOCK * block_column, CN_FIELD_BLOCK * block_row + r, &lows, &highs);
        for (int c = 0; c < CN_FIELD_BLOCK; c++)
            if (row >> c & 1u) {
                low = cn_minf(low, lows[c]);
                high = cn_maxf(high, highs[c]);
            }
    }
    if (solid != 0) {
        *lowest = low;
        *highest = high;
    }
}

static void node_heights(const cn_field_node *node, float *lowest, float *highest)
{
    float low = none, high = -none;
    for (int i = 0; i < 4; i++)
        if (node->lowest[i] < none) {
            low = cn_minf(low, node->lowest[i]);
            high = cn_maxf(high, node->highest[i]);
        }
    *lowest = low;
    *highest = low < none ? high : none;
}

static size_t level_size(const cn_field_level *level)
{
    return sizeof(cn_field_node) * (size_t)level->columns * (size_t)level->rows;
}

// Fills in the children of every node of a level, whose number along each axis is given.
static void fill_level(cn_height_field *field, int index, int child_columns, int child_rows)
{
    cn_field_level *level = &field->levels[index];
    for (int row = 0; row < level->rows; row++)
        for (int column = 0; column < level->columns; column++) {
            cn_field_node *node = &level->nodes[row * level->columns + column];
            for (int i = 0; i < 4; i++) {
                int child_column = 2 * column + (i & 1), child_row = 2 * row + (i >> 1);
                float lowest = none, highest = none;
                if (child_column < child_columns && child_row < child_rows) {
                    if (index == 0)
                        block_heights(field, child_column, child_row, &lowest, &highest);
                    else
                        node_heights(&field->levels[index - 1].nodes[child_row * child_columns + child_column], &lowest,
                                     &highest);
                }
                node->lowest[i] = lowest;
                node->highest[i] = highest;
            }
        }
}

void cn_field_build_pyramid(cn_height_field *field)
{
    int columns = field->block_columns, rows = field->block_rows;
    do {
        cn_field_level *level = &field->levels[field->level_count];
        level->columns = (columns + 1) / 2;
        level->rows = (rows + 1) / 2;
        level->nodes = cn_allocate(&field->allocator, level_size(level), 64);
        fill_level(field, field->level_count, columns, rows);
        field->level_count++;
        columns = level->columns;
        rows = level->rows;
    } while (columns > 1 || rows > 1);
    node_heights(&field->levels[field->level_count - 1].nodes[0], &field->lowest, &field->highest);
}

void cn_field_free_pyramid(cn_height_field *field)
{
    for (int i = 0; i < field->level_count; i++)
        cn_release(&field->allocator, field->levels[i].nodes, level_size(&field->levels[i]));
}
