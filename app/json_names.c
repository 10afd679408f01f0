#include "json_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 255 }; // letters of a name

static bool keep(cn_body_names *names, const char *name, cn_body_group group)
{
    if (!names->index)
        names->index = json_object();
    if (names->count == names->capacity) {
        int capacity = names->capacity ? 2 * names->capacity : 64;
        cn_body_group *larger = realloc(names->groups, (size_t)capacity * sizeof *larger);
        if (!larger)
            return false;
        names->groups = larger;
        names->capacity = capacity;
    }
    if (json_object_set_new(names->index, name, json_integer(names->count)) != 0)
        return false;
    names->groups[names->count++] = group;
    return true;
}

bool cn_body_names_add(cn_body_names *names, const cn_json *object, const char *part, cn_body_group group)
{
    char whole[LONGEST + 32];
    cn_json at;
    const char *name;
    if (!cn_json_member(object, "name", &at))
        return true;
    if (!cn_json_text(&at, &name))
        return false;
    if (name[0] == '\0' || strlen(name) > LONGEST || strcmp(name, "world") == 0 || strpbrk(name, "[."))
        return cn_json_fail(&at, "is \"%.40s\"; it must be some letters without [ and ., and not \"world\"", name);
    snprintf(whole, sizeof whole, "%s%s%s", name, part ? "." : "", part ? part : "");
    if (json_object_get(names->index, whole))
        return cn_json_fail(&at, "is \"%.40s\", as that of another body", name);
    return keep(names, whole, group) || cn_json_fail(&at, "needs more memory than there is");
}

void cn_body_names_free(cn_body_names *names)
{
    json_decref(names->index);
    free(names->groups);
    *names = (cn_body_names){ 0 };
}

// Finds the group that `word` names, all of it or up to a bracket with a number.
static const cn_body_group *find_group(const cn_body_names *names, const char *word, int *number)
{
    char name[LONGEST + 32];
    int end = 0;
    *number = 0;
    const json_t *place = json_object_get(names->index, word);
    if (!place && sscanf(word, "%280[^[][%9d]%n", name, number, &end) == 2 && end > 0 && word[end] == '\0')
        place = json_object_get(names->index, name);
    return place ? &names->groups[json_integer_value(place)] : NULL;
}

bool cn_json_body(const cn_json *at, const cn_body_names *names, const cn_build *build, int step, cn_body_id *body)
{
    const char *word, *name;
    json_t *value;
    int number;
    if (!cn_json_text(at, &word))
        return false;
    const cn_body_group *group = find_group(names, word, &number);
    if (!group) {
        cn_nearest nearest = { .word = word };
        json_object_foreach(names->index, name, value) cn_nearest_offer(&nearest, name);
        return cn_json_wrong_word(at, "body", &nearest);
    }
    number += group->count > 1 ? step : 0;
    if (number < 0 || number >= group->count)
        return cn_json_fail(at, "is \"%.40s\", which stands for body %d of %d here; they count from 0", word, number,
                            group->count);
    *body = build->bodies[group->first + number * group->stride];
    return true;
}
