// Solving in tests: every answer is finite, numbers are drawn without a library's help.
#ifndef LAB_SOLVE_H
#define LAB_SOLVE_H

#include "cairn/lab.h"
#include "lab_problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static inline double draw(uint64_t *state, double lower, double upper)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lower + (upper - lower) * (double)(*state >> 11) / 9007199254740992.0;
}

// From zero. The impulses are the caller's to free when `r_out` is given.
static inline cn_lab_report solve(cn_problem *p, const char *solver, cn_lab_options options, double **r_out)
{
    double *r = calloc((size_t)p->row_count + 1, sizeof *r);
    cn_lab_report report = cn_lab_solve(p, solver, &options, r);
    for (int i = 0; i < p->row_count; i++)
        assert_true(isfinite(r[i]));
    if (r_out != NULL)
        *r_out = r;
    else
        free(r);
    return report;
}

static inline cn_lab_options precise(double tolerance)
{
    cn_lab_options options = cn_lab_options_default();
    options.tolerance = tolerance;
    return options;
}

// Two cubes on each other, the lower pushed; a rod between them, a motor that turns the upper one within its torque, soft
// ground.
static inline cn_problem *mixed_problem(void)
{
    cn_problem *tower = lab_tower(2, 0.4), *p = cn_problem_create(NULL);
    for (int i = 0; i < 2; i++) {
        cn_model_body body = tower->bodies[i];
        body.velocity[0] = 0.3 * (1 - i);
        body.velocity[4] = i == 1 ? 0.5 : 0.0;
        cn_problem_add_body(p, &body);
    }
    for (int i = 0; i < tower->block_count; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = 0.4;
        def.frozen = 0.05;
        def.side_count = tower->blocks[i].side_count;
        for (int s = 0; s < def.side_count; s++)
            def.sides[s] = tower->sides[tower->blocks[i].first_side + s];
        for (int k = 0; k < 3; k++)
            def.softness[k] = i < 4 ? 0.01 : 0.0;
        cn_problem_add_block(p, &def);
    }
    cn_block_def rod = cn_block_def_default(CN_BLOCK_EQUALITY);
    rod.rows = 2;
    rod.side_count = 2;
    for (int s = 0; s < 2; s++) {
        rod.sides[s].body = s;
        rod.sides[s].jacobian[0][0] = rod.sides[s].jacobian[1][2] = s == 0 ? 1.0 : -1.0;
    }
    cn_block_def motor = cn_block_def_default(CN_BLOCK_BOUNDED);
    motor.side_count = 1;
    motor.sides[0].body = 1;
    motor.sides[0].jacobian[0][4] = 1.0;
    motor.lower[0] = -0.01;
    motor.upper[0] = 0.01;
    cn_problem_add_block(p, &rod);
    cn_problem_add_block(p, &motor);
    cn_problem_destroy(tower);
    return p;
}

#endif
