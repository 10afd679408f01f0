// The files that assimp may read: the model, and what it names in its own folder and the folders in there. A model can come
// from anybody, and what is read for it shows in its triangles and in complaints about it.
#ifndef CAIRN_MESH_IO_H
#define CAIRN_MESH_IO_H

#include <assimp/cfileio.h>
#include <stdbool.h>

typedef struct cn_model_io {
    struct aiFileIO io; // for assimp
    char model[4096];   // without links
    char folder[4096];  // of the model as it was named, without links
    char refused[256];  // the last name that led elsewhere; empty: none
} cn_model_io;

// False, with the reason in cn_last_error(), when there is no such model.
bool cn_model_io_open(cn_model_io *place, const char *path);

#endif
