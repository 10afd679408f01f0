// The same tower and the same incline for bodies of a centimetre and of a hundred metres, and far from the origin.
#include "quality.h"

#include <math.h>

typedef struct figures {
    double drift, loss, slip; // of a tower, per size; degrees
} figures;

static double chosen_mu(const cn_quality *quality) { return isfinite(quality->mu) ? quality->mu : 0.6; }

static figures measure(cn_quality *quality, float size, double distance)
{
    double origin = quality->origin;
    quality->origin += distance;
    cn_tower_result tower = cn_measure_tower(quality, 10, size, 10.0);
    double slip = cn_measure_slip_angle(quality, chosen_mu(quality), size);
    quality->origin = origin;
    return (figures){ tower.drift / (double)size, tower.loss / (double)size, slip };
}

static figures scale_case(cn_quality *quality, float size, double distance)
{
    double expected = atan(chosen_mu(quality)) * 180.0 / 3.14159265358979323846;
    cn_case_begin(quality, "scale");
    figures f = measure(quality, size, distance);
    cn_case_parameter(quality, "size", (double)size);
    cn_case_parameter(quality, "distance", distance);
    cn_case_limit(quality, "drift_per_size", f.drift, "", 0.25);
    cn_case_limit(quality, "loss_per_size", f.loss, "", 0.5);
    cn_case_number(quality, "slip_angle_deg", f.slip, "deg");
    cn_case_limit(quality, "error_deg", fabs(f.slip - expected), "deg", 0.5);
    cn_case_end(quality, true);
    return f;
}

void cn_quality_scale(cn_quality *quality)
{
    const double far_away = 1.0e6;
    figures here = scale_case(quality, 1.0f, 0.0), small = scale_case(quality, 0.01f, 0.0);
    figures large = scale_case(quality, 100.0f, 0.0), away = scale_case(quality, 1.0f, far_away);
    // In sum: how much size and place change what is measured.
    cn_case_begin(quality, "scale");
    cn_case_label(quality, "summary", "against 1 m at the origin");
    cn_case_limit(quality, "size_loss_change", fmax(fabs(small.loss - here.loss), fabs(large.loss - here.loss)), "", 0.02);
    cn_case_limit(quality, "size_slip_change", fmax(fabs(small.slip - here.slip), fabs(large.slip - here.slip)), "deg", 0.2);
    cn_case_parameter(quality, "distance", far_away);
    cn_case_limit(quality, "place_drift_change", fabs(away.drift - here.drift), "", 0.001);
    cn_case_limit(quality, "place_loss_change", fabs(away.loss - here.loss), "", 0.001);
    cn_case_limit(quality, "place_slip_change", fabs(away.slip - here.slip), "deg", 0.05);
    cn_case_end(quality, true);
}
