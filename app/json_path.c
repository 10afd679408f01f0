#include "json_path.h"

#include "cairn/path.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

static const char *ease_word(int index)
{
    static const char *const words[CN_PATH_EASE_COUNT] = { [CN_PATH_LINEAR] = "linear", [CN_PATH_SMOOTH] = "smooth" };
    return index < CN_PATH_EASE_COUNT ? words[index] : NULL;
}

static const char *blocked_word(int index)
{
    static const char *const words[CN_BLOCKED_COUNT] = {
        [CN_BLOCKED_PUSH_ON] = "push_on", [CN_BLOCKED_STALL] = "stall", [CN_BLOCKED_REVERSE] = "reverse"
    };
    return index < CN_BLOCKED_COUNT ? words[index] : NULL;
}

#define AT(field) offsetof(cn_path_def, field)
static const cn_field path_fields[] = {
    { "keys", CN_FIELD_OTHER, .required = true },
    { "loop", CN_FIELD_BOOL, AT(loop) },
    { "ease", CN_FIELD_CHOICE, AT(ease), .choices = ease_word },
    { "speed", CN_FIELD_FLOAT, AT(speed), CN_RANGE_ANY },
    { "start", CN_FIELD_DOUBLE, AT(start), CN_RANGE_ANY },
    { "max_force", CN_FIELD_FLOAT, AT(max_force), CN_RANGE_NOT_NEGATIVE },
    { "max_torque", CN_FIELD_FLOAT, AT(max_torque), CN_RANGE_NOT_NEGATIVE },
    { "blocked", CN_FIELD_CHOICE, AT(blocked), .choices = blocked_word },
    { "back_time", CN_FIELD_FLOAT, AT(back_time), CN_RANGE_NOT_NEGATIVE },
    { "wait", CN_FIELD_FLOAT, AT(wait), CN_RANGE_NOT_NEGATIVE },
};
#undef AT

static const cn_field key_fields[] = {
    { "time", CN_FIELD_DOUBLE, offsetof(cn_path_key, time), CN_RANGE_ANY, .required = true },
    { "position", CN_FIELD_POS3, offsetof(cn_path_key, transform.position), CN_RANGE_ANY },
    { "rotation", CN_FIELD_OTHER },
};

// Where a key does not say it, the body is as it was made.
static bool read_keys(const cn_json *list, cn_transform made, cn_path_key *keys)
{
    for (size_t i = 0; i < cn_json_count(list); ++i) {
        cn_json at = cn_json_element(list, i);
        keys[i] = (cn_path_key){ .transform = made };
        if (!CN_JSON_FIELDS(&at, key_fields, &keys[i]) || !cn_json_rotation(&at, NULL, &keys[i].transform.rotation))
            return false;
    }
    return true;
}

bool cn_json_path(const cn_json *at, cn_world *world, cn_body_id body)
{
    cn_path_def def = cn_path_def_default();
    cn_json list, start;
    if (!CN_JSON_FIELDS(at, path_fields, &def) || !cn_json_member(at, "keys", &list) || !cn_json_list(&list, "a list of keys"))
        return false;
    size_t count = cn_json_count(&list);
    cn_path_key *keys = count < INT_MAX / 64 ? calloc(count + 1, sizeof *keys) : NULL;
    bool good = keys || cn_json_fail(&list, "are too many");
    good = good && read_keys(&list, cn_body_get_transform(world, body), keys);
    if (good && count > 0 && !cn_json_member(at, "start", &start))
        def.start = keys[0].time;
    def.keys = keys;
    def.key_count = (int)count;
    if (good && !cn_body_set_path(world, body, &def))
        good = cn_json_refused(at);
    free(keys);
    return good;
}
