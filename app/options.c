#define _POSIX_C_SOURCE 200809L // strcasecmp

#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 100 };

// In lines that begin and end as those of print_wrapped.
static void print_choices(cn_word_list choices)
{
    for (int i = 0, column = HELP_COLUMN; choices(i); ++i) {
        int length = (int)strlen(choices(i)) + 1; // with what follows it
        if (column > HELP_COLUMN && column + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += length;
        printf("%s%s", choices(i), choices(i + 1) ? "|" : ":");
    }
}

// Prints text in lines that all begin at the column for help.
static void print_wrapped(const char *text)
{
    for (int column = HELP_COLUMN; *text;) {
        int length = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += printf("%s%.*s", column > HELP_COLUMN ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void print_option(const cn_option *option)
{
    int width = printf("  --%s%s%s", option->name, option->type == CN_OPTION_FLAG ? "" : " ",
                       option->type == CN_OPTION_FLAG ? "" : option->argument);
    if (width < HELP_COLUMN)
        printf("%*s", HELP_COLUMN - width, "");
    else
        printf("\n%*s", HELP_COLUMN, "");
    if (option->type == CN_OPTION_CHOICE) {
        print_choices(option->choices);
        printf("\n%*s", HELP_COLUMN, "");
    }
    print_wrapped(option->help);
}

static void print_help(const cn_usage *usage)
{
    printf("Usage: cairn %s%s%s [options]\n\n%s\n", usage->command, *usage->operands ? " " : "", usage->operands,
           usage->description);
    printf("\nOptions:\n");
    for (int i = 0; i < usage->option_count; ++i)
        print_option(&usage->options[i]);
    printf("  --help                  Print this text.\n");
    printf("\nExamples:\n%s", usage->examples);
}

static bool read_number(const cn_usage *usage, const cn_option *option, const char *text, double *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !isfinite(*number)) {
        cn_complain(usage->command, "--%s wants a number, not \"%s\"", option->name, text);
        return false;
    }
    if (option->type == CN_OPTION_INT && *number != floor(*number)) {
        cn_complain(usage->command, "--%s wants a whole number, not \"%s\"", option->name, text);
        return false;
    }
    if (*number < option->lower || *number > option->upper) {
        cn_complain(usage->command, "--%s wants a number from %.10g to %.10g, not %s", option->name, option->lower,
                    option->upper, text);
        return false;
    }
    return true;
}

// A picture is of the kind that the option makes, whatever its name ends with; another kind's ending would lie.
static bool check_ending(const cn_usage *usage, const cn_option *option, const char *path)
{
    static const char *const pictures[] = { ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".pdf" };
    const char *wanted = strchr(option->argument, '.'), *ending = strrchr(path, '.');
    for (size_t i = 0; wanted && ending && i < sizeof pictures / sizeof *pictures; ++i)
        if (strcasecmp(ending, pictures[i]) == 0 && strcasecmp(ending, wanted) != 0)
            return cn_complain(usage->command, "--%s makes a picture that ends in %s, not \"%s\"", option->name, wanted,
                               path) == 0;
    return true;
}

static bool store(const cn_usage *usage, const cn_option *option, const char *text)
{
    double number;
    switch (option->type) {
    case CN_OPTION_FLAG: *(bool *)option->value = true; return true;
    case CN_OPTION_TEXT:
        if (!check_ending(usage, option, text))
            return false;
        *(const char **)option->value = text;
        return true;
    case CN_OPTION_INT:
        if (!read_number(usage, option, text, &number))
            return false;
        *(int *)option->value = (int)number;
        return true;
    case CN_OPTION_REAL:
        if (!read_number(usage, option, text, &number))
            return false;
        *(double *)option->value = number;
        return true;
    case CN_OPTION_CHOICE: {
        char what[64];
        snprintf(what, sizeof what, "--%s", option->name);
        int index = cn_word_find(usage->command, what, text, option->choices);
        if (index >= 0)
            *(int *)option->value = index;
        return index >= 0;
    }
    }
    return false;
}

static const cn_option *find_option(const cn_usage *usage, const char *name)
{
    cn_nearest nearest = { .word = name };
    for (int i = 0; i < usage->option_count; ++i) {
        if (strcmp(usage->options[i].name, name) == 0)
            return &usage->options[i];
        cn_nearest_offer(&nearest, usage->options[i].name);
    }
    if (nearest.best)
        cn_complain(usage->command, "there is no option --%s; did you mean --%s?", name, nearest.best);
    else
        cn_complain(usage->command, "there is no option --%s; see cairn %s --help", name, usage->command);
    return NULL;
}

// Reads the option at argv[*at] and moves *at to the last argument that belongs to it.
static bool parse_option(const cn_usage *usage, int argc, char **argv, int *at)
{
    char name[64];
    const char *text = argv[*at] + 2;
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    const cn_option *option = find_option(usage, name);
    if (!option)
        return false;
    if (option->type == CN_OPTION_FLAG) {
        if (equals)
            return cn_complain(usage->command, "--%s takes no value", name) == 0;
        return store(usage, option, NULL);
    }
    if (equals)
        return store(usage, option, equals + 1);
    if (*at + 1 >= argc)
        return cn_complain(usage->command, "--%s wants a value: --%s %s", name, name, option->argument) == 0;
    return store(usage, option, argv[++*at]);
}

cn_parse cn_options_parse(const cn_usage *usage, int argc, char **argv, const char **operands, int *operand_count)
{
    *operand_count = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(usage);
            return CN_PARSE_HELP;
        }
    }
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            if (argv[i][1] != '-') {
                cn_complain(usage->command, "there is no option %s; options begin with two dashes", argv[i]);
                return CN_PARSE_WRONG;
            }
            if (!parse_option(usage, argc, argv, &i))
                return CN_PARSE_WRONG;
        } else if (*operand_count < usage->most_operands) {
            operands[(*operand_count)++] = argv[i];
        } else {
            cn_complain(usage->command, "\"%s\" is one word too many; usage: cairn %s%s%s", argv[i], usage->command,
                        *usage->operands ? " " : "", usage->operands);
            return CN_PARSE_WRONG;
        }
    }
    return CN_PARSE_RUN;
}
