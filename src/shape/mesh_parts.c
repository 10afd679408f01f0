// Triangle meshes as shapes of many parts, with the scale of a shape. The tree is walked in the unscaled frame of the mesh;
// parts and their boxes are those of the scaled vertices.
#include "base/error.h"
#include "shape/box_tree_grid.h"
#include "shape/composite_ops.h"
#include "shape/mesh_data.h"
#include "shape/mesh_math.h"

#include <stdio.h>

static cn_vec3 divide(cn_vec3 a, cn_vec3 b) { return cn_v3(a.x / b.x, a.y / b.y, a.z / b.z); }
static cn_pos3 normal_over(cn_pos3 n, cn_vec3 s) { return cn_p3(n.x / (double)s.x, n.y / (double)s.y, n.z / (double)s.z); }
static cn_vec3 to_float(cn_pos3 a) { return cn_v3((float)a.x, (float)a.y, (float)a.z); }

// ---- Triangles

static bool is_mirrored(cn_vec3 scale) { return (scale.x < 0.0f) != ((scale.y < 0.0f) != (scale.z < 0.0f)); }

static bool is_uniform(cn_vec3 scale) { return cn_absf(scale.x) == cn_absf(scale.y) && cn_absf(scale.y) == cn_absf(scale.z); }

// Corners as the shape has them; a mirrored mesh is wound the other way.
static void scaled_corners(const cn_composite *composite, int triangle, cn_vec3 corners[3])
{
    cn_vec3 c[3];
    cn_mesh_corners(composite->mesh, triangle, c);
    bool flip = is_mirrored(composite->scale);
    corners[0] = cn_mul(composite->scale, c[0]);
    corners[1] = cn_mul(composite->scale, c[flip ? 2 : 1]);
    corners[2] = cn_mul(composite->scale, c[flip ? 1 : 2]);
}

static cn_f4 to_lanes(cn_vec3 a) { return (cn_f4){ a.x, a.y, a.z, 0.0f }; }

// Corners in the order of the mesh, mirrored or not; what the fourth lanes hold means nothing.
CN_INLINE void load_corners(const cn_mesh *mesh, int triangle, cn_f4 scale, cn_f4 corners[3])
{
    const int32_t *index = mesh->indices + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++) {
        memcpy(&corners[i], &mesh->vertices[index[i]], sizeof corners[i]);
        corners[i] *= scale;
    }
}

static bool corners_of(const cn_composite *composite, const int32_t *parts, int count, cn_f4 (*out)[3])
{
    uint16_t freest = 0;
    cn_f4 scale = to_lanes(composite->scale);
    bool flip = is_mirrored(composite->scale);
    for (int i = 0; i < count; i++) {
        const uint16_t *lean = composite->mesh->leans[parts[i]];
        uint16_t freer = lean[0] > lean[1] ? lean[0] : lean[1];
        freer = freer > lean[2] ? freer : lean[2];
        freest = freest > freer ? freest : freer;
        load_corners(composite->mesh, parts[i], scale, out[i]);
        if (flip) {
            cn_f4 last = out[i][2];
            out[i][2] = out[i][1];
            out[i][1] = last;
        }
    }
    return freest == CN_MESH_LEAN_FREE;
}

static cn_box3 scaled_box(const cn_composite *composite, int triangle)
{
    cn_vec3 c[3], s = composite->scale;
    cn_mesh_corners(composite->mesh, triangle, c);
    for (int i = 0; i < 3; i++)
        c[i] = cn_mul(s, c[i]);
    return (cn_box3){ cn_min3(c[0], cn_min3(c[1], c[2])), cn_max3(c[0], cn_max3(c[1], c[2])) };
}

// The lean over an edge in the scaled surface: both normals are divided by the scale, and the angle between them measured
// again.
static float scaled_lean(const cn_composite *composite, int triangle, int edge, float lean)
{
    cn_vec3 c[3];
    cn_mesh_corners(composite->mesh, triangle, c);
    double t = (double)lean;
    cn_pos3 normal = cn_triangle_normal(c), outwards = cn_unit_of(cn_cross_of(cn_minus(c[(edge + 1) % 3], c[edge]), normal));
    cn_pos3 neighbour = cn_plus(cn_times(1.0 - t * t, normal), cn_times(2.0 * t, outwards));
    return (float)fmin(cn_half_angle_tangent(normal_over(normal, composite->scale), normal_over(neighbour, composite->scale)),
                       1e5);
}

static void get_part(const cn_composite *composite, int part, cn_part *out)
{
    const cn_mesh *mesh = composite->mesh;
    const int32_t *index = mesh->indices + 3 * (size_t)part;
    bool flip = is_mirrored(composite->scale);
    cn_triangle *triangle = &out->triangle;
    bool uniform = is_uniform(composite->scale);
    out->is_triangle = true;
    out->material = mesh->materials == NULL ? 0 : mesh->materials[part];
    scaled_corners(composite, part, triangle->vertices);
    triangle->normal = to_float(cn_triangle_normal(triangle->vertices));
    triangle->smooth = mesh->normals != NULL;
    for (int i = 0; i < 3; i++) {
        int edge = flip ? 2 - i : i, corner = flip ? (3 - i) % 3 : i; // wound the other way, vertex 0 stays the first
        float lean = cn_mesh_lean(mesh->leans[part][edge]);
        triangle->lean[i] = uniform || lean == 0.0f || lean == CN_LEAN_FREE ? lean : scaled_lean(composite, part, edge, lean);
        if (triangle->smooth)
            triangle->vertex_normals[i] = cn_normalize(divide(mesh->normals[index[corner]], composite->scale));
    }
}

// ---- The whole

static int part_limit(const cn_composite *composite) { return composite->mesh->triangle_count; }
static int material_limit(const cn_composite *composite) { return composite->mesh->material_limit; }

static cn_box3 bounds(const cn_composite *composite)
{
    cn_vec3 a = cn_mul(composite->scale, composite->mesh->tree.bounds.lower);
    cn_vec3 b = cn_mul(composite->scale, composite->mesh->tree.bounds.upper);
    return (cn_box3){ cn_min3(a, b), cn_max3(a, b) };
}

static void retain(const cn_composite *composite)
{
    __atomic_add_fetch(&((cn_mesh *)(uintptr_t)composite->mesh)->references, 1, __ATOMIC_RELAXED);
}

static void release(const cn_composite *composite) { cn_mesh_destroy((cn_mesh *)(uintptr_t)composite->mesh); }

// Triangles by welded vertices, so that seams count as closed, and without those that welding leaves no area.
static int weld_triangles(const cn_composite *composite, const int32_t *weld, int *indices)
{
    const cn_mesh *mesh = composite->mesh;
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int32_t *index = mesh->indices + 3 * (size_t)t;
        int a = weld[index[0]], b = weld[index[1]], c = weld[index[2]], *to = indices + 3 * (size_t)count;
        if (a == b || b == c || c == a)
            continue;
        bool flip = is_mirrored(composite->scale);
        to[0] = a;
        to[1] = flip ? c : b;
        to[2] = flip ? b : c;
        count++;
    }
    return count;
}

static bool mass(const cn_composite *composite, const char *function, float density, cn_mass *out)
{
    const cn_mesh *mesh = composite->mesh;
    const cn_allocator *allocator = &mesh->allocator;
    size_t vertices_size = (size_t)mesh->vertex_count * sizeof(cn_vec3),
           weld_size = (size_t)mesh->vertex_count * sizeof(int32_t);
    size_t indices_size = (size_t)mesh->triangle_count * 3 * sizeof(int);
    cn_vec3 *vertices = cn_allocate(allocator, vertices_size, 64);
    int32_t *weld = cn_allocate(allocator, weld_size, 64);
    int *indices = cn_allocate(allocator, indices_size, 64);
    cn_mesh_weld(mesh, weld);
    for (int i = 0; i < mesh->vertex_count; i++)
        vertices[i] = cn_mul(composite->scale, mesh->vertices[i]);
    *out = cn_mass_mesh(vertices, mesh->vertex_count, indices, weld_triangles(composite, weld, indices), density);
    cn_release(allocator, vertices, vertices_size);
    cn_release(allocator, weld, weld_size);
    cn_release(allocator, indices, indices_size);
    if (out->mass > 0.0f || density == 0.0f)
        return true;
    char reason[256];
    snprintf(reason, sizeof reason, "%s", cn_last_error());
    return cn_fail("%s: the mesh encloses no solid: %s", function, reason);
}

// ---- Walks

typedef struct query_walk {
    const cn_mesh *mesh;
    cn_f4 scale, lower, upper;
    int32_t *out;
    int count, capacity;
} query_walk;

static bool query_triangle(void *context, int triangle)
{
    query_walk *walk = context;
    cn_f4 c[3];
    load_corners(walk->mesh, triangle, walk->scale, c);
    cn_f4 lower = cn_f4_min(c[0], cn_f4_min(c[1], c[2])), upper = cn_f4_max(c[0], cn_f4_max(c[1], c[2]));
    if ((cn_i4_bits((lower <= walk->upper) & (walk->lower <= upper)) & 7) == 7) {
        if (walk->count < walk->capacity)
            walk->out[walk->count] = triangle;
        walk->count++;
    }
    return true;
}

// A box of the shape in the frame of the mesh, larger by what rounding may take away.
static cn_box3 unscaled_box(const cn_composite *composite, const cn_box3 *box)
{
    cn_vec3 a = divide(box->lower, composite->scale), b = divide(box->upper, composite->scale);
    cn_vec3 give = cn_scale(1e-6f, cn_max3(cn_abs3(a), cn_abs3(b)));
    return (cn_box3){ cn_sub(cn_min3(a, b), give), cn_add(cn_max3(a, b), give) };
}

static int query(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity)
{
    query_walk walk = { composite->mesh, to_lanes(composite->scale), to_lanes(box->lower), to_lanes(box->upper), out, 0,
                        capacity };
    cn_box3 unscaled = unscaled_box(composite, box);
    cn_box_tree_query(&composite->mesh->tree, &unscaled, query_triangle, &walk);
    return walk.count;
}

typedef struct sweep_walk {
    const cn_composite *composite;
    cn_vec3 origin, translation;
    cn_vec3 reach; // half extents of what moves, and rounding
    cn_part_visit visit;
    void *context;
} sweep_walk;

static bool is_swept(const sweep_walk *walk, const cn_box3 *box, float limit)
{
    float from = 0.0f, to = limit;
    for (int axis = 0; axis < 3; axis++) {
        float o = cn_component(walk->origin, axis), d = cn_component(walk->translation, axis);
        float lower = cn_component(box->lower, axis) - cn_component(walk->reach, axis) - o;
        float upper = cn_component(box->upper, axis) + cn_component(walk->reach, axis) - o;
        if (cn_absf(d) < 1e-20f) {
            if (lower > 0.0f || upper < 0.0f)
                return false;
            continue;
        }
        from = cn_maxf(from, (d > 0.0f ? lower : upper) / d);
        to = cn_minf(to, (d > 0.0f ? upper : lower) / d);
    }
    return from <= to;
}

static float sweep_triangle(void *context, int triangle, float limit)
{
    const sweep_walk *walk = context;
    cn_box3 box = scaled_box(walk->composite, triangle);
    return is_swept(walk, &box, limit) ? walk->visit(walk->context, triangle, limit) : limit;
}

static void sweep(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                  cn_part_visit visit, void *context)
{
    cn_vec3 scale = composite->scale;
    cn_box3 all = bounds(composite);
    float rounding = CN_GRID_ROUNDING * cn_box3_reach(&all, origin);
    sweep_walk walk = { composite, origin, translation, cn_add(half_extents, cn_v3(rounding, rounding, rounding)),
                        visit,     context };
    cn_box_tree_sweep(&composite->mesh->tree, divide(origin, scale), divide(translation, scale),
                      cn_abs3(divide(half_extents, scale)), limit, sweep_triangle, &walk);
}

typedef struct near_walk {
    const cn_composite *composite;
    const cn_box3 *box;
    cn_part_visit visit;
    void *context;
} near_walk;

static float near_triangle(void *context, int triangle, float limit)
{
    const near_walk *walk = context;
    cn_box3 box = scaled_box(walk->composite, triangle);
    cn_vec3 gap = cn_max3(cn_sub(box.lower, walk->box->upper), cn_sub(walk->box->lower, box.upper));
    float distance = cn_length(cn_max3(gap, cn_v3(0.0f, 0.0f, 0.0f)));
    return distance <= limit ? walk->visit(walk->context, triangle, limit) : limit;
}

static void near(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context)
{
    near_walk walk = { composite, box, visit, context };
    cn_box3 unscaled = unscaled_box(composite, box);
    cn_box_tree_near(&composite->mesh->tree, &unscaled, composite->scale, limit, near_triangle, &walk);
}

// ---- Rays

static cn_mesh_ray_kernel choose_ray_kernel(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return cn_mesh_ray_avx2;
#endif
    return cn_mesh_ray_base;
}

static bool cast_ray(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, float limit, cn_surface_hit *hit)
{
    cn_mesh_ray_hit found;
    // Neither the fraction nor which side is met changes with the scale.
    if (!choose_ray_kernel()(composite->mesh, divide(origin, composite->scale), divide(translation, composite->scale), limit,
                             &found))
        return false;
    cn_vec3 corners[3];
    scaled_corners(composite, found.triangle, corners);
    *hit = (cn_surface_hit){ found.fraction, found.triangle, to_float(cn_triangle_normal(corners)) };
    return true;
}

const cn_composite_ops cn_mesh_ops = { get_part, part_limit, material_limit, bounds, mass,       retain,
                                       release,  query,      sweep,          near,   corners_of, cast_ray };
