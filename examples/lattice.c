// Fits a lattice that has rules of its own to a height field, with the row solver alone: no world, no bodies, no time.
//
// Each node of the lattice is one unknown. It starts at the measured height, and its inverse mass is how easily it is moved
// away from there. Three kinds of rows hold the lattice together:
//     slope       neighbours differ by at most SLOPE         (an inequality in both directions)
//     smoothness  neighbours are drawn together              (a soft equality: the mixing coefficient is its compliance)
//     floor       no node lies below FLOOR                   (an inequality on one unknown)
// The answer is the least-squares fit under those rules. Exits with 0 when the fit converged and keeps every rule.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

enum { SIDE = 24, NODES = SIDE * SIDE, MAX_ROWS = 8 * NODES };

static const float SLOPE = 0.35f; // metres per cell
static const float FLOOR = 0.0f;
static const float COMPLIANCE = 0.5f;

static float heights[NODES];     // the terrain as it is: gentle enough for the rules
static cn_row_body nodes[NODES]; // height lives in the y component
static cn_row rows[MAX_ROWS];
static int row_count;

static int node_at(int x, int z) { return z * SIDE + x; }
static float fitted(int node) { return nodes[node].linear_velocity.y + nodes[node].linear_change.y; }

// A smooth terrain, measured with noise of +-0.3 m; one measurement in forty is a spike of 3 m.
static void measure_terrain(void)
{
    uint32_t random = 12345;
    for (int i = 0; i < NODES; i++) {
        float x = (float)(i % SIDE), z = (float)(i / SIDE);
        heights[i] = 1.2f + sinf(0.25f * x) + 0.5f * cosf(0.3f * z);
        heights[i] = heights[i] > FLOOR ? heights[i] : FLOOR;
        random = random * 1664525u + 1013904223u;
        float noise = 0.6f * ((float)(random >> 8) / 16777216.0f - 0.5f);
        bool spike = random % 1000003u % 40u == 0u;
        nodes[i] = (cn_row_body){ .inverse_mass = 1.0f,
                                  .linear_velocity = { 0.0f, heights[i] + noise + (spike ? 3.0f : 0.0f), 0.0f } };
    }
}

// The row  scale_a * y_a + scale_b * y_b >= least  (or = least, when `equal`).
static void add_row(int a, float scale_a, int b, float scale_b, float least, bool equal)
{
    cn_row row = cn_row_default();
    row.body_a = a;
    row.linear_a.y = scale_a;
    row.body_b = b;
    row.linear_b.y = scale_b;
    row.force = least;
    row.lower = equal ? row.lower : 0.0f;
    row.mixing = equal ? COMPLIANCE : 0.0f;
    rows[row_count++] = row;
}

static void join(int a, int b)
{
    add_row(a, 1.0f, b, -1.0f, 0.0f, true);    // smoothness: alike, softly
    add_row(a, 1.0f, b, -1.0f, -SLOPE, false); // slope: a - b >= -SLOPE
    add_row(a, -1.0f, b, 1.0f, -SLOPE, false); //        b - a >= -SLOPE
}

static void build_rules(void)
{
    for (int z = 0; z < SIDE; z++) {
        for (int x = 0; x < SIDE; x++) {
            add_row(node_at(x, z), 1.0f, CN_ROW_NO_BODY, 0.0f, FLOOR, false);
            if (x + 1 < SIDE)
                join(node_at(x, z), node_at(x + 1, z));
            if (z + 1 < SIDE)
                join(node_at(x, z), node_at(x, z + 1));
        }
    }
}

typedef struct quality {
    float error, slope, lowest;
} quality;

static quality measure(void)
{
    double sum = 0.0;
    quality q = { .lowest = fitted(0) };
    for (int i = 0; i < NODES; i++) {
        double difference = (double)(fitted(i) - heights[i]);
        sum += difference * difference;
        q.lowest = fminf(q.lowest, fitted(i));
        if (i % SIDE + 1 < SIDE)
            q.slope = fmaxf(q.slope, fabsf(fitted(i) - fitted(i + 1)));
        if (i + SIDE < NODES)
            q.slope = fmaxf(q.slope, fabsf(fitted(i) - fitted(i + SIDE)));
    }
    q.error = (float)sqrt(sum / NODES);
    return q;
}

static void print_quality(const char *when, quality q)
{
    printf("%-7s rms error %.4f m, steepest slope %.4f m per cell, lowest node %.4f m\n", when, (double)q.error,
           (double)q.slope, (double)q.lowest);
}

int main(void)
{
    measure_terrain();
    build_rules();
    quality before = measure();

    cn_row_problem problem = { .bodies = nodes, .rows = rows, .body_count = NODES, .row_count = row_count };
    cn_row_options options = cn_row_options_default();
    options.iterations = 500;
    options.epsilon = 1e-5f;
    cn_row_report report = cn_rows_solve(&problem, &options);
    if (!report.ok) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 2;
    }

    quality after = measure();
    printf("%d nodes, %d rows, rules: slope at most %.2f, no node below %.2f\n", NODES, row_count, (double)SLOPE,
           (double)FLOOR);
    print_quality("before:", before);
    print_quality("after:", after);
    printf("%s after %d iterations, last change %.1e\n", report.converged ? "converged" : "not converged", report.iterations,
           (double)report.largest_delta);
    bool keeps_rules = after.slope <= SLOPE + 1e-4f && after.lowest >= FLOOR - 1e-4f;
    return report.converged && keeps_rules && after.error < 0.5f * before.error ? 0 : 1;
}
