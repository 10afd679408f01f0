#include "json_grid.h"

#include <stddef.h>

static const cn_field grid_fields[] = {
    { "count", CN_FIELD_OTHER, .required = true },
    { "spacing", CN_FIELD_SCALE, offsetof(cn_repetition, spacing), CN_RANGE_ANY, .required = true },
    { "jitter", CN_FIELD_SCALE, offsetof(cn_repetition, jitter), CN_RANGE_NOT_NEGATIVE },
    { "seed", CN_FIELD_BITS, offsetof(cn_repetition, seed) },
};

bool cn_json_grid(const cn_json *object, cn_repetition *grid, cn_random *random)
{
    cn_json at, count;
    *grid = (cn_repetition){ .count = { 1, 1, 1 } };
    if (!cn_json_member(object, "grid", &at))
        return true;
    if (!CN_JSON_FIELDS(&at, grid_fields, grid))
        return false;
    cn_json_member(&at, "count", &count);
    if (json_array_size(count.value) != 3)
        return cn_json_expect(&count, "a list of 3 numbers");
    for (size_t i = 0; i < 3; ++i) {
        cn_json element = cn_json_element(&count, i);
        if (!cn_json_whole(&element, 1, 1000000, &grid->count[i]))
            return false;
    }
    if ((double)grid->count[0] * grid->count[1] * grid->count[2] > 1e7)
        return cn_json_fail(&count, "is more than ten million bodies");
    if (grid->seed)
        random->state = grid->seed;
    return true;
}

int cn_repetition_count(const cn_repetition *grid) { return grid->count[0] * grid->count[1] * grid->count[2]; }

cn_pos3 cn_repetition_place(const cn_repetition *grid, int index, cn_pos3 first, cn_random *random)
{
    const cn_repetition *g = grid;
    int x = index % g->count[0], z = index / g->count[0] % g->count[2], y = index / (g->count[0] * g->count[2]);
    cn_vec3 jitter = cn_random_vector(random, 1.0f);
    return (cn_pos3){ first.x + (double)x * (double)g->spacing.x + (double)jitter.x * (double)g->jitter.x,
                      first.y + (double)y * (double)g->spacing.y + (double)jitter.y * (double)g->jitter.y,
                      first.z + (double)z * (double)g->spacing.z + (double)jitter.z * (double)g->jitter.z };
}
