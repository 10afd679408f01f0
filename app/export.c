// The text is a list of lines, words apart by one space:
//     cairn-scene 1
//     gravity x y z
//     dt seconds
//     steps n
//     body static|kinematic|dynamic  px py pz  qx qy qz qw  vx vy vz  wx wy wz
// and under each body its shapes, every one beginning with its kind and
//     ox oy oz  qx qy qz qw  density friction restitution
// followed by: box hx hy hz; sphere r; capsule half_height r; cylinder half_height r;
// tapered_capsule half_height r_bottom r_top; hull n and n times x y z;
// mesh n m, n times x y z, and m times the numbers of three vertices, counter-clockwise seen from the front.
// A shape that does not collide with everything has a line of its own after it:
//     filter category mask group
// Joints follow the bodies: see export_joints.h.
// Height fields are written as meshes, compounds as the shapes they consist of.
#include "export.h"

#include "export_joints.h"
#include "math/vec.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_float(FILE *file, float value) { fprintf(file, " %.9g", (double)value); }

static void write_vec3(FILE *file, cn_vec3 v)
{
    write_float(file, v.x);
    write_float(file, v.y);
    write_float(file, v.z);
}

static void write_quat(FILE *file, cn_quat q)
{
    write_vec3(file, (cn_vec3){ q.x, q.y, q.z });
    write_float(file, q.w);
}

// ---- Forms of many numbers

static void write_points(FILE *file, const cn_vec3 *points, int count)
{
    fprintf(file, " %d", count);
    for (int i = 0; i < count; ++i)
        write_vec3(file, points[i]);
}

static bool write_hull(FILE *file, const cn_world *world, cn_hull_id hull)
{
    int count = cn_hull_get_vertex_count(world, hull);
    cn_vec3 *vertices = calloc((size_t)count + 1, sizeof *vertices);
    if (!vertices)
        return false;
    cn_hull_get_vertices(world, hull, vertices, count);
    write_points(file, vertices, count);
    free(vertices);
    return true;
}

static bool write_part_hull(FILE *file, const cn_compound *compound, int part)
{
    int count = cn_compound_get_vertices(compound, part, NULL, 0);
    cn_vec3 *vertices = calloc((size_t)count + 1, sizeof *vertices);
    if (!vertices)
        return false;
    cn_compound_get_vertices(compound, part, vertices, count);
    write_points(file, vertices, count);
    free(vertices);
    return true;
}

// A negative factor mirrors the mesh, which turns its triangles inside out; so does writing two of their vertices the other way
// round.
static void write_mesh(FILE *file, const cn_mesh *mesh, cn_vec3 scale)
{
    int vertex_count = cn_mesh_get_vertex_count(mesh), left = cn_mesh_get_triangle_count(mesh), v[3];
    bool mirrored = (scale.x < 0.0f) ^ (scale.y < 0.0f) ^ (scale.z < 0.0f);
    fprintf(file, " %d %d", vertex_count, left);
    for (int i = 0; i < vertex_count; ++i) {
        cn_vec3 p = cn_mesh_get_vertex(mesh, i);
        write_vec3(file, (cn_vec3){ scale.x * p.x, scale.y * p.y, scale.z * p.z });
    }
    for (int i = 0; left > 0; ++i) {
        if (!cn_mesh_get_triangle(mesh, i, v))
            continue;
        fprintf(file, " %d %d %d", v[0], v[mirrored ? 2 : 1], v[mirrored ? 1 : 2]);
        --left;
    }
}

static void write_height_field(FILE *file, const cn_height_field *field, cn_vec3 scale)
{
    int columns = cn_height_field_get_columns(field), rows = cn_height_field_get_rows(field), cells = 0;
    cn_vec3 spacing = cn_height_field_get_spacing(field);
    for (int i = 0; i < (columns - 1) * (rows - 1); ++i)
        cells += !cn_height_field_is_hole(field, i % (columns - 1), i / (columns - 1));
    fprintf(file, " %d %d", columns * rows, 2 * cells);
    for (int i = 0; i < columns * rows; ++i) {
        int column = i % columns, row = i / columns;
        write_vec3(file,
                   (cn_vec3){ scale.x * spacing.x * (float)column, scale.y * cn_height_field_get_height(field, column, row),
                              scale.z * spacing.z * (float)row });
    }
    for (int row = 0; row + 1 < rows; ++row) {
        for (int column = 0; column + 1 < columns; ++column) {
            int a = row * columns + column, c = a + columns;
            if (!cn_height_field_is_hole(field, column, row))
                fprintf(file, " %d %d %d %d %d %d", a, c, c + 1, a, c + 1, a + 1);
        }
    }
}

// ---- Shapes and bodies

static void write_filter(FILE *file, cn_filter filter)
{
    cn_filter usual = cn_filter_default();
    if (filter.category != usual.category || filter.mask != usual.mask || filter.group != usual.group)
        fprintf(file, "filter %" PRIu64 " %" PRIu64 " %" PRId32 "\n", filter.category, filter.mask, filter.group);
}

typedef struct placed_form {
    cn_geometry geometry;
    cn_pose offset;
    const cn_compound *compound; // whose part it is; NULL: none
    int part;
} placed_form;

static bool write_form(FILE *file, const cn_world *world, cn_shape_id shape, const placed_form *form)
{
    static const char *const kinds[CN_SHAPE_TYPE_COUNT] = {
        [CN_SPHERE] = "sphere", [CN_CAPSULE] = "capsule", [CN_BOX] = "box",           [CN_CYLINDER] = "cylinder",
        [CN_TAPERED_CAPSULE] = "tapered_capsule",
        [CN_HULL] = "hull",     [CN_MESH] = "mesh",       [CN_HEIGHT_FIELD] = "mesh",
    };
    const cn_geometry *g = &form->geometry;
    cn_material material = cn_shape_get_material(world, shape);
    fputs(kinds[g->type], file);
    write_vec3(file, form->offset.position);
    write_quat(file, form->offset.rotation);
    write_vec3(file, (cn_vec3){ cn_shape_get_density(world, shape), material.friction, material.restitution });
    bool written = true;
    switch (g->type) {
    case CN_BOX: write_vec3(file, g->half_extents); break;
    case CN_SPHERE: write_float(file, g->radius); break;
    case CN_HULL:
        written = form->compound ? write_part_hull(file, form->compound, form->part) : write_hull(file, world, g->hull);
        break;
    case CN_MESH: write_mesh(file, g->mesh, g->scale); break;
    case CN_HEIGHT_FIELD: write_height_field(file, g->height_field, g->scale); break;
    case CN_TAPERED_CAPSULE: write_vec3(file, (cn_vec3){ g->half_height, g->radius, g->top_radius }); break;
    default: write_float(file, g->half_height); write_float(file, g->radius);
    }
    fputc('\n', file);
    write_filter(file, cn_shape_get_filter(world, shape));
    return written;
}

static bool write_shape(FILE *file, const cn_world *world, cn_shape_id shape)
{
    placed_form form = { .geometry = cn_shape_get_geometry(world, shape), .offset = cn_shape_get_offset(world, shape) };
    if (form.geometry.type != CN_COMPOUND)
        return write_form(file, world, shape, &form);
    bool written = true;
    cn_pose offset = form.offset;
    form.compound = form.geometry.compound;
    for (int count = cn_compound_get_count(form.compound); written && form.part < count; ++form.part) {
        form.geometry = cn_compound_get_geometry(form.compound, form.part);
        form.offset = cn_pose_mul(offset, cn_compound_get_offset(form.compound, form.part));
        written = write_form(file, world, shape, &form);
    }
    return written;
}

static bool write_body(FILE *file, const cn_world *world, cn_body_id body)
{
    static const char *const types[CN_BODY_TYPE_COUNT] = {
        [CN_STATIC] = "static",
        [CN_KINEMATIC] = "kinematic",
        [CN_DYNAMIC] = "dynamic",
    };
    cn_transform t = cn_body_get_transform(world, body);
    fprintf(file, "body %s %.17g %.17g %.17g", types[cn_body_get_type(world, body)], t.position.x, t.position.y, t.position.z);
    write_quat(file, t.rotation);
    write_vec3(file, cn_body_get_linear_velocity(world, body));
    write_vec3(file, cn_body_get_angular_velocity(world, body));
    fputc('\n', file);
    int count = cn_body_get_shape_count(world, body);
    cn_shape_id *shapes = calloc((size_t)count + 1, sizeof *shapes);
    bool written = shapes != NULL;
    if (written)
        cn_body_get_shapes(world, body, shapes, count);
    for (int i = 0; written && i < count; ++i)
        written = write_shape(file, world, shapes[i]);
    free(shapes);
    return written;
}

static bool write_all(FILE *file, const cn_build *build, double dt, int steps, cn_message *error)
{
    fputs("cairn-scene 1\ngravity", file);
    write_vec3(file, cn_world_get_gravity(build->world));
    fprintf(file, "\ndt %.17g\nsteps %d\n", dt, steps);
    bool written = true;
    for (int i = 0; written && i < build->body_count; ++i)
        written = write_body(file, build->world, build->bodies[i]);
    return written ? cn_export_joints(file, build, error) : cn_message_set(error, "out of memory");
}

bool cn_export_scene(const char *path, const cn_build *build, double dt, int steps, cn_message *error)
{
    cn_whole_file out;
    if (strcmp(path, "-") == 0)
        return write_all(stdout, build, dt, steps, error);
    if (!cn_whole_file_open(&out, path, error))
        return false;
    bool written = write_all(out.file, build, dt, steps, error) && cn_whole_file_keep(&out, error);
    cn_whole_file_drop(&out);
    return written;
}
