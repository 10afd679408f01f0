// A house of cards: pairs that lean against each other, bridged by cards that lie on their tops.
#include "scenes.h"

#include "math/vec.h"

// Two and a half times the size of a playing card, and seven times as thick: 28 g each.
static const double length = 0.14, width = 0.10, thickness = 0.002;
static const float lean = 0.37f; // radians from upright: friction has to be above its tangent, 0.39

// Lying cards meet end to end above the middle of a pair and rest on the two upper edges there, which are nearly as far apart
// as two cards are thick.
static const double gap = 0.0002;

static void add_card(cn_build *build, cn_pos3 place, float angle)
{
    cn_quat turn = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), angle);
    cn_geometry card = cn_box((float)(0.5 * thickness), (float)(0.5 * length), (float)(0.5 * width));
    cn_build_solid(build, CN_DYNAMIC, place, turn, card);
}

void cn_build_cards(cn_build *build, int storeys)
{
    float sine, cosine;
    cn_sin_cos(lean, &sine, &cosine);
    double s = (double)sine, c = (double)cosine;
    // A card's centre above its lowest edge, and beside the edge with which it touches its partner.
    double up = 0.5 * (length * c + thickness * s), aside = 0.5 * (length * s + thickness * c);
    double apart = length + gap, floor = 0.0;
    for (int storey = 0; storey < storeys; ++storey) {
        int pairs = storeys - storey;
        for (int i = 0; i < pairs; ++i) {
            double x = (i - 0.5 * (pairs - 1)) * apart;
            add_card(build, (cn_pos3){ x - aside, floor + up, 0.0 }, -lean);
            add_card(build, (cn_pos3){ x + aside, floor + up, 0.0 }, lean);
        }
        floor += 2.0 * up;
        for (int i = 0; i + 1 < pairs; ++i)
            add_card(build, (cn_pos3){ (i - 0.5 * (pairs - 2)) * apart, floor + 0.5 * thickness, 0.0 },
                     (float)(0.5 * 3.14159265358979323846));
        floor += thickness;
    }
}

void cn_scene_cards(cn_build *build)
{
    build->density = 1000.0f;
    cn_build_ground(build);
    cn_build_cards(build, 3);
}
