/* SPDX-License-Identifier: Apache-2.0 */
#include "properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A place in the text of a file. */
typedef struct reader {
    const char *at;
    const char *end;
    uint32_t line;
} reader;

/* A text that grows; it always has room for the final zero. */
typedef struct growing {
    char *text;
    size_t size;
    size_t room;
} growing;

enum { FIRST_ROOM = 256 };

static int put(growing *out, char byte)
{
    if (out->size + 1 >= out->room) {
        size_t room = out->room == 0 ? FIRST_ROOM : out->room * 2;
        char *grown = realloc(out->text, room);
        if (grown == NULL) {
            return -1;
        }
        out->text = grown;
        out->room = room;
    }
    out->text[out->size++] = byte;
    out->text[out->size] = '\0';
    return 0;
}

static void clear(growing *out)
{
    out->size = 0;
    if (out->text != NULL) {
        out->text[0] = '\0';
    }
}

static void wipe(char *text, size_t size)
{
    if (text != NULL) {
        explicit_bzero(text, size);
        free(text);
    }
}

static int is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\f';
}

static int is_line_end(char byte)
{
    return byte == '\n' || byte == '\r';
}

static void skip_space(reader *in)
{
    while (in->at < in->end && is_space(*in->at)) {
        in->at++;
    }
}

static void skip_line_end(reader *in)
{
    if (in->at < in->end) {
        char first = *in->at++;
        if (first == '\r' && in->at < in->end && *in->at == '\n') {
            in->at++;
        }
        in->line++;
    }
}

static void skip_comment(reader *in)
{
    while (in->at < in->end && !is_line_end(*in->at)) {
        in->at++;
    }
}

/* One line with those that continue it; escapes stay in it as they are. */
static int take_line(reader *in, growing *out)
{
    int escaped = 0;
    for (; in->at < in->end; in->at++) {
        char byte = *in->at;
        if (is_line_end(byte) && !escaped) {
            break;
        }
        if (is_line_end(byte)) {
            out->text[--out->size] = '\0';
            skip_line_end(in);
            skip_space(in);
            in->at--;
            escaped = 0;
            continue;
        }
        if (put(out, byte) != 0) {
            return -1;
        }
        escaped = byte == '\\' && !escaped;
    }
    if (escaped && in->at >= in->end) {
        out->text[--out->size] = '\0';
    }
    return 0;
}

static int put_utf8(growing *out, uint32_t code)
{
    if (code < 0x80) {
        return put(out, (char)code);
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    int status = put(out, (char)(lead[more] | code >> (6 * more)));
    while (status == 0 && more-- > 0) {
        status = put(out, (char)(0x80 | (code >> (6 * more) & 0x3f)));
    }
    return status;
}

/* Four hexadecimal digits at `at`, or -1. */
static int32_t hex4(const char *at, const char *end)
{
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *found = at + i < end && at[i] != '\0' ? strchr(digits, at[i]) : NULL;
        if (found == NULL) {
            return -1;
        }
        code = code * 16 + (int32_t)((found - digits) % 16);
    }
    return code;
}

/* The code behind "\u" at *at, which may be half of a pair. Returns what is wrong, or NULL. */
static const char *take_code(const char **at, const char *end, uint32_t *code)
{
    int32_t first = hex4(*at, end);
    if (first < 0) {
        return "\\u needs four hexadecimal digits";
    }
    *at += 4;
    *code = (uint32_t)first;
    if (first < 0xd800 || first > 0xdfff) {
        return first == 0 ? "\\u0000 cannot be part of a setting" : NULL;
    }
    int32_t second = first < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? hex4(*at + 2, end) : -1;
    if (second < 0xdc00 || second > 0xdfff) {
        return "half of a surrogate pair";
    }
    *at += 6;
    *code = 0x10000 + (((uint32_t)first - 0xd800) << 10) + ((uint32_t)second - 0xdc00);
    return NULL;
}

/* Resolves the escapes between `at` and `end`. Returns what is wrong, or NULL. */
static const char *unescape(const char *at, const char *end, growing *out)
{
    static const char *const no_memory = "no memory";
    while (at < end) {
        uint32_t code = (unsigned char)*at++;
        const char *fault = NULL;
        if (code == '\\' && at < end) {
            char escape = *at++;
            const char *known = escape == '\0' ? NULL : strchr("tnrf", escape);
            code = known == NULL ? (unsigned char)escape : (unsigned char)"\t\n\r\f"[known - strchr("tnrf", 't')];
            fault = escape == 'u' ? take_code(&at, end, &code) : NULL;
        }
        fault = fault == NULL && code == 0 ? "a zero byte: this is no properties file" : fault;
        if (fault != NULL || put_utf8(out, code) != 0) {
            return fault != NULL ? fault : no_memory;
        }
    }
    return put(out, '\0') == 0 ? NULL : no_memory;
}

/* Where the key ends: the first separator that is not escaped. */
static const char *key_end(const char *at, const char *end)
{
    for (; at < end && *at != '=' && *at != ':' && !is_space(*at); at++) {
        at += *at == '\\' && at + 1 < end;
    }
    return at;
}

/* At most one '=' or ':' stands between key and value, with any white space around it. */
static const char *value_begin(const char *at, const char *end)
{
    int seen = 0;
    for (; at < end && (is_space(*at) || (!seen && (*at == '=' || *at == ':'))); at++) {
        seen = seen || !is_space(*at);
    }
    return at;
}

static const char *add_line(const growing *line, uint32_t number, growing *key, growing *value, cli_properties *out)
{
    const char *end = line->text + line->size;
    const char *split = key_end(line->text, end);
    clear(key);
    clear(value);
    const char *fault = unescape(line->text, split, key);
    fault = fault == NULL ? unescape(value_begin(split, end), end, value) : fault;
    if (fault == NULL && cli_properties_set(out, key->text, value->text, number) != 0) {
        fault = "no memory";
    }
    return fault;
}

int cli_properties_read(const char *text, size_t size, cli_properties *out, char *fault, size_t fault_size)
{
    reader in = {text, text + size, 1};
    growing line = {0};
    growing key = {0};
    growing value = {0};
    const char *why = NULL;
    uint32_t number = 1;
    while (why == NULL && in.at < in.end) {
        skip_space(&in);
        number = in.line;
        if (in.at < in.end && (*in.at == '#' || *in.at == '!')) {
            skip_comment(&in);
        }
        clear(&line);
        why = take_line(&in, &line) != 0 ? "no memory" : NULL;
        if (why == NULL && line.size > 0) {
            why = add_line(&line, number, &key, &value, out);
        }
        skip_line_end(&in);
    }
    wipe(line.text, line.room);
    wipe(key.text, key.room);
    wipe(value.text, value.room);
    if (why != NULL) {
        snprintf(fault, fault_size, "line %u: %s", number, why);
    }
    return why == NULL ? 0 : -1;
}

static int add_row(cli_properties *out, const char *key, char *value, uint32_t line)
{
    if (out->count == out->room) {
        size_t room = out->room == 0 ? 16 : out->room * 2;
        cli_property *rows = realloc(out->rows, room * sizeof *rows);
        if (rows == NULL) {
            return -1;
        }
        out->rows = rows;
        out->room = room;
    }
    char *name = strdup(key);
    if (name == NULL) {
        return -1;
    }
    out->rows[out->count++] = (cli_property){name, value, line};
    return 0;
}

int cli_properties_set(cli_properties *out, const char *key, const char *value, uint32_t line)
{
    char *copy = strdup(value);
    if (copy == NULL) {
        return -1;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (strcmp(out->rows[i].key, key) == 0) {
            wipe(out->rows[i].value, strlen(out->rows[i].value));
            out->rows[i].value = copy;
            out->rows[i].line = line;
            return 0;
        }
    }
    if (add_row(out, key, copy, line) != 0) {
        wipe(copy, strlen(copy));
        return -1;
    }
    return 0;
}

const cli_property *cli_properties_find(const cli_properties *properties, const char *key)
{
    for (size_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->rows[i].key, key) == 0) {
            return &properties->rows[i];
        }
    }
    return NULL;
}

const char *cli_properties_get(const cli_properties *properties, const char *key)
{
    const cli_property *row = cli_properties_find(properties, key);
    return row == NULL ? NULL : row->value;
}

void cli_properties_free(cli_properties *properties)
{
    for (size_t i = 0; i < properties->count; i++) {
        free(properties->rows[i].key);
        wipe(properties->rows[i].value, strlen(properties->rows[i].value));
    }
    free(properties->rows);
    *properties = (cli_properties){0};
}
