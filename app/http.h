// A small HTTP server on this machine alone, for the viewer: it hands out files and takes what a page posts.
// One poll loop, no threads; every connection carries one request.
#ifndef CAIRN_APP_HTTP_H
#define CAIRN_APP_HTTP_H

#include "words.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is at a path: either a file to get, or a place to post to.
typedef struct cn_http_route {
    const char *path;         // such as "/recording"
    const char *content_type; // of the file, or of what is posted
    const char *file;         // opened anew for every request; NULL where things are posted
    size_t largest_post;
    // Takes the body over: free it. There is room for one byte behind it.
    void (*post)(void *context, uint8_t *body, size_t size);
    void *context;
} cn_http_route;

typedef struct cn_http_server cn_http_server;

// Listens at the first free port of the range on 127.0.0.1; port 0 lets the system choose. The routes must outlive the server.
// NULL with the reason in `error`.
cn_http_server *cn_http_open(const cn_http_route *routes, int route_count, int first_port, int last_port, cn_message *error);
int cn_http_port(const cn_http_server *server);
// Waits for something to do, half a second at most, and does it.
void cn_http_serve(cn_http_server *server);
void cn_http_close(cn_http_server *server);

#endif
