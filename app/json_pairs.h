// Pairs of bodies that do not collide, from a scene file.
#ifndef CAIRN_APP_JSON_PAIRS_H
#define CAIRN_APP_JSON_PAIRS_H

#include "json_names.h"

bool cn_json_ignored_pairs(const cn_json *scene, const cn_body_names *names, cn_build *build);

#endif
