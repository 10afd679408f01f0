// The joints of a recording, as bytes. docs/recording.md describes them.
#ifndef CAIRN_APP_RECORDING_JOINTS_H
#define CAIRN_APP_RECORDING_JOINTS_H

#include "bytes.h"
#include "recording.h"

// ---- Writing

// The joints that were there when a recording began.
typedef struct cn_joint_track {
    cn_joint_id *joints; // null once it is gone
    int count;
    cn_buffer bytes; // what the chunk will hold
} cn_joint_track;

// False when there is no memory for it. Free it in both cases.
bool cn_joint_track_open(cn_joint_track *track, const cn_build *build);
// Notes the joints that are missing for the first time in this frame.
void cn_joint_track_note(cn_joint_track *track, const cn_world *world, uint32_t frame);
void cn_joint_track_free(cn_joint_track *track);

// ---- Reading

// Reads the content of the chunk into the recording, whose bodies and frames are known by then.
void cn_get_joints(cn_cursor *in, cn_recording *recording);

#endif
