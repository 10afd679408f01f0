#define _POSIX_C_SOURCE 200809L // access

#include "page.h"

#include "base64.h"
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GAP_BEGIN "<script type=\"application/octet-stream\" id=\"recording\">"
#define GAP_END "</script>"

// ---- Where the page is

static bool is_readable(const char *path)
{
    struct stat status;
    if (access(path, R_OK) != 0 || stat(path, &status) != 0)
        return false;
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    return S_ISREG(status.st_mode);
}

bool cn_page_find(char path[CN_PAGE_PATH], cn_message *error)
{
    static const char *const places[] = { "", "/../web", "/../share/cairn" };
    const char *named = getenv("CAIRN_VIEWER");
    char folder[CN_PAGE_PATH - 64];
    if (named && *named) {
        snprintf(path, CN_PAGE_PATH, "%s", named);
        return is_readable(path) ||
               cn_message_set(error, "CAIRN_VIEWER names %s as the viewer's page: %s", named, strerror(errno));
    }
    if (!cn_program_folder(folder, sizeof folder))
        return cn_message_set(error, "the program cannot tell where it is; CAIRN_VIEWER may name the viewer's page");
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        snprintf(path, CN_PAGE_PATH, "%s%s/viewer.html", folder, places[i]);
        if (is_readable(path))
            return true;
    }
    return cn_message_set(error,
                          "the viewer's page is missing; scripts/build_web.sh builds it, and CAIRN_VIEWER may name it; looked "
                          "for viewer.html in %s, in ../web and in ../share/cairn from there",
                          folder);
}

// ---- Putting a recording into it

static bool read_text(cn_page *page, FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return false;
    long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0 || !(page->text = malloc((size_t)size + 1)))
        return false;
    page->size = fread(page->text, 1, (size_t)size, file);
    page->text[page->size] = '\0';
    return !ferror(file);
}

static const char *find_gap(const char *text)
{
    const char *gap = text ? strstr(text, GAP_BEGIN GAP_END) : NULL;
    return gap ? gap + strlen(GAP_BEGIN) : NULL;
}

bool cn_page_load(cn_page *page, const char *path, cn_message *error)
{
    *page = (cn_page){ 0 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    bool good = read_text(page, file);
    if (!good)
        cn_message_set(error, "%s: %s", path, strerror(errno));
    fclose(file);
    if (!good)
        return false;
    const char *gap = find_gap(page->text);
    if (!gap || find_gap(gap))
        return cn_message_set(error, "%s: not a page of the viewer; it should say once %s", path, GAP_BEGIN GAP_END);
    page->gap = (size_t)(gap - page->text);
    return true;
}

void cn_page_free(cn_page *page)
{
    free(page->text);
    *page = (cn_page){ 0 };
}

static size_t write_letters(FILE *recording, FILE *file)
{
    uint8_t bytes[3 * 4096];
    char letters[CN_BASE64_LENGTH(sizeof bytes)];
    size_t size, written = 0;
    do {
        size = fread(bytes, 1, sizeof bytes, recording);
        cn_base64_encode(bytes, size, letters);
        written += fwrite(letters, 1, CN_BASE64_LENGTH(size), file);
    } while (size == sizeof bytes && !ferror(file));
    return written;
}

bool cn_page_write(const cn_page *page, const char *recording_path, FILE *file, size_t *written, cn_message *error)
{
    FILE *recording = fopen(recording_path, "rb");
    if (!recording)
        return cn_message_set(error, "%s: %s", recording_path, strerror(errno));
    *written = fwrite(page->text, 1, page->gap, file);
    *written += write_letters(recording, file);
    bool good = !ferror(recording) || cn_message_set(error, "%s: %s", recording_path, strerror(errno));
    *written += fwrite(page->text + page->gap, 1, page->size - page->gap, file);
    fclose(recording);
    return good;
}
