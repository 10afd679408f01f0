// The viewer: one page that needs no other file. Where it is, and how a recording is put into it.
#ifndef CAIRN_APP_PAGE_H
#define CAIRN_APP_PAGE_H

#include "words.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cn_page {
    char *text;
    size_t size;
    size_t gap; // where in the text the recording goes
} cn_page;

#define CN_PAGE_PATH 4096

// The path of the page: what CAIRN_VIEWER names, or the first that exists of viewer.html next to the program, in ../web and in
// ../share/cairn as seen from there. False with a sentence that says where it was looked for.
bool cn_page_find(char path[CN_PAGE_PATH], cn_message *error);

// Reads the page and finds its gap. False when there is none or more than one. Free the page in both cases.
bool cn_page_load(cn_page *page, const char *path, cn_message *error);
void cn_page_free(cn_page *page);

// Writes the page with the recording in its gap, and tells how many bytes that makes. False when the recording cannot be read;
// what is wrong with `file` is left to ferror().
bool cn_page_write(const cn_page *page, const char *recording_path, FILE *file, size_t *written, cn_message *error);

#endif
