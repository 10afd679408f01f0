// The text is a list of lines, words apart by one space:
//     cairn-scene 1
//     gravity x y z
//     dt seconds
//     steps n
//     body static|kinematic|dynamic  px py pz  qx qy qz qw  vx vy vz  wx wy wz
// and under each body its shapes, every one beginning with its kind and
//     ox oy oz  qx qy qz qw  density friction restitution
// followed by: box hx hy hz; sphere r; capsule half_height r; cylinder half_height r; hull n and n times x y z.
#include "export.h"

#include <errno.h>
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

static bool write_hull(FILE *file, const cn_world *world, cn_hull_id hull)
{
    int count = cn_hull_get_vertex_count(world, hull);
    cn_vec3 *vertices = calloc((size_t)count + 1, sizeof *vertices);
    if (!vertices)
        return false;
    cn_hull_get_vertices(world, hull, vertices, count);
    fprintf(file, " %d", count);
    for (int i = 0; i < count; ++i)
        write_vec3(file, vertices[i]);
    free(vertices);
    return true;
}

static bool write_shape(FILE *file, const cn_world *world, cn_shape_id shape)
{
    static const char *const kinds[CN_SHAPE_TYPE_COUNT] = {
        [CN_SPHERE] = "sphere", [CN_CAPSULE] = "capsule", [CN_BOX] = "box", [CN_CYLINDER] = "cylinder", [CN_HULL] = "hull",
    };
    cn_geometry g = cn_shape_get_geometry(world, shape);
    cn_pose offset = cn_shape_get_offset(world, shape);
    cn_material material = cn_shape_get_material(world, shape);
    fputs(kinds[g.type], file);
    write_vec3(file, offset.position);
    write_quat(file, offset.rotation);
    write_vec3(file, (cn_vec3){ cn_shape_get_density(world, shape), material.friction, material.restitution });
    bool written = true;
    switch (g.type) {
    case CN_BOX: write_vec3(file, g.half_extents); break;
    case CN_SPHERE: write_float(file, g.radius); break;
    case CN_HULL: written = write_hull(file, world, g.hull); break;
    default: write_float(file, g.half_height); write_float(file, g.radius);
    }
    fputc('\n', file);
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

bool cn_export_scene(const char *path, const cn_build *build, double dt, int steps, cn_message *error)
{
    bool to_stdout = strcmp(path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(path, "w");
    if (!file)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    fputs("cairn-scene 1\ngravity", file);
    write_vec3(file, cn_world_get_gravity(build->world));
    fprintf(file, "\ndt %.17g\nsteps %d\n", dt, steps);
    bool written = true;
    for (int i = 0; written && i < build->body_count; ++i)
        written = write_body(file, build->world, build->bodies[i]);
    written = written && !ferror(file);
    if ((to_stdout ? fflush(file) : fclose(file)) != 0 || !written)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    return true;
}
