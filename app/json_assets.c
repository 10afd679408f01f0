#include "json_assets.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- Materials

#define AT(field) offsetof(cn_material, field)
static const cn_field material_fields[] = {
    { "friction", CN_FIELD_FLOAT, AT(friction), CN_RANGE_NOT_NEGATIVE },
    { "kinetic_friction", CN_FIELD_FLOAT, AT(kinetic_friction), CN_RANGE_NOT_NEGATIVE },
    { "restitution", CN_FIELD_FLOAT, AT(restitution), { 0.0, 1.0, false } },
    { "rolling_resistance", CN_FIELD_FLOAT, AT(rolling_resistance), CN_RANGE_NOT_NEGATIVE },
    { "spinning_resistance", CN_FIELD_FLOAT, AT(spinning_resistance), CN_RANGE_NOT_NEGATIVE },
    { "surface_velocity", CN_FIELD_VEC3, AT(surface_velocity), CN_RANGE_ANY },
    { "grain", CN_FIELD_VEC3, AT(grain), CN_RANGE_ANY },
    { "grain_friction", CN_FIELD_FLOAT, AT(grain_friction), { 0.0, 10.0, false } },
    { "user_data", CN_FIELD_BITS, AT(user_data) },
};
#undef AT

static bool read_material(const cn_json *at, cn_assets *assets, cn_asset *asset)
{
    (void)assets;
    asset->material = cn_material_default();
    return CN_JSON_FIELDS(at, material_fields, &asset->material);
}

// ---- Hulls

static bool read_hull(const cn_json *at, cn_assets *assets, cn_asset *asset)
{
    static const cn_field fields[] = { { "points", CN_FIELD_OTHER, .required = true } };
    cn_json points;
    (void)assets;
    if (!CN_JSON_FIELDS(at, fields, NULL) || !cn_json_member(at, "points", &points) ||
        !cn_json_list(&points, "a list of points"))
        return false;
    size_t count = cn_json_count(&points);
    if (count > INT_MAX / 64 || !(asset->points = calloc(count + 1, sizeof *asset->points)))
        return cn_json_fail(&points, "are too many");
    for (size_t i = 0; i < count; ++i) {
        cn_json point = cn_json_element(&points, i);
        if (!cn_json_vec3(&point, (cn_range)CN_RANGE_ANY, &asset->points[i]))
            return false;
    }
    asset->point_count = (int)count;
    return true;
}

// ---- Surfaces

static bool read_mesh(const cn_json *at, cn_assets *assets, cn_asset *asset)
{
    return cn_json_mesh(at, assets->command, asset);
}

static bool read_height_field(const cn_json *at, cn_assets *assets, cn_asset *asset)
{
    (void)assets;
    return cn_json_height_field(at, asset);
}

// ---- Compounds

// Number 0 is the material of the shape, for parts that name none.
static bool read_part(const cn_json *at, const cn_assets *assets, cn_asset *asset, cn_compound_part *part)
{
    cn_shape_def def;
    const cn_asset *hull;
    cn_json name;
    if (!cn_json_shape(at, assets, true, &def, &hull))
        return false;
    *part = (cn_compound_part){ .geometry = def.geometry, .offset = def.offset };
    if (hull) {
        part->points = hull->points;
        part->point_count = hull->point_count;
    }
    if (!cn_json_member(at, "material", &name))
        return true;
    const cn_asset *material = cn_assets_find(assets, CN_ASSET_MATERIAL, &name);
    if (!material)
        return false;
    int number = (int)(material - assets->lists[CN_ASSET_MATERIAL]) + 1;
    if (number > UINT16_MAX)
        return cn_json_fail(&name, "names one material too many");
    part->material = (uint16_t)number;
    asset->material_count = number >= asset->material_count ? number + 1 : asset->material_count;
    return true;
}

// What parts can name: all materials of the scene, up to the last one that is.
static bool list_materials(const cn_assets *assets, cn_asset *asset)
{
    asset->materials = calloc((size_t)asset->material_count, sizeof *asset->materials);
    for (int i = 1; asset->materials && i < asset->material_count; ++i)
        asset->materials[i] = assets->lists[CN_ASSET_MATERIAL][i - 1].material;
    return asset->materials != NULL;
}

static bool read_compound(const cn_json *at, cn_assets *assets, cn_asset *asset)
{
    static const cn_field fields[] = { { "parts", CN_FIELD_OTHER, .required = true } };
    cn_json list;
    if (!CN_JSON_FIELDS(at, fields, NULL) || !cn_json_member(at, "parts", &list) || !cn_json_list(&list, "a list of shapes"))
        return false;
    size_t count = cn_json_count(&list);
    cn_compound_part *parts = count < INT_MAX / 64 ? calloc(count + 1, sizeof *parts) : NULL;
    bool good = parts || cn_json_fail(&list, "are too many");
    asset->material_count = 1;
    for (size_t i = 0; good && i < count; ++i) {
        cn_json part = cn_json_element(&list, i);
        good = read_part(&part, assets, asset, &parts[i]);
    }
    if (good && !list_materials(assets, asset))
        good = cn_json_fail(at, "needs more memory than there is");
    if (good && !(asset->compound = cn_compound_create(parts, (int)count, NULL)))
        good = cn_json_refused(at);
    free(parts);
    return good;
}

// ---- All of them

static const struct kind {
    const char *member, *word;
    bool (*read)(const cn_json *at, cn_assets *assets, cn_asset *asset);
} kinds[CN_ASSET_KIND_COUNT] = {
    // Compounds come last: their parts name hulls and materials.
    [CN_ASSET_MATERIAL] = { "materials", "material", read_material },
    [CN_ASSET_HULL] = { "hulls", "hull", read_hull },
    [CN_ASSET_MESH] = { "meshes", "mesh", read_mesh },
    [CN_ASSET_HEIGHT_FIELD] = { "height_fields", "height field", read_height_field },
    [CN_ASSET_COMPOUND] = { "compounds", "compound", read_compound },
};

static bool load_kind(cn_assets *assets, const cn_json *scene, cn_asset_kind kind)
{
    cn_json members, member;
    const char *name;
    json_t *value;
    if (!cn_json_member(scene, kinds[kind].member, &members))
        return true;
    if (!json_is_object(members.value))
        return cn_json_expect(&members, "an object: a name and what it stands for, and so on");
    assets->lists[kind] = calloc(cn_json_count(&members) + 1, sizeof **assets->lists);
    if (!assets->lists[kind])
        return cn_json_fail(&members, "needs more memory than there is");
    json_object_foreach(members.value, name, value)
    {
        cn_json_member(&members, name, &member);
        cn_asset *asset = &assets->lists[kind][assets->counts[kind]++];
        asset->name = name;
        if (!kinds[kind].read(&member, assets, asset))
            return false;
    }
    return true;
}

bool cn_assets_load(cn_assets *assets, const cn_json *scene)
{
    for (int i = 0; i < CN_ASSET_KIND_COUNT; ++i)
        if (!load_kind(assets, scene, (cn_asset_kind)i))
            return false;
    return true;
}

bool cn_assets_build(cn_assets *assets, const cn_json *scene, cn_build *build)
{
    cn_json members, member;
    cn_json_member(scene, kinds[CN_ASSET_HULL].member, &members);
    for (int i = 0; i < assets->counts[CN_ASSET_HULL]; ++i) {
        cn_asset *asset = &assets->lists[CN_ASSET_HULL][i];
        asset->hull = cn_build_hull(build, asset->points, asset->point_count);
        cn_json_member(&members, asset->name, &member);
        if (build->failed)
            return cn_json_refused(&member);
    }
    return true;
}

const cn_asset *cn_assets_find(const cn_assets *assets, cn_asset_kind kind, const cn_json *at)
{
    const char *name;
    if (!cn_json_text(at, &name))
        return NULL;
    cn_nearest nearest = { .word = name };
    for (int i = 0; i < assets->counts[kind]; ++i) {
        const cn_asset *asset = &assets->lists[kind][i];
        if (strcmp(asset->name, name) == 0)
            return asset;
        cn_nearest_offer(&nearest, asset->name);
    }
    cn_json_wrong_word(at, kinds[kind].word, &nearest);
    return NULL;
}

static void free_asset(cn_asset *asset)
{
    cn_mesh_destroy(asset->mesh);
    cn_height_field_destroy(asset->height_field);
    cn_compound_destroy(asset->compound);
    free(asset->points);
    free(asset->materials);
    for (int i = 0; asset->names && i < asset->material_count; ++i)
        free(asset->names[i]);
    free(asset->names);
}

void cn_assets_free(cn_assets *assets)
{
    for (int kind = 0; kind < CN_ASSET_KIND_COUNT; ++kind) {
        for (int i = 0; i < assets->counts[kind]; ++i)
            free_asset(&assets->lists[kind][i]);
        free(assets->lists[kind]);
    }
    *assets = (cn_assets){ 0 };
}
