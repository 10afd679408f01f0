// Box trees against brute force, on degenerate input, and as input from outside.
#include "shape/box_tree.h"

#include "random_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3000 };

typedef struct world {
    cn_box3 boxes[MOST];
    int count, leaf_size;
    cn_box_tree tree;
    unsigned char seen[MOST];
} world;

static cn_box3 random_box(rng *r, float extent, float size)
{
    cn_vec3 center = rng_vec(r, extent), half = cn_abs3(rng_vec(r, size));
    return (cn_box3){ cn_sub(center, half), cn_add(center, half) };
}

// Uniform, flat, clustered with sizes over six decades, all the same, in a row of doubling distances.
enum { FORMS = 5 };
static world *make_world(int form, int count, int leaf_size)
{
    world *w = calloc(1, sizeof *w);
    rng r = { (uint64_t)(form * 1000 + count) };
    w->count = count;
    w->leaf_size = leaf_size;
    for (int i = 0; i < count; i++) {
        cn_box3 box = random_box(&r, 10.0f, 0.5f);
        if (form == 1)
            box.lower.y = box.upper.y = 3.0f;
        if (form == 2)
            box = random_box(&r, i % 3 == 0 ? 1000.0f : 0.01f, i % 7 == 0 ? 10.0f : 1e-4f);
        if (form == 3)
            box = (cn_box3){ { 1.0f, 2.0f, 3.0f }, { 1.0f, 2.5f, 3.0f } };
        if (form == 4) {
            float x = 1e-20f;
            for (int k = 0; k < i % 80; k++)
                x *= 2.0f;
            box = (cn_box3){ { x, 0.0f, 0.0f }, { x * 1.5f, x, x } };
        }
        w->boxes[i] = box;
    }
    cn_box_tree_build(&w->tree, &cn_default_allocator, w->boxes, count, leaf_size);
    assert_true(cn_box_tree_is_sound(&w->tree, &cn_default_allocator, count));
    return w;
}

static void destroy(world *w)
{
    cn_box_tree_free(&w->tree, &cn_default_allocator);
    free(w);
}

static bool note_overlap(void *context, int item)
{
    world *w = context;
    assert_int_equal(w->seen[item]++, 0);
    return true;
}

static float note_visit(void *context, int item, float limit)
{
    note_overlap(context, item);
    return limit;
}

// Where a moving box meets another, in double; negative when it does not.
static double sweep_exactly(const cn_box3 *box, dvec origin, dvec move, dvec half)
{
    double from = 0.0, to = 1.0;
    double lower[3] = { (double)box->lower.x - half.x - origin.x, (double)box->lower.y - half.y - origin.y,
                        (double)box->lower.z - half.z - origin.z };
    double upper[3] = { (double)box->upper.x + half.x - origin.x, (double)box->upper.y + half.y - origin.y,
                        (double)box->upper.z + half.z - origin.z };
    double d[3] = { move.x, move.y, move.z };
    for (int i = 0; i < 3; i++) {
        if (d[i] == 0.0) {
            if (lower[i] > 0.0 || upper[i] < 0.0)
                return -1.0;
            continue;
        }
        from = fmax(from, fmin(lower[i] / d[i], upper[i] / d[i]));
        to = fmin(to, fmax(lower[i] / d[i], upper[i] / d[i]));
    }
    return from <= to ? from : -1.0;
}

static double gap_exactly(const cn_box3 *a, const cn_box3 *b)
{
    double x = fmax(0.0, fmax((double)a->lower.x - (double)b->upper.x, (double)b->lower.x - (double)a->upper.x));
    double y = fmax(0.0, fmax((double)a->lower.y - (double)b->upper.y, (double)b->lower.y - (double)a->upper.y));
    double z = fmax(0.0, fmax((double)a->lower.z - (double)b->upper.z, (double)b->lower.z - (double)a->upper.z));
    return sqrt(x * x + y * y + z * z);
}

static cn_box3 grown(const cn_box3 *box, cn_vec3 by) { return (cn_box3){ cn_sub(box->lower, by), cn_add(box->upper, by) }; }

// Nothing is missed; with one item per leaf, what is found beside lies within two cells.
static void assert_query_agrees(world *w, const cn_box3 *query)
{
    memset(w->seen, 0, sizeof w->seen);
    cn_box_tree_query(&w->tree, query, note_overlap, w);
    cn_box3 loose = grown(query, cn_scale(2.1f, w->tree.cell));
    for (int i = 0; i < w->count; i++) {
        if (cn_box3_overlaps(&w->boxes[i], query))
            assert_true(w->seen[i]);
        if (w->leaf_size == 1 && w->seen[i])
            assert_true(cn_box3_overlaps(&w->boxes[i], &loose));
    }
}

static void assert_sweep_agrees(world *w, cn_vec3 origin, cn_vec3 move, cn_vec3 half)
{
    memset(w->seen, 0, sizeof w->seen);
    cn_box_tree_sweep(&w->tree, origin, move, half, 1.0f, note_visit, w);
    for (int i = 0; i < w->count; i++) {
        if (sweep_exactly(&w->boxes[i], dv_of(origin), dv_of(move), dv_of(half)) >= 0.0)
            assert_true(w->seen[i]);
        cn_box3 loose = grown(&w->boxes[i], cn_scale(2.1f, w->tree.cell));
        float rounding =
            3e-6f * (cn_length(cn_sub(origin, w->tree.bounds.lower)) + cn_length(cn_sub(origin, w->tree.bounds.upper)));
        loose = grown(&loose, cn_v3(rounding, rounding, rounding));
        if (w->leaf_size == 1 && w->seen[i])
            assert_true(sweep_exactly(&loose, dv_of(origin), dv_of(move), dv_of(half)) >= 0.0);
    }
}

static void assert_near_agrees(world *w, const cn_box3 *box, float limit)
{
    memset(w->seen, 0, sizeof w->seen);
    cn_box_tree_near(&w->tree, box, cn_v3(1.0f, 1.0f, 1.0f), limit, note_visit, w);
    double cell = (double)cn_length(w->tree.cell);
    double reach = (double)cn_length(cn_sub(w->tree.bounds.upper, w->tree.bounds.lower)) + gap_exactly(&w->tree.bounds, box);
    for (int i = 0; i < w->count; i++) {
        double gap = gap_exactly(&w->boxes[i], box);
        if (gap <= (double)limit)
            assert_true(w->seen[i]);
        if (w->leaf_size == 1 && w->seen[i])
            assert_true(gap <= (double)limit * 1.00001 + 2.1 * cell + 4e-6 * reach);
    }
}

static void test_walks_agree_with_brute_force(void **state)
{
    (void)state;
    static const int counts[] = { 1, 2, 4, 5, 8, 9, 31, 32, 33, 100, 257, MOST };
    rng r = { 5 };
    for (int form = 0; form < FORMS; form++)
        for (int c = 0; c < 12; c++)
            for (int leaf_size = 1; leaf_size <= CN_BOX_TREE_MAX_LEAF; leaf_size += 3) {
                world *w = make_world(form, counts[c], leaf_size);
                for (int i = 0; i < 20; i++) {
                    float extent = i % 5 == 0 ? 2000.0f : i % 5 == 1 ? 0.02f : 12.0f;
                    cn_box3 query = random_box(&r, extent, i % 3 == 0 ? 5.0f : 0.1f);
                    assert_query_agrees(w, &query);
                    assert_near_agrees(w, &query, rng_range(&r, 0.0f, i % 2 == 0 ? 1.0f : 20.0f));
                    cn_vec3 origin = rng_vec(&r, extent), move = rng_vec(&r, 2.0f * extent);
                    cn_vec3 half = i % 2 == 0 ? cn_v3(0.0f, 0.0f, 0.0f) : cn_abs3(rng_vec(&r, 0.3f));
                    if (i % 4 == 1)
                        move.x = 0.0f;
                    if (i % 4 == 2)
                        move.y = move.z = 0.0f;
                    if (i == 3)
                        move = cn_v3(0.0f, 0.0f, 0.0f);
                    assert_sweep_agrees(w, origin, move, half);
                }
                destroy(w);
            }
}

// Rays that run exactly in the faces of boxes, and boxes that touch exactly.
static void test_touching_counts(void **state)
{
    (void)state;
    world *w = make_world(3, 50, 4);
    cn_box3 touching = { { 1.0f, 0.0f, 3.0f }, { 4.0f, 2.0f, 5.0f } };
    assert_query_agrees(w, &touching);
    assert_int_equal(w->seen[7], 1);
    assert_sweep_agrees(w, cn_v3(1.0f, 0.0f, 3.0f), cn_v3(0.0f, 5.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    assert_int_equal(w->seen[7], 1);
    assert_sweep_agrees(w, cn_v3(-1.0f, 2.5f, 3.0f), cn_v3(2.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    assert_int_equal(w->seen[7], 1);
    destroy(w);
}

typedef struct nearest {
    const world *w;
    dvec origin, move;
    double best;
    int visits;
} nearest;

static float take_first(void *context, int item, float limit)
{
    nearest *n = context;
    double at = sweep_exactly(&n->w->boxes[item], n->origin, n->move, dv(0, 0, 0));
    n->visits++;
    if (at < 0.0 || at > (double)limit)
        return limit;
    n->best = fmin(n->best, at);
    return (float)n->best;
}

static void test_nearest_is_found_early(void **state)
{
    (void)state;
    world *w = make_world(0, MOST, 4);
    rng r = { 9 };
    int visits = 0;
    for (int i = 0; i < 200; i++) {
        cn_vec3 origin = rng_vec(&r, 30.0f), move = cn_scale(-2.0f, origin);
        nearest n = { w, dv_of(origin), dv_of(move), 2.0, 0 };
        cn_box_tree_sweep(&w->tree, origin, move, cn_v3(0.0f, 0.0f, 0.0f), 1.0f, take_first, &n);
        double best = 2.0;
        for (int k = 0; k < w->count; k++) {
            double at = sweep_exactly(&w->boxes[k], n.origin, n.move, dv(0, 0, 0));
            best = at >= 0.0 ? fmin(best, at) : best;
        }
        assert_true(fabs(n.best - best) <= 1e-6);
        visits += n.visits;
    }
    assert_in_range(visits, 1, 200 * 60); // of 3000 boxes each
    destroy(w);
}

static bool stop_after_three(void *context, int item)
{
    (void)item;
    return ++*(int *)context < 3;
}
static float end_after_three(void *context, int item, float limit)
{
    (void)item;
    return ++*(int *)context < 3 ? limit : -1.0f;
}

static void test_visits_can_be_ended(void **state)
{
    (void)state;
    world *w = make_world(0, 500, 4);
    cn_box3 all = w->tree.bounds;
    int calls = 0;
    cn_box_tree_query(&w->tree, &all, stop_after_three, &calls);
    assert_int_equal(calls, 3);
    calls = 0;
    cn_box_tree_near(&w->tree, &all, cn_v3(1.0f, 1.0f, 1.0f), 1.0f, end_after_three, &calls);
    assert_int_equal(calls, 3);
    calls = 0;
    cn_box_tree_sweep(&w->tree, all.lower, cn_sub(all.upper, all.lower), all.upper, 1.0f, end_after_three, &calls);
    assert_int_equal(calls, 3);
    destroy(w);
}

static void test_no_boxes_are_no_tree(void **state)
{
    (void)state;
    cn_box_tree tree;
    cn_box_tree_build(&tree, &cn_default_allocator, NULL, 0, 4);
    assert_true(cn_box_tree_is_sound(&tree, &cn_default_allocator, 0));
    cn_box3 box = { { -1.0f, -1.0f, -1.0f }, { 1.0f, 1.0f, 1.0f } };
    int calls = 0;
    cn_box_tree_query(&tree, &box, stop_after_three, &calls);
    cn_box_tree_sweep(&tree, box.lower, box.upper, box.upper, 1.0f, end_after_three, &calls);
    cn_box_tree_near(&tree, &box, box.upper, 1.0f, end_after_three, &calls);
    assert_int_equal(calls, 0);
    cn_box_tree_free(&tree, &cn_default_allocator);
}

// Any single damage to children or items is noticed, except in the order of things.
static void test_damaged_trees_are_not_sound(void **state)
{
    (void)state;
    world *w = make_world(0, 700, 4);
    rng r = { 3 };
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        uint32_t node = rng_next(&r) % (unsigned)w->tree.node_count, slot = rng_next(&r) % CN_BOX_TREE_WIDTH;
        uint32_t *child = &w->tree.nodes[node].child[slot];
        int32_t *item = &w->tree.items[rng_next(&r) % (unsigned)w->count];
        uint32_t old_child = *child;
        int32_t old_item = *item;
        if (i % 2 == 0)
            *child = i % 4 == 0 ? *child ^ 1u << rng_next(&r) % 32 : rng_next(&r) % 256;
        else
            *item = i % 4 == 1 ? *item ^ (int32_t)(1u << rng_next(&r) % 32) : (int32_t)(rng_next(&r) % 700);
        bool changed = *child != old_child || *item != old_item;
        bool sound = cn_box_tree_is_sound(&w->tree, &cn_default_allocator, w->count);
        assert_int_equal(sound, !changed);
        refused += !sound;
        *child = old_child;
        *item = old_item;
    }
    assert_true(refused > 2900);
    destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_agree_with_brute_force), cmocka_unit_test(test_touching_counts),
        cmocka_unit_test(test_nearest_is_found_early),       cmocka_unit_test(test_visits_can_be_ended),
        cmocka_unit_test(test_no_boxes_are_no_tree),         cmocka_unit_test(test_damaged_trees_are_not_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
