// The hulls that the tests of rays, casts and impacts share.
#ifndef TEST_CAST_FIXTURE_H
#define TEST_CAST_FIXTURE_H

#include "cast_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka wants the headers above first
#include <cmocka.h>

static test_hulls hulls;

static int set_up(void **state)
{
    (void)state;
    hulls = make_hulls();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free_hulls(&hulls);
    return 0;
}

#endif
