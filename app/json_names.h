// Names of bodies in a scene file.
#ifndef CAIRN_APP_JSON_NAMES_H
#define CAIRN_APP_JSON_NAMES_H

#include "build.h"
#include "json_fields.h"

// Bodies of one name: places in the list of the build, `stride` apart.
typedef struct cn_body_group {
    int first, count, stride;
} cn_body_group;

typedef struct cn_body_names {
    json_t *index; // from names to places in `groups`
    cn_body_group *groups;
    int count, capacity;
} cn_body_names;

// Notes a group by the field "name" of an object, if it has one, with a dot and `part` behind it unless that is NULL. False,
// with an error of the file, for a name that does not fit. Names may be all zero before the first one.
bool cn_body_names_add(cn_body_names *names, const cn_json *object, const char *part, cn_body_group group);
void cn_body_names_free(cn_body_names *names);
// The body that a text names, or the one `step` places behind it where there are several of that name. False, with an error of
// the file, when there is none.
bool cn_json_body(const cn_json *at, const cn_body_names *names, const cn_build *build, int step, cn_body_id *body);

#endif
