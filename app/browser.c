#define _XOPEN_SOURCE 700 // mkdtemp, nftw

#include "browser.h"

#include "whole_file.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool find_browser(char path[CN_PROCESS_PATH], cn_message *error)
{
    static const char *const names[] = { "chromium", "chromium-browser", "google-chrome", "chrome" };
    const char *named = getenv("CAIRN_BROWSER");
    if (named && *named)
        return cn_program_find(named, path) || cn_message_set(error, "CAIRN_BROWSER names %s, which is no program", named);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (cn_program_find(names[i], path))
            return true;
    return cn_message_set(error, "no browser was found to draw with; install the package chromium (or chromium-browser, "
                                 "google-chrome), or let CAIRN_BROWSER name one");
}

static bool make_folder(char folder[CN_PROCESS_PATH], cn_message *error)
{
    cn_temporary_template(folder, CN_PROCESS_PATH, "browser");
    if (mkdtemp(folder))
        return true;
    cn_message_set(error, "%s: %s", folder, strerror(errno));
    folder[0] = '\0';
    return false;
}

bool cn_browser_start(cn_browser *browser, const char *address, int width, int height, cn_message *error)
{
    *browser = (cn_browser){ 0 };
    if (!find_browser(browser->program, error) || !make_folder(browser->folder, error))
        return false;
    char data[CN_PROCESS_PATH + 32], window[64];
    snprintf(data, sizeof data, "--user-data-dir=%s/profile", browser->folder);
    snprintf(window, sizeof window, "--window-size=%d,%d", width, height);
    // Without graphics hardware, so that a picture is the same on every machine; without anything that talks to the outside.
    const char *const arguments[] = {
        browser->program,
        "--headless",
        data,
        window,
        "--force-device-scale-factor=1",
        "--hide-scrollbars",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--ignore-gpu-blocklist",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
        "--mute-audio",
        geteuid() == 0 ? "--no-sandbox" : "--no-default-browser-check", // its sandbox does not work for root
        address,
        NULL,
    };
    browser->id = cn_process_start((char *const *)arguments, browser->folder);
    if (browser->id > 0)
        return true;
    browser->id = 0;
    return cn_message_set(error, "%s: %s", browser->program, strerror(errno));
}

void cn_browser_last_words(const cn_browser *browser, char *text, size_t size)
{
    enum { TAIL = 800, LINES = 6 };
    char path[CN_PROCESS_PATH + 32], tail[TAIL + 1];
    snprintf(path, sizeof path, "%s/" CN_PROCESS_LOG, browser->folder);
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    if (fseek(file, -TAIL, SEEK_END) != 0)
        rewind(file);
    size_t count = fread(tail, 1, TAIL, file), from = count, used = 0;
    fclose(file);
    tail[count] = '\0';
    for (int lines = 0; from > 0; --from) {
        lines += from < count && tail[from - 1] == '\n';
        if (lines == LINES)
            break;
    }
    for (char *line = strtok(tail + from, "\n"); line && used < size; line = strtok(NULL, "\n")) {
        cn_text_clean(line);
        used += (size_t)snprintf(text + used, size - used, "    %s\n", line);
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    remove(path);
    return 0;
}

// The last of the browser's processes may still be writing when the first is gone.
static void remove_folder(const char *folder)
{
    const struct timespec pause = { .tv_nsec = 100 * 1000000L };
    for (int i = 0; i < 20 && access(folder, F_OK) == 0; ++i) {
        if (i > 0)
            nanosleep(&pause, NULL);
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
}

void cn_browser_stop(cn_browser *browser)
{
    if (browser->id > 0)
        cn_process_stop(browser->id);
    if (browser->folder[0])
        remove_folder(browser->folder);
    *browser = (cn_browser){ 0 };
}
