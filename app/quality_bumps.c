// What slides or rolls over a surface made of many parts must not feel where the parts meet.
#include "quality.h"

#include <math.h>
#include <stdlib.h>

enum { LENGTH = 64, WIDTH = 8, CELLS = LENGTH * WIDTH, SAMPLES = (LENGTH + 1) * (WIDTH + 1) }; // cells of 1 m
static const double speed = 10.0, curve_radius = 200.0;                                        // m/s, m

// ---- Surfaces, from x = -LENGTH / 2, with their tops at y = 0

typedef struct surface {
    const char *name;
    void (*build)(cn_build *build);
    bool curved;
} surface;

static double height_at(double x, bool curved) { return curved ? x * x / (2.0 * curve_radius) : 0.0; }

static void build_grid(cn_build *build, bool curved, bool smooth)
{
    cn_vec3 *vertices = malloc(sizeof *vertices * SAMPLES);
    int *indices = malloc(sizeof *indices * 6 * CELLS);
    cn_mesh_def def = cn_mesh_def_default();
    if (!vertices || !indices) {
        cn_build_fail(build, "out of memory for a mesh");
    } else {
        for (int i = 0; i < SAMPLES; ++i) {
            double x = i % (LENGTH + 1) - 0.5 * LENGTH;
            vertices[i] = (cn_vec3){ (float)x, (float)height_at(x, curved), (float)(i / (LENGTH + 1) - 0.5 * WIDTH) };
        }
        for (int i = 0; i < CELLS; ++i) {
            int a = i / LENGTH * (LENGTH + 1) + i % LENGTH, c = a + LENGTH + 1;
            const int cell[6] = { a, c, c + 1, a, c + 1, a + 1 };
            for (int j = 0; j < 6; ++j)
                indices[6 * i + j] = cell[j];
        }
        def.vertices = vertices;
        def.vertex_count = SAMPLES;
        def.indices = indices;
        def.triangle_count = 2 * CELLS;
        def.smooth = smooth;
        cn_build_mesh(build, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_mesh_create(&def));
    }
    free(vertices);
    free(indices);
}

static void build_mesh(cn_build *build) { build_grid(build, false, false); }
static void build_curved_mesh(cn_build *build) { build_grid(build, true, false); }
static void build_smooth_mesh(cn_build *build) { build_grid(build, true, true); }

static void build_boxes(cn_build *build)
{
    for (int i = 0; i < LENGTH; ++i)
        cn_build_upright(build, CN_STATIC, (cn_pos3){ i + 0.5 - 0.5 * LENGTH, -0.5, 0.0 }, cn_box(0.5f, 0.5f, 0.5f * WIDTH));
}

static void build_compound(cn_build *build)
{
    cn_compound_part parts[LENGTH];
    for (int i = 0; i < LENGTH; ++i) {
        parts[i] = (cn_compound_part){ .geometry = cn_box(0.5f, 0.5f, 0.5f * WIDTH), .offset = CN_POSE_IDENTITY };
        parts[i].offset.position = (cn_vec3){ (float)(i + 0.5 - 0.5 * LENGTH), -0.5f, 0.0f };
    }
    cn_build_compound(build, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_compound_create(parts, LENGTH, NULL));
}

static void build_height_field(cn_build *build)
{
    float heights[SAMPLES] = { 0.0f };
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = LENGTH + 1;
    def.rows = WIDTH + 1;
    def.spacing_x = def.spacing_z = 1.0f;
    def.heights = heights;
    cn_build_height_field(build, (cn_pos3){ -0.5 * LENGTH, 0.0, -0.5 * WIDTH }, cn_height_field_create(&def));
}

static const surface surfaces[] = {
    { "mesh", build_mesh, false },
    { "height_field", build_height_field, false },
    { "boxes", build_boxes, false },
    { "compound", build_compound, false },
    { "curved_mesh", build_curved_mesh, true },
    { "smooth_curved_mesh", build_smooth_mesh, true },
};

// ---- Bodies

typedef enum mover { BOX, SPHERE, CAPSULE, HULL, MOVERS } mover;
static const char *const mover_names[MOVERS] = { "box", "sphere", "capsule", "hull" };

// Boxes and hulls slide without friction, slightly turned and slightly across; round things roll.
static cn_body_id add_mover(cn_build *build, mover kind, double x, double y)
{
    const cn_quat yawed = { 0.0f, 0.14943813f, 0.0f, 0.98877108f }, lying = { 0.70710678f, 0.0f, 0.0f, 0.70710678f };
    const float radius = 0.5f;
    cn_vec3 prism[6];
    cn_geometry geometry = cn_box(0.5f, 0.5f, 0.5f);
    for (int i = 0; i < 6; ++i)
        prism[i] = (cn_vec3){ i % 3 == 0 ? 0.5f : -0.4f, i < 3 ? -0.5f : 0.3f, (float)(i % 3 - 1) * 0.45f };
    bool rolls = kind == SPHERE || kind == CAPSULE;
    if (rolls)
        geometry = kind == SPHERE ? cn_sphere(radius) : cn_capsule(0.4f, radius);
    if (kind == HULL)
        geometry = cn_hull(cn_build_hull(build, prism, 6));
    build->material.friction = rolls ? 0.6f : 0.0f;
    cn_body_id body =
        cn_build_solid(build, CN_DYNAMIC, (cn_pos3){ x, y + 0.5, 0.13 }, kind == CAPSULE ? lying : yawed, geometry);
    float across = kind == CAPSULE ? 0.0f : 0.3f;
    cn_vec3 roll = { across / radius, 0.0f, (float)-speed / radius };
    cn_build_velocity(build, body, (cn_vec3){ (float)speed, 0.0f, across }, rolls ? roll : (cn_vec3){ 0.0f, 0.0f, 0.0f });
    return body;
}

// ---- The case

typedef struct ride {
    cn_body_id body;
    bool curved;
    double worst; // m/s
} ride;

// How far the vertical velocity is from what the slope under the body makes of the horizontal one.
static bool watch_ride(void *context, const cn_build *build, double time)
{
    ride *r = context;
    cn_vec3 v = cn_body_get_linear_velocity(build->world, r->body);
    cn_pos3 center = cn_center(build, r->body);
    double slope = r->curved ? center.x / curve_radius : 0.0, settled = 0.5;
    if (time > settled)
        r->worst = fmax(r->worst, fabs((double)v.y - slope * (double)v.x));
    return center.x < 0.5 * LENGTH - 2.0;
}

static void bumps_case(cn_quality *quality, const surface *ground, mover kind)
{
    cn_build build;
    const double start = 2.0 - 0.5 * LENGTH;
    cn_case_begin(quality, "bumps");
    cn_quality_open(quality, &build, 10.0f);
    build.material.friction = 0.6f;
    ground->build(&build);
    ride r = { .body = add_mover(&build, kind, start, height_at(start, ground->curved)), .curved = ground->curved };
    cn_quality_run(quality, &build, LENGTH / speed, watch_ride, &r);
    cn_pos3 end = cn_center(&build, r.body);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "surface", ground->name);
    cn_case_label(quality, "body", mover_names[kind]);
    cn_case_limit(quality, "vertical_speed", r.worst, "m/s", ground->curved ? 0.1 : 1e-3);
    cn_case_number(quality, "way", end.x - start, "m");
    cn_case_end(quality, true);
}

void cn_quality_bumps(cn_quality *quality)
{
    for (int i = 0; i < (int)(sizeof surfaces / sizeof surfaces[0]); ++i)
        for (int kind = 0; kind < MOVERS; ++kind)
            bumps_case(quality, &surfaces[i], (mover)kind);
}
