// Recordings: what a scene looked like, frame by frame, in one compressed file. docs/recording.md describes the format.
#ifndef CAIRN_APP_RECORDING_H
#define CAIRN_APP_RECORDING_H

#include "build.h"
#include "cairn/joint.h"

#define CN_RECORDING_MAGIC "CAIRNREC"
#define CN_RECORDING_VERSION 3u      // 2, without joints, and 1, without meshes, height fields and compounds, are read too
#define CN_RECORDING_QUANTUM 0x1p-14 // metres: positions are kept to 0.06 mm, within 131 km of where a body began
#define CN_RECORDING_NONE UINT32_MAX // for a body: the world; for the frame in which a joint breaks: none
#define CN_RECORDING_LARGEST_CHUNK (256u << 20)
#define CN_RECORDING_MOST_BODIES 2000000
#define CN_RECORDING_MOST_FRAMES 10000001 // as many as `cairn run` makes steps, and the first
#define CN_RECORDING_FRAME_SCALARS 40 // bytes before the transforms of a frame
#define CN_RECORDING_BODY_FRAME 20    // bytes per moving body in a frame

// What a frame says besides transforms.
typedef struct cn_frame {
    double kinetic_energy;  // J
    double max_penetration; // m, when the step began
    double step_ms;
    uint32_t manifolds, points, awake_bodies;
} cn_frame;

typedef struct cn_recorder cn_recorder;

// Starts a recording of a world that was just built; the present state becomes frame 0. NULL with the reason in `error`.
// The path is not copied. The file gets its name when it is complete; what stood there before stays until then.
cn_recorder *cn_recorder_open(const char *path, const cn_build *build, const char *scene, double dt, cn_message *error);
// Adds the state after a step.
bool cn_recorder_add(cn_recorder *recorder, const cn_frame *frame, cn_message *error);
// Completes the file with the frames so far. False when any part of it could not be written; then there is no file.
bool cn_recorder_close(cn_recorder *recorder, cn_message *error);

typedef struct cn_recorded_joint {
    cn_joint_kind kind;
    uint32_t gone;           // the first frame without it, or CN_RECORDING_NONE
    uint32_t body_a, body_b; // places in the list of bodies, or CN_RECORDING_NONE
    cn_transform frame_a, frame_b;
} cn_recorded_joint;

// What a recording holds, read back and checked.
typedef struct cn_recording {
    char scene[64], solver[64];
    double dt, quantum;
    cn_vec3 gravity;
    int body_count, moving_count, shape_count;
    int bodies_of[CN_BODY_TYPE_COUNT], shapes_of[CN_SHAPE_TYPE_COUNT];
    int frame_count;
    cn_frame last_frame;
    cn_transform *transforms; // of all bodies, as of the frame that was asked for
    cn_body_type *types;
    int joint_count, gone_count; // of them, those that were gone at the end
    int joints_of[CN_JOINT_KIND_COUNT];
    cn_recorded_joint *joints;
    bool complete;                              // false: cut short behind the first good_bytes
    size_t file_bytes, good_bytes, frame_bytes; // size of the file, of what was read, and of the frames before compression
} cn_recording;

// Reads the file from end to end and keeps the transforms of frame `frame` (-1: the last). A damaged or foreign file is refused
// with a message that names the offset. One that was cut short is read up to its last whole chunk. Free the recording in both
// cases.
bool cn_recording_read(const char *path, int frame, cn_recording *recording, cn_message *error);
// One line on standard error when the recording is not complete.
void cn_recording_warn(const char *command, const char *path, const cn_recording *recording);
void cn_recording_free(cn_recording *recording);

#endif
