// Convex solids against meshes: what slides over a surface feels the surface only, from its right side.
#include "part_surfaces.h"

#include "collide/collide_triangle.h"
#include "collide/triangle_cull.h"

#include <string.h>

// --- sliding -----------------------------------------------------------------------------------------------------------------

static bool is_tilted(cn_vec3 normal)
{
    const float rounding = 2e-7f;
    return cn_absf(normal.x) > rounding || normal.y != 1.0f || cn_absf(normal.z) > rounding;
}

static void slide_over_grid(const surface *s, rng usual, rng tapers)
{
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        rng *r = type == CN_TAPERED_CAPSULE ? &tapers : &usual;
        int missing = 0, several = 0, tilted = 0;
        double worst = 0.0;
        for (int i = 0; i < 10000; i++) {
            cn_convex b = random_shape(r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            float height = rng_range(r, -0.3f * inner, 0.9f * margin);
            cn_quat rest = random_rest(r, &b);
            cn_pose pose = { rng_over(r, 3.0f, 0.0f, 3.0f), rest };
            lower_to(&b, &pose, height);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&s->composite, &b, pose, cn_look_within(margin), m, &gap);
            missing += count < 1;
            several += count > 1;
            for (int k = 0; k < count; k++)
                tilted += is_tilted(m[k].manifold.normal);
            if (count > 0)
                worst = fmax(worst, fabs((double)((deepest_of(&m[0].manifold) - height) / inner)));
        }
        printf("  %-8s missing %d, several %d, tilted %d, depth off by at most %.1e inner radii\n", type_names[type], missing,
               several, tilted, worst);
        assert_int_equal(missing + several + tilted, 0);
        assert_true(worst < 1e-3);
    }
}

// Also for hulls whose lowest corner has sunk in under a triangle that they do not meet.
static void flat_grid_is_one_plane(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 20, 0.5f, 0.0f, 0.3f);
    for (uint32_t k = 0; k < 6; k++)
        slide_over_grid(&s, stream(11 + 1000003u * k), stream(12 + 1000003u * k));
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
    float skin = (float)skin_of(b);
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
    rng r = stream(12);
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, invented = 0, touching = 0;
        double above = 0.0, deeper = 0.0, longer = 0.0, tilt = 0.0;
        for (int i = 0; i < 1000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.6f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            cn_quat rest = random_rest(&r, &b);
            cn_pose pose = { rng_over(&r, 2.0f, 0.0f, 2.0f), rest };
            lower_to(&b, &pose, 0.0f);
            // Down to where it touches, and a little farther.
            for (int k = 0; k < 6; k++)
                pose.position.y -= separation_of(&solid, &b, pose);
            pose.position.y += rng_range(&r, -0.2f * inner, margin);
            float truth = separation_of(&solid, &b, pose);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap;
            int count = cn_collide_parts(&s.composite, &b, pose, cn_look_within(margin), m, &gap);
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
        assert_true(above < 0.01 && deeper < 1e-5 && longer < 0.02 && tilt < 29.0);
    }
    cn_polyhedron_free(&cn_default_allocator, hull);
    free_surface(&s);
}

// In a bowl all edges are concave, so there are no normals but those of its triangles.
static void bowl_has_the_normals_of_its_faces(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 8, 0.5f, 0.08f, 0.0f);
    rng r = stream(13);
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        int missing = 0, strange = 0, most = 0;
        double off = 0.0;
        for (int i = 0; i < 500; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.4f, &hulls);
            float inner = cn_convex_inner_radius(&b), margin = 0.05f * inner;
            cn_quat rest = random_rest(&r, &b);
            cn_pose pose = { rng_over(&r, 0.6f, 0.0f, 0.6f), rest };
            lower_to(&b, &pose, 0.4f);
            for (int k = 0; k < 4; k++)
                pose.position.y -= cn_maxf(0.0f, distance_to(&s, &b, pose) - 0.5f * margin);
            float truth = distance_to(&s, &b, pose);
            bool apart = i % 2 == 0 && truth > 0.0f;
            if (!apart)
                pose.position.y -= rng_range(&r, 0.0f, 0.2f * inner);
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            float gap, least = INFINITY;
            int count = cn_collide_parts(&s.composite, &b, pose, cn_look_within(margin), m, &gap);
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
    rng r = stream(21);
    for (int i = 0; i < 4000; i++) {
        float depth = rng_range(&r, -0.005f, 0.08f);
        cn_vec3 at = rng_over(&r, 2.6f, 0.7f - depth, 2.4f);
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
    rng r = stream(22);
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++)
        for (int i = 0; i < 1000; i++) {
            cn_convex b = random_shape(&r, (cn_shape_type)type, 0.5f, &hulls);
            float inner = cn_convex_inner_radius(&b), side = i % 2 ? 1.0f : -1.0f;
            if (type == CN_HULL) // their lowest part may lie beside the sheet
                b.hull = hulls.hull[1][1];
            cn_pose pose = { rng_over(&r, 0.9f, 0.0f, 0.9f), straight };
            lower_to(&b, &pose, rng_range(&r, -0.3f, 0.01f) * inner);
            pose.position.y *= side;
            if (type == CN_TAPERED_CAPSULE && side < 0.0f) // the other end up
                pose.rotation = (cn_quat){ 1.0f, 0.0f, 0.0f, 0.0f };
            cn_part_manifold m[CN_MAX_MANIFOLDS];
            int count = collide(&s, &b, pose.position, pose.rotation, 0.02f * inner, m);
            assert_int_equal(count, 1);
            assert_true(m[0].manifold.normal.y * side > 0.99999f);
        }
    free_surface(&s);
}

static void edge_of_a_table_is_real(void **state)
{
    (void)state;
    static surface s;
    make_table(&s);
    rng r = stream(23);
    cn_convex ball = { .type = CN_SPHERE, .radius = 0.3f };
    cn_part_manifold m[CN_MAX_MANIFOLDS];
    // A ball beyond an edge or one of the four corners is pushed straight away from the nearest point of the table.
    for (int i = 0; i < 10000; i++) {
        float height = rng_range(&r, 0.01f, 0.31f);
        cn_vec3 at = rng_over(&r, 1.3f, height, 1.3f);
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
    rng r = stream(24);
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
    rng r = stream(25);
    for (int i = 0; i < 3000; i++) {
        float lean = rng_range(&r, -0.7f, 0.7f), depth = rng_range(&r, -0.005f, 0.02f);
        cn_quat tilt = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), lean);
        cn_vec3 normal = cn_rotate(tilt, up), along = cn_rotate(tilt, cn_v3(1.0f, 0.0f, 0.0f));
        float aside = rng_range(&r, -1.0f, 1.0f), ahead = rng_range(&r, -0.2f, 0.2f);
        cn_vec3 at = cn_madd(cn_madd(cn_v3(0.0f, 0.0f, aside), 0.2f - depth, normal), ahead, along);
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
    rng r = stream(26);
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

// --- looking ahead -----------------------------------------------------------------------------------------------------------

static int count_near(const surface *s, const cn_convex *b, cn_pose pose, cn_scope scope, float *margin)
{
    int32_t numbers[2 * MAX_CELLS * MAX_CELLS];
    for (int i = 0; i < s->triangle_count; i++)
        numbers[i] = i;
    uint64_t aside;
    return cn_cull_triangles(&s->composite, b, pose, &scope, numbers, s->triangle_count, margin, &aside);
}

// What slides over a hill is looked at nearly as little ahead as what rests there, what falls on it as far as it falls; at a
// border, where the surface may push anywhere, everything is.
static void only_what_comes_closer_is_looked_at(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 20, 0.5f, -0.01f, 0.0f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    cn_pose pose = { { 0.1f, 0.2f, 0.1f }, straight };
    cn_scope slide = { .most = 1.0f, .least = 0.01f, .whip = 2.5f, .motion = { 0.4f, 0.0f, 0.0f } }, fall = slide;
    fall.motion = cn_v3(0.0f, -0.3f, 0.0f);
    int inner[2 * MAX_CELLS * MAX_CELLS], inner_count = 0;
    for (int t = 0; t < s.triangle_count; t++) {
        cn_f4 corners[1][3];
        if (!cn_composite_corners(&s.composite, &t, 1, corners))
            inner[inner_count++] = t;
    }
    assert_true(inner_count < s.triangle_count);
    int32_t copy[2 * MAX_CELLS * MAX_CELLS];
    float margin;
    uint64_t aside;
    memcpy(copy, inner, sizeof copy);
    int slid = cn_cull_triangles(&s.composite, &box, pose, &slide, copy, inner_count, &margin, &aside);
    assert_true(margin < 0.15f); // 0.4 m towards slopes of up to 0.09 rad, 2.5 times that
    cn_scope rest = cn_look_within(0.15f);
    assert_true(slid <= count_near(&s, &box, pose, rest, &margin));
    memcpy(copy, inner, sizeof copy);
    int fell = cn_cull_triangles(&s.composite, &box, pose, &fall, copy, inner_count, &margin, &aside);
    assert_true(margin > 0.74f && margin <= 1.0f && fell > slid);
    count_near(&s, &box, pose, slide, &margin);
    assert_true(margin == slide.most);
    free_surface(&s);
}

// Triangles that a box or hull is said to be beside of have no contact with it, and most of those without contact are said to
// be.
static void nothing_touches_what_it_is_beside_of(void **state)
{
    (void)state;
    static surface s;
    make_surface(&s, 20, 0.5f, -0.01f, 0.0f);
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.4f, 0.2f, 0.3f } };
    rng r = stream(27);
    int beside = 0, bare = 0;
    for (int k = 0; k < 500; k++) {
        float x = rng_range(&r, -1.5f, 1.5f);
        float z = rng_range(&r, -1.5f, 1.5f);
        float y = rng_range(&r, 0.1f, 0.3f);
        cn_quat yaw = cn_quat_axis_angle(cn_v3(0.0f, 1.0f, 0.0f), rng_range(&r, 0.0f, 6.0f));
        cn_quat lean = cn_quat_axis_angle(cn_v3(1.0f, 0.0f, 0.0f), rng_range(&r, -0.5f, 0.5f));
        cn_pose pose = { { x, y, z }, cn_quat_mul(lean, yaw) };
        cn_scope scope = cn_look_within(0.1f);
        int32_t numbers[2 * MAX_CELLS * MAX_CELLS];
        int count = 0;
        for (int t = 0; t < s.triangle_count; t++) {
            cn_f4 corners[1][3];
            if (!cn_composite_corners(&s.composite, &t, 1, corners))
                numbers[count++] = t;
        }
        float margin;
        uint64_t aside;
        count = cn_cull_triangles(&s.composite, &box, pose, &scope, numbers, count, &margin, &aside);
        cn_part parts[64];
        assert_true(count <= 64);
        for (int i = 0; i < count; i++)
            cn_composite_part(&s.composite, numbers[i], &parts[i]);
        cn_triangle_query query = cn_triangle_query_make(&box, pose, margin, parts, count);
        for (int i = 0; i < count; i++) {
            static cn_cluster contact;
            cn_collide_triangle(&query, &parts[i].triangle, &contact);
            bool is_beside = (aside >> i & 1) != 0;
            assert_true(!is_beside || contact.count == 0);
            beside += is_beside;
            bare += contact.count == 0;
        }
    }
    assert_true(beside > bare / 4);
    free_surface(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_grid_is_one_plane),
        cmocka_unit_test(dome_is_felt_as_a_solid),
        cmocka_unit_test(bowl_has_the_normals_of_its_faces),
        cmocka_unit_test(slab_pushes_up),
        cmocka_unit_test(sheet_pushes_to_both_sides),
        cmocka_unit_test(edge_of_a_table_is_real),
        cmocka_unit_test(groove_pushes_from_both_walls),
        cmocka_unit_test(ridge_carries_a_box),
        cmocka_unit_test(corner_of_a_room),
        cmocka_unit_test(only_what_comes_closer_is_looked_at),
        cmocka_unit_test(nothing_touches_what_it_is_beside_of),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
