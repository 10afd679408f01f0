// The same from C++: the public headers compile there without a warning, and the library links.
#include <cairn/cairn.h>

#include <cstdio>

int main()
{
    cn_row_body body = {};
    body.inverse_mass = 1.0f;
    cn_row row = cn_row_default();
    row.linear_a.x = 1.0f;
    row.force = 2.0f;
    cn_row_problem problem = {};
    problem.bodies = &body;
    problem.rows = &row;
    problem.body_count = problem.row_count = 1;
    cn_row_report report = cn_rows_solve(&problem, nullptr);
    std::printf("one row solved in %d iterations: %.4f\n", report.iterations, static_cast<double>(body.linear_change.x));
    return report.ok && body.linear_change.x == 2.0f ? 0 : 1;
}
