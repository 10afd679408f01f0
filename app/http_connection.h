// One connection of the server: reads a request, judges it, sends the answer. Nothing here waits.
#ifndef CAIRN_APP_HTTP_CONNECTION_H
#define CAIRN_APP_HTTP_CONNECTION_H

#include "http.h"

enum { CN_HTTP_MOST_HEAD = 8192, CN_HTTP_PIECE = 65536 };

// What the requests of a server may ask for, and the port they must name.
typedef struct cn_http_site {
    const cn_http_route *routes;
    int route_count;
    int port;
} cn_http_site;

typedef enum cn_http_phase { CN_HTTP_UNUSED, CN_HTTP_READ_HEAD, CN_HTTP_READ_BODY, CN_HTTP_SEND, CN_HTTP_DRAIN } cn_http_phase;

typedef struct cn_http_connection {
    cn_http_phase phase;
    int socket;
    double deadline; // ms
    char head[CN_HTTP_MOST_HEAD + 1];
    size_t head_size;
    const cn_http_route *route;
    uint8_t *body;
    size_t body_size, body_filled;
    char out[CN_HTTP_PIECE]; // the head of the answer, then piece by piece the file
    size_t out_size, out_sent;
    int file; // -1 where the answer is in `out`
    size_t file_left;
} cn_http_connection;

// Takes over a socket that does not block.
void cn_http_begin(cn_http_connection *c, int socket);
// Reads or sends what is possible now. Ends the connection when all is done.
void cn_http_continue(cn_http_connection *c, const cn_http_site *site);
// Ends the connection when it has kept us waiting for too long.
void cn_http_give_up_late(cn_http_connection *c);
void cn_http_end(cn_http_connection *c);

#endif
