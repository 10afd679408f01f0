// Compounds: convex solids that do not move against each other, in a tree over their boxes.
#include "base/error.h"
#include "shape/box_tree.h"
#include "shape/composite_ops.h"
#include "shape/limits.h"
#include "shape/solid.h"

#include <stdio.h>
#include <string.h>

typedef struct member {
    cn_convex solid; // its hull, if it has one, belongs to the compound
    cn_pose pose;
    cn_box3 box;
    uint16_t material;
} member;

struct cn_compound {
    cn_allocator allocator;
    int references;
    int count;
    int material_limit;
    member *members;
    cn_box_tree tree;
};

// ---- creation

static bool make_hull(const char *function, const char *name, const cn_allocator *allocator, const cn_compound_part *part,
                      cn_convex *solid)
{
    char field[64];
    snprintf(field, sizeof field, "%s.points", name);
    if (part->point_count < 4)
        return cn_fail("%s: %s.point_count is %d; a solid needs at least 4 points", function, name, part->point_count);
    if (!cn_check_points(function, field, part->points, part->point_count))
        return false;
    *solid = (cn_convex){ .type = CN_HULL, .hull = cn_polyhedron_build(allocator, part->points, part->point_count) };
    return solid->hull != NULL || cn_fail_in(function, name); // the builder speaks as the function that makes hulls of a world
}

static bool make_member(const char *function, int index, const cn_allocator *allocator, const cn_compound_part *part, member *m)
{
    char name[32], field[64];
    snprintf(name, sizeof name, "parts[%d]", index);
    snprintf(field, sizeof field, "%s.offset.position", name);
    if (!cn_check_offset(function, field, part->offset.position))
        return false;
    snprintf(field, sizeof field, "%s.offset.rotation", name);
    if (!cn_check_quat(function, field, part->offset.rotation))
        return false;
    snprintf(field, sizeof field, "%s.geometry", name);
    if (part->points == NULL && part->geometry.type == CN_HULL)
        return cn_fail("%s: %s.points is NULL; a hull in a compound is given by its points", function, name);
    if (!(part->points != NULL ? make_hull(function, name, allocator, part, &m->solid)
                               : cn_make_solid(function, field, &part->geometry, &m->solid)))
        return false;
    m->pose = (cn_pose){ part->offset.position, cn_quat_normalize(part->offset.rotation) };
    m->material = part->material;
    cn_convex_bounds(&m->solid, m->pose, &m->box.lower, &m->box.upper);
    return true;
}

static void build_tree(cn_compound *compound)
{
    size_t size = sizeof(cn_box3) * (size_t)compound->count;
    cn_box3 *boxes = cn_allocate(&compound->allocator, size, 64);
    for (int i = 0; i < compound->count; i++)
        boxes[i] = compound->members[i].box;
    cn_box_tree_build(&compound->tree, &compound->allocator, boxes, compound->count, 1);
    cn_release(&compound->allocator, boxes, size);
}

static void free_compound(cn_compound *compound)
{
    cn_allocator allocator = compound->allocator;
    for (int i = 0; i < compound->count; i++)
        if (compound->members[i].solid.hull != NULL)
            cn_polyhedron_free(&allocator, (cn_polyhedron *)compound->members[i].solid.hull);
    cn_box_tree_free(&compound->tree, &allocator);
    cn_release(&allocator, compound->members, sizeof(member) * (size_t)compound->count);
    cn_release(&allocator, compound, sizeof *compound);
}

cn_compound *cn_compound_create(const cn_compound_part *parts, int count, const cn_allocator *allocator)
{
    if (!cn_check_pointer(__func__, "parts", parts) || !cn_check_int_range(__func__, "count", count, 1, CN_BOX_TREE_MAX_ITEMS) ||
        !cn_check_allocator(__func__, "allocator", allocator))
        return NULL;
    allocator = allocator != NULL ? allocator : &cn_default_allocator;
    cn_compound *compound = cn_allocate(allocator, sizeof *compound, 64);
    *compound = (cn_compound){ .allocator = *allocator, .references = 1, .count = count };
    compound->members = cn_allocate(allocator, sizeof(member) * (size_t)count, 64);
    memset(compound->members, 0, sizeof(member) * (size_t)count);
    for (int i = 0; i < count; i++) {
        if (!make_member(__func__, i, allocator, &parts[i], &compound->members[i])) {
            free_compound(compound);
            return NULL;
        }
        if (parts[i].material >= compound->material_limit)
            compound->material_limit = parts[i].material + 1;
    }
    build_tree(compound);
    return compound;
}

static void release(cn_compound *compound)
{
    if (__atomic_sub_fetch(&compound->references, 1, __ATOMIC_ACQ_REL) == 0)
        free_compound(compound);
}

void cn_compound_destroy(cn_compound *compound)
{
    if (compound != NULL)
        release(compound);
}

cn_geometry cn_geometry_compound(const cn_compound *compound)
{
    return (cn_geometry){ .type = CN_COMPOUND, .compound = compound, .scale = { 1.0f, 1.0f, 1.0f } };
}

// ---- questions; bad input answers nothing

static const member *find(const char *function, const cn_compound *compound, int part)
{
    bool good =
        cn_check_pointer(function, "compound", compound) && cn_check_int_range(function, "part", part, 0, compound->count - 1);
    return good ? &compound->members[part] : NULL;
}

static const cn_polyhedron *find_hull(const char *function, const cn_compound *compound, int part)
{
    const member *m = find(function, compound, part);
    if (m != NULL && m->solid.type != CN_HULL)
        cn_fail("%s: part %d is no hull", function, part);
    return m != NULL ? m->solid.hull : NULL;
}

int cn_compound_get_count(const cn_compound *compound)
{
    return cn_check_pointer(__func__, "compound", compound) ? compound->count : 0;
}

cn_pose cn_compound_get_offset(const cn_compound *compound, int part)
{
    const member *m = find(__func__, compound, part);
    return m != NULL ? m->pose : (cn_pose)CN_POSE_IDENTITY;
}

cn_geometry cn_compound_get_geometry(const cn_compound *compound, int part)
{
    const member *m = find(__func__, compound, part);
    if (m == NULL)
        return (cn_geometry){ 0 };
    return (cn_geometry){ .type = m->solid.type,
                          .radius = m->solid.radius,
                          .top_radius = m->solid.top_radius,
                          .half_height = m->solid.half_height,
                          .half_extents = m->solid.half_extents };
}

int cn_compound_get_vertices(const cn_compound *compound, int part, cn_vec3 *vertices, int capacity)
{
    const cn_polyhedron *hull = find_hull(__func__, compound, part);
    if (hull == NULL || !cn_check_buffer(__func__, "vertices", vertices, capacity))
        return 0;
    for (int i = 0; i < hull->vertex_count && i < capacity; i++)
        vertices[i] = hull->vertices[i];
    return hull->vertex_count;
}

int cn_compound_get_face(const cn_compound *compound, int part, int face, int *vertices, int capacity)
{
    const cn_polyhedron *hull = find_hull(__func__, compound, part);
    if (hull == NULL || !cn_check_int_range(__func__, "face", face, 0, INT32_MAX) ||
        !cn_check_buffer(__func__, "vertices", vertices, capacity) || face >= hull->face_count)
        return 0;
    return cn_polyhedron_face(hull, face, vertices, capacity);
}

// ---- as a shape of many parts

static void part_of(const cn_composite *composite, int part, cn_part *out)
{
    const member *m = &composite->compound->members[part];
    *out = (cn_part){ .solid = m->solid, .pose = m->pose, .material = m->material };
}

static int part_limit(const cn_composite *composite) { return composite->compound->count; }

static int material_limit(const cn_composite *composite) { return composite->compound->material_limit; }

static cn_box3 bounds_of(const cn_composite *composite) { return composite->compound->tree.bounds; }

static bool mass_of(const cn_composite *composite, const char *function, float density, cn_mass *mass)
{
    const cn_compound *compound = composite->compound;
    *mass = (cn_mass){ 0 };
    if (!cn_check_not_negative(function, "density", density))
        return false;
    for (int i = 0; i < compound->count && density > 0.0f; i++) {
        cn_mass own = cn_convex_mass(&compound->members[i].solid, density);
        if (own.mass > 0.0f) // otherwise it is too large, or too small to count
            own = cn_mass_transform(own, compound->members[i].pose);
        *mass = i == 0 ? own : cn_mass_add(*mass, own);
        if (!(own.mass > 0.0f && mass->mass > 0.0f))
            return cn_fail("%s: the mass of a compound is out of range at part %d, with a density of %g kg/m^3", function, i,
                           (double)density);
    }
    return true;
}

static void retain_compound(const cn_composite *composite)
{
    __atomic_add_fetch(&((cn_compound *)composite->compound)->references, 1, __ATOMIC_RELAXED);
}

static void release_compound(const cn_composite *composite) { release((cn_compound *)composite->compound); }

typedef struct query {
    const cn_compound *compound;
    const cn_box3 *box;
    int32_t *out;
    int count, capacity;
} query;

static bool take_overlap(void *context, int part)
{
    query *q = context;
    if (cn_box3_overlaps(&q->compound->members[part].box, q->box)) {
        if (q->count < q->capacity)
            q->out[q->count] = part;
        q->count++;
    }
    return true;
}

static int query_parts(const cn_composite *composite, const cn_box3 *box, int32_t *out, int capacity)
{
    query q = { composite->compound, box, out, 0, capacity };
    cn_box_tree_query(&composite->compound->tree, box, take_overlap, &q);
    return q.count;
}

// The boxes of the tree are rounded outwards by a 65,536th of the whole, which costs less than asking for the exact ones.
static void sweep_parts(const cn_composite *composite, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                        cn_part_visit visit, void *context)
{
    cn_box_tree_sweep(&composite->compound->tree, origin, translation, half_extents, limit, visit, context);
}

static void near_parts(const cn_composite *composite, const cn_box3 *box, float limit, cn_part_visit visit, void *context)
{
    cn_box_tree_near(&composite->compound->tree, box, cn_v3(1.0f, 1.0f, 1.0f), limit, visit, context);
}

const cn_composite_ops cn_compound_ops = {
    .part = part_of,
    .part_limit = part_limit,
    .material_limit = material_limit,
    .bounds = bounds_of,
    .mass = mass_of,
    .retain = retain_compound,
    .release = release_compound,
    .query = query_parts,
    .sweep = sweep_parts,
    .near = near_parts,
};
