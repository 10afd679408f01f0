// Convex solids against meshes and compounds: what slides over a surface feels the surface only, and what lies on it lies well.
#include "collide/collide_parts.h"
#include "hull_fixture.h"

#include <time.h>

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "hull" };
static const cn_vec3 up = { 0.0f, 1.0f, 0.0f };

// --- surfaces ----------------------------------------------------------------------------------------------------------------

enum { MAX_CELLS = 40, MAX_GRID = (MAX_CELLS + 1) * (MAX_CELLS + 1) };

typedef struct surface {
    int vertex_count, triangle_count;
    cn_vec3 vertices[MAX_GRID];
    int indices[6 * MAX_CELLS * MAX_CELLS];
    cn_mesh *mesh;
    cn_composite composite;
} surface;

static void finish_surface(surface *s)
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

static void add_triangle(surface *s, int a, int b, int c)
{
    int *to = &s->indices[3 * s->triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

// A square of `cells` times `cells` cells around the origin, y = bend * (x^2 + z^2), its vertices shifted sideways at random by
// a part of the spacing and its diagonals turned at random.
static void make_surface(surface *s, int cells, float spacing, float bend, float shift)
{
    rng r = { 5 };
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

static void free_surface(surface *s) { cn_mesh_destroy(s->mesh); }

static double lowest_along(const cn_convex *b, cn_pose pose, dvec d)
{
    dvec local = dv_unrotate(pose.rotation, d);
    return dv_dot(d, dv_of(pose.position)) - support_height(b, dv(-local.x, -local.y, -local.z), true);
}

static float deepest_of(const cn_manifold *m)
{
    float least = INFINITY;
    for (int i = 0; i < m->count; i++)
        least = cn_minf(least, m->points[i].separation);
    return least;
}

// Moves the pose up or down so that the solid reaches down to `height`.
static void lower_to(const cn_convex *b, cn_pose *pose, float height)
{
    pose->position.y += height - (float)lowest_along(b, *pose, dv(0, 1, 0));
}

// A solid lies flat on one of its sides in half of the cases.
static cn_quat random_rest(rng *r, const cn_convex *b)
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

// --- sliding -----------------------------------------------------------------------------------------------------------------

static void flat_grid_is_one_plane(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 20, 0.5f, 0.0f, 0.3f);
    rng r = { 11 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, several = 0, tilted = 0;
        double worst = 0.0;
        for (int i = 0; i < 10000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            float height = rng_range(&r, -0.3f * inner, 0.9f * margin);
            cn_pose pose = { cn_v3(rng_range(&r, -3.0f, 3.0f), 0.0f, rng_range(&r, -3.0f, 3.0f)), random_rest(&r, &b) };
            lower_to(&b, &pose, height);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&s.composite, &b, pose, margin, m, &gap);
            missing += count < 1;
            several += count > 1;
            for (int k = 0; k < count; k++)
                tilted += m[k].manifold.normal.x != 0.0f || m[k].manifold.normal.y != 1.0f || m[k].manifold.normal.z != 0.0f;
            if (count > 0)
                worst = fmax(worst, fabs((double)((deepest_of(&m[0].manifold) - height) / inner)));
        }
        printf("  %-8s missing %d, several %d, tilted %d, depth off by at most %.1e inner radii\n", type_names[type], missing,
               several, tilted, worst);
        assert_int_equal(missing + several + tilted, 0);
        assert_true(worst < 2e-3);
    }
    free_surface(&s);
}

static double farthest_along(const surface *s, dvec d)
{
    double most = -1e300;
    for (int i = 0; i < s->vertex_count; i++)
        most = fmax(most, dv_dot(d, dv_of(s->vertices[i])));
    return most;
}

// The same surface as the top of a solid that reaches down to `bottom`.
static cn_polyhedron *make_solid(const surface *s, float bottom)
{
    static cn_vec3 points[2 * MAX_GRID];
    for (int i = 0; i < s->vertex_count; i++) {
        points[2 * i] = s->vertices[i];
        points[2 * i + 1] = cn_v3(s->vertices[i].x, bottom, s->vertices[i].z);
    }
    return cn_polyhedron_build(&cn_default_allocator, points, 2 * s->vertex_count);
}

// Separation of the full shapes, negative when they overlap, by GJK and EPA.
static float separation_of(const cn_convex *a, const cn_convex *b, cn_pose pose)
{
    float skin = b->type == CN_SPHERE || b->type == CN_CAPSULE ? b->radius : 0.0f;
    cn_gjk_result gjk = cn_gjk_distance(a, b, pose, NULL);
    return gjk.distance > 0.0f ? gjk.distance - skin : -cn_epa_penetration(a, b, pose).depth - skin;
}

// A dome of triangles feels as the convex solid under it does: contact where and only where that is touched, a way out that is
// as short, and every normal is one along which no point of the dome reaches farther than the points of contact.
static void dome_is_felt_as_a_solid(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 16, 0.5f, -0.08f, 0.0f);
    cn_polyhedron *hull = make_solid(&s, -6.0f);
    assert_non_null(hull);
    cn_convex solid = { .type = CN_HULL, .hull = hull };
    rng r = { 12 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, invented = 0, touching = 0;
        double above = 0.0, deeper = 0.0, longer = 0.0, tilt = 0.0;
        for (int i = 0; i < 1000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            cn_pose pose = { cn_v3(rng_range(&r, -2.0f, 2.0f), 0.0f, rng_range(&r, -2.0f, 2.0f)), random_rest(&r, &b) };
            lower_to(&b, &pose, 0.0f);
            // Down to where it touches, and a little farther.
            for (int k = 0; k < 6; k++)
                pose.position.y -= separation_of(&solid, &b, pose);
            pose.position.y += rng_range(&r, -0.2f * inner, margin);
            float truth = separation_of(&solid, &b, pose);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&s.composite, &b, pose, margin, m, &gap);
            missing += count == 0 && truth < 0.95f * margin;
            invented += count > 0 && truth > 1.05f * margin;
            touching += count > 0;
            double best = -1e300;
            for (int k = 0; k < count; k++) {
                const cn_manifold *f = &m[k].manifold;
                dvec d = dv_of(f->normal);
                double top = farthest_along(&s, d), reach = lowest_along(&b, pose, d) - top;
                best = fmax(best, reach);
                tilt = fmax(tilt, acos(fmin(1.0, d.y)) * 57.29577951);
                deeper = fmax(deeper, (reach - (double)deepest_of(f)) / (double)inner);
                for (int p = 0; p < f->count; p++)
                    if (f->points[p].separation == deepest_of(f))
                        above = fmax(above,
                                     (top - dv_dot(d, dv_of(f->points[p].position)) + 0.5 * (double)f->points[p].separation) /
                                         (double)inner);
            }
            if (count > 0)
                longer = fmax(longer, ((double)truth - best) / (double)inner);
        }
        printf("  %-8s of %d contacts: missing %d, invented %d; surface above the points %.1e, deeper than b reaches %.1e, way "
               "out "
               "longer %.1e (all in inner radii), steepest normal %.0f degrees\n",
               type_names[type], touching, missing, invented, above, deeper, longer, tilt);
        assert_int_equal(missing + invented, 0);
        assert_true(above < 0.01 && deeper < 1e-5 && longer < 0.01 && tilt < 29.0);
    }
    cn_polyhedron_free(&cn_default_allocator, hull);
    free_surface(&s);
}

static float distance_to(const surface *s, const cn_convex *b, cn_pose pose)
{
    float skin = b->type == CN_SPHERE || b->type == CN_CAPSULE ? b->radius : 0.0f, least = INFINITY;
    for (int i = 0; i < s->triangle_count; i++) {
        cn_vec3 v[3] = { s->vertices[s->indices[3 * i]], s->vertices[s->indices[3 * i + 1]],
                         s->vertices[s->indices[3 * i + 2]] };
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = v };
        least = cn_minf(least, cn_gjk_distance(&triangle, b, pose, NULL).distance - skin);
    }
    return least;
}

// In a bowl all edges are concave, so there are no normals but those of its triangles.
static void bowl_has_the_normals_of_its_faces(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, 0.08f, 0.0f);
    rng r = { 13 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, strange = 0, most = 0;
        double off = 0.0;
        for (int i = 0; i < 500; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.4f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            cn_pose pose = { cn_v3(rng_range(&r, -0.6f, 0.6f), 0.0f, rng_range(&r, -0.6f, 0.6f)), random_rest(&r, &b) };
            lower_to(&b, &pose, 0.4f);
            for (int k = 0; k < 4; k++)
                pose.position.y -= cn_maxf(0.0f, distance_to(&s, &b, pose) - 0.5f * margin);
            float truth = distance_to(&s, &b, pose);
            bool apart = i % 2 == 0 && truth > 0.0f;
            if (!apart)
                pose.position.y -= rng_range(&r, 0.0f, 0.2f * inner);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap, least = INFINITY;
            int count = cn_collide_parts(&s.composite, &b, pose, margin, m, &gap);
            most = count > most ? count : most;
            missing += count == 0 && truth < 0.95f * margin;
            for (int k = 0; k < count; k++) {
                bool known = false;
                least = cn_minf(least, deepest_of(&m[k].manifold));
                for (int t = 0; t < s.triangle_count && !known; t++) {
                    cn_part part;
                    cn_composite_part(&s.composite, t, &part);
                    cn_vec3 n = part.triangle.normal, f = m[k].manifold.normal;
                    known = n.x == f.x && n.y == f.y && n.z == f.z;
                }
                strange += !known;
            }
            if (apart && count > 0)
                off = fmax(off, fabs((double)(least - truth) / (double)inner));
        }
        printf("  %-8s missing %d, strange normals %d, up to %d manifolds, distance off by at most %.1e inner radii\n",
               type_names[type], missing, strange, most, off);
        assert_int_equal(missing + strange, 0);
        assert_true(off < 0.01);
    }
    free_surface(&s);
}

// --- sides -------------------------------------------------------------------------------------------------------------------

static int add_vertex(surface *s, cn_vec3 v)
{
    for (int i = 0; i < s->vertex_count; i++)
        if (cn_distance(s->vertices[i], v) < 1e-6f)
            return i;
    s->vertices[s->vertex_count] = v;
    return s->vertex_count++;
}

// A parallelogram of m times n cells, seen from the front with `u` to the right and `v` up.
static void add_sheet(surface *s, cn_vec3 corner, cn_vec3 u, cn_vec3 v, int m, int n)
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
static void add_solid(surface *s, cn_vec3 center, cn_vec3 h, int cells, int rows)
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

static int collide(const surface *s, const cn_convex *b, cn_vec3 position, cn_quat rotation, float margin, cn_part_manifold *m)
{
    float gap;
    return cn_collide_parts(&s->composite, b, (cn_pose){ position, rotation }, margin, m, &gap);
}

static const cn_quat straight = { 0.0f, 0.0f, 0.0f, 1.0f };

// A thin closed slab with a large box on it, anywhere, also far over its edge, also pressed into it deeper than half its
// thickness and deeper than the first row of triangles of its sides.
static void slab_pushes_up(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    add_solid(&s, cn_v3(0.0f, -0.05f, 0.0f), cn_v3(2.0f, 0.05f, 2.0f), 4, 3);
    finish_surface(&s);
    cn_convex box = { .type = CN_BOX, .half_extents = { 1.0f, 0.7f, 0.8f } };
    rng r = { 21 };
    for (int i = 0; i < 4000; i++) {
        float depth = rng_range(&r, -0.005f, 0.08f);
        cn_vec3 at = cn_v3(rng_range(&r, -2.6f, 2.6f), 0.7f - depth, rng_range(&r, -2.4f, 2.4f));
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        int count = collide(&s, &box, at, cn_quat_axis_angle(up, i % 2 ? rng_range(&r, -3.0f, 3.0f) : 0.0f), 0.01f, m);
        assert_int_equal(count, 1);
        assert_true(m[0].manifold.normal.y > 0.99999f);
        assert_true(fabsf(deepest_of(&m[0].manifold) + depth) < 1e-5f);
    }
    // Pressed in past its own middle, but by less than half its inner radius, a box comes out where it went in.
    cn_convex small = { .type = CN_BOX, .half_extents = { 0.15f, 0.15f, 0.15f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    assert_int_equal(collide(&s, &small, cn_v3(0.3f, -0.03f, 0.2f), straight, 0.01f, m), 1);
    assert_true(m[0].manifold.normal.y == 1.0f);
    free_surface(&s);
}

static void sheet_pushes_to_both_sides(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    add_sheet(&s, cn_v3(-1.0f, 0.0f, -1.0f), cn_v3(0.0f, 0.0f, 2.0f), cn_v3(2.0f, 0.0f, 0.0f), 2, 2);
    add_sheet(&s, cn_v3(-1.0f, 0.0f, -1.0f), cn_v3(2.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 2.0f), 2, 2);
    finish_surface(&s);
    rng r = { 22 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++)
        for (int i = 0; i < 1000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.5f, &hulls);
            float inner = cn_convex_inner_radius(&b), side = i % 2 ? 1.0f : -1.0f;
            if (type == CN_HULL) // their lowest part may lie beside the sheet
                b.hull = hulls.hull[1][1];
            cn_pose pose = { cn_v3(rng_range(&r, -0.9f, 0.9f), 0.0f, rng_range(&r, -0.9f, 0.9f)), straight };
            lower_to(&b, &pose, rng_range(&r, -0.3f, 0.01f) * inner);
            pose.position.y *= side;
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            int count = collide(&s, &b, pose.position, pose.rotation, 0.02f * inner, m);
            assert_int_equal(count, 1);
            assert_true(m[0].manifold.normal.y * side > 0.99999f);
        }
    free_surface(&s);
}

// A square table of two triangles, open all around.
static void make_table(surface *s)
{
    *s = (surface){ 0 };
    add_sheet(s, cn_v3(-1.0f, 0.0f, -1.0f), cn_v3(0.0f, 0.0f, 2.0f), cn_v3(2.0f, 0.0f, 0.0f), 1, 1);
    finish_surface(s);
}

static void edge_of_a_table_is_real(void **state)
{
    (void)state;
    static surface s;
    make_table(&s);
    rng r = { 23 };
    cn_convex ball = { .type = CN_SPHERE, .radius = 0.3f };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    // A ball beyond an edge or one of the four corners is pushed straight away from the nearest point of the table.
    for (int i = 0; i < 10000; i++) {
        cn_vec3 at = cn_v3(rng_range(&r, -1.3f, 1.3f), rng_range(&r, 0.01f, 0.31f), rng_range(&r, -1.3f, 1.3f));
        cn_vec3 nearest = cn_v3(cn_clampf(at.x, -1.0f, 1.0f), 0.0f, cn_clampf(at.z, -1.0f, 1.0f));
        cn_vec3 away = cn_sub(at, nearest);
        float separation = cn_length(away) - 0.3f;
        int count = collide(&s, &ball, at, straight, 0.01f, m);
        if (fabsf(separation - 0.01f) < 1e-4f)
            continue;
        assert_int_equal(count, separation < 0.01f);
        if (count == 0)
            continue;
        assert_true(cn_distance(m[0].manifold.normal, cn_normalize(away)) < 1e-4f);
        assert_true(fabsf(deepest_of(&m[0].manifold) - separation) < 1e-5f);
    }
    // Half over the edge: two corners and two points on the edge carry the box.
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    assert_int_equal(collide(&s, &box, cn_v3(1.0f, 0.199f, 0.1f), straight, 0.01f, m), 1);
    assert_int_equal(m[0].manifold.count, 4);
    float far = -2.0f;
    for (int i = 0; i < 4; i++)
        far = cn_maxf(far, m[0].manifold.points[i].position.x);
    assert_true(fabsf(far - 1.0f) < 1e-5f);
    // Leaning on the edge with its lower side, the normal is that of the box.
    cn_quat tilt = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), -0.4f);
    cn_vec3 normal = cn_rotate(tilt, up), edge = cn_v3(1.0f, 0.0f, 0.0f);
    assert_int_equal(collide(&s, &box, cn_madd(edge, 0.199f, normal), tilt, 0.01f, m), 1);
    assert_true(cn_distance(m[0].manifold.normal, normal) < 1e-5f);
    assert_int_equal(m[0].manifold.count, 2);
    assert_true(fabsf(deepest_of(&m[0].manifold) + 0.001f) < 1e-5f);
    free_surface(&s);
}

// --- grooves and ridges ------------------------------------------------------------------------------------------------------

// Two slopes of 45 degrees that meet along the z axis; `bend` 1 is a groove, -1 a ridge.
static void make_fold(surface *s, float bend)
{
    *s = (surface){ 0 };
    add_sheet(s, cn_v3(-2.0f, 2.0f * bend, -2.0f), cn_v3(0.0f, 0.0f, 4.0f), cn_v3(2.0f, -2.0f * bend, 0.0f), 4, 4);
    add_sheet(s, cn_v3(0.0f, 0.0f, -2.0f), cn_v3(0.0f, 0.0f, 4.0f), cn_v3(2.0f, 2.0f * bend, 0.0f), 4, 4);
    finish_surface(s);
}

static void groove_pushes_from_both_walls(void **state)
{
    (void)state;
    static surface s;
    make_fold(&s, 1.0f);
    const float root = 0.70710678f;
    cn_quat turned = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), 0.25f * CN_PI);
    cn_convex solids[] = { { .type = CN_SPHERE, .radius = 0.3f },
                           { .type = CN_BOX, .half_extents = { 0.3f, 0.3f, 0.4f } },
                           { .type = CN_BOX, .half_extents = { 0.3f, 0.3f, 0.05f } } };
    rng r = { 24 };
    for (int i = 0; i < 3000; i++) {
        const cn_convex *b = &solids[i % 3];
        float left = rng_range(&r, 0.0f, 0.03f), right = rng_range(&r, 0.0f, 0.03f);
        // at distance 0.3 - left of the left wall, 0.3 - right of the right one
        cn_vec3 at = cn_v3(root * (right - left), root * (0.6f - left - right), rng_range(&r, -1.0f, 1.0f));
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        assert_int_equal(collide(&s, b, at, turned, 0.01f, m), 2);
        for (int k = 0; k < 2; k++) {
            cn_vec3 n = m[k].manifold.normal;
            float depth = n.x > 0.0f ? left : right;
            assert_true(fabsf(fabsf(n.x) - root) < 1e-6f && fabsf(n.y - root) < 1e-6f);
            assert_true(fabsf(deepest_of(&m[k].manifold) + depth) < 1e-5f);
            assert_int_equal(m[k].manifold.count, b->type == CN_SPHERE ? 1 : 4);
        }
        assert_true(m[0].manifold.normal.x * m[1].manifold.normal.x < 0.0f);
    }
    free_surface(&s);
}

static void ridge_carries_a_box(void **state)
{
    (void)state;
    static surface s;
    make_fold(&s, -1.0f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    rng r = { 25 };
    for (int i = 0; i < 3000; i++) {
        float lean = rng_range(&r, -0.7f, 0.7f), depth = rng_range(&r, -0.005f, 0.02f);
        cn_quat tilt = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), lean);
        cn_vec3 normal = cn_rotate(tilt, up), along = cn_rotate(tilt, cn_v3(1.0f, 0.0f, 0.0f));
        cn_vec3 at = cn_madd(cn_madd(cn_v3(0.0f, 0.0f, rng_range(&r, -1.0f, 1.0f)), 0.2f - depth, normal),
                             rng_range(&r, -0.2f, 0.2f), along);
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        int count = collide(&s, &box, at, tilt, 0.01f, m);
        assert_in_range(count, 1, 2);
        bool found = false;
        for (int k = 0; k < count; k++)
            found = found || (cn_distance(m[k].manifold.normal, normal) < 0.02f && m[k].manifold.count >= 2 &&
                              fabsf(deepest_of(&m[k].manifold) + depth) < 1e-3f);
        assert_true(found);
    }
    free_surface(&s);
}

// A floor and a wall: one manifold each, and a box that has sunk in past its middle beside the wall still comes up.
static void corner_of_a_room(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    add_sheet(&s, cn_v3(-2.0f, 0.0f, -2.0f), cn_v3(0.0f, 0.0f, 4.0f), cn_v3(4.0f, 0.0f, 0.0f), 5, 5);
    add_sheet(&s, cn_v3(-2.0f, 0.0f, 2.0f), cn_v3(0.0f, 0.0f, -4.0f), cn_v3(0.0f, 3.0f, 0.0f), 5, 7);
    finish_surface(&s);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.3f, 0.3f } };
    rng r = { 26 };
    for (int i = 0; i < 3000; i++) {
        float down = rng_range(&r, -0.005f, 0.06f), in = rng_range(&r, -0.005f, 0.06f);
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        bool deep = i % 3 == 0;
        down = deep ? 0.35f : down;
        cn_vec3 at = cn_v3(-1.6f - in, 0.3f - down, rng_range(&r, -1.0f, 1.0f));
        assert_int_equal(collide(&s, &box, at, straight, 0.01f, m), 2);
        for (int k = 0; k < 2; k++) {
            bool floor = m[k].manifold.normal.y > 0.5f;
            assert_true(floor ? m[k].manifold.normal.y == 1.0f : m[k].manifold.normal.x == 1.0f);
            assert_true(fabsf(deepest_of(&m[k].manifold) + (floor ? down : in)) < 1e-5f);
        }
    }
    free_surface(&s);
}

// --- joining -----------------------------------------------------------------------------------------------------------------

// Whatever the size of the box against that of the triangles, there is one manifold, and its points are at the corners of the
// box.
static void box_on_a_grid_has_four_points(void **state)
{
    (void)state;
    static surface s;
    rng r = { 31 };
    for (int cells = 1; cells <= MAX_CELLS; cells = 2 * cells + 1) {
        make_surface(&s, cells, 4.0f / (float)cells, 0.0f, 0.2f);
        for (int i = 0; i < 200; i++) {
            cn_convex box = { .type = CN_BOX,
                              .half_extents = cn_v3(rng_range(&r, 0.02f, 1.2f), 0.2f, rng_range(&r, 0.02f, 1.2f)) };
            cn_quat turn = cn_quat_axis_angle(up, rng_range(&r, -3.0f, 3.0f));
            cn_vec3 at = cn_v3(rng_range(&r, -0.2f, 0.2f), 0.199f, rng_range(&r, -0.2f, 0.2f));
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            assert_int_equal(collide(&s, &box, at, turn, 0.01f, m), 1);
            assert_int_equal(m[0].manifold.count, 4);
            int found = 0;
            for (int k = 0; k < 4; k++) {
                cn_vec3 p = cn_unrotate(turn, cn_sub(m[0].manifold.points[k].position, at)), h = box.half_extents;
                assert_true(fabsf(m[0].manifold.points[k].separation + 0.001f) < 1e-5f);
                assert_true(fabsf(fabsf(p.x) - h.x) < 0.04f * (h.x + h.z) && fabsf(fabsf(p.z) - h.z) < 0.04f * (h.x + h.z));
                found |= 1 << ((p.x > 0.0f) + 2 * (p.z > 0.0f));
            }
            assert_int_equal(found, 15);
            // Nothing moves, nothing is renamed; a little motion renames nothing either.
            cn_part_manifold again[CN_MAX_MANIFOLDS];
            assert_int_equal(collide(&s, &box, cn_add(at, cn_v3(0.0f, 1e-5f, 0.0f)), turn, 0.01f, again), 1);
            for (int k = 0; k < 4; k++)
                assert_int_equal(m[0].manifold.points[k].feature, again[0].manifold.points[k].feature);
        }
        free_surface(&s);
    }
}

static void a_thousand_triangles_are_none_too_many(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, MAX_CELLS, 0.1f, 0.0f, 0.2f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 1.2f, 0.4f, 1.2f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    assert_int_equal(collide(&s, &box, cn_v3(0.03f, 0.39f, 0.01f), straight, 0.01f, m), 1);
    assert_int_equal(m[0].manifold.count, 4);
    free_surface(&s);
    // A ball of many faces in a bowl that fits it touches in more directions than there are manifolds; none of the depth is
    // lost.
    make_surface(&s, MAX_CELLS, 0.08f, 0.2f, 0.0f);
    cn_vec3 points[200];
    rng r = { 32 };
    for (int i = 0; i < 200; i++)
        points[i] = cn_scale(2.2f, rng_unit(&r));
    cn_convex ball = { .type = CN_HULL, .hull = cn_polyhedron_build(&cn_default_allocator, points, 200) };
    int count = collide(&s, &ball, cn_v3(0.0f, 2.13f, 0.0f), straight, 0.05f, m);
    assert_int_equal(count, CN_MAX_MANIFOLDS);
    float deepest = INFINITY, truth = INFINITY;
    for (int i = 0; i < count; i++) {
        assert_in_range(m[i].manifold.count, 1, 4);
        deepest = cn_minf(deepest, deepest_of(&m[i].manifold));
    }
    for (int i = 0; i < ball.hull->vertex_count; i++) {
        // how far each corner is under the bowl
        cn_vec3 v = cn_add(ball.hull->vertices[i], cn_v3(0.0f, 2.13f, 0.0f));
        truth = cn_minf(truth, v.y - 0.2f * (v.x * v.x + v.z * v.z));
    }
    printf("  deepest %.4f, corners under the bowl by up to %.4f (straight down)\n", (double)deepest, (double)truth);
    assert_true(deepest < 0.0f && fabsf(deepest - truth) < 0.2f * fabsf(truth));
    cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)(uintptr_t)ball.hull);
    free_surface(&s);
}

static void materials_stay_apart(void **state)
{
    (void)state;
    const cn_vec3 vertices[] = { { -1, 0, -1 }, { -1, 0, 1 }, { 1, 0, 1 }, { 1, 0, -1 } };
    const int indices[] = { 0, 1, 2, 0, 2, 3 };
    const uint16_t materials[] = { 3, 5 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = 4;
    def.indices = indices;
    def.triangle_count = 2;
    def.materials = materials;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite floor = { .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = mesh };
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    float gap;
    cn_pose pose = { { 0.0f, 0.199f, 0.0f }, straight };
    assert_int_equal(cn_collide_parts(&floor, &box, pose, 0.01f, m, &gap), 2);
    assert_int_equal(m[0].material + m[1].material, 8);
    for (int i = 0; i < 2; i++)
        assert_in_range(m[i].manifold.count, 3, 4);
    cn_mesh_destroy(mesh);
}

// A ball on a coarse dome with smooth normals feels those of the round surface wherever it touches a face.
static void smooth_normals_are_round(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, -0.1f, 0.0f);
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = s.vertices;
    def.vertex_count = s.vertex_count;
    def.indices = s.indices;
    def.triangle_count = s.triangle_count;
    def.smooth = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    assert_non_null(mesh);
    cn_composite round = { .type = CN_MESH, .scale = { 1.0f, 1.0f, 1.0f }, .mesh = mesh };
    cn_convex ball = { .type = CN_SPHERE, .radius = 0.3f };
    rng r = { 33 };
    float faceted = 0.0f, smooth = 0.0f;
    for (int i = 0; i < 2000; i++) {
        cn_part part;
        cn_composite_part(&round, (int)(rng_next(&r) % (uint32_t)s.triangle_count), &part);
        const cn_vec3 *v = part.triangle.vertices;
        float a = rng_range(&r, 0.1f, 0.4f), b = rng_range(&r, 0.1f, 0.4f);
        cn_vec3 on_face = cn_add(cn_add(cn_scale(a, v[0]), cn_scale(b, v[1])), cn_scale(1.0f - a - b, v[2]));
        cn_vec3 at = cn_madd(on_face, 0.29f, part.triangle.normal);
        cn_vec3 truth = cn_normalize(cn_v3(0.2f * on_face.x, 1.0f, 0.2f * on_face.z));
        if (cn_absf(on_face.x) > 1.5f || cn_absf(on_face.z) > 1.5f) // at the border the vertices know only one side
            continue;
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        float gap;
        assert_int_equal(cn_collide_parts(&round, &ball, (cn_pose){ at, straight }, 0.0f, m, &gap), 1);
        smooth = cn_maxf(smooth, cn_distance(m[0].manifold.normal, truth));
        faceted = cn_maxf(faceted, cn_distance(part.triangle.normal, truth));
        assert_true(fabsf(deepest_of(&m[0].manifold) + 0.01f) < 1e-6f);
    }
    printf("  at most %.4f rad off the round surface; the faces are up to %.4f off\n", (double)smooth, (double)faceted);
    assert_true(smooth < 0.005f && faceted > 0.04f);
    cn_mesh_destroy(mesh);
    free_surface(&s);
}

// --- compounds ---------------------------------------------------------------------------------------------------------------

static cn_compound *make_row(cn_vec3 half, int count)
{
    cn_compound_part parts[16] = { 0 };
    for (int i = 0; i < count; i++)
        parts[i] = (cn_compound_part){ .geometry = cn_box(half.x, half.y, half.z),
                                       .offset = { cn_v3(2.0f * half.x * (float)i, -half.y, 0.0f), straight } };
    return cn_compound_create(parts, count, NULL);
}

// A row of boxes side by side is a floor without seams, for everything that slides over it.
static void row_of_solids_has_no_seams(void **state)
{
    (void)state;
    cn_compound *row = make_row(cn_v3(0.5f, 0.5f, 3.0f), 8);
    cn_composite a = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = row };
    rng r = { 41 };
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int tilted = 0, missing = 0, several = 0;
        for (int i = 0; i < 10000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.02f * inner;
            cn_pose pose = { cn_v3(rng_range(&r, 1.0f, 6.0f), 0.0f, rng_range(&r, -1.0f, 1.0f)), random_rest(&r, &b) };
            lower_to(&b, &pose, rng_range(&r, -0.1f * inner, 0.5f * margin));
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&a, &b, pose, margin, m, &gap);
            missing += count == 0;
            several += count > 1;
            for (int k = 0; k < count; k++)
                tilted += m[k].manifold.normal.y < 0.999f;
        }
        printf("  %-8s missing %d, several %d, tilted %d\n", type_names[type], missing, several, tilted);
        assert_int_equal(missing + tilted, 0);
    }
    cn_compound_destroy(row);
}

// A step in the row is a real wall, and a plank whose foot stands in the corner of floor and kerb touches both.
static void steps_and_kerbs_stay(void **state)
{
    (void)state;
    cn_compound_part parts[2] = { { .geometry = cn_box(2.0f, 0.5f, 2.0f), .offset = { { 0.0f, -0.5f, 0.0f }, straight } },
                                  { .geometry = cn_box(0.5f, 0.2f, 2.0f), .offset = { { 1.5f, 0.2f, 0.0f }, straight } } };
    cn_compound *step = cn_compound_create(parts, 2, NULL);
    cn_composite a = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = step };
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.3f, 0.3f, 0.3f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    float gap;
    for (int i = 0; i < 20; i++) {
        float depth = 0.002f * (float)i;
        cn_pose pose = { { 0.7f + depth, 0.3f - 0.5f * depth, 0.0f }, straight };
        assert_int_equal(cn_collide_parts(&a, &box, pose, 0.01f, m, &gap), 2);
    }
    cn_convex plank = { .type = CN_BOX, .half_extents = { 0.05f, 1.0f, 0.3f } };
    cn_quat lean = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), 0.4f);
    // Its lowest edge is at local x = 0.05 or -0.05 and y = -1; put that into the corner at x = 1, y = 0.
    cn_vec3 foot = cn_rotate(lean, cn_v3(0.05f, -1.0f, 0.0f)), other = cn_rotate(lean, cn_v3(-0.05f, -1.0f, 0.0f));
    cn_pose pose = { cn_sub(cn_v3(1.001f, cn_minf(0.0f, foot.y - other.y) - 0.002f, 0.0f), foot), lean };
    int count = cn_collide_parts(&a, &plank, pose, 0.01f, m, &gap);
    bool floor = false, kerb = false;
    for (int k = 0; k < count; k++) {
        floor = floor || m[k].manifold.normal.y > 0.9f;
        kerb = kerb || m[k].manifold.normal.x < -0.9f;
    }
    assert_true(floor && kerb);
    cn_compound_destroy(step);
}

// --- the rest ----------------------------------------------------------------------------------------------------------------

static void gap_is_no_more_than_the_distance(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, -0.1f, 0.0f);
    rng r = { 51 };
    int wide = 0;
    for (int i = 0; i < 3000; i++) {
        cn_convex b = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 0.5f, &hulls);
        cn_pose pose = { cn_v3(rng_range(&r, -2.5f, 2.5f), rng_range(&r, 0.0f, 1.5f), rng_range(&r, -2.5f, 2.5f)),
                         rng_quat(&r) };
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        float gap, margin = 0.01f;
        if (cn_collide_parts(&s.composite, &b, pose, margin, m, &gap) > 0)
            continue;
        assert_true(gap >= margin && gap <= cn_maxf(margin, distance_to(&s, &b, pose) + 1e-5f));
        wide += gap > 1.5f * margin;
    }
    assert_true(wide > 1000);
    free_surface(&s);
}

// A floor of two triangles of a kilometre shakes nothing.
static void large_triangles_are_exact(void **state)
{
    (void)state;
    static surface s;
    rng r = { 52 };
    make_surface(&s, 1, 1000.0f, 0.0f, 0.0f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.1f, 0.1f, 0.1f } };
    for (int i = 0; i < 2000; i++) {
        cn_vec3 at = cn_v3(rng_range(&r, -400.0f, 400.0f), 0.0995f, rng_range(&r, -400.0f, 400.0f));
        cn_part_manifold m[CN_MAX_MANIFOLDS];
        assert_int_equal(collide(&s, &box, at, cn_quat_axis_angle(up, rng_range(&r, -3.0f, 3.0f)), 0.005f, m), 1);
        assert_int_equal(m[0].manifold.count, 4);
        for (int k = 0; k < 4; k++)
            assert_true(fabsf(m[0].manifold.points[k].separation + 0.0005f) < 1e-6f);
    }
    free_surface(&s);
}

static void bad_poses_touch_nothing(void **state)
{
    (void)state;
    static surface s;
    make_table(&s);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.1f, 0.1f, 0.1f } };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    assert_int_equal(collide(&s, &box, cn_v3(NAN, 0.0f, 0.0f), straight, 0.01f, m), 0);
    assert_int_equal(collide(&s, &box, cn_v3(0.0f, INFINITY, 0.0f), straight, 0.01f, m), 0);
    assert_int_equal(collide(&s, &box, cn_v3(0.0f, 0.0f, 0.0f), (cn_quat){ NAN, 0.0f, 0.0f, 1.0f }, 0.01f, m), 0);
    free_surface(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_grid_is_one_plane),
        cmocka_unit_test(bowl_has_the_normals_of_its_faces),
        cmocka_unit_test(dome_is_felt_as_a_solid),
        cmocka_unit_test(slab_pushes_up),
        cmocka_unit_test(sheet_pushes_to_both_sides),
        cmocka_unit_test(edge_of_a_table_is_real),
        cmocka_unit_test(groove_pushes_from_both_walls),
        cmocka_unit_test(ridge_carries_a_box),
        cmocka_unit_test(corner_of_a_room),
        cmocka_unit_test(box_on_a_grid_has_four_points),
        cmocka_unit_test(a_thousand_triangles_are_none_too_many),
        cmocka_unit_test(materials_stay_apart),
        cmocka_unit_test(smooth_normals_are_round),
        cmocka_unit_test(row_of_solids_has_no_seams),
        cmocka_unit_test(steps_and_kerbs_stay),
        cmocka_unit_test(gap_is_no_more_than_the_distance),
        cmocka_unit_test(large_triangles_are_exact),
        cmocka_unit_test(bad_poses_touch_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
