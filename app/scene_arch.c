// A semicircular arch of equal wedges, dry: only weight and friction hold it.
#include "scenes.h"

#include "math/vec.h"

static const double pi = 3.14159265358979323846;

// A stone between two joints, given by the directions in which they lie seen from the middle of the arch. Neighbours compute
// the corners of their joint from the same numbers, so they touch without gap.
static cn_body_id add_wedge(cn_build *build, const cn_arch *arch, const double from[2], const double to[2])
{
    cn_vec3 points[8];
    double inner = arch->radius - 0.5 * arch->thickness, outer = arch->radius + 0.5 * arch->thickness;
    double x = 0.5 * arch->radius * (from[0] + to[0]), y = 0.5 * arch->radius * (from[1] + to[1]);
    for (int i = 0; i < 8; ++i) {
        const double *ray = i & 1 ? to : from;
        double reach = i & 2 ? outer : inner, z = i & 4 ? 0.5 * arch->depth : -0.5 * arch->depth;
        points[i] = (cn_vec3){ (float)(reach * ray[0] - x), (float)(reach * ray[1] - y), (float)z };
    }
    return cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ x, y, 0.0 }, cn_hull(cn_build_hull(build, points, 8)));
}

void cn_build_arch(cn_build *build, const cn_arch *arch)
{
    double from[2] = { 1.0, 0.0 };
    for (int i = 1; i <= arch->stones; ++i) {
        float sine, cosine;
        cn_sin_cos((float)(pi * i / arch->stones), &sine, &cosine);
        double to[2] = { (double)cosine, i < arch->stones ? (double)sine : 0.0 };
        add_wedge(build, arch, from, to);
        from[0] = to[0];
        from[1] = to[1];
    }
}

void cn_scene_arch(cn_build *build)
{
    const cn_arch arch = { .stones = 23, .radius = 5.0, .thickness = 1.0, .depth = 1.5 };
    build->density = 2000.0f;
    cn_build_ground(build);
    cn_build_arch(build, &arch);
}
