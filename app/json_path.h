// The paths of kinematic bodies in a scene file.
#ifndef CAIRN_APP_JSON_PATH_H
#define CAIRN_APP_JSON_PATH_H

#include "json_assets.h"

// Reads a path and gives it to the body. False with the reason in the error of the file.
bool cn_json_path(const cn_json *at, cn_world *world, cn_body_id body);

#endif
