// Contact problems for tests: small ones built here, and where stored ones are found.
#ifndef LAB_PROBLEMS_H
#define LAB_PROBLEMS_H

#include "cairn/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A cube of the given mass and unit size at rest under gravity g for a step of length h.
static inline cn_model_body lab_cube(double mass, double g, double h)
{
    cn_model_body body = { .velocity = { 0.0, -g * h } };
    for (int i = 0; i < 3; i++) {
        body.inverse_mass[i][i] = 1.0 / mass;
        body.inverse_mass[i + 3][i + 3] = 6.0 / mass;
    }
    return body;
}

// One contact point with normal +y at `at` from the centre of `upper`, and at `below` from the centre of `lower`; no body when
// -1.
static inline cn_block_def lab_contact(int upper, const double at[3], int lower, const double below[3], double friction)
{
    static const double axes[3][3] = { { 0.0, 1.0, 0.0 }, { 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
    def.friction = friction;
    const int bodies[2] = { upper, lower };
    const double *arms[2] = { at, below };
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0)
            continue;
        cn_side *side = &def.sides[def.side_count++];
        side->body = bodies[s];
        double sign = s == 0 ? 1.0 : -1.0;
        for (int row = 0; row < 3; row++) {
            const double *d = axes[row], *a = arms[s];
            for (int k = 0; k < 3; k++)
                side->jacobian[row][k] = sign * d[k];
            side->jacobian[row][3] = sign * (a[1] * d[2] - a[2] * d[1]);
            side->jacobian[row][4] = sign * (a[2] * d[0] - a[0] * d[2]);
            side->jacobian[row][5] = sign * (a[0] * d[1] - a[1] * d[0]);
        }
    }
    return def;
}

// A tower of unit cubes, four contact points per face. The impulse on the ground is known: the weight above.
static inline cn_problem *lab_tower(int height, double friction)
{
    cn_problem *problem = cn_problem_create(NULL);
    for (int i = 0; i < height; i++) {
        cn_model_body cube = lab_cube(1.0, 10.0, 1.0 / 60.0);
        cn_problem_add_body(problem, &cube);
        for (int k = 0; k < 4; k++) {
            const double x = k & 1 ? 0.5 : -0.5, z = k & 2 ? 0.5 : -0.5;
            const double at[3] = { x, -0.5, z }, below[3] = { x, 0.5, z };
            cn_block_def def = lab_contact(i, at, i - 1, below, friction);
            cn_problem_add_block(problem, &def);
        }
    }
    return problem;
}

// A cube pushed sideways along the ground at `speed`: it slides when speed > friction * g * h.
static inline cn_problem *lab_slider(double speed, double friction)
{
    cn_problem *problem = lab_tower(1, friction);
    cn_problem *slider = cn_problem_create(NULL);
    cn_model_body cube = problem->bodies[0];
    cube.velocity[0] = speed;
    cube.velocity[2] = 0.5 * speed;
    cn_problem_add_body(slider, &cube);
    for (int k = 0; k < 4; k++) {
        const double at[3] = { k & 1 ? 0.5 : -0.5, -0.5, k & 2 ? 0.5 : -0.5 };
        cn_block_def def = lab_contact(0, at, -1, at, friction);
        cn_problem_add_block(slider, &def);
    }
    cn_problem_destroy(problem);
    return slider;
}

// W(i, j) by rows, whatever the blocks are; zero where none is stored.
static inline double lab_entry_at(const cn_problem *p, int row, int column)
{
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            const cn_block *a = &p->blocks[i], *b = &p->blocks[p->columns[e]];
            int r = row - a->first_row, c = column - b->first_row;
            if (r >= 0 && r < a->rows && c >= 0 && c < b->rows)
                return p->entries[e][3 * r + c];
        }
    return 0.0;
}

// The path of a stored problem such as "friction/Rover1039.dat"; false, with a message, when it is not there.
static inline bool lab_file(const char *name, char *path, size_t size)
{
    const char *folder = getenv("CAIRN_PROBLEMS");
    snprintf(path, size, "%s/%s", folder != NULL ? folder : CAIRN_SOURCE_DIR "/../shared/problems", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        printf("skipped: no problem file %s\n", name);
        return false;
    }
    fclose(file);
    return true;
}

#endif
