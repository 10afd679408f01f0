// Minimum degree by explicit elimination: a node of fewest neighbours goes next, and its neighbours become neighbours of each
// other. That costs no more operations than the factorisation it prepares.
#include "lab/block_order.h"

#include <string.h>

typedef struct neighbours {
    int *nodes, count, capacity;
} neighbours;

// The nodes that are left, in one list per degree.
typedef struct graph {
    cn_arena *arena;
    int count;
    neighbours *around; // per node; those that are eliminated are not in it
    int *heads;         // per degree: a node, or -1
    int *next, *previous;
    int *mark, stamp;
    int least; // no degree is smaller
} graph;

static void append(graph *g, int node, int other)
{
    neighbours *list = &g->around[node];
    if (list->count == list->capacity) {
        int *grown = cn_arena_array(g->arena, int, 2 * list->capacity + 4);
        if (list->count > 0)
            memcpy(grown, list->nodes, sizeof(int) * (size_t)list->count);
        list->nodes = grown;
        list->capacity = 2 * list->capacity + 4;
    }
    list->nodes[list->count++] = other;
}

static void link_node(graph *g, int node)
{
    int degree = g->around[node].count;
    g->previous[node] = -1;
    g->next[node] = g->heads[degree];
    if (g->heads[degree] >= 0)
        g->previous[g->heads[degree]] = node;
    g->heads[degree] = node;
    if (degree < g->least)
        g->least = degree;
}

static void unlink_node(graph *g, int node)
{
    if (g->previous[node] >= 0)
        g->next[g->previous[node]] = g->next[node];
    else
        g->heads[g->around[node].count] = g->next[node];
    if (g->next[node] >= 0)
        g->previous[g->next[node]] = g->previous[node];
}

static int *ints(cn_arena *arena, int count, int value)
{
    int *numbers = cn_arena_array(arena, int, count);
    for (int i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}

static void remove_doubles(graph *g, int node)
{
    neighbours *list = &g->around[node];
    int kept = 0;
    g->stamp++;
    for (int k = 0; k < list->count; k++) {
        int other = list->nodes[k];
        if (g->mark[other] == g->stamp)
            continue;
        g->mark[other] = g->stamp;
        list->nodes[kept++] = other;
    }
    list->count = kept;
}

static graph make_graph(cn_arena *arena, int count, const int *row_starts, const int *columns)
{
    graph g = { .arena = arena, .count = count, .around = cn_arena_array(arena, neighbours, count), .least = count };
    memset(g.around, 0, sizeof(neighbours) * (size_t)count);
    g.heads = ints(arena, count + 1, -1);
    g.next = ints(arena, count, -1);
    g.previous = ints(arena, count, -1);
    g.mark = ints(arena, count, 0);
    for (int i = 0; i < count; i++) {
        for (int e = row_starts[i]; e < row_starts[i + 1]; e++) {
            if (columns[e] == i)
                continue;
            append(&g, i, columns[e]);
            append(&g, columns[e], i);
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        remove_doubles(&g, i);
        link_node(&g, i);
    }
    return g;
}

// The neighbours of the pivot lose it and get each other.
static void eliminate(graph *g, int pivot)
{
    const neighbours *clique = &g->around[pivot];
    for (int k = 0; k < clique->count; k++) {
        int node = clique->nodes[k], kept = 0;
        neighbours *list = &g->around[node];
        unlink_node(g, node);
        g->stamp++;
        g->mark[node] = g->stamp;
        for (int m = 0; m < list->count; m++) {
            if (list->nodes[m] == pivot)
                continue;
            g->mark[list->nodes[m]] = g->stamp;
            list->nodes[kept++] = list->nodes[m];
        }
        list->count = kept;
        for (int m = 0; m < clique->count; m++)
            if (g->mark[clique->nodes[m]] != g->stamp)
                append(g, node, clique->nodes[m]);
        link_node(g, node);
    }
}

// Once the rest is a clique no order of it is better than another: each node couples to those after it.
static void finish_clique(graph *g, int p, int first, int *order)
{
    const neighbours *rest = &g->around[first];
    int last = p;
    order[last++] = first;
    for (int k = 0; k < rest->count; k++)
        order[last++] = rest->nodes[k];
    for (int i = p; i < last; i++) {
        neighbours *list = &g->around[order[i]];
        list->count = 0;
        for (int k = i + 1; k < last; k++)
            append(g, order[i], order[k]);
    }
}

// Leaves in around[node] what the node couples to when its turn comes.
static void choose_order(graph *g, int *order)
{
    for (int p = 0; p < g->count; p++) {
        while (g->heads[g->least] < 0)
            g->least++;
        int pivot = g->heads[g->least];
        if (g->least == g->count - p - 1) {
            finish_clique(g, p, pivot, order);
            return;
        }
        unlink_node(g, pivot);
        order[p] = pivot;
        eliminate(g, pivot);
    }
}

// Transposing twice sorts the rows.
static void fill_pattern(cn_block_order *o, cn_arena *arena, const graph *g)
{
    int n = o->count;
    int *next = ints(arena, n + 1, 0);
    o->starts = ints(arena, n + 1, 0);
    o->update_starts = ints(arena, n + 1, 0);
    for (int p = 0; p < n; p++) {
        const neighbours *list = &g->around[o->order[p]];
        o->starts[p + 1] = o->starts[p] + list->count;
        for (int k = 0; k < list->count; k++)
            o->update_starts[o->position[list->nodes[k]] + 1]++;
    }
    for (int p = 0; p < n; p++)
        next[p + 1] = o->update_starts[p + 1] += o->update_starts[p];
    o->fill = o->starts[n];
    o->columns = cn_arena_array(arena, int, o->fill);
    o->update_pivots = cn_arena_array(arena, int, o->fill);
    o->update_slots = cn_arena_array(arena, int, o->fill);
    next[0] = 0;
    for (int p = 0; p < n; p++) {
        const neighbours *list = &g->around[o->order[p]];
        for (int k = 0; k < list->count; k++)
            o->update_pivots[next[o->position[list->nodes[k]]]++] = p;
    }
    memcpy(next, o->starts, sizeof(int) * (size_t)n);
    for (int p = 0; p < n; p++) {
        for (int e = o->update_starts[p]; e < o->update_starts[p + 1]; e++) {
            int slot = next[o->update_pivots[e]]++;
            o->columns[slot] = p;
            o->update_slots[e] = slot;
        }
    }
}

cn_block_order cn_block_order_create(cn_arena *arena, int count, const int *row_starts, const int *columns)
{
    cn_block_order o = { .count = count };
    o.order = ints(arena, count, 0);
    o.position = ints(arena, count, 0);
    graph g = make_graph(arena, count, row_starts, columns);
    choose_order(&g, o.order);
    for (int p = 0; p < count; p++)
        o.position[o.order[p]] = p;
    fill_pattern(&o, arena, &g);
    return o;
}
