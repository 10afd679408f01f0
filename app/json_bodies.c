#include "json_bodies.h"

#include "json_grid.h"
#include "json_path.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- Materials of a shape

// A list: number after number. An object: the names of the materials of the model file, each with one of ours.
static bool read_materials(const cn_json *at, const cn_assets *assets, const cn_asset *asset, cn_material *materials)
{
    cn_json element;
    const char *name;
    json_t *value;
    if (json_is_array(at->value)) {
        for (size_t i = 0; i < cn_json_count(at); ++i) {
            element = cn_json_element(at, i);
            const cn_asset *material = cn_assets_find(assets, CN_ASSET_MATERIAL, &element);
            if (!material)
                return false;
            materials[i] = material->material;
        }
        return true;
    }
    json_object_foreach(at->value, name, value)
    {
        cn_nearest nearest = { .word = name };
        cn_json_member(at, name, &element);
        const cn_asset *material = cn_assets_find(assets, CN_ASSET_MATERIAL, &element);
        if (!material)
            return false;
        bool found = false;
        for (int i = 0; i < asset->material_count; ++i) {
            cn_nearest_offer(&nearest, asset->names[i]);
            if (strcmp(asset->names[i], name) == 0) {
                materials[i] = material->material;
                found = true;
            }
        }
        if (!found && nearest.best)
            return cn_json_fail(&element, "is no material of the mesh \"%s\"; did you mean \"%s\"?", asset->name, nearest.best);
        if (!found)
            return cn_json_fail(&element, "is no material of the mesh \"%s\"", asset->name);
    }
    return true;
}

static bool check_materials(const cn_json *at, const cn_asset *asset)
{
    if (!asset || asset->points)
        return cn_json_fail(at, "is for meshes and height fields; other shapes have one \"material\"");
    if (asset->compound)
        return cn_json_fail(at, "is for meshes and height fields; the parts of a compound name their own");
    if (json_is_object(at->value) ? !asset->names : !json_is_array(at->value))
        return cn_json_expect(at, asset->names ? "a list of materials, or an object from those of the file to ours"
                                               : "a list of materials");
    if (json_is_array(at->value) && cn_json_count(at) < (size_t)asset->material_count)
        return cn_json_fail(at, "has %zu materials; \"%s\" calls for %d", cn_json_count(at), asset->name,
                            asset->material_count);
    return true;
}

// Fills in def->material and def->materials; the latter is to be freed.
static bool choose_materials(const cn_json *at, const cn_assets *assets, const cn_asset *asset, cn_shape_def *def)
{
    cn_json member;
    if (cn_json_member(at, "material", &member)) {
        const cn_asset *material = cn_assets_find(assets, CN_ASSET_MATERIAL, &member);
        if (!material)
            return false;
        def->material = material->material;
    }
    bool listed = cn_json_member(at, "materials", &member);
    if (listed && !check_materials(&member, asset))
        return false;
    bool of_parts = asset && asset->materials;
    if (!listed && !of_parts)
        return true;
    def->material_count = listed && json_is_array(member.value) ? (int)cn_json_count(&member) : asset->material_count;
    cn_material *materials = calloc((size_t)def->material_count + 1, sizeof *materials);
    if (!materials)
        return cn_json_fail(at, "needs more memory than there is");
    def->materials = materials;
    for (int i = 0; i < def->material_count; ++i)
        materials[i] = of_parts && i > 0 ? asset->materials[i] : def->material;
    return !listed || read_materials(&member, assets, asset, materials);
}

// ---- Shapes of a body

typedef struct shapes {
    cn_json at; // the list; without a value when there is none
    cn_shape_def *defs;
    int count;
} shapes;

static bool read_shapes(const cn_json *body, const cn_assets *assets, shapes *s)
{
    const cn_asset *asset;
    *s = (shapes){ 0 };
    if (!cn_json_member(body, "shapes", &s->at))
        return true;
    if (!cn_json_list(&s->at, "a list of shapes"))
        return false;
    size_t count = cn_json_count(&s->at);
    if (!(s->defs = calloc(count + 1, sizeof *s->defs)))
        return cn_json_fail(&s->at, "needs more memory than there is");
    for (; (size_t)s->count < count; ++s->count) {
        cn_json at = cn_json_element(&s->at, (size_t)s->count);
        if (!cn_json_shape(&at, assets, false, &s->defs[s->count], &asset))
            return false;
        if (!choose_materials(&at, assets, asset, &s->defs[s->count])) {
            ++s->count;
            return false;
        }
    }
    return true;
}

static void free_shapes(shapes *s)
{
    for (int i = 0; i < s->count; ++i)
        free((void *)s->defs[i].materials);
    free(s->defs);
}

// ---- Bodies

static const char *type_word(int index)
{
    static const char *const words[CN_BODY_TYPE_COUNT] = { "static", "kinematic", "dynamic" };
    return index < CN_BODY_TYPE_COUNT ? words[index] : NULL;
}

static const char *lock_word(int index)
{
    static const char *const words[] = { "linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z" };
    return index < 6 ? words[index] : NULL;
}

#define AT(field) offsetof(cn_body_def, field)
static const cn_field body_fields[] = {
    { "name", CN_FIELD_OTHER },
    { "type", CN_FIELD_CHOICE, AT(type), .choices = type_word },
    { "position", CN_FIELD_POS3, AT(position), CN_RANGE_ANY },
    { "rotation", CN_FIELD_OTHER },
    { "linear_velocity", CN_FIELD_VEC3, AT(linear_velocity), CN_RANGE_ANY },
    { "angular_velocity", CN_FIELD_VEC3, AT(angular_velocity), CN_RANGE_ANY },
    { "linear_damping", CN_FIELD_FLOAT, AT(linear_damping), CN_RANGE_NOT_NEGATIVE },
    { "angular_damping", CN_FIELD_FLOAT, AT(angular_damping), CN_RANGE_NOT_NEGATIVE },
    { "gravity_scale", CN_FIELD_FLOAT, AT(gravity_scale), CN_RANGE_ANY },
    { "locks", CN_FIELD_OTHER },
    { "can_sleep", CN_FIELD_BOOL, AT(can_sleep) },
    { "awake", CN_FIELD_BOOL, AT(awake) },
    { "continuous", CN_FIELD_BOOL, AT(continuous) },
    { "sleep_speed", CN_FIELD_FLOAT, AT(sleep_speed), CN_RANGE_NOT_NEGATIVE },
    { "max_linear_speed", CN_FIELD_FLOAT, AT(max_linear_speed), CN_RANGE_POSITIVE },
    { "max_angular_speed", CN_FIELD_FLOAT, AT(max_angular_speed), CN_RANGE_POSITIVE },
    { "shapes", CN_FIELD_OTHER },
    { "grid", CN_FIELD_OTHER },
    { "path", CN_FIELD_OTHER },
};
#undef AT

static bool read_locks(const cn_json *body, uint32_t *locks)
{
    static const cn_field word = { "locks", CN_FIELD_CHOICE, .choices = lock_word };
    cn_json list;
    if (!cn_json_member(body, "locks", &list))
        return true;
    if (!cn_json_list(&list, "a list of words such as \"linear_x\""))
        return false;
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json element = cn_json_element(&list, i);
        int lock;
        if (!cn_json_value(&element, &word, &lock))
            return false;
        *locks |= 1u << lock; // in the order of cn_lock
    }
    return true;
}

static bool make_body(const cn_json *at, const cn_body_def *def, const shapes *s, cn_build *build)
{
    cn_json path;
    cn_body_id body = cn_build_body_def(build, def);
    if (build->failed)
        return cn_json_refused(at);
    // All at once, so that its mass is computed once; one by one they tell which of them is refused.
    bool made = s->count == 0 || cn_shape_create_many(build->world, body, s->defs, s->count, NULL);
    for (int i = 0; i < s->count && !made; ++i) {
        cn_json shape = cn_json_element(&s->at, (size_t)i);
        if (!cn_build_shape_def(build, body, &s->defs[i]))
            return cn_json_refused(&shape);
    }
    return !cn_json_member(at, "path", &path) || cn_json_path(&path, build->world, body);
}

static bool read_body(const cn_json *at, const cn_assets *assets, cn_build *build)
{
    cn_body_def def = cn_body_def_default();
    cn_repetition grid;
    shapes s = { 0 };
    bool good = CN_JSON_FIELDS(at, body_fields, &def) && read_locks(at, &def.locks) &&
                cn_json_grid(at, &grid, &build->random) && read_shapes(at, assets, &s);
    cn_pos3 first = def.position;
    for (int i = 0; good && i < cn_repetition_count(&grid); ++i) {
        def.position = cn_repetition_place(&grid, i, first, &build->random);
        good = cn_json_rotation(at, &build->random, &def.rotation) && make_body(at, &def, &s, build);
    }
    free_shapes(&s);
    return good;
}

// ---- All of them

bool cn_json_bodies(const cn_json *scene, const cn_assets *assets, cn_build *build, cn_body_names *names)
{
    cn_json list;
    if (!cn_json_member(scene, "bodies", &list) || !cn_json_list(&list, "a list of bodies"))
        return false; // that it must be there was checked
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json body = cn_json_element(&list, i);
        int first = build->body_count;
        if (!read_body(&body, assets, build) ||
            !cn_body_names_add(names, &body, NULL, (cn_body_group){ first, build->body_count - first, 1 }))
            return false;
    }
    return true;
}
