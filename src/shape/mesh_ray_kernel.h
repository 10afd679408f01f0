// A ray through the tree of a mesh, eight boxes and four triangles at a time. Written once, compiled once per instruction set
// by mesh_ray_base.c and mesh_ray_avx2.c, with the same bits.
#include "shape/box_tree_grid.h"
#include "shape/mesh_data.h"
#include "shape/ray_triangle.h"

// The frame of cn_ray_frame as a matrix: dot(x, v - origin) and so on are the coordinates of v there. Ones and zeros in the
// rows change no bits, and save choosing axes.
typedef struct wide_frame {
    cn_f4 x[3], y[3], z[3], origin[3], scale;
} wide_frame;

CN_INLINE cn_f4 splat4(float x) { return (cn_f4){ x, x, x, x }; }

static wide_frame widen(const cn_ray_frame *frame)
{
    wide_frame wide;
    for (int axis = 0; axis < 3; axis++) {
        wide.x[axis] = splat4(axis == frame->x ? 1.0f : axis == frame->z ? -frame->shear_x : 0.0f);
        wide.y[axis] = splat4(axis == frame->y ? 1.0f : axis == frame->z ? -frame->shear_y : 0.0f);
        wide.z[axis] = splat4(axis == frame->z ? 1.0f : 0.0f);
        wide.origin[axis] = splat4(cn_component(frame->origin, axis));
    }
    wide.scale = splat4(frame->scale);
    return wide;
}

typedef struct vertex4 {
    cn_f4 x, y, z;
} vertex4;

// One vertex of each of four triangles, as the ray sees it.
CN_INLINE vertex4 load_sheared(const cn_mesh *mesh, const int32_t *const index[4], int corner, const wide_frame *frame)
{
    cn_f4 row[4];
    for (int i = 0; i < 4; i++)
        memcpy(&row[i], &mesh->vertices[index[i][corner]], sizeof row[i]);
    cn_f4 a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), b = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    cn_f4 c = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    cn_f4 x = __builtin_shufflevector(a, c, 0, 1, 4, 5) - frame->origin[0];
    cn_f4 y = __builtin_shufflevector(a, c, 2, 3, 6, 7) - frame->origin[1];
    cn_f4 z = __builtin_shufflevector(b, d, 0, 1, 4, 5) - frame->origin[2];
    return (vertex4){ x * frame->x[0] + y * frame->x[1] + z * frame->x[2], x * frame->y[0] + y * frame->y[1] + z * frame->y[2],
                      x * frame->z[0] + y * frame->z[1] + z * frame->z[2] };
}

CN_INLINE cn_f4 edge4(const vertex4 *p, const vertex4 *q) { return p->x * q->y - p->y * q->x; }

CN_INLINE unsigned bits4(cn_i4 mask)
{
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

CN_INLINE void take_nearest(cn_mesh_ray_hit *hit, float fraction, int triangle)
{
    if (fraction < hit->fraction || (fraction == hit->fraction && (hit->triangle < 0 || triangle < hit->triangle)))
        *hit = (cn_mesh_ray_hit){ fraction, triangle };
}

// Through an edge or vertex to within the rounding of float: again, where double decides.
static void meet_exactly(const cn_mesh *mesh, const cn_ray_frame *frame, int triangle, cn_mesh_ray_hit *hit)
{
    cn_vec3 corners[3];
    float fraction;
    cn_mesh_corners(mesh, triangle, corners);
    if (cn_ray_meet_triangle(frame, corners, hit->fraction, &fraction))
        take_nearest(hit, fraction, triangle);
}

CN_INLINE void meet_leaf(const cn_mesh *mesh, const cn_ray_frame *frame, const wide_frame *wide, uint32_t leaf,
                         cn_mesh_ray_hit *hit)
{
    int count = cn_box_leaf_count(leaf);
    if (count == 0) // an unused child, which a ray from very far away may seem to meet
        return;
    const int32_t *items = mesh->tree.items + cn_box_leaf_first(leaf), *index[4];
    int32_t triangle[4];
    for (int i = 0; i < 4; i++) { // lanes beyond the last repeat it
        triangle[i] = items[i < count ? i : count - 1];
        index[i] = mesh->indices + 3 * (size_t)triangle[i];
    }
    vertex4 a = load_sheared(mesh, index, 0, wide), b = load_sheared(mesh, index, 1, wide),
            c = load_sheared(mesh, index, 2, wide);
    cn_f4 u = edge4(&b, &c), v = edge4(&c, &a), w = edge4(&a, &b), zero = splat4(0.0f);
    cn_i4 inside = (u >= zero) & (v >= zero) & (w >= zero);
    if (bits4(inside) == 0)
        return;
    cn_i4 on_edge = inside & ((u == zero) | (v == zero) | (w == zero));
    cn_f4 fraction = wide->scale * ((u * a.z + v * b.z + w * c.z) / (u + v + w));
    cn_i4 met = inside & ~on_edge & (fraction >= zero) & (fraction <= splat4(hit->fraction));
    for (unsigned bits = bits4(met); bits != 0; bits &= bits - 1) {
        int i = __builtin_ctz(bits);
        take_nearest(hit, fraction[i], triangle[i]);
    }
    for (unsigned bits = bits4(on_edge); bits != 0; bits &= bits - 1)
        meet_exactly(mesh, frame, triangle[__builtin_ctz(bits)], hit);
}

CN_INLINE bool cast_through_tree(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit)
{
    cn_ray_frame frame;
    if (!cn_ray_frame_make(origin, translation, &frame))
        return false;
    wide_frame wide = widen(&frame);
    cn_grid_ray ray = cn_grid_ray_make(&mesh->tree, origin, translation, cn_v3(0.0f, 0.0f, 0.0f));
    *hit = (cn_mesh_ray_hit){ limit, -1 };
    cn_grid_stack stack;
    stack.count = 0;
    for (uint32_t child = 0; child != CN_GRID_END;) {
        if ((child & CN_BOX_LEAF) != 0) {
            meet_leaf(mesh, &frame, &wide, child, hit);
            child = cn_grid_pop(&stack, hit->fraction);
            continue;
        }
        cn_f8 enter;
        unsigned bits = cn_grid_ray_test(&ray, &mesh->tree.nodes[child], hit->fraction, &enter);
        child = bits != 0 ? cn_grid_descend(&stack, &mesh->tree.nodes[child], bits, enter) : cn_grid_pop(&stack, hit->fraction);
    }
    return hit->triangle >= 0;
}
