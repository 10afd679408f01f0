// How box trees turn metres into cells of their grid, and tests of eight children at once. A place x lies at
// (x - corner) * density - 32768; the bounds of children are such numbers, rounded outwards to whole ones.
#ifndef CN_BOX_TREE_GRID_H
#define CN_BOX_TREE_GRID_H

#include "base/simd.h"
#include "shape/box_tree.h"

#include <float.h>

enum { CN_GRID_STEPS = 65534, CN_GRID_MIDDLE = 32768 };
// Cells by which bounds are pushed outwards before they are rounded: more than the rounding of the conversion itself.
#define CN_GRID_SLACK 0.02f

static inline float cn_grid_place(const cn_box_tree *tree, int axis, float x)
{
    return (x - cn_component(tree->corner, axis)) * cn_component(tree->density, axis);
}
static inline int16_t cn_grid_round(float place) // places outside of the grid become its ends
{
    return (int16_t)((int)cn_clampf(place, 0.0f, (float)CN_GRID_STEPS) - CN_GRID_MIDDLE);
}
static inline int16_t cn_grid_below(const cn_box_tree *tree, int axis, float x)
{
    return cn_grid_round(cn_grid_place(tree, axis, x) - CN_GRID_SLACK);
}
static inline int16_t cn_grid_above(const cn_box_tree *tree, int axis, float x)
{
    return (int16_t)(cn_grid_round(cn_grid_place(tree, axis, x) + CN_GRID_SLACK) + 1);
}

typedef int16_t cn_s8 __attribute__((vector_size(16))); // eight bounds

CN_INLINE cn_f8 cn_f8_from_s8(cn_s8 a)
{
#if defined(__AVX2__)
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32((__m128i)a));
#else
    return __builtin_convertvector(__builtin_convertvector(a, cn_i8), cn_f8);
#endif
}
CN_INLINE cn_s8 cn_s8_set(int16_t x) { return (cn_s8){ x, x, x, x, x, x, x, x }; }
CN_INLINE cn_s8 cn_box_bound(const cn_box_node *node, int row) { return *(const cn_s8 *)node->bound[row]; }

// Bit i is set where lane i of the mask is.
CN_INLINE unsigned cn_i8_bits(cn_i8 mask)
{
#if defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    cn_f8_halves halves = { (cn_f8)mask };
    return (unsigned)(_mm_movemask_ps(halves.half[0]) | _mm_movemask_ps(halves.half[1]) << 4);
#else
    unsigned bits = 0;
    for (int i = 0; i < CN_LANES; i++)
        bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
#endif
}

// A box that moves along a line, in cells.
typedef struct cn_grid_ray {
    int near_row[3], far_row[3];       // the bounds that it meets first and last
    cn_f8 near[3], far[3], inverse[3]; // fraction at which it meets a bound: (bound - near) * inverse
} cn_grid_ray;

// Bounds of rays and boxes give way by this much of the distances that occur: what float arithmetic may be off, here and in the
// test of the item itself.
#define CN_GRID_ROUNDING (1.0f / (1 << 21))

// The largest coordinate of a box seen from a place.
static inline float cn_box3_reach(const cn_box3 *box, cn_vec3 place)
{
    cn_vec3 reach = cn_max3(cn_abs3(cn_sub(box->lower, place)), cn_abs3(cn_sub(box->upper, place)));
    return cn_maxf(reach.x, cn_maxf(reach.y, reach.z));
}

static inline cn_grid_ray cn_grid_ray_make(const cn_box_tree *tree, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents)
{
    cn_grid_ray ray;
    float reach = cn_box3_reach(&tree->bounds, origin);
    for (int axis = 0; axis < 3; axis++) {
        float density = cn_component(tree->density, axis), d = cn_component(translation, axis) * density;
        float place = cn_grid_place(tree, axis, cn_component(origin, axis)) - (float)CN_GRID_MIDDLE;
        float give = (CN_GRID_ROUNDING * reach + cn_component(half_extents, axis)) * density +
                     CN_GRID_ROUNDING * (cn_absf(place) + (float)CN_GRID_MIDDLE);
        bool forward = d >= 0.0f;
        // So little movement is less than what bounds give way by, and its inverse would not be finite.
        float inverse = cn_absf(d) > 1e-20f ? 1.0f / d : forward ? 1e20f : -1e20f;
        ray.near_row[axis] = 2 * axis + !forward;
        ray.far_row[axis] = 2 * axis + forward;
        ray.near[axis] = cn_f8_set(forward ? place + give : place - give);
        ray.far[axis] = cn_f8_set(forward ? place - give : place + give);
        ray.inverse[axis] = cn_f8_set(inverse);
    }
    return ray;
}

// Which children the ray meets between 0 and `limit`, as bits, and where.
CN_INLINE unsigned cn_grid_ray_test(const cn_grid_ray *ray, const cn_box_node *node, float limit, cn_f8 *enter)
{
    cn_f8 near[3], far[3];
    for (int axis = 0; axis < 3; axis++) {
        near[axis] = (cn_f8_from_s8(cn_box_bound(node, ray->near_row[axis])) - ray->near[axis]) * ray->inverse[axis];
        far[axis] = (cn_f8_from_s8(cn_box_bound(node, ray->far_row[axis])) - ray->far[axis]) * ray->inverse[axis];
    }
    cn_f8 from = cn_f8_max(cn_f8_max(near[0], near[1]), cn_f8_max(near[2], cn_f8_zero()));
    cn_f8 to = cn_f8_min(cn_f8_min(far[0], far[1]), cn_f8_min(far[2], cn_f8_set(limit)));
    *enter = from;
    return cn_i8_bits(from <= to);
}

// Children still to be visited, the nearest on top: the bits of a float that says from which fraction or distance on it is of
// interest, which is never negative and so compares like a whole number, and below them the child.
typedef struct cn_grid_stack {
    int count;
    uint64_t entry[CN_BOX_TREE_STACK];
} cn_grid_stack;

// What no child is. Unused children are visited when the limit reaches that far, and have no items.
#define CN_GRID_END UINT32_MAX

// The next child to visit, CN_GRID_END when there is none before `limit`.
CN_INLINE uint32_t cn_grid_pop(cn_grid_stack *stack, float limit)
{
    while (stack->count > 0) {
        uint64_t entry = stack->entry[--stack->count];
        uint32_t bits = (uint32_t)(entry >> 32);
        float at;
        memcpy(&at, &bits, sizeof at);
        if (at <= limit)
            return (uint32_t)entry;
    }
    return CN_GRID_END;
}

// Goes down to the nearest of the children that `bits` gives, and puts the others on the stack in order. Without branches that
// depend on distances, which no processor could foresee.
CN_INLINE uint32_t cn_grid_descend(cn_grid_stack *stack, const cn_box_node *node, unsigned bits, cn_f8 at)
{
    uint32_t keys[CN_BOX_TREE_WIDTH];
    memcpy(keys, &at, sizeof keys);
    int i = __builtin_ctz(bits);
    uint64_t nearest = (uint64_t)keys[i] << 32 | node->child[i], *base = stack->entry + stack->count;
    int count = 0;
    for (bits &= bits - 1; bits != 0; bits &= bits - 1) {
        i = __builtin_ctz(bits);
        uint64_t entry = (uint64_t)keys[i] << 32 | node->child[i], far = entry > nearest ? entry : nearest;
        nearest = entry > nearest ? nearest : entry;
        for (int k = count; k-- > 0;) {
            uint64_t other = base[k];
            base[k + 1] = far < other ? far : other;
            far = far < other ? other : far;
        }
        base[0] = far;
        count++;
    }
    stack->count += count;
    return (uint32_t)nearest;
}

#endif
