// The ragdolls of a scene file.
#ifndef CAIRN_APP_JSON_RAGDOLLS_H
#define CAIRN_APP_JSON_RAGDOLLS_H

#include "json_assets.h"
#include "json_names.h"

// Makes them in the world of the build and notes the names of their bones. False with the reason in the error of the file.
bool cn_json_ragdolls(const cn_json *scene, const cn_assets *assets, cn_build *build, cn_body_names *names);

#endif
