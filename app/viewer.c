#define _POSIX_C_SOURCE 200809L // stat

#include "viewer.h"

#include "recording.h"

#include <sys/stat.h>

bool cn_viewer_check(const char *recording, int *frame, cn_message *error)
{
    struct stat status;
    if (stat(recording, &status) == 0 && !S_ISREG(status.st_mode))
        return cn_message_set(error, "%s: this is not a file that can be read again and again", recording);
    cn_recording content;
    bool good = cn_recording_read(recording, *frame, &content, error);
    if (good && content.frame_count == 0)
        good = cn_message_set(error, "%s: the recording has no frames", recording);
    if (good && *frame < 0)
        *frame = content.frame_count - 1;
    cn_recording_free(&content);
    return good;
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
