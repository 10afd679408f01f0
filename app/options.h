// The command line of a subcommand: typed options, each with a sentence that teaches it, and plain operands.
#ifndef CAIRN_APP_OPTIONS_H
#define CAIRN_APP_OPTIONS_H

#include "words.h"
#include <stdbool.h>

typedef enum cn_option_type {
    CN_OPTION_FLAG,   // bool: there or not
    CN_OPTION_INT,    // int
    CN_OPTION_REAL,   // double
    CN_OPTION_TEXT,   // const char *
    CN_OPTION_CHOICE, // int: the index of a word in `choices`
} cn_option_type;

typedef struct cn_option {
    const char *name; // without the two dashes
    cn_option_type type;
    void *value;          // where it goes, of the type above; keeps what it holds when the option is not given
    const char *argument; // what the help text calls the value
    double lower, upper;  // bounds of a number, both allowed
    cn_word_list choices;
    const char *help;
} cn_option;

typedef struct cn_usage {
    const char *command;
    const char *operands; // as the help text shows them, such as "SCENE"; empty when there are none
    int most_operands;
    const char *description;
    const char *examples; // complete lines
    const cn_option *options;
    int option_count;
} cn_usage;

typedef enum cn_parse { CN_PARSE_RUN, CN_PARSE_HELP, CN_PARSE_WRONG } cn_parse;

// Reads `--name value`, `--name=value` and operands. CN_PARSE_HELP: the help text was asked for and printed.
// CN_PARSE_WRONG: one line on standard error says what is wrong and suggests the nearest right word.
cn_parse cn_options_parse(const cn_usage *usage, int argc, char **argv, const char **operands, int *operand_count);

// The exit status after a parse that does not go on to run.
static inline int cn_parse_status(cn_parse parse) { return parse == CN_PARSE_WRONG ? 2 : 0; }

#endif
