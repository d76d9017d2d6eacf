/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at `s`, 0 when it is broken or does not fit into `left`. Table 3-7 of Unicode. */
static size_t sequence_bytes(const unsigned char *s, size_t left)
{
    size_t bytes = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (bytes == 0 || bytes > left) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    int overlong_or_surrogate = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                                (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong_or_surrogate ? 0 : bytes;
}

int sgi_is_utf8(const char *text, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < bytes;) {
        size_t step = sequence_bytes(s + i, bytes - i);
        if (step == 0) {
            return 0;
        }
        i += step;
    }
    return 1;
}

/* Controls, line separators and what turns the direction of text: they would steer a terminal or garble the line. */
static int is_unseen(const unsigned char *s, size_t bytes)
{
    switch (bytes) {
    case 1:
        return s[0] < 0x20 || s[0] == 0x7f;
    case 2: /* U+0080..U+009F, U+061C */
        return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
    case 3: /* U+200E, U+200F, U+2028..U+202E, U+2066..U+2069 */
        return s[0] == 0xe2 && ((s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
                                (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
    default:
        return 0;
    }
}

void sgi_clean_line(char *text)
{
    unsigned char *from = (unsigned char *)text, *to = from;
    size_t left = strlen(text);
    while (left > 0) {
        size_t step = sequence_bytes(from, left);
        if (step == 0 || is_unseen(from, step)) {
            *to++ = '?';
            step = step == 0 ? 1 : step;
        } else {
            memmove(to, from, step);
            to += step;
        }
        from += step;
        left -= step;
    }
    *to = '\0';
}

/* A sequence that the buffer's end cut is dropped rather than shown as '?'. */
static void drop_cut_sequence(char *text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && end - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--;
    }
    if (start > 0 && (unsigned char)text[start - 1] >= 0xc0 &&
        sequence_bytes((const unsigned char *)text + start - 1, end - start + 1) == 0) {
        text[start - 1] = '\0';
    }
}

static void write_text(const segue_error *error, const char *format, va_list arguments)
{
    if (!SEGUE_HAS(segue_error, text_size, error->size) || error->text == NULL || error->text_size == 0) {
        return;
    }
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): each caller has begun it */
    int length = vsnprintf(error->text, error->text_size, format, arguments);
    if (length < 0) {
        error->text[0] = '\0';
    }
    if (length >= 0 && (size_t)length >= error->text_size) {
        drop_cut_sequence(error->text);
    }
    sgi_clean_line(error->text);
}

int32_t sgi_fault(segue_error *error, int32_t code, uint32_t rule, uint32_t row, const char *format, ...)
{
    if (error == NULL) {
        return code;
    }
    if (SEGUE_HAS(segue_error, code, error->size)) {
        error->code = code;
    }
    if (SEGUE_HAS(segue_error, rule, error->size)) {
        error->rule = rule;
    }
    if (SEGUE_HAS(segue_error, row, error->size)) {
        error->row = row;
    }
    if (error->size > sizeof *error) {
        memset(error + 1, 0, error->size - sizeof *error);
    }
    va_list arguments;
    va_start(arguments, format);
    write_text(error, format, arguments);
    va_end(arguments);
    return code;
}

void sgi_fill(void *out, uint32_t size, const void *record, size_t record_bytes)
{
    size_t copied = size < record_bytes ? size : record_bytes;
    if (copied <= sizeof(uint32_t)) {
        return;
    }
    memcpy((char *)out + sizeof(uint32_t), (const char *)record + sizeof(uint32_t), copied - sizeof(uint32_t));
    if (size > record_bytes) {
        memset((char *)out + record_bytes, 0, size - record_bytes);
    }
}
