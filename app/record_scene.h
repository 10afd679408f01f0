// Scenes as recordings.
#ifndef CAIRN_APP_RECORD_SCENE_H
#define CAIRN_APP_RECORD_SCENE_H

#include "recording.h"

// What a recording keeps of a step besides the bodies.
cn_frame cn_frame_after(const cn_world *world, const cn_step_report *report);

// Runs a scene for `steps` steps, as many as it says when that is negative, with the settings it asks for, and keeps its motion
// in a file of its own among the temporary ones. NULL after one line on standard error. Let go of it with cn_record_drop.
char *cn_record_scene(const char *command, const char *name, int steps);
// Removes the file and frees its name. NULL is allowed.
void cn_record_drop(char *path);

#endif
