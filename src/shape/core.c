#include "shape/core.h"

enum { MAX_VERTEX_FACES = 16, SCANNED_VERTICES = 32 }; // what more vertices than these are climbed over, which takes them convex

static int faces_at(const cn_polyhedron *hull, int vertex, int faces[MAX_VERTEX_FACES])
{
    int first = hull->vertex_edges[vertex], edge = first, count = 0;
    do {
        if (count == MAX_VERTEX_FACES)
            return 0;
        faces[count++] = hull->edges[edge].face;
        edge = hull->edges[edge ^ 1].next;
    } while (edge != first);
    return count;
}

static float center_depth(const cn_polyhedron *hull, int face)
{
    return hull->planes[face].offset - cn_dot(hull->planes[face].normal, hull->center);
}

// A vertex below all faces around it by `depth`: straight down from that of them that is nearest to the centre, and then along it towards the
// middle. So what is flat keeps its width. False when that leads beyond the middle.
static bool sink_vertex(const cn_polyhedron *hull, int vertex, float depth, cn_vec3 *sunk)
{
    int faces[MAX_VERTEX_FACES], count = faces_at(hull, vertex, faces), nearest = 0;
    for (int i = 1; i < count; i++)
        nearest = center_depth(hull, faces[i]) < center_depth(hull, faces[nearest]) ? i : nearest;
    if (count == 0)
        return false;
    cn_vec3 n = hull->planes[faces[nearest]].normal, p = cn_madd(hull->vertices[vertex], -depth, n);
    cn_vec3 inward = cn_sub(hull->center, p);
    inward = cn_madd(inward, -cn_dot(inward, n), n);
    float part = 0.0f;
    for (int i = 0; i < count; i++) {
        const cn_plane *plane = &hull->planes[faces[i]];
        float missing = cn_dot(plane->normal, p) - plane->offset + depth, gained = -cn_dot(plane->normal, inward);
        if (i != nearest && missing > part * gained)
            part = gained > 0.0f ? missing / gained : INFINITY;
    }
    *sunk = cn_madd(p, part < 1.0f ? part : 0.0f, inward);
    return part < 1.0f;
}

static void shrink_hull(const cn_polyhedron *hull, float part, cn_core *core)
{
    core->hull = *hull;
    core->hull.vertices = core->vertices;
    for (int i = 0; i < hull->vertex_count; i++)
        if (hull->vertex_count > SCANNED_VERTICES || !sink_vertex(hull, i, part * hull->inner_radius, &core->vertices[i]))
            core->vertices[i] = cn_lerp(hull->vertices[i], hull->center, part); // the same at a smaller scale
    core->convex.hull = &core->hull;
}

void cn_make_core(const cn_convex *shape, float part, cn_core *core)
{
    float inner_radius = cn_convex_inner_radius(shape), depth = part * inner_radius;
    core->convex = *shape;
    core->ball = false;
    switch (shape->type) {
    case CN_BOX: core->convex.half_extents = cn_sub(shape->half_extents, cn_v3(depth, depth, depth)); break;
    case CN_TAPERED_CAPSULE: // a layer of the same depth everywhere would leave nothing of the thin end
        core->convex.radius *= 1.0f - part;
        core->convex.top_radius *= 1.0f - part;
        break;
    case CN_HULL:
        core->ball = shape->hull->vertex_count > CN_CORE_VERTICES;
        if (core->ball)
            core->convex = (cn_convex){ .type = CN_SPHERE, .radius = inner_radius - depth };
        else
            shrink_hull(shape->hull, part, core);
        break;
    default:
        core->convex.radius -= depth;
        core->convex.half_height -= shape->type == CN_CYLINDER ? depth : 0.0f;
    }
}
