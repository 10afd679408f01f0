// Nothing passes through anything, however fast: balls against thin things, thin bars that spin against posts and balls.
// There is no gravity. A shot counts as a hit by what is seen afterwards: on which side the ball is, or that the spinning bar
// and what it swept over have pushed each other. No shot may end with more kinetic energy than it began with.
#include "quality.h"

#include "math/vec.h"

#include <math.h>

enum { SHOTS = 36, BAR_SHOTS = 25 }; // for each speed: 5 targets at 5 speeds and 2 bars at 2 speeds make 1000
static const double ball_radius = 0.05, pi = 3.14159265358979323846;
static const float plate_half = 1.0f;
static const double spins[] = { 100.0, 1000.0 };
static const double speeds[] = { 50.0, 100.0, 200.0, 500.0, 1000.0 };

typedef struct tally {
    int shots, passed;
    double worst_gain; // of kinetic energy, as a part of what there was
} tally;

// ---- Balls. Targets lie in the plane y = 0, shots come from above.

typedef struct target {
    const char *name;
    void (*build)(cn_build *build);
    double offset, steepest; // how far from the middle shots aim, m; how far from straight down they come, degrees
    double mass;             // kg; 0: it does not move
} target;

static void build_wall(cn_build *build)
{
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, -0.05, 0.0 }, cn_box(4.0f, 0.05f, 4.0f));
}

static void build_triangle(cn_build *build)
{
    static const cn_vec3 vertices[3] = { { -3.0f, 0.0f, -2.0f }, { 0.0f, 0.0f, 4.0f }, { 3.0f, 0.0f, -2.0f } };
    static const int indices[3] = { 0, 1, 2 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = 3;
    def.indices = indices;
    def.triangle_count = 1;
    cn_build_mesh(build, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_mesh_create(&def));
}

static void build_height_field(cn_build *build)
{
    enum { SIDE = 9 };
    float heights[SIDE * SIDE];
    cn_height_field_def def = cn_height_field_def_default();
    for (int i = 0; i < SIDE * SIDE; ++i)
        heights[i] = cn_random_range(&build->random, 0.0f, 0.2f);
    def.columns = def.rows = SIDE;
    def.spacing_x = def.spacing_z = 1.0f;
    def.heights = heights;
    cn_build_height_field(build, (cn_pos3){ -0.5 * (SIDE - 1), 0.0, -0.5 * (SIDE - 1) }, cn_height_field_create(&def));
}

static void build_plate(cn_build *build, float mass)
{
    const float half_thickness = 0.01f;
    build->density = mass / (8.0f * plate_half * half_thickness * plate_half);
    cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, -0.01, 0.0 }, cn_box(plate_half, half_thickness, plate_half));
    build->density = 1000.0f;
}

static void build_heavy_plate(cn_build *build) { build_plate(build, 10.0f); }
static void build_light_plate(cn_build *build) { build_plate(build, 1.0f); }

static const target targets[] = {
    { "wall_0.1m", build_wall, 0.5, 75.0, 0.0 },
    { "triangle", build_triangle, 0.5, 75.0, 0.0 },
    { "height_field", build_height_field, 0.5, 60.0, 0.0 },
    { "plate_10kg", build_heavy_plate, 0.1, 30.0, 10.0 },
    { "plate_1kg", build_light_plate, 0.1, 30.0, 1.0 },
};
enum { TARGETS = (int)(sizeof targets / sizeof targets[0]) };

// Where the ball is seen from the target, which can have moved and turned.
static cn_vec3 seen_from_target(const cn_build *build, cn_body_id ball)
{
    cn_transform t = cn_body_get_transform(build->world, build->bodies[0]);
    return cn_unrotate(t.rotation, cn_pos_sub(cn_body_get_center(build->world, ball), t.position));
}

// A ball that hit is not below the target. Off a plate it may have slipped since: then it has given its speed away, at least
// half as much as it would have to a plate that does not turn.
static bool has_hit(const cn_build *build, const target *what, cn_body_id ball, double speed_down)
{
    cn_vec3 place = seen_from_target(build, ball);
    if (what->mass <= 0.0)
        return place.y > 0.0f;
    double ball_mass = (double)cn_body_get_mass(build->world, ball).mass, share = what->mass / (what->mass + ball_mass);
    bool below = place.y < 0.0f && fabsf(place.x) < plate_half && fabsf(place.z) < plate_half;
    return !below && (double)-cn_body_get_linear_velocity(build->world, ball).y < (1.0 - 0.5 * share) * speed_down;
}

// Shoots one ball, from as far away as it flies in one to two steps, and looks two steps after it should have arrived.
static void shoot(cn_quality *quality, const target *what, double speed, uint64_t seed, tally *sum)
{
    cn_build build;
    cn_quality_open(quality, &build, 0.0f);
    build.random.state += seed;
    build.density = 1000.0f;
    what->build(&build);
    cn_random *random = &build.random;
    double aim_x = (double)cn_random_range(random, -1.0f, 1.0f) * what->offset;
    double aim_z = (double)cn_random_range(random, -1.0f, 1.0f) * what->offset;
    double angle = (double)cn_random_range(random, 0.0f, 1.0f) * what->steepest * pi / 180.0;
    double heading = (double)cn_random_range(random, 0.0f, 1.0f) * 2.0 * pi;
    double steps = (double)cn_random_range(random, 1.0f, 2.0f), away = 0.5 + steps * speed * quality->settings.dt;
    double d[3] = { sin(angle) * cos(heading), -cos(angle), sin(angle) * sin(heading) };
    cn_body_id ball = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ aim_x - away * d[0], -away * d[1], aim_z - away * d[2] },
                                       cn_sphere((float)ball_radius));
    cn_vec3 velocity = { (float)(speed * d[0]), (float)(speed * d[1]), (float)(speed * d[2]) };
    cn_build_velocity(&build, ball, velocity, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    double before = build.failed ? 1.0 : cn_world_get_energy(build.world).kinetic;
    cn_quality_run(quality, &build, away / speed + 3.0 * quality->settings.dt, NULL, NULL);
    if (!build.failed) {
        ++sum->shots;
        sum->passed += !has_hit(&build, what, ball, -speed * d[1]);
        sum->worst_gain = fmax(sum->worst_gain, cn_world_get_energy(build.world).kinetic / before - 1.0);
    }
    cn_quality_close(quality, &build);
}

// ---- Bars that spin about z, 1 m long and 2 cm thick, against something that stands in their way.

static void spin_bar(cn_quality *quality, bool against_post, double spin, uint64_t seed, tally *sum)
{
    cn_build build;
    cn_quality_open(quality, &build, 0.0f);
    build.random.state += seed;
    build.density = 1000.0f;
    double reach = (double)cn_random_range(&build.random, 0.2f, 0.45f), clear = (ball_radius + 0.03) / reach;
    double half = 0.5 * (clear + (double)cn_random_range(&build.random, 0.0f, 1.0f) * (pi - 2.0 * clear)); // of the first angle
    cn_quat turn = { 0.0f, 0.0f, (float)sin(half), (float)cos(half) };
    cn_body_id bar = cn_build_solid(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.0, 0.0 }, turn, cn_box(0.5f, 0.01f, 0.01f));
    cn_build_velocity(&build, bar, (cn_vec3){ 0.0f, 0.0f, 0.0f }, (cn_vec3){ 0.0f, 0.0f, (float)spin });
    cn_pos3 place = { reach, 0.0, 0.0 };
    cn_body_id other = against_post ? cn_build_upright(&build, CN_STATIC, place, cn_box(0.02f, 0.02f, 1.0f))
                                    : cn_build_upright(&build, CN_DYNAMIC, place, cn_sphere((float)ball_radius));
    double before = build.failed ? 1.0 : cn_world_get_energy(build.world).kinetic;
    double angle_to_go = pi; // to the post, at most
    cn_quality_run(quality, &build, angle_to_go / spin + 2.0 * quality->settings.dt, NULL, NULL);
    if (!build.failed) {
        ++sum->shots;
        double pushed = cn_magnitude(cn_body_get_linear_velocity(build.world, against_post ? bar : other));
        sum->passed += !(pushed > 0.01 * spin * reach);
        sum->worst_gain = fmax(sum->worst_gain, cn_world_get_energy(build.world).kinetic / before - 1.0);
    }
    cn_quality_close(quality, &build);
}

// ---- The case

static void report(cn_quality *quality, const char *name, double speed, const tally *sum)
{
    cn_case_label(quality, "target", name);
    if (isfinite(speed))
        cn_case_parameter(quality, "speed", speed);
    cn_case_number(quality, "shots", sum->shots, "");
    cn_case_number(quality, "hits", sum->shots - sum->passed, "");
    cn_case_limit(quality, "passed", sum->passed, "", 0.0);
    cn_case_limit(quality, "energy_gain", sum->worst_gain, "", 0.001);
    cn_case_end(quality, true);
}

void cn_quality_tunnel(cn_quality *quality)
{
    int speed_count = isfinite(quality->speed) ? 1 : 5;
    for (int i = 0; i < TARGETS; ++i) {
        for (int j = 0; j < speed_count; ++j) {
            double speed = isfinite(quality->speed) ? quality->speed : speeds[j];
            tally sum = { 0 };
            cn_case_begin(quality, "tunnel");
            for (int k = 0; k < SHOTS && quality->broken == 0; ++k)
                shoot(quality, &targets[i], speed, (uint64_t)(k + SHOTS * j), &sum);
            report(quality, targets[i].name, speed, &sum);
        }
    }
    for (int i = 0; i < 4 && !isfinite(quality->speed); ++i) {
        tally sum = { 0 };
        cn_case_begin(quality, "tunnel");
        for (int k = 0; k < BAR_SHOTS && quality->broken == 0; ++k)
            spin_bar(quality, i < 2, spins[i % 2], (uint64_t)k, &sum);
        report(quality, i < 2 ? "bar_against_post" : "bar_against_ball", spins[i % 2], &sum);
    }
}
