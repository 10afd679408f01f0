// `cairn view`: serves the viewer, and a recording for it, until it is interrupted.
#include "commands.h"
#include "interrupt.h"
#include "json_scene.h"
#include "options.h"
#include "process.h"
#include "record_scene.h"
#include "viewer.h"

#include <stdio.h>

enum { DEFAULT_PORT = 8765, MORE_PORTS = 20 };

static int open_desktop_browser(const char *opener, const char *address)
{
    char *const arguments[] = { (char *)opener, (char *)address, NULL };
    return cn_process_start(arguments, NULL) > 0 ? 0 : cn_complain("view", "%s did not start", opener);
}

static int serve(cn_http_server *server, const char *path, const char *opener)
{
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s", cn_http_port(server), path ? "?recording=recording" : "");
    printf("%s\nOpen this address in a browser; Ctrl+C ends the server.\n", address);
    fflush(stdout);
    int status = opener ? open_desktop_browser(opener, address) : 0;
    while (status == 0 && !cn_interrupted())
        cn_http_serve(server);
    return status;
}

static int view(const char *path, int port, const char *opener)
{
    cn_message error;
    cn_viewer viewer;
    int frame = -1;
    if ((path && !cn_viewer_check(path, &frame, &error)) || !cn_viewer_prepare(&viewer, path, &error))
        return cn_complain("view", "%s", error.text);
    int first = port >= 0 ? port : DEFAULT_PORT, last = port >= 0 ? port : DEFAULT_PORT + MORE_PORTS;
    cn_interrupt_catch();
    cn_http_server *server = cn_http_open(viewer.routes, viewer.route_count, first, last, &error);
    if (!server)
        return cn_complain("view", "%s", error.text);
    int status = serve(server, path, opener);
    cn_http_close(server);
    return status;
}

int cn_command_view(int argc, char **argv)
{
    const char *path = NULL;
    char opener[CN_PROCESS_PATH];
    int port = -1;
    bool open = false;
    const cn_option options[] = {
        { "port", CN_OPTION_INT, &port, "N", 0, 65535, NULL,
          "Use this port. 0 lets the system choose. Without this option it is 8765, or the next free one." },
        { "open", CN_OPTION_FLAG, &open, NULL, 0, 0, NULL, "Show the address in the desktop's browser, too." },
    };
    const cn_usage usage = { "view",
                             "[FILE]",
                             1,
                             "Shows a recording in a browser, or a scene in a file that ends in .json, which is run first;\n"
                             "without a file the named scenes, run live in the page.\n"
                             "Serves them on this machine alone, at the address it prints, until it is interrupted.",
                             "  cairn run heap --record heap.rec\n  cairn view heap.rec --open\n  cairn view --port 8000\n",
                             options,
                             2 };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &path, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (open && !cn_program_find("xdg-open", opener))
        return cn_complain("view", "--open needs the program xdg-open, of the package xdg-utils");
    char *made = path && cn_scene_is_file(path) ? cn_record_scene("view", path, -1) : NULL;
    if (path && cn_scene_is_file(path) && !made)
        return 2;
    int status = view(made ? made : path, port, open ? opener : NULL);
    cn_record_drop(made);
    return status;
}
