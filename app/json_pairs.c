#include "json_pairs.h"

#include "json_assets.h"

static bool read_pair(const cn_json *at, const cn_body_names *names, cn_build *build)
{
    cn_body_id bodies[2];
    if (!json_is_array(at->value) || cn_json_count(at) != 2)
        return cn_json_expect(at, "a pair of names of bodies");
    for (size_t i = 0; i < 2; ++i) {
        cn_json name = cn_json_element(at, i);
        if (!cn_json_body(&name, names, build, 0, &bodies[i]))
            return false;
    }
    return cn_body_set_collide(build->world, bodies[0], bodies[1], false) || cn_json_refused(at);
}

bool cn_json_ignored_pairs(const cn_json *scene, const cn_body_names *names, cn_build *build)
{
    cn_json list;
    if (!cn_json_member(scene, "ignored_pairs", &list))
        return true;
    if (!cn_json_list(&list, "a list of pairs"))
        return false;
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json at = cn_json_element(&list, i);
        if (!read_pair(&at, names, build))
            return false;
    }
    return true;
}
