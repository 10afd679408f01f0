#define _POSIX_C_SOURCE 200809L // fileno

#include "json_fields.h"

#include "io/regular_file.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- Files

enum { LARGEST_FILE = 1 << 30 }; // bytes

static char *read_text(const char *path, cn_message *error)
{
    struct stat status;
    FILE *file = cn_regular_file_open(path);
    char *text = NULL;
    if (!file)
        cn_message_set(error, "%s", cn_last_error());
    else if (fstat(fileno(file), &status) != 0 || status.st_size > LARGEST_FILE)
        cn_message_set(error, "%s: this is no file of up to 1 GB", path);
    else if (!(text = malloc((size_t)status.st_size + 1)))
        cn_message_set(error, "%s: out of memory", path);
    else
        text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

bool cn_json_open(cn_json_file *file, const char *path)
{
    json_error_t error;
    *file = (cn_json_file){ .path = path };
    file->text = read_text(path, &file->error);
    if (file->text && !(file->root = json_loads(file->text, JSON_REJECT_DUPLICATES, &error)))
        cn_message_set(&file->error, "%s:%d: this is not JSON: %s", path, error.line > 0 ? error.line : 1, error.text);
    file->failed = file->root == NULL;
    return !file->failed;
}

void cn_json_close(cn_json_file *file)
{
    json_decref(file->root);
    free(file->text);
    file->root = NULL;
    file->text = NULL;
}

// ---- Parts

cn_json cn_json_root(cn_json_file *file) { return (cn_json){ .value = file->root, .file = file }; }

bool cn_json_member(const cn_json *object, const char *key, cn_json *member)
{
    *member = (cn_json){ { &object->place, key, 0 }, json_object_get(object->value, key), object->file };
    return member->value != NULL;
}

cn_json cn_json_element(const cn_json *list, size_t index)
{
    return (cn_json){ { &list->place, NULL, index }, json_array_get(list->value, index), list->file };
}

size_t cn_json_count(const cn_json *value)
{
    return json_is_array(value->value) ? json_array_size(value->value) : json_object_size(value->value);
}

// ---- Refusals

bool cn_json_fail(const cn_json *at, const char *format, ...)
{
    char name[128], reason[480];
    va_list arguments;
    if (at->file->failed)
        return false;
    at->file->failed = true;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    cn_place_name(&at->place, name, sizeof name);
    cn_message_set(&at->file->error, "%s:%d: %s%s%s", at->file->path, cn_place_line(at->file->text, &at->place),
                   name[0] ? name : "the scene", reason[0] == ':' ? "" : " ", reason);
    return false;
}

static void describe(const json_t *value, char *text, size_t size)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: snprintf(text, size, "an object"); break;
    case JSON_ARRAY: snprintf(text, size, "a list of %zu", json_array_size(value)); break;
    case JSON_STRING: snprintf(text, size, "\"%.40s\"", json_string_value(value)); break;
    case JSON_INTEGER: snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL: snprintf(text, size, "%.9g", json_real_value(value)); break;
    case JSON_TRUE: snprintf(text, size, "true"); break;
    case JSON_FALSE: snprintf(text, size, "false"); break;
    default: snprintf(text, size, "null");
    }
}

bool cn_json_expect(const cn_json *at, const char *expected)
{
    char text[64];
    describe(at->value, text, sizeof text);
    return cn_json_fail(at, "is %s; it must be %s", text, expected);
}

bool cn_json_wrong_word(const cn_json *at, const char *what, const cn_nearest *nearest)
{
    if (nearest->best)
        return cn_json_fail(at, "names the %s \"%.40s\", which there is not; did you mean \"%s\"?", what, nearest->word,
                            nearest->best);
    return cn_json_fail(at, "names the %s \"%.40s\", which there is not", what, nearest->word);
}

// ---- Values

// What a number must be; `value` says which bound it misses, NAN both.
static bool refuse_number(const cn_json *at, const char *kind, cn_range range, double value)
{
    char expected[80];
    if (value < range.lower || (range.above && value == range.lower))
        snprintf(expected, sizeof expected, "%s %g", range.above ? "above" : "at least", range.lower);
    else if (value > range.upper)
        snprintf(expected, sizeof expected, "at most %g", range.upper);
    else if (range.lower == 0.0)
        snprintf(expected, sizeof expected, "%s%s 0", kind, range.above ? " above" : ", at least");
    else
        snprintf(expected, sizeof expected, "%s", kind);
    return cn_json_expect(at, expected);
}

bool cn_json_number_in(const cn_json *at, cn_range range, double *number)
{
    double value = json_is_number(at->value) ? json_number_value(at->value) : (double)NAN;
    if (!(value >= range.lower && value <= range.upper) || (range.above && value == range.lower))
        return refuse_number(at, "a number", range, value);
    *number = value;
    return true;
}

bool cn_json_whole(const cn_json *at, int lower, int upper, int *number)
{
    cn_range range = { lower, upper, false };
    double value = json_is_number(at->value) ? json_number_value(at->value) : (double)NAN;
    if (!(value >= lower && value <= upper) || value != floor(value))
        return refuse_number(at, "a whole number", range, value);
    *number = (int)value;
    return true;
}

bool cn_json_text(const cn_json *at, const char **text)
{
    if (!json_is_string(at->value))
        return cn_json_expect(at, "a text");
    *text = json_string_value(at->value);
    return true;
}

bool cn_json_list(const cn_json *at, const char *expected) { return json_is_array(at->value) || cn_json_expect(at, expected); }

bool cn_json_numbers(const cn_json *at, int count, cn_range range, double *numbers)
{
    char expected[32];
    snprintf(expected, sizeof expected, "a list of %d numbers", count);
    if (json_array_size(at->value) != (size_t)count)
        return cn_json_expect(at, expected);
    for (int i = 0; i < count; ++i) {
        cn_json element = cn_json_element(at, (size_t)i);
        if (!cn_json_number_in(&element, range, &numbers[i]))
            return false;
    }
    return true;
}

bool cn_json_vec3(const cn_json *at, cn_range range, cn_vec3 *v)
{
    double numbers[3];
    if (!cn_json_numbers(at, 3, range, numbers))
        return false;
    *v = (cn_vec3){ (float)numbers[0], (float)numbers[1], (float)numbers[2] };
    return true;
}

// ---- Objects

static bool read_scale(const cn_json *at, cn_range range, cn_vec3 *scale)
{
    double factor;
    if (!json_is_number(at->value))
        return json_is_array(at->value) ? cn_json_vec3(at, range, scale)
                                        : cn_json_expect(at, "a number or a list of 3 numbers");
    if (!cn_json_number_in(at, range, &factor))
        return false;
    *scale = (cn_vec3){ (float)factor, (float)factor, (float)factor };
    return true;
}

static bool read_choice(const cn_json *at, cn_word_list choices, int *index)
{
    const char *word = "";
    if (!cn_json_text(at, &word))
        return false;
    cn_nearest nearest = { .word = word };
    char all[160] = "";
    for (int i = 0; choices(i); ++i) {
        if (strcmp(word, choices(i)) == 0) {
            *index = i;
            return true;
        }
        cn_nearest_offer(&nearest, choices(i));
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", choices(i));
    }
    if (nearest.best)
        return cn_json_fail(at, "is \"%.40s\"; did you mean \"%s\"?", word, nearest.best);
    return cn_json_fail(at, "is \"%.40s\"; it must be one of: %s", word, all);
}

static bool read_bits(const cn_json *at, uint64_t *bits)
{
    if (!json_is_integer(at->value) || json_integer_value(at->value) < 0)
        return cn_json_expect(at, "a whole number, at least 0");
    *bits = (uint64_t)json_integer_value(at->value);
    return true;
}

bool cn_json_value(const cn_json *at, const cn_field *field, void *result)
{
    double numbers[3];
    void *to = result ? (char *)result + field->offset : NULL;
    cn_range range = field->range;
    switch (field->type) {
    case CN_FIELD_FLOAT:
        if (!cn_json_number_in(at, range, numbers))
            return false;
        *(float *)to = (float)numbers[0];
        return true;
    case CN_FIELD_POS3:
        if (!cn_json_numbers(at, 3, range, numbers))
            return false;
        *(cn_pos3 *)to = (cn_pos3){ numbers[0], numbers[1], numbers[2] };
        return true;
    case CN_FIELD_BOOL:
        if (!json_is_boolean(at->value))
            return cn_json_expect(at, "true or false");
        *(bool *)to = json_is_true(at->value);
        return true;
    case CN_FIELD_DOUBLE: return cn_json_number_in(at, range, to);
    case CN_FIELD_INT: return cn_json_whole(at, (int)range.lower, (int)range.upper, to);
    case CN_FIELD_BITS: return read_bits(at, to);
    case CN_FIELD_TEXT: return cn_json_text(at, to);
    case CN_FIELD_CHOICE: return read_choice(at, field->choices, to);
    case CN_FIELD_VEC3: return cn_json_vec3(at, range, to);
    case CN_FIELD_SCALE: return read_scale(at, range, to);
    default: return true;
    }
}

static const cn_field *find_field(const cn_json *member, const cn_field *fields, int count)
{
    cn_nearest nearest = { .word = member->place.key };
    for (int i = 0; i < count; ++i) {
        if (strcmp(fields[i].name, member->place.key) == 0)
            return &fields[i];
        cn_nearest_offer(&nearest, fields[i].name);
    }
    if (nearest.best)
        cn_json_fail(member, "is no field of this object; did you mean \"%s\"?", nearest.best);
    else
        cn_json_fail(member, "is no field of this object");
    return NULL;
}

bool cn_json_fields(const cn_json *object, const cn_field *fields, int count, void *result)
{
    static const cn_field comment = { "comment", CN_FIELD_OTHER };
    const char *key;
    json_t *value;
    cn_json member;
    if (!json_is_object(object->value))
        return cn_json_expect(object, "an object");
    json_object_foreach(object->value, key, value)
    {
        cn_json_member(object, key, &member);
        const cn_field *field = strcmp(key, comment.name) == 0 ? &comment : find_field(&member, fields, count);
        if (!field || !cn_json_value(&member, field, result))
            return false;
    }
    for (int i = 0; i < count; ++i)
        if (fields[i].required && !cn_json_member(object, fields[i].name, &member))
            return cn_json_fail(object, "has no \"%s\", which it must have", fields[i].name);
    return true;
}

bool cn_json_type(const cn_json *at, cn_word_list choices, int *index)
{
    const cn_field field = { "type", CN_FIELD_CHOICE, .choices = choices };
    cn_json word;
    if (!json_is_object(at->value))
        return cn_json_expect(at, "an object");
    if (!cn_json_member(at, "type", &word))
        return cn_json_fail(at, "has no \"type\", which it must have");
    return cn_json_value(&word, &field, index);
}
