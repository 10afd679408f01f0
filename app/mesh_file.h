// Model files (OBJ, glTF) as triangles, through the program cairn-mesh.
#ifndef CAIRN_APP_MESH_FILE_H
#define CAIRN_APP_MESH_FILE_H

#include "cairn/mesh.h"

typedef struct cn_mesh_file {
    cn_vec3 *vertices; // in one frame; no two at the same place
    int vertex_count;
    int *indices; // 3 per triangle
    int triangle_count;
    uint16_t *materials; // one per triangle: a number of `names`
    const char **names;  // of the materials of the file that triangles have, in the order in which they first appear
    int name_count;
    char *bytes; // that all of the above points into, but for the list of names
} cn_mesh_file;

// Whether the name ends as those of model files do: .obj, .gltf, .glb.
bool cn_mesh_file_is(const char *path);
// False, with cn_last_error(), when the file cannot be read, or cairn-mesh, which is built where there is assimp, is not beside
// this program. Free it in both cases.
bool cn_mesh_file_read(cn_mesh_file *file, const char *path);
void cn_mesh_file_free(cn_mesh_file *file);
// Without the triangles that have no area. NULL with cn_last_error().
cn_mesh *cn_mesh_file_build(const cn_mesh_file *file, bool smooth);

// `cairn info MODEL`: counts, bounds, holes, what the tree costs. Answers the exit status (mesh_info.c).
int cn_mesh_info(const char *path, bool json);

#endif
