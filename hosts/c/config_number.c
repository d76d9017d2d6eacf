/* SPDX-License-Identifier: Apache-2.0 */
#include "config_number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n\f\v"
#define DIGITS "0123456789"

/* The text without the blanks around it. */
static const char *trim(const char *text, size_t *length)
{
    text += strspn(text, BLANKS);
    size_t end = strlen(text);
    while (end > 0 && strchr(BLANKS, text[end - 1]) != NULL) {
        end--;
    }
    *length = end;
    return text;
}

int sgi_read_integer(const char *text, int64_t *number)
{
    size_t length;
    const char *start = trim(text, &length);
    size_t sign = length > 0 && (start[0] == '-' || start[0] == '+');
    if (length == sign || strspn(start + sign, DIGITS) != length - sign) {
        return 0;
    }
    errno = 0;
    long long value = strtoll(start, NULL, 10);
    if (errno == ERANGE) {
        return 0;
    }
    *number = value;
    return 1;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit on one side of the point at least. */
static int has_real_form(const char *s, size_t length)
{
    const char *end = s + length;
    s += *s == '-' || *s == '+';
    size_t whole = strspn(s, DIGITS);
    s += whole;
    size_t fraction = *s == '.' ? strspn(s + 1, DIGITS) : 0;
    s += *s == '.' ? fraction + 1 : 0;
    if (whole + fraction == 0) {
        return 0;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '-' || s[1] == '+');
        size_t exponent = strspn(s, DIGITS);
        if (exponent == 0) {
            return 0;
        }
        s += exponent;
    }
    return s == end;
}

int sgi_read_real(const char *text, double *number)
{
    size_t length;
    const char *start = trim(text, &length);
    if (length == 0 || !has_real_form(start, length)) {
        return 0;
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return 0;
    }
    double value = strtod_l(start, NULL, plain);
    freelocale(plain);
    if (!isfinite(value)) {
        return 0;
    }
    *number = value;
    return 1;
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int sgi_same_word(const char *text, const char *word)
{
    size_t length;
    const char *start = trim(text, &length);
    if (length != strlen(word)) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        if (lower(start[i]) != lower(word[i])) {
            return 0;
        }
    }
    return 1;
}
