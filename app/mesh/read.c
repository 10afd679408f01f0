// Through the Open Asset Import Library, assimp.
#include "io.h"
#include "model.h"

#include "base/error.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 }; // nodes within nodes; a damaged file may hold a circle

// Rows of an affine map: what a node does to its points.
typedef struct map {
    double rows[3][4];
} map;

static map map_of(const struct aiMatrix4x4 *m)
{
    return (map){ { { (double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4 },
                    { (double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4 },
                    { (double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4 } } };
}

static map map_mul(const map *a, const map *b)
{
    map product;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            product.rows[i][j] = a->rows[i][0] * b->rows[0][j] + a->rows[i][1] * b->rows[1][j] + a->rows[i][2] * b->rows[2][j] +
                                 (j == 3 ? a->rows[i][3] : 0.0);
    return product;
}

static float map_row(const double row[4], const struct aiVector3D *v)
{
    return (float)(row[0] * (double)v->x + row[1] * (double)v->y + row[2] * (double)v->z + row[3]);
}

// Whether the map turns the inside out: its determinant is below zero.
static bool mirrors(const map *m)
{
    const double *a = m->rows[0], *b = m->rows[1], *c = m->rows[2];
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]) < 0.0;
}

// ---- Counting, then filling

typedef struct reading {
    const struct aiScene *scene;
    cn_model *model;
    long long vertices, triangles; // counted first, over all nodes
    int *numbers;                  // of each of assimp's materials in ours; -1: not seen yet
} reading;

static bool count_node(reading *r, const struct aiNode *node, int depth)
{
    if (depth > DEEPEST)
        return cn_fail("nodes lie within nodes %d deep", DEEPEST);
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        if (node->mMeshes[i] >= r->scene->mNumMeshes)
            return cn_fail("a node names mesh %u of %u", node->mMeshes[i], r->scene->mNumMeshes);
        r->vertices += r->scene->mMeshes[node->mMeshes[i]]->mNumVertices;
        r->triangles += r->scene->mMeshes[node->mMeshes[i]]->mNumFaces;
    }
    if (r->vertices > INT_MAX / 8 || r->triangles > INT_MAX / 8)
        return cn_fail("it has too many triangles");
    for (unsigned i = 0; i < node->mNumChildren; ++i)
        if (!count_node(r, node->mChildren[i], depth + 1))
            return false;
    return true;
}

// Our number of a material; new ones are named.
static bool number_material(reading *r, unsigned index, uint16_t *number)
{
    cn_model *model = r->model;
    if (index >= r->scene->mNumMaterials)
        return cn_fail("a mesh names material %u of %u", index, r->scene->mNumMaterials);
    if (r->numbers[index] < 0) {
        struct aiString name = { 0 };
        aiGetMaterialString(r->scene->mMaterials[index], AI_MATKEY_NAME, &name);
        if (model->name_count > UINT16_MAX)
            return cn_fail("it has more than %d materials", UINT16_MAX + 1);
        char *copy = malloc((size_t)name.length + 1);
        if (!copy)
            return cn_fail("out of memory");
        memcpy(copy, name.data, name.length);
        copy[name.length] = '\0';
        r->numbers[index] = model->name_count;
        model->names[model->name_count++] = copy;
    }
    *number = (uint16_t)r->numbers[index];
    return true;
}

static bool add_mesh(reading *r, const struct aiMesh *mesh, const map *m)
{
    cn_model *model = r->model;
    int first = model->vertex_count, swap = mirrors(m);
    uint16_t material = 0;
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        cn_vec3 place = { map_row(m->rows[0], v), map_row(m->rows[1], v), map_row(m->rows[2], v) };
        if (!isfinite(place.x) || !isfinite(place.y) || !isfinite(place.z))
            return cn_fail("vertex %u of the mesh \"%.40s\" is not finite", i, mesh->mName.data);
        model->vertices[model->vertex_count++] = place;
    }
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3)
            continue; // points and lines
        if (!number_material(r, mesh->mMaterialIndex, &material))
            return false;
        int *corners = &model->indices[3 * model->triangle_count];
        for (int k = 0; k < 3; ++k) {
            unsigned index = face->mIndices[swap ? 2 - k : k];
            if (index >= mesh->mNumVertices)
                return cn_fail("a triangle names vertex %u of %u", index, mesh->mNumVertices);
            corners[k] = first + (int)index;
        }
        model->materials[model->triangle_count++] = material;
    }
    return true;
}

static bool add_node(reading *r, const struct aiNode *node, const map *parent)
{
    map own = map_of(&node->mTransformation), m = map_mul(parent, &own);
    for (unsigned i = 0; i < node->mNumMeshes; ++i)
        if (!add_mesh(r, r->scene->mMeshes[node->mMeshes[i]], &m))
            return false;
    for (unsigned i = 0; i < node->mNumChildren; ++i)
        if (!add_node(r, node->mChildren[i], &m))
            return false;
    return true;
}

static bool fill(reading *r)
{
    static const map identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    cn_model *model = r->model;
    size_t materials = (size_t)r->scene->mNumMaterials + 1;
    model->vertices = malloc(((size_t)r->vertices + 1) * sizeof *model->vertices);
    model->indices = malloc(3 * ((size_t)r->triangles + 1) * sizeof *model->indices);
    model->materials = malloc(((size_t)r->triangles + 1) * sizeof *model->materials);
    model->names = calloc(materials, sizeof *model->names);
    r->numbers = malloc(materials * sizeof *r->numbers);
    if (!model->vertices || !model->indices || !model->materials || !model->names || !r->numbers)
        return cn_fail("out of memory");
    memset(r->numbers, 0xff, materials * sizeof *r->numbers);
    return add_node(r, r->scene->mRootNode, &identity) &&
           (model->triangle_count > 0 || cn_fail("there are no triangles in it")) && cn_model_weld(model);
}

bool cn_model_read(cn_model *model, const char *path)
{
    *model = (cn_model){ 0 };
    cn_model_io place;
    if (!cn_model_io_open(&place, path))
        return false;
    const struct aiScene *scene = aiImportFileEx(path, aiProcess_Triangulate | aiProcess_SortByPType, &place.io);
    if (!scene && place.refused[0])
        return cn_fail("it names %s, which is not in its folder", place.refused);
    if (!scene || !scene->mRootNode) {
        cn_fail("%.300s", scene ? "it holds no scene" : aiGetErrorString());
        aiReleaseImport(scene);
        return false;
    }
    reading r = { .scene = scene, .model = model };
    bool good = count_node(&r, scene->mRootNode, 0) && fill(&r);
    free(r.numbers);
    aiReleaseImport(scene);
    return good;
}

void cn_model_free(cn_model *model)
{
    for (int i = 0; i < model->name_count; ++i)
        free(model->names[i]);
    free(model->names);
    free(model->vertices);
    free(model->indices);
    free(model->materials);
}
