// Finding a word in a list, and the nearest right one for a word that is not in it.
#ifndef CAIRN_APP_WORDS_H
#define CAIRN_APP_WORDS_H

#include <stdbool.h>

// A list of words: answers the word at `index`, NULL past the end.
typedef const char *(*cn_word_list)(int index);

// The index of `word` in the list, or -1 after one line on standard error such as
// `cairn bench: there is no scene "piramid"; did you mean "pyramid"?`.
int cn_word_find(const char *command, const char *what, const char *word, cn_word_list list);

// The best of the offered words so far. Start with { .word = ... }.
typedef struct cn_nearest {
    const char *word;
    const char *best; // NULL while nothing offered is near enough to suggest
    int distance;
} cn_nearest;

void cn_nearest_offer(cn_nearest *nearest, const char *candidate);

// Texts come from files of anybody, and control characters can make a terminal do things. Clean is UTF-8 without them.
bool cn_text_is_clean(const char *text);
// Puts spaces for white space and question marks for what else is not clean, without changing the length.
void cn_text_clean(char *text);

// One line on standard error, "cairn COMMAND: what is wrong", made clean; answers 2, the exit status for wrong use and bad
// input. A NULL command leaves the name out.
__attribute__((format(printf, 2, 3))) int cn_complain(const char *command, const char *format, ...);

// What a word of many ends with that are `count`: "s", and "" for one.
static inline const char *cn_plural(long count) { return count == 1 ? "" : "s"; }

// Room for one sentence that says what went wrong.
typedef struct cn_message {
    char text[640];
} cn_message;

// Fills the message and answers false, so that a failing function can return the call.
__attribute__((format(printf, 2, 3))) int cn_message_set(cn_message *message, const char *format, ...);

#endif
