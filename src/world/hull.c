// Convex hulls that shapes share.
#include "shape/solid.h"
#include "world/check.h"
#include "world/world.h"

cn_hull_id cn_hull_create(cn_world *world, const cn_vec3 *points, int count)
{
    if (!cn_check_writable(world, __func__) || !cn_check_points(__func__, "points", points, count))
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
        .generation = (uint16_t)(hull->generation + 1),
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
    if (cn_has_generations(h->generation))
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
    return cn_polyhedron_face(h->polyhedron, face, vertices, capacity);
}
