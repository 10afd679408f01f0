#define _POSIX_C_SOURCE 200809L // strcasecmp

#include "mesh_file.h"

#include "base/error.h"
#include "helper.h"
#include "io/regular_file.h"
#include "words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 24 }; // bytes: "CAIRNTRI" and four counts

static const cn_helper assimp = {
    .program = "cairn-mesh",
    .missing = "this program was built without assimp, which reads such files",
    .damaged = "the file is damaged or too large: the assimp library failed on it",
    .most_seconds = 120,
    .most_memory = 8000000000,
};

bool cn_mesh_file_is(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".obj") == 0 || strcasecmp(dot, ".gltf") == 0 || strcasecmp(dot, ".glb") == 0);
}

// The zeros that end the names are counted, so that each name can be trusted to end.
static bool find_names(cn_mesh_file *file, char *names, size_t size)
{
    int found = 0;
    file->names = calloc((size_t)file->name_count + 1, sizeof *file->names);
    for (size_t i = 0; file->names && i < size && found < file->name_count; i += strlen(names + i) + 1) {
        cn_text_clean(names + i);
        file->names[found++] = names + i;
    }
    return file->names && found == file->name_count;
}

// Points into the bytes, whose parts lie as app/mesh/main.c says.
static bool take_apart(cn_mesh_file *file, size_t length)
{
    uint32_t counts[4];
    if (length < HEADER || memcmp(file->bytes, "CAIRNTRI", 8) != 0)
        return false;
    memcpy(counts, file->bytes + 8, sizeof counts);
    size_t vertices = counts[0], triangles = counts[1], materials = counts[2], name_bytes = counts[3];
    if (vertices > INT_MAX / 8 || triangles > INT_MAX / 8 || materials > UINT16_MAX + 1 ||
        length != HEADER + vertices * sizeof(cn_vec3) + triangles * (3 * sizeof(int) + sizeof(uint16_t)) + name_bytes)
        return false;
    char *at = file->bytes + HEADER;
    file->vertices = (cn_vec3 *)at;
    file->indices = (int *)(at += vertices * sizeof(cn_vec3));
    file->materials = (uint16_t *)(at += triangles * 3 * sizeof(int));
    file->vertex_count = (int)vertices;
    file->triangle_count = (int)triangles;
    file->name_count = (int)materials;
    return find_names(file, at + triangles * sizeof(uint16_t), name_bytes);
}

bool cn_mesh_file_read(cn_mesh_file *file, const char *path)
{
    size_t length = 0;
    *file = (cn_mesh_file){ 0 };
    FILE *probe = cn_regular_file_open(path), *out = probe ? tmpfile() : NULL;
    if (probe && !out)
        cn_fail("%s: %s", path, strerror(errno));
    bool good = out != NULL;
    good = good && cn_helper_run(&assimp, "read", path, NULL, out);
    if (good && !(file->bytes = cn_helper_load(out, &length)))
        good = cn_fail("%s: %s", path, strerror(errno));
    if (good && !take_apart(file, length))
        good = cn_fail("%s: %s did not write all of it", path, assimp.program);
    if (probe)
        fclose(probe);
    if (out)
        fclose(out);
    return good;
}

cn_mesh *cn_mesh_file_build(const cn_mesh_file *file, bool smooth)
{
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = file->vertices;
    def.vertex_count = file->vertex_count;
    def.indices = file->indices;
    def.triangle_count = file->triangle_count;
    def.materials = file->materials;
    def.smooth = smooth;
    def.drop_degenerate = true;
    return cn_mesh_create(&def);
}

void cn_mesh_file_free(cn_mesh_file *file)
{
    free(file->names);
    free(file->bytes);
    *file = (cn_mesh_file){ 0 };
}
