// The way to a value in a JSON file, and the line it leads to.
#ifndef CAIRN_APP_JSON_PLACE_H
#define CAIRN_APP_JSON_PLACE_H

#include <stddef.h>

typedef struct cn_place {
    const struct cn_place *parent; // NULL: the root
    const char *key;               // of a member of the parent; NULL: its element `index`
    size_t index;
} cn_place;

// The line of the value, counted from 1, in a text that is valid JSON; of the innermost value around it when it is not there.
int cn_place_line(const char *text, const cn_place *place);
// Writes it as bodies[3].shapes[0].radius; an empty text for the root.
void cn_place_name(const cn_place *place, char *name, size_t size);

#endif
