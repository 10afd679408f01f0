// A convex solid against a shape of many parts: the parts nearby, one after the other, and what their contacts are together.
#include "collide/collide_parts.h"

#include "collide/collide_triangle.h"
#include "collide/ghost.h"
#include "collide/minkowski.h"
#include "collide/part_join.h"
#include "collide/triangle_cull.h"

enum { LOCAL_PARTS = 48, LOCAL_NUMBERS = 128 }; // as many candidates find room on the stack

typedef struct candidates {
    int found;      // whose boxes overlap
    int count;      // of these, those that may be near
    uint64_t aside; // one bit for each of the first 64 of them that b cannot touch
    float margin;   // nearer than this
    int32_t *numbers;
    cn_part *parts;
    cn_part_contact *contacts;
    int contact_count;
    int32_t local_numbers[LOCAL_NUMBERS];
    cn_part local_parts[LOCAL_PARTS];
    cn_part_contact local_contacts[LOCAL_PARTS];
} candidates;

// With what rounding may hide.
static cn_box3 box_around(const cn_convex *b, cn_pose b_in_a)
{
    cn_box3 box;
    cn_convex_bounds(b, b_in_a, &box.lower, &box.upper);
    cn_vec3 far = cn_max3(cn_abs3(box.lower), cn_abs3(box.upper));
    float grow = 1e-6f * cn_maxf(far.x, cn_maxf(far.y, far.z));
    return (cn_box3){ cn_sub(box.lower, cn_v3(grow, grow, grow)), cn_add(box.upper, cn_v3(grow, grow, grow)) };
}

// Everything that the scope needs. The way towards a plane with normal n is the motion along n; the largest component of that
// along an axis, over all n, is half of its length and half of its component there.
static cn_box3 box_ahead(const cn_convex *b, cn_pose b_in_a, const cn_scope *scope)
{
    cn_box3 box = box_around(b, b_in_a);
    cn_vec3 along = cn_scale(0.5f * scope->whip, scope->motion);
    float half = cn_length(along), least = scope->least, more = scope->most - least;
    cn_vec3 up = cn_v3(half + along.x, half + along.y, half + along.z),
            down = cn_v3(half - along.x, half - along.y, half - along.z);
    cn_vec3 limit = cn_v3(more, more, more), everywhere = cn_v3(least, least, least);
    box.lower = cn_sub(box.lower, cn_add(everywhere, cn_min3(down, limit)));
    box.upper = cn_add(box.upper, cn_add(everywhere, cn_min3(up, limit)));
    return box;
}

static void find_candidates(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, const cn_scope *scope, candidates *c)
{
    cn_box3 box = box_ahead(b, b_in_a, scope);
    c->numbers = c->local_numbers;
    c->parts = c->local_parts;
    c->contacts = c->local_contacts;
    c->contact_count = 0;
    c->found = cn_composite_query(a, &box, c->numbers, LOCAL_NUMBERS);
    if (c->found > LOCAL_NUMBERS) {
        c->numbers = cn_allocate(&cn_default_allocator, (size_t)c->found * sizeof *c->numbers, sizeof(void *));
        cn_composite_query(a, &box, c->numbers, c->found);
    }
    c->margin = scope->most;
    c->aside = 0;
    c->count = c->found;
    if (a->type != CN_COMPOUND)
        c->count = cn_cull_triangles(a, b, b_in_a, scope, c->numbers, c->found, &c->margin, &c->aside);
    if (c->count > LOCAL_PARTS) {
        c->parts = cn_allocate(&cn_default_allocator, (size_t)c->count * sizeof *c->parts, sizeof(void *));
        c->contacts = cn_allocate(&cn_default_allocator, (size_t)c->count * sizeof *c->contacts, sizeof(void *));
    }
    for (int i = 0; i < c->count; i++)
        cn_composite_part(a, c->numbers[i], &c->parts[i]);
}

static void free_candidates(candidates *c)
{
    if (c->numbers != c->local_numbers)
        cn_release(&cn_default_allocator, c->numbers, (size_t)c->found * sizeof *c->numbers);
    if (c->parts != c->local_parts) {
        cn_release(&cn_default_allocator, c->parts, (size_t)c->count * sizeof *c->parts);
        cn_release(&cn_default_allocator, c->contacts, (size_t)c->count * sizeof *c->contacts);
    }
}

// Keeps the contact that was written behind the last one, if it has points.
static void keep_contact(candidates *c, int index)
{
    cn_part_contact *contact = &c->contacts[c->contact_count];
    contact->number = c->numbers[index];
    contact->index = index;
    contact->dropped = false;
    c->contact_count += contact->patch.count > 0;
}

// --- triangles ---------------------------------------------------------------------------------------------------------------

// A triangle with the centre of b behind it pushes b back out when b is not far through and no contact in front speaks for or
// against that direction.
static bool pulls_back(const candidates *c, int front_count, const cn_triangle *triangle)
{
    const float related = 0.5f; // cosine
    for (int i = 0; i < front_count; i++)
        if (cn_absf(cn_dot(c->contacts[i].patch.normal, triangle->normal)) > related)
            return false;
    return true;
}

static bool is_aside(const candidates *c, int index) { return index < 64 && (c->aside >> index & 1) != 0; }

static void collide_triangles(candidates *c, const cn_triangle_query *query)
{
    bool any_behind = false;
    float farthest = 1.0001f * (query->outer_radius + query->margin); // b is nowhere near a plane beyond that
    for (int i = 0; i < c->count; i++) {
        const cn_triangle *triangle = &c->parts[i].triangle;
        float height = c->parts[i].is_triangle ? cn_triangle_height(query, triangle) : -INFINITY;
        any_behind = any_behind || (height < 0.0f && height > -0.5f * query->inner_radius);
        if (!(height >= 0.0f && height <= farthest) || is_aside(c, i))
            continue;
        cn_collide_triangle(query, triangle, &c->contacts[c->contact_count].patch);
        keep_contact(c, i);
    }
    int front_count = c->contact_count;
    for (int i = 0; i < c->count && any_behind; i++) {
        const cn_triangle *triangle = &c->parts[i].triangle;
        float height = c->parts[i].is_triangle ? cn_triangle_height(query, triangle) : -INFINITY;
        if (!(height < 0.0f && height > -0.5f * query->inner_radius) || is_aside(c, i) || !pulls_back(c, front_count, triangle))
            continue;
        cn_collide_triangle(query, triangle, &c->contacts[c->contact_count].patch);
        keep_contact(c, i);
    }
}

// Which face of a box or hull a point of its frame lies on, away from the edges. False when it lies on none, or on several.
static bool find_face(const cn_convex *b, cn_vec3 p, float near, cn_vec3 *outward)
{
    int found = 0;
    if (b->type == CN_HULL) {
        for (int i = 0; i < b->hull->face_count && found < 2; i++) {
            const cn_plane *plane = &b->hull->planes[i];
            if (cn_absf(cn_dot(plane->normal, p) - plane->offset) < near) {
                *outward = plane->normal;
                found++;
            }
        }
        return found == 1;
    }
    const float x[3] = { p.x, p.y, p.z }, h[3] = { b->half_extents.x, b->half_extents.y, b->half_extents.z };
    for (int i = 0; i < 3; i++) {
        if (cn_absf(cn_absf(x[i]) - h[i]) >= near)
            continue;
        float sign = x[i] < 0.0f ? -1.0f : 1.0f;
        *outward = cn_v3(i == 0 ? sign : 0.0f, i == 1 ? sign : 0.0f, i == 2 ? sign : 0.0f);
        found++;
    }
    return found == 1;
}

static bool has_point(const cn_part_contact *contact, cn_vec3 position, float near)
{
    for (int i = 0; i < contact->patch.count; i++)
        if (cn_distance(contact->patch.points[i].position, position) < near)
            return true;
    return false;
}

#define ALIGNED 0.9994f // cosine of two degrees

// Which faces of a box b push along a direction, nearly: one bit for each.
static unsigned faces_along(const cn_mat3 *rotation, cn_vec3 direction)
{
    float along[3] = { cn_dot(rotation->x, direction), cn_dot(rotation->y, direction), cn_dot(rotation->z, direction) };
    unsigned faces = 0;
    for (int i = 0; i < 3; i++)
        faces |= along[i] >= ALIGNED ? 1u << 2 * i : -along[i] >= ALIGNED ? 2u << 2 * i : 0u;
    return faces;
}

// Whether a contact can be misdirected, because others push along a face of b that it does not push along.
static bool may_be_misdirected(const candidates *c, int index, const unsigned *faces)
{
    unsigned others = 0;
    for (int i = 0; i < c->contact_count; i++)
        others |= i == index ? 0u : faces[i];
    return (others & ~faces[index]) != 0;
}

// A corner or edge of the surface that touches a face of b pushes along the normal of that face. Where a triangle says so, the
// others that meet there and lean away from the face have nothing to add.
static void drop_misdirected(candidates *c, const cn_triangle_query *query)
{
    float near = 0.01f * query->inner_radius;
    unsigned faces[LOCAL_PARTS];
    bool known = query->b->type == CN_BOX && c->contact_count <= LOCAL_PARTS;
    for (int i = 0; i < c->contact_count && known; i++)
        faces[i] = faces_along(&query->rotation, c->contacts[i].patch.normal);
    for (int i = 0; i < c->contact_count; i++) {
        cn_cluster *patch = &c->contacts[i].patch;
        int kept = 0;
        if (c->parts[c->contacts[i].index].triangle.smooth || (known && !may_be_misdirected(c, i, faces)))
            continue; // its normal is not that of the triangle, or nothing else would push
        for (int k = 0; k < patch->count; k++) {
            cn_manifold_point point = patch->points[k];
            cn_vec3 on_b = cn_madd(point.position, 0.5f * point.separation, patch->normal), face;
            on_b = cn_mat3_tmul(&query->rotation, cn_sub(on_b, query->b_in_a.position));
            bool misdirected = false;
            if (find_face(query->b, on_b, near, &face)) {
                face = cn_mat3_mul(&query->rotation, cn_neg(face));
                for (int j = 0; j < c->contact_count && !misdirected && cn_dot(face, patch->normal) < ALIGNED; j++)
                    misdirected = j != i && cn_dot(face, c->contacts[j].patch.normal) >= ALIGNED &&
                                  has_point(&c->contacts[j], point.position, near);
            }
            if (!misdirected)
                patch->points[kept++] = point;
        }
        patch->count = kept;
        c->contacts[i].dropped = kept == 0;
    }
}

// --- solids ------------------------------------------------------------------------------------------------------------------

static void collide_solid(const cn_part *part, const cn_triangle_query *query, cn_cluster *out)
{
    cn_pair_cache cache = { 0 };
    cn_pose b_in_part = cn_pose_mul(cn_pose_inverse(part->pose), query->b_in_a);
    cn_manifold manifold;
    cn_collide(&part->solid, query->b, b_in_part, query->margin, &cache, &manifold);
    cn_cluster_from_manifold(&manifold, out);
    out->normal = cn_rotate(part->pose.rotation, out->normal);
    for (int i = 0; i < out->count; i++)
        out->points[i].position = cn_pose_point(part->pose, out->points[i].position);
}

static cn_placed_solid placed_near(const cn_part *part, cn_vec3 origin)
{
    return (cn_placed_solid){ &part->solid, NULL, { cn_sub(part->pose.position, origin), part->pose.rotation } };
}

// `normals` are those of all contacts before any was turned. Relative to where b is, so that places far from the origin of a
// are as exact.
static void resolve_seams(candidates *c, const cn_vec3 *normals, int index, const cn_triangle_query *query)
{
    const float same = 1e-6f; // rad
    cn_part_contact *contact = &c->contacts[index];
    cn_cluster *patch = &contact->patch;
    cn_vec3 origin = query->b_in_a.position;
    cn_placed_solid p = placed_near(&c->parts[contact->index], origin);
    for (int i = 0; i < patch->count; i++)
        patch->points[i].position = cn_sub(patch->points[i].position, origin);
    for (int i = 0; i < c->contact_count && !contact->dropped; i++) {
        cn_placed_solid q = placed_near(&c->parts[c->contacts[i].index], origin);
        if (cn_distance(normals[i], patch->normal) > same)
            contact->dropped = cn_resolve_seam(&patch->normal, patch->points, patch->count, &p, &q, normals[i],
                                               5e-3f * query->inner_radius) == CN_SEAM_GHOST;
    }
    for (int i = 0; i < patch->count; i++)
        patch->points[i].position = cn_add(patch->points[i].position, origin);
}

static void collide_solids(candidates *c, const cn_triangle_query *query)
{
    for (int i = 0; i < c->count; i++) {
        collide_solid(&c->parts[i], query, &c->contacts[c->contact_count].patch);
        keep_contact(c, i);
    }
    cn_vec3 local[LOCAL_PARTS], *normals = local;
    size_t size = (size_t)c->contact_count * sizeof *normals;
    if (c->contact_count > LOCAL_PARTS)
        normals = cn_allocate(&cn_default_allocator, size, sizeof(float));
    for (int i = 0; i < c->contact_count; i++)
        normals[i] = c->contacts[i].patch.normal;
    for (int i = 0; i < c->contact_count; i++)
        resolve_seams(c, normals, i, query);
    if (normals != local)
        cn_release(&cn_default_allocator, normals, size);
}

// --- the gap -----------------------------------------------------------------------------------------------------------------

typedef struct gap_search {
    const cn_composite *a;
    const cn_convex *b;
    cn_pose b_in_a;
    float margin, gap;
} gap_search;

static float see_gap(void *context, int number, float limit)
{
    gap_search *search = context;
    cn_part part;
    cn_composite_part(search->a, number, &part);
    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
    const cn_convex *solid = part.is_triangle ? &triangle : &part.solid;
    cn_pose b_in_part = part.is_triangle ? search->b_in_a : cn_pose_mul(cn_pose_inverse(part.pose), search->b_in_a);
    float distance =
        cn_gjk_distance(solid, search->b, b_in_part, NULL).distance - (cn_core_skin(solid) + cn_core_skin(search->b));
    search->gap = cn_minf(search->gap, distance);
    return search->gap <= search->margin ? -1.0f : cn_minf(limit, search->gap);
}

// How far b is from the nearest part, looked for within its own size. Parts that b is behind of are not nothing: then the
// margin is all there is to say. So it is where the margin is large: that of a pair so fast that it will soon be looked at
// again, whatever the gap, and the search costs as much as several looks.
static float find_gap(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, float margin)
{
    float inner_radius = cn_convex_inner_radius(b), reach = margin + inner_radius;
    if (margin > 0.25f * inner_radius)
        return margin;
    gap_search search = { a, b, b_in_a, margin, reach };
    cn_box3 box = box_around(b, b_in_a);
    cn_composite_near(a, &box, reach, see_gap, &search);
    return cn_maxf(search.gap, margin);
}

// --- the whole ---------------------------------------------------------------------------------------------------------------

int cn_collide_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, cn_scope scope, cn_part_manifold *manifolds,
                     float *gap)
{
    candidates c;
    if (a->type == CN_COMPOUND) // solids push in all directions
        scope = cn_look_within(scope.most);
    find_candidates(a, b, b_in_a, &scope, &c);
    cn_triangle_query query = cn_triangle_query_make(b, b_in_a, c.margin, c.parts, c.count);
    if (a->type == CN_COMPOUND)
        collide_solids(&c, &query);
    else
        collide_triangles(&c, &query);
    if (a->type != CN_COMPOUND && (b->type == CN_BOX || b->type == CN_HULL))
        drop_misdirected(&c, &query);
    cn_drop_explained(c.contacts, c.contact_count, c.parts, b, b_in_a, query.tolerance);
    float merge = 1e-3f * query.inner_radius;
    int count = cn_join_contacts(c.contacts, c.contact_count, c.parts, merge, manifolds);
    free_candidates(&c);
    *gap = count == 0 && !(scope.most > scope.least) ? find_gap(a, b, b_in_a, c.margin) : scope.least;
    return count;
}
