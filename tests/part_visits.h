// What the tests of shapes of many parts share: a record of visits, boxes in double, sentences of errors.
#ifndef PART_VISITS_H
#define PART_VISITS_H

#include "random_shapes.h"
#include "shape/composite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_message(const char *expected)
{
    if (strcmp(cn_last_error(), expected) != 0)
        fail_msg("expected: %s\n     but: %s", expected, cn_last_error());
}

enum { MAX_PARTS = 8192 };

typedef struct record {
    float limit[MAX_PARTS]; // at the visit of each part; -1: not visited
    int count, order[MAX_PARTS];
    const float *value; // what a part answers; NULL: nothing changes
    int stop_after;
} record;

static inline float note(void *context, int part, float limit)
{
    record *kept = context;
    assert_true(kept->limit[part] < 0.0f); // once only
    kept->limit[part] = limit;
    kept->order[kept->count++] = part;
    if (kept->count == kept->stop_after)
        return -1.0f;
    return kept->value != NULL && kept->value[part] < limit ? kept->value[part] : limit;
}

static inline void start_record(record *kept, const float *value, int stop_after)
{
    for (int i = 0; i < MAX_PARTS; i++)
        kept->limit[i] = -1.0f;
    kept->count = 0;
    kept->value = value;
    kept->stop_after = stop_after;
}

// The least that any of the visited parts answered.
static inline float least_value(const record *kept)
{
    float least = INFINITY;
    for (int i = 0; i < kept->count; i++)
        least = cn_minf(least, kept->value[kept->order[i]]);
    return least;
}

// When a box of these half extents meets another on its way; 2 when it does not.
static inline double box_meeting(const cn_box3 *box, cn_vec3 origin, cn_vec3 translation, cn_vec3 half, double slack)
{
    double enter = 0.0, leave = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        double o = (double)cn_component(origin, axis), d = (double)cn_component(translation, axis);
        double low = (double)cn_component(box->lower, axis) - (double)cn_component(half, axis) - slack - o;
        double high = (double)cn_component(box->upper, axis) + (double)cn_component(half, axis) + slack - o;
        if (d == 0.0 && (low > 0.0 || high < 0.0))
            return 2.0;
        if (d != 0.0) {
            enter = fmax(enter, fmin(low / d, high / d));
            leave = fmin(leave, fmax(low / d, high / d));
        }
    }
    return enter <= leave ? enter : 2.0;
}

// Metres between two boxes; 0 when they overlap.
static inline double box_distance(const cn_box3 *a, const cn_box3 *b)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double under = (double)cn_component(b->lower, axis) - (double)cn_component(a->upper, axis);
        double over = (double)cn_component(a->lower, axis) - (double)cn_component(b->upper, axis);
        double gap = fmax(0.0, fmax(under, over));
        sum += gap * gap;
    }
    return sqrt(sum);
}

#endif
