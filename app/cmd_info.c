#include "commands.h"
#include "mesh_file.h"
#include "options.h"
#include "output.h"
#include "recording.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>

static const char *const body_words[CN_BODY_TYPE_COUNT] = { "static", "kinematic", "dynamic" };
static const char *const shape_words[CN_SHAPE_TYPE_COUNT] = {
    "spheres", "capsules", "boxes", "cylinders", "tapered_capsules", "hulls", "meshes", "height_fields", "compounds",
};

static void print_json(const cn_recording *recording, const char *path)
{
    const cn_frame *last = &recording->last_frame;
    json_t *object = json_object();
    json_object_set_new(object, "file", json_string(path));
    json_object_set_new(object, "scene", json_string(recording->scene));
    json_object_set_new(object, "solver", json_string(recording->solver));
    json_object_set_new(object, "bodies", json_integer(recording->body_count));
    json_object_set_new(object, "shapes", json_integer(recording->shape_count));
    json_object_set_new(object, "frames", json_integer(recording->frame_count));
    cn_json_number(object, "dt", recording->dt);
    for (int i = 0; i < CN_BODY_TYPE_COUNT; ++i)
        json_object_set_new(object, body_words[i], json_integer(recording->bodies_of[i]));
    for (int i = 0; i < CN_SHAPE_TYPE_COUNT; ++i)
        json_object_set_new(object, shape_words[i], json_integer(recording->shapes_of[i]));
    json_object_set_new(object, "joints", json_integer(recording->joint_count));
    json_object_set_new(object, "broken", json_integer(recording->gone_count));
    cn_json_number(object, "kinetic_energy", last->kinetic_energy);
    json_object_set_new(object, "points", json_integer((json_int_t)last->points));
    json_object_set_new(object, "complete", json_boolean(recording->complete));
    json_object_set_new(object, "bytes", json_integer((json_int_t)recording->file_bytes));
    cn_json_print(object);
}

static void print_counts(const char *label, int total, const int *counts, const char *const *words, int word_count)
{
    printf("%-16s%d", label, total);
    for (int i = 0, listed = 0; i < word_count; ++i)
        if (counts[i] > 0)
            printf("%s%d %s", listed++ ? ", " : ": ", counts[i], words[i]);
    putchar('\n');
}

static void print_joints(const cn_recording *recording)
{
    const char *words[CN_JOINT_KIND_COUNT];
    for (int i = 0; i < CN_JOINT_KIND_COUNT; ++i)
        words[i] = cn_joint_kind_name(i);
    if (recording->joint_count > 0)
        print_counts("joints", recording->joint_count, recording->joints_of, words, CN_JOINT_KIND_COUNT);
    if (recording->gone_count > 0)
        printf("%-16s%d\n", "  broken", recording->gone_count);
}

static void print_text(const cn_recording *recording)
{
    printf("%-16s%s, solved with %s\n", "scene", recording->scene, recording->solver);
    print_counts("bodies", recording->body_count, recording->bodies_of, body_words, CN_BODY_TYPE_COUNT);
    print_counts("shapes", recording->shape_count, recording->shapes_of, shape_words, CN_SHAPE_TYPE_COUNT);
    print_joints(recording);
    printf("%-16s%d, %.3f s at %.3f ms per step\n", "frames", recording->frame_count,
           fmax(recording->frame_count - 1, 0) * recording->dt, 1000.0 * recording->dt);
    printf("%-16s%.2f MB, frames %.2f MB before compression\n", "size", 1e-6 * (double)recording->file_bytes,
           1e-6 * (double)recording->frame_bytes);
    if (recording->frame_count > 0)
        printf("%-16skinetic energy %.6g J, %u contact points\n", "last frame", recording->last_frame.kinetic_energy,
               recording->last_frame.points);
    printf(recording->complete ? "The recording is intact.\n" : "The recording was cut short.\n");
}

static void print_body_number(uint32_t body)
{
    if (body == CN_RECORDING_NONE)
        printf(" world");
    else
        printf(" %u", body);
}

static cn_pos3 place_on(cn_transform body, cn_pos3 p)
{
    return cn_pos_add(body.position, cn_rotate(body.rotation, (cn_vec3){ (float)p.x, (float)p.y, (float)p.z }));
}

static void print_frame(const cn_recording *recording, int frame)
{
    for (int i = 0; i < recording->body_count; ++i) {
        cn_transform t = recording->transforms[i];
        printf("body %s %.9g %.9g %.9g %.6f %.6f %.6f %.6f\n", body_words[recording->types[i]], t.position.x, t.position.y,
               t.position.z, (double)t.rotation.x, (double)t.rotation.y, (double)t.rotation.z, (double)t.rotation.w);
    }
    for (int i = 0; i < recording->joint_count; ++i) {
        const cn_recorded_joint *joint = &recording->joints[i];
        cn_pos3 p = joint->frame_b.position;
        if ((uint32_t)frame >= joint->gone)
            continue;
        if (joint->body_b != CN_RECORDING_NONE)
            p = place_on(recording->transforms[joint->body_b], p);
        printf("joint %s", cn_joint_kind_name((int)joint->kind));
        print_body_number(joint->body_a);
        print_body_number(joint->body_b);
        printf(" %.9g %.9g %.9g\n", p.x, p.y, p.z);
    }
}

int cn_command_info(int argc, char **argv)
{
    const char *path = NULL;
    int frame = -1;
    bool json = false;
    const cn_option options[] = {
        { "frame", CN_OPTION_INT, &frame, "N", 0, 1e9, NULL,
          "Print where each body is in frame N (0 is the start) instead: position and quaternion x y z w; "
          "and each joint that holds: its kind, the numbers of its bodies, and its place." },
        { "json", CN_OPTION_FLAG, &json, NULL, 0, 0, NULL, "Print one JSON object on one line." },
    };
    const cn_usage usage = { "info",
                             "FILE",
                             1,
                             "Reads a recording from end to end, checks it, and says what it holds.\n"
                             "A damaged file is refused with the offset of the damage; one that was cut short is read up to\n"
                             "there, with a warning. A model (.obj, .gltf, .glb) is read as a mesh.",
                             "  cairn run heap --record heap.rec\n  cairn info heap.rec\n  cairn info heap.rec --frame 100\n",
                             options,
                             2 };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &path, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!path)
        return cn_complain("info", "which file? usage: cairn info FILE");
    if (cn_mesh_file_is(path))
        return cn_mesh_info(path, json);
    cn_recording recording;
    cn_message error;
    bool good = cn_recording_read(path, frame, &recording, &error);
    if (good)
        cn_recording_warn("info", path, &recording);
    if (!good)
        cn_complain("info", "%s", error.text);
    else if (frame >= 0)
        print_frame(&recording, frame);
    else if (json)
        print_json(&recording, path);
    else
        print_text(&recording);
    cn_recording_free(&recording);
    return good ? 0 : 2;
}
