// What `cairn view` and `cairn render` have in common: the page, and what it is to show.
#ifndef CAIRN_APP_VIEWER_H
#define CAIRN_APP_VIEWER_H

#include "http.h"
#include "page.h"
#include "scenes.h"

#define CN_VIEWER_ROUTES 3

typedef struct cn_viewer {
    char page[CN_PAGE_PATH];
    int route_count;
    cn_http_route routes[CN_VIEWER_ROUTES + 2]; // with room for two more
} cn_viewer;

// What is to be shown: a recording or a scene that the page runs.
typedef struct cn_subject {
    const char *recording; // NULL: a scene
    const cn_scene *scene;
    char *made; // the recording of a scene in a file, made for this
} cn_subject;

// A scene by its name, or else a recording, which is read from end to end, since a page could only say that something is wrong
// with it: a path such as ./tower tells a file apart from the scene of that name. A scene in a file is run first. A `frame` of
// -1 becomes the last one. Answers the exit status; drop the subject in any case.
int cn_subject_find(const char *command, const char *what, int *frame, cn_subject *subject);
void cn_subject_drop(cn_subject *subject);

// Finds the page and lists what is served: the page and, unless it is NULL, the recording, whose path must outlive the viewer.
bool cn_viewer_prepare(cn_viewer *viewer, const char *recording, cn_message *error);

#endif
