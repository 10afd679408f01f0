// The options every subcommand that steps a world has in common, and the world they ask for.
#ifndef CAIRN_APP_SETTINGS_H
#define CAIRN_APP_SETTINGS_H

#include "cairn/world.h"
#include "options.h"

typedef struct cn_settings {
    int solver;                        // index for cn_solver_name(); -1 takes the library's default
    int substeps, iterations, threads; // 0 takes the solver's default
    int friction;                      // a cn_friction_model; -1 takes the library's default
    int simd;                          // a cn_simd
    double dt;                         // s; 0 is for cn_scene_open to fill in
    bool residual;                     // every step reports how far it is from a solution
    double tolerance;                  // islands further from it are handed to a stronger solver; 0: none
    int effort;                        // what that may cost; -1 takes the library's default
    cn_world_def world;                // what the scene asks for; all of the above goes before it
} cn_settings;

#define CN_SETTINGS_OPTIONS 10

// A step of 1/60 s, gravity of (0, -10, 0) m/s^2, and no sleeping.
cn_settings cn_settings_default(void);
// Fills CN_SETTINGS_OPTIONS options that write into `settings`.
void cn_settings_options(cn_settings *settings, cn_option *options);
cn_world_def cn_settings_world(const cn_settings *settings);
// The word for a cn_friction_model, NULL past the end.
const char *cn_friction_name(int index);

#endif
