// The bodies of a scene file.
#ifndef CAIRN_APP_JSON_BODIES_H
#define CAIRN_APP_JSON_BODIES_H

#include "json_assets.h"

// Makes them in the world of the build. False with the reason in the error of the file.
bool cn_json_bodies(const cn_json *scene, const cn_assets *assets, cn_build *build);

#endif
