// The hulls that tests of collision share: made before the first test of a program, freed after the last.
#ifndef TEST_HULL_FIXTURE_H
#define TEST_HULL_FIXTURE_H

#include "random_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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
