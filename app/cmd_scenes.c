#include "commands.h"
#include "export.h"
#include "json_scene.h"
#include "options.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

static void print_scene(const cn_scene *scene, bool json)
{
    if (json)
        cn_json_print(json_pack("{s:s, s:s, s:i, s:b}", "scene", scene->name, "summary", scene->summary, "steps", scene->steps,
                                "timed", scene->timed));
    else
        printf("%-12s %5d  %s\n", scene->name, scene->steps, scene->summary);
}

static int export_scene(const cn_scene *scene, const cn_settings *settings, const char *path)
{
    cn_world_def def = cn_settings_world(settings);
    cn_build build;
    cn_message error;
    bool good = cn_scene_build(scene, &def, &build);
    if (!good)
        error = build.error;
    else
        good = cn_export_scene(path, &build, settings->dt, scene->steps, &error);
    int bodies = build.body_count;
    cn_build_close(&build);
    if (!good)
        return cn_scene_complain("scenes", scene, error.text);
    if (strcmp(path, "-") != 0)
        printf("%s with %d bodies is in %s\n", scene->name, bodies, path);
    return 0;
}

static int one_scene(const char *name, const char *path, bool json)
{
    cn_settings settings = cn_settings_default();
    settings.dt = 0.0; // that of the scene
    const cn_scene *scene = cn_scene_open("scenes", name, &settings);
    int status = scene ? 0 : 2;
    if (scene && path)
        status = export_scene(scene, &settings, path);
    else if (scene)
        print_scene(scene, json);
    cn_scene_close(scene);
    return status;
}

int cn_command_scenes(int argc, char **argv)
{
    const char *path = NULL, *name = NULL;
    bool json = false;
    const cn_option options[] = {
        { "export", CN_OPTION_TEXT, &path, "FILE", 0, 0, NULL,
          "Write the scene as plain text, a line per body and per shape, for another engine to build. - is standard output." },
        { "json", CN_OPTION_FLAG, &json, NULL, 0, 0, NULL, "List as one JSON object per line." },
    };
    const cn_usage usage = { "scenes",
                             "[SCENE]",
                             1,
                             "Lists the named scenes with the number of steps each runs, or writes one to a file.\n"
                             "SCENE is one of them, or a file that ends in .json.",
                             "  cairn scenes\n  cairn scenes heap --export heap.txt\n",
                             options,
                             2 };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!name && path)
        return cn_complain("scenes", "--export wants a scene: cairn scenes SCENE --export FILE");
    if (name)
        return one_scene(name, path, json);
    if (!json)
        printf("%-12s %5s\n", "scene", "steps");
    for (int i = 0; cn_scene_at(i); ++i)
        print_scene(cn_scene_at(i), json);
    return 0;
}
