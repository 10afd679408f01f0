#include "quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cn_case_begin(cn_quality *quality, const char *scene)
{
    quality->scene = scene;
    quality->value_count = 0;
    quality->pass = true;
}

static void add(cn_quality *quality, cn_value value)
{
    if (quality->value_count < CN_CASE_VALUES)
        quality->values[quality->value_count++] = value;
}

void cn_case_parameter(cn_quality *quality, const char *name, double value) { cn_case_number(quality, name, value, ""); }

void cn_case_label(cn_quality *quality, const char *name, const char *text)
{
    add(quality, (cn_value){ .name = name, .kind = CN_VALUE_TEXT, .text = text });
}

void cn_case_number(cn_quality *quality, const char *name, double value, const char *unit)
{
    add(quality, (cn_value){ .name = name, .unit = unit, .kind = CN_VALUE_NUMBER, .number = value });
}

void cn_case_limit(cn_quality *quality, const char *name, double value, const char *unit, double limit)
{
    add(quality, (cn_value){ name, unit, CN_VALUE_NUMBER, value, NULL, true, limit });
    quality->pass = quality->pass && value <= limit; // not a number is not a pass
}

void cn_case_flag(cn_quality *quality, const char *name, bool value)
{
    add(quality, (cn_value){ .name = name, .kind = CN_VALUE_FLAG, .number = value });
    quality->pass = quality->pass && value;
}

static const char *solver_name(const cn_quality *quality)
{
    return quality->settings.solver >= 0 ? cn_solver_name(quality->settings.solver) : cn_world_def_default().solver;
}

bool cn_quality_is_default(const cn_quality *quality)
{
    return strcmp(solver_name(quality), cn_world_def_default().solver) == 0;
}

static void print_json(const cn_quality *quality, bool judged)
{
    json_t *object = json_object();
    json_object_set_new(object, "scene", json_string(quality->scene));
    json_object_set_new(object, "solver", json_string(solver_name(quality)));
    for (int i = 0; i < quality->value_count; ++i) {
        const cn_value *value = &quality->values[i];
        switch (value->kind) {
        case CN_VALUE_NUMBER: cn_json_number(object, value->name, value->number); break;
        case CN_VALUE_FLAG: json_object_set_new(object, value->name, json_boolean(value->number != 0.0)); break;
        case CN_VALUE_TEXT: json_object_set_new(object, value->name, json_string(value->text)); break;
        }
    }
    json_object_set_new(object, "pass", json_boolean(quality->pass));
    json_object_set_new(object, "judged", json_boolean(judged));
    cn_json_print(object);
}

static void print_text(const cn_quality *quality, bool judged)
{
    printf("%-8s %s:", quality->pass ? "pass" : judged ? "FAIL" : "missed", quality->scene);
    for (int i = 0; i < quality->value_count; ++i) {
        const cn_value *value = &quality->values[i];
        printf("%s %s ", i ? "," : "", value->name);
        switch (value->kind) {
        case CN_VALUE_NUMBER:
            printf("%.4g%s%s", value->number, *value->unit ? " " : "", value->unit);
            if (value->bounded)
                printf(" (at most %g)", value->limit);
            break;
        case CN_VALUE_FLAG: printf("%s", value->number != 0.0 ? "yes" : "no"); break;
        case CN_VALUE_TEXT: printf("%s", value->text); break;
        }
    }
    printf("%s\n", judged ? "" : " [not judged]");
    fflush(stdout);
}

void cn_case_end(cn_quality *quality, bool judged)
{
    ++quality->case_count;
    if (judged && !quality->pass)
        ++quality->missed;
    if (quality->json)
        print_json(quality, judged);
    else
        print_text(quality, judged);
}

bool cn_quality_open_def(const cn_quality *quality, cn_build *build, const cn_world_def *def)
{
    bool opened = cn_build_open(build, def);
    build->origin = quality->origin;
    return opened;
}

bool cn_quality_open(const cn_quality *quality, cn_build *build, float gravity)
{
    cn_world_def def = cn_settings_world(&quality->settings);
    def.gravity = (cn_vec3){ 0.0f, -gravity, 0.0f };
    return cn_quality_open_def(quality, build, &def);
}

void cn_quality_close(cn_quality *quality, cn_build *build)
{
    if (build->failed) {
        cn_complain("quality", "%s: %s", quality->scene, build->error.text);
        ++quality->broken;
    }
    cn_build_close(build);
}

void cn_quality_run(const cn_quality *quality, cn_build *build, double seconds, cn_watch_fn watch, void *context)
{
    cn_step_report report;
    int steps = (int)lround(seconds / quality->settings.dt);
    for (int i = 0; i < steps && cn_build_step(build, quality->settings.dt, &report); ++i)
        if (watch && !watch(context, build, (i + 1) * quality->settings.dt))
            return;
}

double cn_magnitude(cn_vec3 v)
{
    double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return sqrt(x * x + y * y + z * z);
}

cn_pos3 cn_center(const cn_build *build, cn_body_id body)
{
    if (build->failed)
        return (cn_pos3){ (double)NAN, (double)NAN, (double)NAN };
    cn_pos3 center = cn_body_get_center(build->world, body);
    center.x -= build->origin;
    return center;
}

double cn_fastest(const cn_build *build)
{
    double fastest = 0.0;
    for (int i = 0; i < build->body_count; ++i)
        fastest = fmax(fastest, cn_magnitude(cn_body_get_linear_velocity(build->world, build->bodies[i])));
    return fastest;
}

// The world gives the angular momentum about its own origin; moving that along x by d takes (d, 0, 0) x p away.
cn_energy cn_quality_energy(const cn_build *build)
{
    cn_energy energy = cn_world_get_energy(build->world);
    energy.angular_momentum[1] += build->origin * energy.linear_momentum[2];
    energy.angular_momentum[2] -= build->origin * energy.linear_momentum[1];
    return energy;
}

cn_pos3 *cn_copy_centers(const cn_build *build)
{
    cn_pos3 *centers = calloc((size_t)build->body_count + 1, sizeof *centers);
    for (int i = 0; centers && i < build->body_count; ++i)
        centers[i] = cn_center(build, build->bodies[i]);
    return centers;
}

double cn_longest_way(const cn_build *build, const cn_pos3 *from)
{
    double longest = from ? 0.0 : (double)NAN;
    for (int i = 0; from && i < build->body_count; ++i) {
        cn_pos3 to = cn_center(build, build->bodies[i]);
        longest = fmax(longest, hypot(hypot(to.x - from[i].x, to.y - from[i].y), to.z - from[i].z));
    }
    return longest;
}
