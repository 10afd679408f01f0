// What a scene file defines by name: materials, hulls, meshes, height fields, compounds.
#ifndef CAIRN_APP_JSON_ASSETS_H
#define CAIRN_APP_JSON_ASSETS_H

#include "build.h"
#include "cairn/mesh.h"
#include "json_fields.h"

typedef enum cn_asset_kind {
    CN_ASSET_MATERIAL,
    CN_ASSET_HULL,
    CN_ASSET_MESH,
    CN_ASSET_HEIGHT_FIELD,
    CN_ASSET_COMPOUND,
    CN_ASSET_KIND_COUNT
} cn_asset_kind;

// Each kind has its own part of this.
typedef struct cn_asset {
    const char *name;
    cn_material material;
    cn_vec3 *points; // of a hull
    int point_count;
    cn_hull_id hull; // in the world that is being built
    cn_mesh *mesh;
    cn_height_field *height_field;
    cn_compound *compound;
    cn_material *materials; // of the parts of a compound
    char **names;           // of the materials of a mesh from a file
    int material_count;     // of either list
} cn_asset;

typedef struct cn_assets {
    const char *command; // that warnings come from
    cn_asset *lists[CN_ASSET_KIND_COUNT];
    int counts[CN_ASSET_KIND_COUNT];
} cn_assets;

// Reads all of them from the members of the scene. False with the reason in the error of the file. Free them in both cases.
bool cn_assets_load(cn_assets *assets, const cn_json *scene);
void cn_assets_free(cn_assets *assets);
// Makes the hulls in the world of the build.
bool cn_assets_build(cn_assets *assets, const cn_json *scene, cn_build *build);
// The one that a text names; NULL, with an error of the file, when there is none.
const cn_asset *cn_assets_find(const cn_assets *assets, cn_asset_kind kind, const cn_json *at);

// ---- Parts of scene files that bodies, compounds and others share (json_shape.c)

// Reads a rotation, which may be "random" where there is a generator; or the field "rotation" of an object if it has one.
bool cn_json_turn(const cn_json *at, cn_random *random, cn_quat *rotation);
bool cn_json_rotation(const cn_json *object, cn_random *random, cn_quat *rotation);
// Reads a shape, all but its material: into the geometry, the offset, the density and the rest of the definition. `asset`
// becomes the hull, mesh, height field or compound it names, else NULL. A part of a compound is convex and has no density.
bool cn_json_shape(const cn_json *at, const cn_assets *assets, bool is_part, cn_shape_def *def, const cn_asset **asset);
// Reads the field "filter" of an object if it has one.
bool cn_json_filter(const cn_json *object, cn_filter *filter);
// Refuses a value with what the library said last, without the name of its function.
bool cn_json_refused(const cn_json *at);

// Meshes and height fields (json_surface.c).
bool cn_json_mesh(const cn_json *at, const char *command, cn_asset *asset);
bool cn_json_height_field(const cn_json *at, cn_asset *asset);

#endif
