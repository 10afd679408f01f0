// Reads recordings and trusts nothing in them: every count is checked against the bytes that are there before it is used.
#include "recording_joints.h"
#include "recording_scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef struct reader {
    cn_recording *recording;
    int wanted_frame;
    bool has_scene;
    cn_form_types forms;
    cn_pos3 *starts;         // of the moving bodies
    int *moving;             // their indices
    uint32_t (*position)[3]; // running sums of differences, modulo 2^32 and 2^16
    uint16_t (*rotation)[4];
} reader;

static void get_body(cn_cursor *in, reader *r, int index)
{
    cn_recording *recording = r->recording;
    uint32_t type = cn_get_u32(in);
    int shapes = cn_get_count(in, 40, "a body with more shapes than the file has bytes");
    cn_pos3 position;
    position.x = cn_get_double(in);
    position.y = cn_get_double(in);
    position.z = cn_get_double(in);
    cn_quat rotation = cn_get_quat(in);
    if (!in->failed && type >= CN_BODY_TYPE_COUNT)
        cn_cursor_refuse(in, "an unknown body type");
    if (!in->failed)
        cn_get_shapes(in, shapes, &r->forms, recording);
    if (in->failed)
        return;
    recording->transforms[index] = (cn_transform){ position, rotation };
    recording->types[index] = (cn_body_type)type;
    ++recording->bodies_of[type];
    if (type != CN_STATIC) {
        r->starts[recording->moving_count] = position;
        r->moving[recording->moving_count++] = index;
    }
}

static bool reserve_bodies(reader *r)
{
    size_t n = (size_t)r->recording->body_count + 1;
    r->recording->transforms = calloc(n, sizeof *r->recording->transforms);
    r->recording->types = calloc(n, sizeof *r->recording->types);
    r->starts = calloc(n, sizeof *r->starts);
    r->moving = calloc(n, sizeof *r->moving);
    r->position = calloc(n, sizeof *r->position);
    r->rotation = calloc(n, sizeof *r->rotation);
    return r->recording->transforms && r->recording->types && r->starts && r->moving && r->position && r->rotation;
}

static bool read_scene(cn_cursor *in, reader *r)
{
    cn_recording *recording = r->recording;
    if (r->has_scene)
        return cn_cursor_refuse(in, "a second scene");
    recording->dt = cn_get_double(in);
    recording->quantum = cn_get_double(in);
    recording->gravity = cn_get_vec3(in);
    cn_get_text(in, recording->scene);
    cn_get_text(in, recording->solver);
    recording->body_count = cn_get_count(in, 48, "more bodies than the file has bytes");
    if (!in->failed && !(recording->dt > 0.0 && recording->quantum > 0.0))
        cn_cursor_refuse(in, "a step or a quantum that is not positive");
    if (!in->failed && !reserve_bodies(r))
        cn_cursor_refuse(in, "out of memory");
    for (int i = 0; !in->failed && i < recording->body_count; ++i)
        get_body(in, r, i);
    r->has_scene = true;
    return !in->failed;
}

static void keep_transforms(reader *r)
{
    cn_recording *recording = r->recording;
    for (int i = 0; i < recording->moving_count; ++i) {
        cn_transform *t = &recording->transforms[r->moving[i]];
        double p[3];
        float q[4], square = 0.0f;
        for (int c = 0; c < 3; ++c)
            p[c] = recording->quantum * (double)(int32_t)r->position[i][c];
        for (int c = 0; c < 4; ++c) {
            q[c] = (float)(int16_t)r->rotation[i][c];
            square += q[c] * q[c];
        }
        float scale = square > 0.0f ? 1.0f / sqrtf(square) : 0.0f;
        t->position = (cn_pos3){ r->starts[i].x + p[0], r->starts[i].y + p[1], r->starts[i].z + p[2] };
        t->rotation = (cn_quat){ q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale };
    }
}

static void read_transforms(cn_cursor *in, reader *r)
{
    int n = r->recording->moving_count;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < n; ++i)
            r->position[i][c] += cn_get_u32(in);
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < n; ++i)
            r->rotation[i][c] = (uint16_t)(r->rotation[i][c] + cn_get_bits(in, 2));
}

static void read_frame(cn_cursor *in, reader *r, cn_frame *frame)
{
    frame->kinetic_energy = cn_get_double(in);
    frame->max_penetration = cn_get_double(in);
    frame->step_ms = cn_get_double(in);
    frame->manifolds = cn_get_u32(in);
    frame->points = cn_get_u32(in);
    frame->awake_bodies = cn_get_u32(in);
    cn_get_u32(in);
    read_transforms(in, r);
}

static bool read_frames(cn_cursor *in, reader *r)
{
    cn_recording *recording = r->recording;
    size_t frame_bytes = CN_RECORDING_FRAME_SCALARS + (size_t)recording->moving_count * CN_RECORDING_BODY_FRAME;
    if (!r->has_scene)
        return cn_cursor_refuse(in, "frames before the scene");
    if (cn_get_u32(in) != (uint32_t)recording->frame_count)
        return cn_cursor_refuse(in, "the chunk does not begin with the frame that is next");
    int count = cn_get_count(in, frame_bytes, "more frames than the chunk has bytes");
    cn_frame *frames = realloc(recording->frames, ((size_t)recording->frame_count + (size_t)count + 1) * sizeof *frames);
    if (!frames)
        return cn_cursor_refuse(in, "out of memory");
    recording->frames = frames;
    recording->frame_bytes += in->size;
    memset(r->position, 0, (size_t)recording->moving_count * sizeof r->position[0]);
    memset(r->rotation, 0, (size_t)recording->moving_count * sizeof r->rotation[0]);
    for (int i = 0; !in->failed && i < count; ++i) {
        int index = recording->frame_count++;
        read_frame(in, r, &recording->frames[index]);
        if (index == r->wanted_frame || r->wanted_frame < 0)
            keep_transforms(r);
    }
    return !in->failed;
}

// The content of the chunk behind the file cursor, decompressed; its tag and place are noted in `content`.
static uint8_t *unpack(cn_cursor *file, cn_cursor *content, char tag[5])
{
    content->chunk_offset = file->at;
    const uint8_t *letters = cn_cursor_take(file, 4);
    if (letters)
        memcpy(tag, letters, 4);
    uint32_t packed_size = cn_get_u32(file), size = cn_get_u32(file);
    if (!file->failed && size > CN_RECORDING_LARGEST_CHUNK)
        cn_cursor_refuse(file, "a chunk larger than 256 MiB");
    const uint8_t *packed = file->failed ? NULL : cn_cursor_take(file, packed_size);
    if (!packed)
        return NULL;
    uint8_t *bytes = malloc((size_t)size + 1);
    size_t got = bytes ? ZSTD_decompress(bytes, size, packed, packed_size) : 0;
    if (!bytes || ZSTD_isError(got) || got != size) {
        file->at = content->chunk_offset;
        cn_cursor_refuse(file, bytes ? "a chunk that does not decompress to the size it states" : "out of memory");
        free(bytes);
        return NULL;
    }
    content->chunk = tag;
    content->bytes = bytes;
    content->at = 0;
    content->size = size;
    return bytes;
}

static bool read_chunk(cn_cursor *file, reader *r, bool *done)
{
    char tag[5] = { 0 };
    cn_cursor content = { .path = file->path, .error = file->error };
    uint8_t *bytes = unpack(file, &content, tag);
    if (!bytes)
        return false;
    if (strcmp(tag, "SCEN") == 0)
        read_scene(&content, r);
    else if (strcmp(tag, "FRAM") == 0)
        read_frames(&content, r);
    else if (strcmp(tag, "JNTS") == 0)
        cn_get_joints(&content, r->recording);
    else if (strcmp(tag, "DONE") == 0)
        *done = (r->has_scene && cn_get_u32(&content) == (uint32_t)r->recording->frame_count) ||
                cn_cursor_refuse(&content, "the scene or some of the frames are missing");
    else if (!cn_get_form(&content, tag, &r->forms))
        content.at = content.size; // a chunk of a later version: skipped
    if (!content.failed && content.at != content.size)
        cn_cursor_refuse(&content, "the chunk has more data than it should");
    free(bytes);
    return !content.failed;
}

static bool read_file(cn_cursor *file, reader *r)
{
    const uint8_t *magic = cn_cursor_take(file, 8);
    if (!magic || memcmp(magic, CN_RECORDING_MAGIC, 8) != 0) {
        file->at = 0;
        file->failed = false;
        return cn_cursor_refuse(file, "this is not a recording; one begins with the letters " CN_RECORDING_MAGIC);
    }
    uint32_t version = cn_get_u32(file);
    if (!file->failed && (version < 1 || version > CN_RECORDING_VERSION))
        return cn_cursor_refuse(file, "a version of the format that this program does not know");
    bool done = false;
    while (!file->failed && !done)
        if (!read_chunk(file, r, &done))
            return false;
    if (!file->failed && file->at != file->size)
        return cn_cursor_refuse(file, "there is something behind the end of the recording");
    if (!file->failed && r->wanted_frame >= r->recording->frame_count)
        return cn_message_set(file->error, "%s: there is no frame %d; the recording has frames 0 to %d", file->path,
                              r->wanted_frame, r->recording->frame_count - 1);
    return !file->failed;
}

static uint8_t *load(const char *path, size_t *size, cn_message *error)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t capacity = 0, count = 0, got = 0;
    if (!file) {
        cn_message_set(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    do {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1u << 16;
            uint8_t *larger = realloc(bytes, capacity);
            if (!larger) {
                errno = ENOMEM;
                break;
            }
            bytes = larger;
        }
        got = fread(bytes + count, 1, capacity - count, file);
        count += got;
    } while (got > 0);
    bool complete = feof(file) != 0;
    if (!complete) {
        cn_message_set(error, "%s: %s", path, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *size = count;
    return bytes;
}

bool cn_recording_read(const char *path, int frame, cn_recording *recording, cn_message *error)
{
    memset(recording, 0, sizeof *recording);
    size_t size = 0;
    uint8_t *bytes = load(path, &size, error);
    if (!bytes)
        return false;
    recording->file_bytes = size;
    cn_cursor file = { .bytes = bytes, .size = size, .path = path, .error = error };
    reader r = { .recording = recording, .wanted_frame = frame };
    bool good = read_file(&file, &r);
    free(bytes);
    free(r.forms.types);
    free(r.starts);
    free(r.moving);
    free(r.position);
    free(r.rotation);
    return good;
}

void cn_recording_free(cn_recording *recording)
{
    free(recording->frames);
    free(recording->transforms);
    free(recording->types);
    free(recording->joints);
    memset(recording, 0, sizeof *recording);
}
