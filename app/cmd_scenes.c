#include "commands.h"
#include "export.h"
#include "options.h"
#include "output.h"
#include "scenes.h"
#include "settings.h"

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

static int export_scene(const cn_scene *scene, const char *path)
{
    cn_settings settings = cn_settings_default();
    cn_world_def def = cn_settings_world(&settings);
    cn_build build;
    cn_message error;
    bool good = cn_scene_build(scene, &def, &build);
    if (!good)
        error = build.error;
    else
        good = cn_export_scene(path, &build, settings.dt, scene->steps, &error);
    int bodies = build.body_count;
    cn_build_close(&build);
    if (!good)
        return cn_complain("scenes", "%s: %s", scene->name, error.text);
    if (strcmp(path, "-") != 0)
        printf("%s with %d bodies is in %s\n", scene->name, bodies, path);
    return 0;
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
                             "Lists the named scenes with the number of steps each runs, or writes one to a file.",
                             "  cairn scenes\n  cairn scenes heap --export heap.txt\n",
                             options,
                             2 };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    const cn_scene *scene = name ? cn_scene_find("scenes", name) : NULL;
    if (name && !scene)
        return 2;
    if (path)
        return scene ? export_scene(scene, path)
                     : cn_complain("scenes", "--export wants a scene: cairn scenes SCENE --export FILE");
    if (!scene && !json)
        printf("%-12s %5s\n", "scene", "steps");
    for (int i = 0; cn_scene_at(i); ++i)
        if (!scene || scene == cn_scene_at(i))
            print_scene(cn_scene_at(i), json);
    return 0;
}
