// Reading JSON files: objects by tables of their fields, and refusals that name file, line and field.
#ifndef CAIRN_APP_JSON_FIELDS_H
#define CAIRN_APP_JSON_FIELDS_H

#include "cairn/base.h"
#include "json_place.h"
#include "words.h"

#include <jansson.h>

typedef struct cn_json_file {
    const char *path;
    char *text;
    json_t *root;
    bool failed;
    cn_message error; // the first one
} cn_json_file;

// False, with the reason in file->error, for a file that cannot be read or is no JSON. Close it in both cases.
bool cn_json_open(cn_json_file *file, const char *path);
void cn_json_close(cn_json_file *file);

// A value, and where it stands. Parts hold on to the value they were taken from.
typedef struct cn_json {
    cn_place place;
    json_t *value;
    cn_json_file *file;
} cn_json;

cn_json cn_json_root(cn_json_file *file);
// False when the object has no such member.
bool cn_json_member(const cn_json *object, const char *key, cn_json *member);
cn_json cn_json_element(const cn_json *list, size_t index);
// How many elements a list or members an object has.
size_t cn_json_count(const cn_json *value);

// Keeps "FILE:LINE: PLACE ..." as the error of the file unless it has one already. Answers false.
__attribute__((format(printf, 2, 3))) bool cn_json_fail(const cn_json *at, const char *format, ...);
// Refuses a value that is not what is expected, such as "a list of points".
bool cn_json_expect(const cn_json *at, const char *expected);
// Refuses a word that is not in a list, with the nearest one that is.
bool cn_json_wrong_word(const cn_json *at, const char *what, const cn_nearest *nearest);

// ---- Values

typedef struct cn_range {
    double lower, upper;
    bool above; // the lower bound itself is not allowed
} cn_range;

#define CN_LARGEST 1e9 // m, s, kg and so on: beyond it floats are not what anybody means
#define CN_RANGE_ANY                                                                                                           \
    {                                                                                                                          \
        -CN_LARGEST, CN_LARGEST, false                                                                                         \
    }
#define CN_RANGE_POSITIVE                                                                                                      \
    {                                                                                                                          \
        0.0, CN_LARGEST, true                                                                                                  \
    }
#define CN_RANGE_NOT_NEGATIVE                                                                                                  \
    {                                                                                                                          \
        0.0, CN_LARGEST, false                                                                                                 \
    }

bool cn_json_number_in(const cn_json *at, cn_range range, double *number);
bool cn_json_whole(const cn_json *at, int lower, int upper, int *number);
bool cn_json_text(const cn_json *at, const char **text);
// A list of exactly `count` numbers.
bool cn_json_numbers(const cn_json *at, int count, cn_range range, double *numbers);
bool cn_json_vec3(const cn_json *at, cn_range range, cn_vec3 *v);
bool cn_json_list(const cn_json *at, const char *expected);

// ---- Objects

typedef enum cn_field_type {
    CN_FIELD_FLOAT,
    CN_FIELD_DOUBLE,
    CN_FIELD_INT,
    CN_FIELD_BITS, // uint64_t
    CN_FIELD_BOOL,
    CN_FIELD_TEXT,   // const char *, which lives as long as the file
    CN_FIELD_CHOICE, // int: the index of a word in `choices`
    CN_FIELD_VEC3,
    CN_FIELD_POS3,
    CN_FIELD_SCALE, // cn_vec3: three numbers, or one for all three
    CN_FIELD_OTHER, // read by the caller
} cn_field_type;

typedef struct cn_field {
    const char *name;
    cn_field_type type;
    size_t offset; // where the value goes; what is there stays when the field is not given
    cn_range range;
    cn_word_list choices;
    bool required;
} cn_field;

// Tables of different length in one list.
typedef struct cn_field_table {
    const cn_field *fields;
    int count;
} cn_field_table;
#define CN_FIELD_TABLE(...)                                                                                                    \
    {                                                                                                                          \
        (const cn_field[]){ __VA_ARGS__ }, (int)(sizeof((const cn_field[]){ __VA_ARGS__ }) / sizeof(cn_field))                 \
    }

// Reads one value as a field, wherever it stands.
bool cn_json_value(const cn_json *at, const cn_field *field, void *result);
// Reads the fields of an object; the result may be NULL when the caller reads them all. Fields that are not in the table are
// refused, but for "comment".
bool cn_json_fields(const cn_json *object, const cn_field *fields, int count, void *result);
#define CN_JSON_FIELDS(object, fields, result) cn_json_fields(object, fields, (int)(sizeof(fields) / sizeof *(fields)), result)

// The "type" of an object, which it must have: the number of its word among the choices.
bool cn_json_type(const cn_json *at, cn_word_list choices, int *index);

#endif
