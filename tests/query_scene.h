// A world with shapes of every kind, scattered around a place, for the tests of queries.
#ifndef QUERY_SCENE_H
#define QUERY_SCENE_H

#include "random_shapes.h"
#include "scene.h"

enum { SCENE_SHAPES = 400, SCENE_KINDS = 8, WAVES = 12 };

typedef struct query_scene {
    cn_world *world;
    cn_pos3 middle;
    cn_mesh *mesh;
    cn_height_field *field;
    cn_compound *compound;
    cn_hull_id hull;
    cn_shape_id shapes[SCENE_SHAPES];
    cn_body_id bodies[SCENE_SHAPES];
} query_scene;

// A closed ball of triangles with bumps, 1 m.
static inline cn_mesh *bumpy_ball(int around)
{
    int rings = around / 2, count = 0, triangles = 0;
    cn_vec3 *vertices = malloc(sizeof *vertices * (size_t)((rings + 1) * around));
    int *indices = malloc(sizeof *indices * (size_t)(rings * around * 6));
    for (int i = 0; i <= rings; i++)
        for (int k = 0; k < around; k++) {
            double polar = 3.14159265358979 * i / rings, turn = 2.0 * 3.14159265358979 * k / around;
            double r = 1.0 + 0.1 * sin(5.0 * polar) * (i > 0 && i < rings ? cos(4.0 * turn) : 0.0);
            vertices[count++] =
                cn_v3((float)(r * sin(polar) * cos(turn)), (float)(r * cos(polar)), (float)(r * sin(polar) * sin(turn)));
        }
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < around; k++) {
            int a = i * around + k, b = i * around + (k + 1) % around, c = a + around, d = b + around;
            int corners[2][3] = { { a, b, c }, { b, d, c } };
            for (int t = 0; t < 2; t++, triangles++)
                for (int j = 0; j < 3; j++)
                    indices[3 * triangles + j] = corners[t][j];
        }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = count;
    def.indices = indices;
    def.triangle_count = triangles;
    def.drop_degenerate = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    free(vertices);
    free(indices);
    if (mesh == NULL)
        fail_msg("%s", cn_last_error());
    return mesh;
}

static inline cn_height_field *wavy_field(void)
{
    float heights[WAVES * WAVES];
    for (int i = 0; i < WAVES * WAVES; i++)
        heights[i] = 0.3f * sinf((float)(i % WAVES)) * cosf((float)(i / WAVES));
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = WAVES;
    def.spacing_x = def.spacing_z = 0.25f;
    def.heights = heights;
    cn_height_field *field = cn_height_field_create(&def);
    if (field == NULL)
        fail_msg("%s", cn_last_error());
    return field;
}

static inline cn_compound *cross_of_solids(void)
{
    cn_compound_part parts[3] = { { .geometry = cn_box(1.0f, 0.2f, 0.2f), .offset = CN_POSE_IDENTITY },
                                  { .geometry = cn_capsule(0.8f, 0.2f), .offset = { { 0.0f, 0.3f, 0.0f }, CN_QUAT_IDENTITY } },
                                  { .geometry = cn_sphere(0.4f), .offset = { { 0.8f, 0.8f, 0.2f }, CN_QUAT_IDENTITY } } };
    cn_compound *compound = cn_compound_create(parts, 3, NULL);
    if (compound == NULL)
        fail_msg("%s", cn_last_error());
    return compound;
}

static inline cn_geometry scene_geometry(const query_scene *s, rng *r, int kind)
{
    float a = rng_range(r, 0.2f, 1.0f), b = rng_range(r, 0.2f, 1.0f), c = rng_range(r, 0.2f, 1.0f);
    switch (kind) {
    case 0: return cn_sphere(a);
    case 1: return cn_capsule(a, 0.5f * b);
    case 2: return cn_box(a, b, c);
    case 3: return cn_cylinder(a, b);
    case 4: return cn_hull(s->hull);
    case 5: return cn_geometry_mesh(s->mesh, cn_v3(a, b, -c));
    case 6: return cn_geometry_height_field(s->field, cn_v3(a, b, c));
    default: return cn_geometry_compound(s->compound);
    }
}

static inline query_scene open_query_scene(cn_pos3 middle, int threads)
{
    query_scene s = { .middle = middle };
    cn_world_def def = cn_world_def_default();
    def.threads = threads;
    s.world = open_world(&def);
    s.mesh = bumpy_ball(24);
    s.field = wavy_field();
    s.compound = cross_of_solids();
    cn_vec3 points[12];
    rng r = { 4 };
    for (int i = 0; i < 12; i++)
        points[i] = rng_unit(&r);
    s.hull = cn_hull_create(s.world, points, 12);
    for (int i = 0; i < SCENE_SHAPES; i++) {
        int kind = i % SCENE_KINDS;
        cn_shape_def shape = cn_shape_def_default();
        shape.geometry = scene_geometry(&s, &r, kind);
        shape.offset.rotation = rng_quat(&r);
        shape.offset.position = i % 3 ? cn_v3(0.0f, 0.0f, 0.0f) : rng_vec(&r, 0.5f);
        shape.filter.category = 1u << (i % 5);
        shape.material.user_data = (uint64_t)i + 1000;
        shape.sensor = i % 11 == 0 && kind < 5;
        // Places on a grid of 1/1024 m are exact in double, near zero and a thousand kilometres away.
        cn_vec3 place = rng_vec(&r, 8.0f);
        place = cn_v3(floorf(place.x * 1024.0f) / 1024.0f, floorf(place.y * 1024.0f) / 1024.0f,
                      floorf(place.z * 1024.0f) / 1024.0f);
        cn_body_def body = cn_body_def_default();
        body.type = kind > 4 || i % 2 ? CN_STATIC : CN_DYNAMIC;
        body.position = cn_pos_add(middle, place);
        body.rotation = rng_quat(&r);
        s.bodies[i] = cn_body_create(s.world, &body);
        s.shapes[i] = cn_shape_create(s.world, s.bodies[i], &shape);
        if (CN_IS_NULL(s.shapes[i]))
            fail_msg("%s", cn_last_error());
    }
    return s;
}

static inline void close_query_scene(query_scene *s)
{
    cn_world_destroy(s->world);
    cn_mesh_destroy(s->mesh);
    cn_height_field_destroy(s->field);
    cn_compound_destroy(s->compound);
}

static inline cn_ray random_ray(const query_scene *s, rng *r)
{
    cn_vec3 from = rng_vec(r, 12.0f), to = rng_vec(r, 8.0f);
    from = cn_v3(floorf(from.x * 1024.0f) / 1024.0f, floorf(from.y * 1024.0f) / 1024.0f, floorf(from.z * 1024.0f) / 1024.0f);
    float length = rng_next(r) % 4 ? 1.0f : rng_range(r, 0.0f, 2.0f);
    return (cn_ray){ cn_pos_add(s->middle, from), cn_scale(length, cn_sub(to, from)) };
}

static inline cn_probe random_probe(const query_scene *s, rng *r)
{
    cn_ray ray = random_ray(s, r);
    int kind = (int)(rng_next(r) % 5);
    return (cn_probe){ scene_geometry(s, r, kind), { ray.origin, rng_quat(r) }, ray.translation };
}

#endif
