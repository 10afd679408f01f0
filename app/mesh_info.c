// What `cairn info` says of a model file.
#include "base/timer.h"
#include "mesh_file.h"
#include "output.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct summary {
    const char *path;
    const cn_mesh_file *file;
    const cn_mesh *mesh;
    int triangles, dropped;
    cn_vec3 lower, upper;
    double volume;                 // m^3, inside a closed surface
    int open_edges, crowded_edges; // of one triangle; of more than two, or of two that face opposite ways
    double read_ms, build_ms;
    double bytes_per_triangle; // beyond vertices and indices
} summary;

// ---- Measuring

static void measure_bounds(summary *s)
{
    s->lower = s->upper = s->file->vertices[0];
    for (int i = 1; i < s->file->vertex_count; ++i) {
        cn_vec3 v = s->file->vertices[i];
        s->lower = (cn_vec3){ fminf(s->lower.x, v.x), fminf(s->lower.y, v.y), fminf(s->lower.z, v.z) };
        s->upper = (cn_vec3){ fmaxf(s->upper.x, v.x), fmaxf(s->upper.y, v.y), fmaxf(s->upper.z, v.z) };
    }
}

// The sum of tetrahedra from the middle of the bounds.
static double add_volume(const summary *s, const int corners[3])
{
    double p[3][3];
    for (int i = 0; i < 3; ++i) {
        cn_vec3 v = s->file->vertices[corners[i]];
        p[i][0] = (double)v.x - 0.5 * ((double)s->lower.x + (double)s->upper.x);
        p[i][1] = (double)v.y - 0.5 * ((double)s->lower.y + (double)s->upper.y);
        p[i][2] = (double)v.z - 0.5 * ((double)s->lower.z + (double)s->upper.z);
    }
    return (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
            p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
           6.0;
}

// The lower vertex, the higher one, and whether the triangle runs from the higher one to the lower.
static uint64_t edge_key(int from, int to)
{
    uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
    return low << 32 | high << 1 | (uint64_t)(from > to);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void judge_edges(summary *s, const uint64_t *keys, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && keys[next] >> 1 == keys[i] >> 1;)
            ++next;
        if (next - i == 1)
            ++s->open_edges;
        else if (next - i > 2 || keys[i] == keys[i + 1])
            ++s->crowded_edges;
    }
}

static bool measure_surface(summary *s)
{
    size_t count = 0;
    uint64_t *keys = malloc(3 * (size_t)s->file->triangle_count * sizeof *keys);
    int corners[3];
    if (!keys)
        return false;
    for (int i = 0; i < s->file->triangle_count; ++i) {
        if (!cn_mesh_get_triangle(s->mesh, i, corners))
            continue;
        s->volume += add_volume(s, &s->file->indices[3 * i]);
        for (int k = 0; k < 3; ++k)
            keys[count++] = edge_key(s->file->indices[3 * i + k], s->file->indices[3 * i + (k + 1) % 3]);
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    judge_edges(s, keys, count);
    free(keys);
    return true;
}

// ---- Printing

static int triangles_of(const summary *s, int material)
{
    int count = 0;
    for (int i = 0; i < s->file->triangle_count; ++i)
        count += s->file->materials[i] == material;
    return count;
}

static void print_text(const summary *s)
{
    bool closed = s->open_edges == 0 && s->crowded_edges == 0;
    printf("%-16s%d vertices, %d triangles", "mesh", s->file->vertex_count, s->triangles);
    if (s->dropped > 0)
        printf(", without %d that have no area", s->dropped);
    printf("\n%-16sx %.6g to %.6g, y %.6g to %.6g, z %.6g to %.6g m\n", "bounds", (double)s->lower.x, (double)s->upper.x,
           (double)s->lower.y, (double)s->upper.y, (double)s->lower.z, (double)s->upper.z);
    if (closed)
        printf("%-16sclosed, %.6g m^3 inside\n", "surface", s->volume);
    else
        printf("%-16sopen: %d edges of one triangle, %d that more than two share or that two run along the same way\n",
               "surface", s->open_edges, s->crowded_edges);
    for (int i = 0; i < s->file->name_count; ++i)
        printf("material %-7d%s, %d triangles\n", i, s->file->names[i][0] ? s->file->names[i] : "(no name)",
               triangles_of(s, i));
    printf("%-16s%.1f ms to read the file, %.1f ms to build the mesh\n", "time", s->read_ms, s->build_ms);
    printf("%-16s%.1f bytes per triangle beyond vertices and indices\n", "size", s->bytes_per_triangle);
}

static void print_json(const summary *s)
{
    json_t *names = json_array(), *counts = json_array();
    for (int i = 0; i < s->file->name_count; ++i) {
        json_array_append_new(names, json_string(s->file->names[i]));
        json_array_append_new(counts, json_integer(triangles_of(s, i)));
    }
    json_t *object = json_pack("{s:s, s:i, s:i, s:i, s:o, s:o, s:[f,f,f], s:[f,f,f], s:b, s:i, s:i, s:f, s:f, s:f, s:f}",
                               "file", s->path, "vertices", s->file->vertex_count, "triangles", s->triangles, "dropped",
                               s->dropped, "materials", names, "material_triangles", counts, "lower", (double)s->lower.x,
                               (double)s->lower.y, (double)s->lower.z, "upper", (double)s->upper.x, (double)s->upper.y,
                               (double)s->upper.z, "closed", s->open_edges == 0 && s->crowded_edges == 0, "open_edges",
                               s->open_edges, "crowded_edges", s->crowded_edges, "volume", s->volume, "read_ms", s->read_ms,
                               "build_ms", s->build_ms, "bytes_per_triangle", s->bytes_per_triangle);
    cn_json_print(object);
}

int cn_mesh_info(const char *path, bool json)
{
    cn_mesh_file file;
    double start = cn_now_ms();
    if (!cn_mesh_file_read(&file, path)) {
        cn_mesh_file_free(&file);
        return cn_complain("info", "%s", cn_last_error());
    }
    double read = cn_now_ms();
    cn_mesh *mesh = cn_mesh_file_build(&file, false);
    summary s = { .path = path, .file = &file, .mesh = mesh, .read_ms = read - start, .build_ms = cn_now_ms() - read };
    int status = 0;
    if (mesh) {
        s.triangles = cn_mesh_get_triangle_count(mesh);
        s.dropped = file.triangle_count - s.triangles;
        s.bytes_per_triangle = (double)cn_mesh_get_overhead(mesh) / s.triangles;
        measure_bounds(&s);
    }
    if (!mesh)
        status = cn_complain("info", "%s: %s", path, cn_last_error());
    else if (!measure_surface(&s))
        status = cn_complain("info", "%s: out of memory", path);
    else if (json)
        print_json(&s);
    else
        print_text(&s);
    cn_mesh_destroy(mesh);
    cn_mesh_file_free(&file);
    return status;
}
