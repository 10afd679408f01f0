#include "scenes.h"

#include <string.h>

static const cn_scene scenes[] = {
    { "pyramid", "5050 unit cubes in one pyramid of base 100: a single large island", 200, true, cn_scene_pyramid },
    { "pyramids", "14 x 14 pyramids of base 10, 10,780 cubes: many islands", 100, true, cn_scene_pyramids },
    { "heap", "5000 unit cubes, randomly turned, fall into a walled pit of 20 x 20 m", 400, true, cn_scene_heap },
    { "convex_pile", "5000 random convex hulls of 8 to 24 points fall into a walled pit", 400, true, cn_scene_convex_pile },
    { "washer", "8000 small cubes tumble in a kinematic drum with paddles", 500, true, cn_scene_washer },
    { "debris", "5000 irregular stones from 5 cm to 2 m, mass ratio up to 64,000", 400, true, cn_scene_debris },
    { "mesh_pile", "5000 boxes pile up on a triangle mesh of 20,000 triangles, with hills 2 m high", 500, true,
      cn_scene_mesh_pile, cn_terrain_fallen },
    { "bricks", "a four-walled house of 3136 bricks laid in bond, hit by a heavy ball at 30 m/s", 400, true, cn_scene_bricks },
    { "joint_grid", "100 x 100 balls tied to their neighbours by ball joints, hung up along one side", 100, true,
      cn_scene_joint_grid },
    { "ragdolls", "100 ragdolls of 16 bones each rain onto the hills of mesh_pile", 400, true, cn_scene_ragdolls },
    { "terrain", "the hills of mesh_pile alone: 20,000 triangles", 1, false, cn_build_terrain },
    { "arch", "a semicircular arch of 23 stones, held by weight and friction alone", 600, false, cn_scene_arch },
    { "cards", "a house of cards, three storeys high", 600, false, cn_scene_cards },
    { "tower", "a single column of 40 unit cubes", 600, false, cn_scene_tower },
    { "dominoes", "a ring of 60 dominoes, the first one pushed", 900, false, cn_scene_dominoes },
    { "shapes", "a pile of everything: spheres, capsules (tapered ones too), boxes, cylinders, hulls and compounds", 600, false, cn_scene_shapes },
    { "chain", "20 links let go from level, with a weight of 100 links at the end", 600, false, cn_scene_chain },
    { "bridge", "36 planks on hinges between two banks, and a truck of 10 t that drives across", 900, false, cn_scene_bridge },
    { "pendulum", "15 pendulums that run apart and are in step again after 30 s", 1800, false, cn_scene_pendulum },
    { "newton_cradle", "five balls on two strings each hand on their momentum", 900, false, cn_scene_newton_cradle },
    { "door", "doors that close on things: one stops, one opens again, one breaks what is in its way", 900, false,
      cn_scene_door },
    { "gears", "a motor, four gears, a crank, a rod, a rack and a pinion", 900, false, cn_scene_gears },
    { "machine", "a walking machine: 12 legs of rods after Theo Jansen, driven by one motor", 900, false, cn_scene_machine },
    { "gas", "2197 spheres without weight or friction bounce in a closed room, and keep their energy", 600, false, cn_scene_gas },
    { "high_speed", "5000 spheres, boxes and angles of two shapes at 250 m/s in a hollow cube of 100 m", 500, false, cn_scene_high_speed,
      cn_high_speed_fallen },
};

#define SCENE_COUNT ((int)(sizeof scenes / sizeof scenes[0]))

const cn_scene *cn_scene_at(int index) { return index < SCENE_COUNT ? &scenes[index] : NULL; }

const char *cn_scene_name(int index) { return index < SCENE_COUNT ? scenes[index].name : NULL; }

const char *cn_scene_bench_name(int index)
{
    if (index < SCENE_COUNT)
        return scenes[index].name;
    static const char *const more[] = { "rays", "all" };
    return index < SCENE_COUNT + 2 ? more[index - SCENE_COUNT] : NULL;
}

const cn_scene *cn_scene_find(const char *command, const char *name)
{
    int index = cn_word_find(command, "scene", name, cn_scene_name);
    return index >= 0 ? &scenes[index] : NULL;
}

bool cn_scene_build(const cn_scene *scene, const cn_world_def *def, cn_build *build)
{
    if (cn_build_open(build, def)) {
        build->context = scene->context;
        scene->build(build);
    }
    return !build->failed;
}

bool cn_scene_error(const cn_scene *scene, const char *reason, cn_message *error)
{
    const char *name = scene->path ? scene->path : scene->name;
    bool named = scene->path && strncmp(reason, name, strlen(name)) == 0;
    return named ? cn_message_set(error, "%s", reason) : cn_message_set(error, "%s: %s", name, reason);
}

int cn_scene_complain(const char *command, const cn_scene *scene, const char *reason)
{
    cn_message error;
    cn_scene_error(scene, reason, &error);
    return cn_complain(command, "%s", error.text);
}

cn_pos3 cn_grid_place(const cn_grid *grid, int index, cn_random *random)
{
    int layer = index / (grid->side * grid->side), rest = index % (grid->side * grid->side);
    double middle = 0.5 * (grid->side - 1);
    cn_vec3 jitter = cn_random_vector(random, grid->jitter);
    return (cn_pos3){ (rest % grid->side - middle) * grid->cell + (double)jitter.x,
                      grid->y + (layer + 0.5) * grid->cell + (double)jitter.y,
                      (rest / grid->side - middle) * grid->cell + (double)jitter.z };
}
