// A page that shows one recording and needs no other file: the viewer with the recording in it.
#ifndef CAIRN_APP_HTML_H
#define CAIRN_APP_HTML_H

#include "page.h"
#include "whole_file.h"

typedef struct cn_html {
    cn_page page;
    cn_whole_file file;
    char temporary[4096]; // a recording that is removed with it; empty: none
    size_t size;          // of what was written
} cn_html;

// Makes ready before the long work: loads the page and opens the file. False with the reason in `error`.
// Close it in both cases.
bool cn_html_open(cn_html *html, const char *path, cn_message *error);
// Where to record when nobody wants to keep the recording. NULL with the reason in `error`.
const char *cn_html_temporary(cn_html *html, cn_message *error);
// Writes the page with the recording in it.
bool cn_html_write(cn_html *html, const char *recording, cn_message *error);
// Removes what is temporary, and the file unless it was written.
void cn_html_close(cn_html *html);

#endif
