#include "shape/taper.h"

cn_taper cn_taper_of(const cn_convex *shape)
{
    double h = shape->type == CN_SPHERE ? 0.0 : (double)shape->half_height;
    double bottom = (double)shape->radius, top = shape->type == CN_TAPERED_CAPSULE ? (double)shape->top_radius : bottom;
    if (cn_taper_is_ball(shape)) {
        double y = top > bottom ? h : -h, radius = top > bottom ? top : bottom;
        return (cn_taper){ { y, y }, { radius, radius }, 0.0, 1.0 };
    }
    double sine = h > 0.0 ? (bottom - top) / (2.0 * h) : 0.0;
    return (cn_taper){ { -h, h }, { bottom, top }, sine, sqrt((1.0 - sine) * (1.0 + sine)) };
}

// The line to the nearest point stands upright on the side, up to the ends.
double cn_taper_nearest(const cn_taper *taper, double across, double along)
{
    double y = along - across * taper->sine / taper->cosine;
    return y < taper->y[0] ? taper->y[0] : y > taper->y[1] ? taper->y[1] : y;
}

double cn_taper_radius(const cn_taper *taper, double y) { return taper->radius[0] - taper->sine * (y - taper->y[0]); }

// Which ball reaches farther along a unit vector with that part along y.
static int farther_end(const cn_taper *taper, double along)
{
    return along * taper->y[1] + taper->radius[1] > along * taper->y[0] + taper->radius[0];
}

cn_vec3 cn_taper_support(const cn_convex *shape, cn_vec3 d)
{
    cn_taper taper = cn_taper_of(shape);
    int end = farther_end(&taper, (double)d.y);
    return cn_madd(cn_v3(0.0f, (float)taper.y[end], 0.0f), (float)taper.radius[end], d);
}

void cn_taper_bounds(const cn_convex *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper)
{
    cn_taper taper = cn_taper_of(shape);
    cn_vec3 up = cn_rotate(pose.rotation, cn_v3(0.0f, 1.0f, 0.0f));
    for (int i = 0; i < 2; i++) {
        float r = (float)taper.radius[i];
        cn_vec3 center = cn_madd(pose.position, (float)taper.y[i], up), half = cn_v3(r, r, r);
        *lower = i == 0 ? cn_sub(center, half) : cn_min3(*lower, cn_sub(center, half));
        *upper = i == 0 ? cn_add(center, half) : cn_max3(*upper, cn_add(center, half));
    }
}

float cn_taper_outer_radius(const cn_convex *shape, cn_vec3 point)
{
    cn_taper taper = cn_taper_of(shape);
    float reach[2];
    for (int i = 0; i < 2; i++)
        reach[i] = cn_distance(point, cn_v3(0.0f, (float)taper.y[i], 0.0f)) + (float)taper.radius[i];
    return cn_maxf(reach[0], reach[1]);
}

int cn_taper_face(const cn_convex *shape, cn_vec3 d, cn_vec3 vertices[2], uint16_t ids[2], cn_vec3 *normal)
{
    const double steepest = 0.1; // sine of the angle up to which the whole side counts as touching
    cn_taper taper = cn_taper_of(shape);
    double along = (double)d.y, across = sqrt((double)d.x * (double)d.x + (double)d.z * (double)d.z);
    double lean = along * taper.cosine - across * taper.sine;
    bool whole = fabs(lean) < steepest && across > 0.0 && taper.y[1] > taper.y[0];
    int first = whole ? 0 : farther_end(&taper, along), count = whole ? 2 : 1;
    float skin = cn_taper_skin(shape);
    for (int i = 0; i < count; i++) {
        int end = first + i;
        vertices[i] = cn_madd(cn_v3(0.0f, (float)taper.y[end], 0.0f), (float)taper.radius[end] - skin, d);
        ids[i] = (uint16_t)end;
    }
    *normal = d;
    if (whole) {
        float out = (float)(taper.cosine / across);
        *normal = cn_v3(out * d.x, (float)taper.sine, out * d.z);
    }
    return count;
}
