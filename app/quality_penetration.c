// Bodies that begin deep inside each other have to come apart, gently.
#include "quality.h"

#include <math.h>

static const double separated = 0.01; // metres of overlap that count as apart

typedef struct parting {
    double fastest, time; // m/s, and when the overlap was last more than `separated`
} parting;

// The engine's own word, checked against the positions: unit cubes that are apart have centres a metre apart or more, and half
// a metre above the ground.
static double overlap_now(const cn_build *build)
{
    double overlap = cn_world_get_max_penetration(build->world);
    for (int i = 0; i < build->body_count; ++i) {
        cn_pos3 a = cn_center(build, build->bodies[i]);
        for (int j = 0; j < i; ++j) {
            cn_pos3 b = cn_center(build, build->bodies[j]);
            bool on_ground = cn_body_get_type(build->world, build->bodies[j]) == CN_STATIC;
            double apart = on_ground ? a.y + 0.5 : hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
            overlap = fmax(overlap, 1.0 - apart);
        }
    }
    return overlap;
}

static bool watch_parting(void *context, const cn_build *build, double time)
{
    parting *p = context;
    p->fastest = fmax(p->fastest, cn_fastest(build));
    if (overlap_now(build) > separated)
        p->time = time;
    return true;
}

static cn_body_id add_cube(cn_build *build, double x, double y)
{
    return cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ x, y, 0.0 }, cn_box(0.5f, 0.5f, 0.5f));
}

static void build_half(cn_build *build)
{
    add_cube(build, -0.25, 0.0);
    add_cube(build, 0.25, 0.0);
}

static void build_deep(cn_build *build)
{
    add_cube(build, -0.05, 0.0);
    add_cube(build, 0.05, 0.0);
}

static void build_same_place(cn_build *build)
{
    for (int i = 0; i < 8; ++i)
        add_cube(build, 0.0, 0.0);
}

static void build_sunk(cn_build *build)
{
    cn_build_ground(build);
    add_cube(build, 0.0, 0.0);
}

static void penetration_case(cn_quality *quality, const char *what, float gravity, void (*setup)(cn_build *))
{
    const double seconds = 5.0, fastest = 3.0;
    cn_build build;
    parting p = { 0 };
    cn_case_begin(quality, "penetration");
    cn_quality_open(quality, &build, gravity);
    setup(&build);
    cn_quality_run(quality, &build, seconds, watch_parting, &p);
    double left = build.failed ? (double)NAN : overlap_now(&build);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "bodies", what);
    cn_case_limit(quality, "speed", p.fastest, "m/s", 1.001 * fastest);
    cn_case_limit(quality, "overlap", left, "m", separated);
    cn_case_number(quality, "time", left <= separated ? p.time : (double)NAN, "s");
    cn_case_end(quality, true);
}

void cn_quality_penetration(cn_quality *quality)
{
    penetration_case(quality, "pair_50", 0.0f, build_half);
    penetration_case(quality, "pair_90", 0.0f, build_deep);
    penetration_case(quality, "eight_in_one_place", 0.0f, build_same_place);
    penetration_case(quality, "half_in_the_ground", 10.0f, build_sunk);
}
