#define _POSIX_C_SOURCE 200809L // mkstemp, strdup

#include "record_scene.h"

#include "interrupt.h"
#include "json_scene.h"
#include "output.h"
#include "process.h"
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cn_frame cn_frame_after(const cn_world *world, const cn_step_report *report)
{
    return (cn_frame){ .kinetic_energy = cn_world_get_energy(world).kinetic,
                       .max_penetration = report->max_penetration,
                       .step_ms = report->step_ms,
                       .manifolds = (uint32_t)report->manifolds,
                       .points = (uint32_t)report->points,
                       .awake_bodies = (uint32_t)report->awake_bodies };
}

static bool step_through(cn_build *build, const cn_scene *scene, double dt, int steps, cn_recorder *recorder, cn_message *error)
{
    cn_step_report report;
    for (int i = 0; i < steps; ++i) {
        if (cn_interrupted())
            return cn_message_set(error, "interrupted in step %d", i + 1);
        if (!cn_build_step(build, dt, &report))
            return cn_message_set(error, "step %d: %s", i + 1, build->error.text);
        cn_frame frame = cn_frame_after(build->world, &report);
        if (!cn_recorder_add(recorder, &frame, error))
            return false;
        cn_progress(scene->name, i + 1, steps);
    }
    return true;
}

static bool record(const cn_scene *scene, const cn_settings *settings, int steps, const char *path, cn_message *error)
{
    cn_world_def def = cn_settings_world(settings);
    cn_build build;
    cn_recorder *recorder = NULL;
    bool good = cn_scene_build(scene, &def, &build) || cn_message_set(error, "%s", build.error.text);
    if (good)
        recorder = cn_recorder_open(path, &build, scene->name, settings->dt, error);
    good = recorder && step_through(&build, scene, settings->dt, steps, recorder, error);
    if (recorder)
        good = cn_recorder_close(recorder, good ? error : &(cn_message){ 0 }) && good;
    cn_build_close(&build);
    return good;
}

char *cn_record_scene(const char *command, const char *name, int steps)
{
    char path[CN_PROCESS_PATH];
    cn_message error;
    cn_settings settings = cn_settings_default();
    settings.dt = 0.0; // that of the scene
    const cn_scene *scene = cn_scene_open(command, name, &settings);
    if (!scene)
        return NULL;
    cn_interrupt_catch(); // so that nothing temporary is left
    cn_temporary_template(path, sizeof path, "recording");
    int descriptor = mkstemp(path);
    char *kept = descriptor >= 0 ? strdup(path) : NULL;
    bool good = kept || cn_message_set(&error, "%s: %s", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    good = good && record(scene, &settings, steps >= 0 ? steps : scene->steps, path, &error);
    if (!good) {
        cn_scene_complain(command, scene, error.text);
        cn_record_drop(kept);
    }
    cn_scene_close(scene);
    return good ? kept : NULL;
}

void cn_record_drop(char *path)
{
    if (path)
        unlink(path);
    free(path);
}
