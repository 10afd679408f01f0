// Rays against triangles, without gaps between neighbours: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection" (2013).
// Space is sheared so that the ray runs along an axis through the origin, and everything else happens in the plane across it.
// Edge functions have exactly the sign that belongs to the sheared vertices (rounding keeps the order of two products, and
// where they round to the same, double decides), so the two triangles of an edge never both miss.
#ifndef CN_RAY_TRIANGLE_H
#define CN_RAY_TRIANGLE_H

#include "math/box3.h"

typedef struct cn_ray_frame {
    cn_vec3 origin;
    int x, y, z;            // axes of space; z is the one along which the ray goes farthest
    float shear_x, shear_y; // metres along x and y per metre along z
    float scale;            // fraction of the ray per metre along z
} cn_ray_frame;

// False when the ray has no direction. Triangles whose front faces the ray have edge functions above 0.
static inline bool cn_ray_frame_make(cn_vec3 origin, cn_vec3 translation, cn_ray_frame *frame)
{
    cn_vec3 size = cn_abs3(translation);
    int z = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int x = (z + 1) % 3, y = (z + 2) % 3;
    float along = cn_component(translation, z);
    bool swap = along > 0.0f;
    *frame = (cn_ray_frame){ .origin = origin, .x = swap ? y : x, .y = swap ? x : y, .z = z };
    frame->scale = 1.0f / along;
    frame->shear_x = cn_component(translation, frame->x) / along;
    frame->shear_y = cn_component(translation, frame->y) / along;
    return cn_absf(frame->scale) <= 3.0e38f;
}

// How far boxes around triangles must be enlarged so that a walk through them misses no triangle that this test would call met:
// 16 roundings of the largest distances there are.
static inline float cn_ray_slack(cn_vec3 origin, const cn_box3 *bounds)
{
    cn_vec3 reach = cn_max3(cn_abs3(cn_sub(bounds->lower, origin)), cn_abs3(cn_sub(bounds->upper, origin)));
    return 9.5367431640625e-7f * (reach.x + reach.y + reach.z);
}

// A vertex in the sheared frame: x and y across the ray, z along it.
static inline cn_vec3 cn_ray_shear(const cn_ray_frame *frame, cn_vec3 vertex)
{
    cn_vec3 from = cn_sub(vertex, frame->origin);
    float z = cn_component(from, frame->z);
    return cn_v3(cn_component(from, frame->x) - frame->shear_x * z, cn_component(from, frame->y) - frame->shear_y * z, z);
}

// Above 0 when the ray passes the edge from p to q on its inner side.
static inline float cn_ray_edge(float px, float py, float qx, float qy)
{
    float edge = px * qy - py * qx;
    return edge != 0.0f ? edge : (float)((double)px * (double)qy - (double)py * (double)qx);
}

// Where the ray meets the plane of a triangle: edge functions (each of the edge opposite to a vertex) and z of the vertices.
// False unless it meets the triangle from its front, at a fraction from 0 to `limit`.
static inline bool cn_ray_meet(const cn_ray_frame *frame, const float edges[3], const float depths[3], float limit,
                               float *fraction)
{
    if (!(edges[0] >= 0.0f && edges[1] >= 0.0f && edges[2] >= 0.0f))
        return false;
    float sum = edges[0] + edges[1] + edges[2];
    if (!(sum > 0.0f))
        return false;
    *fraction = frame->scale * ((edges[0] * depths[0] + edges[1] * depths[1] + edges[2] * depths[2]) / sum);
    return *fraction >= 0.0f && *fraction <= limit;
}

static inline bool cn_ray_meet_triangle(const cn_ray_frame *frame, const cn_vec3 vertices[3], float limit, float *fraction)
{
    cn_vec3 a = cn_ray_shear(frame, vertices[0]), b = cn_ray_shear(frame, vertices[1]), c = cn_ray_shear(frame, vertices[2]);
    float edges[3] = { cn_ray_edge(b.x, b.y, c.x, c.y), cn_ray_edge(c.x, c.y, a.x, a.y), cn_ray_edge(a.x, a.y, b.x, b.y) };
    return cn_ray_meet(frame, edges, (float[3]){ a.z, b.z, c.z }, limit, fraction);
}

#endif
