// The foundation: memory, growable arrays, tasks on threads, and eight lanes against one number at a time.
#include "base/memory.h"
#include "base/simd.h"
#include "base/tasks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- memory

typedef struct ledger {
    size_t bytes;
    int blocks, allocations;
} ledger;

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    ledger *books = context;
    books->bytes += size;
    books->blocks++;
    books->allocations++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counting_release(void *context, void *memory, size_t size)
{
    ledger *books = context;
    books->bytes -= size;
    books->blocks--;
    free(memory);
}

static bool is_aligned(const void *memory) { return (uintptr_t)memory % 64 == 0; }

static void arrays_grow_and_keep_their_contents(void **state)
{
    (void)state;
    ledger books = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &books };
    CN_ARRAY(int) array = { 0 };
    for (int i = 0; i < 100000; i++)
        cn_array_push(&allocator, &array, 3 * i);
    assert_int_equal(array.count, 100000);
    assert_true(array.capacity >= array.count && is_aligned(array.data));
    for (int i = 0; i < array.count; i++)
        assert_int_equal(array.data[i], 3 * i);
    assert_in_range(books.allocations, 1, 40); // grows by a factor, not by a number
    assert_int_equal(books.blocks, 1);
    int capacity = array.capacity;
    cn_array_reserve(&allocator, &array, 10);
    assert_int_equal(array.capacity, capacity);
    cn_array_reserve(&allocator, &array, 1000000);
    assert_true(array.capacity >= 1000000 && array.data[99999] == 299997);
    cn_array_free(&allocator, &array);
    assert_null(array.data);
    assert_int_equal(books.bytes, 0);
    cn_array_free(&allocator, &array); // an empty one may be freed again
    assert_int_equal(books.blocks, 0);
}

static void an_arena_hands_out_separate_aligned_memory(void **state)
{
    (void)state;
    ledger books = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &books };
    cn_arena arena;
    cn_arena_init(&arena, &allocator);
    assert_int_equal(books.blocks, 0);
    enum { PIECES = 500 };
    static char *pieces[PIECES];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIECES; i++) {
            size_t size = (size_t)(i * 37 % 4000);
            pieces[i] = cn_arena_alloc(&arena, size);
            assert_true(is_aligned(pieces[i]));
            memset(pieces[i], i & 0xff, size);
        }
        for (int i = 0; i < PIECES; i++)
            for (int k = 0; k < i * 37 % 4000; k++)
                assert_true(pieces[i][k] == (char)(i & 0xff));
        cn_arena_reset(&arena);
    }
    assert_non_null(cn_arena_array(&arena, double, 0)); // nothing is asked for, but there is an address
    cn_arena_free(&arena);
    assert_int_equal(books.bytes, 0);
    assert_int_equal(books.blocks, 0);
}

static void an_arena_that_repeats_itself_stops_allocating(void **state)
{
    (void)state;
    ledger books = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &books };
    cn_arena arena;
    cn_arena_init(&arena, &allocator);
    int after_two = 0;
    for (int step = 0; step < 100; step++) {
        cn_arena_reset(&arena);
        for (int i = 0; i < 50; i++)
            cn_arena_alloc(&arena, (size_t)(1000 + 777 * i));
        if (step == 1)
            after_two = books.allocations;
    }
    assert_int_equal(books.allocations, after_two);
    // Sizes that change from step to step cost memory in proportion to the largest step, not to the number of steps.
    size_t most = 0;
    for (int step = 0; step < 2000; step++) {
        size_t sum = 0;
        cn_arena_reset(&arena);
        for (int i = 0; i < 20; i++) {
            size_t size = (size_t)((step * 7919 + i * 104729) % 50000);
            cn_arena_alloc(&arena, size);
            sum += size;
        }
        most = sum > most ? sum : most;
    }
    assert_true(books.bytes < 8 * most);
    cn_arena_free(&arena);
    assert_int_equal(books.bytes, 0);
}

// ---- tasks

enum { MOST_TASKS = 1000 };
typedef struct tally {
    atomic_int calls[MOST_TASKS];
    int written[MOST_TASKS]; // plain memory: what a task wrote must be seen when run returns
    int round;
} tally;

static void count_call(void *context, int index)
{
    tally *t = context;
    atomic_fetch_add(&t->calls[index], 1);
    t->written[index] = t->round + index;
}

static void every_index_runs_once(void **state)
{
    (void)state;
    static tally t;
    const int threads[] = { 1, 2, 3, 8 }, counts[] = { 0, 1, 2, 7, 64, MOST_TASKS };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        cn_tasks *tasks = cn_tasks_create(&cn_default_allocator, threads[i], NULL);
        assert_non_null(tasks);
        assert_int_equal(cn_tasks_thread_count(tasks), threads[i]);
        for (int round = 0; round < 300; round++) {
            int count = counts[(size_t)round % (sizeof counts / sizeof *counts)];
            memset(&t, 0, sizeof t);
            t.round = round;
            cn_tasks_set_busy(tasks, round % 50 < 25); // workers that sleep, and workers that wait
            cn_tasks_run(tasks, count_call, &t, count);
            for (int k = 0; k < MOST_TASKS; k++) {
                assert_int_equal(atomic_load(&t.calls[k]), k < count);
                assert_int_equal(t.written[k], k < count ? round + k : 0);
            }
        }
        cn_tasks_set_busy(tasks, false);
        cn_tasks_destroy(tasks);
    }
}

typedef struct user_log {
    int runs, tasks;
} user_log;

static void user_run(void *context, cn_task_fn task, void *task_context, int count)
{
    user_log *log = context;
    log->runs++;
    log->tasks += count;
    for (int i = count - 1; i >= 0; i--)
        task(task_context, i);
}

static void a_users_task_system_is_used(void **state)
{
    (void)state;
    static tally t;
    user_log log = { 0 };
    cn_task_system system = { user_run, &log, 4 };
    cn_tasks *tasks = cn_tasks_create(&cn_default_allocator, 1, &system);
    assert_int_equal(cn_tasks_thread_count(tasks), 4);
    cn_tasks_run(tasks, count_call, &t, 10);
    assert_int_equal(log.runs, 1);
    assert_int_equal(log.tasks, 10);
    cn_tasks_run(tasks, count_call, &t, 1); // one task alone stays on the caller
    assert_int_equal(log.runs, 1);
    assert_int_equal(atomic_load(&t.calls[0]), 2);
    cn_tasks_destroy(tasks);
}

// ---- lanes

static const float values[16] = { 0.0f,     -0.0f,     1.0f,   -1.5f, 3.0e-39f, 7.25f, -1e30f, 2e30f,
                                  INFINITY, -INFINITY, 1e-20f, 0.1f,  42.0f,    -3.0f, 1e-45f, 9.0f };

static cn_f8 lanes_from(int first)
{
    cn_f8 v;
    for (int i = 0; i < CN_LANES; i++)
        v[i] = values[(first + 5 * i) % 16];
    return v;
}

static void assert_same_bits(float a, float b)
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    if (isnan(a) && isnan(b))
        return; // which NaN is not part of the promise
    assert_int_equal(x, y);
}

static void lanes_agree_with_scalars(void **state)
{
    (void)state;
    for (int first = 0; first < 16; first++) {
        for (int second = 0; second < 16; second++) {
            cn_f8 a = lanes_from(first), b = lanes_from(second);
            cn_f8 sum = a + b, product = a * b, quotient = a / b, smaller = cn_f8_min(a, b), larger = cn_f8_max(a, b);
            cn_f8 chosen = cn_f8_select(a < b, a, b), masked = cn_f8_and(a < b, a);
            cn_f8 root = cn_f8_sqrt(cn_f8_abs(a)), inverse = cn_f8_inverse_or_zero(a);
            bool any = false;
            for (int i = 0; i < CN_LANES; i++) {
                volatile float x = a[i], y = b[i];
                assert_same_bits(sum[i], x + y);
                assert_same_bits(product[i], x * y);
                assert_same_bits(quotient[i], x / y);
                assert_same_bits(smaller[i], x < y ? x : y);
                assert_same_bits(larger[i], x > y ? x : y);
                assert_same_bits(chosen[i], x < y ? x : y);
                assert_same_bits(masked[i], x < y ? x : 0.0f);
                assert_same_bits(root[i], sqrtf(fabsf(x)));
                assert_same_bits(inverse[i], x > 0.0f ? 1.0f / x : 0.0f);
                any = any || x < y;
            }
            assert_int_equal(cn_any(a < b) != 0, any);
        }
    }
    cn_f8 nan = cn_f8_set(NAN), one = cn_f8_set(1.0f);
    assert_true(cn_f8_min(nan, one)[3] == 1.0f && cn_f8_max(nan, one)[3] == 1.0f);
    assert_true(isnan(cn_f8_min(one, nan)[3]) && isnan(cn_f8_max(one, nan)[3]));
    assert_true(cn_f8_zero()[7] == 0.0f && cn_f8_set(2.5f)[7] == 2.5f && cn_f8_set(2.5f)[0] == 2.5f);
    assert_false(cn_any(one < one));
}

static void each_single_lane_counts(void **state)
{
    (void)state;
    for (int i = 0; i < CN_LANES; i++) {
        cn_f8 a = cn_f8_zero();
        a[i] = 1.0f;
        assert_true(cn_any(a > cn_f8_zero()));
    }
}

static void rows_become_columns_and_back(void **state)
{
    (void)state;
    _Alignas(16) float memory[CN_LANES][4], copy[CN_LANES][4];
    const float *from[CN_LANES];
    float *to[CN_LANES];
    for (int i = 0; i < CN_LANES; i++) {
        int row = (3 * i + 1) % CN_LANES; // not in order
        from[i] = memory[row];
        to[i] = copy[row];
        for (int k = 0; k < 4; k++)
            memory[row][k] = (float)(10 * i + k);
    }
    cn_f8 columns[4];
    cn_gather4(from, columns);
    for (int i = 0; i < CN_LANES; i++)
        for (int k = 0; k < 4; k++)
            assert_true(columns[k][i] == (float)(10 * i + k));
    cn_scatter4(columns, to);
    assert_memory_equal(memory, copy, sizeof memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow_and_keep_their_contents),
        cmocka_unit_test(an_arena_hands_out_separate_aligned_memory),
        cmocka_unit_test(an_arena_that_repeats_itself_stops_allocating),
        cmocka_unit_test(every_index_runs_once),
        cmocka_unit_test(a_users_task_system_is_used),
        cmocka_unit_test(lanes_agree_with_scalars),
        cmocka_unit_test(each_single_lane_counts),
        cmocka_unit_test(rows_become_columns_and_back),
    };
#if defined(__AVX2__)
    if (!__builtin_cpu_supports("avx2"))
        return 77; // skipped
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
