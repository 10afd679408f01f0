// The separating axis tests against brute force in double precision.
#include "collide/sat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d d3(cn_vec3 v) { return (vec3d){ (double)v.x, (double)v.y, (double)v.z }; }
static vec3d subd(vec3d a, vec3d b) { return (vec3d){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static vec3d scaled(double s, vec3d a) { return (vec3d){ s * a.x, s * a.y, s * a.z }; }
static double dotd(vec3d a, vec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec3d crossd(vec3d a, vec3d b) { return (vec3d){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }

// --- random shapes -----------------------------------------------------------------------------------------------------------

static uint32_t random_state = 1;
static float uniform(float low, float high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

// One number per statement: the order in which arguments are evaluated differs between compilers.
static cn_vec3 random_vector(float low, float high)
{
    float x = uniform(low, high), y = uniform(low, high), z = uniform(low, high);
    return cn_v3(x, y, z);
}

static cn_vec3 random_direction(void)
{
    for (;;) {
        cn_vec3 v = random_vector(-1.0f, 1.0f);
        float length_sq = cn_length_sq(v);
        if (length_sq > 0.01f && length_sq < 1.0f)
            return cn_normalize(v);
    }
}

static cn_quat random_rotation(void)
{
    cn_vec3 axis = random_direction();
    return cn_quat_axis_angle(axis, uniform(0.0f, 3.14f));
}

static cn_convex make_box(float x, float y, float z) { return (cn_convex){ .type = CN_BOX, .half_extents = cn_v3(x, y, z) }; }
static cn_convex random_box(void) { return (cn_convex){ .type = CN_BOX, .half_extents = random_vector(0.3f, 1.0f) }; }

static cn_convex make_hull(const cn_vec3 *points, int count)
{
    cn_polyhedron *hull = cn_polyhedron_build(&cn_default_allocator, points, count);
    assert_non_null(hull);
    return (cn_convex){ .type = CN_HULL, .hull = hull };
}

static cn_convex random_hull(int count)
{
    cn_vec3 points[64], size = random_vector(0.4f, 1.0f);
    for (int i = 0; i < count; i++)
        points[i] = cn_mul(size, random_direction());
    return make_hull(points, count);
}

static cn_convex box_hull(cn_vec3 h)
{
    cn_vec3 points[8];
    for (int k = 0; k < 8; k++)
        points[k] = cn_v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
    return make_hull(points, 8);
}

static void free_shape(cn_convex *shape)
{
    if (shape->type == CN_HULL)
        cn_polyhedron_free(&cn_default_allocator, (cn_polyhedron *)(uintptr_t)shape->hull);
}

static cn_pose random_pose(float distance)
{
    cn_vec3 direction = random_direction();
    cn_vec3 position = cn_scale(uniform(0.0f, distance), direction);
    return (cn_pose){ position, random_rotation() };
}

static void collide(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                    cn_manifold *out)
{
    if (a->type == CN_BOX && b->type == CN_BOX)
        cn_collide_boxes(a, b, b_in_a, margin, cache, out);
    else
        cn_collide_polyhedra(a, b, b_in_a, margin, cache, out);
}

// --- brute force -------------------------------------------------------------------------------------------------------------

enum { MAX_VERTICES = 64, MAX_NORMALS = 128, MAX_EDGES = 192 };

// Everything there is to know of a solid, in double and in the frame of a.
typedef struct solid {
    int vertex_count, normal_count, edge_count;
    vec3d vertices[MAX_VERTICES], normals[MAX_NORMALS], edges[MAX_EDGES];
    double size, inner_radius;
} solid;

static vec3d place(cn_pose pose, vec3d v, bool is_point)
{
    vec3d u = { (double)pose.rotation.x, (double)pose.rotation.y, (double)pose.rotation.z };
    double w = (double)pose.rotation.w, norm = dotd(u, u) + w * w;
    vec3d t = scaled(2.0 / norm, crossd(u, v)), c = crossd(u, t), p = is_point ? d3(pose.position) : (vec3d){ 0 };
    return (vec3d){ p.x + v.x + w * t.x + c.x, p.y + v.y + w * t.y + c.y, p.z + v.z + w * t.z + c.z };
}

static void describe(const cn_convex *shape, cn_pose pose, solid *s)
{
    memset(s, 0, sizeof *s);
    if (shape->type == CN_BOX) {
        cn_vec3 h = shape->half_extents;
        for (int k = 0; k < 8; k++)
            s->vertices[s->vertex_count++] =
                place(pose, d3(cn_v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z)), true);
        for (int i = 0; i < 3; i++) {
            vec3d axis = place(pose, (vec3d){ i == 0, i == 1, i == 2 }, false);
            s->normals[s->normal_count++] = axis;
            s->normals[s->normal_count++] = scaled(-1.0, axis);
            s->edges[s->edge_count++] = axis;
        }
        s->size = (double)cn_length(h);
        s->inner_radius = (double)cn_minf(h.x, cn_minf(h.y, h.z));
        return;
    }
    const cn_polyhedron *p = shape->hull;
    for (int i = 0; i < p->vertex_count; i++) {
        s->vertices[s->vertex_count++] = place(pose, d3(p->vertices[i]), true);
        s->size = fmax(s->size, (double)cn_length(p->vertices[i]));
    }
    for (int i = 0; i < p->edge_count; i += 2)
        s->edges[s->edge_count++] =
            place(pose, subd(d3(p->vertices[p->edges[i + 1].origin]), d3(p->vertices[p->edges[i].origin])), false);
    for (int i = 0; i < p->face_count; i++) // again from the vertices, in double
    {
        const cn_half_edge *e = &p->edges[p->face_edges[i]];
        vec3d v0 = d3(p->vertices[e->origin]), v1 = d3(p->vertices[p->edges[e->next].origin]);
        vec3d v2 = d3(p->vertices[p->edges[p->edges[e->next].next].origin]);
        vec3d n = crossd(subd(v1, v0), subd(v2, v0));
        s->normals[s->normal_count++] = place(pose, scaled(1.0 / sqrt(dotd(n, n)), n), false);
    }
    s->inner_radius = (double)p->inner_radius;
}

static double separation_along(const solid *a, const solid *b, vec3d n)
{
    double low = 1e300, high = -1e300;
    for (int i = 0; i < a->vertex_count; i++)
        high = fmax(high, dotd(n, a->vertices[i]));
    for (int i = 0; i < b->vertex_count; i++)
        low = fmin(low, dotd(n, b->vertices[i]));
    return low - high;
}

typedef struct truth {
    double faces, all;
} truth; // the largest separation over the face normals, and over all axes

static truth brute_force(const solid *a, const solid *b)
{
    truth t = { -1e300, -1e300 };
    for (int i = 0; i < a->normal_count; i++)
        t.faces = fmax(t.faces, separation_along(a, b, a->normals[i]));
    for (int i = 0; i < b->normal_count; i++)
        t.faces = fmax(t.faces, separation_along(a, b, scaled(-1.0, b->normals[i])));
    t.all = t.faces;
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++) {
            vec3d n = crossd(a->edges[i], b->edges[j]);
            double length_sq = dotd(n, n);
            if (length_sq < 1.1e-5 * dotd(a->edges[i], a->edges[i]) * dotd(b->edges[j], b->edges[j]))
                continue;
            n = scaled(1.0 / sqrt(length_sq), n);
            t.all = fmax(t.all, fmax(separation_along(a, b, n), separation_along(a, b, scaled(-1.0, n))));
        }
    return t;
}

static double height_over_faces(const solid *s, vec3d p)
{
    double highest = -1e300;
    for (int i = 0; i < s->normal_count; i++) {
        double top = -1e300;
        for (int k = 0; k < s->vertex_count; k++)
            top = fmax(top, dotd(s->normals[i], s->vertices[k]));
        highest = fmax(highest, dotd(s->normals[i], p) - top);
    }
    return highest;
}

// --- checks on one pair ------------------------------------------------------------------------------------------------------

typedef struct statistics {
    int pairs, overlaps, points[CN_MAX_POINTS + 1], edges, kept_ids, id_trials;
} statistics;

static float lowest_separation(const cn_manifold *m)
{
    float lowest = INFINITY;
    for (int i = 0; i < m->count; i++)
        lowest = cn_minf(lowest, m->points[i].separation);
    return lowest;
}

static bool same_features(const cn_manifold *m, const cn_manifold *n)
{
    bool same = m->count == n->count;
    for (int i = 0; i < m->count && same; i++) {
        bool found = false;
        for (int k = 0; k < n->count; k++)
            found = found || m->points[i].feature == n->points[k].feature;
        same = found;
    }
    return same;
}

static void check_points(const cn_manifold *m, const solid *a, const solid *b, float margin)
{
    double size = fmax(a->size, b->size);
    assert_float_equal(cn_length(m->normal), 1.0f, 1e-5f);
    for (int i = 0; i < m->count; i++) {
        const cn_manifold_point *p = &m->points[i];
        assert_true(p->separation <= margin + 1e-6f);
        // Half the separation from both surfaces, but for the slop of clipping and the preference of faces to edges.
        double outside = 0.5 * fabs((double)p->separation) + 0.005 * size;
        assert_true(height_over_faces(a, d3(p->position)) <= outside);
        assert_true(height_over_faces(b, d3(p->position)) <= outside);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(p->feature, m->points[k].feature);
    }
}

static void check_pair(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, statistics *stats)
{
    solid sa, sb;
    describe(a, (cn_pose)CN_POSE_IDENTITY, &sa);
    describe(b, b_in_a, &sb);
    truth t = brute_force(&sa, &sb);
    double tolerance = (double)CN_SAT_TOLERANCE * fmin(sa.inner_radius, sb.inner_radius), rounding = 1e-5;
    cn_pair_cache cache = { 0 }, swapped_cache = { 0 };
    cn_manifold m, again, swapped;
    collide(a, b, b_in_a, margin, &cache, &m);
    stats->pairs++;
    stats->overlaps += t.all < 0.0;
    stats->points[m.count]++;

    if (t.all < -rounding)
        assert_true(m.count > 0);
    if (t.all > (double)margin + rounding)
        assert_int_equal(m.count, 0);
    if (m.count == 0)
        return;

    // The axis found is the best one, up to the preference for faces. Between two corners there may be a better one.
    double found = separation_along(&sa, &sb, d3(m.normal));
    assert_true(found <= t.all + rounding || (t.all > 0.0 && m.count == 1));
    assert_true(found >= t.all - tolerance - rounding);
    // Points reach as deep as the axis says where that axis is the best, and never deeper.
    assert_true((double)lowest_separation(&m) >= found - rounding);
    if (t.all < 0.0 && found > t.all - 1e-6)
        assert_float_equal(lowest_separation(&m), (float)found, 1e-4f);
    check_points(&m, &sa, &sb, margin);
    stats->edges += t.all > t.faces + 1.01 * tolerance;
    // Where edges cross, what of the faces beside them is within the margin shows too.
    if (t.all > t.faces + 1.01 * tolerance)
        assert_true(m.count >= 1);

    // Swapping the shapes finds the same depth.
    collide(b, a, cn_pose_inverse(b_in_a), margin, &swapped_cache, &swapped);
    if (t.all < 0.0)
        assert_true(swapped.count > 0);
    if (swapped.count > 0) {
        double other = separation_along(&sa, &sb, d3(cn_neg(cn_rotate(b_in_a.rotation, swapped.normal))));
        assert_true(fabs(other - found) <= tolerance + 2.0 * rounding);
    }

    // With the cache of the first call nothing changes, and a small motion keeps the ids.
    cn_pair_cache kept = cache;
    collide(a, b, b_in_a, margin, &kept, &again);
    assert_true(same_features(&m, &again));
    cn_pose moved = b_in_a;
    moved.position = cn_madd(moved.position, 1e-4f, random_direction());
    collide(a, b, moved, margin, &kept, &again);
    stats->id_trials++;
    stats->kept_ids += same_features(&m, &again);
}

// --- tests -------------------------------------------------------------------------------------------------------------------

static void print_statistics(const char *what, const statistics *s)
{
    print_message("%s: %d pairs, %d overlap, %d by edges; points 0:%d 1:%d 2:%d 3:%d 4:%d; ids kept %d of %d\n", what, s->pairs,
                  s->overlaps, s->edges, s->points[0], s->points[1], s->points[2], s->points[3], s->points[4], s->kept_ids,
                  s->id_trials);
    assert_true(s->overlaps > s->pairs / 10);
    assert_true(s->kept_ids * 100 >= 97 * s->id_trials);
}

static void random_boxes(void **state)
{
    (void)state;
    statistics stats = { 0 };
    random_state = 11;
    for (int i = 0; i < 20000; i++) {
        cn_convex a = random_box(), b = random_box();
        check_pair(&a, &b, random_pose(2.0f), 0.02f, &stats);
    }
    print_statistics("boxes", &stats);
}

static void random_hulls(void **state)
{
    (void)state;
    statistics stats = { 0 };
    random_state = 12;
    for (int i = 0; i < 60; i++) {
        cn_convex a = random_hull(4 + i % 21), b = random_hull(4 + (i * 7) % 21);
        for (int k = 0; k < 20; k++)
            check_pair(&a, &b, random_pose(1.6f), 0.02f, &stats);
        free_shape(&a);
        free_shape(&b);
    }
    print_statistics("hulls", &stats);
}

static void random_box_and_hull(void **state)
{
    (void)state;
    statistics stats = { 0 };
    random_state = 13;
    for (int i = 0; i < 60; i++) {
        cn_convex a = random_box(), b = random_hull(4 + i % 21);
        for (int k = 0; k < 20; k++) {
            check_pair(&a, &b, random_pose(1.8f), 0.02f, &stats);
            check_pair(&b, &a, random_pose(1.8f), 0.02f, &stats);
        }
        free_shape(&b);
    }
    print_statistics("box and hull", &stats);
}

// Against the distance by GJK: what is closer than half the margin has a contact, however the corners pass each other; what has
// none is at least as far apart as the manifold says.
static void no_contact_is_lost(void **state)
{
    (void)state;
    const float margin = 0.1f;
    int near = 0, apart = 0, lost = 0;
    random_state = 17;
    for (int i = 0; i < 300; i++) {
        cn_convex a = i % 3 == 0 ? random_box() : random_hull(4 + i % 21),
                  b = i % 3 == 2 ? random_hull(4 + i % 17) : random_box();
        for (int k = 0; k < 100; k++) {
            cn_pose pose = random_pose(2.2f);
            cn_pair_cache cache = { 0 };
            cn_manifold m;
            float distance = cn_gjk_distance(&a, &b, pose, NULL).distance;
            collide(&a, &b, pose, margin, &cache, &m);
            if (distance > 0.0f && distance < 0.5f * margin) {
                near++;
                lost += m.count == 0;
                assert_true(m.count == 0 || lowest_separation(&m) < distance + 0.5f * margin);
            }
            if (m.count == 0) {
                apart++;
                assert_true(m.gap > margin && m.gap <= distance + 1e-5f);
            }
        }
        free_shape(&a);
        free_shape(&b);
    }
    print_message("%d pairs closer than half the margin, %d apart\n", near, apart);
    assert_int_equal(lost, 0);
    assert_true(near > 500 && apart > 1000);
}

// What rolls on a floor comes down with the corner beside its face next: where points are left, each corner within the margin
// shows, or one that is near it.
static void corners_beside_a_face_show(void **state)
{
    (void)state;
    const float margin = 0.1f;
    cn_convex floor = make_box(50.0f, 1.0f, 50.0f);
    int shown = 0;
    for (int i = 0; i < 300; i++) {
        cn_convex hull = random_hull(8 + i % 9);
        const cn_polyhedron *p = hull.hull;
        cn_pose pose = { .rotation = random_rotation() };
        float lowest = INFINITY;
        for (int k = 0; k < p->vertex_count; k++)
            lowest = cn_minf(lowest, cn_rotate(pose.rotation, p->vertices[k]).y);
        pose.position.y = 1.01f - lowest;
        cn_pair_cache cache = { 0 };
        cn_manifold manifold;
        cn_collide(&floor, &hull, pose, margin, &cache, &manifold);
        assert_true(manifold.count > 0);
        for (int k = 0; k < p->vertex_count && manifold.count < CN_MAX_POINTS; k++) {
            cn_vec3 corner = cn_pose_point(pose, p->vertices[k]);
            if (corner.y > 1.0f + margin)
                continue;
            float nearest = INFINITY;
            for (int n = 0; n < manifold.count; n++)
                nearest = cn_minf(nearest, cn_length(cn_sub(corner, manifold.points[n].position)));
            assert_true(nearest < 0.25f * p->inner_radius + margin);
            shown++;
        }
        free_shape(&hull);
    }
    assert_true(shown > 300);
}

// A box and a hull of its eight vertices are the same solid.
static void boxes_agree_with_hulls(void **state)
{
    (void)state;
    random_state = 14;
    for (int i = 0; i < 300; i++) {
        cn_convex a = random_box(), b = random_box(), hull_a = box_hull(a.half_extents), hull_b = box_hull(b.half_extents);
        cn_pose pose = random_pose(1.5f);
        cn_pair_cache cache1 = { 0 }, cache2 = { 0 }, cache3 = { 0 };
        cn_manifold m1, m2, m3;
        cn_collide_boxes(&a, &b, pose, 0.02f, &cache1, &m1);
        cn_collide_polyhedra(&a, &b, pose, 0.02f, &cache2, &m2);
        cn_collide_polyhedra(&hull_a, &hull_b, pose, 0.02f, &cache3, &m3);
        solid sa, sb;
        describe(&a, (cn_pose)CN_POSE_IDENTITY, &sa);
        describe(&b, pose, &sb);
        if (m1.count > 0 && m2.count > 0 && m3.count > 0) {
            double s1 = separation_along(&sa, &sb, d3(m1.normal)), s2 = separation_along(&sa, &sb, d3(m2.normal));
            double s3 = separation_along(&sa, &sb, d3(m3.normal)), tolerance = (double)CN_SAT_TOLERANCE;
            assert_true(fabs(s1 - s2) < 0.1 * tolerance);
            assert_true(fabs(s1 - s3) < tolerance);
        }
        free_shape(&hull_a);
        free_shape(&hull_b);
    }
}

// Unit cubes on top of each other: four points at the corners, whatever the small offsets and rotations.
static void stacked_cubes(void **state)
{
    (void)state;
    cn_convex cube = make_box(0.5f, 0.5f, 0.5f), hull = box_hull(cn_v3(0.5f, 0.5f, 0.5f));
    random_state = 15;
    for (int i = 0; i < 2000; i++) {
        float shift = i == 0 ? 0.0f : i < 1000 ? 1e-4f : 5e-3f, angle = i == 0 ? 0.0f : i % 2 ? 1e-3f : -1e-3f;
        cn_vec3 axis = i % 3 == 0 ? cn_v3(0.0f, 1.0f, 0.0f) : random_direction();
        float gap = uniform(-0.01f, 0.005f);
        cn_vec3 offset = random_vector(-shift, shift);
        cn_pose pose = { cn_v3(offset.x, 1.0f + gap, offset.z), cn_quat_axis_angle(axis, angle) };
        const cn_convex *a = i % 5 == 4 ? &hull : &cube;
        cn_pair_cache cache = { 0 };
        cn_manifold m;
        collide(a, &cube, pose, 0.02f, &cache, &m);
        assert_int_equal(m.count, 4);
        assert_true(m.normal.y > 0.99999f);
        float x = 0.0f, z = 0.0f;
        for (int k = 0; k < 4; k++) {
            cn_vec3 p = m.points[k].position;
            float spread = i < 1000 ? 1e-3f : 0.2f; // a cut that just misses a corner may lie some way along the side
            assert_true(fabsf(fabsf(p.x) - 0.5f) < spread && fabsf(fabsf(p.z) - 0.5f) < spread);
            x += p.x;
            z += p.z;
            // Half the separation to either side lie the two faces.
            cn_vec3 up = cn_rotate(pose.rotation, cn_v3(0.0f, 1.0f, 0.0f)), bottom = cn_madd(pose.position, -0.5f, up);
            cn_vec3 on_a = cn_madd(p, -0.5f * m.points[k].separation, m.normal);
            cn_vec3 on_b = cn_madd(p, 0.5f * m.points[k].separation, m.normal);
            assert_float_equal(on_a.y, 0.5f, 1e-6f);
            assert_float_equal(cn_dot(up, cn_sub(on_b, bottom)), 0.0f, 1e-6f);
        }
        assert_float_equal(x, 0.0f, i < 1000 ? 4e-3f : 0.3f);
        assert_float_equal(z, 0.0f, i < 1000 ? 4e-3f : 0.3f);
    }
    free_shape(&hull);
}

// A cube at rest that trembles keeps its face axis and its ids.
static void resting_contact_is_steady(void **state)
{
    (void)state;
    random_state = 16;
    for (int trial = 0; trial < 200; trial++) {
        cn_convex a = random_box(), b = random_box();
        cn_vec3 rest = random_vector(-0.3f, 0.3f);
        rest.y = a.half_extents.y + b.half_extents.y - 0.002f;
        cn_quat turn = cn_quat_axis_angle(cn_v3(0.0f, 1.0f, 0.0f), trial % 2 ? 0.0f : uniform(0.0f, 3.0f));
        cn_pair_cache cache = { 0 };
        cn_manifold first, m;
        int changes = 0;
        for (int i = 0; i < 50; i++) {
            cn_quat tremble = cn_quat_axis_angle(random_direction(), 1e-5f);
            cn_vec3 position = cn_madd(rest, 1e-5f, random_direction());
            cn_pose pose = { position, cn_quat_mul(tremble, turn) };
            collide(&a, &b, pose, 0.02f, &cache, &m);
            assert_true(m.count >= 3 && m.normal.y > 0.999f);
            changes += i > 0 && !same_features(&m, &first);
            first = i == 0 ? m : first;
        }
        assert_true(changes <= 25);
    }
}

// Two faces at an angle share eight corners, of which four are kept. Those of the last call are kept as long as they serve.
static void choice_of_points_is_steady(void **state)
{
    (void)state;
    cn_convex cube = make_box(0.5f, 0.5f, 0.5f);
    cn_pair_cache cache = { 0 };
    cn_manifold last = { .count = 0 }, m;
    int changes = 0;
    random_state = 18;
    for (int i = 0; i < 500; i++) {
        cn_quat turn = cn_quat_axis_angle(cn_v3(0.0f, 1.0f, 0.0f), 0.25f * CN_PI);
        cn_quat tremble = cn_quat_axis_angle(random_direction(), 2e-3f);
        cn_vec3 position = cn_madd(cn_v3(0.0f, 0.998f, 0.0f), 1e-3f, random_direction());
        collide(&cube, &cube, (cn_pose){ position, cn_quat_mul(tremble, turn) }, 0.02f, &cache, &m);
        assert_int_equal(m.count, 4);
        changes += i > 0 && !same_features(&m, &last);
        last = m;
    }
    assert_true(changes <= 5);
}

static void check_finite(const cn_manifold *m, float margin)
{
    for (int i = 0; i < m->count; i++) {
        const cn_manifold_point *p = &m->points[i];
        assert_true(isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z) && isfinite(p->separation));
        assert_true(p->separation <= margin * 1.0001f);
    }
    if (m->count > 0)
        assert_true(fabsf(cn_length(m->normal) - 1.0f) < 1e-4f);
}

static cn_quat awkward_rotation(int i)
{
    cn_quat quarter = { 0.70710678f, 0.0f, 0.0f, 0.70710678f };
    cn_quat small = cn_quat_axis_angle(random_direction(), i % 2 ? 1e-6f : 1e-3f);
    return i % 4 == 0 ? cn_quat_identity() : i % 4 == 1 ? random_rotation() : i % 4 == 2 ? quarter : small;
}

static void fuzz_extremes(void **state)
{
    (void)state;
    random_state = 17;
    static const float sizes[] = { 1e-3f, 1e-2f, 1.0f, 30.0f, 1e3f };
    for (int i = 0; i < 20000; i++) {
        float scale = sizes[i % 5], h[6];
        for (int k = 0; k < 6; k++)
            h[k] = scale * (uniform(0.0f, 1.0f) < 0.3f ? 1e-3f : uniform(0.2f, 1.0f));
        cn_convex a = make_box(h[0], h[1], h[2]), b = i % 7 ? make_box(h[3], h[4], h[5]) : a;
        float distance = i % 3 == 0 ? 0.0f : scale * uniform(0.0f, 2.0f);
        cn_vec3 offset = cn_scale(distance, random_direction());
        if (i % 11 == 0)
            offset = cn_v3(0.0f, a.half_extents.y + b.half_extents.y, 0.0f);
        cn_pose pose = { offset, awkward_rotation(i / 5) };
        cn_pair_cache cache = { 0 };
        cn_manifold m;
        for (int k = 0; k < 2; k++) {
            cn_collide_boxes(&a, &b, pose, 0.02f * scale, &cache, &m);
            check_finite(&m, 0.02f * scale);
            if (i % 3 == 0 && i % 11 != 0)
                assert_true(m.count > 0);
        }
        cache = (cn_pair_cache){ 0 };
        for (int k = 0; k < 2; k++) {
            cn_collide_polyhedra(&a, &b, pose, 0.02f * scale, &cache, &m);
            check_finite(&m, 0.02f * scale);
            if (i % 3 == 0 && i % 11 != 0)
                assert_true(m.count > 0);
        }
    }
}

static void not_a_number_gives_no_points(void **state)
{
    (void)state;
    cn_convex a = make_box(1.0f, 1.0f, 1.0f);
    float bad[] = { NAN, INFINITY };
    for (int i = 0; i < 2; i++) {
        cn_pose poses[] = { { { bad[i], 0.0f, 0.0f }, CN_QUAT_IDENTITY },
                            { { 0.0f, 0.0f, 0.0f }, { bad[i], 0.0f, 0.0f, 1.0f } } };
        for (int k = 0; k < 2; k++) {
            cn_pair_cache cache = { 0 };
            cn_manifold m;
            cn_collide_boxes(&a, &a, poses[k], 0.01f, &cache, &m);
            assert_int_equal(m.count, 0);
            cache = (cn_pair_cache){ 0 };
            cn_collide_polyhedra(&a, &a, poses[k], 0.01f, &cache, &m);
            assert_int_equal(m.count, 0);
        }
    }
}

// Whatever the cache holds, even one of another pair, the answer stays right.
static void a_foreign_cache_does_no_harm(void **state)
{
    (void)state;
    random_state = 18;
    cn_convex hull = random_hull(12);
    for (int i = 0; i < 5000; i++) {
        cn_convex a = random_box(), b = random_box();
        cn_pose pose = random_pose(2.0f);
        cn_pair_cache foreign = { .kind = (uint8_t)(i % 4), .count = (uint8_t)(i % 5) }, fresh = { 0 };
        foreign.a[0] = (uint16_t)uniform(0.0f, 60.0f);
        foreign.b[0] = (uint16_t)uniform(0.0f, 60.0f);
        const cn_convex *second = i % 2 ? &b : &hull;
        cn_manifold m, n;
        collide(&a, second, pose, 0.02f, &foreign, &m);
        collide(&a, second, pose, 0.02f, &fresh, &n);
        solid sa, sb;
        describe(&a, (cn_pose)CN_POSE_IDENTITY, &sa);
        describe(second, pose, &sb);
        if (m.count > 0 && n.count > 0) {
            double difference = separation_along(&sa, &sb, d3(m.normal)) - separation_along(&sa, &sb, d3(n.normal));
            assert_true(fabs(difference) <= 1.5 * (double)CN_SAT_TOLERANCE * fmin(sa.inner_radius, sb.inner_radius) + 1e-5);
        }
    }
    free_shape(&hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes),
        cmocka_unit_test(random_hulls),
        cmocka_unit_test(random_box_and_hull),
        cmocka_unit_test(no_contact_is_lost),
        cmocka_unit_test(corners_beside_a_face_show),
        cmocka_unit_test(boxes_agree_with_hulls),
        cmocka_unit_test(stacked_cubes),
        cmocka_unit_test(resting_contact_is_steady),
        cmocka_unit_test(choice_of_points_is_steady),
        cmocka_unit_test(fuzz_extremes),
        cmocka_unit_test(not_a_number_gives_no_points),
        cmocka_unit_test(a_foreign_cache_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
