#include "json_ragdolls.h"

#include "json_grid.h"

#include <stddef.h>

#define AT(field) offsetof(cn_ragdoll_def, field)
static const cn_field ragdoll_fields[] = {
    { "name", CN_FIELD_OTHER },
    { "position", CN_FIELD_POS3, AT(position), CN_RANGE_ANY },
    { "rotation", CN_FIELD_OTHER },
    { "linear_velocity", CN_FIELD_VEC3, AT(velocity), CN_RANGE_ANY },
    { "height", CN_FIELD_FLOAT, AT(height), CN_RANGE_POSITIVE },
    { "mass", CN_FIELD_FLOAT, AT(mass), CN_RANGE_POSITIVE },
    { "joint_friction", CN_FIELD_FLOAT, AT(joint_friction), CN_RANGE_NOT_NEGATIVE },
    { "collide_self", CN_FIELD_BOOL, AT(collide_self) },
    { "material", CN_FIELD_OTHER },
    { "filter", CN_FIELD_OTHER },
    { "pose", CN_FIELD_OTHER },
    { "drive", CN_FIELD_OTHER },
    { "kinematic", CN_FIELD_OTHER },
    { "grid", CN_FIELD_OTHER },
};
#undef AT

// How hard its joints keep the pose.
typedef struct drive {
    float strength, hertz;
} drive;

static const cn_field drive_fields[] = {
    { "strength", CN_FIELD_FLOAT, offsetof(drive, strength), CN_RANGE_NOT_NEGATIVE },
    { "hertz", CN_FIELD_FLOAT, offsetof(drive, hertz), CN_RANGE_NOT_NEGATIVE },
};

typedef struct wish {
    cn_ragdoll_def def;
    cn_ragdoll_pose pose;
    drive drive; // without strength: none
    uint32_t kinematic;
} wish;

static bool read_pose(const cn_json *ragdoll, cn_ragdoll_pose *pose)
{
    cn_json at, bone;
    cn_field bones[CN_BONE_COUNT];
    if (!cn_json_member(ragdoll, "pose", &at))
        return true;
    for (int i = 0; i < CN_BONE_COUNT; ++i)
        bones[i] = (cn_field){ .name = cn_bone_name(i), .type = CN_FIELD_OTHER };
    if (!CN_JSON_FIELDS(&at, bones, NULL))
        return false;
    for (int i = 0; i < CN_BONE_COUNT; ++i)
        if (cn_json_member(&at, bones[i].name, &bone) && !cn_json_turn(&bone, NULL, &pose->rotations[i]))
            return false;
    return true;
}

static bool read_kinematic(const cn_json *ragdoll, uint32_t *bones)
{
    static const cn_field word = { "kinematic", CN_FIELD_CHOICE, .choices = cn_bone_name };
    cn_json list;
    if (!cn_json_member(ragdoll, "kinematic", &list))
        return true;
    if (!cn_json_list(&list, "a list of bones such as \"left_foot\""))
        return false;
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json element = cn_json_element(&list, i);
        int bone;
        if (!cn_json_value(&element, &word, &bone))
            return false;
        *bones |= 1u << bone;
    }
    return true;
}

static bool read_wish(const cn_json *at, const cn_assets *assets, wish *w)
{
    cn_json member;
    *w = (wish){ .def = cn_ragdoll_def_default(), .pose = cn_ragdoll_pose_rest() };
    w->def.pose = &w->pose;
    if (!CN_JSON_FIELDS(at, ragdoll_fields, &w->def) || !read_pose(at, &w->pose) || !read_kinematic(at, &w->kinematic) ||
        !cn_json_filter(at, &w->def.filter))
        return false;
    if (cn_json_member(at, "drive", &member)) {
        w->drive = (drive){ 1.0f, 0.0f };
        if (!CN_JSON_FIELDS(&member, drive_fields, &w->drive))
            return false;
    }
    if (!cn_json_member(at, "material", &member))
        return true;
    const cn_asset *material = cn_assets_find(assets, CN_ASSET_MATERIAL, &member);
    if (material)
        w->def.material = material->material;
    return material != NULL;
}

static bool make_ragdoll(const cn_json *at, const wish *w, cn_build *build)
{
    cn_ragdoll ragdoll;
    bool made =
        cn_build_ragdoll(build, &w->def, &ragdoll) &&
        (w->kinematic == 0 || cn_ragdoll_set_kinematic(build->world, &ragdoll, w->kinematic)) &&
        (w->drive.strength == 0.0f || cn_ragdoll_set_pose(build->world, &ragdoll, &w->pose, w->drive.strength, w->drive.hertz));
    return made || cn_json_refused(at);
}

static bool name_bones(const cn_json *at, cn_body_names *names, int first, int count)
{
    for (int i = 0; i < CN_BONE_COUNT; ++i)
        if (!cn_body_names_add(names, at, cn_bone_name(i), (cn_body_group){ first + i, count, CN_BONE_COUNT }))
            return false;
    return true;
}

static bool read_ragdoll(const cn_json *at, const cn_assets *assets, cn_build *build, cn_body_names *names)
{
    wish w;
    cn_repetition grid;
    if (!read_wish(at, assets, &w) || !cn_json_grid(at, &grid, &build->random))
        return false;
    int first = build->body_count, count = cn_repetition_count(&grid);
    cn_pos3 place = w.def.position;
    for (int i = 0; i < count; ++i) {
        w.def.position = cn_repetition_place(&grid, i, place, &build->random);
        if (!cn_json_rotation(at, &build->random, &w.def.rotation) || !make_ragdoll(at, &w, build))
            return false;
    }
    return name_bones(at, names, first, count);
}

bool cn_json_ragdolls(const cn_json *scene, const cn_assets *assets, cn_build *build, cn_body_names *names)
{
    cn_json list;
    if (!cn_json_member(scene, "ragdolls", &list))
        return true;
    if (!cn_json_list(&list, "a list of ragdolls"))
        return false;
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json at = cn_json_element(&list, i);
        if (!read_ragdoll(&at, assets, build, names))
            return false;
    }
    return true;
}
