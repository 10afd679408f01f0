#define _POSIX_C_SOURCE 200809L // strcasecmp

#include "http_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_visible(char c) { return c > ' ' && c < 127; }

// Ends the line at `text` with a zero and answers the line behind it; NULL when it has letters no head may have.
static char *cut_line(char *text)
{
    char *end = strstr(text, "\r\n");
    if (!end)
        return NULL;
    *end = '\0';
    for (; *text; ++text)
        if ((unsigned char)*text < ' ' && *text != '\t')
            return NULL;
    return end + 2;
}

// Ends the word at `text` with a zero at the first blank and answers what is behind that; NULL when there is no blank.
static char *cut_word(char *text)
{
    char *blank = strchr(text, ' ');
    if (blank)
        *blank++ = '\0';
    return blank;
}

static bool parse_method(const char *word, cn_http_method *method)
{
    static const char *const words[] = { [CN_HTTP_GET] = "GET", [CN_HTTP_HEAD] = "HEAD", [CN_HTTP_POST] = "POST" };
    size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length == 0 || word[length] != '\0')
        return false;
    for (*method = CN_HTTP_GET; *method < CN_HTTP_OTHER; ++*method)
        if (strcmp(word, words[*method]) == 0)
            break;
    return true;
}

static bool parse_first_line(char *line, cn_http_request *request)
{
    char *target = cut_word(line), *version = target ? cut_word(target) : NULL;
    if (!version || !parse_method(line, &request->method) || *target != '/')
        return false;
    for (const char *c = target; *c; ++c)
        if (!is_visible(*c))
            return false;
    request->path = target;
    target[strcspn(target, "?#")] = '\0';
    return strcmp(version, "HTTP/1.1") == 0 || strcmp(version, "HTTP/1.0") == 0;
}

// A field that is given twice may mean one thing to us and another to somebody else.
static bool keep_once(const char **field, const char *value)
{
    bool first = *field == NULL;
    *field = value;
    return first;
}

static bool parse_field(char *line, cn_http_request *request)
{
    char *colon = strchr(line, ':');
    if (!colon || colon == line)
        return false;
    for (const char *c = line; c < colon; ++c)
        if (!is_visible(*c))
            return false;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    if (strcasecmp(line, "Host") == 0)
        return keep_once(&request->host, value);
    if (strcasecmp(line, "Origin") == 0)
        return keep_once(&request->origin, value);
    if (strcasecmp(line, "Content-Length") == 0)
        return keep_once(&request->content_length, value);
    if (strcasecmp(line, "Content-Type") == 0) {
        value[strcspn(value, "; \t")] = '\0';
        return keep_once(&request->content_type, value);
    }
    request->encoded |= strcasecmp(line, "Transfer-Encoding") == 0;
    return true;
}

bool cn_http_parse(char *head, size_t size, cn_http_request *request)
{
    *request = (cn_http_request){ 0 };
    char *line = head, *next = strlen(head) == size ? cut_line(line) : NULL;
    if (!next || !parse_first_line(line, request))
        return false;
    for (line = next; (next = cut_line(line)) && *line; line = next)
        if (!parse_field(line, request))
            return false;
    return next != NULL;
}

bool cn_http_is_local(const cn_http_request *request, int port)
{
    static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
    char wanted[32];
    for (size_t i = 0; request->host && i < sizeof names / sizeof *names; ++i) {
        snprintf(wanted, sizeof wanted, "%s:%d", names[i], port);
        if (strcasecmp(request->host, wanted) == 0 || (port == 80 && strcasecmp(request->host, names[i]) == 0))
            return true;
    }
    return false;
}

bool cn_http_is_own(const cn_http_request *request)
{
    static const char scheme[] = "http://";
    return !request->origin || (request->host && strncasecmp(request->origin, scheme, strlen(scheme)) == 0 &&
                                strcasecmp(request->origin + strlen(scheme), request->host) == 0);
}

bool cn_http_length(const cn_http_request *request, size_t *length)
{
    const char *digits = request->content_length;
    if (!digits || request->encoded || !*digits || strlen(digits) > 15 || digits[strspn(digits, "0123456789")] != '\0')
        return false;
    *length = 0;
    for (; *digits; ++digits)
        *length = 10 * *length + (size_t)(*digits - '0');
    return true;
}
