#include "words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 40

static int min_int(int a, int b) { return a < b ? a : b; }

// Edit distance in which a swap of two neighbouring letters counts as one edit (optimal string alignment).
static int edit_distance(const char *a, const char *b)
{
    int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows > LONGEST_WORD || columns > LONGEST_WORD)
        return LONGEST_WORD;
    int table[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (int i = 0; i <= rows; ++i)
        table[i][0] = i;
    for (int j = 0; j <= columns; ++j)
        table[0][j] = j;
    for (int i = 1; i <= rows; ++i) {
        for (int j = 1; j <= columns; ++j) {
            int change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = min_int(change, 1 + min_int(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = min_int(table[i][j], 1 + table[i - 2][j - 2]);
        }
    }
    return table[rows][columns];
}

void cn_nearest_offer(cn_nearest *nearest, const char *candidate)
{
    // A beginning such as "pyr" suggests the word it begins, whatever the distance.
    size_t length = strlen(nearest->word);
    int begins = length >= 2 && strncmp(nearest->word, candidate, length) == 0;
    int distance = begins ? 1 : edit_distance(nearest->word, candidate);
    int near_enough = begins || distance <= 1 + (int)strlen(candidate) / 3;
    if (near_enough && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

static void join(cn_word_list list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; list(i) && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", list(i));
}

int cn_word_find(const char *command, const char *what, const char *word, cn_word_list list)
{
    cn_nearest nearest = { .word = word };
    for (int i = 0; list(i); ++i) {
        if (strcmp(word, list(i)) == 0)
            return i;
        cn_nearest_offer(&nearest, list(i));
    }
    char all[512];
    join(list, all, sizeof all);
    if (nearest.best)
        cn_complain(command, "there is no %s \"%s\"; did you mean \"%s\"?", what, word, nearest.best);
    else
        cn_complain(command, "there is no %s \"%s\"; there are: %s", what, word, all);
    return -1;
}

// The bytes of the character at `at`, 0 when it is a control character or no UTF-8.
static int clean_length(const unsigned char *at)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int length = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    if (length <= 1)
        return length == 1 && *at >= ' ' && *at != 0x7f;
    unsigned code = *at & (0x7fu >> length);
    for (int i = 1; i < length; ++i) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    bool control = code < 0xa0, surrogate = code >> 11 == 0x1b;
    return code >= least[length] && code <= 0x10ffff && !control && !surrogate ? length : 0;
}

bool cn_text_is_clean(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    for (int length; *at; at += length)
        if ((length = clean_length(at)) == 0)
            return false;
    return true;
}

void cn_text_clean(char *text)
{
    for (char *at = text; *at;) {
        int length = clean_length((const unsigned char *)at);
        if (length == 0)
            *at = *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : '?';
        at += length > 0 ? length : 1;
    }
}

int cn_complain(const char *command, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cn_text_clean(text);
    fprintf(stderr, command ? "cairn %s: %s\n" : "cairn%s: %s\n", command ? command : "", text);
    return 2;
}

int cn_message_set(cn_message *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return 0;
}
