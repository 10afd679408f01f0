// Builds box trees from the top: a node splits the part of its items with the largest surface again and again until it has
// eight. Splits are chosen by the surface area heuristic, over bins (Wald 2007, "On fast construction of SAH-based bounding
// volume hierarchies"), and below 33 items over all places that fill leaves.
#include "base/simd.h"
#include "shape/box_tree.h"

#include <float.h>

enum {
    BINS = 16,
    SMALL = CN_BOX_TREE_WIDTH * CN_BOX_TREE_MAX_LEAF, // items that a single node can hold in its leaves
    // From this depth on items are halved instead: no set of 2^28 boxes then gets deeper than CN_BOX_TREE_MAX_DEPTH.
    HALVING_DEPTH = 16,
    NUMBER_TAG =
        0x40000000, // makes a number below 2^28 an ordinary float, which arithmetic on the fourth lane takes no harm from
};

typedef struct bounds4 {
    cn_f4 lower, upper;
} bounds4;

typedef union item {
    struct {
        float lower[3];
        int32_t number; // tagged
        float upper[3], zero;
    };
    bounds4 box;
} item;

typedef struct range {
    int first, count;
    bounds4 box, centers; // centres are doubled: lower + upper
} range;

typedef struct builder {
    item *items;
    int leaf_size;
    const cn_allocator *allocator;
    CN_ARRAY(cn_box_node) nodes;
} builder;

static cn_f4 min4(cn_f4 a, cn_f4 b)
{
#if CN_HAS_F4
    return cn_f4_min(a, b);
#else
    cn_i4 less = a < b;
    return (cn_f4)((less & (cn_i4)a) | (~less & (cn_i4)b));
#endif
}

static cn_f4 max4(cn_f4 a, cn_f4 b)
{
#if CN_HAS_F4
    return cn_f4_max(a, b);
#else
    cn_i4 more = a > b;
    return (cn_f4)((more & (cn_i4)a) | (~more & (cn_i4)b));
#endif
}

static cn_f4 set4(float x) { return (cn_f4){ x, x, x, x }; }
static bounds4 empty(void) { return (bounds4){ set4(FLT_MAX), set4(-FLT_MAX) }; }
static void extend(bounds4 *a, const bounds4 *b)
{
    a->lower = min4(a->lower, b->lower);
    a->upper = max4(a->upper, b->upper);
}
static cn_f4 center_of(const item *i) { return i->box.lower + i->box.upper; }
static void add_item(range *r, const item *i)
{
    cn_f4 center = center_of(i);
    extend(&r->box, &i->box);
    extend(&r->centers, &(bounds4){ center, center });
    r->count++;
}

static float area_of(const bounds4 *box)
{
    cn_f4 size = box->upper - box->lower;
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static range range_over(const builder *b, int first, int count)
{
    range r = { first, 0, empty(), empty() };
    for (int i = 0; i < count; i++)
        add_item(&r, &b->items[first + i]);
    return r;
}

// ---- Splits

typedef struct bin_set {
    cn_f4 lowest, density; // bin = (centre - lowest) * density
    int count[3][BINS];
    bounds4 box[3][BINS];
} bin_set;

static cn_i4 bin_of(const bin_set *bins, const item *i)
{
    return __builtin_convertvector((center_of(i) - bins->lowest) * bins->density, cn_i4);
}

static void fill_bins(bin_set *bins, const builder *b, const range *r)
{
    cn_f4 extent = r->centers.upper - r->centers.lower;
    bins->lowest = r->centers.lower;
    bins->density = set4(0.0f);
    for (int axis = 0; axis < 3; axis++)
        if (extent[axis] > 1e-30f)
            bins->density[axis] = (float)BINS * 0.999999f / extent[axis];
    memset(bins->count, 0, sizeof bins->count);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < BINS; k++)
            bins->box[axis][k] = empty();
    for (int i = r->first; i < r->first + r->count; i++) {
        cn_i4 bin = bin_of(bins, &b->items[i]);
        for (int axis = 0; axis < 3; axis++) {
            bins->count[axis][bin[axis]]++;
            extend(&bins->box[axis][bin[axis]], &b->items[i].box);
        }
    }
}

// Where a range is split: the lower side has the bins before `bin`, which is 0 when all centres lie in the same ones.
typedef struct bin_split {
    int axis, bin;
} bin_split;

static bin_split choose_bin(const bin_set *bins, int total)
{
    bin_split split = { 0, 0 };
    float best = FLT_MAX;
    for (int axis = 0; axis < 3; axis++) {
        float above[BINS]; // cost of the bins from k on
        bounds4 box = empty();
        int count = 0;
        for (int k = BINS - 1; k > 0; k--) {
            extend(&box, &bins->box[axis][k]);
            count += bins->count[axis][k];
            above[k] = count > 0 ? area_of(&box) * (float)count : 0.0f;
        }
        box = empty();
        count = 0;
        for (int k = 1; k < BINS; k++) {
            extend(&box, &bins->box[axis][k - 1]);
            count += bins->count[axis][k - 1];
            if (count == 0 || count == total)
                continue;
            float cost = area_of(&box) * (float)count + above[k];
            if (cost < best) {
                best = cost;
                split = (bin_split){ axis, k };
            }
        }
    }
    return split;
}

static void split_in_bins(builder *b, const range *r, range *low, range *high)
{
    bin_set bins;
    fill_bins(&bins, b, r);
    bin_split split = choose_bin(&bins, r->count);
    if (split.bin == 0) {
        *low = range_over(b, r->first, r->count / 2);
        *high = range_over(b, r->first + r->count / 2, r->count - r->count / 2);
        return;
    }
    *low = (range){ r->first, 0, empty(), empty() };
    *high = (range){ 0, 0, empty(), empty() };
    item *begin = b->items + r->first, *end = begin + r->count;
    while (begin < end) {
        if (bin_of(&bins, begin)[split.axis] < split.bin) {
            add_item(low, begin++);
        } else {
            item moved = *begin;
            *begin = *--end;
            *end = moved;
            add_item(high, end);
        }
    }
    high->first = r->first + low->count;
}

static void sort_by_center(const builder *b, const range *r, int axis, uint8_t order[SMALL])
{
    float key[SMALL];
    for (int i = 0; i < r->count; i++) {
        float k = center_of(&b->items[r->first + i])[axis];
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) {
            key[at] = key[at - 1];
            order[at] = order[at - 1];
        }
        key[at] = k;
        order[at] = (uint8_t)i;
    }
}

// The cheapest place along an order at which the lower side fills its leaves.
static float best_place(const builder *b, const range *r, const uint8_t order[SMALL], int *place)
{
    float above[SMALL], best = FLT_MAX;
    const item *items = b->items + r->first;
    bounds4 box = empty();
    for (int i = r->count - 1; i > 0; i--) {
        extend(&box, &items[order[i]].box);
        above[i] = area_of(&box) * (float)(r->count - i);
    }
    box = empty();
    for (int i = 1; i < r->count; i++) {
        extend(&box, &items[order[i - 1]].box);
        float cost = area_of(&box) * (float)i + above[i];
        if (i % b->leaf_size == 0 && cost < best) {
            best = cost;
            *place = i;
        }
    }
    return best;
}

static void split_small(builder *b, const range *r, range *low, range *high)
{
    uint8_t order[3][SMALL];
    float best = FLT_MAX;
    int axis = 0, place = b->leaf_size;
    for (int k = 0; k < 3; k++) {
        int at = b->leaf_size;
        sort_by_center(b, r, k, order[k]);
        float cost = best_place(b, r, order[k], &at);
        if (cost < best) {
            best = cost;
            axis = k;
            place = at;
        }
    }
    item sorted[SMALL];
    for (int i = 0; i < r->count; i++)
        sorted[i] = b->items[r->first + order[axis][i]];
    memcpy(b->items + r->first, sorted, (size_t)r->count * sizeof *sorted);
    *low = range_over(b, r->first, place);
    *high = range_over(b, r->first + place, r->count - place);
}

// ---- Nodes

// Which child is split next, -1 when none needs it: the largest by area of those that hold more than a child should.
static int choose_child(const range *children, int count, int capacity, bool by_count)
{
    int chosen = -1;
    float most = -1.0f;
    for (int i = 0; i < count; i++) {
        float size = by_count ? (float)children[i].count : area_of(&children[i].box);
        if (children[i].count > capacity && size > most) {
            most = size;
            chosen = i;
        }
    }
    return chosen;
}

// A node takes no more children than the next lower power of eight asks for, so that the lowest nodes, which are most of them,
// are well filled.
static int split_range(builder *b, const range *r, int depth, range children[CN_BOX_TREE_WIDTH])
{
    int capacity = b->leaf_size, count = 1;
    while (capacity * CN_BOX_TREE_WIDTH < r->count)
        capacity *= CN_BOX_TREE_WIDTH;
    children[0] = *r;
    while (count < CN_BOX_TREE_WIDTH) {
        int i = choose_child(children, count, capacity, depth >= HALVING_DEPTH);
        if (i < 0)
            break;
        range whole = children[i];
        if (whole.count <= b->leaf_size * CN_BOX_TREE_WIDTH) {
            split_small(b, &whole, &children[i], &children[count]);
        } else if (depth < HALVING_DEPTH) {
            split_in_bins(b, &whole, &children[i], &children[count]);
        } else {
            children[i] = range_over(b, whole.first, whole.count / 2);
            children[count] = range_over(b, whole.first + whole.count / 2, whole.count - whole.count / 2);
        }
        count++;
    }
    return count;
}

static void build_node(builder *b, int index, const range *r, int depth)
{
    range children[CN_BOX_TREE_WIDTH];
    int count = split_range(b, r, depth, children), below = b->nodes.count, next = below;
    cn_box_node node = { 0 };
    for (int i = 0; i < CN_BOX_TREE_WIDTH; i++) {
        if (i >= count)
            node.child[i] = CN_BOX_LEAF;
        else if (children[i].count > b->leaf_size)
            node.child[i] = (uint32_t)next++;
        else
            node.child[i] = CN_BOX_LEAF | (uint32_t)children[i].count << 28 | (uint32_t)children[i].first;
    }
    b->nodes.data[index] = node;
    cn_array_reserve(b->allocator, &b->nodes, next);
    b->nodes.count = next;
    for (int i = 0; i < count; i++)
        if (children[i].count > b->leaf_size)
            build_node(b, below++, &children[i], depth + 1);
}

void cn_box_tree_build(cn_box_tree *tree, const cn_allocator *allocator, const cn_box3 *boxes, int count, int leaf_size)
{
    *tree = (cn_box_tree){ .item_count = count };
    if (count == 0)
        return;
    size_t bytes = (size_t)count * sizeof(item);
    builder b = { cn_allocate(allocator, bytes, 64), leaf_size, allocator, { 0 } };
    for (int i = 0; i < count; i++) {
        cn_vec3 lower = boxes[i].lower, upper = boxes[i].upper;
        b.items[i] = (item){ { { lower.x, lower.y, lower.z }, NUMBER_TAG | i, { upper.x, upper.y, upper.z }, 0.0f } };
    }
    range all = range_over(&b, 0, count);
    cn_array_reserve(allocator, &b.nodes, 1);
    b.nodes.count = 1;
    build_node(&b, 0, &all, 0);

    tree->node_count = b.nodes.count;
    tree->nodes = cn_allocate(allocator, (size_t)tree->node_count * sizeof *tree->nodes, 64);
    memcpy(tree->nodes, b.nodes.data, (size_t)tree->node_count * sizeof *tree->nodes);
    cn_array_free(allocator, &b.nodes);
    tree->items = cn_allocate(allocator, (size_t)count * sizeof *tree->items, 64);
    for (int i = 0; i < count; i++)
        tree->items[i] = b.items[i].number & ~NUMBER_TAG;
    cn_release(allocator, b.items, bytes);
    cn_box_tree_fit(tree, allocator, boxes);
}
