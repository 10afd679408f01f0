// Thin things stay above the hills they fall on: plates and bars of 1 to 20 mm are dropped; these and needles and discs are
// thrown at up to 50 m/s.
#include "quality.h"

#include "math/vec.h"

#include <math.h>

enum { CELLS = 32, SIDE = CELLS + 1, THINGS = 400, KINDS = 5 };
static const char *const motions[] = { "dropped", "thrown" };

static double height_at(int column, int row) { return 0.5 * sin(0.628 * column) * cos(1.257 * row); }

// Of the triangle below a place: cells are cut from their corner (0, 0) to their corner (1, 1).
static double ground_at(double x, double z)
{
    double u = x + 0.5 * CELLS, v = z + 0.5 * CELLS;
    int i = (int)floor(u), j = (int)floor(v);
    u -= i;
    v -= j;
    double a = height_at(i, j), d = height_at(i + 1, j + 1), b = u > v ? height_at(i + 1, j) : height_at(i, j + 1);
    return u > v ? a + u * (b - a) + v * (d - b) : a + v * (b - a) + u * (d - b);
}

static void build_hills(cn_build *build)
{
    static cn_vec3 vertices[SIDE * SIDE];
    static int indices[6 * CELLS * CELLS];
    for (int i = 0; i < SIDE * SIDE; ++i)
        vertices[i] = (cn_vec3){ (float)(i % SIDE), (float)height_at(i % SIDE, i / SIDE), (float)(i / SIDE) };
    for (int i = 0; i < CELLS * CELLS; ++i) {
        int a = i / CELLS * SIDE + i % CELLS, c = a + SIDE;
        const int cell[6] = { a, c, c + 1, a, c + 1, a + 1 };
        for (int k = 0; k < 6; ++k)
            indices[6 * i + k] = cell[k];
    }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = SIDE * SIDE;
    def.indices = indices;
    def.triangle_count = 2 * CELLS * CELLS;
    cn_build_mesh(build, (cn_pos3){ -0.5 * CELLS, 0.0, -0.5 * CELLS }, cn_mesh_create(&def));
}

static cn_geometry thing(cn_random *random, int kind)
{
    float thick = cn_random_range(random, 0.0f, 1.0f), part = cn_random_range(random, 0.0f, 1.0f);
    float half = 0.0005f * (1.0f + 19.0f * thick * part);
    float size = cn_random_range(random, 0.1f, 0.3f), other = cn_random_range(random, 0.05f, 0.2f);
    switch (kind) {
    case 0: return cn_box(size, half, other);
    case 1: return cn_box(half, size, 0.1f * other + half);
    case 2: return cn_capsule(size, half);
    case 3: return cn_cylinder(half, other);
    default: return cn_cylinder(size, half);
    }
}

static cn_vec3 random_vector(cn_random *random, float size)
{
    float x = cn_random_range(random, -size, size), y = cn_random_range(random, -size, size);
    return (cn_vec3){ x, y, cn_random_range(random, -size, size) };
}

static void throw_things(cn_build *build, bool thrown)
{
    cn_random *random = &build->random;
    for (int i = 0; i < THINGS; ++i) {
        cn_geometry geometry = thing(random, i % (thrown ? KINDS : 2));
        cn_quat rotation = cn_quat_exp(random_vector(random, 2.0f));
        cn_pos3 place = { 0.6 * (i % 20 - 9.5), 2.0 + 0.5 * (i / 100), 0.6 * (i / 20 - 9.5) };
        cn_body_id body = cn_build_solid(build, CN_DYNAMIC, place, rotation, geometry);
        cn_vec3 spin = random_vector(random, thrown ? 50.0f : 5.0f), velocity = random_vector(random, 1.0f);
        if (thrown)
            velocity.y = -50.0f * cn_random_range(random, 0.2f, 1.0f);
        cn_build_velocity(build, body, velocity, spin);
    }
}

typedef struct watch {
    int below;         // bodies that have been below the ground
    bool seen[THINGS]; // which
    int awake;         // after five seconds
} watch;

static bool look(void *context, const cn_build *build, double time)
{
    watch *w = context;
    int awake = 0;
    for (int i = 0; i < THINGS; ++i) {
        cn_pos3 p = cn_center(build, build->bodies[i + 1]); // the first is the ground
        awake += cn_body_is_awake(build->world, build->bodies[i + 1]);
        bool over = fabs(p.x) < 0.5 * CELLS - 1.0 && fabs(p.z) < 0.5 * CELLS - 1.0;
        if (over && !w->seen[i] && p.y < ground_at(p.x, p.z) - 0.1) {
            w->seen[i] = true;
            ++w->below;
        }
    }
    w->awake = time <= 5.0 ? awake : w->awake;
    return true;
}

void cn_quality_thin(cn_quality *quality)
{
    for (int i = 0; i < 2; ++i) {
        cn_build build;
        cn_world_def def = cn_settings_world(&quality->settings);
        def.sleeping = true;
        cn_quality_open_def(quality, &build, &def);
        build_hills(&build);
        throw_things(&build, i == 1);
        watch w = { 0 };
        cn_quality_run(quality, &build, 5.1, look, &w);
        cn_quality_close(quality, &build);
        cn_case_begin(quality, "thin");
        cn_case_label(quality, "motion", motions[i]);
        cn_case_limit(quality, "below", w.below, "", 0.0);
        if (i == 0) // plates and bars do not roll; a few that lie on each other may take longer
            cn_case_limit(quality, "awake_after_5s", w.awake, "", 0.01 * THINGS);
        else
            cn_case_number(quality, "awake_after_5s", w.awake, ""); // needles and discs do, and some roll off the hills
        cn_case_end(quality, true);
    }
}
