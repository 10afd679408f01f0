// A forest in which every tree is what hangs together; roots are the first of their trees.
#ifndef CN_FOREST_H
#define CN_FOREST_H

static inline int cn_find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void cn_join(int *parent, int a, int b)
{
    a = cn_find_root(parent, a);
    b = cn_find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
