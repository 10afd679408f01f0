#include "lab/stage.h"

#include <math.h>

static const double MORE = 3.0, LESS = 0.3, FAR_LESS = 0.1;
enum { QUICK = 3, LONG = 6, LONGEST = 20 }; // Newton steps

void cn_stage_begin(cn_stage *stage, double shift)
{
    stage->shift = fmin(fmax(shift, stage->least), CN_STAGE_LARGEST);
    stage->square = (double)INFINITY;
    stage->steps = stage->lost = 0;
}

void cn_stage_solved(cn_stage *stage)
{
    cn_stage_begin(stage, stage->shift * (stage->steps <= QUICK ? FAR_LESS : stage->steps <= LONG ? LESS : 1.0));
}

bool cn_stage_retry(cn_stage *stage)
{
    if (stage->shift >= CN_STAGE_LARGEST)
        return false;
    cn_stage_begin(stage, stage->shift * MORE);
    return true;
}

// Full Newton steps may lead far up before they find the way down, so |F| alone says little for a few steps.
bool cn_stage_is_lost(const cn_stage *stage, double square)
{
    return !isfinite(square) || stage->lost > stage->patience || stage->steps > LONGEST;
}

bool cn_stage_step(cn_stage *stage, double square)
{
    stage->steps++;
    if (!(square < 0.8 * stage->square)) {
        stage->lost++;
        return false;
    }
    stage->square = square;
    stage->lost = 0;
    return true;
}
