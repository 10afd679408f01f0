// Support points, touching features, bounds and radii of the six solids and of a triangle.
#include "shape/convex.h"

#include "shape/hull_lanes.h"
#include "shape/taper.h"

// Unit length also for directions whose square under- or overflows; zero and NaN answer +y.
static cn_vec3 unit(cn_vec3 d)
{
    float length_sq = cn_length_sq(d);
    if (length_sq > 1e-30f && length_sq < 1e30f)
        return cn_scale(1.0f / sqrtf(length_sq), d);
    float largest = cn_maxf(cn_absf(d.x), cn_maxf(cn_absf(d.y), cn_absf(d.z)));
    if (!(largest > 0.0f && largest <= 3.4e38f))
        return cn_v3(0.0f, 1.0f, 0.0f);
    return cn_normalize(cn_v3(d.x / largest, d.y / largest, d.z / largest));
}

// The part of a direction across the y axis, as a unit vector; zero when there is none.
static cn_vec3 radial(cn_vec3 unit_direction) { return cn_normalize(cn_v3(unit_direction.x, 0.0f, unit_direction.z)); }

static float with_sign(float magnitude, float sign) { return sign < 0.0f ? -magnitude : magnitude; }

// Hulls

enum { SCAN_LIMIT = 32 }; // above this many vertices, climbing along edges beats looking at each one

CN_INLINE cn_f4 along4(cn_vertices4 v, cn_vec3 direction) { return v.x * direction.x + v.y * direction.y + v.z * direction.z; }

// The first block and lane that holds a value, as a number; 0 where none does, as of what is not a number.
static int find_lane(const cn_f4 *values, int count, float value)
{
    cn_f4 wanted = cn_f4_set(value);
    for (int i = 0; i < count; i++) {
        int found = cn_i4_bits(values[i] == wanted);
        if (found != 0)
            return CN_HULL_LANES * i + __builtin_ctz((unsigned)found);
    }
    return 0;
}

// The first of the vertices that are highest.
static int scan_support(const cn_polyhedron *hull, cn_vec3 direction)
{
    cn_f4 heights[SCAN_LIMIT / CN_HULL_LANES], highest = cn_f4_set(-INFINITY);
    int count = 0;
    for (int seen = 0; seen < hull->vertex_count; seen += CN_HULL_LANES, count++) {
        heights[count] = along4(cn_load_vertices(&hull->vertices[cn_block_start(hull, seen)]), direction);
        highest = cn_f4_max(heights[count], highest);
    }
    int found = find_lane(heights, count, cn_largest_lane(highest)), lane = found % CN_HULL_LANES;
    return cn_block_start(hull, found - lane) + lane;
}

// On a convex polyhedron a vertex that is higher than its neighbours is the highest of all.
static int climb_support(const cn_polyhedron *hull, cn_vec3 direction)
{
    // Vertices are sorted by x, so the first and the last are good places to start.
    int best = direction.x < 0.0f ? 0 : hull->vertex_count - 1;
    float best_height = cn_dot(hull->vertices[best], direction);
    for (;;) {
        int from = best, first = hull->vertex_edges[from], edge = first;
        do {
            int twin = edge ^ 1, neighbour = hull->edges[twin].origin;
            float height = cn_dot(hull->vertices[neighbour], direction);
            if (height > best_height) {
                best_height = height;
                best = neighbour;
            }
            edge = hull->edges[twin].next;
        } while (edge != first);
        if (best == from)
            return best;
    }
}

int cn_polyhedron_support(const cn_polyhedron *hull, cn_vec3 direction)
{
    return hull->vertex_count <= SCAN_LIMIT ? scan_support(hull, direction) : climb_support(hull, direction);
}

static cn_vec3 hull_support(const cn_polyhedron *hull, cn_vec3 direction)
{
    return hull->vertices[cn_polyhedron_support(hull, direction)];
}

// Of a turned hull. One pass over few vertices is quicker than six searches.
static void hull_bounds(const cn_polyhedron *hull, const cn_mat3 *r, cn_vec3 *lower, cn_vec3 *upper)
{
    cn_vec3 x = { r->x.x, r->y.x, r->z.x }, y = { r->x.y, r->y.y, r->z.y }, z = { r->x.z, r->y.z, r->z.z };
    if (hull->vertex_count > SCAN_LIMIT) {
        *lower = cn_v3(cn_dot(x, hull_support(hull, cn_neg(x))), cn_dot(y, hull_support(hull, cn_neg(y))),
                       cn_dot(z, hull_support(hull, cn_neg(z))));
        *upper = cn_v3(cn_dot(x, hull_support(hull, x)), cn_dot(y, hull_support(hull, y)), cn_dot(z, hull_support(hull, z)));
        return;
    }
    cn_f4 low[3] = { cn_f4_set(INFINITY), cn_f4_set(INFINITY), cn_f4_set(INFINITY) };
    cn_f4 high[3] = { -low[0], -low[1], -low[2] };
    for (int seen = 0; seen < hull->vertex_count; seen += CN_HULL_LANES) {
        cn_vertices4 v = cn_load_vertices(&hull->vertices[cn_block_start(hull, seen)]);
        cn_f4 p[3] = { along4(v, x), along4(v, y), along4(v, z) };
        for (int k = 0; k < 3; k++) {
            low[k] = cn_f4_min(p[k], low[k]);
            high[k] = cn_f4_max(p[k], high[k]);
        }
    }
    *lower = cn_v3(cn_least_lane(low[0]), cn_least_lane(low[1]), cn_least_lane(low[2]));
    *upper = cn_v3(cn_largest_lane(high[0]), cn_largest_lane(high[1]), cn_largest_lane(high[2]));
}

static float farthest_vertex(const cn_polyhedron *hull, cn_vec3 point)
{
    float farthest = 0.0f;
    for (int i = 0; i < hull->vertex_count; i++)
        farthest = cn_maxf(farthest, cn_length_sq(cn_sub(hull->vertices[i], point)));
    return sqrtf(farthest);
}

// Triangles

static cn_vec3 triangle_support(const cn_vec3 *triangle, cn_vec3 direction)
{
    float a = cn_dot(triangle[0], direction), b = cn_dot(triangle[1], direction), c = cn_dot(triangle[2], direction);
    return triangle[a >= b && a >= c ? 0 : b >= c ? 1 : 2];
}

// Support, bounds, mass, radii

cn_vec3 cn_convex_support(const cn_convex *shape, cn_vec3 direction)
{
    switch (shape->type) {
    case CN_SPHERE: return cn_scale(shape->radius, unit(direction));
    case CN_CAPSULE: {
        cn_vec3 tip = { 0.0f, with_sign(shape->half_height, direction.y), 0.0f };
        return cn_madd(tip, shape->radius, unit(direction));
    }
    case CN_BOX: {
        cn_vec3 h = shape->half_extents;
        return cn_v3(with_sign(h.x, direction.x), with_sign(h.y, direction.y), with_sign(h.z, direction.z));
    }
    case CN_CYLINDER: {
        cn_vec3 rim = cn_scale(shape->radius, radial(unit(direction)));
        return cn_v3(rim.x, with_sign(shape->half_height, direction.y), rim.z);
    }
    case CN_TAPERED_CAPSULE: return cn_taper_support(shape, unit(direction));
    case CN_TRIANGLE: return triangle_support(shape->triangle, direction);
    default: return hull_support(shape->hull, direction);
    }
}

// Half the width of a round shape along a world axis; `up` is the component of the shape's y axis along it.
static float half_width(const cn_convex *shape, float up)
{
    float disc = shape->type == CN_CYLINDER ? sqrtf(cn_maxf(0.0f, 1.0f - up * up)) : 1.0f;
    return shape->half_height * cn_absf(up) + shape->radius * disc;
}

void cn_convex_bounds(const cn_convex *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper)
{
    cn_mat3 r = cn_mat3_from_quat(pose.rotation);
    cn_vec3 h = cn_v3(shape->radius, shape->radius, shape->radius);
    switch (shape->type) {
    case CN_SPHERE: break;
    case CN_CAPSULE:
    case CN_CYLINDER: h = cn_v3(half_width(shape, r.y.x), half_width(shape, r.y.y), half_width(shape, r.y.z)); break;
    case CN_BOX: {
        cn_mat3 a = { cn_abs3(r.x), cn_abs3(r.y), cn_abs3(r.z) };
        h = cn_mat3_mul(&a, shape->half_extents);
        break;
    }
    case CN_TAPERED_CAPSULE: cn_taper_bounds(shape, pose, lower, upper); return;
    case CN_TRIANGLE: {
        cn_vec3 p = cn_pose_point(pose, shape->triangle[0]);
        *lower = *upper = p;
        for (int i = 1; i < 3; i++) {
            p = cn_pose_point(pose, shape->triangle[i]);
            *lower = cn_min3(*lower, p);
            *upper = cn_max3(*upper, p);
        }
        return;
    }
    default: {
        cn_vec3 low, high;
        hull_bounds(shape->hull, &r, &low, &high);
        *lower = cn_add(pose.position, low);
        *upper = cn_add(pose.position, high);
        return;
    }
    }
    *lower = cn_sub(pose.position, h);
    *upper = cn_add(pose.position, h);
}

cn_mass cn_convex_mass(const cn_convex *shape, float density)
{
    switch (shape->type) {
    case CN_SPHERE: return cn_mass_sphere(shape->radius, density);
    case CN_CAPSULE: return cn_mass_capsule(shape->half_height, shape->radius, density);
    case CN_BOX: return cn_mass_box(shape->half_extents, density);
    case CN_CYLINDER: return cn_mass_cylinder(shape->half_height, shape->radius, density);
    case CN_TAPERED_CAPSULE:
        return cn_mass_tapered_capsule(shape->half_height, shape->radius, shape->top_radius, density);
    case CN_TRIANGLE: return (cn_mass){ 0 };
    default: {
        cn_mass m = shape->hull->unit_mass;
        cn_sym3 i = m.inertia;
        m.mass *= density;
        m.inertia = (cn_sym3){ density * i.xx, density * i.yy, density * i.zz, density * i.xy, density * i.xz, density * i.yz };
        return m;
    }
    }
}

float cn_convex_inner_radius(const cn_convex *shape)
{
    switch (shape->type) {
    case CN_SPHERE:
    case CN_CAPSULE: return shape->radius;
    case CN_BOX: return cn_minf(shape->half_extents.x, cn_minf(shape->half_extents.y, shape->half_extents.z));
    case CN_CYLINDER: return cn_minf(shape->radius, shape->half_height);
    case CN_TAPERED_CAPSULE:
        return cn_taper_is_ball(shape) ? cn_taper_skin(shape) : 0.5f * (shape->radius + shape->top_radius);
    case CN_TRIANGLE: return 0.0f;
    default: return shape->hull->inner_radius;
    }
}

float cn_convex_outer_radius(const cn_convex *shape, cn_vec3 point)
{
    switch (shape->type) {
    case CN_SPHERE: return cn_length(point) + shape->radius;
    case CN_CAPSULE: return cn_length(cn_v3(point.x, cn_absf(point.y) + shape->half_height, point.z)) + shape->radius;
    case CN_BOX: return cn_length(cn_add(cn_abs3(point), shape->half_extents));
    case CN_CYLINDER: {
        float across = sqrtf(point.x * point.x + point.z * point.z) + shape->radius;
        float along = cn_absf(point.y) + shape->half_height;
        return sqrtf(across * across + along * along);
    }
    case CN_TAPERED_CAPSULE: return cn_taper_outer_radius(shape, point);
    case CN_TRIANGLE:
        return cn_maxf(cn_distance(shape->triangle[0], point),
                       cn_maxf(cn_distance(shape->triangle[1], point), cn_distance(shape->triangle[2], point)));
    default: return farthest_vertex(shape->hull, point);
    }
}

// Touching features

static int capsule_face(const cn_convex *shape, cn_vec3 d, cn_vec3 *vertices, uint16_t *ids, cn_vec3 *normal)
{
    const float steepest = 0.1f; // sine of the angle up to which the whole side counts as touching
    if (cn_absf(d.y) < steepest && shape->half_height > 0.0f) {
        vertices[0] = cn_v3(0.0f, -shape->half_height, 0.0f);
        vertices[1] = cn_v3(0.0f, shape->half_height, 0.0f);
        ids[0] = 0;
        ids[1] = 1;
        *normal = radial(d);
        return 2;
    }
    vertices[0] = cn_v3(0.0f, with_sign(shape->half_height, d.y), 0.0f);
    ids[0] = d.y < 0.0f ? 0 : 1;
    *normal = d;
    return 1;
}

static int box_face(const cn_convex *shape, cn_vec3 d, cn_vec3 *vertices, uint16_t *ids, cn_vec3 *normal)
{
    cn_vec3 a = cn_abs3(d), h = shape->half_extents;
    int axis = a.x >= a.y && a.x >= a.z ? 0 : a.y >= a.z ? 1 : 2;
    bool negative = cn_component(d, axis) < 0.0f;
    // Corner i lies on the positive side of x, y, z where bits 0, 1, 2 of i are set; these go around the positive faces.
    static const uint8_t corners[3][4] = { { 1, 3, 7, 5 }, { 2, 6, 7, 3 }, { 4, 5, 7, 6 } };
    for (int i = 0; i < 4; i++) {
        // the opposite face is the mirror image, so it is walked backwards
        int corner = negative ? corners[axis][3 - i] ^ (1 << axis) : corners[axis][i];
        vertices[i] = cn_v3(corner & 1 ? h.x : -h.x, corner & 2 ? h.y : -h.y, corner & 4 ? h.z : -h.z);
        ids[i] = (uint16_t)corner;
    }
    float sign = negative ? -1.0f : 1.0f;
    *normal = cn_v3(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f);
    return 4;
}

// Vertex ids of a cylinder: 0 to 11 around the lower cap, 16 to 27 around the upper cap, 32 and 33 the ends of the side line.
static int cylinder_face(const cn_convex *shape, cn_vec3 d, cn_vec3 *vertices, uint16_t *ids, cn_vec3 *normal)
{
    enum { CORNERS = 12, UPPER = 16, SIDE = 32 };
    static const float rim[CORNERS][2] = { { 1.0f, 0.0f },  { 0.8660254f, 0.5f },   { 0.5f, 0.8660254f },
                                           { 0.0f, 1.0f },  { -0.5f, 0.8660254f },  { -0.8660254f, 0.5f },
                                           { -1.0f, 0.0f }, { -0.8660254f, -0.5f }, { -0.5f, -0.8660254f },
                                           { 0.0f, -1.0f }, { 0.5f, -0.8660254f },  { 0.8660254f, -0.5f } };
    float r = shape->radius, h = shape->half_height;
    if (2.0f * d.y * d.y < 1.0f) {
        cn_vec3 side = radial(d);
        vertices[0] = cn_v3(r * side.x, -h, r * side.z);
        vertices[1] = cn_v3(r * side.x, h, r * side.z);
        ids[0] = SIDE;
        ids[1] = SIDE + 1;
        *normal = side;
        return 2;
    }
    bool upper = d.y > 0.0f;
    for (int i = 0; i < CORNERS; i++) {
        int k = upper ? CORNERS - 1 - i : i; // x to z is clockwise seen from above
        vertices[i] = cn_v3(r * rim[k][0], upper ? h : -h, r * rim[k][1]);
        ids[i] = (uint16_t)(upper ? UPPER + k : k);
    }
    *normal = cn_v3(0.0f, upper ? 1.0f : -1.0f, 0.0f);
    return CORNERS;
}

// The first of the faces whose normals are most along a direction.
static int most_aligned_face(const cn_polyhedron *hull, cn_vec3 d)
{
    enum { SEEN_BLOCKS = 16 };
    int face = 0;
    float best = -INFINITY;
    for (int first = 0; first < hull->face_count; first += CN_HULL_LANES * SEEN_BLOCKS) {
        cn_f4 along[SEEN_BLOCKS], most = cn_f4_set(-INFINITY);
        int count = 0;
        for (int i = first; i < hull->face_count && count < SEEN_BLOCKS; i += CN_HULL_LANES, count++) {
            cn_planes4 p = cn_planes_from(hull, i);
            along[count] = p.x * d.x + p.y * d.y + p.z * d.z;
            most = cn_f4_max(along[count], most);
        }
        float largest = cn_largest_lane(most);
        if (largest > best) {
            best = largest;
            face = first + find_lane(along, count, largest);
        }
    }
    return face;
}

static int hull_face(const cn_polyhedron *hull, cn_vec3 d, cn_vec3 *vertices, uint16_t *ids, cn_vec3 *normal)
{
    int face = most_aligned_face(hull, d);
    int count = 0, first = hull->face_edges[face], edge = first;
    do {
        ids[count] = hull->edges[edge].origin;
        vertices[count++] = hull->vertices[hull->edges[edge].origin];
        edge = hull->edges[edge].next;
    } while (edge != first);
    *normal = hull->planes[face].normal;
    return count;
}

// Always the whole triangle, from the side the direction points to.
static int triangle_face(const cn_vec3 *triangle, cn_vec3 d, cn_vec3 *vertices, uint16_t *ids, cn_vec3 *normal)
{
    cn_vec3 front = cn_normalize(cn_cross(cn_sub(triangle[1], triangle[0]), cn_sub(triangle[2], triangle[0])));
    bool back = cn_dot(front, d) < 0.0f;
    for (int i = 0; i < 3; i++) {
        ids[i] = (uint16_t)(back ? 2 - i : i);
        vertices[i] = triangle[ids[i]];
    }
    *normal = back ? cn_neg(front) : front;
    return 3;
}

int cn_convex_face(const cn_convex *shape, cn_vec3 direction, cn_vec3 vertices[CN_MAX_FACE_VERTICES],
                   uint16_t ids[CN_MAX_FACE_VERTICES], cn_vec3 *normal)
{
    cn_vec3 d = unit(direction);
    switch (shape->type) {
    case CN_SPHERE:
        vertices[0] = cn_v3(0.0f, 0.0f, 0.0f);
        ids[0] = 0;
        *normal = d;
        return 1;
    case CN_CAPSULE: return capsule_face(shape, d, vertices, ids, normal);
    case CN_BOX: return box_face(shape, d, vertices, ids, normal);
    case CN_CYLINDER: return cylinder_face(shape, d, vertices, ids, normal);
    case CN_TAPERED_CAPSULE: return cn_taper_face(shape, d, vertices, ids, normal);
    case CN_TRIANGLE: return triangle_face(shape->triangle, d, vertices, ids, normal);
    default: return hull_face(shape->hull, d, vertices, ids, normal);
    }
}
