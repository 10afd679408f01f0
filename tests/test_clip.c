// Clipping of faces and the reduction of contact points, against polygon intersection by brute force in double precision.
#include "collide/sat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t random_state = 1;
static float uniform(float low, float high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

static cn_vec3 random_direction(void)
{
    for (;;) {
        float x = uniform(-1.0f, 1.0f), y = uniform(-1.0f, 1.0f), z = uniform(-1.0f, 1.0f);
        cn_vec3 v = cn_v3(x, y, z);
        if (cn_length_sq(v) > 0.01f && cn_length_sq(v) < 1.0f)
            return cn_normalize(v);
    }
}

// --- polygons in the plane ---------------------------------------------------------------------------------------------------

typedef struct point2 {
    double x, y;
} point2;

static double cross2(point2 a, point2 b, point2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

static int compare_points(const void *a, const void *b)
{
    const point2 *p = a, *q = b;
    return p->x < q->x ? -1 : p->x > q->x ? 1 : p->y < q->y ? -1 : p->y > q->y;
}

// The area of the convex hull of some points, by the monotone chain.
static double hull_area(point2 *points, int count)
{
    point2 hull[1024];
    int size = 0;
    if (count < 3)
        return 0.0;
    qsort(points, (size_t)count, sizeof *points, compare_points);
    for (int pass = 0; pass < 2; pass++) {
        int start = size;
        for (int i = 0; i < count; i++) {
            point2 p = points[pass == 0 ? i : count - 1 - i];
            while (size >= start + 2 && cross2(hull[size - 2], hull[size - 1], p) <= 0.0)
                size--;
            hull[size++] = p;
        }
        size--;
    }
    double area = 0.0;
    for (int i = 1; i + 1 < size; i++)
        area += 0.5 * cross2(hull[0], hull[i], hull[i + 1]);
    return area;
}

static bool contains(const point2 *polygon, int count, point2 p, double slop)
{
    for (int i = 0; i < count; i++) {
        point2 a = polygon[i], b = polygon[(i + 1) % count];
        if (cross2(a, b, p) < -slop * hypot(b.x - a.x, b.y - a.y))
            return false;
    }
    return true;
}

// Both polygons counter-clockwise. All vertices of one inside the other and all crossings of edges span the intersection.
static double intersection_area(const point2 *p, int p_count, const point2 *q, int q_count)
{
    point2 points[1024];
    int count = 0;
    for (int i = 0; i < p_count; i++)
        if (contains(q, q_count, p[i], 0.0))
            points[count++] = p[i];
    for (int j = 0; j < q_count; j++)
        if (contains(p, p_count, q[j], 0.0))
            points[count++] = q[j];
    for (int i = 0; i < p_count; i++)
        for (int j = 0; j < q_count; j++) {
            point2 a = p[i], b = p[(i + 1) % p_count], c = q[j], d = q[(j + 1) % q_count];
            double ca = cross2(c, d, a), cb = cross2(c, d, b), ac = cross2(a, b, c), ad = cross2(a, b, d);
            if (ca * cb < 0.0 && ac * ad < 0.0 && count < 1024) {
                double t = ca / (ca - cb);
                points[count++] = (point2){ a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) };
            }
        }
    return hull_area(points, count);
}

// A convex polygon with vertices on an ellipse, counter-clockwise.
static int random_polygon(point2 *polygon, int count, double size)
{
    double angles[64], w = (double)uniform(0.4f, 1.0f) * size, h = (double)uniform(0.4f, 1.0f) * size;
    double x = 0.6 * size * (double)uniform(-1.0f, 1.0f), y = 0.6 * size * (double)uniform(-1.0f, 1.0f);
    double turn = (double)uniform(0.0f, 3.0f);
    for (int i = 0; i < count; i++)
        angles[i] = 6.283185307179586 * (i + 0.8 * (double)uniform(0.0f, 1.0f)) / count;
    for (int i = 0; i < count; i++) {
        double u = w * cos(angles[i]), v = h * sin(angles[i]);
        polygon[i] = (point2){ x + u * cos(turn) - v * sin(turn), y + u * sin(turn) + v * cos(turn) };
    }
    return count;
}

// A frame of contact somewhere in space: u, v in the plane, w the normal of the reference face.
typedef struct frame {
    cn_vec3 origin, u, v, w;
} frame;

static frame random_frame(void)
{
    frame f;
    f.origin = cn_scale(3.0f, random_direction());
    f.w = random_direction();
    f.u = cn_perpendicular(f.w);
    f.v = cn_cross(f.w, f.u);
    return f;
}

static cn_vec3 lift(const frame *f, double x, double y, double z)
{
    return cn_madd(cn_madd(cn_madd(f->origin, (float)x, f->u), (float)y, f->v), (float)z, f->w);
}

static point2 flatten(const frame *f, cn_vec3 p)
{
    cn_vec3 d = cn_sub(p, f->origin);
    return (point2){ (double)cn_dot(d, f->u), (double)cn_dot(d, f->v) };
}

static void number_ids(uint16_t *ids, int count, int first)
{
    for (int i = 0; i < count; i++)
        ids[i] = (uint16_t)(first + i);
}

// --- polygon against polygon -------------------------------------------------------------------------------------------------

typedef struct area_statistics {
    int cases, below_60;
    double sum, worst;
} area_statistics;

static void check_polygons(int p_count, int q_count, float slope, bool flip, area_statistics *stats)
{
    point2 p[64], q[64];
    cn_vec3 reference[64], incident[64];
    uint16_t reference_ids[64], incident_ids[64];
    frame f = random_frame();
    double slope_x = (double)uniform(-slope, slope), slope_y = (double)uniform(-slope, slope);
    random_polygon(p, p_count, 1.0);
    random_polygon(q, q_count, 1.0);
    for (int i = 0; i < p_count; i++)
        reference[i] = lift(&f, p[i].x, p[i].y, 0.0);
    for (int i = 0; i < q_count; i++) // the other way round: counter-clockwise seen from its own outside
        incident[i] = lift(&f, q[q_count - 1 - i].x, q[q_count - 1 - i].y,
                           slope_x * q[q_count - 1 - i].x + slope_y * q[q_count - 1 - i].y - 0.01);
    number_ids(reference_ids, p_count, 10);
    number_ids(incident_ids, q_count, 20);
    cn_manifold m;
    cn_clip_faces(reference, reference_ids, p_count, incident, incident_ids, q_count, f.w, 100.0f, flip, &m);

    double whole = intersection_area(p, p_count, q, q_count);
    if (whole > 0.05)
        assert_true(m.count >= 3);
    if (whole == 0.0 && m.count > 0) // only slivers within the slop
        assert_true(m.count < 4);
    assert_float_equal(cn_dot(m.normal, f.w), flip ? -1.0f : 1.0f, 1e-5f);
    point2 points[4];
    for (int i = 0; i < m.count; i++) {
        cn_vec3 on_incident = cn_madd(m.points[i].position, 0.5f * m.points[i].separation, f.w);
        points[i] = flatten(&f, on_incident);
        assert_true(contains(p, p_count, points[i], 0.005));
        assert_true(contains(q, q_count, points[i], 0.005));
        assert_float_equal(m.points[i].separation, (float)(slope_x * points[i].x + slope_y * points[i].y - 0.01), 1e-5f);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(m.points[i].feature, m.points[k].feature);
    }
    if (whole > 0.05) {
        double kept = hull_area(points, m.count) / whole;
        stats->cases++;
        stats->below_60 += kept < 0.6;
        stats->sum += kept;
        stats->worst = fmin(stats->worst, kept);
        assert_true(kept * whole < whole + 0.01); // the slop widens the reference face
    }
}

static void four_points_keep_most_of_the_area(void **state)
{
    (void)state;
    random_state = 21;
    for (int kind = 0; kind < 3; kind++) {
        area_statistics stats = { .worst = 1.0 };
        for (int i = 0; i < 4000; i++) {
            int p_count = kind == 0 ? 4 : kind == 1 ? 3 + i % 6 : 20 + i % 45, q_count = kind == 0 ? 4 : 3 + i % 5;
            check_polygons(p_count, q_count, i % 2 ? 0.2f : 0.0f, i % 3 == 0, &stats);
        }
        print_message("%s: area kept %.1f %% on average, %.1f %% at worst, below 60 %% in %d of %d\n",
                      kind == 0   ? "4 by 4 corners"
                      : kind == 1 ? "up to 8 by 7"
                                  : "up to 64 by 7",
                      100.0 * stats.sum / stats.cases, 100.0 * stats.worst, stats.below_60, stats.cases);
        assert_true(stats.sum / stats.cases > 0.8);
        assert_true(stats.worst > 0.5);
        assert_true(stats.below_60 * 200 < stats.cases);
    }
}

static void largest_polygons_do_not_overflow(void **state)
{
    (void)state;
    random_state = 22;
    area_statistics stats = { .worst = 1.0 };
    for (int i = 0; i < 300; i++)
        check_polygons(64, 64, 0.1f, false, &stats);
    assert_true(stats.worst > 0.45); // a square in a circle has 0.64
}

// --- segments and points -----------------------------------------------------------------------------------------------------

static const cn_vec3 square[4] = { { 1.0f, 0.0f, 1.0f }, { 1.0f, 0.0f, -1.0f }, { -1.0f, 0.0f, -1.0f }, { -1.0f, 0.0f, 1.0f } };
static const uint16_t ids[4] = { 1, 2, 3, 4 };
static const cn_vec3 up = { 0.0f, 1.0f, 0.0f };

static void segment_on_a_face(void **state)
{
    (void)state;
    cn_vec3 segment[2] = { { -3.0f, 0.1f, 0.5f }, { 0.5f, -0.1f, 0.5f } };
    cn_manifold m;
    cn_clip_faces(square, ids, 4, segment, ids, 2, up, 1.0f, false, &m);
    assert_int_equal(m.count, 2);
    float lowest = cn_minf(m.points[0].separation, m.points[1].separation);
    float highest = cn_maxf(m.points[0].separation, m.points[1].separation);
    assert_float_equal(lowest, -0.1f, 1e-6f);
    assert_float_equal(highest, -0.1f + 0.2f * 1.5f / 3.5f, 1e-3f);
    assert_int_not_equal(m.points[0].feature, m.points[1].feature);
    // The margin drops the upper end.
    cn_clip_faces(square, ids, 4, segment, ids, 2, up, -0.05f, false, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].position.y, -0.05f, 1e-6f);
    // The same segment as the reference: its polygon lies above it.
    cn_vec3 above[4];
    for (int i = 0; i < 4; i++)
        above[i] = cn_add(square[3 - i], cn_v3(0.0f, 0.3f, 0.0f));
    cn_clip_faces(segment, ids, 2, above, ids, 4, up, 1.0f, true, &m);
    assert_int_equal(m.count, 2);
    assert_float_equal(m.normal.y, -1.0f, 0.0f);
    for (int i = 0; i < 2; i++) // halfway between segment and polygon
        assert_float_equal(m.points[i].position.y, 0.3f - 0.5f * m.points[i].separation, 1e-6f);
}

static void point_on_a_face(void **state)
{
    (void)state;
    cn_vec3 inside = { 0.2f, -0.05f, 0.9f }, outside = { 0.2f, -0.05f, 1.1f };
    cn_manifold m;
    cn_clip_faces(square, ids, 4, &inside, ids, 1, up, 0.1f, false, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].separation, -0.05f, 1e-7f);
    assert_float_equal(m.points[0].position.y, -0.025f, 1e-7f);
    cn_clip_faces(square, ids, 4, &outside, ids, 1, up, 0.1f, false, &m);
    assert_int_equal(m.count, 0);
    cn_clip_faces(square, ids, 4, &inside, ids, 0, up, 0.1f, false, &m);
    assert_int_equal(m.count, 0);
}

static void segment_on_a_segment(void **state)
{
    (void)state;
    cn_vec3 reference[2] = { { -1.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f } };
    cn_vec3 parallel[2] = { { 0.5f, 0.02f, 0.0f }, { 4.0f, 0.02f, 0.0f } },
            crossing[2] = { { 0.3f, 0.02f, -1.0f }, { 0.3f, 0.02f, 1.0f } };
    cn_vec3 point = { 0.7f, 0.02f, 0.0f };
    cn_manifold m;
    cn_clip_faces(reference, ids, 2, parallel, ids, 2, up, 0.1f, false, &m);
    assert_int_equal(m.count, 2);
    assert_float_equal(cn_absf(m.points[0].position.x - m.points[1].position.x), 0.5f, 1e-6f);
    assert_int_not_equal(m.points[0].feature, m.points[1].feature);
    cn_clip_faces(reference, ids, 2, crossing, ids, 2, up, 0.1f, false, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].position.x, 0.3f, 1e-6f);
    assert_float_equal(m.points[0].position.y, 0.01f, 1e-6f);
    cn_clip_faces(reference, ids, 2, &point, ids, 1, up, 0.1f, false, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].position.x, 0.7f, 1e-6f);
    cn_clip_faces(&point, ids, 1, &point, ids, 1, up, 0.1f, false, &m);
    assert_int_equal(m.count, 1);
    assert_float_equal(m.points[0].separation, 0.0f, 0.0f);
}

// A corner cut off by less than a ten-thousandth of the size makes no second point.
static void doubled_points_are_merged(void **state)
{
    (void)state;
    cn_vec3 triangle[3] = { { -0.5f, -0.01f, -0.5f }, { -0.5f, -0.01f, 0.5f }, { 1.00205f, -0.01f, 0.0f } };
    cn_manifold m;
    cn_clip_faces(square, ids, 4, triangle, ids, 3, up, 0.1f, false, &m);
    assert_int_equal(m.count, 3);
}

// --- reduction ---------------------------------------------------------------------------------------------------------------

static int random_points(cn_clip_point *points, int count)
{
    for (int i = 0; i < count; i++) {
        float x = uniform(-1.0f, 1.0f), z = uniform(-1.0f, 1.0f), separation = uniform(-0.1f, 0.0f);
        points[i] = (cn_clip_point){ cn_v3(x, separation, z), separation, (uint32_t)i };
    }
    return count;
}

static void reduction_keeps_the_deepest(void **state)
{
    (void)state;
    random_state = 23;
    for (int i = 0; i < 5000; i++) {
        cn_clip_point points[128];
        int count = random_points(points, 1 + i % 128);
        float lowest = 0.0f;
        for (int k = 0; k < count; k++)
            lowest = cn_minf(lowest, points[k].separation);
        int kept = cn_reduce_points(points, count, up);
        assert_true(kept >= 1 && kept <= 4 && kept <= count);
        assert_true(points[0].separation <= lowest + 3e-4f);
        for (int k = 0; k < kept; k++)
            for (int l = 0; l < k; l++)
                assert_int_not_equal(points[k].feature, points[l].feature);
    }
}

static void degenerate_points_are_dropped(void **state)
{
    (void)state;
    cn_clip_point line[9], same[5];
    for (int i = 0; i < 9; i++)
        line[i] = (cn_clip_point){ cn_v3(0.1f * (float)((i * 4) % 9), 0.0f, 0.2f * (float)((i * 4) % 9)), 0.0f, (uint32_t)i };
    for (int i = 0; i < 5; i++)
        same[i] = (cn_clip_point){ cn_v3(7.0f, 8.0f, 9.0f), -0.1f * (float)i, (uint32_t)i };
    assert_int_equal(cn_reduce_points(line, 9, up), 2);
    assert_float_equal(cn_distance(line[0].position, line[1].position), 0.8f * sqrtf(5.0f), 1e-5f);
    assert_int_equal(cn_reduce_points(same, 5, up), 1);
    assert_int_equal((int)same[0].feature, 4);
    assert_int_equal(cn_reduce_points(same, 0, up), 0);
}

// Noise must not change which points are taken, even where many are equally good: a regular octagon.
static void reduction_is_steady(void **state)
{
    (void)state;
    random_state = 24;
    uint32_t expected[4] = { 0 };
    for (int trial = 0; trial < 500; trial++) {
        cn_clip_point points[8];
        for (int i = 0; i < 8; i++) {
            float angle = 0.785398f * (float)i, noise = trial == 0 ? 0.0f : 1e-5f;
            float x = cosf(angle) + uniform(-noise, noise), z = sinf(angle) + uniform(-noise, noise);
            points[i] = (cn_clip_point){ cn_v3(x, 0.0f, z), uniform(-noise, noise), (uint32_t)i };
        }
        assert_int_equal(cn_reduce_points(points, 8, up), 4);
        for (int i = 0; i < 4 && trial == 0; i++)
            expected[i] = points[i].feature;
        for (int i = 0; i < 4; i++)
            assert_int_equal(points[i].feature, expected[i]);
    }
}

// Corners of a bowl that stands a little askew: those it rolls over next are among the four. No other corner is below the planes through
// the line it rocks on, the first two, and either of the rest, by more than noise.
static void what_rocks_shows_its_next_corners(void **state)
{
    (void)state;
    random_state = 25;
    int faces = 0, below = 0, chosen = 0;
    for (int trial = 0; trial < 2000; trial++) {
        cn_clip_point points[24], all[24];
        int count = 6 + trial % 19;
        float lean_x = uniform(-0.01f, 0.01f), lean_z = uniform(-0.01f, 0.01f), depth = uniform(0.005f, 0.05f);
        for (int i = 0; i < count; i++) {
            float x = uniform(-1.0f, 1.0f), z = uniform(-1.0f, 1.0f);
            all[i] = points[i] = (cn_clip_point){ cn_v3(x, 0.0f, z), depth * (x * x + z * z) + lean_x * x + lean_z * z, (uint32_t)i };
        }
        int kept = cn_reduce_uneven(points, count, up);
        chosen += kept;
        for (int k = 2; k < kept; k++) {
            cn_vec3 p[3];
            for (int i = 0; i < 3; i++) {
                const cn_clip_point *q = &points[i < 2 ? i : k];
                p[i] = cn_v3(q->position.x, q->separation, q->position.z);
            }
            cn_vec3 n = cn_cross(cn_sub(p[1], p[0]), cn_sub(p[2], p[0]));
            float lowest = 0.0f;
            for (int i = 0; i < count; i++)
                lowest = cn_minf(lowest, cn_dot(n, cn_sub(cn_v3(all[i].position.x, all[i].separation, all[i].position.z), p[0])) / n.y);
            faces++;
            below += lowest < -1e-3f;
        }
    }
    print_message("%d corners, %d faces, %d of them with a corner below\n", chosen, faces, below);
    assert_true(chosen > 3 * 2000);
    assert_true(20 * below < faces);
    cn_clip_point level[8];
    for (int i = 0; i < 8; i++) {
        float x = uniform(-1.0f, 1.0f), z = uniform(-1.0f, 1.0f);
        level[i] = (cn_clip_point){ cn_v3(x, 0.0f, z), 0.1f * x - 0.2f * z, (uint32_t)i };
    }
    assert_int_equal(cn_reduce_uneven(level, 8, up), 0);
}

static void not_a_number_does_no_harm(void **state)
{
    (void)state;
    cn_clip_point points[6];
    for (int i = 0; i < 6; i++)
        points[i] = (cn_clip_point){ cn_v3(NAN, 0.0f, (float)i), i % 2 ? NAN : 0.0f, (uint32_t)i };
    assert_in_range(cn_reduce_points(points, 6, up), 1, 4);
    cn_vec3 broken[4] = { { NAN, NAN, NAN }, { 1.0f, NAN, 0.0f }, { INFINITY, 0.0f, 0.0f }, { 0.0f, -INFINITY, 0.0f } };
    cn_manifold m;
    cn_clip_faces(square, ids, 4, broken, ids, 4, up, 0.1f, false, &m);
    assert_in_range(m.count, 0, 4);
    cn_clip_faces(broken, ids, 4, square, ids, 4, up, 0.1f, false, &m);
    assert_in_range(m.count, 0, 4);
}

// A point of a short segment is found on one that is ten thousand times as long, to the rounding of the long one.
static void segments_of_all_lengths(void **state)
{
    (void)state;
    random_state = 31;
    for (int i = 0; i < 20000; i++) {
        float lengths[2] = { 1.0f, i % 2 ? 1e4f : uniform(0.1f, 1000.0f) };
        cn_vec3 u = cn_scale(lengths[i % 4 / 2], random_direction()), v = cn_scale(lengths[1 - i % 4 / 2], random_direction());
        if (i % 3 == 0) // at a small angle
            v = cn_scale(cn_length(v), cn_normalize(cn_madd(cn_normalize(u), 0.01f, random_direction())));
        // The lines cross at s and t, with `gap` between them.
        cn_vec3 across = cn_normalize(cn_cross(u, v));
        float true_s = uniform(0.1f, 0.9f), true_t = uniform(0.1f, 0.9f), gap = uniform(0.0f, 0.1f), s, t;
        cn_vec3 p = random_direction();
        cn_vec3 q = cn_madd(cn_madd(cn_madd(p, true_s, u), gap, across), -true_t, v);
        bool crossing = cn_closest_on_segments(p, u, q, v, &s, &t);
        assert_true(crossing || i % 3 == 0);
        float distance = cn_distance(cn_madd(p, s, u), cn_madd(q, t, v)), rounding = 1e-6f * lengths[1] + 1e-5f;
        assert_true(distance < gap + rounding);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_points_keep_most_of_the_area),
        cmocka_unit_test(largest_polygons_do_not_overflow),
        cmocka_unit_test(segment_on_a_face),
        cmocka_unit_test(point_on_a_face),
        cmocka_unit_test(segment_on_a_segment),
        cmocka_unit_test(doubled_points_are_merged),
        cmocka_unit_test(reduction_keeps_the_deepest),
        cmocka_unit_test(degenerate_points_are_dropped),
        cmocka_unit_test(reduction_is_steady),
        cmocka_unit_test(what_rocks_shows_its_next_corners),
        cmocka_unit_test(not_a_number_does_no_harm),
        cmocka_unit_test(segments_of_all_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
