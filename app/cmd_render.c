// `cairn render`: serves the viewer to a browser without a window and keeps the picture the page sends back.
#include "base/timer.h"
#include "browser.h"
#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "viewer.h"
#include "whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_PICTURE = 64 << 20, LARGEST_SENTENCE = 4096 };

typedef struct render {
    cn_subject subject;
    const char *what; // it is called
    const char *out, *camera, *color, *show;
    int frame, width, height;
    double timeout;   // s
    uint8_t *picture; // as the page delivered it
    size_t picture_size;
    char *failure;         // what the page says went wrong
    char last_words[1024]; // of a browser that delivered nothing
} render;

// ---- What the page delivers

static void take_picture(void *context, uint8_t *body, size_t size)
{
    render *r = context;
    free(r->picture);
    r->picture = body;
    r->picture_size = size;
}

static void take_failure(void *context, uint8_t *body, size_t size)
{
    render *r = context;
    free(r->failure);
    r->failure = (char *)body;
    body[size] = '\0';
}

static bool check_picture(const render *r, cn_message *error)
{
    static const uint8_t beginning[16] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
    const uint8_t *bytes = r->picture;
    if (r->picture_size < 33 || memcmp(bytes, beginning, sizeof beginning) != 0)
        return cn_message_set(error, "what the page delivered is no PNG picture");
    uint32_t sides[2];
    for (int i = 0; i < 2; ++i) {
        const uint8_t *side = bytes + 16 + 4 * i;
        sides[i] = (uint32_t)side[0] << 24 | (uint32_t)side[1] << 16 | (uint32_t)side[2] << 8 | side[3];
    }
    if (sides[0] != (uint32_t)r->width || sides[1] != (uint32_t)r->height)
        return cn_message_set(error, "the page delivered a picture of %u x %u pixels instead of %d x %d", sides[0], sides[1],
                              r->width, r->height);
    return true;
}

// ---- What it is asked for

typedef struct address {
    char text[2048];
    size_t length;
} address;

static void add_letter(address *a, char letter)
{
    if (a->length + 1 < sizeof a->text)
        a->text[a->length++] = letter;
}

// Adds &name=value, with % and two digits for what has a meaning of its own in an address.
static void add_parameter(address *a, const char *name, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,";
    static const char digits[] = "0123456789ABCDEF";
    add_letter(a, '&');
    for (; *name; ++name)
        add_letter(a, *name);
    add_letter(a, '=');
    for (; *value; ++value) {
        unsigned char letter = (unsigned char)*value;
        if (strchr(plain, *value)) {
            add_letter(a, *value);
            continue;
        }
        add_letter(a, '%');
        add_letter(a, digits[letter >> 4]);
        add_letter(a, digits[letter & 15]);
    }
}

static void add_number(address *a, const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    add_parameter(a, name, text);
}

static bool make_address(const render *r, int port, address *a, cn_message *error)
{
    *a = (address){ 0 };
    a->length = (size_t)snprintf(a->text, sizeof a->text, "http://127.0.0.1:%d/?%s=%s", port,
                                 r->subject.recording ? "recording" : "scene",
                                 r->subject.recording ? "recording" : r->subject.scene->name);
    add_number(a, "frame", r->frame);
    add_number(a, "width", r->width);
    add_number(a, "height", r->height);
    add_parameter(a, "deliver", "picture");
    if (r->camera)
        add_parameter(a, "camera", r->camera);
    if (r->color)
        add_parameter(a, "color", r->color);
    if (r->show)
        add_parameter(a, "show", r->show);
    return a->length + 1 < sizeof a->text || cn_message_set(error, "--camera, --color and --show are too long");
}

// ---- The conversation

static bool wait_for_picture(const render *r, cn_http_server *server, const cn_browser *browser, cn_message *error)
{
    double end = cn_now_ms() + 1000.0 * r->timeout;
    int status;
    while (!r->picture && !r->failure) {
        if (cn_interrupted())
            return cn_message_set(error, "interrupted before the page had delivered a picture");
        if (cn_now_ms() > end)
            return cn_message_set(error, "the browser %s did not deliver a picture within %g s (--timeout)", browser->program,
                                  r->timeout);
        if (cn_process_ended(browser->id, &status))
            return cn_message_set(error, "the browser %s ended with status %d and delivered no picture", browser->program,
                                  status);
        cn_http_serve(server);
    }
    return !r->failure || cn_message_set(error, "the page failed and did not say why");
}

static bool ask_browser(render *r, cn_http_server *server, cn_message *error)
{
    address a;
    cn_browser browser = { 0 };
    bool good = make_address(r, cn_http_port(server), &a, error) &&
                cn_browser_start(&browser, a.text, r->width, r->height, error) && wait_for_picture(r, server, &browser, error);
    if (!good && browser.id > 0 && !r->failure && !cn_interrupted())
        cn_browser_last_words(&browser, r->last_words, sizeof r->last_words);
    cn_browser_stop(&browser);
    return good;
}

static bool deliver(render *r, cn_message *error)
{
    cn_viewer viewer;
    if (!cn_viewer_prepare(&viewer, r->subject.recording, error))
        return false;
    viewer.routes[viewer.route_count++] = (cn_http_route){
        .path = "/picture", .content_type = "image/png", .largest_post = LARGEST_PICTURE, .post = take_picture, .context = r
    };
    viewer.routes[viewer.route_count++] = (cn_http_route){
        .path = "/failure", .content_type = "text/plain", .largest_post = LARGEST_SENTENCE, .post = take_failure, .context = r
    };
    cn_http_server *server = cn_http_open(viewer.routes, viewer.route_count, 0, 0, error);
    bool good = server && ask_browser(r, server, error);
    cn_http_close(server);
    return good && check_picture(r, error);
}

static int draw(render *r)
{
    cn_message error;
    cn_whole_file file; // opened before the long work, so that a bad path is known early
    if (!cn_whole_file_open(&file, r->out, &error))
        return cn_complain("render", "%s", error.text);
    cn_interrupt_catch();
    bool good = deliver(r, &error);
    if (good) {
        fwrite(r->picture, 1, r->picture_size, file.file);
        good = cn_whole_file_keep(&file, &error);
    }
    cn_whole_file_drop(&file);
    if (!good) {
        cn_complain("render", "%s", r->failure && *r->failure ? r->failure : error.text);
        fputs(r->last_words, stderr);
        return cn_interrupted() ? CN_STATUS_INTERRUPTED : 2;
    }
    printf("Frame %d of %s is in %s: %d x %d pixels, %.0f kB.\n", r->frame, r->what, r->out, r->width, r->height,
           1e-3 * (double)r->picture_size);
    return 0;
}

// ---- The command line

static int check_camera(const char *text)
{
    double numbers[3];
    const char *rest = text;
    for (int i = 0; i < 3; ++i) {
        char *end;
        numbers[i] = strtod(rest, &end);
        bool ends_well = *end == (i < 2 ? ',' : '\0');
        if (end == rest || !ends_well || !isfinite(numbers[i]))
            return cn_complain("render", "--camera wants three numbers such as 30,20,1, not \"%s\"", text);
        rest = end + 1;
    }
    return numbers[2] > 0.0 ? 0 : cn_complain("render", "--camera wants a zoom above 0, not \"%s\"", text);
}

int cn_command_render(int argc, char **argv)
{
    const char *what = NULL;
    render r = { .frame = -1, .width = 1280, .height = 720, .timeout = 60.0 };
    const cn_option options[] = {
        { "out", CN_OPTION_TEXT, &r.out, "FILE.png", 0, 0, NULL, "Where the picture goes." },
        { "frame", CN_OPTION_INT, &r.frame, "N", 0, 1e9, NULL,
          "Draw frame N, the state after N steps (default: the last of a recording, as many steps as a scene runs)." },
        { "width", CN_OPTION_INT, &r.width, "PIXELS", 16, 4096, NULL, "Width of the picture (default 1280)." },
        { "height", CN_OPTION_INT, &r.height, "PIXELS", 16, 4096, NULL, "Height of the picture (default 720)." },
        { "camera", CN_OPTION_TEXT, &r.camera, "A,E,ZOOM", 0, 0, NULL,
          "Where to look from: azimuth and elevation in degrees, and a zoom, 1 to see everything." },
        { "color", CN_OPTION_TEXT, &r.color, "MODE", 0, 0, NULL, "What colours tell, as in the viewer." },
        { "show", CN_OPTION_TEXT, &r.show, "LIST", 0, 0, NULL,
          "What to draw besides the bodies, words apart by commas, as in the viewer." },
        { "timeout", CN_OPTION_REAL, &r.timeout, "SECONDS", 0.1, 86400, NULL,
          "How long to wait for the picture (default 60)." },
    };
    const cn_usage usage = { "render",
                             "WHAT",
                             1,
                             "Draws one frame into a PNG file, with the viewer in a browser that shows no window.\n"
                             "WHAT is a recording, the name of a scene, which is then run in the page, or a scene in a\n"
                             "file that ends in .json, which is run first.",
                             "  cairn run heap --record heap.rec\n"
                             "  cairn render heap.rec --frame 200 --out heap.png\n"
                             "  cairn render tower --frame 0 --camera 30,10,1.5 --width 640 --height 640 --out tower.png\n",
                             options,
                             (int)(sizeof options / sizeof *options) };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &what, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (!what)
        return cn_complain("render", "what? usage: cairn render WHAT --out FILE.png; WHAT is a recording or a scene");
    if (!r.out)
        return cn_complain("render", "where should the picture go? --out FILE.png");
    int status = r.camera ? check_camera(r.camera) : 0;
    r.what = what;
    status = status ? status : cn_subject_find("render", what, &r.frame, &r.subject);
    status = status ? status : draw(&r);
    cn_subject_drop(&r.subject);
    free(r.picture);
    free(r.failure);
    return status;
}
