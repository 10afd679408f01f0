// The same tower and the same incline for bodies of a centimetre and of a hundred metres, and far from the origin.
#include "quality.h"

#include <math.h>

static void scale_case(cn_quality *quality, float size, double x)
{
    const double mu = isfinite(quality->mu) ? quality->mu : 0.6, expected = atan(mu) * 180.0 / 3.14159265358979323846;
    cn_case_begin(quality, "scale");
    cn_tower_result tower = cn_measure_tower(quality, 10, size, x, 10.0);
    double slip = cn_measure_slip_angle(quality, mu, size, x);
    cn_case_parameter(quality, "size", (double)size);
    cn_case_parameter(quality, "distance", x);
    cn_case_limit(quality, "drift_per_size", tower.drift / (double)size, "", 0.25);
    cn_case_limit(quality, "loss_per_size", tower.loss / (double)size, "", 0.5);
    cn_case_number(quality, "slip_angle_deg", slip, "deg");
    cn_case_limit(quality, "error_deg", fabs(slip - expected), "deg", 0.5);
    cn_case_end(quality, true);
}

void cn_quality_scale(cn_quality *quality)
{
    scale_case(quality, 0.01f, 0.0);
    scale_case(quality, 1.0f, 0.0);
    scale_case(quality, 100.0f, 0.0);
    scale_case(quality, 1.0f, 1.0e6);
}
