// Reads recordings, a chunk at a time, and trusts nothing in them: every count is checked against the bytes that are there and
// against a bound before memory is taken for it.
#include "cairn/base.h"
#include "io/regular_file.h"
#include "recording_joints.h"
#include "recording_scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ZSTD_CHECKSUM_FLAG = 4 }; // in the fifth byte of a frame

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

// The file: its cursor has no bytes, but says where the chunk begins that is read.
typedef struct source {
    FILE *file;
    bool cut; // the file ends in the middle of a chunk, or of its header
    cn_cursor cursor;
} source;

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
    if (!in->failed && recording->body_count > CN_RECORDING_MOST_BODIES)
        cn_cursor_refuse(in, "more bodies than a recording may have");
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
    if (!in->failed && count > CN_RECORDING_MOST_FRAMES - recording->frame_count)
        return cn_cursor_refuse(in, "more frames than a recording may have");
    recording->frame_bytes += in->size;
    memset(r->position, 0, (size_t)recording->moving_count * sizeof r->position[0]);
    memset(r->rotation, 0, (size_t)recording->moving_count * sizeof r->rotation[0]);
    for (int i = 0; !in->failed && i < count; ++i) {
        int index = recording->frame_count++;
        read_frame(in, r, &recording->last_frame);
        if (index == r->wanted_frame || r->wanted_frame < 0)
            keep_transforms(r);
    }
    return !in->failed;
}

// The next bytes of the file. When they are not all there, the file was cut short.
static bool take_bytes(source *file, void *bytes, size_t size)
{
    size_t got = fread(bytes, 1, size, file->file);
    if (got < size && ferror(file->file))
        return cn_message_set(file->cursor.error, "%s: %s", file->cursor.path, strerror(errno));
    file->cut = got < size;
    return !file->cut;
}

// Whether these bytes are one zstd frame that has a checksum and states this size.
static bool is_frame(const uint8_t *packed, size_t packed_size, size_t size)
{
    return packed_size > 4 && ZSTD_getFrameContentSize(packed, packed_size) == size && (packed[4] & ZSTD_CHECKSUM_FLAG) != 0 &&
           ZSTD_findFrameCompressedSize(packed, packed_size) == packed_size;
}

static bool refuse_chunk(source *file, const char *what)
{
    file->cursor.failed = false; // the chunk, not what is in it
    return cn_cursor_refuse(&file->cursor, what);
}

// The content of a chunk, decompressed.
static uint8_t *unpack(source *file, uint32_t packed_size, uint32_t size)
{
    uint8_t *packed = malloc((size_t)packed_size + 1), *bytes = NULL;
    if (!packed)
        refuse_chunk(file, "out of memory");
    else if (take_bytes(file, packed, packed_size) && !is_frame(packed, packed_size, size))
        refuse_chunk(file, "a chunk that is not one zstd frame with a checksum and of the size it states");
    else if (!file->cut && !file->cursor.failed && !(bytes = malloc((size_t)size + 1)))
        refuse_chunk(file, "out of memory");
    if (bytes && ZSTD_decompress(bytes, size, packed, packed_size) != size) {
        refuse_chunk(file, "a chunk that does not decompress to the size it states, or not to its checksum");
        free(bytes);
        bytes = NULL;
    }
    free(packed);
    return bytes;
}

static void read_content(cn_cursor *content, reader *r, bool *done)
{
    const char *tag = content->chunk;
    if (strcmp(tag, "SCEN") == 0)
        read_scene(content, r);
    else if (strcmp(tag, "FRAM") == 0)
        read_frames(content, r);
    else if (strcmp(tag, "JNTS") == 0)
        cn_get_joints(content, r->recording);
    else if (strcmp(tag, "DONE") == 0)
        *done = (r->has_scene && cn_get_u32(content) == (uint32_t)r->recording->frame_count) ||
                cn_cursor_refuse(content, "the scene or some of the frames are missing");
    else if (!cn_get_form(content, tag, &r->forms))
        content->at = content->size; // a chunk of a later version: skipped
    if (!content->failed && content->at != content->size)
        cn_cursor_refuse(content, "the chunk has more data than it should");
}

static bool read_chunk(source *file, reader *r, bool *done)
{
    uint8_t header[12];
    if (!take_bytes(file, header, sizeof header))
        return false;
    cn_cursor in = { .bytes = header, .at = 4, .size = sizeof header };
    char tag[5] = { (char)header[0], (char)header[1], (char)header[2], (char)header[3] };
    uint32_t packed_size = cn_get_u32(&in), size = cn_get_u32(&in);
    if (size > CN_RECORDING_LARGEST_CHUNK || packed_size > ZSTD_compressBound(CN_RECORDING_LARGEST_CHUNK))
        return refuse_chunk(file, "a chunk larger than 256 MiB");
    uint8_t *bytes = unpack(file, packed_size, size);
    if (!bytes)
        return false;
    cn_cursor content = { .path = file->cursor.path,
                          .error = file->cursor.error,
                          .bytes = bytes,
                          .size = size,
                          .chunk = tag,
                          .chunk_offset = file->cursor.at };
    read_content(&content, r, done);
    free(bytes);
    file->cursor.at += sizeof header + packed_size;
    return !content.failed;
}

static bool read_header(source *file)
{
    uint8_t header[12] = { 0 };
    bool whole = take_bytes(file, header, sizeof header);
    if (memcmp(header, CN_RECORDING_MAGIC, 8) != 0)
        return cn_cursor_refuse(&file->cursor, "this is not a recording; one begins with the letters " CN_RECORDING_MAGIC);
    cn_cursor in = { .bytes = header, .at = 8, .size = sizeof header };
    uint32_t version = cn_get_u32(&in);
    file->cursor.at = sizeof header;
    return !whole || (version >= 1 && version <= CN_RECORDING_VERSION) ||
           cn_cursor_refuse(&file->cursor, "a version of the format that this program does not know");
}

// What was cut short is good up to its last whole chunk, if there are frames in it.
static bool read_file(source *file, reader *r)
{
    bool done = false, good = read_header(file);
    while (good && !file->cut && !done)
        good = read_chunk(file, r, &done);
    if (file->cut && r->recording->frame_count > 0)
        return true;
    if (file->cut)
        return cn_cursor_refuse(&file->cursor, "the file ends here, cut short before its first frames");
    if (good && fgetc(file->file) != EOF)
        return cn_cursor_refuse(&file->cursor, "there is something behind the end of the recording");
    r->recording->complete = good;
    return good;
}

bool cn_recording_read(const char *path, int frame, cn_recording *recording, cn_message *error)
{
    memset(recording, 0, sizeof *recording);
    source file = { .file = cn_regular_file_open(path), .cursor = { .path = path, .error = error } };
    if (!file.file)
        return cn_message_set(error, "%s", cn_last_error());
    reader r = { .recording = recording, .wanted_frame = frame };
    bool good = read_file(&file, &r);
    recording->good_bytes = file.cursor.at;
    recording->file_bytes = fseek(file.file, 0, SEEK_END) == 0 ? (size_t)ftell(file.file) : 0;
    fclose(file.file);
    free(r.forms.types);
    free(r.starts);
    free(r.moving);
    free(r.position);
    free(r.rotation);
    if (good && frame >= recording->frame_count)
        good = cn_message_set(error, "%s: there is no frame %d; the recording has frames 0 to %d", path, frame,
                              recording->frame_count - 1);
    return good;
}

void cn_recording_warn(const char *command, const char *path, const cn_recording *recording)
{
    if (!recording->complete)
        cn_complain(command, "%s: warning: cut short at offset %zu; this is read up to there, %d frames without joints", path,
                    recording->good_bytes, recording->frame_count);
}

void cn_recording_free(cn_recording *recording)
{
    free(recording->transforms);
    free(recording->types);
    free(recording->joints);
    memset(recording, 0, sizeof *recording);
}
