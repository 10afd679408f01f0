#include "commands.h"
#include "quality.h"

#include <math.h>
#include <stdio.h>

// The parameters a case can be given.
typedef enum parameter { HEIGHT = 1, RATIO = 2, MU = 4, E = 8, SPEED = 16 } parameter;

typedef struct quality_case {
    const char *name, *summary;
    int parameters;
    void (*run)(cn_quality *quality);
} quality_case;

enum { PARAMETERS = 5 };

static const quality_case cases[] = {
    { "tower", "columns of 10 to 160 unit cubes stand for 30 s", HEIGHT, cn_quality_tower },
    { "heavy_on_light", "a cube carries one that weighs 10 to 10,000 times as much", RATIO, cn_quality_heavy_on_light },
    { "jitter", "a pyramid of base 20 at rest does not move", 0, cn_quality_jitter },
    { "pile_jitter", "5000 boxes on hills come to rest", 0, cn_quality_pile_jitter },
    { "arch", "a semicircular arch of 15 to 31 stones stands just above the least friction, and falls just below", MU,
      cn_quality_arch },
    { "cards", "a house of cards of 3 storeys stands for 10 s", 0, cn_quality_cards },
    { "slope", "a box starts to slide at the angle whose tangent is mu, and not before", MU, cn_quality_slope },
    { "isotropy", "a box pushed in 16 directions goes equally far in all of them", MU, cn_quality_isotropy },
    { "stop", "a sliding box stops after v^2/(2 mu g); a sliding sphere ends up rolling at 5/7 of its speed", MU,
      cn_quality_stop },
    { "bounce", "a dropped body comes back to e^2 of its height", E, cn_quality_bounce },
    { "spin", "a box tumbling freely for 100 s keeps energy and angular momentum", 0, cn_quality_spin },
    { "momentum", "a cloud of 216 colliding spheres keeps linear and angular momentum", 0, cn_quality_momentum },
    { "gas", "2197 spheres in a closed room keep their energy, and their speeds become Maxwell's", 0, cn_quality_gas },
    { "tunnel", "fast balls and spinning bars pass through nothing: walls, triangles, height fields, plates, posts", SPEED,
      cn_quality_tunnel },
    { "thin", "400 plates, bars, needles and discs from 1 mm on fall on hills and stay above them", 0,
      cn_quality_thin },
    { "bumps", "boxes slide and balls roll over meshes and rows of boxes without feeling their seams", 0, cn_quality_bumps },
    { "penetration", "bodies that begin inside each other part gently", 0, cn_quality_penetration },
    { "chain", "20 links on ball joints swing with a weight of 1 to 10,000 links and do not stretch", RATIO, cn_quality_chain },
    { "pendulum", "a rod on a hinge swings with the period of the elliptic integral", 0, cn_quality_pendulum },
    { "top", "a spinning wheel held at the end of its axle goes round as its weight and its spin say", 0, cn_quality_top },
    { "spring", "a body on a spring has its frequency and its damping ratio", 0, cn_quality_spring },
    { "motors", "1 to 8 links and a ragdoll are held by motors at their defaults; friction and a motor for all axes of a ball", 0, cn_quality_motors },
    { "hinge_motor", "a motor turns a bar with its torque until it has its speed, and keeps it", 0, cn_quality_hinge_motor },
    { "slider", "a body on a slope of 30 degrees slides as its weight and friction say", 0, cn_quality_slider },
    { "gear", "two wheels keep their ratio for 60 s", 0, cn_quality_gear },
    { "rack", "a pinion moves a rack with the torque and the ratio it has", 0, cn_quality_rack },
    { "pulley", "two weights on a rope: Atwood's machine", 0, cn_quality_pulley },
    { "hang", "joints that hold a weight read its force and its torque", 0, cn_quality_hang },
    { "beam", "ten boxes welded to a beam carry themselves and do not sag", 0, cn_quality_beam },
    { "limit", "a hinge that hits its limit at 20 rad/s stops there", 0, cn_quality_limit },
    { "breakable", "1000 joints break at 1.01 times their strength, and not at 0.99 times", 0, cn_quality_breakable },
    { "ragdoll", "limbs stay within their limits, dropped from 20 m and started bent the wrong way", 0, cn_quality_ragdoll },
    { "cradle", "Newton's cradle hands on its swing and keeps its energy", 0, cn_quality_cradle },
    { "door", "a door that closes on a box feels what it pushes, and stops", 0, cn_quality_door },
    { "platform", "platforms that move and turn carry what stands on them", 0, cn_quality_platform },
    { "grip", "a box between two fingers that are still, shaken and swung is held for 60 s", 0, cn_quality_grip },
    { "table", "the four legs of a table carry a quarter of it each", 0, cn_quality_table },
    { "scale", "tower and slope at 1 cm, 1 m, 100 m, and 1,000 km from the origin", MU, cn_quality_scale },
};

#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))

static const char *case_name(int index)
{
    if (index < CASE_COUNT)
        return cases[index].name;
    return index == CASE_COUNT ? "all" : NULL;
}

// A parameter that the case does not have is a mistake worth telling; with `all` it goes to those that have it.
static bool check_parameters(const quality_case *c, const cn_quality *quality)
{
    const double given[PARAMETERS] = { quality->height, quality->ratio, quality->mu, quality->e, quality->speed };
    static const char *const names[PARAMETERS] = { "height", "ratio", "mu", "e", "speed" };
    for (int i = 0; i < PARAMETERS; ++i) {
        if (isfinite(given[i]) && !(c->parameters & 1 << i)) {
            cn_complain("quality", "%s has no parameter --%s", c->name, names[i]);
            return false;
        }
    }
    return true;
}

static int print_list(void)
{
    for (int i = 0; i < CASE_COUNT; ++i)
        printf("%-16s %s\n", cases[i].name, cases[i].summary);
    return 0;
}

static int run_cases(cn_quality *quality, int index)
{
    for (int i = 0; i < CASE_COUNT; ++i)
        if (index == i || index == CASE_COUNT)
            cases[i].run(quality);
    if (!quality->json)
        printf("%d case%s, %d missed a bound\n", quality->case_count, cn_plural(quality->case_count), quality->missed);
    if (quality->broken > 0)
        return 2;
    return quality->missed > 0 ? 1 : 0;
}

int cn_command_quality(int argc, char **argv)
{
    enum { OPTIONS = 8 };
    const double none = (double)NAN;
    cn_quality quality = { cn_settings_default(), .height = none, .ratio = none, .mu = none, .e = none, .speed = none };
    bool list = false;
    const char *name = NULL;
    cn_option options[CN_SETTINGS_OPTIONS + OPTIONS] = {
        { "height", CN_OPTION_REAL, &quality.height, "N", 1, 2000, NULL,
          "tower: this many cubes instead of 10, 20, 40, 80, 160." },
        { "ratio", CN_OPTION_REAL, &quality.ratio, "R", 1e-3, 1e9, NULL,
          "heavy_on_light: mass of the upper cube over that of the lower one; chain: of the weight over that of a link." },
        { "mu", CN_OPTION_REAL, &quality.mu, "MU", 0.01, 10.0, NULL,
          "slope, isotropy, stop, scale: friction (default 0.6); arch: instead of just above and below the least." },
        { "e", CN_OPTION_REAL, &quality.e, "E", 0.01, 1.0, NULL, "bounce: restitution, instead of 0.1 to 1.0." },
        { "speed", CN_OPTION_REAL, &quality.speed, "V", 1.0, 5000.0, NULL, "tunnel: m/s, instead of 50 to 1000." },
        { "origin", CN_OPTION_REAL, &quality.origin, "X", -1e9, 1e9, NULL,
          "Let everything happen X metres from the origin of the world. The figures must not change." },
        { "list", CN_OPTION_FLAG, &list, NULL, 0, 0, NULL, "List the cases and what each one measures." },
        { "json", CN_OPTION_FLAG, &quality.json, NULL, 0, 0, NULL, "Print one JSON object per case, each on its own line." },
    };
    cn_settings_options(&quality.settings, options + OPTIONS);
    const cn_usage usage = {
        "quality",
        "[CASE|all]",
        1,
        "Measures how right the engine is: small experiments with a known answer, each with the numbers measured,\n"
        "the bound, and pass or FAIL. The exit status is 1 when a judged bound was missed.",
        "  cairn quality --list\n  cairn quality\n  cairn quality tower --height 160 --substeps 16\n"
        "  cairn quality isotropy --friction cone --json\n",
        options,
        CN_SETTINGS_OPTIONS + OPTIONS
    };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (list)
        return print_list();
    if (isfinite(quality.height) && quality.height != floor(quality.height))
        return cn_complain("quality", "--height wants a whole number, not %g", quality.height);
    int index = cn_word_find("quality", "case", name ? name : "all", case_name);
    if (index < 0 || (index < CASE_COUNT && !check_parameters(&cases[index], &quality)))
        return 2;
    return run_cases(&quality, index);
}
