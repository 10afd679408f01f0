// Piles of random convex hulls: stones of one size, and debris of all sizes.
#include "scenes.h"

#define MOST_POINTS 24

cn_hull_id cn_build_stone(cn_build *build, int points, float diameter)
{
    cn_vec3 axes, cloud[MOST_POINTS];
    axes.x = 0.5f * diameter;
    axes.y = 0.5f * diameter * cn_random_range(&build->random, 0.6f, 1.0f);
    axes.z = 0.5f * diameter * cn_random_range(&build->random, 0.6f, 1.0f);
    for (int i = 0; i < points && i < MOST_POINTS; ++i) {
        cn_vec3 direction = cn_random_direction(&build->random);
        float depth = cn_random_range(&build->random, 0.75f, 1.0f);
        cloud[i] = (cn_vec3){ depth * axes.x * direction.x, depth * axes.y * direction.y, depth * axes.z * direction.z };
    }
    return cn_build_hull(build, cloud, points < MOST_POINTS ? points : MOST_POINTS);
}

static void drop_stone(cn_build *build, cn_pos3 place, int points, float diameter)
{
    cn_hull_id hull = cn_build_stone(build, points, diameter);
    cn_build_solid(build, CN_DYNAMIC, place, cn_random_rotation(&build->random), cn_hull(hull));
}

void cn_scene_convex_pile(cn_build *build)
{
    const int count = 5000;
    const cn_grid grid = { .side = 17, .cell = 1.15, .y = 0.1, .jitter = 0.05f };
    cn_build_pit(build, 10.0f, 40.0f);
    for (int i = 0; i < count; ++i) {
        cn_pos3 place = cn_grid_place(&grid, i, &build->random);
        drop_stone(build, place, cn_random_int(&build->random, 8, 24), 1.0f);
    }
}

// Room for debris is handed out from cells of 2.05 m, cut into eight again and again until a stone just fits. So small stones
// and large ones are mixed everywhere, close together, and nothing overlaps.
#define SIZES 6 // 2 m halved five times reaches below 0.0625 m
#define LARGEST 2.0f
#define CELL 2.05

typedef struct cells {
    cn_grid grid;
    int used; // of the largest cells
    cn_pos3 spare[SIZES][8];
    int spare_count[SIZES];
} cells;

// The centre of a free cell of CELL / 2^size. Splitting leaves at most seven spare cells of each size.
static cn_pos3 take_cell(cells *room, int size, cn_random *random)
{
    if (room->spare_count[size] > 0)
        return room->spare[size][--room->spare_count[size]];
    if (size == 0)
        return cn_grid_place(&room->grid, room->used++, random);
    cn_pos3 parent = take_cell(room, size - 1, random);
    double quarter = CELL / (double)(4 << (size - 1));
    for (int i = 0; i < 8; ++i) {
        room->spare[size][i] = (cn_pos3){ parent.x + (i & 1 ? quarter : -quarter), parent.y + (i & 2 ? quarter : -quarter),
                                          parent.z + (i & 4 ? quarter : -quarter) };
    }
    room->spare_count[size] = 7;
    return room->spare[size][7];
}

void cn_scene_debris(cn_build *build)
{
    const int count = 5000;
    cells room = { .grid = { .side = 9, .cell = CELL, .y = 0.1, .jitter = 0.0f } };
    cn_build_pit(build, 10.0f, 40.0f);
    for (int i = 0; i < count; ++i) {
        float diameter = cn_random_log_range(&build->random, 0.05f, LARGEST);
        int size = 0;
        while (size + 1 < SIZES && diameter <= LARGEST / (float)(2 << size))
            ++size;
        cn_pos3 place = take_cell(&room, size, &build->random);
        float slack = 0.5f * (float)(CELL - (double)LARGEST) / (float)(1 << size);
        cn_vec3 jitter = cn_random_vector(&build->random, slack);
        place = (cn_pos3){ place.x + (double)jitter.x, place.y + (double)jitter.y, place.z + (double)jitter.z };
        drop_stone(build, place, cn_random_int(&build->random, 8, 16), diameter);
    }
}
