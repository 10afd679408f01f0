#define _POSIX_C_SOURCE 200809L // access

#include "viewer.h"

#include "interrupt.h"
#include "json_scene.h"
#include "record_scene.h"

#include <string.h>
#include <unistd.h>

// Reads the recording from end to end and sets the frame: one that is there, for -1 the last.
static int check(const char *command, const char *recording, int *frame)
{
    cn_recording content;
    cn_message error;
    bool good = cn_recording_read(recording, *frame, &content, &error);
    if (good && content.frame_count == 0)
        good = cn_message_set(&error, "%s: the recording has no frames", recording);
    if (good)
        cn_recording_warn(command, recording, &content);
    if (good && *frame < 0)
        *frame = content.frame_count - 1;
    cn_recording_free(&content);
    return good ? 0 : cn_complain(command, "%s", error.text);
}

static bool is_scene(const char *name)
{
    for (int i = 0; cn_scene_name(i); ++i)
        if (strcmp(cn_scene_name(i), name) == 0)
            return true;
    return false;
}

int cn_subject_find(const char *command, const char *what, int *frame, cn_subject *subject)
{
    *subject = (cn_subject){ 0 };
    if (cn_scene_is_file(what)) {
        subject->recording = subject->made = cn_record_scene(command, what, *frame);
        if (!subject->made)
            return cn_interrupted() ? CN_STATUS_INTERRUPTED : 2;
        return check(command, subject->made, frame);
    }
    if (!is_scene(what) && (strpbrk(what, "/.") || access(what, F_OK) == 0)) {
        subject->recording = what;
        return check(command, what, frame);
    }
    subject->scene = cn_scene_find(command, what);
    if (subject->scene && *frame < 0)
        *frame = subject->scene->steps;
    return subject->scene ? 0 : 2;
}

void cn_subject_drop(cn_subject *subject)
{
    cn_record_drop(subject->made);
    *subject = (cn_subject){ 0 };
}

bool cn_viewer_prepare(cn_viewer *viewer, const char *recording, cn_message *error)
{
    *viewer = (cn_viewer){ 0 };
    if (!cn_page_find(viewer->page, error))
        return false;
    const cn_http_route routes[CN_VIEWER_ROUTES] = {
        { .path = "/", .content_type = "text/html; charset=utf-8", .file = viewer->page },
        { .path = "/index.html", .content_type = "text/html; charset=utf-8", .file = viewer->page },
        { .path = "/recording", .content_type = "application/octet-stream", .file = recording },
    };
    viewer->route_count = recording ? CN_VIEWER_ROUTES : CN_VIEWER_ROUTES - 1;
    for (int i = 0; i < viewer->route_count; ++i)
        viewer->routes[i] = routes[i];
    return true;
}
