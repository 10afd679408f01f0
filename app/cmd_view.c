// `cairn view`: serves the viewer, and a recording for it, until it is interrupted.
#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "process.h"
#include "viewer.h"

#include <stdio.h>

enum { DEFAULT_PORT = 8765, MORE_PORTS = 20 };

static int open_desktop_browser(const char *opener, const char *address)
{
    char *const arguments[] = { (char *)opener, (char *)address, NULL };
    return cn_process_start(arguments, NULL) > 0 ? 0 : cn_complain("view", "%s did not start", opener);
}

static int serve(cn_http_server *server, const cn_subject *subject, const char *opener)
{
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s%s", cn_http_port(server),
             subject->recording ? "?recording=recording"
             : subject->scene   ? "?scene="
                                : "",
             subject->scene ? subject->scene->name : "");
    printf("%s\nOpen this address in a browser; Ctrl+C ends the server.\n", address);
    fflush(stdout);
    int status = opener ? open_desktop_browser(opener, address) : 0;
    while (status == 0 && !cn_interrupted())
        cn_http_serve(server);
    return status;
}

static int view(const cn_subject *subject, int port, const char *opener)
{
    cn_message error;
    cn_viewer viewer;
    if (!cn_viewer_prepare(&viewer, subject->recording, &error))
        return cn_complain("view", "%s", error.text);
    int first = port >= 0 ? port : DEFAULT_PORT, last = port >= 0 ? port : DEFAULT_PORT + MORE_PORTS;
    cn_interrupt_catch();
    cn_http_server *server = cn_http_open(viewer.routes, viewer.route_count, first, last, &error);
    if (!server)
        return cn_complain("view", "%s", error.text);
    int status = serve(server, subject, opener);
    cn_http_close(server);
    return status;
}

int cn_command_view(int argc, char **argv)
{
    const char *what = NULL;
    char opener[CN_PROCESS_PATH];
    int port = -1;
    bool open = false;
    const cn_option options[] = {
        { "port", CN_OPTION_INT, &port, "N", 0, 65535, NULL,
          "Use this port. 0 lets the system choose. Without this option it is 8765, or the next free one." },
        { "open", CN_OPTION_FLAG, &open, NULL, 0, 0, NULL, "Show the address in the desktop's browser, too." },
    };
    const cn_usage usage = {
        "view",
        "[WHAT]",
        1,
        "Shows in a browser WHAT it is given: a recording, a named scene, which the page runs live, or a\n"
        "scene in a file that ends in .json, which is run first. Without it all named scenes, run live.\n"
        "Serves them on this machine alone, at the address it prints, until it is interrupted.",
        "  cairn view tower --open\n  cairn run heap --record heap.rec\n  cairn view heap.rec --port 8000\n",
        options,
        2
    };
    int operand_count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, &what, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (open && !cn_program_find("xdg-open", opener))
        return cn_complain("view", "--open needs the program xdg-open, of the package xdg-utils");
    cn_subject subject = { 0 };
    int frame = -1, status = what ? cn_subject_find("view", what, &frame, &subject) : 0;
    if (status == 0)
        status = view(&subject, port, open ? opener : NULL);
    cn_subject_drop(&subject);
    return status;
}
