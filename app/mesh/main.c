// cairn-mesh: model files as plain triangles. The program cairn calls it, and app/mesh_file.c reads what it writes:
//     "CAIRNTRI", and as 32-bit numbers of this machine how many vertices, triangles, materials and bytes of names there are;
//     vertices, 3 floats each; triangles, 3 32-bit numbers each; a 16-bit number of a material per triangle; their names, each
//     ending with a zero.
#include "model.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_FAILED = 1, STATUS_USAGE = 2 };

static bool write_all(const cn_model *m, FILE *out)
{
    size_t name_bytes = 0;
    for (int i = 0; i < m->name_count; ++i)
        name_bytes += strlen(m->names[i]) + 1;
    const uint32_t counts[4] = { (uint32_t)m->vertex_count, (uint32_t)m->triangle_count, (uint32_t)m->name_count,
                                 (uint32_t)name_bytes };
    fwrite("CAIRNTRI", 1, 8, out);
    fwrite(counts, sizeof counts, 1, out);
    fwrite(m->vertices, sizeof *m->vertices, (size_t)m->vertex_count, out);
    fwrite(m->indices, 3 * sizeof *m->indices, (size_t)m->triangle_count, out);
    fwrite(m->materials, sizeof *m->materials, (size_t)m->triangle_count, out);
    for (int i = 0; i < m->name_count; ++i)
        fwrite(m->names[i], 1, strlen(m->names[i]) + 1, out);
    return (fflush(out) == 0 && !ferror(out)) || cn_fail("its triangles could not be written");
}

// What a library says may have line breaks.
static void print_line(const char *reason)
{
    for (; *reason; ++reason)
        fputc(*reason > 0 && *reason < ' ' ? ' ' : *reason, stderr);
}

int main(int argc, char **argv)
{
    cn_model model;
    if (argc != 3 || strcmp(argv[1], "read") != 0) {
        fputs("usage: cairn-mesh read MODEL > TRIANGLES\n", stderr);
        return STATUS_USAGE;
    }
    bool good = cn_model_read(&model, argv[2]) && write_all(&model, stdout);
    if (!good)
        print_line(cn_last_error());
    cn_model_free(&model);
    _Exit(good ? 0 : STATUS_FAILED); // sanitizers would complain of what assimp loses on damaged files
}
