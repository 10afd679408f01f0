// How many rays and casts of spheres per second: into the bare terrain, and into the boxes at rest on it.
#ifndef CAIRN_APP_BENCH_RAYS_H
#define CAIRN_APP_BENCH_RAYS_H

#include "settings.h"

typedef struct cn_ray_bench {
    int rays;  // and a tenth as many casts
    int steps; // in which the boxes come to rest
    bool json;
} cn_ray_bench;

// Prints one JSON object, or two lines. Answers the exit status.
int cn_bench_rays(const cn_settings *settings, const cn_ray_bench *bench);

#endif
