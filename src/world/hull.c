// Convex hulls that shapes share.
#include "world/check.h"
#include "world/world.h"

#include <stdio.h>

// The builder judges the rest.
static bool check_sizes(const char *function, const cn_vec3 *points, int count)
{
    cn_vec3 lower = cn_v3(CN_MAX_SIZE, CN_MAX_SIZE, CN_MAX_SIZE), upper = cn_neg(lower);
    for (int i = 0; points != NULL && i < count; i++) {
        char field[32];
        snprintf(field, sizeof field, "points[%d]", i);
        if (!cn_check_offset(function, field, points[i]))
            return false;
        lower = cn_min3(lower, points[i]);
        upper = cn_max3(upper, points[i]);
    }
    float size = cn_distance(lower, upper);
    return points == NULL || count < 4 || size >= CN_MIN_SIZE ||
           cn_fail("%s: points span %g m; the smallest hull is %g m", function, (double)size, (double)CN_MIN_SIZE);
}

cn_hull_id cn_hull_create(cn_world *world, const cn_vec3 *points, int count)
{
    if (!cn_check_writable(world, __func__) || !check_sizes(__func__, points, count))
        return (cn_hull_id){ 0 };
    cn_polyhedron *polyhedron = cn_polyhedron_build(&world->allocator, points, count);
    if (polyhedron == NULL)
        return (cn_hull_id){ 0 };
    int index = world->hulls.count;
    if (world->free_hulls.count > 0)
        index = world->free_hulls.data[--world->free_hulls.count];
    else
        cn_array_push(&world->allocator, &world->hulls, (cn_shared_hull){ 0 });
    cn_shared_hull *hull = &world->hulls.data[index];
    *hull = (cn_shared_hull){
        .generation = cn_next_generation(hull->generation),
        .used = true,
        .polyhedron = polyhedron,
    };
    return cn_hull_id_of(world, index);
}

void cn_hull_release_unused(cn_world *world, int hull)
{
    cn_shared_hull *h = &world->hulls.data[hull];
    if (!h->destroyed || h->users > 0)
        return;
    cn_polyhedron_free(&world->allocator, h->polyhedron);
    h->polyhedron = NULL;
    h->used = h->destroyed = false;
    cn_array_push(&world->allocator, &world->free_hulls, hull);
}

bool cn_hull_destroy(cn_world *world, cn_hull_id hull)
{
    if (!cn_check_writable(world, __func__))
        return false;
    cn_shared_hull *h = cn_find_hull(world, __func__, hull);
    if (h == NULL)
        return false;
    h->destroyed = true;
    cn_hull_release_unused(world, (int)(h - world->hulls.data));
    return true;
}

int cn_hull_get_vertex_count(const cn_world *world, cn_hull_id hull)
{
    const cn_shared_hull *h = cn_find_hull(world, __func__, hull);
    return h != NULL ? h->polyhedron->vertex_count : 0;
}

int cn_hull_get_face_count(const cn_world *world, cn_hull_id hull)
{
    const cn_shared_hull *h = cn_find_hull(world, __func__, hull);
    return h != NULL ? h->polyhedron->face_count : 0;
}

int cn_hull_get_vertices(const cn_world *world, cn_hull_id hull, cn_vec3 *vertices, int capacity)
{
    const cn_shared_hull *h = cn_find_hull(world, __func__, hull);
    if (h == NULL || !cn_check_buffer(__func__, "vertices", vertices, capacity))
        return 0;
    int count = h->polyhedron->vertex_count;
    for (int i = 0; i < count && i < capacity; i++)
        vertices[i] = h->polyhedron->vertices[i];
    return count;
}

int cn_hull_get_face(const cn_world *world, cn_hull_id hull, int face, int *vertices, int capacity)
{
    const cn_shared_hull *h = cn_find_hull(world, __func__, hull);
    if (h == NULL || !cn_check_int_range(__func__, "face", face, 0, h->polyhedron->face_count - 1) ||
        !cn_check_buffer(__func__, "vertices", vertices, capacity))
        return 0;
    const cn_polyhedron *p = h->polyhedron;
    int count = 0, edge = p->face_edges[face];
    do {
        if (count < capacity)
            vertices[count] = p->edges[edge].origin;
        count++;
        edge = p->edges[edge].next;
    } while (edge != p->face_edges[face]);
    return count;
}
