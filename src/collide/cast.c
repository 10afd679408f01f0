// Casts without rotation, and closest points. The cast walks GJK along the ray: van den Bergen 2004, "Ray casting against
// general convex objects with application to continuous collision detection".
//
// Every support plane of A - B that GJK finds proves how far B may go before it can meet A. B goes there at once, in the middle
// of the search, which then goes on from the same simplex. So the fraction never exceeds the true one, and when the simplex has
// come as near to the origin as the shapes are to come, that plane is the one they meet at.
#include "collide/cast.h"
#include "collide/minkowski.h"

enum { MAX_ITERATIONS = 128 };

// Relative to the largest coordinate: how near to the distance of meeting counts as meeting.
static const double MEET_TOLERANCE = 1e-10;

typedef struct cast {
    cn_minkowski m;
    cn_simplex simplex;
    cn_d3 translation;
    double reach; // the distance of the cores at which they meet
    double limit, fraction;
    double size;   // largest coordinate near the end
    cn_d3 closest; // point of the simplex to the origin
    cn_d3 normal;  // unit, of the plane that stopped B last
    bool advanced;
} cast;

static bool contains(const cn_simplex *s, const cn_minkowski_vertex *vertex)
{
    for (int i = 0; i < s->count; i++) {
        cn_d3 d = cn_d3_sub(s->vertices[i].w, vertex->w);
        if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0)
            return true;
    }
    return false;
}

static void shift(cn_minkowski_vertex *vertex, cn_d3 by)
{
    vertex->b = cn_d3_madd(vertex->b, 1.0, by);
    vertex->w = cn_d3_sub(vertex->a, vertex->b);
}

// Moves B as far as the support plane of `vertex`, `height` away along `normal`, allows. False when it never gets there.
static bool advance(cast *c, cn_minkowski_vertex *vertex, cn_d3 normal, double height)
{
    double rate = -cn_d3_dot(normal, c->translation);
    double step = (height - c->reach) / rate;
    if (!(rate > 0.0) || !(c->fraction + step <= c->limit))
        return false;
    cn_d3 by = cn_d3_scale(step, c->translation);
    c->fraction += step;
    c->m.position = cn_d3_madd(c->m.position, 1.0, by);
    shift(vertex, by);
    c->size = cn_minkowski_size(vertex, 0.0);
    for (int i = 0; i < c->simplex.count; i++) {
        shift(&c->simplex.vertices[i], by);
        c->size = cn_minkowski_size(&c->simplex.vertices[i], c->size);
    }
    c->normal = normal;
    c->advanced = true;
    return true;
}

// A plane that stopped B passes through the origin where the cores meet, so a tetrahedron around the origin has it on one of
// its sides, up to rounding. Weights of a side are sound, while those of a thin tetrahedron are not.
static void keep_nearest_side(cast *c)
{
    cn_simplex whole = c->simplex;
    double least = (double)INFINITY;
    for (int i = 0; i < 4; i++) {
        cn_simplex side = whole;
        cn_d3 point = { 0.0, 0.0, 0.0 };
        side.vertices[i] = whole.vertices[3];
        side.count = 3;
        cn_simplex_solve(&side, &point);
        double distance_sq = cn_d3_dot(point, point);
        if (distance_sq < least) {
            least = distance_sq;
            c->simplex = side;
            c->closest = point;
        }
    }
}

// False when they do not meet.
static bool walk(cast *c)
{
    cn_simplex *s = &c->simplex;
    s->vertices[0] = cn_minkowski_support(&c->m, c->m.position);
    s->count = 1;
    c->size = cn_minkowski_size(&s->vertices[0], 0.0);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        if (!cn_simplex_solve(s, &c->closest)) {
            keep_nearest_side(c);
            return true;
        }
        double distance = sqrt(cn_d3_dot(c->closest, c->closest));
        if (!(distance > c->reach + MEET_TOLERANCE * c->size))
            return true;
        cn_d3 normal = cn_d3_scale(-1.0 / distance, c->closest);
        cn_minkowski_vertex vertex = cn_minkowski_support(&c->m, normal);
        double height = -cn_d3_dot(normal, vertex.w);
        bool separates = height > c->reach;
        if (separates && !advance(c, &vertex, normal, height))
            return false;
        if (!contains(s, &vertex)) {
            c->size = cn_minkowski_size(&vertex, c->size);
            s->vertices[s->count++] = vertex;
        } else if (!separates) {
            return true;
        }
    }
    return true;
}

// Cores that are apart when the shapes meet have an exact direction between them.
static cn_d3 meeting_normal(const cast *c)
{
    double distance = sqrt(cn_d3_dot(c->closest, c->closest));
    return c->reach > 10.0 * MEET_TOLERANCE * c->size ? cn_d3_scale(-1.0 / distance, c->closest) : c->normal;
}

static cn_cast_result meet_at_once(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    cn_distance_result d = cn_convex_distance(a, b, b_in_a);
    return (cn_cast_result){ 0.0f, d.point_a, d.normal };
}

bool cn_cast_convex(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, cn_vec3 translation, float target, float limit,
                    cn_cast_result *result)
{
    cast c = { .m = cn_minkowski_make(a, b, b_in_a), .translation = cn_d3_from(translation), .limit = (double)limit };
    c.reach = (double)cn_core_skin(a) + (double)cn_core_skin(b) + (double)target;
    if (!walk(&c))
        return false;
    if (!c.advanced) {
        *result = meet_at_once(a, b, b_in_a);
        return true;
    }
    cn_d3 point_a, point_b, normal = meeting_normal(&c);
    cn_simplex_witness(&c.simplex, &point_a, &point_b);
    point_a = cn_d3_madd(point_a, (double)cn_core_skin(a), normal);
    *result = (cn_cast_result){ (float)c.fraction, cn_d3_float(point_a), cn_d3_float(normal) };
    return true;
}

// A point that both skins cover, on the way from one core to the other.
static cn_vec3 shared_point(const cn_gjk_result *cores, float skin_a, float skin_b)
{
    float from = cn_maxf(0.0f, cores->distance - skin_b), to = cn_minf(cores->distance, skin_a);
    return cn_madd(cores->point_a, 0.5f * (from + to), cores->normal);
}

cn_distance_result cn_convex_distance(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    cn_minkowski m = cn_minkowski_make(a, b, b_in_a);
    cn_gjk_result cores = cn_core_distance(&m, (double)INFINITY, NULL);
    float skin_a = cn_core_skin(a), skin_b = cn_core_skin(b), distance = cores.distance - (skin_a + skin_b);
    if (!(distance > 0.0f)) {
        cn_vec3 shared = shared_point(&cores, skin_a, skin_b);
        return (cn_distance_result){ 0.0f, shared, shared, { 0.0f, 0.0f, 0.0f } };
    }
    return (cn_distance_result){ distance, cn_madd(cores.point_a, skin_a, cores.normal),
                                 cn_madd(cores.point_b, -skin_b, cores.normal), cores.normal };
}
