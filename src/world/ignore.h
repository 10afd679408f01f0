// A table of pairs that do not collide: of bodies, or of shapes, by index.
#ifndef CN_IGNORE_H
#define CN_IGNORE_H

#include "base/memory.h"

typedef struct cn_ignore_edge {
    int next, previous; // keys: pair * 2 + side
} cn_ignore_edge;

typedef struct cn_ignored_pair {
    int members[2];
    cn_ignore_edge edges[2]; // in the list of each member
} cn_ignored_pair;

typedef struct cn_ignore_table {
    int count;               // of pairs
    struct cn_pair_set *set; // NULL until it is needed
    CN_ARRAY(cn_ignored_pair) pairs;
    CN_ARRAY(int) free_pairs;
    CN_ARRAY(int) first; // by member
} cn_ignore_table;

bool cn_ignore_contains(const cn_ignore_table *table, int a, int b);
bool cn_ignore_add(const cn_allocator *allocator, cn_ignore_table *table, int a, int b);    // false when it is there
bool cn_ignore_remove(const cn_allocator *allocator, cn_ignore_table *table, int a, int b); // false when it is not
void cn_ignore_forget(const cn_allocator *allocator, cn_ignore_table *table, int member);   // all its pairs
void cn_ignore_free(const cn_allocator *allocator, cn_ignore_table *table);

#endif
