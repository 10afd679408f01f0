// Rays against convex shapes in closed form. The numbers of shapes and rays are float; everything between is double, so that a
// ray from a kilometre away hits a pebble where it is.
#include "collide/cast.h"
#include "collide/minkowski.h"
#include "shape/taper.h"

typedef struct ray {
    cn_d3 origin, translation;
} ray;

// The stretch of a ray that lies inside of some of the surfaces that bound a shape.
typedef struct stretch {
    double enter, leave; // fractions; it enters before the ray begins where enter is below 0
    cn_d3 normal;        // of the surface it enters through; need not be unit length
} stretch;

static stretch whole_line(void) { return (stretch){ -(double)INFINITY, (double)INFINITY, { 0.0, 0.0, 0.0 } }; }

// Leaves what is below a plane: `height` is that of the origin over it, `climb` that of the translation. A ray that begins in
// the plane and leaves the shape has nothing left. False when nothing is left.
static bool clip_below(stretch *s, double height, double climb, cn_d3 normal)
{
    if (climb < 0.0) {
        double t = -height / climb;
        if (t > s->enter) {
            s->enter = t;
            s->normal = normal;
        }
    } else if (climb > 0.0) {
        if (height >= 0.0)
            return false;
        double t = -height / climb;
        s->leave = t < s->leave ? t : s->leave;
    } else if (height > 0.0) {
        return false;
    }
    return s->enter <= s->leave;
}

// Leaves what is inside of a ball (`up` is 1) or of an endless cylinder along y (`up` is 0) around the origin. The place where
// the line is nearest to the centre is found first: there the square root loses nothing, however far away the ray begins.
static bool clip_round(stretch *s, const ray *r, double radius, double up)
{
    cn_d3 o = { r->origin.x, up * r->origin.y, r->origin.z };
    cn_d3 d = { r->translation.x, up * r->translation.y, r->translation.z };
    double length_sq = cn_d3_dot(d, d), radius_sq = radius * radius;
    if (!(length_sq > 0.0))
        return cn_d3_dot(o, o) <= radius_sq;
    double nearest = -cn_d3_dot(o, d) / length_sq;
    cn_d3 foot = cn_d3_madd(o, nearest, d);
    double room = radius_sq - cn_d3_dot(foot, foot);
    if (!(room >= 0.0))
        return false;
    double half = sqrt(room / length_sq), enter = nearest - half, leave = nearest + half;
    if (leave <= 0.0)
        return false;
    if (enter > s->enter) {
        s->enter = enter;
        s->normal = cn_d3_madd(o, enter, d);
    }
    s->leave = leave < s->leave ? leave : s->leave;
    return s->enter <= s->leave;
}

static bool clip_slab(stretch *s, double origin, double translation, double half, cn_d3 axis)
{
    return clip_below(s, origin - half, translation, axis) &&
           clip_below(s, -origin - half, -translation, cn_d3_scale(-1.0, axis));
}

static bool clip_box(stretch *s, const ray *r, cn_vec3 half)
{
    return clip_slab(s, r->origin.x, r->translation.x, (double)half.x, cn_d3_make(1.0, 0.0, 0.0)) &&
           clip_slab(s, r->origin.y, r->translation.y, (double)half.y, cn_d3_make(0.0, 1.0, 0.0)) &&
           clip_slab(s, r->origin.z, r->translation.z, (double)half.z, cn_d3_make(0.0, 0.0, 1.0));
}

// Where the ray comes into the endless cylinder decides which part of the capsule it can meet first: the side, or the ball of
// the end it is beyond.
static bool clip_capsule(stretch *s, const ray *r, double half_height, double radius)
{
    if (!clip_round(s, r, radius, 0.0))
        return false;
    double y = r->origin.y + (s->enter > 0.0 ? s->enter : 0.0) * r->translation.y;
    if (fabs(y) <= half_height)
        return true;
    ray from_end = *r;
    from_end.origin.y -= y > 0.0 ? half_height : -half_height;
    *s = whole_line();
    return clip_round(s, &from_end, radius, 1.0);
}

static bool clip_cylinder(stretch *s, const ray *r, double half_height, double radius)
{
    return clip_slab(s, r->origin.y, r->translation.y, half_height, cn_d3_make(0.0, 1.0, 0.0)) && clip_round(s, r, radius, 0.0);
}

// Where a ray that comes from outside enters the side of a tapered capsule: the cone between the circles where it touches the
// balls. The ray is seen from where it is nearest to the middle, so that the roots lose nothing, however far away it begins.
static bool enter_cone(const ray *r, const cn_taper *t, stretch *s)
{
    cn_d3 d = r->translation;
    double nearest = -cn_d3_dot(r->origin, d) / cn_d3_dot(d, d);
    cn_d3 o = cn_d3_madd(r->origin, nearest, d);
    double low = t->y[0] + t->sine * t->radius[0], high = t->y[1] + t->sine * t->radius[1], slope = t->sine / t->cosine;
    double rim = t->cosine * t->radius[0] - slope * (o.y - low), climb = -slope * d.y;
    // across^2 - rim^2 is a t^2 + 2 b t + c
    double a = d.x * d.x + d.z * d.z - climb * climb, b = o.x * d.x + o.z * d.z - rim * climb;
    double c = o.x * o.x + o.z * o.z - rim * rim, room = b * b - a * c;
    if (!(room >= 0.0))
        return false;
    double q = -(b + (b < 0.0 ? -sqrt(room) : sqrt(room)));
    const double times[2] = { q / a, c / q }; // no number where there is no such root
    for (int i = 0; i < 2; i++) {
        cn_d3 p = cn_d3_madd(o, times[i], d);
        bool between = p.y >= low && p.y <= high;
        p.y = sqrt(p.x * p.x + p.z * p.z) * slope; // now the normal
        if (between && cn_d3_dot(p, d) < 0.0) {
            *s = (stretch){ times[i] + nearest, (double)INFINITY, p };
            return true;
        }
    }
    return false;
}

// A ray from outside meets the shape where it first enters a ball or the side, unless it turns away from the plane that parts
// them.
static bool clip_taper(stretch *s, const ray *r, const cn_convex *shape)
{
    cn_taper taper = cn_taper_of(shape);
    cn_d3 out = r->origin;
    double height = cn_taper_nearest(&taper, sqrt(out.x * out.x + out.z * out.z), out.y);
    out.y -= height;
    double radius = cn_taper_radius(&taper, height);
    if (cn_d3_dot(out, out) < radius * radius)
        return true;
    if (!(cn_d3_dot(out, r->translation) < 0.0))
        return false;
    stretch part[3] = { whole_line(), whole_line(), whole_line() };
    ray from[2] = { *r, *r };
    bool meets[3];
    for (int i = 0; i < 2; i++) {
        from[i].origin.y -= taper.y[i];
        meets[i] = clip_round(&part[i], &from[i], taper.radius[i], 1.0);
    }
    meets[2] = enter_cone(r, &taper, &part[2]);
    s->enter = (double)INFINITY;
    for (int i = 0; i < 3; i++)
        if (meets[i] && part[i].enter < s->enter)
            *s = part[i];
    s->enter = s->enter < 0.0 ? 0.0 : s->enter;
    return s->enter < (double)INFINITY;
}

static bool clip_hull(stretch *s, const ray *r, const cn_polyhedron *hull)
{
    for (int i = 0; i < hull->face_count; i++) {
        cn_d3 normal = cn_d3_from(hull->planes[i].normal);
        double height = cn_d3_dot(normal, r->origin) - (double)hull->planes[i].offset;
        if (!clip_below(s, height, cn_d3_dot(normal, r->translation), normal))
            return false;
    }
    return true;
}

// From the front only. The signs of three volumes tell on which side of each edge the ray passes (Moeller and Trumbore, "Fast,
// minimum storage ray-triangle intersection", 1997).
static bool meet_triangle(stretch *s, const ray *r, const cn_vec3 *vertices)
{
    cn_d3 a = cn_d3_sub(cn_d3_from(vertices[0]), r->origin), b = cn_d3_sub(cn_d3_from(vertices[1]), r->origin);
    cn_d3 c = cn_d3_sub(cn_d3_from(vertices[2]), r->origin), d = r->translation;
    cn_d3 normal = cn_d3_cross(cn_d3_sub(b, a), cn_d3_sub(c, a));
    double climb = cn_d3_dot(normal, d), depth = cn_d3_dot(normal, a);
    if (!(climb < 0.0) || depth > 0.0)
        return false;
    if (cn_d3_dot(d, cn_d3_cross(a, b)) > 0.0 || cn_d3_dot(d, cn_d3_cross(b, c)) > 0.0 || cn_d3_dot(d, cn_d3_cross(c, a)) > 0.0)
        return false;
    *s = (stretch){ depth / climb, (double)INFINITY, normal };
    return true;
}

static bool clip_shape(stretch *s, const ray *r, const cn_convex *shape)
{
    double radius = (double)shape->radius, half_height = (double)shape->half_height;
    switch (shape->type) {
    case CN_SPHERE: return clip_round(s, r, radius, 1.0);
    case CN_CAPSULE: return clip_capsule(s, r, half_height, radius);
    case CN_BOX: return clip_box(s, r, shape->half_extents);
    case CN_CYLINDER: return clip_cylinder(s, r, half_height, radius);
    case CN_TAPERED_CAPSULE: return clip_taper(s, r, shape);
    case CN_TRIANGLE: return meet_triangle(s, r, shape->triangle);
    default: return clip_hull(s, r, shape->hull);
    }
}

bool cn_cast_ray(const cn_convex *shape, cn_vec3 origin, cn_vec3 translation, float limit, cn_cast_result *result)
{
    ray r = { cn_d3_from(origin), cn_d3_from(translation) };
    stretch s = whole_line();
    if (!clip_shape(&s, &r, shape) || !(s.enter <= (double)limit))
        return false;
    if (s.enter < 0.0) {
        *result = (cn_cast_result){ 0.0f, origin, { 0.0f, 0.0f, 0.0f } };
        return true;
    }
    double length = sqrt(cn_d3_dot(s.normal, s.normal));
    *result = (cn_cast_result){ (float)s.enter, cn_d3_float(cn_d3_madd(r.origin, s.enter, r.translation)),
                                cn_d3_float(cn_d3_scale(length > 0.0 ? 1.0 / length : 0.0, s.normal)) };
    return true;
}
