#include "settings.h"

const char *cn_friction_name(int index)
{
    static const char *const words[] = { [CN_FRICTION_PATCH] = "patch", [CN_FRICTION_CONE] = "cone" };
    return index < CN_FRICTION_MODEL_COUNT ? words[index] : NULL;
}

static const char *simd_word(int index)
{
    static const char *const words[] = { [CN_SIMD_AUTO] = "auto", [CN_SIMD_BASE] = "base", [CN_SIMD_AVX2] = "avx2" };
    return index < CN_SIMD_COUNT ? words[index] : NULL;
}

cn_settings cn_settings_default(void)
{
    cn_settings settings = { .solver = -1, .threads = 1, .friction = -1, .simd = CN_SIMD_AUTO, .dt = 1.0 / 60.0, .effort = -1 };
    settings.world = cn_world_def_default();
    settings.world.gravity = (cn_vec3){ 0.0f, -10.0f, 0.0f };
    settings.world.sleeping = false;
    return settings;
}

void cn_settings_options(cn_settings *settings, cn_option *options)
{
    const cn_option all[CN_SETTINGS_OPTIONS] = {
        { "solver", CN_OPTION_CHOICE, &settings->solver, "SOLVER", 0, 0, cn_solver_name,
          "The method that finds the contact forces; `cairn solvers` says what each one does." },
        { "substeps", CN_OPTION_INT, &settings->substeps, "N", 1, 1000, NULL,
          "Cut each step into N smaller ones. More are stiffer (taller towers, less overlap) and cost more." },
        { "iterations", CN_OPTION_INT, &settings->iterations, "N", 1, 100000, NULL,
          "Sweeps or iterations per step, at most, for the solvers that iterate." },
        { "threads", CN_OPTION_INT, &settings->threads, "N", 1, 256, NULL,
          "How many threads step the world (default 1). The result is the same, bit for bit, for any number." },
        { "friction", CN_OPTION_CHOICE, &settings->friction, "MODEL", 0, 0, cn_friction_name,
          "Friction per contact patch (fast), or a smooth Coulomb cone at every contact point (exact in direction)." },
        { "simd", CN_OPTION_CHOICE, &settings->simd, "LEVEL", 0, 0, simd_word,
          "Vector instructions to use (default auto). Changes the speed, never the result." },
        { "residual", CN_OPTION_FLAG, &settings->residual, NULL, 0, 0, NULL,
          "Measure in every step how far it is from a solution of the contact model. Changes nothing but the price." },
        { "tolerance", CN_OPTION_REAL, &settings->tolerance, "T", 1e-12, 1.0, NULL,
          "Hand islands whose residual is above T to a stronger solver, within a budget; 1e-4 is a good start." },
        { "effort", CN_OPTION_INT, &settings->effort, "N", 0, 2000000000, NULL,
          "What a stronger solver may cost per step, in products of 3x3 matrices (default 20,000,000; a million is about 10 "
          "ms)." },
        { "dt", CN_OPTION_REAL, &settings->dt, "SECONDS", 1e-6, 1.0, NULL, "Length of a step (default 1/60 s)." },
    };
    for (int i = 0; i < CN_SETTINGS_OPTIONS; ++i)
        options[i] = all[i];
}

cn_world_def cn_settings_world(const cn_settings *settings)
{
    cn_world_def def = settings->world;
    def.threads = settings->threads;
    def.simd = (cn_simd)settings->simd;
    if (settings->solver >= 0)
        def.solver = cn_solver_name(settings->solver);
    if (settings->substeps > 0)
        def.substeps = settings->substeps;
    if (settings->iterations > 0)
        def.iterations = settings->iterations;
    def.measure = settings->residual;
    def.tolerance = (float)settings->tolerance;
    if (settings->effort >= 0)
        def.effort = settings->effort;
    if (settings->friction >= 0)
        def.friction_model = (cn_friction_model)settings->friction;
    return def;
}
