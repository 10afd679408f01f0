#define _POSIX_C_SOURCE 200809L // sockets, open

#include "http_connection.h"

#include "base/timer.h"
#include "http_request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// A client that has not said what it wants, or takes nothing of its answer, for PATIENCE is let go. LINGER is how long we
// listen to what a client still sends after the answer: closing at once could make it lose the answer.
enum { PATIENCE = 5000, LINGER = 1000 }; // ms

static void postpone(cn_http_connection *c, double ms) { c->deadline = cn_now_ms() + ms; }

void cn_http_begin(cn_http_connection *c, int socket)
{
    c->phase = CN_HTTP_READ_HEAD;
    c->socket = socket;
    c->file = -1;
    c->file_left = 0;
    c->route = NULL;
    c->head_size = 0;
    postpone(c, PATIENCE);
}

void cn_http_end(cn_http_connection *c)
{
    if (c->file >= 0)
        close(c->file);
    close(c->socket);
    free(c->body);
    c->body = NULL;
    c->phase = CN_HTTP_UNUSED;
}

// ---- Answers

static const char *status_words(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 431: return "Request Header Fields Too Large";
    default: return "Internal Server Error";
    }
}

static void begin_answer(cn_http_connection *c, int status, const char *content_type, size_t length)
{
    const char *allowed = c->route && !c->route->file ? "POST" : "GET, HEAD";
    int size = snprintf(c->out, sizeof c->out,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                        "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n%s%s%s"
                        "Connection: close\r\n\r\n",
                        status, status_words(status), content_type, length, status == 405 ? "Allow: " : "",
                        status == 405 ? allowed : "", status == 405 ? "\r\n" : "");
    c->out_size = (size_t)size;
    c->out_sent = 0;
    c->phase = CN_HTTP_SEND;
    postpone(c, PATIENCE);
}

static void answer_status(cn_http_connection *c, int status, bool with_text)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%d %s\n", status, status_words(status));
    begin_answer(c, status, "text/plain; charset=utf-8", (size_t)length);
    if (with_text)
        c->out_size += (size_t)snprintf(c->out + c->out_size, sizeof c->out - c->out_size, "%s", text);
}

static void answer_file(cn_http_connection *c, bool with_content)
{
    struct stat status;
    int file = open(c->route->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // does not wait where a pipe took the file's place
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file >= 0)
            close(file);
        answer_status(c, 404, with_content);
        return;
    }
    begin_answer(c, 200, c->route->content_type, (size_t)status.st_size);
    c->file = file;
    c->file_left = with_content ? (size_t)status.st_size : 0;
}

// ---- Requests

static const cn_http_route *find_route(const cn_http_site *site, const char *path)
{
    for (int i = 0; i < site->route_count; ++i)
        if (strcmp(site->routes[i].path, path) == 0)
            return &site->routes[i];
    return NULL;
}

// The status that refuses a request, 0 when it is a good one. Sets the route.
static int judge(const cn_http_site *site, cn_http_connection *c, const cn_http_request *request)
{
    if (!request->host)
        return 400;
    if (!cn_http_is_local(request, site->port))
        return 403;
    c->route = find_route(site, request->path);
    if (request->method == CN_HTTP_OTHER)
        return 405;
    if (!c->route)
        return 404;
    if ((request->method == CN_HTTP_POST) != (c->route->file == NULL))
        return 405;
    if (request->method != CN_HTTP_POST)
        return 0;
    if (!cn_http_is_own(request))
        return 403;
    if (!request->content_type || strcasecmp(request->content_type, c->route->content_type) != 0)
        return 415;
    if (!cn_http_length(request, &c->body_size))
        return 411;
    return c->body_size > c->route->largest_post ? 413 : 0;
}

static void finish_post(cn_http_connection *c)
{
    c->route->post(c->route->context, c->body, c->body_size);
    c->body = NULL;
    answer_status(c, 200, true);
}

static void begin_post(cn_http_connection *c, const char *more, size_t size)
{
    c->body = malloc(c->body_size + 1);
    if (!c->body) {
        answer_status(c, 500, true);
        return;
    }
    c->body_filled = size < c->body_size ? size : c->body_size;
    memcpy(c->body, more, c->body_filled);
    c->phase = CN_HTTP_READ_BODY;
    postpone(c, PATIENCE);
    if (c->body_filled == c->body_size)
        finish_post(c);
}

static void handle_request(const cn_http_site *site, cn_http_connection *c, size_t head_end)
{
    cn_http_request request;
    char *more = c->head + head_end, after = *more;
    *more = '\0';
    int refusal = cn_http_parse(c->head, head_end, &request) ? judge(site, c, &request) : 400;
    *more = after;
    if (refusal)
        answer_status(c, refusal, request.method != CN_HTTP_HEAD);
    else if (request.method == CN_HTTP_POST)
        begin_post(c, more, c->head_size - head_end);
    else
        answer_file(c, request.method == CN_HTTP_GET);
}

static void read_head(const cn_http_site *site, cn_http_connection *c)
{
    ssize_t size = recv(c->socket, c->head + c->head_size, CN_HTTP_MOST_HEAD - c->head_size, 0);
    if (size <= 0) {
        if (size == 0 || (errno != EAGAIN && errno != EINTR))
            cn_http_end(c);
        return;
    }
    size_t from = c->head_size > 3 ? c->head_size - 3 : 0;
    c->head_size += (size_t)size;
    for (size_t i = from; i + 4 <= c->head_size; ++i) {
        if (memcmp(c->head + i, "\r\n\r\n", 4) == 0) {
            handle_request(site, c, i + 4);
            return;
        }
    }
    if (c->head_size == CN_HTTP_MOST_HEAD)
        answer_status(c, 431, true);
}

static void read_body(cn_http_connection *c)
{
    ssize_t size = recv(c->socket, c->body + c->body_filled, c->body_size - c->body_filled, 0);
    if (size <= 0) {
        if (size == 0 || (errno != EAGAIN && errno != EINTR))
            cn_http_end(c);
        return;
    }
    c->body_filled += (size_t)size;
    postpone(c, PATIENCE);
    if (c->body_filled == c->body_size)
        finish_post(c);
}

// The next piece of the file. False at its end, and where it has become shorter than was announced.
static bool fill_out(cn_http_connection *c)
{
    size_t wanted = c->file_left < sizeof c->out ? c->file_left : sizeof c->out;
    ssize_t size = wanted > 0 ? read(c->file, c->out, wanted) : 0;
    if (size <= 0)
        return false;
    c->file_left -= (size_t)size;
    c->out_size = (size_t)size;
    c->out_sent = 0;
    return true;
}

static void send_out(cn_http_connection *c)
{
    ssize_t size = send(c->socket, c->out + c->out_sent, c->out_size - c->out_sent, MSG_NOSIGNAL);
    if (size < 0) {
        if (errno != EAGAIN && errno != EINTR)
            cn_http_end(c);
        return;
    }
    c->out_sent += (size_t)size;
    postpone(c, PATIENCE);
    if (c->out_sent == c->out_size && !fill_out(c)) {
        shutdown(c->socket, SHUT_WR);
        c->phase = CN_HTTP_DRAIN;
        postpone(c, LINGER);
    }
}

static void drain(cn_http_connection *c)
{
    ssize_t size = recv(c->socket, c->out, sizeof c->out, 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        cn_http_end(c);
}

void cn_http_continue(cn_http_connection *c, const cn_http_site *site)
{
    switch (c->phase) {
    case CN_HTTP_READ_HEAD: read_head(site, c); break;
    case CN_HTTP_READ_BODY: read_body(c); break;
    case CN_HTTP_SEND: send_out(c); break;
    case CN_HTTP_DRAIN: drain(c); break;
    case CN_HTTP_UNUSED: break;
    }
}

void cn_http_give_up_late(cn_http_connection *c)
{
    if (c->phase == CN_HTTP_UNUSED || cn_now_ms() < c->deadline)
        return;
    if (c->phase == CN_HTTP_READ_HEAD && c->head_size > 0)
        answer_status(c, 408, true);
    else
        cn_http_end(c);
}
