#define _POSIX_C_SOURCE 200809L // sockets, poll

#include "http.h"

#include "http_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 32, TICK = 500 }; // ms

struct cn_http_server {
    cn_http_site site;
    int socket;
    cn_http_connection connections[MOST_CONNECTIONS];
};

// A socket that a read or a write never waits for, and that a browser we start does not inherit.
static bool set_up(int socket) { return fcntl(socket, F_SETFL, O_NONBLOCK) == 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0; }

static int listen_at(int port)
{
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0)
        return -1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 64) == 0 && set_up(listener))
        return listener;
    int reason = errno;
    close(listener);
    errno = reason;
    return -1;
}

static int port_of(int socket)
{
    struct sockaddr_in address = { 0 };
    socklen_t size = sizeof address;
    return getsockname(socket, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : 0;
}

cn_http_server *cn_http_open(const cn_http_route *routes, int route_count, int first_port, int last_port, cn_message *error)
{
    cn_http_server *server = calloc(1, sizeof *server);
    if (!server) {
        cn_message_set(error, "out of memory");
        return NULL;
    }
    server->site = (cn_http_site){ .routes = routes, .route_count = route_count };
    server->socket = -1;
    signal(SIGPIPE, SIG_IGN); // a client that is gone is an error like others
    for (int port = first_port; server->socket < 0 && port <= last_port; ++port)
        server->socket = listen_at(port);
    if (server->socket >= 0) {
        server->site.port = port_of(server->socket);
        return server;
    }
    if (first_port == last_port)
        cn_message_set(error, "port %d: %s", first_port, strerror(errno));
    else
        cn_message_set(error, "ports %d to %d: %s", first_port, last_port, strerror(errno));
    free(server);
    return NULL;
}

int cn_http_port(const cn_http_server *server) { return server->site.port; }

static cn_http_connection *find_unused(cn_http_server *server)
{
    for (int i = 0; i < MOST_CONNECTIONS; ++i)
        if (server->connections[i].phase == CN_HTTP_UNUSED)
            return &server->connections[i];
    return NULL;
}

static void welcome(cn_http_server *server, cn_http_connection *c)
{
    int client = accept(server->socket, NULL, NULL);
    if (client < 0)
        return;
    if (!set_up(client)) {
        close(client);
        return;
    }
    cn_http_begin(c, client);
}

void cn_http_serve(cn_http_server *server)
{
    struct pollfd polled[MOST_CONNECTIONS + 1] = { 0 };
    cn_http_connection *unused = find_unused(server);
    for (int i = 0; i < MOST_CONNECTIONS; ++i) { // poll() skips negative ones
        const cn_http_connection *c = &server->connections[i];
        polled[i].fd = c->phase == CN_HTTP_UNUSED ? -1 : c->socket;
        polled[i].events = c->phase == CN_HTTP_SEND ? POLLOUT : POLLIN;
    }
    polled[MOST_CONNECTIONS].fd = unused ? server->socket : -1;
    polled[MOST_CONNECTIONS].events = POLLIN;
    if (poll(polled, MOST_CONNECTIONS + 1, TICK) > 0) {
        for (int i = 0; i < MOST_CONNECTIONS; ++i)
            if (polled[i].revents)
                cn_http_continue(&server->connections[i], &server->site);
        if (polled[MOST_CONNECTIONS].revents)
            welcome(server, unused);
    }
    for (int i = 0; i < MOST_CONNECTIONS; ++i)
        cn_http_give_up_late(&server->connections[i]);
}

void cn_http_close(cn_http_server *server)
{
    if (!server)
        return;
    for (int i = 0; i < MOST_CONNECTIONS; ++i)
        if (server->connections[i].phase != CN_HTTP_UNUSED)
            cn_http_end(&server->connections[i]);
    close(server->socket);
    free(server);
}
