// The joints of a scene file.
#ifndef CAIRN_APP_JSON_JOINTS_H
#define CAIRN_APP_JSON_JOINTS_H

#include "json_names.h"

// Makes them in the world of the build, whose bodies are there. False with the reason in the error of the file.
bool cn_json_joints(const cn_json *scene, const cn_body_names *names, cn_build *build);

#endif
