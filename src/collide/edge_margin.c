// Two edges that cross touch at one point. What turns comes down with other parts of its faces within the same step, where that
// point knows nothing of them: thin plates that lie across each other would rock on their edges for ever. So these parts show
// too.
#include "collide/sat.h"

#define FEWEST_TURNED 0.5f // cosine between the normal and that of the face
#define SPREAD 0.1f        // inner radii between two points

// Of points and how far each is from those of the manifold, the one that is farthest; -1 where there is none.
static int find_farthest(const float *distances_sq, int count, float least_sq)
{
    int farthest = -1;
    for (int i = 0; i < count; i++)
        if (distances_sq[i] > least_sq) {
            farthest = i;
            least_sq = distances_sq[i];
        }
    return farthest;
}

// Takes those within the margin over to the manifold, the farthest first.
static void add_spread(const cn_clip_point *points, int count, float margin, float least_sq, cn_manifold *manifold)
{
    cn_vec3 last = manifold->points[0].position;
    float distances_sq[CN_MAX_CLIP_POINTS];
    for (int i = 0; i < count; i++)
        distances_sq[i] = points[i].separation <= margin ? INFINITY : -1.0f;
    while (manifold->count < CN_MAX_POINTS) {
        for (int i = 0; i < count; i++)
            distances_sq[i] = cn_minf(distances_sq[i], cn_length_sq(cn_sub(points[i].position, last)));
        int farthest = find_farthest(distances_sq, count, least_sq);
        if (farthest < 0)
            return;
        const cn_clip_point *p = &points[farthest];
        manifold->points[manifold->count++] = (cn_manifold_point){ p->position, p->separation, p->feature ^ 0x2a000000u };
        last = p->position;
    }
}

void cn_widen_edge_contact(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_manifold *manifold)
{
    float inner_radius = cn_minf(cn_convex_inner_radius(a), cn_convex_inner_radius(b)), cosine;
    if (manifold->count != 1)
        return;
    cn_vec3 vertices_a[CN_MAX_FACE_VERTICES], vertices_b[CN_MAX_FACE_VERTICES], face_a, face_b, normal = manifold->normal;
    uint16_t ids_a[CN_MAX_FACE_VERTICES], ids_b[CN_MAX_FACE_VERTICES];
    int count_a = cn_convex_face(a, normal, vertices_a, ids_a, &face_a);
    cosine = cn_dot(face_a, normal);
    if (count_a < 3 || cosine < FEWEST_TURNED)
        return;
    int count_b = cn_convex_face(b, cn_neg(cn_unrotate(b_in_a.rotation, normal)), vertices_b, ids_b, &face_b);
    if (count_b < 3)
        return;
    for (int i = 0; i < count_b; i++)
        vertices_b[i] = cn_pose_point(b_in_a, vertices_b[i]);
    cn_outline reference = { vertices_a, ids_a, count_a }, incident = { vertices_b, ids_b, count_b };
    cn_plane along = { normal, cn_dot(normal, vertices_a[0]) }; // cut along the normal, measured against the face
    cn_clip_point points[CN_MAX_CLIP_POINTS];
    int count = cn_clip_prism(&reference, &incident, along, 0.5f * CN_CLIP_SLOP * inner_radius, INFINITY, points);
    for (int i = 0; i < count; i++) {
        // Midway between the surfaces. Nothing is deeper than the edges.
        float separation = cn_dot(face_a, cn_sub(points[i].position, vertices_a[0])) / cosine;
        points[i].separation = cn_maxf(separation, manifold->points[0].separation);
        points[i].position = cn_madd(points[i].position, -0.5f * points[i].separation, normal);
    }
    add_spread(points, count, margin, SPREAD * SPREAD * inner_radius * inner_radius, manifold);
}
