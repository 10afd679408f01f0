// A scene as plain text, for other programs to build the same thing.
#ifndef CAIRN_APP_EXPORT_H
#define CAIRN_APP_EXPORT_H

#include "build.h"

// Floats have 9 significant digits and doubles 17, so that reading them back gives the same bits. `path` "-" is standard
// output.
bool cn_export_scene(const char *path, const cn_build *build, double dt, int steps, cn_message *error);

#endif
