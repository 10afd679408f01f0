// Scenes from files, wherever a command takes the name of a scene. docs/scene-files.md describes them.
#ifndef CAIRN_APP_JSON_SCENE_H
#define CAIRN_APP_JSON_SCENE_H

#include "scenes.h"
#include "settings.h"

// Whether the name is that of a file: it ends in .json.
bool cn_scene_is_file(const char *name);
// The scene by that name, or in that file. NULL after one line on standard error. What the file says of the world goes into the
// settings, behind the options of the command line, and a step of length 0 there becomes that of the scene.
const cn_scene *cn_scene_open(const char *command, const char *name, cn_settings *settings);
void cn_scene_close(const cn_scene *scene); // NULL and named scenes are allowed

#endif
