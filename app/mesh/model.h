// Model files of others, in a program of their own: see app/helper.h.
#ifndef CAIRN_MESH_MODEL_H
#define CAIRN_MESH_MODEL_H

#include "cairn/base.h"

// A model as one list of triangles: in one frame, positions that are the same welded to one vertex.
typedef struct cn_model {
    cn_vec3 *vertices;
    int vertex_count;
    int *indices; // 3 per triangle
    int triangle_count;
    uint16_t *materials; // one per triangle: a number of `names`
    char **names;        // of the materials that triangles have, in the order in which they first appear
    int name_count;
} cn_model;

// False with the reason in cn_last_error(). Free the model in both cases.
bool cn_model_read(cn_model *model, const char *path);
void cn_model_free(cn_model *model);

// Welds the vertices of the same position; those that no triangle needs go (weld.c).
bool cn_model_weld(cn_model *model);

#endif
