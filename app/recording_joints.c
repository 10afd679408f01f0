#include "recording_joints.h"

#include <math.h>
#include <stdlib.h>

enum { JOINT_BYTES = 220 };
#define FARTHEST 1e9f // of limits, so that none is infinite

// ---- Writing

static void put_transform(cn_buffer *out, cn_transform t)
{
    cn_put_double(out, t.position.x);
    cn_put_double(out, t.position.y);
    cn_put_double(out, t.position.z);
    cn_put_quat(out, t.rotation);
}

static void put_axis(cn_buffer *out, const cn_joint_axis *axis)
{
    bool limited = axis->freedom == CN_LIMITED;
    cn_put_u32(out, (uint32_t)axis->freedom);
    cn_put_float(out, limited ? fmaxf(axis->lower, -FARTHEST) : 0.0f);
    cn_put_float(out, limited ? fminf(axis->upper, FARTHEST) : 0.0f);
}

static void put_joint(cn_buffer *out, const cn_joint_def *def, int body_a, int body_b)
{
    static const cn_joint_axis without = { .freedom = CN_FREE };
    bool frames = def->kind == CN_JOINT_FRAMES, pulley = def->kind == CN_JOINT_PULLEY;
    const double grounds[6] = { def->ground_a.x, def->ground_a.y, def->ground_a.z,
                                def->ground_b.x, def->ground_b.y, def->ground_b.z };
    cn_put_u32(out, CN_RECORDING_NONE);
    cn_put_u32(out, (uint32_t)def->kind);
    cn_put_u32(out, (uint32_t)body_a); // the world is -1, which is CN_RECORDING_NONE
    cn_put_u32(out, (uint32_t)body_b);
    put_transform(out, def->frame_a);
    put_transform(out, def->frame_b);
    for (int i = 0; i < CN_DOF_COUNT; ++i)
        put_axis(out, frames || i == 0 ? &def->axes[i] : &without);
    cn_put_u32(out, frames && def->cone);
    for (int i = 0; i < 6; ++i)
        cn_put_double(out, pulley ? grounds[i] : 0.0);
}

bool cn_joint_track_open(cn_joint_track *track, const cn_build *build)
{
    cn_body_numbers numbers;
    int count = cn_world_get_joint_count(build->world);
    track->joints = calloc((size_t)count + 1, sizeof *track->joints);
    bool good = cn_body_numbers_open(&numbers, build) && track->joints;
    if (good)
        cn_world_get_joints(build->world, track->joints, count);
    cn_put_u32(&track->bytes, 0);
    for (int i = 0; good && i < count; ++i) {
        cn_joint_def def = cn_joint_get_def(build->world, track->joints[i]);
        int body_a = cn_body_number(&numbers, def.body_a), body_b = cn_body_number(&numbers, def.body_b);
        if (body_a == CN_BODY_UNLISTED || body_b == CN_BODY_UNLISTED)
            continue; // such a body is not in the recording either
        put_joint(&track->bytes, &def, body_a, body_b);
        track->joints[track->count++] = track->joints[i];
    }
    good = good && !track->bytes.failed;
    if (good)
        cn_put_u32(&(cn_buffer){ .bytes = track->bytes.bytes, .capacity = 4 }, (uint32_t)track->count);
    cn_body_numbers_free(&numbers);
    return good;
}

void cn_joint_track_note(cn_joint_track *track, const cn_world *world, uint32_t frame)
{
    for (int i = 0; i < track->count; ++i) {
        if (CN_IS_NULL(track->joints[i]) || cn_joint_is_valid(world, track->joints[i]))
            continue;
        cn_put_u32(&(cn_buffer){ .bytes = track->bytes.bytes + 4 + (size_t)i * JOINT_BYTES, .capacity = 4 }, frame);
        track->joints[i] = (cn_joint_id){ 0 };
    }
}

void cn_joint_track_free(cn_joint_track *track)
{
    free(track->joints);
    free(track->bytes.bytes);
    *track = (cn_joint_track){ 0 };
}

// ---- Reading

static cn_pos3 get_position(cn_cursor *in)
{
    cn_pos3 p;
    p.x = cn_get_double(in);
    p.y = cn_get_double(in);
    p.z = cn_get_double(in);
    return p;
}

static cn_transform get_transform(cn_cursor *in)
{
    cn_transform t;
    t.position = get_position(in);
    t.rotation = cn_get_quat(in);
    return t;
}

static void get_axis(cn_cursor *in)
{
    uint32_t freedom = cn_get_u32(in);
    float lower = cn_get_float(in), upper = cn_get_float(in);
    if (!in->failed && (freedom >= CN_FREEDOM_COUNT || lower > upper))
        cn_cursor_refuse(in, "a degree of freedom that is neither free nor locked nor limited");
}

static void get_joint(cn_cursor *in, const cn_recording *recording, cn_recorded_joint *joint)
{
    joint->gone = cn_get_u32(in);
    uint32_t kind = cn_get_u32(in), bodies = (uint32_t)recording->body_count;
    joint->body_a = cn_get_u32(in);
    joint->body_b = cn_get_u32(in);
    joint->frame_a = get_transform(in);
    joint->frame_b = get_transform(in);
    for (int i = 0; i < CN_DOF_COUNT; ++i)
        get_axis(in);
    uint32_t cone = cn_get_u32(in);
    get_position(in);
    get_position(in);
    if (in->failed)
        return;
    if (joint->gone != CN_RECORDING_NONE && (joint->gone < 1 || joint->gone >= (uint32_t)recording->frame_count))
        cn_cursor_refuse(in, "a joint that breaks in a frame that is not there");
    else if (kind >= CN_JOINT_KIND_COUNT || cone > 1)
        cn_cursor_refuse(in, "an unknown kind of joint");
    else if ((joint->body_a >= bodies && joint->body_a != CN_RECORDING_NONE) ||
             (joint->body_b >= bodies && joint->body_b != CN_RECORDING_NONE) || joint->body_a == joint->body_b)
        cn_cursor_refuse(in, "a joint of bodies that are not in the file, or of one body alone");
    joint->kind = (cn_joint_kind)kind;
}

void cn_get_joints(cn_cursor *in, cn_recording *recording)
{
    if (!recording->transforms || recording->joints) {
        cn_cursor_refuse(in, recording->joints ? "joints for a second time" : "joints before the scene");
        return;
    }
    int count = cn_get_count(in, JOINT_BYTES, "more joints than the chunk has bytes");
    recording->joints = calloc((size_t)count + 1, sizeof *recording->joints);
    if (!in->failed && (count == 0 || !recording->joints))
        cn_cursor_refuse(in, count ? "out of memory" : "no joints");
    for (int i = 0; !in->failed && i < count; ++i) {
        cn_recorded_joint *joint = &recording->joints[i];
        get_joint(in, recording, joint);
        if (in->failed)
            return;
        ++recording->joint_count;
        ++recording->joints_of[joint->kind];
        recording->gone_count += joint->gone != CN_RECORDING_NONE;
    }
}
