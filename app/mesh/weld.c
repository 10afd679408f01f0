#include "model.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Of the bits, so that only equal positions weld. Zeros have one sign before they come here.
static uint32_t hash(const cn_vec3 *v)
{
    uint32_t bits[3], h = 2166136261u;
    memcpy(bits, v, sizeof bits);
    for (int i = 0; i < 3; ++i) {
        h = (h ^ bits[i]) * 0x9e3779b1u;
        h ^= h >> 15;
    }
    return h;
}

bool cn_model_weld(cn_model *model)
{
    size_t size = 16;
    while (size < 2 * (size_t)model->vertex_count)
        size *= 2;
    int *table = malloc(size * sizeof *table), count = 0; // open addressing; -1 where there is none
    cn_vec3 *kept = malloc(((size_t)model->vertex_count + 1) * sizeof *kept);
    if (!table || !kept) {
        free(table);
        free(kept);
        return cn_fail("out of memory");
    }
    memset(table, 0xff, size * sizeof *table);
    for (int i = 0; i < 3 * model->triangle_count; ++i) {
        cn_vec3 v = model->vertices[model->indices[i]];
        v = (cn_vec3){ v.x + 0.0f, v.y + 0.0f, v.z + 0.0f };
        size_t slot = hash(&v) & (size - 1);
        while (table[slot] >= 0 && memcmp(&kept[table[slot]], &v, sizeof v) != 0)
            slot = (slot + 1) & (size - 1);
        if (table[slot] < 0) {
            kept[count] = v;
            table[slot] = count++;
        }
        model->indices[i] = table[slot];
    }
    free(table);
    free(model->vertices);
    model->vertices = kept;
    model->vertex_count = count;
    return true;
}
