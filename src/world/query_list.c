// The first so many of any number of items: a heap with the last of them on top, which gives way to what comes before it.
#include "world/query.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *at(const cn_query_list *list, int i)
{
    return (unsigned char *)list->items + list->item_size * (size_t)i;
}

static bool comes_after(const cn_query_list *list, int i, int k) { return list->compare(at(list, i), at(list, k)) > 0; }

static void swap(const cn_query_list *list, int i, int k)
{
    unsigned char *a = at(list, i), *b = at(list, k);
    for (size_t n = 0; n < list->item_size; n++) {
        unsigned char kept = a[n];
        a[n] = b[n];
        b[n] = kept;
    }
}

static void rise(const cn_query_list *list, int i)
{
    for (int above = (i - 1) / 2; i > 0 && comes_after(list, i, above); i = above, above = (i - 1) / 2)
        swap(list, i, above);
}

static void sink(const cn_query_list *list)
{
    for (int i = 0, below = 1; below < list->capacity; below = 2 * i + 1) {
        below += below + 1 < list->capacity && comes_after(list, below + 1, below);
        if (!comes_after(list, below, i))
            return;
        swap(list, i, below);
        i = below;
    }
}

void cn_query_list_add(cn_query_list *list, const void *item)
{
    int index = list->count++;
    if (index < list->capacity) {
        memcpy(at(list, index), item, list->item_size);
        rise(list, index);
    } else if (list->capacity > 0 && list->compare(item, list->items) < 0) {
        memcpy(list->items, item, list->item_size);
        sink(list);
    }
}

int cn_query_list_finish(cn_query_list *list)
{
    int kept = list->count < list->capacity ? list->count : list->capacity;
    if (kept > 1)
        qsort(list->items, (size_t)kept, list->item_size, list->compare);
    return list->count;
}
