// Small scenes for the laboratory: few enough contacts for every solver, one kind of difficulty each.
#include "lab_common.h"

static void build_tower(cn_build *build)
{
    cn_build_ground(build);
    for (int i = 0; i < 20; ++i)
        cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, i + 0.5, 0.0 }, cn_box(0.5f, 0.5f, 0.5f));
}

static void build_small_pyramid(cn_build *build)
{
    cn_build_ground(build);
    cn_build_pyramid(build, 10, 0.0, 0.0);
}

static void build_large_pyramid(cn_build *build)
{
    cn_build_ground(build);
    cn_build_pyramid(build, 20, 0.0, 0.0);
}

static void build_pile(cn_build *build)
{
    const cn_grid grid = { .side = 3, .cell = 1.2, .y = 0.1, .jitter = 0.05f };
    cn_build_pit(build, 2.0f, 12.0f);
    for (int i = 0; i < 60; ++i) {
        cn_pos3 place = cn_grid_place(&grid, i, &build->random);
        cn_quat rotation = cn_random_rotation(&build->random);
        const cn_geometry shapes[] = { cn_sphere(0.4f), cn_box(0.4f, 0.3f, 0.25f), cn_cylinder(0.3f, 0.3f) };
        cn_build_solid(build, CN_DYNAMIC, place, rotation, shapes[i % 3]);
    }
}

// A plate of 6 t slides over six cubes of 6.25 kg.
static void build_sled(cn_build *build)
{
    cn_build_ground(build);
    build->density = 50.0f;
    for (int i = 0; i < 6; ++i) {
        cn_pos3 place = { i % 3 - 1.0, 0.25, i / 3 - 0.5 };
        cn_build_upright(build, CN_DYNAMIC, place, cn_box(0.25f, 0.25f, 0.25f));
    }
    build->density = 5000.0f;
    cn_body_id plate = cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.6, 0.0 }, cn_box(1.5f, 0.1f, 1.0f));
    cn_build_velocity(build, plate, (cn_vec3){ 3.0f, 0.0f, 1.0f }, (cn_vec3){ 0.0f, 0.5f, 0.0f });
}

static const cn_scene scenes[] = {
    { "tower20", "a column of 20 unit cubes: the load travels through many contacts", 60, false, build_tower },
    { "pyramid10", "a pyramid of 55 unit cubes", 60, false, build_small_pyramid },
    { "pyramid20", "a pyramid of 210 unit cubes, as in `cairn quality jitter`", 60, false, build_large_pyramid },
    { "pile", "60 spheres, boxes and cylinders thrown into a pit: impacts", 60, false, build_pile },
    { "sled", "a plate slides over cubes of a thousandth of its mass", 10, false, build_sled },
};

#define SMALL_COUNT ((int)(sizeof scenes / sizeof scenes[0]))

const cn_scene *cn_lab_scene_at(int index)
{
    int named = 0;
    while (named < index && cn_scene_at(named))
        ++named;
    if (cn_scene_at(named))
        return cn_scene_at(named);
    return index - named < SMALL_COUNT ? &scenes[index - named] : NULL;
}

const char *cn_lab_scene_name(int index) { return cn_lab_scene_at(index) ? cn_lab_scene_at(index)->name : NULL; }

int cn_lab_scene_step(const cn_scene *scene) { return scene->steps < 60 ? scene->steps : 60; }

const cn_scene *cn_lab_scene_open(const char *command, const char *name, cn_settings *settings)
{
    if (cn_scene_is_file(name))
        return cn_scene_open(command, name, settings);
    if (settings->dt == 0.0)
        settings->dt = cn_settings_default().dt;
    int index = cn_word_find(command, "scene", name, cn_lab_scene_name);
    return index >= 0 ? cn_lab_scene_at(index) : NULL;
}
