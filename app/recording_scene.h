// What there is to see in a recording, as bytes: the bodies, and the meshes, height fields and compounds that their shapes
// share. docs/recording.md describes them.
#ifndef CAIRN_APP_RECORDING_SCENE_H
#define CAIRN_APP_RECORDING_SCENE_H

#include "bytes.h"
#include "recording.h"

// The types of shapes in the order of their numbers in a recording, which never change.
static const cn_shape_type cn_recorded_types[CN_SHAPE_TYPE_COUNT] = {
    CN_SPHERE, CN_CAPSULE, CN_BOX, CN_CYLINDER, CN_HULL, CN_MESH, CN_HEIGHT_FIELD, CN_COMPOUND, CN_TAPERED_CAPSULE,
};

// ---- Writing

// The shared objects in the order of their chunks, which is their number.
typedef struct cn_form_list {
    const void **items;
    int count, capacity;
} cn_form_list;

// The mesh, height field or compound of a geometry; NULL for a convex one.
const void *cn_form_of(const cn_geometry *geometry);
// Its number, -1 when it is not in the list.
int cn_form_number(const cn_form_list *forms, const void *form);
// False when there is no memory for it.
bool cn_form_add(cn_form_list *forms, const void *form);
// Writes the content of its chunk and returns the tag.
const char *cn_put_form(cn_buffer *out, const cn_geometry *geometry);
void cn_put_body(cn_buffer *out, const cn_world *world, cn_body_id body, const cn_form_list *forms);

// ---- Reading

// The types of the shared objects, by number.
typedef struct cn_form_types {
    uint8_t *types;
    int count, capacity;
} cn_form_types;

// Reads the content of a chunk when its tag is one of a shared object, and notes it in the list; false when it is not.
bool cn_get_form(cn_cursor *in, const char *tag, cn_form_types *forms);
// Reads the shapes of a body and counts them in the recording.
void cn_get_shapes(cn_cursor *in, int count, const cn_form_types *forms, cn_recording *recording);

#endif
