#include "cairn/mass.h"

#include "base/error.h"
#include "base/memory.h"
#include "shape/moments.h"
#include "shape/taper.h"

#include <stdlib.h>

static const cn_mass no_mass = { 0 };
static const double pi = 3.14159265358979323846;

// A solid centred on the origin whose axes are principal. Refuses what float cannot hold.
static cn_mass centred(const char *function, double mass, double xx, double yy, double zz)
{
    cn_mass result = { (float)mass, { 0.0f, 0.0f, 0.0f }, { (float)xx, (float)yy, (float)zz, 0.0f, 0.0f, 0.0f } };
    if (isfinite(result.mass) && isfinite(result.inertia.xx) && isfinite(result.inertia.yy) && isfinite(result.inertia.zz))
        return result;
    cn_fail("%s: the mass of %g kg, or its inertia, is too large", function, mass);
    return no_mass;
}

cn_mass cn_mass_sphere(float radius, float density)
{
    if (!cn_check_positive("cn_mass_sphere", "radius", radius) || !cn_check_not_negative("cn_mass_sphere", "density", density))
        return no_mass;
    double r = (double)radius;
    double mass = (double)density * (4.0 / 3.0) * pi * r * r * r, i = 0.4 * mass * r * r;
    return centred("cn_mass_sphere", mass, i, i, i);
}

cn_mass cn_mass_box(cn_vec3 half_extents, float density)
{
    if (!cn_check_positive("cn_mass_box", "half_extents.x", half_extents.x) ||
        !cn_check_positive("cn_mass_box", "half_extents.y", half_extents.y) ||
        !cn_check_positive("cn_mass_box", "half_extents.z", half_extents.z) ||
        !cn_check_not_negative("cn_mass_box", "density", density))
        return no_mass;
    double x = (double)half_extents.x, y = (double)half_extents.y, z = (double)half_extents.z;
    double mass = (double)density * 8.0 * x * y * z, third = mass / 3.0;
    return centred("cn_mass_box", mass, third * (y * y + z * z), third * (x * x + z * z), third * (x * x + y * y));
}

cn_mass cn_mass_capsule(float half_height, float radius, float density)
{
    if (!cn_check_not_negative("cn_mass_capsule", "half_height", half_height) ||
        !cn_check_positive("cn_mass_capsule", "radius", radius) ||
        !cn_check_not_negative("cn_mass_capsule", "density", density))
        return no_mass;
    double h = (double)half_height, r = (double)radius;
    double cylinder = (double)density * 2.0 * pi * r * r * h, sphere = (double)density * (4.0 / 3.0) * pi * r * r * r;
    double along = (0.5 * cylinder + 0.4 * sphere) * r * r;
    // The centre of a half ball is 3/8 r from its flat side, so the caps add m (2/5 r^2 + h^2 + 3/4 h r) to the cross axes.
    double across = cylinder * (0.25 * r * r + h * h / 3.0) + sphere * (0.4 * r * r + h * h + 0.75 * h * r);
    return centred("cn_mass_capsule", cylinder + sphere, across, along, across);
}

cn_mass cn_mass_cylinder(float half_height, float radius, float density)
{
    if (!cn_check_positive("cn_mass_cylinder", "half_height", half_height) ||
        !cn_check_positive("cn_mass_cylinder", "radius", radius) ||
        !cn_check_not_negative("cn_mass_cylinder", "density", density))
        return no_mass;
    double h = (double)half_height, r = (double)radius;
    double mass = (double)density * 2.0 * pi * r * r * h, across = mass * (0.25 * r * r + h * h / 3.0);
    return centred("cn_mass_cylinder", mass, across, 0.5 * mass * r * r, across);
}

// A solid of revolution about the y axis, in slices of density times pi.
typedef struct lathe {
    double mass, moment, square, disc; // integrals of r^2, r^2 y, r^2 y^2, r^4
} lathe;

// The slice from `low` to `high` where the squared radius is a + b (y - at) + c (y - at)^2. Three points of Gauss and Legendre
// integrate polynomials up to degree 5 exactly.
static void add_slice(lathe *l, double low, double high, double at, double a, double b, double c)
{
    static const double places[3] = { -0.77459666924148337704, 0.0, 0.77459666924148337704 };
    static const double weights[3] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };
    for (int i = 0; i < 3; i++) {
        double y = 0.5 * (low + high) + 0.5 * (high - low) * places[i], weight = weights[i] * (high - low);
        double square = a + (b + c * (y - at)) * (y - at);
        l->mass += weight * square;
        l->moment += weight * square * y;
        l->square += weight * square * y * y;
        l->disc += weight * square * square;
    }
}

// The part of the lower ball below the circle where the side begins, the cone, and the part of the upper ball above it.
static lathe taper_integrals(const cn_taper *t)
{
    lathe l = { 0.0, 0.0, 0.0, 0.0 };
    double low = t->y[0] + t->sine * t->radius[0], high = t->y[1] + t->sine * t->radius[1];
    double rim = t->cosine * t->radius[0], slope = -t->sine / t->cosine;
    add_slice(&l, t->y[0] - t->radius[0], low, t->y[0], t->radius[0] * t->radius[0], 0.0, -1.0);
    add_slice(&l, low, high, low, rim * rim, 2.0 * rim * slope, slope * slope);
    add_slice(&l, high, t->y[1] + t->radius[1], t->y[1], t->radius[1] * t->radius[1], 0.0, -1.0);
    return l;
}

cn_mass cn_mass_tapered_capsule(float half_height, float bottom_radius, float top_radius, float density)
{
    static const char *const function = "cn_mass_tapered_capsule";
    if (!cn_check_not_negative(function, "half_height", half_height) ||
        !cn_check_positive(function, "bottom_radius", bottom_radius) ||
        !cn_check_positive(function, "top_radius", top_radius) || !cn_check_not_negative(function, "density", density))
        return no_mass;
    cn_convex shape = {
        .type = CN_TAPERED_CAPSULE, .radius = bottom_radius, .top_radius = top_radius, .half_height = half_height
    };
    cn_taper taper = cn_taper_of(&shape);
    lathe l = taper_integrals(&taper);
    double factor = (double)density * pi, y = l.moment / l.mass;
    double across = 0.25 * l.disc + l.square - l.moment * y;
    cn_mass mass = centred(function, factor * l.mass, factor * across, 0.5 * factor * l.disc, factor * across);
    mass.center.y = mass.mass > 0.0f ? (float)y : 0.0f;
    return mass;
}

// Meshes

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// A closed, consistently wound surface has every directed edge once, and its opposite once.
static bool edges_pair_up(uint64_t *edges, const int *indices, int triangle_count)
{
    size_t count = 0;
    for (int t = 0; t < triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            int from = indices[3 * t + k], to = indices[3 * t + (k + 1) % 3];
            if (from == to)
                return cn_fail("cn_mass_mesh: triangle %d uses vertex %d twice", t, from);
            edges[count++] = (uint64_t)from << 32 | (uint64_t)to;
        }
    }
    qsort(edges, count, sizeof *edges, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (edges[i] == edges[i - 1])
            return cn_fail("cn_mass_mesh: two triangles use the edge from vertex %d to %d in the same direction; "
                           "their windings disagree, or more than two triangles meet there",
                           (int)(edges[i] >> 32), (int)(edges[i] & UINT32_MAX));
    for (size_t i = 0; i < count; i++) {
        uint64_t opposite = edges[i] << 32 | edges[i] >> 32;
        if (bsearch(&opposite, edges, count, sizeof *edges, compare_keys) == NULL)
            return cn_fail("cn_mass_mesh: the mesh is open at the edge from vertex %d to %d", (int)(edges[i] >> 32),
                           (int)(edges[i] & UINT32_MAX));
    }
    return true;
}

static bool mesh_is_usable(const cn_vec3 *vertices, int vertex_count, const int *indices, int triangle_count)
{
    if (vertices == NULL || indices == NULL)
        return cn_fail("cn_mass_mesh: %s is NULL", vertices == NULL ? "vertices" : "indices");
    if (vertex_count < 4 || triangle_count < 4 || triangle_count > 1 << 28)
        return cn_fail("cn_mass_mesh: %d vertices and %d triangles cannot be a closed mesh", vertex_count, triangle_count);
    for (int i = 0; i < 3 * triangle_count; i++) {
        int v = indices[i];
        if (v < 0 || v >= vertex_count)
            return cn_fail("cn_mass_mesh: indices[%d] is %d; there are %d vertices", i, v, vertex_count);
        if (!isfinite(vertices[v].x) || !isfinite(vertices[v].y) || !isfinite(vertices[v].z))
            return cn_fail("cn_mass_mesh: vertices[%d] is not finite", v);
    }
    size_t size = 3 * (size_t)triangle_count * sizeof(uint64_t);
    uint64_t *edges = cn_allocate(&cn_default_allocator, size, 64);
    bool closed = edges_pair_up(edges, indices, triangle_count);
    cn_release(&cn_default_allocator, edges, size);
    return closed;
}

cn_mass cn_mass_mesh(const cn_vec3 *vertices, int vertex_count, const int *indices, int triangle_count, float density)
{
    if (!mesh_is_usable(vertices, vertex_count, indices, triangle_count) ||
        !cn_check_not_negative("cn_mass_mesh", "density", density))
        return no_mass;
    cn_vec3 first = vertices[indices[0]];
    cn_moments moments = { .origin = { (double)first.x, (double)first.y, (double)first.z } };
    double reach = 0.0; // farthest coordinate from the first vertex
    for (int t = 0; t < triangle_count; t++) {
        cn_vec3 corner[3] = { vertices[indices[3 * t]], vertices[indices[3 * t + 1]], vertices[indices[3 * t + 2]] };
        cn_moments_add_triangle(&moments, corner[0], corner[1], corner[2]);
        for (int k = 0; k < 3; k++)
            reach = fmax(reach, (double)cn_distance(corner[k], first));
    }
    double volume = cn_moments_volume(&moments), least = 1e-12 * reach * reach * reach;
    cn_mass mass;
    if (volume < -least)
        cn_fail("cn_mass_mesh: the mesh is inside out, its volume is %g", volume);
    else if (!(volume > least))
        cn_fail("cn_mass_mesh: the mesh has no volume");
    else if (cn_moments_to_mass(&moments, (double)density, "cn_mass_mesh", &mass))
        return mass;
    return no_mass;
}

// Frames and compounds

static bool mass_is_usable(const char *function, const char *field, const cn_mass *mass)
{
    cn_sym3 i = mass->inertia;
    if (!isfinite(mass->mass) || mass->mass < 0.0f)
        return cn_fail("%s: %s.mass is %g; it must be finite and not negative", function, field, (double)mass->mass);
    if (!isfinite(mass->center.x) || !isfinite(mass->center.y) || !isfinite(mass->center.z))
        return cn_fail("%s: %s.center is not finite", function, field);
    if (!isfinite(i.xx) || !isfinite(i.yy) || !isfinite(i.zz) || !isfinite(i.xy) || !isfinite(i.xz) || !isfinite(i.yz))
        return cn_fail("%s: %s.inertia is not finite", function, field);
    return true;
}

cn_mass cn_mass_transform(cn_mass mass, cn_pose pose)
{
    if (!mass_is_usable("cn_mass_transform", "mass", &mass) ||
        !cn_check_vec3("cn_mass_transform", "pose.position", pose.position) ||
        !cn_check_quat("cn_mass_transform", "pose.rotation", pose.rotation))
        return no_mass;
    pose.rotation = cn_quat_normalize(pose.rotation);
    return (cn_mass){ mass.mass, cn_pose_point(pose, mass.center), cn_sym3_rotate(mass.inertia, pose.rotation) };
}

cn_mass cn_mass_add(cn_mass a, cn_mass b)
{
    if (!mass_is_usable("cn_mass_add", "a", &a) || !mass_is_usable("cn_mass_add", "b", &b))
        return no_mass;
    double total = (double)a.mass + (double)b.mass;
    if (!(total > 0.0))
        return no_mass;
    double share = (double)b.mass / total;
    double dx = (double)b.center.x - (double)a.center.x, dy = (double)b.center.y - (double)a.center.y,
           dz = (double)b.center.z - (double)a.center.z;
    cn_vec3 center = { (float)((double)a.center.x + share * dx), (float)((double)a.center.y + share * dy),
                       (float)((double)a.center.z + share * dz) };
    // Parallel axes: both shifts together are that of the reduced mass at the distance of the centres.
    double reduced = (double)a.mass * share;
    cn_sym3 i = { (float)((double)a.inertia.xx + (double)b.inertia.xx + reduced * (dy * dy + dz * dz)),
                  (float)((double)a.inertia.yy + (double)b.inertia.yy + reduced * (dx * dx + dz * dz)),
                  (float)((double)a.inertia.zz + (double)b.inertia.zz + reduced * (dx * dx + dy * dy)),
                  (float)((double)a.inertia.xy + (double)b.inertia.xy - reduced * dx * dy),
                  (float)((double)a.inertia.xz + (double)b.inertia.xz - reduced * dx * dz),
                  (float)((double)a.inertia.yz + (double)b.inertia.yz - reduced * dy * dz) };
    cn_mass sum = { (float)total, center, i };
    return mass_is_usable("cn_mass_add", "the sum", &sum) ? sum : no_mass;
}
