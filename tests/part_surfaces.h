// Surfaces and floors for the tests of contact with meshes and compounds.
#ifndef TEST_PART_SURFACES_H
#define TEST_PART_SURFACES_H

#include "collide/collide_parts.h"
#include "hull_fixture.h"

#include <time.h>

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "taper", "hull" };
static const cn_vec3 up = { 0.0f, 1.0f, 0.0f };

// A stream of random numbers of its own for each test; CAIRN_SEED chooses others.
static inline rng stream(uint32_t number)
{
    const char *seed = getenv("CAIRN_SEED");
    return (rng){ number + (seed == NULL ? 0u : 1000003u * (uint32_t)strtoul(seed, NULL, 10)) };
}

// --- surfaces ----------------------------------------------------------------------------------------------------------------

enum { MAX_CELLS = 40, MAX_GRID = (MAX_CELLS + 1) * (MAX_CELLS + 1) };

typedef struct surface {
    int vertex_count, triangle_count;
    cn_vec3 vertices[MAX_GRID];
    int indices[6 * MAX_CELLS * MAX_CELLS];
    cn_mesh *mesh;
    cn_composite composite;
} surface;

static inline void finish_surface(surface *s)
{
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = s->vertices;
    def.vertex_count = s->vertex_count;
    def.indices = s->indices;
    def.triangle_count = s->triangle_count;
    s->mesh = cn_mesh_create(&def);
    assert_non_null(s->mesh);
    s->composite = (cn_composite){ .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = s->mesh };
}

static inline void add_triangle(surface *s, int a, int b, int c)
{
    int *to = &s->indices[3 * s->triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

// A square of `cells` times `cells` cells around the origin, y = bend * (x^2 + z^2), its vertices shifted sideways at random by
// a part of the spacing and its diagonals turned at random.
static inline void make_surface(surface *s, int cells, float spacing, float bend, float shift)
{
    rng r = stream(5);
    s->vertex_count = s->triangle_count = 0;
    for (int j = 0; j <= cells; j++)
        for (int i = 0; i <= cells; i++) {
            bool inner = i > 0 && i < cells && j > 0 && j < cells;
            float dx = inner ? rng_range(&r, -shift, shift) : 0.0f, dz = inner ? rng_range(&r, -shift, shift) : 0.0f;
            float x = spacing * ((float)i - 0.5f * (float)cells + dx), z = spacing * ((float)j - 0.5f * (float)cells + dz);
            s->vertices[s->vertex_count++] = cn_v3(x, bend * (x * x + z * z), z);
        }
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            int a = j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
            // A curved surface is convex only with the right diagonals; without shifts both are.
            bool turned = bend == 0.0f && rng_next(&r) % 2 == 0;
            if (bend != 0.0f) {
                float one = s->vertices[a].y + s->vertices[d].y, two = s->vertices[b].y + s->vertices[c].y;
                turned = bend < 0.0f ? two > one : two < one;
            }
            add_triangle(s, a, c, turned ? b : d);
            add_triangle(s, turned ? b : a, turned ? c : d, turned ? d : b);
        }
    finish_surface(s);
}

static inline void free_surface(surface *s) { cn_mesh_destroy(s->mesh); }

static inline double lowest_along(const cn_convex *b, cn_pose pose, dvec d)
{
    dvec local = dv_unrotate(pose.rotation, d);
    return dv_dot(d, dv_of(pose.position)) - support_height(b, dv(-local.x, -local.y, -local.z), true);
}

static inline float deepest_of(const cn_manifold *m)
{
    float least = INFINITY;
    for (int i = 0; i < m->count; i++)
        least = cn_minf(least, m->points[i].separation);
    return least;
}

// Moves the pose up or down so that the solid reaches down to `height`.
static inline void lower_to(const cn_convex *b, cn_pose *pose, float height)
{
    pose->position.y += height - (float)lowest_along(b, *pose, dv(0, 1, 0));
}

// A solid lies flat on one of its sides in half of the cases.
static inline cn_quat random_rest(rng *r, const cn_convex *b)
{
    if (rng_next(r) % 2)
        return rng_quat(r);
    cn_vec3 side = b->type == CN_HULL ? b->hull->planes[rng_next(r) % (uint32_t)b->hull->face_count].normal
                   : rng_next(r) % 2  ? cn_v3(1.0f, 0.0f, 0.0f)
                                      : cn_v3(0.0f, 1.0f, 0.0f);
    cn_vec3 axis = cn_cross(side, cn_neg(up));
    float sine = cn_length(axis);
    cn_quat turn = cn_quat_axis_angle(sine > 1e-6f ? cn_scale(1.0f / sine, axis) : cn_v3(1.0f, 0.0f, 0.0f),
                                      (float)atan2((double)sine, (double)cn_dot(side, cn_neg(up))));
    return cn_quat_normalize(cn_quat_mul(cn_quat_axis_angle(up, rng_range(r, -3.0f, 3.0f)), turn));
}

static const cn_quat straight = { 0.0f, 0.0f, 0.0f, 1.0f };

static inline int add_vertex(surface *s, cn_vec3 v)
{
    for (int i = 0; i < s->vertex_count; i++)
        if (cn_distance(s->vertices[i], v) < 1e-6f)
            return i;
    s->vertices[s->vertex_count] = v;
    return s->vertex_count++;
}

// A parallelogram of m times n cells, seen from the front with `u` to the right and `v` up.
static inline void add_sheet(surface *s, cn_vec3 corner, cn_vec3 u, cn_vec3 v, int m, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int k[4];
            for (int c = 0; c < 4; c++) {
                float x = (float)(i + (c == 1 || c == 2)) / (float)m, y = (float)(j + (c >= 2)) / (float)n;
                k[c] = add_vertex(s, cn_madd(cn_madd(corner, x, u), y, v));
            }
            add_triangle(s, k[0], k[1], k[2]);
            add_triangle(s, k[0], k[2], k[3]);
        }
}

// A closed box around `center`, its sides cut into cells.
static inline void add_solid(surface *s, cn_vec3 center, cn_vec3 h, int cells, int rows)
{
    cn_vec3 x = cn_v3(2.0f * h.x, 0.0f, 0.0f), y = cn_v3(0.0f, 2.0f * h.y, 0.0f), z = cn_v3(0.0f, 0.0f, 2.0f * h.z);
    cn_vec3 low = cn_sub(center, h), high = cn_add(center, h);
    add_sheet(s, cn_add(low, y), z, x, cells, cells);
    add_sheet(s, low, x, z, cells, cells);
    add_sheet(s, low, z, y, cells, rows);
    add_sheet(s, cn_add(low, x), y, z, rows, cells);
    add_sheet(s, low, y, x, rows, cells);
    add_sheet(s, cn_sub(high, cn_add(x, y)), x, y, cells, rows);
}

// A square table of two triangles, open all around.
static inline void make_table(surface *s)
{
    *s = (surface){ 0 };
    add_sheet(s, cn_v3(-1.0f, 0.0f, -1.0f), cn_v3(0.0f, 0.0f, 2.0f), cn_v3(2.0f, 0.0f, 0.0f), 1, 1);
    finish_surface(s);
}

static inline float distance_to(const surface *s, const cn_convex *b, cn_pose pose)
{
    float skin = (float)skin_of(b), least = INFINITY;
    for (int i = 0; i < s->triangle_count; i++) {
        cn_vec3 v[3] = { s->vertices[s->indices[3 * i]], s->vertices[s->indices[3 * i + 1]],
                         s->vertices[s->indices[3 * i + 2]] };
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = v };
        least = cn_minf(least, cn_gjk_distance(&triangle, b, pose, NULL).distance - skin);
    }
    return least;
}

static inline int collide(const surface *s, const cn_convex *b, cn_vec3 position, cn_quat rotation, float margin,
                          cn_part_manifold *m)
{
    float gap;
    return cn_collide_parts(&s->composite, b, (cn_pose){ position, rotation }, cn_look_within(margin), m, &gap);
}

#endif
