// What `cairn view` and `cairn render` have in common: the page, and the recording it is to show.
#ifndef CAIRN_APP_VIEWER_H
#define CAIRN_APP_VIEWER_H

#include "http.h"
#include "page.h"

#define CN_VIEWER_ROUTES 3

typedef struct cn_viewer {
    char page[CN_PAGE_PATH];
    int route_count;
    cn_http_route routes[CN_VIEWER_ROUTES + 2]; // with room for two more
} cn_viewer;

// Reads the recording from end to end, since a page could only say that something is wrong with it. A `frame` of -1 becomes the
// last one. False with the reason in `error`.
bool cn_viewer_check(const char *recording, int *frame, cn_message *error);
// Finds the page and lists what is served: the page and, unless it is NULL, the recording, whose path must outlive the viewer.
bool cn_viewer_prepare(cn_viewer *viewer, const char *recording, cn_message *error);

#endif
