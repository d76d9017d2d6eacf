/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_text.h - a JSON text that grows.
 *
 * A plan of a million tasks is written as it is walked; a tree of it would take a hundred times its memory. One thread
 * at a time. A lack of memory is remembered and shows at the end.
 */
#ifndef SEGUE_HOSTS_C_DOCUMENT_TEXT_H
#define SEGUE_HOSTS_C_DOCUMENT_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct sgi_json {
    char *bytes;
    size_t length;
    size_t room;
    int no_memory;
} sgi_json;

/* As it stands. */
void sgi_json_add(sgi_json *text, const char *literal);

/* A quoted JSON string of UTF-8. */
void sgi_json_add_string(sgi_json *text, const char *bytes, size_t length);

void sgi_json_add_whole(sgi_json *text, int64_t number);

/* With at most six digits, whatever the locale; null for what JSON has no number for. */
void sgi_json_add_real(sgi_json *text, double number);

/* The same with all digits that it takes to read the same number again. */
void sgi_json_add_exact(sgi_json *text, double number);

/* NUL-terminated, for the caller to free; NULL when memory ran out (everything is freed then). */
char *sgi_json_take(sgi_json *text, size_t *length);

#endif
