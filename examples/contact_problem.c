// The contact model alone: a cube slides along the ground. How much speed does friction take in one step?
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

static const double friction = 0.5;

// A contact under the corner (x, z) of a unit cube: normal +y, tangents +x and +z. A row is a direction, and arm times direction.
static void add_corner(cn_problem *problem, int body, double x, double z)
{
    cn_block_def contact = cn_block_def_default(CN_BLOCK_CONTACT);
    contact.friction = friction;
    contact.side_count = 1; // the ground does not move
    contact.sides[0] = (cn_side){ body,
                                  { { 0.0, 1.0, 0.0, -z, 0.0, x },
                                    { 1.0, 0.0, 0.0, 0.0, z, 0.5 },
                                    { 0.0, 0.0, 1.0, -0.5, -x, 0.0 } } };
    cn_problem_add_block(problem, &contact);
}

int main(void)
{
    cn_problem *problem = cn_problem_create(NULL);
    cn_model_body cube = { .velocity = { 1.0, -10.0 / 60.0, 0.0 } }; // sliding along x, after a step of gravity
    for (int i = 0; i < 3; i++) {
        cube.inverse_mass[i][i] = 1.0;
        cube.inverse_mass[3 + i][3 + i] = 6.0;
    }
    int body = cn_problem_add_body(problem, &cube);
    for (int corner = 0; corner < 4; corner++)
        add_corner(problem, body, corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5);

    double r[12] = { 0.0 };
    cn_lab_report report = cn_lab_solve(problem, "newton", NULL, r);
    double after[1][6];
    cn_problem_velocities(problem, r, after);
    printf("%d iterations, residual %.1e\n", report.iterations, report.residual.value);
    printf("speed %.6f m/s, sinking %.1e m/s\n", after[0][0], -after[0][1]);
    cn_problem_destroy(problem);
    // Friction takes mu g h.
    double expected = 1.0 - friction * 10.0 / 60.0;
    return report.converged && fabs(after[0][0] - expected) < 1e-9 ? 0 : 1;
}
