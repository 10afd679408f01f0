// The bounding-volume tree against brute force, on degenerate input, and after long motion.
#include "collide/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct random_state {
    uint32_t value;
} random_state;

static uint32_t random_bits(random_state *random)
{
    random->value = random->value * 1664525u + 1013904223u;
    return random->value >> 8;
}

static float random_range(random_state *random, float low, float high)
{
    return low + (high - low) * ((float)random_bits(random) / 16777216.0f);
}

static cn_vec3 random_vec(random_state *random, float low, float high)
{
    float x = random_range(random, low, high), y = random_range(random, low, high);
    return cn_v3(x, y, random_range(random, low, high));
}

static cn_box3 box_around(cn_vec3 center, cn_vec3 half) { return (cn_box3){ cn_sub(center, half), cn_add(center, half) }; }
static cn_box3 cube_around(cn_vec3 center, float half) { return box_around(center, cn_v3(half, half, half)); }

static cn_box3 random_box(random_state *random, float extent, float size)
{
    cn_vec3 center = random_vec(random, -extent, extent);
    return box_around(center, random_vec(random, 0.0f, size));
}

// A tree, and next to it the plain list it has to agree with. The user value of a leaf is its number here.
enum { LEAVES = 2000 };
typedef struct pair_of_worlds {
    cn_tree tree;
    int32_t leaf[LEAVES]; // -1 where there is none
    cn_box3 box[LEAVES];
} pair_of_worlds;

static void assert_query_agrees(const pair_of_worlds *w, const cn_box3 *query)
{
    static int32_t found[LEAVES];
    static unsigned char seen[LEAVES];
    memset(seen, 0, sizeof seen);
    int count = cn_tree_query_all(&w->tree, query, found, LEAVES), expected = 0;
    for (int i = 0; i < count; i++) {
        assert_in_range(found[i], 0, LEAVES - 1);
        assert_int_equal(seen[found[i]]++, 0);
    }
    for (int i = 0; i < LEAVES; i++) {
        bool overlaps = w->leaf[i] >= 0 && cn_box3_overlaps(&w->box[i], query);
        assert_int_equal(seen[i], overlaps);
        expected += overlaps;
    }
    assert_int_equal(count, expected);
}

static void change_something(pair_of_worlds *w, random_state *random)
{
    int i = (int)(random_bits(random) % LEAVES);
    uint32_t what = random_bits(random) % 8;
    if (w->leaf[i] < 0) {
        w->box[i] = random_box(random, 20.0f, 1.0f);
        w->leaf[i] = cn_tree_insert(&w->tree, w->box[i], i);
    } else if (what == 0) {
        cn_tree_remove(&w->tree, w->leaf[i]);
        w->leaf[i] = -1;
    } else if (what == 1) {
        w->box[i] = random_box(random, 20.0f, 1.0f);
        cn_tree_move(&w->tree, w->leaf[i], w->box[i]);
    } else {
        cn_vec3 step = random_vec(random, -0.3f, 0.3f);
        w->box[i] = (cn_box3){ cn_add(w->box[i].lower, step), cn_add(w->box[i].upper, step) };
        cn_tree_enlarge(&w->tree, w->leaf[i], w->box[i]);
    }
}

static pair_of_worlds *run_operations(int operations, bool check)
{
    pair_of_worlds *w = calloc(1, sizeof *w);
    cn_tree_init(&w->tree, &cn_default_allocator);
    random_state random = { 7 };
    for (int i = 0; i < LEAVES; i++)
        w->leaf[i] = -1;
    for (int operation = 0; operation < operations; operation++) {
        change_something(w, &random);
        if (operation % 97 == 0)
            cn_tree_refit(&w->tree);
        if (check && operation % 11 == 0) {
            cn_box3 query = random_box(&random, 20.0f, operation % 5 == 0 ? 15.0f : 2.0f);
            assert_query_agrees(w, &query);
        }
        if (check && operation % 53 == 0)
            assert_true(cn_tree_validate(&w->tree));
    }
    return w;
}

static void destroy(pair_of_worlds *w)
{
    cn_tree_free(&w->tree);
    free(w);
}

static void test_random_operations_agree_with_brute_force(void **state)
{
    (void)state;
    pair_of_worlds *w = run_operations(60000, true);
    for (int i = 0; i < LEAVES; i++) {
        if (w->leaf[i] < 0)
            continue;
        cn_box3 stored = cn_tree_box(&w->tree, w->leaf[i]);
        assert_memory_equal(&stored, &w->box[i], sizeof stored);
        assert_int_equal(cn_tree_user(&w->tree, w->leaf[i]), i);
    }
    // Down to nothing, and up again.
    for (int i = 0; i < LEAVES; i++) {
        if (w->leaf[i] < 0)
            continue;
        cn_tree_remove(&w->tree, w->leaf[i]);
        w->leaf[i] = -1;
        if (i % 37 == 0 || i > LEAVES - 10)
            assert_true(cn_tree_validate(&w->tree));
    }
    assert_int_equal(w->tree.leaf_count, 0);
    assert_int_equal(cn_tree_height(&w->tree), 0);
    w->box[5] = cube_around(cn_v3(0.0f, 0.0f, 0.0f), 1.0f);
    w->leaf[5] = cn_tree_insert(&w->tree, w->box[5], 5);
    assert_query_agrees(w, &w->box[5]);
    destroy(w);
}

static void test_same_operations_give_the_same_bytes(void **state)
{
    (void)state;
    pair_of_worlds *a = run_operations(20000, false), *b = run_operations(20000, false);
    assert_int_equal(a->tree.nodes.count, b->tree.nodes.count);
    assert_memory_equal(a->tree.nodes.data, b->tree.nodes.data, sizeof(cn_tree_node) * (size_t)a->tree.nodes.count);
    assert_memory_equal(a->leaf, b->leaf, sizeof a->leaf);
    // The same for every compiler and every optimisation, too.
    uint64_t hash = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)a->tree.nodes.data;
    for (size_t i = 0; i < sizeof(cn_tree_node) * (size_t)a->tree.nodes.count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    assert_int_equal(hash, 0x3e1ebd910fa74e47u);
    destroy(a);
    destroy(b);
}

static void test_small_trees(void **state)
{
    (void)state;
    cn_tree tree;
    cn_tree_init(&tree, &cn_default_allocator);
    cn_box3 everything = cube_around(cn_v3(0.0f, 0.0f, 0.0f), INFINITY), unit = cube_around(cn_v3(0.0f, 0.0f, 0.0f), 1.0f),
            bounds;
    int32_t found[4];
    assert_int_equal(cn_tree_query_all(&tree, &everything, found, 4), 0);
    assert_false(cn_tree_bounds(&tree, &bounds));
    cn_tree_refit(&tree);
    cn_tree_rebuild(&tree);
    assert_true(cn_tree_validate(&tree));

    int32_t first = cn_tree_insert(&tree, unit, 40);
    assert_int_equal(cn_tree_query_all(&tree, &everything, found, 4), 1);
    assert_int_equal(found[0], 40);
    cn_tree_enlarge(&tree, first, cube_around(cn_v3(1.0f, 0.0f, 0.0f), 1.0f));
    cn_tree_enlarge(&tree, first, cube_around(cn_v3(9.0f, 0.0f, 0.0f), 1.0f));
    cn_tree_refit(&tree);
    assert_true(cn_tree_validate(&tree));
    assert_int_equal(cn_tree_query_all(&tree, &unit, found, 4), 0);
    assert_true(cn_tree_bounds(&tree, &bounds));
    assert_float_equal(bounds.lower.x, 8.0f, 0.0f);
    assert_float_equal(bounds.upper.y, 1.0f, 0.0f);

    int32_t second = cn_tree_insert(&tree, unit, 41), third = cn_tree_insert(&tree, unit, 42);
    assert_int_equal(cn_tree_query_all(&tree, &everything, found, 4), 3);
    assert_int_equal(cn_tree_query_all(&tree, &everything, found, 1), 3); // more than fit
    assert_int_equal(cn_tree_query_all(&tree, &everything, NULL, 0), 3);
    cn_tree_remove(&tree, first);
    assert_true(cn_tree_validate(&tree));
    assert_int_equal(cn_tree_insert(&tree, unit, 43), first); // numbers are used again
    cn_tree_remove(&tree, third);
    cn_tree_remove(&tree, second);
    cn_tree_remove(&tree, first);
    assert_true(cn_tree_validate(&tree));
    cn_tree_free(&tree);
}

static bool stop_at_three(void *context, int32_t user)
{
    (void)user;
    return ++*(int *)context < 3;
}

static bool go_on(void *context, int32_t user)
{
    (void)user;
    ++*(int *)context;
    return true;
}

static void test_callback_sees_the_same_and_can_stop(void **state)
{
    (void)state;
    pair_of_worlds *w = run_operations(5000, false);
    random_state random = { 3 };
    for (int i = 0; i < 200; i++) {
        cn_box3 query = random_box(&random, 20.0f, 8.0f);
        int all = cn_tree_query_all(&w->tree, &query, NULL, 0), seen = 0, stopped = 0;
        cn_tree_query(&w->tree, &query, go_on, &seen);
        cn_tree_query(&w->tree, &query, stop_at_three, &stopped);
        assert_int_equal(seen, all);
        assert_int_equal(stopped, all < 3 ? all : 3);
    }
    destroy(w);
}

// ---- Degenerate input: each case gives the box of leaf i of n

typedef cn_box3 (*box_maker)(int i, int n, random_state *random);

static cn_box3 make_identical(int i, int n, random_state *random)
{
    (void)i, (void)n, (void)random;
    return cube_around(cn_v3(1.0f, 2.0f, 3.0f), 0.5f);
}
static cn_box3 make_sorted_line(int i, int n, random_state *random)
{
    (void)n, (void)random;
    return cube_around(cn_v3((float)i, 0.0f, 0.0f), 0.6f);
}
static cn_box3 make_nested(int i, int n, random_state *random)
{
    (void)random;
    return cube_around(cn_v3(0.0f, 0.0f, 0.0f), 1.0f + (float)(n - i) * 0.01f);
}
static cn_box3 make_nested_outwards(int i, int n, random_state *random) { return make_nested(n - i, n, random); }
static cn_box3 make_points_on_line(int i, int n, random_state *random)
{
    (void)n, (void)random;
    return cube_around(cn_v3(0.0f, (float)i, 0.0f), 0.0f);
}
static cn_box3 make_same_point(int i, int n, random_state *random)
{
    (void)i, (void)n, (void)random;
    return cube_around(cn_v3(0.0f, 0.0f, 0.0f), 0.0f);
}
static cn_box3 make_mixed_sizes(int i, int n, random_state *random)
{
    (void)n;
    return cube_around(random_vec(random, -100.0f, 100.0f), i % 100 == 0 ? 1e6f : 0.5f);
}
static cn_box3 make_powers_of_two(int i, int n, random_state *random)
{
    (void)n, (void)random;
    float at = 1.0f;
    for (int k = 0; k < i % 120; k++)
        at *= i / 120 % 2 == 0 ? 2.0f : 0.5f;
    return cube_around(cn_v3(at, at, at), 0.1f * at);
}
// Not numbers are kept out by the callers; here they must only do no harm.
static cn_box3 make_not_numbers(int i, int n, random_state *random)
{
    (void)n;
    return cube_around(random_vec(random, -9.0f, 9.0f), i % 3 == 0 ? NAN : i % 3 == 1 ? 3e38f : 0.5f);
}

static void check_degenerate(box_maker make, int n, bool exact)
{
    cn_tree tree;
    cn_tree_init(&tree, &cn_default_allocator);
    random_state random = { 11 };
    cn_box3 *boxes = malloc(sizeof *boxes * (size_t)n);
    for (int i = 0; i < n; i++) {
        boxes[i] = make(i, n, &random);
        assert_int_equal(cn_tree_insert(&tree, boxes[i], i), i);
    }
    for (int round = 0; round < 4; round++) {
        assert_true(cn_tree_height(&tree) <= CN_TREE_MAX_HEIGHT);
        assert_true(!exact || cn_tree_validate(&tree));
        for (int k = 0; k < 5 && exact; k++) {
            const cn_box3 *query = &boxes[random_bits(&random) % (uint32_t)n];
            int expected = 0;
            for (int i = 0; i < n; i++)
                expected += cn_box3_overlaps(&boxes[i], query);
            assert_int_equal(cn_tree_query_all(&tree, query, NULL, 0), expected);
        }
        if (round == 0)
            cn_tree_rebuild(&tree);
        for (int i = round; i < n && round > 0; i += 7)
            cn_tree_enlarge(&tree, i, boxes[i]);
        if (round == 2)
            for (int i = 0; i < n; i += 3)
                cn_tree_move(&tree, i, boxes[i]);
        cn_tree_refit(&tree);
    }
    for (int i = 0; i < n; i++)
        cn_tree_remove(&tree, i);
    assert_true(cn_tree_validate(&tree));
    free(boxes);
    cn_tree_free(&tree);
}

static void test_degenerate_input(void **state)
{
    (void)state;
    check_degenerate(make_identical, 100000, true);
    check_degenerate(make_sorted_line, 100000, true);
    check_degenerate(make_nested, 20000, true);
    check_degenerate(make_nested_outwards, 20000, true);
    check_degenerate(make_points_on_line, 20000, true);
    check_degenerate(make_same_point, 20000, true);
    check_degenerate(make_mixed_sizes, 20000, true);
    check_degenerate(make_powers_of_two, 20000, true);
    check_degenerate(make_not_numbers, 5000, false);
}

static void test_height_is_bounded(void **state)
{
    (void)state;
    cn_tree tree;
    cn_tree_init(&tree, &cn_default_allocator);
    // Every box is a quarter as wide as the one before, in the same corner: the least area is one long chain.
    float size = 1e30f;
    int highest = 0;
    for (int i = 0; i < 3000; i++) {
        cn_tree_insert(&tree, (cn_box3){ { 0.0f, 0.0f, 0.0f }, { size, size, size } }, i);
        size = i % 110 == 109 ? 1e30f : 0.25f * size;
        highest = cn_tree_height(&tree) > highest ? cn_tree_height(&tree) : highest;
        assert_true(highest <= CN_TREE_MAX_HEIGHT);
    }
    assert_true(highest > 48); // or this test would test nothing
    assert_true(cn_tree_validate(&tree));
    cn_tree_free(&tree);
}

// ---- Quality

static int count_visits(const cn_tree *tree, const cn_box3 *query, int32_t node)
{
    const cn_tree_node *here = &tree->nodes.data[node];
    int visits = 1;
    for (int side = 0; side < 2; side++)
        if (here->child[side] >= 0 && cn_box3_overlaps(&here->box[side], query))
            visits += count_visits(tree, query, here->child[side]);
    return visits;
}

static double mean_visits(const cn_tree *tree)
{
    double sum = 0.0;
    for (int32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        cn_box3 box = cn_tree_box(tree, leaf);
        sum += count_visits(tree, &box, 0);
    }
    return sum / tree->leaf_count;
}

// Boxes fly about at random in a room; a few of them jump. The tree is compared with a fresh one again and again.
static void test_tree_stays_good_under_motion(void **state)
{
    (void)state;
    enum { BOXES = 5000, STEPS = 1000 };
    static cn_vec3 center[BOXES], velocity[BOXES];
    random_state random = { 5 };
    cn_tree tree, fresh;
    cn_tree_init(&tree, &cn_default_allocator);
    for (int i = 0; i < BOXES; i++) {
        center[i] = random_vec(&random, 0.0f, 17.0f);
        velocity[i] = random_vec(&random, -3.0f, 3.0f);
        cn_tree_insert(&tree, cube_around(center[i], 0.6f), i);
    }
    double worst = 0.0;
    for (int step = 1; step <= STEPS; step++) {
        for (int i = 0; i < BOXES; i++) {
            center[i] = cn_madd(center[i], 1.0f / 60.0f, velocity[i]);
            float *at = &center[i].x, *speed = &velocity[i].x;
            for (int axis = 0; axis < 3; axis++)
                if (at[axis] * speed[axis] > 17.0f * cn_maxf(speed[axis], 0.0f))
                    speed[axis] = -speed[axis];
            if (random_bits(&random) % 10000 == 0)
                center[i] = random_vec(&random, 0.0f, 17.0f);
            cn_box3 tight = cube_around(center[i], 0.5f), fat = cn_tree_box(&tree, i);
            if (!cn_box3_contains(&fat, &tight))
                cn_tree_enlarge(&tree, i, cube_around(center[i], 0.6f));
        }
        cn_tree_refit(&tree);
        if (step % 97 != 0 && step != STEPS)
            continue;
        assert_true(cn_tree_validate(&tree));
        cn_tree_init(&fresh, &cn_default_allocator);
        for (int i = 0; i < BOXES; i++)
            cn_tree_insert(&fresh, cn_tree_box(&tree, i), i);
        cn_tree_rebuild(&fresh);
        double ratio = mean_visits(&tree) / mean_visits(&fresh);
        worst = ratio > worst ? ratio : worst;
        cn_tree_free(&fresh);
    }
    print_message("visits of a query after motion / in a fresh tree: at most %.3f\n", worst);
    assert_true(worst < 1.5);
    cn_tree_free(&tree);
}

typedef struct pair_count {
    const cn_box3 *a, *b; // boxes by user value; those of the second tree begin at OTHER
    unsigned char *seen;  // LEAVES by LEAVES
    int count;
} pair_count;
enum { PAIR_LEAVES = 300, OTHER = 10000 };

static void count_pair(void *context, int32_t a, int32_t b)
{
    pair_count *p = context;
    bool other = b >= OTHER;
    assert_true(a >= 0 && a < PAIR_LEAVES && a != b);
    if (!other && b < a) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    const cn_box3 *second = other ? &p->b[b - OTHER] : &p->a[b];
    assert_true(cn_box3_overlaps(&p->a[a], second));
    int place = a * 2 * PAIR_LEAVES + (other ? PAIR_LEAVES + b - OTHER : b);
    assert_int_equal(p->seen[place]++, 0);
    p->count++;
}

// Every pair is found once, in the tree and with another one, whatever the sizes of both.
static void test_pairs_agree_with_brute_force(void **state)
{
    (void)state;
    static unsigned char seen[PAIR_LEAVES * 2 * PAIR_LEAVES];
    static cn_box3 a[PAIR_LEAVES], b[PAIR_LEAVES];
    const int sizes[] = { 0, 1, 2, 3, 7, 64, 300 };
    random_state random = { 9 };
    for (int round = 0; round < 7 * 7; round++) {
        int count_a = sizes[round % 7], count_b = sizes[round / 7], expected = 0;
        cn_tree tree, other;
        cn_tree_init(&tree, &cn_default_allocator);
        cn_tree_init(&other, &cn_default_allocator);
        for (int i = 0; i < count_a; i++)
            cn_tree_insert(&tree, a[i] = random_box(&random, 10.0f, 1.5f), i);
        for (int i = 0; i < count_b; i++)
            cn_tree_insert(&other, b[i] = random_box(&random, 10.0f, 1.5f), OTHER + i);
        if (round % 2)
            cn_tree_rebuild(&tree);
        for (int i = 0; i < count_a; i++) {
            for (int k = i + 1; k < count_a; k++)
                expected += cn_box3_overlaps(&a[i], &a[k]);
            for (int k = 0; k < count_b; k++)
                expected += cn_box3_overlaps(&a[i], &b[k]);
        }
        pair_count p = { a, b, seen, 0 };
        int32_t parts[CN_TREE_MOST_PAIR_PARTS];
        int count = cn_tree_pair_parts(&tree, parts);
        assert_in_range(count, 0, CN_TREE_MOST_PAIR_PARTS);
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < count; i++)
            cn_tree_find_pairs(&tree, &other, parts[i], count_pair, &p);
        assert_int_equal(p.count, expected);
        cn_tree_free(&tree);
        cn_tree_free(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_random_operations_agree_with_brute_force),
        cmocka_unit_test(test_same_operations_give_the_same_bytes),
        cmocka_unit_test(test_callback_sees_the_same_and_can_stop),
        cmocka_unit_test(test_pairs_agree_with_brute_force),
        cmocka_unit_test(test_degenerate_input),
        cmocka_unit_test(test_height_is_bounded),
        cmocka_unit_test(test_tree_stays_good_under_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
