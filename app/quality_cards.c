// A house of cards stands: thin light boxes on their edges, held by friction alone.
#include "quality.h"
#include "scenes.h"

#include <stdlib.h>

void cn_quality_cards(cn_quality *quality)
{
    enum { STOREYS = 3 };
    const double most_drift = 0.01; // m: a fourteenth of a card; beyond it the next one slips off
    cn_build build;
    cn_case_begin(quality, "cards");
    cn_quality_open(quality, &build, 10.0f);
    build.density = 1000.0f;
    cn_build_ground(&build);
    cn_build_cards(&build, STOREYS);
    cn_pos3 *from = cn_copy_centers(&build);
    cn_quality_run(quality, &build, 10.0, NULL, NULL);
    double drift = cn_longest_way(&build, from);
    free(from);
    cn_case_parameter(quality, "storeys", STOREYS);
    cn_case_flag(quality, "stands", drift < most_drift);
    cn_case_limit(quality, "drift", drift, "m", most_drift);
    cn_case_number(quality, "max_penetration", build.failed ? 0.0 : cn_world_get_max_penetration(build.world), "m");
    cn_case_number(quality, "max_speed", cn_fastest(&build), "m/s");
    cn_quality_close(quality, &build);
    cn_case_end(quality, true);
}
