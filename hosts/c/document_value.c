/* SPDX-License-Identifier: Apache-2.0 */
#include "document_value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "nearest.h"

enum { SHOWN_TEXT = 44, SHOWN_SOURCE = 120, SHOWN_PLACE = 200, SHOWN_MESSAGE = 240 };

/* Doubles beyond this are no exact whole numbers. */
#define EXACT_DOUBLE 9007199254740992.0

sgi_place sgi_place_key(const sgi_place *parent, const char *key)
{
    return (sgi_place){parent, key, 0, 0};
}

sgi_place sgi_place_free_key(const sgi_place *parent, const char *key)
{
    return (sgi_place){parent, key, 0, 1};
}

sgi_place sgi_place_row(const sgi_place *parent, size_t index)
{
    return (sgi_place){parent, NULL, index, 0};
}

const char *sgi_cut(char *out, size_t size, const char *text)
{
    if (strlen(text) < size) {
        return memcpy(out, text, strlen(text) + 1);
    }
    size_t kept = size - sizeof "...";
    while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80) {
        kept--;
    }
    memcpy(out, text, kept);
    memcpy(out + kept, "...", sizeof "...");
    return out;
}

/* Appends the place to `out`, outermost first; what does not fit is left out. */
static void write_place(const sgi_place *place, char *out, size_t size)
{
    if (place == NULL) {
        return;
    }
    write_place(place->parent, out, size);
    size_t used = strlen(out);
    char shown[SHOWN_TEXT];
    if (place->key == NULL) {
        snprintf(out + used, size - used, "[%zu]", place->index);
    } else if (place->free_key) {
        snprintf(out + used, size - used, "[\"%s\"]", sgi_cut(shown, sizeof shown, place->key));
    } else {
        snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ".", sgi_cut(shown, sizeof shown, place->key));
    }
}

/* The end of a long file name says more than its beginning. */
const char *sgi_source_end(const char *source)
{
    size_t length = strlen(source);
    const char *end = length < SHOWN_SOURCE ? source : source + length - SHOWN_SOURCE;
    while (((unsigned char)*end & 0xc0) == 0x80) {
        end++;
    }
    return end;
}

int32_t sgi_complain(const sgi_complaint *complaint, int32_t code, const sgi_place *place, const char *format, ...)
{
    char where[SHOWN_PLACE] = "";
    char message[SHOWN_MESSAGE];
    write_place(place, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was begun one line above */
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *source = complaint->source == NULL ? "" : sgi_source_end(complaint->source);
    return sgi_fail(complaint->error, code, "%s%s%s%s%s", source, *source == '\0' ? "" : ": ", where,
                    *where == '\0' ? "" : ": ", message);
}

int32_t sgi_complain_memory(const sgi_complaint *complaint)
{
    return sgi_complain(complaint, SEGUE_E_MEMORY, NULL, "no memory is left to read the group");
}

/* What the document has at a place, as the beginning of a sentence. */
static const char *given(const json_t *value, char *out, size_t size)
{
    char shown[SHOWN_TEXT];
    switch (json_typeof(value)) {
    case JSON_STRING:
        snprintf(out, size, "\"%s\" is a string", sgi_cut(shown, sizeof shown, json_string_value(value)));
        break;
    case JSON_INTEGER:
        snprintf(out, size, "%" JSON_INTEGER_FORMAT " is given", json_integer_value(value));
        break;
    case JSON_REAL: {
        size_t used = json_dumpb(value, out, size, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        snprintf(out + (used < size ? used : 0), size - (used < size ? used : 0), " is given");
        break;
    }
    case JSON_OBJECT:
        snprintf(out, size, "an object is given");
        break;
    case JSON_ARRAY:
        snprintf(out, size, "a list is given");
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        snprintf(out, size, "%s is given", json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false");
        break;
    }
    return out;
}

/* The message for a value that is missing or of the wrong kind. */
static int32_t want(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, const char *needed)
{
    char shown[SHOWN_TEXT + 32];
    return sgi_complain(complaint, SEGUE_E_SYNTAX, place, "%s; %s is needed",
                        value == NULL ? "missing" : given(value, shown, sizeof shown), needed);
}

static int32_t unknown_key(const sgi_complaint *complaint, const sgi_place *place, const char *key,
                           const char *const *keys)
{
    sgi_place at = sgi_place_key(place, key);
    const char *nearest = sgi_nearest(key, keys);
    if (nearest == NULL) {
        return sgi_complain(complaint, SEGUE_E_SYNTAX, &at, "unknown key");
    }
    return sgi_complain(complaint, SEGUE_E_SYNTAX, &at, "unknown key; the nearest known one is \"%s\"", nearest);
}

static int is_known(const char *key, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        if (strcmp(key, *keys) == 0) {
            return 1;
        }
    }
    return strncmp(key, "x-", 2) == 0;
}

int32_t sgi_want_object(const sgi_complaint *complaint, const sgi_place *place, json_t *value, const char *const *keys)
{
    int32_t status = sgi_want_map(complaint, place, value);
    if (status != SEGUE_OK) {
        return status;
    }
    for (void *row = json_object_iter(value); row != NULL; row = json_object_iter_next(value, row)) {
        if (!is_known(json_object_iter_key(row), keys)) {
            return unknown_key(complaint, place, json_object_iter_key(row), keys);
        }
    }
    return SEGUE_OK;
}

int32_t sgi_want_map(const sgi_complaint *complaint, const sgi_place *place, const json_t *value)
{
    return json_is_object(value) ? SEGUE_OK : want(complaint, place, value, "an object");
}

int32_t sgi_want_list(const sgi_complaint *complaint, const sgi_place *place, const json_t *value)
{
    return json_is_array(value) ? SEGUE_OK : want(complaint, place, value, "a list");
}

int sgi_is_whole(const json_t *value, int64_t *number)
{
    if (json_is_integer(value)) {
        *number = json_integer_value(value);
        return 1;
    }
    double real = json_is_real(value) ? json_real_value(value) : EXACT_DOUBLE;
    if (real <= -EXACT_DOUBLE || real >= EXACT_DOUBLE || real != (double)(int64_t)real) {
        return 0;
    }
    *number = (int64_t)real;
    return 1;
}

int32_t sgi_want_whole(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, int64_t least,
                       int64_t most, int64_t *number)
{
    int whole = sgi_is_whole(value, number);
    if (whole && *number >= least && *number <= most) {
        return SEGUE_OK;
    }
    char needed[80];
    if (least < 0 && !whole) {
        snprintf(needed, sizeof needed, "a whole number");
    } else if (whole && *number > most) {
        snprintf(needed, sizeof needed, "a whole number from %" PRId64 " to %" PRId64, least, most);
    } else {
        snprintf(needed, sizeof needed, "a whole number >= %" PRId64, least);
    }
    return want(complaint, place, value, needed);
}

int32_t sgi_want_positive(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, double *number)
{
    if (!json_is_number(value) || !(json_number_value(value) > 0)) {
        return want(complaint, place, value, "a number > 0");
    }
    *number = json_number_value(value);
    return SEGUE_OK;
}

int32_t sgi_want_text(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, const char **text)
{
    if (!json_is_string(value)) {
        return want(complaint, place, value, "a string");
    }
    *text = json_string_value(value);
    return **text != '\0' ? SEGUE_OK : sgi_complain(complaint, SEGUE_E_SYNTAX, place, "empty; a text is needed");
}

int32_t sgi_want_flag(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, uint8_t *flag)
{
    if (!json_is_boolean(value)) {
        return want(complaint, place, value, "true or false");
    }
    *flag = json_is_true(value) ? 1 : 0;
    return SEGUE_OK;
}
