// A browser without a window, in a temporary folder that goes away with it.
#ifndef CAIRN_APP_BROWSER_H
#define CAIRN_APP_BROWSER_H

#include "process.h"

typedef struct cn_browser {
    pid_t id; // 0: not started
    char program[CN_PROCESS_PATH];
    char folder[CN_PROCESS_PATH]; // empty: none was made
} cn_browser;

// Starts the program that CAIRN_BROWSER names, or the first Chromium or Chrome that is found. False with the reason in `error`.
// Stop the browser in both cases.
bool cn_browser_start(cn_browser *browser, const char *address, int width, int height, cn_message *error);
// The last lines the browser has printed, indented.
void cn_browser_last_words(const cn_browser *browser, char *text, size_t size);
void cn_browser_stop(cn_browser *browser);

#endif
