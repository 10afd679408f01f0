// The scanner of problem files.
#include "io/problem_scan.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cn_scanner cn_scanner_make(const char *text, size_t length)
{
    return (cn_scanner){ .at = text, .end = text + length, .line = 1 };
}

bool cn_scan_fail(cn_scanner *s, const char *format, ...)
{
    int length = snprintf(s->error, sizeof s->error, "line %d: ", s->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->error + length, sizeof s->error - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

// ---- tokens

typedef struct token {
    const char *text;
    int length;
} token;

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_space(cn_scanner *s)
{
    for (; s->at < s->end && is_space(*s->at); s->at++)
        s->line += *s->at == '\n';
}

// The next word, without going behind it. Of an endless one, the beginning.
static token peek(cn_scanner *s)
{
    enum { LONGEST = 1 << 20 };
    skip_space(s);
    const char *end = s->at;
    while (end < s->end && end - s->at < LONGEST && !is_space(*end))
        end++;
    return (token){ s->at, (int)(end - s->at) };
}

static bool fail_at(cn_scanner *s, const char *what, token t)
{
    if (t.length == 0)
        return cn_scan_fail(s, "the file ends where %s should be", what);
    char shown[25];
    int length = t.length < 24 ? t.length : 24;
    for (int i = 0; i < length; i++)
        shown[i] = (char)(t.text[i] >= ' ' && t.text[i] <= '~' ? t.text[i] : '?');
    shown[length] = '\0';
    return cn_scan_fail(s, "%s should be here, not '%s'", what, shown);
}

bool cn_scan_next_is(cn_scanner *s, const char *word)
{
    token t = peek(s);
    return t.length == (int)strlen(word) && memcmp(t.text, word, (size_t)t.length) == 0;
}

bool cn_scan_at_end(cn_scanner *s) { return peek(s).length == 0; }

bool cn_scan_word(cn_scanner *s, const char *word)
{
    if (!cn_scan_next_is(s, word))
        return fail_at(s, word, peek(s));
    s->at += strlen(word);
    return true;
}

static bool contains(token t, const char *part)
{
    int length = (int)strlen(part);
    for (int i = 0; i + length <= t.length; i++)
        if (memcmp(t.text + i, part, (size_t)length) == 0)
            return true;
    return false;
}

bool cn_scan_skip_to(cn_scanner *s, const char *part)
{
    token t = peek(s);
    while (t.length > 0 && !contains(t, part)) {
        s->at += t.length;
        t = peek(s);
    }
    return t.length > 0;
}

void cn_scan_line(cn_scanner *s)
{
    while (s->at < s->end && *s->at != '\n')
        s->at++;
}

// ---- numbers

// A decimal number taken apart: 0.digits times a power of ten, as far as the digits fit.
typedef struct decimal {
    bool negative;
    uint64_t digits;
    int digit_count; // significant ones, without the zeros at the end
    int exponent;    // value = digits * 10^exponent, when digit_count <= 15
    int length;      // of the text; 0 when it is no number
} decimal;

static bool is_digit(const char *at, const char *end) { return at < end && *at >= '0' && *at <= '9'; }

// Zeros are held back until a digit follows: 2.000000000000000000000000e+00 has one digit.
static const char *take_digits(const char *at, const char *end, bool fraction, decimal *d, int *zeros)
{
    for (; is_digit(at, end); at++) {
        d->exponent -= fraction;
        if (*at == '0') {
            *zeros += d->digit_count > 0;
            continue;
        }
        for (d->digit_count += *zeros + 1; *zeros > 0; --*zeros)
            if (d->digit_count <= 15)
                d->digits *= 10;
        if (d->digit_count <= 15)
            d->digits = d->digits * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

static const char *take_exponent(const char *at, const char *end, decimal *d)
{
    const char *start = at++;
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (!is_digit(at, end))
        return start;
    int value = 0;
    for (; is_digit(at, end); at++)
        value = value < 100000 ? 10 * value + (*at - '0') : value;
    d->exponent += negative ? -value : value;
    return at;
}

static decimal take_apart(token t)
{
    decimal d = { 0 };
    const char *at = t.text, *end = t.text + t.length;
    int zeros = 0;
    d.negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *first = at;
    at = take_digits(at, end, false, &d, &zeros);
    int written = (int)(at - first);
    if (at < end && *at == '.') {
        const char *point = at++;
        at = take_digits(at, end, true, &d, &zeros);
        written += (int)(at - point) - 1;
    }
    d.exponent += zeros;
    if (written > 0 && at < end && (*at == 'e' || *at == 'E'))
        at = take_exponent(at, end, &d);
    d.length = written > 0 && at == end ? t.length : 0;
    return d;
}

// By the C library, which rounds correctly but wants the decimal point of the locale.
static double convert_slowly(token t)
{
    char text[1200];
    const char *point = localeconv()->decimal_point;
    size_t point_length = strlen(point), length = 0;
    for (int i = 0; i < t.length; i++) {
        if (length + point_length + 1 > sizeof text)
            return (double)NAN;
        if (t.text[i] == '.') {
            memcpy(text + length, point, point_length);
            length += point_length;
        } else {
            text[length++] = t.text[i];
        }
    }
    text[length] = '\0';
    return strtod(text, NULL);
}

// Up to 15 digits are an exact double, so are powers of ten up to 22, and one product or quotient of the two is rounded once.
static double convert(const decimal *d, token t)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    double value;
    if (d->digit_count == 0)
        value = 0.0;
    else if (d->digit_count <= 15 && d->exponent >= -22 && d->exponent <= 22)
        value = d->exponent < 0 ? (double)d->digits / powers[-d->exponent] : (double)d->digits * powers[d->exponent];
    else
        return convert_slowly(t);
    return d->negative ? -value : value;
}

static bool number_of(cn_scanner *s, const char *what, token t, double *value)
{
    decimal d = take_apart(t);
    if (d.length == 0)
        return fail_at(s, what, t);
    *value = convert(&d, t);
    return isfinite(*value) || fail_at(s, "a finite number", t);
}

bool cn_scan_number(cn_scanner *s, const char *what, double *value)
{
    token t = peek(s);
    if (!number_of(s, what, t, value))
        return false;
    s->at += t.length;
    return true;
}

bool cn_scan_numbers(cn_scanner *s, const char *what, double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!cn_scan_number(s, what, &values[i]))
            return false;
    return true;
}

bool cn_scan_int(cn_scanner *s, const char *what, int least, int most, int *value)
{
    token t = peek(s), digits = t;
    double number = 0.0;
    digits.length -= t.length > 1 && t.text[t.length - 1] == ',';
    if (!number_of(s, what, digits, &number))
        return false;
    if (number == floor(number) && number >= least && number <= most) {
        *value = (int)number;
        s->at += t.length;
        return true;
    }
    if (least == most)
        return cn_scan_fail(s, "%s is %.12g; it must be %d", what, number, least);
    if (most >= INT_MAX - 1)
        return cn_scan_fail(s, "%s is %.12g; it must be a whole number of at least %d", what, number, least);
    return cn_scan_fail(s, "%s is %.12g; it must be a whole number from %d to %d", what, number, least, most);
}

bool cn_scan_room(cn_scanner *s, const char *what, int64_t count)
{
    if (count <= (s->end - s->at) / 2 + 1)
        return true;
    return cn_scan_fail(s, "%s: the rest of the file is too short for %lld numbers", what, (long long)count);
}
