// What a mesh knows of its edges and vertices: how far the surface bends over each edge, and smooth normals.
#include "shape/mesh_data.h"
#include "shape/mesh_math.h"

#include <string.h>

// An edge that more triangles share than this counts as open: comparing all of them with each other would take forever.
enum { MOST_AROUND_EDGE = 16 };

// ---- Vertices at the same place

static uint32_t hash_place(cn_vec3 v)
{
    uint32_t bits[3];
    cn_vec3 positive = cn_add(v, cn_v3(0.0f, 0.0f, 0.0f)); // no negative zeros
    memcpy(bits, &positive, sizeof bits);
    uint64_t h = (bits[0] ^ (uint64_t)bits[1] << 32) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ bits[2]) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

void cn_mesh_weld(const cn_mesh *mesh, int32_t *out)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)mesh->vertex_count)
        slots *= 2;
    int32_t *table = cn_allocate(&mesh->allocator, slots * sizeof *table, 64); // vertices by place
    memset(table, 0xff, slots * sizeof *table);
    for (int i = 0; i < mesh->vertex_count; i++) {
        cn_vec3 v = mesh->vertices[i];
        size_t slot = hash_place(v) & (slots - 1);
        for (;; slot = (slot + 1) & (slots - 1)) {
            if (table[slot] < 0)
                table[slot] = i;
            cn_vec3 w = mesh->vertices[table[slot]];
            if (v.x == w.x && v.y == w.y && v.z == w.z)
                break;
        }
        out[i] = table[slot];
    }
    cn_release(&mesh->allocator, table, slots * sizeof *table);
}

bool cn_mesh_is_degenerate(const cn_vec3 c[3])
{
    cn_pos3 e[3] = { cn_minus(c[1], c[0]), cn_minus(c[2], c[1]), cn_minus(c[0], c[2]) };
    double longest = fmax(cn_dot_of(e[0], e[0]), fmax(cn_dot_of(e[1], e[1]), cn_dot_of(e[2], e[2])));
    return !(cn_length_of(cn_cross_of(e[0], e[1])) > 1e-10 * longest);
}

// ---- Edges

// Edge i of triangle t has the number 3 t + i.
typedef struct edge_work {
    cn_mesh *mesh;
    int32_t *weld;
    cn_pos3 *normals; // of triangles
    int32_t *edges;   // sorted by their ends, lower first
    int edge_count;
} edge_work;

static int32_t edge_end(const edge_work *work, int32_t edge, int which)
{
    int corner = (edge % 3 + which) % 3;
    return work->weld[work->mesh->indices[edge - edge % 3 + corner]];
}
static int32_t lower_end(const edge_work *w, int32_t edge)
{
    int32_t a = edge_end(w, edge, 0), b = edge_end(w, edge, 1);
    return a < b ? a : b;
}
static int32_t upper_end(const edge_work *w, int32_t edge)
{
    int32_t a = edge_end(w, edge, 0), b = edge_end(w, edge, 1);
    return a > b ? a : b;
}
static bool runs_upwards(const edge_work *w, int32_t edge) { return edge_end(w, edge, 0) < edge_end(w, edge, 1); }

// One pass of a counting sort; stable.
static void sort_pass(const edge_work *w, int32_t (*key)(const edge_work *, int32_t), const int32_t *from, int32_t *to,
                      int32_t *starts)
{
    int keys = w->mesh->vertex_count;
    memset(starts, 0, ((size_t)keys + 1) * sizeof *starts);
    for (int i = 0; i < w->edge_count; i++)
        starts[key(w, from[i]) + 1]++;
    for (int i = 0; i < keys; i++)
        starts[i + 1] += starts[i];
    for (int i = 0; i < w->edge_count; i++)
        to[starts[key(w, from[i])]++] = from[i];
}

static void sort_edges(edge_work *w)
{
    const cn_mesh *mesh = w->mesh;
    size_t size = (size_t)w->edge_count * sizeof(int32_t), starts_size = ((size_t)mesh->vertex_count + 1) * sizeof(int32_t);
    int32_t *other = cn_allocate(&mesh->allocator, size, 64), *starts = cn_allocate(&mesh->allocator, starts_size, 64);
    for (int i = 0; i < mesh->tree.item_count; i++)
        for (int k = 0; k < 3; k++)
            w->edges[3 * i + k] = 3 * mesh->tree.items[i] + k;
    sort_pass(w, upper_end, w->edges, other, starts);
    sort_pass(w, lower_end, other, w->edges, starts);
    cn_release(&mesh->allocator, other, size);
    cn_release(&mesh->allocator, starts, starts_size);
}

static double largest_coordinate(const cn_vec3 corners[3])
{
    cn_vec3 most = cn_max3(cn_abs3(corners[0]), cn_max3(cn_abs3(corners[1]), cn_abs3(corners[2])));
    return (double)cn_maxf(most.x, cn_maxf(most.y, most.z));
}

static uint16_t store_lean(double tangent)
{
    int stored = (int)(tangent / (1.0 + tangent) * (double)UINT16_MAX + 0.5);
    return (uint16_t)(stored < CN_MESH_LEAN_FREE ? stored : CN_MESH_LEAN_FREE - 1);
}

// How far the surface leans from triangle to triangle over an edge they share. Flat is what may be flat when vertices are
// off by the rounding of float, or bends by less than 1e-4 rad.
static uint16_t lean_between(const edge_work *w, int32_t from, int32_t to)
{
    cn_vec3 a[3], b[3];
    cn_mesh_corners(w->mesh, from / 3, a);
    cn_mesh_corners(w->mesh, to / 3, b);
    cn_vec3 start = a[from % 3];
    cn_pos3 edge = cn_minus(a[(from + 1) % 3], start), to_tip_a = cn_minus(a[(from + 2) % 3], start),
            to_tip_b = cn_minus(b[(to + 2) % 3], start);
    double height_a = cn_length_of(cn_cross_of(edge, to_tip_a)) / cn_length_of(edge),
           height_b = cn_length_of(cn_cross_of(edge, to_tip_b)) / cn_length_of(edge);
    cn_pos3 normal_a = w->normals[from / 3], normal_b = w->normals[to / 3];
    double rise = cn_dot_of(normal_a, to_tip_b), cosine = cn_dot_of(normal_a, normal_b);
    double rounding = 4.0 / (1 << 23) * fmax(largest_coordinate(a), largest_coordinate(b)) * (1.0 + height_b / height_a);
    if (fabs(rise) <= fmax(rounding, 1e-4 * height_b))
        return cosine > 0.0 ? 0 : CN_MESH_LEAN_FREE - 1; // folded back onto itself
    if (rise > 0.0)
        return 0;
    return store_lean(cn_half_angle_tangent(normal_a, normal_b));
}

static uint16_t *stored_lean(const edge_work *w, int32_t edge) { return &w->mesh->leans[edge / 3][edge % 3]; }

// The triangles around one edge. Where there are more than two, that one of the neighbours counts which ends the room in front
// of the triangle: the one with the least lean.
static void lean_around(const edge_work *w, const int32_t *edges, int count)
{
    for (int i = 0; i < count; i++)
        *stored_lean(w, edges[i]) = CN_MESH_LEAN_FREE;
    if (count > MOST_AROUND_EDGE)
        return;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (runs_upwards(w, edges[i]) == runs_upwards(w, edges[j]))
                continue;
            uint16_t lean = lean_between(w, edges[i], edges[j]), *a = stored_lean(w, edges[i]), *b = stored_lean(w, edges[j]);
            *a = lean < *a ? lean : *a;
            *b = lean < *b ? lean : *b;
        }
}

void cn_mesh_find_leans(cn_mesh *mesh)
{
    const cn_allocator *allocator = &mesh->allocator;
    size_t weld_size = (size_t)mesh->vertex_count * sizeof(int32_t),
           normals_size = (size_t)mesh->triangle_count * sizeof(cn_pos3);
    edge_work w = { .mesh = mesh, .edge_count = 3 * mesh->tree.item_count };
    size_t edges_size = (size_t)w.edge_count * sizeof(int32_t);
    w.weld = cn_allocate(allocator, weld_size, 64);
    w.normals = cn_allocate(allocator, normals_size, 64);
    w.edges = cn_allocate(allocator, edges_size, 64);
    cn_mesh_weld(mesh, w.weld);
    for (int i = 0; i < mesh->tree.item_count; i++) {
        cn_vec3 corners[3];
        cn_mesh_corners(mesh, mesh->tree.items[i], corners);
        w.normals[mesh->tree.items[i]] = cn_triangle_normal(corners);
    }
    sort_edges(&w);
    memset(mesh->leans, 0, (size_t)mesh->triangle_count * sizeof *mesh->leans); // of those that were dropped
    for (int i = 0, end; i < w.edge_count; i = end) {
        int32_t lower = lower_end(&w, w.edges[i]), upper = upper_end(&w, w.edges[i]);
        for (end = i + 1; end < w.edge_count && lower_end(&w, w.edges[end]) == lower && upper_end(&w, w.edges[end]) == upper;)
            end++;
        lean_around(&w, w.edges + i, end - i);
    }
    cn_release(allocator, w.weld, weld_size);
    cn_release(allocator, w.normals, normals_size);
    cn_release(allocator, w.edges, edges_size);
}

// ---- Smooth normals

// In rad, at corner i.
static double angle_at(const cn_vec3 c[3], int i)
{
    cn_pos3 a = cn_minus(c[(i + 1) % 3], c[i]), b = cn_minus(c[(i + 2) % 3], c[i]);
    double size = cn_length_of(a) * cn_length_of(b);
    // The quaternion that turns one edge into the other, whose logarithm is the angle; its length does not matter.
    return (double)cn_quat_log(
               (cn_quat){ (float)(cn_length_of(cn_cross_of(a, b)) / size), 0.0f, 0.0f, (float)(1.0 + cn_dot_of(a, b) / size) })
        .x;
}

void cn_mesh_find_normals(cn_mesh *mesh)
{
    const cn_allocator *allocator = &mesh->allocator;
    size_t weld_size = (size_t)mesh->vertex_count * sizeof(int32_t), sums_size = (size_t)mesh->vertex_count * sizeof(cn_pos3);
    int32_t *weld = cn_allocate(allocator, weld_size, 64);
    cn_pos3 *sums = cn_allocate(allocator, sums_size, 64);
    cn_mesh_weld(mesh, weld);
    memset(sums, 0, sums_size);
    for (int t = 0; t < mesh->triangle_count; t++) { // in the order given, as sums depend on it
        cn_vec3 corners[3];
        cn_mesh_corners(mesh, t, corners);
        if (cn_mesh_is_degenerate(corners))
            continue;
        cn_pos3 normal = cn_triangle_normal(corners);
        for (int i = 0; i < 3; i++) {
            cn_pos3 *sum = &sums[weld[mesh->indices[3 * (size_t)t + (size_t)i]]], part = cn_times(angle_at(corners, i), normal);
            *sum = cn_plus(*sum, part);
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        cn_pos3 sum = sums[weld[i]];
        double size = cn_length_of(sum);
        // Where triangles cancel each other, or there are none, any direction is as good as another.
        mesh->normals[i] =
            size > 1e-6 ? cn_v3((float)(sum.x / size), (float)(sum.y / size), (float)(sum.z / size)) : cn_v3(0.0f, 1.0f, 0.0f);
    }
    cn_release(allocator, weld, weld_size);
    cn_release(allocator, sums, sums_size);
}
