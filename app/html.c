#define _POSIX_C_SOURCE 200809L // mkstemp

#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cn_html_open(cn_html *html, const char *path, cn_message *error)
{
    char page[CN_PAGE_PATH];
    *html = (cn_html){ 0 };
    return cn_page_find(page, error) && cn_page_load(&html->page, page, error) && cn_whole_file_open(&html->file, path, error);
}

const char *cn_html_temporary(cn_html *html, cn_message *error)
{
    cn_temporary_template(html->temporary, sizeof html->temporary, "recording");
    int file = mkstemp(html->temporary);
    if (file >= 0) {
        close(file);
        return html->temporary;
    }
    cn_message_set(error, "%s: %s", html->temporary, strerror(errno));
    html->temporary[0] = '\0';
    return NULL;
}

bool cn_html_write(cn_html *html, const char *recording, cn_message *error)
{
    if (!cn_page_write(&html->page, recording, html->file.file, &html->size, error))
        return false;
    return cn_whole_file_keep(&html->file, error);
}

void cn_html_close(cn_html *html)
{
    cn_whole_file_drop(&html->file);
    cn_page_free(&html->page);
    if (html->temporary[0])
        remove(html->temporary);
    *html = (cn_html){ 0 };
}
