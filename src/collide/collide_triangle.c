// A convex solid against one triangle of a surface: what all kinds of solids share.
//
// The directions along which a surface can push at one of its points are those along which no part of it near that point
// reaches farther: on a face the normal, on an edge those between the normals of its two faces, at a corner the cone between
// the normals of all faces around it, and none at a concave edge. So each solid looks for the direction of least overlap among
// these only, and a solid that slides over the seams of a flat floor meets nothing but the floor.
#include "collide/collide_triangle.h"

#include "collide/minkowski.h"
#include "collide/sat.h"
#include "collide/triangle_pair.h"

static bool has_border(const cn_part *parts, int count)
{
    for (int i = 0; i < count; i++) {
        const float *lean = parts[i].triangle.lean;
        if (!parts[i].is_triangle || cn_maxf(lean[0], cn_maxf(lean[1], lean[2])) >= CN_LEAN_FREE)
            return true;
    }
    return false;
}

static int gather_normals(const cn_part *parts, int count, cn_f4 (*normals)[3])
{
    enum { LANES = 4 };
    if (count > LANES * CN_NORMAL_BLOCKS)
        return 0;
    for (int first = 0; first < count; first += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            cn_vec3 n = parts[first + lane < count ? first + lane : first].triangle.normal;
            cn_f4 *block = normals[first / LANES];
            block[0][lane] = n.x;
            block[1][lane] = n.y;
            block[2][lane] = n.z;
        }
    return (count + LANES - 1) / LANES;
}

float cn_triangle_tolerance(const cn_convex *b)
{
    return CN_SAT_TOLERANCE * cn_convex_inner_radius(b) + CN_SAT_ROUNDING * cn_convex_outer_radius(b, cn_v3(0.0f, 0.0f, 0.0f));
}

cn_triangle_query cn_triangle_query_make(const cn_convex *b, cn_pose b_in_a, float margin, const cn_part *parts, int part_count)
{
    if (b->type == CN_SPHERE)
        b_in_a.rotation = cn_quat_identity(); // it looks the same from everywhere
    float inner = cn_convex_inner_radius(b);
    bool off_center = b->type == CN_HULL || b->type == CN_TAPERED_CAPSULE;
    cn_vec3 center = off_center ? cn_pose_point(b_in_a, cn_convex_center(b)) : b_in_a.position;
    cn_triangle_query query;
    query.b = b;
    query.b_in_a = b_in_a;
    query.rotation = cn_mat3_from_quat(b_in_a.rotation);
    query.center = center;
    query.inner_radius = inner;
    query.outer_radius = cn_convex_outer_radius(b, b->type == CN_HULL ? b->hull->center : cn_v3(0.0f, 0.0f, 0.0f));
    query.margin = margin;
    query.tolerance = cn_triangle_tolerance(b);
    query.bordered = has_border(parts, part_count);
    query.parts = parts;
    query.part_count = part_count;
    bool asks_cone = b->type == CN_BOX || b->type == CN_HULL; // cn_triangle_least_cosine
    query.block_count = query.bordered || !asks_cone ? 0 : gather_normals(parts, part_count, query.normals);
    return query;
}

// In double: far from the corners of a large triangle, the rounding of floats would shake the solid.
static double height_over(const cn_triangle *triangle, cn_vec3 p)
{
    cn_vec3 n = triangle->normal, v = triangle->vertices[0];
    return (double)n.x * ((double)p.x - (double)v.x) + (double)n.y * ((double)p.y - (double)v.y) +
           (double)n.z * ((double)p.z - (double)v.z);
}

float cn_triangle_height(const cn_triangle_query *query, const cn_triangle *triangle)
{
    return (float)height_over(triangle, query->center);
}

// --- the pair ----------------------------------------------------------------------------------------------------------------

// At an edge or corner that triangles surround, every direction along which none of them rises lies between their normals: what
// bounds that cone is perpendicular to an edge from which both neighbours fall away, so it lies between these two. At a border
// it may be turned outwards freely.
float cn_triangle_least_cosine(const cn_triangle_pair *pair)
{
    const float slack = 2e-3f, none = -2.0f;
    const cn_triangle_query *query = pair->query;
    cn_vec3 normal = pair->triangle->normal;
    if (pair->only_front)
        return 1.0f;
    if (query->bordered)
        return none;
    cn_f4 least = cn_f4_set(1.0f);
    for (int i = 0; i < query->block_count; i++) {
        const cn_f4 *n = query->normals[i];
        least = cn_f4_min(n[0] * normal.x + n[1] * normal.y + n[2] * normal.z, least);
    }
    float cosine = cn_minf(cn_minf(least[0], least[1]), cn_minf(least[2], least[3]));
    for (int i = 0; i < query->part_count && query->block_count == 0; i++)
        cosine = cn_minf(cosine, cn_dot(query->parts[i].triangle.normal, normal));
    return cosine > 0.0f ? cosine - slack : none;
}

void cn_triangle_pair_begin(const cn_triangle_query *query, const cn_triangle *triangle, cn_triangle_pair *pair)
{
    pair->query = query;
    pair->triangle = triangle;
    float largest = 0.0f;
    for (int i = 0; i < 3; i++) {
        cn_vec3 v = cn_mat3_tmul(&query->rotation, cn_sub(triangle->vertices[i], query->b_in_a.position));
        largest = cn_maxf(largest, cn_absf(v.x) + cn_absf(v.y) + cn_absf(v.z));
        pair->vertices[i] = v;
    }
    pair->plane.normal = cn_mat3_tmul(&query->rotation, triangle->normal);
    pair->plane.offset = -(float)height_over(triangle, query->b_in_a.position);
    pair->rounding = 1e-6f * largest;
    pair->finished = false;
    pair->only_front = !(triangle->lean[0] > 0.0f || triangle->lean[1] > 0.0f || triangle->lean[2] > 0.0f);
}

void cn_triangle_pair_finish(cn_triangle_pair *pair)
{
    if (pair->finished)
        return;
    pair->finished = true;
    for (int i = 0; i < 3; i++) {
        pair->edges[i] = cn_normalize(cn_sub(pair->vertices[cn_next_corner(i)], pair->vertices[i]));
        pair->outward[i] = cn_cross(pair->edges[i], pair->plane.normal);
    }
}

// --- which directions are possible -------------------------------------------------------------------------------------------

// Over an edge whose neighbour is turned by an angle with the half tangent t.
static bool leans_within(float t, float over_edge, float along_normal)
{
    const float slack = 1e-6f, level = 1e-3f;
    if (along_normal < 0.0f && (t < 1.0f || over_edge < level))
        return false; // behind the triangle
    if (over_edge <= 0.0f)
        return true; // not over this edge
    return over_edge * (1.0f - t * t) <= along_normal * (2.0f * t) + slack * (1.0f + t * t);
}

// A point of its plane.
static bool is_on_triangle(const cn_triangle *triangle, cn_vec3 p, float tolerance)
{
    cn_vec3 n = triangle->normal;
    for (int i = 0; i < 3; i++) {
        cn_vec3 outward = cn_cross(cn_sub(triangle->vertices[cn_next_corner(i)], triangle->vertices[i]), n);
        float beyond = cn_dot(outward, cn_sub(p, triangle->vertices[i]));
        if (beyond > 0.0f && beyond * beyond > tolerance * tolerance * cn_length_sq(outward))
            return false;
    }
    return true;
}

static bool rises_from(const cn_triangle *triangle, cn_vec3 p, cn_vec3 direction, float tolerance)
{
    const float level = 1e-3f; // sine of the angle that counts as level
    for (int k = 0; k < 3; k++) {
        cn_vec3 to = cn_sub(triangle->vertices[k], p);
        float rise = cn_dot(direction, to);
        if (rise > tolerance && rise * rise > level * level * cn_length_sq(to))
            return true;
    }
    return false;
}

// Does no triangle that meets point p, in the frame of a, reach farther along the direction than p does?
static bool is_farthest(const cn_triangle_query *query, const cn_triangle *self, cn_vec3 p, cn_vec3 direction)
{
    float tolerance = 1e-4f * query->inner_radius + 1e-6f * (cn_absf(p.x) + cn_absf(p.y) + cn_absf(p.z));
    for (int i = 0; i < query->part_count; i++) {
        const cn_triangle *other = &query->parts[i].triangle;
        if (!query->parts[i].is_triangle || other == self)
            continue;
        if (!(cn_absf(cn_dot(other->normal, cn_sub(p, other->vertices[0]))) <= tolerance))
            continue; // not in its plane
        if (rises_from(other, p, direction, tolerance) && is_on_triangle(other, p, tolerance))
            return false;
    }
    return true;
}

static bool edge_allows(const cn_triangle_pair *pair, int edge, cn_vec3 direction)
{
    float lean = pair->triangle->lean[edge];
    if (!leans_within(lean, cn_dot(direction, pair->outward[edge]), cn_dot(direction, pair->plane.normal)))
        return false;
    if (lean < CN_LEAN_FREE)
        return true;
    // Nobody's neighbour by the mesh, but another triangle may lie against it all the same.
    const cn_triangle_query *query = pair->query;
    cn_vec3 start = pair->triangle->vertices[edge], side = cn_sub(pair->triangle->vertices[cn_next_corner(edge)], start);
    float length_sq = cn_length_sq(side);
    float along = length_sq > 0.0f ? cn_clampf(cn_dot(side, cn_sub(query->center, start)) / length_sq, 0.0f, 1.0f) : 0.0f;
    return is_farthest(query, pair->triangle, cn_madd(start, along, side), cn_mat3_mul(&query->rotation, direction));
}

bool cn_triangle_allows(const cn_triangle_pair *pair, cn_vec3 direction)
{
    const float level = 1e-3f;
    const cn_vec3 *v = pair->vertices;
    float a = cn_dot(direction, v[0]), b = cn_dot(direction, v[1]), c = cn_dot(direction, v[2]);
    int leaving = a >= b && a >= c ? 0 : b >= c ? 1 : 2, arriving = leaving > 0 ? leaving - 1 : 2;
    bool along_leaving = -cn_dot(direction, pair->edges[leaving]) <= level;
    bool along_arriving = cn_dot(direction, pair->edges[arriving]) <= level;
    if (along_leaving || along_arriving)
        return (!along_leaving || edge_allows(pair, leaving, direction)) &&
               (!along_arriving || edge_allows(pair, arriving, direction));
    // A corner all of whose edges are flat or concave is farthest in no direction; one of the triangles at an edge that bends
    // away will find it.
    const cn_triangle *t = pair->triangle;
    return (t->lean[leaving] > 0.0f || t->lean[arriving] > 0.0f) &&
           is_farthest(pair->query, t, t->vertices[leaving], cn_mat3_mul(&pair->query->rotation, direction));
}

// --- patches -----------------------------------------------------------------------------------------------------------------

void cn_cluster_from_manifold(const cn_manifold *manifold, cn_cluster *patch)
{
    patch->normal = manifold->normal;
    patch->count = manifold->count;
    patch->gap = manifold->gap;
    for (int i = 0; i < manifold->count; i++)
        patch->points[i] = manifold->points[i];
}

void cn_cluster_fill(cn_cluster *patch, cn_vec3 normal, cn_clip_point *points, int count, cn_vec3 toward)
{
    patch->normal = normal;
    patch->count = count > CN_PATCH_POINTS ? cn_reduce_points(points, count, normal) : count;
    for (int i = 0; i < patch->count; i++)
        patch->points[i] = (cn_manifold_point){ cn_madd(points[i].position, 0.5f * points[i].separation, toward),
                                                points[i].separation, points[i].feature };
}

// --- contact along the normal ------------------------------------------------------------------------------------------------

// The face of the hull that faces the triangle, at the vertex that is lowest over it.
static int hull_side(const cn_polyhedron *hull, cn_vec3 direction, cn_vec3 *vertices, uint16_t *ids)
{
    int lowest = cn_polyhedron_support(hull, direction), first = hull->vertex_edges[lowest], edge = first, best = first;
    float alignment = -INFINITY;
    do {
        float along = cn_dot(hull->planes[hull->edges[edge].face].normal, direction);
        if (along > alignment) {
            alignment = along;
            best = edge;
        }
        edge = hull->edges[edge ^ 1].next;
    } while (edge != first);
    int count = 0;
    edge = best;
    do {
        ids[count] = hull->edges[edge].origin;
        vertices[count++] = hull->vertices[hull->edges[edge].origin];
        edge = hull->edges[edge].next;
    } while (edge != best && count < CN_MAX_FACE_VERTICES);
    return count;
}

// The cap of a cylinder comes as a polygon; the lowest point of its rim lies beside the corners.
static void add_lowest_point(const cn_triangle_pair *pair, cn_cluster *out)
{
    enum { LOWEST = 0xffffff };
    cn_vec3 n = pair->plane.normal, lowest = cn_convex_support(pair->query->b, cn_neg(n));
    float separation = cn_dot(n, lowest) - pair->plane.offset;
    cn_manifold_point point = { cn_madd(lowest, -0.5f * separation, n), separation, LOWEST };
    int nearest = 0;
    for (int i = 0; i < out->count; i++) {
        if (out->points[i].separation <= separation + 0.1f * pair->query->tolerance)
            return;
        if (cn_distance(out->points[i].position, point.position) < cn_distance(out->points[nearest].position, point.position))
            nearest = i;
    }
    if (separation <= pair->query->margin && cn_is_over(pair, lowest))
        out->points[out->count < CN_PATCH_POINTS ? out->count++ : nearest] = point;
}

static bool is_listed(const uint16_t *ids, int count, int id)
{
    for (int i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

// The corners of a hull over the triangle that are not of the face: when it turns, it comes down on those.
static int add_corners(const cn_triangle_pair *pair, const uint16_t *ids, int id_count, cn_clip_point *points, int count)
{
    const cn_polyhedron *hull = pair->query->b->hull;
    for (int i = 0; i < hull->vertex_count && count < CN_MAX_CLIP_POINTS; i++) {
        cn_vec3 corner = hull->vertices[i];
        float separation = cn_dot(pair->plane.normal, corner) - pair->plane.offset;
        if (separation <= pair->query->margin && !is_listed(ids, id_count, i) && cn_is_over(pair, corner))
            points[count++] = (cn_clip_point){ corner, separation, 0xFFFF0000u | (uint32_t)i };
    }
    return count;
}

bool cn_triangle_face_contact(const cn_triangle_pair *pair, cn_cluster *out)
{
    static const uint16_t triangle_ids[3] = { 0, 1, 2 };
    const cn_convex *b = pair->query->b;
    cn_vec3 vertices[CN_MAX_FACE_VERTICES], side_normal, n = pair->plane.normal, against = cn_neg(n);
    uint16_t ids[CN_MAX_FACE_VERTICES];
    int count = b->type == CN_HULL ? hull_side(b->hull, against, vertices, ids)
                                   : cn_convex_face(b, against, vertices, ids, &side_normal);
    float skin = cn_core_skin(b);
    cn_outline reference = { pair->vertices, triangle_ids, 3 }, incident = { vertices, ids, count };
    cn_clip_point points[CN_MAX_CLIP_POINTS];
    cn_plane plane = { n, pair->plane.offset + skin };
    // Twice the rounding, so that nothing is cut off of what cn_is_over has let pass.
    int found = cn_clip_prism(&reference, &incident, plane, 2.0f * pair->rounding, pair->query->margin, points);
    if (b->type == CN_HULL && found > 0)
        found = add_corners(pair, ids, count, points, found);
    cn_cluster_fill(out, n, points, found, against);
    for (int i = 0; i < out->count; i++)
        out->points[i].position = cn_madd(out->points[i].position, -skin, n);
    if (b->type == CN_CYLINDER)
        add_lowest_point(pair, out);
    return out->count > 0;
}

void cn_triangle_add_front(const cn_triangle_pair *pair, int edge, cn_vec3 normal, float separation, cn_cluster *out)
{
    const float nearly = 0.99996f; // the cosine of half a degree
    cn_cluster front;
    if (cn_dot(normal, pair->plane.normal) < nearly || !cn_triangle_face_contact(pair, &front))
        return;
    for (int i = 0; i < front.count && out->count < CN_PATCH_POINTS; i++) {
        cn_manifold_point point = front.points[i];
        cn_vec3 on_triangle = cn_madd(point.position, -0.5f * point.separation, pair->plane.normal);
        float lower = cn_dot(normal, cn_sub(pair->vertices[edge], on_triangle));
        point.separation = cn_maxf(point.separation, separation + lower);
        out->points[out->count++] = point;
    }
}

// --- the whole ---------------------------------------------------------------------------------------------------------------

// Where the triangle stands for a smooth surface, the normal is the mean of those at its corners, weighted for the deepest
// point.
static cn_vec3 smooth_normal(const cn_triangle *triangle, const cn_cluster *contact)
{
    const float least = 0.5f, most = 0.8660254f; // cosine and sine of the largest turn
    int deepest = 0;
    for (int i = 1; i < contact->count; i++)
        deepest = contact->points[i].separation < contact->points[deepest].separation ? i : deepest;
    const cn_vec3 *v = triangle->vertices, p = contact->points[deepest].position, n = triangle->normal;
    cn_vec3 sum = { 0.0f, 0.0f, 0.0f };
    for (int i = 0; i < 3; i++) {
        cn_vec3 from = v[cn_next_corner(i)], side = cn_sub(v[cn_next_corner(cn_next_corner(i))], from);
        float weight = cn_maxf(0.0f, cn_dot(n, cn_cross(side, cn_sub(p, from))));
        sum = cn_madd(sum, weight, triangle->vertex_normals[i]);
    }
    sum = cn_normalize(sum);
    float along = cn_dot(sum, n);
    if (along >= least)
        return sum;
    cn_vec3 across = cn_normalize(cn_madd(sum, -along, n));
    return cn_normalize(cn_add(cn_scale(least, n), cn_scale(most, across)));
}

void cn_collide_triangle(const cn_triangle_query *query, const cn_triangle *triangle, cn_cluster *out)
{
    static cn_triangle_function *const functions[CN_SOLID_TYPE_COUNT] = { cn_triangle_sphere,   cn_triangle_capsule,
                                                                          cn_triangle_box,      cn_triangle_cylinder,
                                                                          cn_triangle_cylinder, cn_triangle_hull };
    cn_triangle_pair pair;
    out->count = 0;
    out->gap = 0.0f;
    cn_triangle_pair_begin(query, triangle, &pair);
    bool front = functions[query->b->type](&pair, out);
    if (out->count == 0)
        return;
    for (int i = 0; i < out->count; i++)
        out->points[i].position = cn_add(query->b_in_a.position, cn_mat3_mul(&query->rotation, out->points[i].position));
    if (!front)
        out->normal = cn_mat3_mul(&query->rotation, out->normal);
    else
        out->normal = triangle->smooth ? smooth_normal(triangle, out) : triangle->normal;
}
