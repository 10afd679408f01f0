// The head of an HTTP request, read with suspicion.
#ifndef CAIRN_APP_HTTP_REQUEST_H
#define CAIRN_APP_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cn_http_method { CN_HTTP_GET, CN_HTTP_HEAD, CN_HTTP_POST, CN_HTTP_OTHER } cn_http_method;

typedef struct cn_http_request {
    cn_http_method method;
    const char *path; // without what follows a question mark
    const char *host; // these four are NULL where the head does not say
    const char *origin;
    const char *content_type; // without what follows a semicolon
    const char *content_length;
    bool encoded; // the body comes in a transfer encoding
} cn_http_request;

// Cuts the head of `size` letters, which end with an empty line and a zero, into the words the request points to.
// False when it is malformed.
bool cn_http_parse(char *head, size_t size, cn_http_request *request);

// Whether the request was made to this machine by that name. A page of a stranger whose own name was made to lead here says
// that name, and is not to be answered.
bool cn_http_is_local(const cn_http_request *request, int port);
// Whether it was made by one of our own pages, as far as a browser says who made it.
bool cn_http_is_own(const cn_http_request *request);
// The length of the body; false when it is not given as a plain number.
bool cn_http_length(const cn_http_request *request, size_t *length);

#endif
