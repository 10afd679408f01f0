// Writes recordings: chunks for the scene and what its shapes share, then chunks of frames, then one of the joints, and a
// closing chunk with the number of frames.
#include "recording_joints.h"
#include "recording_scene.h"
#include "whole_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// A chunk of frames is written when it holds this much, so that memory stays small and a player can seek.
#define FLUSH_BYTES (4u << 20)
#define FLUSH_FRAMES 60
#define COMPRESSION_LEVEL 6

struct cn_recorder {
    cn_whole_file out;
    bool broken; // some of it could not be written
    const char *path;
    const cn_build *build;
    ZSTD_CCtx *compressor;
    cn_buffer raw, packed;
    cn_joint_track joints;
    uint32_t frame_count, chunk_frames;
    int moving_count;
    cn_body_id *moving;
    cn_pos3 *starts;
    int32_t (*last_position)[3];
    int16_t (*last_rotation)[4];
};

// Compresses the raw buffer into a chunk: tag, compressed size, size, content. Empties the buffer.
static bool put_chunk(cn_recorder *recorder, const char *tag, cn_message *error)
{
    cn_buffer *raw = &recorder->raw, *packed = &recorder->packed;
    if (raw->failed)
        return cn_message_set(error, "%s: out of memory", recorder->path);
    if (raw->count > CN_RECORDING_LARGEST_CHUNK)
        return cn_message_set(error, "%s: the scene is too large to record", recorder->path);
    packed->count = 0;
    size_t bound = ZSTD_compressBound(raw->count);
    uint8_t *header = cn_buffer_extend(packed, 12);
    uint8_t *content = header ? cn_buffer_extend(packed, bound) : NULL;
    if (!content)
        return cn_message_set(error, "%s: out of memory", recorder->path);
    size_t size = ZSTD_compress2(recorder->compressor, content, bound, raw->bytes, raw->count);
    if (ZSTD_isError(size))
        return cn_message_set(error, "%s: %s", recorder->path, ZSTD_getErrorName(size));
    packed->count = 0;
    uint8_t *place = cn_buffer_extend(packed, 4);
    memcpy(place, tag, 4);
    cn_put_u32(packed, (uint32_t)size);
    cn_put_u32(packed, (uint32_t)raw->count);
    packed->count += size;
    raw->count = 0;
    // A chunk that was written is on its way to the disk, whatever becomes of the program.
    if (fwrite(packed->bytes, 1, packed->count, recorder->out.file) != packed->count || fflush(recorder->out.file) != 0)
        return cn_message_set(error, "%s: %s", recorder->path, strerror(errno));
    return true;
}

static bool write_chunk(cn_recorder *recorder, const char *tag, cn_message *error)
{
    recorder->broken = !put_chunk(recorder, tag, error);
    return !recorder->broken;
}

// Writes a chunk for every mesh, height field and compound, each of them once.
static bool write_forms(cn_recorder *recorder, cn_form_list *forms, cn_message *error)
{
    const cn_build *build = recorder->build;
    for (int i = 0; i < build->body_count; ++i) {
        int count = cn_body_get_shape_count(build->world, build->bodies[i]);
        cn_shape_id *shapes = calloc((size_t)count + 1, sizeof *shapes);
        bool written = shapes != NULL || cn_message_set(error, "%s: out of memory", recorder->path);
        if (written)
            cn_body_get_shapes(build->world, build->bodies[i], shapes, count);
        for (int s = 0; written && s < count; ++s) {
            cn_geometry geometry = cn_shape_get_geometry(build->world, shapes[s]);
            const void *form = cn_form_of(&geometry);
            if (!form || cn_form_number(forms, form) >= 0)
                continue;
            written = cn_form_add(forms, form) ? write_chunk(recorder, cn_put_form(&recorder->raw, &geometry), error)
                                               : cn_message_set(error, "%s: out of memory", recorder->path);
        }
        free(shapes);
        if (!written)
            return false;
    }
    return true;
}

static bool write_scene(cn_recorder *recorder, const char *scene, double dt, cn_message *error)
{
    const cn_build *build = recorder->build;
    cn_buffer *out = &recorder->raw;
    cn_form_list forms = { 0 };
    if (build->body_count > CN_RECORDING_MOST_BODIES)
        return cn_message_set(error, "%s: the scene is too large to record", recorder->path);
    bool written = write_forms(recorder, &forms, error);
    cn_put_double(out, dt);
    cn_put_double(out, CN_RECORDING_QUANTUM);
    cn_put_vec3(out, cn_world_get_gravity(build->world));
    cn_put_text(out, scene);
    cn_put_text(out, cn_world_get_solver(build->world));
    cn_put_u32(out, (uint32_t)build->body_count);
    for (int i = 0; i < build->body_count; ++i)
        cn_put_body(out, build->world, build->bodies[i], &forms);
    free((void *)forms.items);
    return written && write_chunk(recorder, "SCEN", error);
}

static int32_t quantize(double offset)
{
    double steps = nearbyint(offset / CN_RECORDING_QUANTUM);
    return (int32_t)fmin(fmax(steps, -2147483647.0), 2147483647.0);
}

// Both signs of a quaternion mean the same rotation; the one nearer to the last frame keeps the differences small.
static void quantize_rotation(cn_quat q, const int16_t last[4], int16_t result[4])
{
    float parts[4] = { q.x, q.y, q.z, q.w }, along = 0.0f;
    for (int i = 0; i < 4; ++i)
        along += parts[i] * (float)last[i];
    for (int i = 0; i < 4; ++i) {
        float part = fminf(fmaxf(along < 0.0f ? -parts[i] : parts[i], -1.0f), 1.0f);
        result[i] = (int16_t)lrintf(32767.0f * part);
    }
}

static void put_transforms(cn_recorder *recorder)
{
    const cn_world *world = recorder->build->world;
    size_t n = (size_t)recorder->moving_count;
    cn_buffer columns[7] = { 0 }; // views into the frame: x y z of 4 bytes, then x y z w of 2
    uint8_t *frame = cn_buffer_extend(&recorder->raw, n * CN_RECORDING_BODY_FRAME);
    if (!frame)
        return;
    for (size_t c = 0; c < 7; ++c) {
        columns[c].bytes = frame + (c < 3 ? 4 * n * c : 12 * n + 2 * n * (c - 3));
        columns[c].capacity = n * (c < 3 ? 4 : 2);
    }
    for (size_t i = 0; i < n; ++i) {
        cn_transform t = cn_body_get_transform(world, recorder->moving[i]);
        cn_pos3 start = recorder->starts[i];
        int32_t position[3] = { quantize(t.position.x - start.x), quantize(t.position.y - start.y),
                                quantize(t.position.z - start.z) };
        int16_t rotation[4];
        quantize_rotation(t.rotation, recorder->last_rotation[i], rotation);
        for (int c = 0; c < 3; ++c) // differences wrap around, so that every jump can be told
            cn_put_bits(&columns[c], (uint32_t)position[c] - (uint32_t)recorder->last_position[i][c], 4);
        for (int c = 0; c < 4; ++c)
            cn_put_bits(&columns[3 + c], (uint16_t)((uint16_t)rotation[c] - (uint16_t)recorder->last_rotation[i][c]), 2);
        memcpy(recorder->last_position[i], position, sizeof position);
        memcpy(recorder->last_rotation[i], rotation, sizeof rotation);
    }
}

static bool flush_frames(cn_recorder *recorder, cn_message *error)
{
    if (recorder->chunk_frames == 0)
        return true;
    if (!recorder->raw.failed) { // the number of frames was not known when the chunk began
        size_t end = recorder->raw.count;
        recorder->raw.count = 4;
        cn_put_u32(&recorder->raw, recorder->chunk_frames);
        recorder->raw.count = end;
    }
    recorder->chunk_frames = 0;
    return write_chunk(recorder, "FRAM", error);
}

bool cn_recorder_add(cn_recorder *recorder, const cn_frame *frame, cn_message *error)
{
    cn_buffer *out = &recorder->raw;
    if (recorder->chunk_frames == 0) {
        cn_put_u32(out, recorder->frame_count);
        cn_put_u32(out, 0);
        memset(recorder->last_position, 0, (size_t)recorder->moving_count * sizeof recorder->last_position[0]);
        memset(recorder->last_rotation, 0, (size_t)recorder->moving_count * sizeof recorder->last_rotation[0]);
    }
    cn_put_double(out, frame->kinetic_energy);
    cn_put_double(out, frame->max_penetration);
    cn_put_double(out, frame->step_ms);
    cn_put_u32(out, frame->manifolds);
    cn_put_u32(out, frame->points);
    cn_put_u32(out, frame->awake_bodies);
    cn_put_u32(out, 0);
    put_transforms(recorder);
    cn_joint_track_note(&recorder->joints, recorder->build->world, recorder->frame_count);
    ++recorder->frame_count;
    ++recorder->chunk_frames;
    if (recorder->chunk_frames >= FLUSH_FRAMES || out->count >= FLUSH_BYTES || out->failed)
        return flush_frames(recorder, error);
    return true;
}

static bool make_compressor(cn_recorder *recorder)
{
    recorder->compressor = ZSTD_createCCtx();
    return recorder->compressor &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(recorder->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(recorder->compressor, ZSTD_c_checksumFlag, 1));
}

static bool remember_moving(cn_recorder *recorder)
{
    const cn_build *build = recorder->build;
    size_t n = (size_t)build->body_count + 1;
    recorder->moving = calloc(n, sizeof *recorder->moving);
    recorder->starts = calloc(n, sizeof *recorder->starts);
    recorder->last_position = calloc(n, sizeof *recorder->last_position);
    recorder->last_rotation = calloc(n, sizeof *recorder->last_rotation);
    if (!recorder->moving || !recorder->starts || !recorder->last_position || !recorder->last_rotation)
        return false;
    for (int i = 0; i < build->body_count; ++i) {
        if (cn_body_get_type(build->world, build->bodies[i]) == CN_STATIC)
            continue;
        recorder->starts[recorder->moving_count] = cn_body_get_transform(build->world, build->bodies[i]).position;
        recorder->moving[recorder->moving_count++] = build->bodies[i];
    }
    return true;
}

static void free_recorder(cn_recorder *recorder)
{
    cn_whole_file_drop(&recorder->out);
    ZSTD_freeCCtx(recorder->compressor);
    free(recorder->raw.bytes);
    free(recorder->packed.bytes);
    cn_joint_track_free(&recorder->joints);
    free(recorder->moving);
    free(recorder->starts);
    free(recorder->last_position);
    free(recorder->last_rotation);
    free(recorder);
}

static bool write_beginning(cn_recorder *recorder, const char *scene, double dt, cn_message *error)
{
    uint8_t header[12] = CN_RECORDING_MAGIC;
    header[8] = CN_RECORDING_VERSION;
    cn_frame first = { .kinetic_energy = cn_world_get_energy(recorder->build->world).kinetic };
    if (fwrite(header, 1, sizeof header, recorder->out.file) != sizeof header)
        return cn_message_set(error, "%s: %s", recorder->path, strerror(errno));
    return write_scene(recorder, scene, dt, error) && cn_recorder_add(recorder, &first, error);
}

cn_recorder *cn_recorder_open(const char *path, const cn_build *build, const char *scene, double dt, cn_message *error)
{
    cn_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        cn_message_set(error, "%s: out of memory", path);
        return NULL;
    }
    recorder->path = path;
    recorder->build = build;
    bool good = cn_whole_file_open(&recorder->out, path, error);
    if (good && (!remember_moving(recorder) || !cn_joint_track_open(&recorder->joints, build) || !make_compressor(recorder)))
        good = cn_message_set(error, "%s: out of memory", path);
    if (!good || !write_beginning(recorder, scene, dt, error)) {
        free_recorder(recorder);
        return NULL;
    }
    return recorder;
}

static bool write_joints(cn_recorder *recorder, cn_message *error)
{
    const cn_buffer *from = &recorder->joints.bytes;
    if (recorder->joints.count == 0)
        return true;
    uint8_t *to = cn_buffer_extend(&recorder->raw, from->count);
    if (to)
        memcpy(to, from->bytes, from->count);
    return write_chunk(recorder, "JNTS", error);
}

bool cn_recorder_close(cn_recorder *recorder, cn_message *error)
{
    bool written = !recorder->broken && flush_frames(recorder, error) && write_joints(recorder, error);
    cn_put_u32(&recorder->raw, recorder->frame_count);
    written = written && write_chunk(recorder, "DONE", error) && cn_whole_file_keep(&recorder->out, error);
    free_recorder(recorder);
    return written;
}
