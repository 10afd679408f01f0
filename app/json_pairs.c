#include "json_pairs.h"

#include "json_assets.h"

#include <stddef.h>
#include <stdlib.h>

// One side of a pair: a body, or one shape of it.
typedef struct side {
    cn_body_id body;
    int shape; // -1: all of them
} side;

static const cn_field side_fields[] = {
    { "body", CN_FIELD_OTHER, .required = true },
    { "shape", CN_FIELD_INT, offsetof(side, shape), { 0.0, 1e9, false }, .required = true },
};

static bool read_side(const cn_json *at, const cn_body_names *names, const cn_build *build, side *s)
{
    cn_json body = *at;
    s->shape = -1;
    if (json_is_object(at->value) && (!CN_JSON_FIELDS(at, side_fields, s) || !cn_json_member(at, "body", &body)))
        return false;
    return cn_json_body(&body, names, build, 0, &s->body);
}

// In the order in which the file lists them.
static bool find_shape(const cn_json *at, const cn_world *world, const side *s, cn_shape_id *shape)
{
    int count = cn_body_get_shapes(world, s->body, NULL, 0);
    cn_shape_id *shapes = calloc((size_t)count + 1, sizeof *shapes);
    if (!shapes)
        return cn_json_fail(at, "needs more memory than there is");
    cn_body_get_shapes(world, s->body, shapes, count);
    if (s->shape < count)
        *shape = shapes[s->shape];
    free(shapes);
    return s->shape < count || cn_json_fail(at, "is shape %d of a body that has %d; they count from 0", s->shape, count);
}

static bool read_pair(const cn_json *at, const cn_body_names *names, cn_build *build)
{
    side sides[2];
    cn_shape_id shapes[2];
    if (!json_is_array(at->value) || cn_json_count(at) != 2)
        return cn_json_expect(at, "a pair of bodies or of shapes");
    for (size_t i = 0; i < 2; ++i) {
        cn_json element = cn_json_element(at, i);
        if (!read_side(&element, names, build, &sides[i]) ||
            (sides[i].shape >= 0 && !find_shape(&element, build->world, &sides[i], &shapes[i])))
            return false;
    }
    if ((sides[0].shape < 0) != (sides[1].shape < 0))
        return cn_json_fail(at, "must be two bodies or two shapes");
    bool done = sides[0].shape < 0 ? cn_body_set_collide(build->world, sides[0].body, sides[1].body, false)
                                   : cn_shape_set_collide(build->world, shapes[0], shapes[1], false);
    return done || cn_json_refused(at);
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
