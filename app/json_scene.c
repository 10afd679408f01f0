#include "json_scene.h"

#include "json_bodies.h"
#include "json_joints.h"
#include "json_pairs.h"
#include "json_ragdolls.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, DEFAULT_STEPS = 600, LONGEST_NAME = 60, MOST_CAPACITY = 1 << 27 };

typedef struct scene_file {
    cn_scene scene;
    cn_json_file json;
    cn_assets assets;
    uint64_t seed; // 0: that of the named scenes
} scene_file;

// ---- What a file says besides bodies and what they are made of

typedef struct header {
    const char *name, *summary;
    int version, steps;
    double dt; // s
    uint64_t seed;
} header;

#define AT(field) offsetof(header, field)
static const cn_field header_fields[] = {
    { "version", CN_FIELD_INT, AT(version), { VERSION, VERSION, false }, .required = true },
    { "name", CN_FIELD_TEXT, AT(name) },
    { "summary", CN_FIELD_TEXT, AT(summary) },
    { "steps", CN_FIELD_INT, AT(steps), { 1.0, 10000000.0, false } },
    { "dt", CN_FIELD_DOUBLE, AT(dt), { 1e-6, 1.0, false } },
    { "seed", CN_FIELD_BITS, AT(seed) },
    { "world", CN_FIELD_OTHER },
    { "materials", CN_FIELD_OTHER },
    { "hulls", CN_FIELD_OTHER },
    { "meshes", CN_FIELD_OTHER },
    { "height_fields", CN_FIELD_OTHER },
    { "compounds", CN_FIELD_OTHER },
    { "bodies", CN_FIELD_OTHER, .required = true },
    { "ragdolls", CN_FIELD_OTHER },
    { "joints", CN_FIELD_OTHER },
    { "ignored_pairs", CN_FIELD_OTHER },
};
#undef AT

static const char *correction_word(int index)
{
    static const char *const words[CN_POSITION_CORRECTION_COUNT] = {
        [CN_CORRECT_PROJECT] = "project", [CN_CORRECT_NUDGE] = "nudge"
    };
    return index < CN_POSITION_CORRECTION_COUNT ? words[index] : NULL;
}

static const char *joint_solve_word(int index)
{
    static const char *const words[CN_JOINT_SOLVE_COUNT] = {
        [CN_JOINTS_AUTO] = "auto", [CN_JOINTS_SWEEP] = "sweep", [CN_JOINTS_DIRECT] = "direct"
    };
    return index < CN_JOINT_SOLVE_COUNT ? words[index] : NULL;
}

typedef struct world_fields {
    cn_world_def def;
    int solver;
} world_fields;

#define AT(field) offsetof(world_fields, def.field)
static const cn_field world_table[] = {
    { "gravity", CN_FIELD_VEC3, AT(gravity), CN_RANGE_ANY },
    { "solver", CN_FIELD_CHOICE, offsetof(world_fields, solver), .choices = cn_solver_name },
    { "substeps", CN_FIELD_INT, AT(substeps), { 1.0, 1000.0, false } },
    { "iterations", CN_FIELD_INT, AT(iterations), { 1.0, 100000.0, false } },
    { "early_exit", CN_FIELD_FLOAT, AT(early_exit), CN_RANGE_NOT_NEGATIVE },
    { "friction_model", CN_FIELD_CHOICE, AT(friction_model), .choices = cn_friction_name },
    { "contact_stiffness", CN_FIELD_FLOAT, AT(contact_stiffness), CN_RANGE_POSITIVE },
    { "contact_damping_ratio", CN_FIELD_FLOAT, AT(contact_damping_ratio), CN_RANGE_NOT_NEGATIVE },
    { "push_speed", CN_FIELD_FLOAT, AT(push_speed), CN_RANGE_NOT_NEGATIVE },
    { "joint_speed", CN_FIELD_FLOAT, AT(joint_speed), CN_RANGE_NOT_NEGATIVE },
    { "projection", CN_FIELD_FLOAT, AT(projection), { 0.0, 1.0, false } },
    { "position_correction", CN_FIELD_CHOICE, AT(position_correction), .choices = correction_word },
    { "joint_solve", CN_FIELD_CHOICE, AT(joint_solve), .choices = joint_solve_word },
    { "restitution_speed", CN_FIELD_FLOAT, AT(restitution_speed), CN_RANGE_NOT_NEGATIVE },
    { "hit_speed", CN_FIELD_FLOAT, AT(hit_speed), CN_RANGE_NOT_NEGATIVE },
    { "measure", CN_FIELD_BOOL, AT(measure) },
    { "tolerance", CN_FIELD_FLOAT, AT(tolerance), { 0.0, 1.0, false } },
    { "effort", CN_FIELD_INT, AT(effort), { 0.0, 2000000000.0, false } },
    { "sleeping", CN_FIELD_BOOL, AT(sleeping) },
    { "sleep_speed", CN_FIELD_FLOAT, AT(sleep_speed), CN_RANGE_NOT_NEGATIVE },
    { "sleep_time", CN_FIELD_FLOAT, AT(sleep_time), CN_RANGE_NOT_NEGATIVE },
    { "capacity", CN_FIELD_OTHER },
};
#undef AT

#define AT(field) offsetof(cn_capacity, field)
static const cn_field capacity_fields[] = {
    { "bodies", CN_FIELD_INT, AT(bodies), { 0.0, MOST_CAPACITY, false } },
    { "shapes", CN_FIELD_INT, AT(shapes), { 0.0, MOST_CAPACITY, false } },
    { "contacts", CN_FIELD_INT, AT(contacts), { 0.0, MOST_CAPACITY, false } },
    { "joints", CN_FIELD_INT, AT(joints), { 0.0, MOST_CAPACITY, false } },
};
#undef AT

static bool read_world(const cn_json *scene, cn_settings *settings)
{
    cn_json at, capacity;
    world_fields world = { .def = settings->world, .solver = -1 };
    if (!cn_json_member(scene, "world", &at))
        return true;
    if (!CN_JSON_FIELDS(&at, world_table, &world) ||
        (cn_json_member(&at, "capacity", &capacity) && !CN_JSON_FIELDS(&capacity, capacity_fields, &world.def.capacity)))
        return false;
    settings->world = world.def;
    if (world.solver >= 0)
        settings->world.solver = cn_solver_name(world.solver);
    // These two are asked about by commands, too.
    settings->residual = settings->residual || world.def.measure;
    if (settings->tolerance == 0.0)
        settings->tolerance = (double)world.def.tolerance;
    return true;
}

static bool read_header(scene_file *file, const cn_json *scene, cn_settings *settings)
{
    const char *slash = strrchr(file->json.path, '/');
    header h = {
        .name = slash ? slash + 1 : file->json.path, .summary = file->json.path, .steps = DEFAULT_STEPS, .dt = 1.0 / 60.0
    };
    cn_json name;
    if (!CN_JSON_FIELDS(scene, header_fields, &h) || !read_world(scene, settings))
        return false;
    if (cn_json_member(scene, "name", &name) && strlen(h.name) > LONGEST_NAME)
        return cn_json_fail(&name, "is longer than %d letters", LONGEST_NAME);
    if (!cn_text_is_clean(h.name) || !cn_text_is_clean(h.summary))
        return cn_json_fail(scene, "has a name or a summary with characters that cannot be printed");
    file->scene.name = h.name;
    file->scene.summary = h.summary;
    file->scene.steps = h.steps;
    file->seed = h.seed;
    if (settings->dt == 0.0)
        settings->dt = h.dt;
    return true;
}

// ---- Scenes

static void build_file(cn_build *build)
{
    scene_file *file = build->context;
    cn_json scene = cn_json_root(&file->json);
    if (file->seed)
        build->random.state = file->seed;
    cn_body_names names = { 0 };
    bool good = cn_assets_build(&file->assets, &scene, build) && cn_json_bodies(&scene, &file->assets, build, &names) &&
                cn_json_ragdolls(&scene, &file->assets, build, &names) && cn_json_joints(&scene, &names, build) &&
                cn_json_ignored_pairs(&scene, &names, build);
    cn_body_names_free(&names);
    if (good)
        return;
    build->failed = true;
    build->error = file->json.error;
}

bool cn_scene_is_file(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static const cn_scene *open_file(const char *command, const char *path, cn_settings *settings)
{
    scene_file *file = calloc(1, sizeof *file);
    if (!file) {
        cn_complain(command, "%s: out of memory", path);
        return NULL;
    }
    file->scene = (cn_scene){ .name = path, .build = build_file, .path = path, .context = file };
    file->assets.command = command;
    bool good = cn_json_open(&file->json, path);
    cn_json scene = cn_json_root(&file->json);
    if (good && read_header(file, &scene, settings) && cn_assets_load(&file->assets, &scene))
        return &file->scene;
    cn_complain(command, "%s", file->json.error.text);
    cn_scene_close(&file->scene);
    return NULL;
}

const cn_scene *cn_scene_open(const char *command, const char *name, cn_settings *settings)
{
    if (cn_scene_is_file(name))
        return open_file(command, name, settings);
    if (settings->dt == 0.0)
        settings->dt = cn_settings_default().dt;
    return cn_scene_find(command, name);
}

void cn_scene_close(const cn_scene *scene)
{
    if (!scene || !scene->path)
        return;
    scene_file *file = scene->context;
    cn_assets_free(&file->assets);
    cn_json_close(&file->json);
    free(file);
}
