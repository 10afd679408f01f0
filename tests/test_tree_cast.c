// Sweeps and nearness in the bounding-volume tree against every box by itself, in double.
#include "collide/tree.h"
#include "random_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the headers above first
#include <cmocka.h>

enum { LEAVES = 1000 };

typedef struct forest {
    cn_tree tree;
    cn_box3 boxes[LEAVES];
} forest;

static void plant(forest *f, rng *r, int count, float place)
{
    cn_tree_init(&f->tree, &cn_default_allocator);
    for (int i = 0; i < count; i++) {
        cn_vec3 center = cn_add(rng_vec(r, 20.0f), cn_v3(place, 0.0f, -place)), half = cn_abs3(rng_vec(r, 1.0f));
        f->boxes[i] = (cn_box3){ cn_sub(center, half), cn_add(center, half) };
        cn_tree_insert(&f->tree, f->boxes[i], i);
    }
}

typedef struct walk {
    const forest *forest;
    unsigned char seen[LEAVES];
    int visits, until;
    float at[LEAVES]; // what each leaf answers
} walk;

static float mark(void *context, int32_t user, float limit)
{
    walk *w = context;
    w->seen[user]++;
    w->visits++;
    return w->visits == w->until ? -1.0f : limit;
}

static float keep_first(void *context, int32_t user, float limit)
{
    walk *w = context;
    w->visits++;
    return cn_minf(limit, w->at[user]);
}

static float corner(const cn_vec3 *v, int axis) { return cn_component(*v, axis); }

// The fraction at which the path comes into the box grown by `half` and by `slack`, in double; above 1 when it does not.
static double enter(const cn_box3 *box, cn_vec3 o, cn_vec3 d, cn_vec3 half, double slack)
{
    double from = 0.0, to = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        double h = (double)corner(&half, axis) + slack, p = (double)corner(&o, axis), v = (double)corner(&d, axis);
        double low = (double)corner(&box->lower, axis) - h - p, high = (double)corner(&box->upper, axis) + h - p;
        if (v == 0.0) {
            if (low > 0.0 || high < 0.0)
                return 2.0;
            continue;
        }
        from = fmax(from, fmin(low / v, high / v));
        to = fmin(to, fmax(low / v, high / v));
    }
    return from <= to ? from : 2.0;
}

static double apart(const cn_box3 *a, const cn_box3 *b)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double gap = fmax(0.0, fmax((double)corner(&a->lower, axis) - (double)corner(&b->upper, axis),
                                    (double)corner(&b->lower, axis) - (double)corner(&a->upper, axis)));
        sum += gap * gap;
    }
    return sqrt(sum);
}

static void sweeps_miss_nothing(void **state)
{
    (void)state;
    static forest f;
    static walk w;
    const float places[3] = { 0.0f, 1000.0f, 1e6f };
    for (int p = 0; p < 3; p++) {
        rng r = { (uint64_t)p };
        plant(&f, &r, LEAVES, places[p]);
        long visits = 0, needed = 0;
        for (int i = 0; i < 1000; i++) {
            cn_vec3 o = cn_add(rng_vec(&r, 25.0f), cn_v3(places[p], 0.0f, -places[p])), d = rng_vec(&r, 40.0f);
            cn_vec3 half = i % 2 ? cn_v3(0.0f, 0.0f, 0.0f) : cn_abs3(rng_vec(&r, 1.0f));
            if (i % 5 == 0)
                d.x = 0.0f;
            if (i % 7 == 0)
                d.y = 0.0f;
            if (i % 35 == 0)
                d.z = 0.0f;
            w = (walk){ .forest = &f };
            cn_tree_sweep(&f.tree, o, d, half, 1.0f, mark, &w);
            visits += w.visits;
            double slack = 1e-5 * (double)(places[p] + 50.0f);
            float best = 1.0f;
            for (int k = 0; k < LEAVES; k++) {
                double exact = enter(&f.boxes[k], o, d, half, 0.0), loose = enter(&f.boxes[k], o, d, half, slack);
                needed += exact <= 1.0;
                assert_true(w.seen[k] == 1 || (w.seen[k] == 0 && exact > 1.0));
                assert_true(w.seen[k] == 0 || loose <= 1.0 + 1e-5);
                w.at[k] = (float)fmin(exact, 1.0);
                best = cn_minf(best, w.at[k]);
            }
            int all = w.visits;
            w.visits = 0;
            assert_true(cn_tree_sweep(&f.tree, o, d, half, 1.0f, keep_first, &w) == best);
            assert_true(w.visits <= all);
            w.visits = 0;
            w.until = 1;
            assert_true(all == 0 || cn_tree_sweep(&f.tree, o, d, half, 1.0f, mark, &w) < 0.0f);
            assert_int_equal(w.visits, all > 0);
        }
        print_message("at %g m: %ld visits, %ld needed\n", (double)places[p], visits, needed);
        assert_true(p == 2 || visits < needed + needed / 100 + 10);
        cn_tree_free(&f.tree);
    }
}

static void nearness_misses_nothing(void **state)
{
    (void)state;
    static forest f;
    static walk w;
    rng r = { 9 };
    plant(&f, &r, LEAVES, 100.0f);
    for (int i = 0; i < 1000; i++) {
        cn_vec3 center = cn_add(rng_vec(&r, 30.0f), cn_v3(100.0f, 0.0f, -100.0f)), half = cn_abs3(rng_vec(&r, 1.0f));
        cn_box3 box = { cn_sub(center, half), cn_add(center, half) };
        float reach = rng_range(&r, 0.0f, 10.0f), best = reach;
        w = (walk){ .forest = &f };
        cn_tree_near(&f.tree, &box, reach, mark, &w);
        for (int k = 0; k < LEAVES; k++) {
            double distance = apart(&f.boxes[k], &box);
            assert_true(w.seen[k] == 1 || distance > (double)reach);
            assert_true(w.seen[k] == 0 || distance < (double)reach * 1.00001 + 1e-4);
            w.at[k] = (float)distance;
            best = cn_minf(best, w.at[k]);
        }
        assert_true(cn_tree_near(&f.tree, &box, reach, keep_first, &w) == best);
    }
    cn_tree_free(&f.tree);
}

static void small_trees_work(void **state)
{
    (void)state;
    static forest f;
    static walk w;
    for (int count = 0; count < 4; count++) {
        rng r = { 1 };
        plant(&f, &r, count, 0.0f);
        w = (walk){ .forest = &f };
        cn_box3 everywhere = { { -100.0f, -100.0f, -100.0f }, { 100.0f, 100.0f, 100.0f } };
        cn_tree_near(&f.tree, &everywhere, 0.0f, mark, &w);
        assert_int_equal(w.visits, count);
        w.visits = 0;
        cn_tree_sweep(&f.tree, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f), cn_v3(99.0f, 99.0f, 99.0f), 1.0f, mark, &w);
        assert_int_equal(w.visits, count);
        cn_tree_free(&f.tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_miss_nothing),
        cmocka_unit_test(nearness_misses_nothing),
        cmocka_unit_test(small_trees_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
