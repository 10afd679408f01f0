// What the steps of a scene cost, and the state they left: the figures that `run` and `bench` both print.
#ifndef CAIRN_APP_MEASURE_H
#define CAIRN_APP_MEASURE_H

#include "build.h"
#include "output.h"

enum { CN_MOST_COLORS = 65 }; // the last one holds what fits no other

typedef struct cn_measure {
    cn_series step_ms;
    cn_series stage_ms[CN_STAGE_COUNT];
    cn_step_report last;
    double worst_penetration; // of all steps
    cn_series residual;       // per step; zeros unless it is measured
    long handed_over, missed; // islands, summed over the steps
    long lost;                // bodies, likewise
} cn_measure;

bool cn_measure_add(cn_measure *measure, const cn_step_report *report);
void cn_measure_free(cn_measure *measure);

// The first step is left out of the times: it makes what later steps reuse.
static inline int cn_measure_first(const cn_measure *measure) { return measure->step_ms.count > 1 ? 1 : 0; }

// A new object with scene, solver, threads, steps, bodies, manifolds, points, ms_mean, ms_p50, ms_p99, ms_max, ms_last, stages,
// peak_rss_mb, max_penetration, kinetic_energy_per_kg, state_hash, joints (awake), direct (of them, solved directly) and lost
// (bodies whose motion was not finite, over all steps);
// residual (last), residual_max, handed_over and missed when the residual is measured.
json_t *cn_measure_json(const cn_measure *measure, const cn_build *build, const char *scene, int threads);

// J per kg of the dynamic bodies.
double cn_kinetic_energy_per_kg(const cn_world *world);
// The most memory this process has had so far, in MB.
double cn_peak_memory(void);

#endif
