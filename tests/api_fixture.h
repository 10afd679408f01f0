// What the tests of the public functions put into their worlds.
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include "cairn/cairn.h"

static const cn_vec3 tetrahedron[4] = {
    { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f }
};
static const cn_vec3 one = { 1.0f, 1.0f, 1.0f };
static const cn_transform home = { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY };

static inline cn_body_id add_body(cn_world *w, cn_body_type type, double y)
{
    cn_body_def def = cn_body_def_default();
    def.type = type;
    def.position.y = y;
    return cn_body_create(w, &def);
}

static inline cn_shape_id add_shape(cn_world *w, cn_body_id b)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = cn_box(0.5f, 0.5f, 0.5f);
    return cn_shape_create(w, b, &def);
}

#endif
