/* SPDX-License-Identifier: Apache-2.0 */
#include "document_text.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096, REAL_DIGITS = 6, EXACT_DIGITS = 17 };

/* A place for `length` more bytes and a NUL, or NULL. */
static char *reserve(sgi_json *text, size_t length)
{
    if (text->no_memory) {
        return NULL;
    }
    if (length >= text->room - text->length) {
        size_t room = (text->room + length + FIRST_ROOM) * 2;
        char *bytes = realloc(text->bytes, room);
        if (bytes == NULL) {
            text->no_memory = 1;
            return NULL;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return text->bytes + text->length;
}

static void add(sgi_json *text, const char *bytes, size_t length)
{
    char *place = reserve(text, length);
    if (place != NULL) {
        memcpy(place, bytes, length);
        text->length += length;
    }
}

void sgi_json_add(sgi_json *text, const char *literal)
{
    add(text, literal, strlen(literal));
}

static void add_escaped(sgi_json *text, unsigned char byte)
{
    char escape[8];
    int length = byte == '"' || byte == '\\' ? snprintf(escape, sizeof escape, "\\%c", byte)
                                             : snprintf(escape, sizeof escape, "\\u%04x", byte);
    add(text, escape, (size_t)length);
}

void sgi_json_add_string(sgi_json *text, const char *bytes, size_t length)
{
    add(text, "\"", 1);
    size_t begin = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\') {
            add(text, bytes + begin, i - begin);
            add_escaped(text, byte);
            begin = i + 1;
        }
    }
    add(text, bytes + begin, length - begin);
    add(text, "\"", 1);
}

void sgi_json_add_whole(sgi_json *text, int64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, number);
    add(text, digits, (size_t)length);
}

/* The library writes it, because printf's decimal point is the locale's. */
static void add_digits(sgi_json *text, double number, size_t precision)
{
    char digits[32];
    if (!isfinite(number)) {
        sgi_json_add(text, "null");
        return;
    }
    json_t *value = json_real(number);
    size_t length = json_dumpb(value, digits, sizeof digits, JSON_ENCODE_ANY | JSON_REAL_PRECISION(precision));
    json_decref(value);
    if (length == 0) {
        text->no_memory = 1;
    } else {
        add(text, digits, length);
    }
}

void sgi_json_add_real(sgi_json *text, double number)
{
    add_digits(text, number, REAL_DIGITS);
}

void sgi_json_add_exact(sgi_json *text, double number)
{
    add_digits(text, number, EXACT_DIGITS);
}

char *sgi_json_take(sgi_json *text, size_t *length)
{
    char *end = reserve(text, 1);
    if (end == NULL) {
        free(text->bytes);
        return NULL;
    }
    *end = '\0';
    *length = text->length;
    return text->bytes;
}
