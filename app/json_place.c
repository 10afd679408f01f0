#include "json_place.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

// ---- A walk over valid JSON that counts lines

typedef struct walk {
    const char *at;
    int line;
} walk;

static void skip_space(walk *w)
{
    for (; *w->at && strchr(" \t\r\n", *w->at); ++w->at)
        w->line += *w->at == '\n';
}

// A string holds no line breaks.
static void skip_string(walk *w)
{
    for (++w->at; *w->at && *w->at != '"'; ++w->at)
        if (*w->at == '\\' && w->at[1])
            ++w->at;
    w->at += *w->at != '\0';
}

static void skip_value(walk *w)
{
    int depth = 0;
    do {
        skip_space(w);
        if (*w->at == '"') {
            skip_string(w);
        } else if (*w->at && strchr("{}[],:", *w->at)) {
            depth += (*w->at == '{' || *w->at == '[') - (*w->at == '}' || *w->at == ']');
            ++w->at;
        } else {
            w->at += strcspn(w->at, "{}[],: \t\r\n");
        }
    } while (depth > 0 && *w->at);
}

// Whether the string at `text`, escapes and all, means `key`.
static int means(const char *text, const char *key)
{
    walk w = { text, 0 };
    skip_string(&w);
    json_t *string = json_loadb(text, (size_t)(w.at - text), JSON_DECODE_ANY, NULL);
    int same = string && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return same;
}

// Goes from the first letter of a list or an object to its part. Stays where it is, and answers 0, when that is not there.
static int enter(walk *w, const cn_place *place)
{
    walk inside = { w->at + 1, w->line };
    if (*w->at != (place->key ? '{' : '['))
        return 0;
    for (size_t i = 0;; ++i) {
        skip_space(&inside);
        if (*inside.at == '\0' || *inside.at == '}' || *inside.at == ']')
            return 0;
        int found = place->key ? means(inside.at, place->key) : i == place->index;
        if (place->key) {
            skip_string(&inside);
            skip_space(&inside);
            ++inside.at; // the colon
            skip_space(&inside);
        }
        if (found)
            break;
        skip_value(&inside);
        skip_space(&inside);
        inside.at += *inside.at == ',';
    }
    *w = inside;
    return 1;
}

static int follow(walk *w, const cn_place *place)
{
    if (!place->parent) {
        skip_space(w);
        return 1;
    }
    return follow(w, place->parent) && enter(w, place);
}

int cn_place_line(const char *text, const cn_place *place)
{
    walk w = { text, 1 };
    follow(&w, place);
    return w.line;
}

// ---- Names

void cn_place_name(const cn_place *place, char *name, size_t size)
{
    name[0] = '\0';
    if (!place->parent)
        return;
    cn_place_name(place->parent, name, size);
    size_t length = strlen(name);
    if (place->key)
        snprintf(name + length, size - length, "%s%s", length ? "." : "", place->key);
    else
        snprintf(name + length, size - length, "[%zu]", place->index);
}
