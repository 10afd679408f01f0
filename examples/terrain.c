// Terrain: hills as a triangle mesh, boxes that come to rest on them, a ray that finds their height, and a ball too fast for
// them.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

enum { CELLS = 40, SAMPLES = CELLS + 1, BOXES = 25 }; // cells of a metre

static float hills(float x, float z) { return sinf(0.5f * x) * sinf(0.4f * z); }

// Two triangles per cell, counter-clockwise seen from above: that is the side that collides.
static cn_mesh *make_hills(void)
{
    static cn_vec3 vertices[SAMPLES * SAMPLES];
    static int indices[6 * CELLS * CELLS];
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        float x = (float)(i % SAMPLES - CELLS / 2), z = (float)(i / SAMPLES - CELLS / 2);
        vertices[i] = (cn_vec3){ x, hills(x, z), z };
    }
    for (int i = 0; i < CELLS * CELLS; i++) {
        int a = i / CELLS * SAMPLES + i % CELLS, b = a + 1, c = a + SAMPLES, d = c + 1;
        const int cell[6] = { a, c, d, a, d, b };
        for (int k = 0; k < 6; k++)
            indices[6 * i + k] = cell[k];
    }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = SAMPLES * SAMPLES;
    def.indices = indices;
    def.triangle_count = 2 * CELLS * CELLS;
    return cn_mesh_create(&def); // copies the arrays
}

static cn_body_id add_body(cn_world *world, cn_body_type type, cn_pos3 position, cn_geometry geometry)
{
    cn_body_def body = cn_body_def_default();
    body.type = type;
    body.position = position;
    cn_body_id id = cn_body_create(world, &body);

    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = geometry;
    cn_shape_create(world, id, &shape);
    return id;
}

// How high a place lies above the hills, whatever stands on them.
static double height_above(const cn_world *world, cn_shape_id ground, cn_pos3 place)
{
    cn_ray ray = { { place.x, 100.0, place.z }, { 0.0f, -200.0f, 0.0f } };
    cn_hit hit = cn_shape_cast_ray(world, ground, &ray);
    return hit.hit ? place.y - hit.point.y : HUGE_VAL;
}

int main(void)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    cn_mesh *mesh = make_hills();
    if (world == NULL || mesh == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    cn_body_id land =
        add_body(world, CN_STATIC, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_geometry_mesh(mesh, (cn_vec3){ 1.0f, 1.0f, 1.0f }));
    cn_mesh_destroy(mesh); // the shape keeps what it needs
    cn_shape_id ground;
    cn_body_get_shapes(world, land, &ground, 1);

    cn_body_id boxes[BOXES];
    for (int i = 0; i < BOXES; i++) {
        cn_pos3 place = { 2.0 * (i % 5) - 4.0, 3.0 + 0.2 * i, 2.0 * (i / 5) - 4.0 };
        boxes[i] = add_body(world, CN_DYNAMIC, place, cn_box(0.4f, 0.3f, 0.5f));
    }
    // In one step the ball goes 50 times its own radius.
    cn_body_id ball = add_body(world, CN_DYNAMIC, (cn_pos3){ 8.0, 50.0, 8.0 }, cn_sphere(0.1f));
    cn_body_set_linear_velocity(world, ball, (cn_vec3){ 0.0f, -300.0f, 0.0f });

    double lowest = HUGE_VAL; // of the ball
    for (int step = 0; step < 600; step++) {
        if (!cn_world_step(world, 1.0f / 60.0f).ok) {
            fprintf(stderr, "%s\n", cn_last_error());
            return 1;
        }
        lowest = fmin(lowest, height_above(world, ground, cn_body_get_center(world, ball)));
    }

    int landed = 0;
    for (int i = 0; i < BOXES; i++) {
        double height = height_above(world, ground, cn_body_get_center(world, boxes[i]));
        landed += height > 0.25 && height < 1.0;
    }
    double found = -height_above(world, ground, (cn_pos3){ 2.3, 0.0, -3.7 });
    double error = fabs(found - (double)hills(2.3f, -3.7f));
    printf("%d of %d boxes lie on the hills\n", landed, BOXES);
    printf("the centre of the ball was %.3f m above them at least\n", lowest);
    printf("a ray finds %.4f m under (2.3, -3.7), %.4f m from the function\n", found, error);
    cn_world_destroy(world);
    // The inner half of the ball stays out. A triangle is off a function by at most half of how much that bends, here 0.41 / m,
    // times the square of its circumradius.
    return landed == BOXES && lowest > 0.05 && error < 0.5 * 0.41 * 0.5 ? 0 : 1;
}
