// Questions about space: rays, casts of shapes, overlaps, closest points. Between steps they may be asked from several threads at
// once; they change nothing. Callbacks may ask more, but whatever would change the world is refused there. Answers do not depend on the order in which shapes were created or moved: hits are sorted by fraction,
// then by shape.
#ifndef CAIRN_QUERY_H
#define CAIRN_QUERY_H

#include "cairn/shape.h"

// What a query sees: shapes whose category is in `mask` and whose mask has one of `category`, sensors only when asked for.
typedef struct cn_query_filter {
    uint64_t category, mask;
    bool sensors;
    cn_body_id ignored_body; // null: none
    // Asked last, for every shape that would be hit; NULL accepts all. In batches it is called from several threads.
    bool (*accept)(void *context, cn_shape_id shape);
    void *context;
} cn_query_filter;

CN_API cn_query_filter cn_query_filter_default(void);

typedef struct cn_ray {
    cn_pos3 origin;
    cn_vec3 translation; // to its end; a ray of no length hits only what it starts in
} cn_ray;

typedef struct cn_hit {
    bool hit; // everything below is zero otherwise
    cn_shape_id shape;
    int part;       // of a mesh, height field or compound: which triangle or solid; -1 for convex shapes
    float fraction; // of the translation, 0 to 1
    cn_pos3 point;  // on the surface of the shape
    cn_vec3 normal; // of the shape there, unit; zero when the query starts inside of it
    uint64_t material; // user_data of the material there
} cn_hit;

// The shape that is cast, or looked around: any convex geometry. Hulls belong to the world.
typedef struct cn_probe {
    cn_geometry geometry;
    cn_transform transform;
    cn_vec3 translation; // of a cast
} cn_probe;

// Casts. Solids are hit at fraction 0 when the query starts in them, triangles from their front only. Bad input (not finite, a
// geometry that is no convex one) answers no hit and cn_last_error().
CN_API cn_hit cn_world_cast_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter);
CN_API cn_hit cn_world_cast_shape(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter);
// Whether there is any hit at all; faster.
CN_API bool cn_world_test_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter);
// All shapes that are hit, the first hit of each, sorted. Returns how many there are and writes as many as fit.
CN_API int cn_world_cast_ray_all(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter, cn_hit *hits, int capacity);
CN_API int cn_world_cast_shape_all(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_hit *hits,
                                   int capacity);
// Calls `visit` for every shape that is hit, in no particular order, with the first hit of each. What it returns is the fraction
// up to which the cast goes on: 0 ends it, the hit's fraction looks for nearer ones only, 1 for all.
typedef float (*cn_hit_fn)(void *context, const cn_hit *hit);
CN_API bool cn_world_visit_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter, cn_hit_fn visit, void *context);
CN_API bool cn_world_visit_cast(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_hit_fn visit,
                                void *context);
// Many at once, over the threads of the world; hits[i] belongs to rays[i]. Not from two threads at the same time.
CN_API bool cn_world_cast_rays(cn_world *world, const cn_ray *rays, int count, const cn_query_filter *filter, cn_hit *hits);
CN_API bool cn_world_cast_shapes(cn_world *world, const cn_probe *probes, int count, const cn_query_filter *filter, cn_hit *hits);

// Overlaps: the shapes that touch or overlap the probe, or whose bounding box meets a box, sorted by id.
CN_API int cn_world_overlap_shape(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_shape_id *shapes,
                                  int capacity);
CN_API int cn_world_overlap_box(const cn_world *world, const cn_bounds *box, const cn_query_filter *filter, cn_shape_id *shapes,
                                int capacity);

// The closest point of any shape to a place, or to a probe, no farther than `reach`.
typedef struct cn_closest_hit {
    bool hit;
    cn_shape_id shape;
    int part;
    float distance; // metres; 0 when they overlap
    cn_pos3 point;  // on or in the shape
    cn_pos3 probe_point; // on or in the probe
    cn_vec3 normal; // from the shape to the probe, unit; zero when they overlap
} cn_closest_hit;
CN_API cn_closest_hit cn_world_closest_point(const cn_world *world, cn_pos3 place, float reach, const cn_query_filter *filter);
CN_API cn_closest_hit cn_world_closest(const cn_world *world, const cn_probe *probe, float reach, const cn_query_filter *filter);

// The same questions for one shape, whatever its filter.
CN_API cn_hit cn_shape_cast_ray(const cn_world *world, cn_shape_id shape, const cn_ray *ray);
CN_API cn_hit cn_shape_cast_shape(const cn_world *world, cn_shape_id shape, const cn_probe *probe);
CN_API bool cn_shape_overlaps(const cn_world *world, cn_shape_id shape, const cn_probe *probe);
CN_API cn_closest_hit cn_shape_closest_point(const cn_world *world, cn_shape_id shape, cn_pos3 place);
// The distance of two shapes of the world, of which one at least is convex: the closest points of a (`point`) and b (`probe_point`).
CN_API cn_closest_hit cn_shape_distance(const cn_world *world, cn_shape_id a, cn_shape_id b);

#endif
