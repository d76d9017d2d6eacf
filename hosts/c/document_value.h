/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_value.h - typed values out of a JSON tree, each with its place for the message when it does not fit.
 *
 * Every function returns SEGUE_OK or the status that it has written to the reader's error. One thread at a time.
 */
#ifndef SEGUE_HOSTS_C_DOCUMENT_VALUE_H
#define SEGUE_HOSTS_C_DOCUMENT_VALUE_H

#include <jansson.h>
#include <stdint.h>

#include "segue/base.h"

/* A place in the document: a chain on the stack, written out only when there is a fault. */
typedef struct sgi_place {
    const struct sgi_place *parent; /* NULL: the document itself */
    const char *key;                /* member of an object, or NULL: element `index` of a list */
    size_t index;
    int free_key; /* the key is no word of the format and is shown as ["key"] */
} sgi_place;

sgi_place sgi_place_key(const sgi_place *parent, const char *key);
sgi_place sgi_place_free_key(const sgi_place *parent, const char *key);
sgi_place sgi_place_row(const sgi_place *parent, size_t index);

/* Where messages go. `source` names the text, or is NULL. */
typedef struct sgi_complaint {
    const char *source;
    segue_error *error;
} sgi_complaint;

/* "source: place: message". Returns `code`. */
__attribute__((format(printf, 4, 5))) int32_t sgi_complain(const sgi_complaint *complaint, int32_t code,
                                                           const sgi_place *place, const char *format, ...);

/* The end of a source's name that messages show. */
const char *sgi_source_end(const char *source);

/* E_MEMORY, with its message. */
int32_t sgi_complain_memory(const sgi_complaint *complaint);

/* A text of the document for use in a message: at most `size` - 1 bytes with "..." where it was cut. Returns `out`. */
const char *sgi_cut(char *out, size_t size, const char *text);

/* An object with no key beyond those of the NULL-terminated list, but for keys that begin with "x-". */
int32_t sgi_want_object(const sgi_complaint *complaint, const sgi_place *place, json_t *value, const char *const *keys);

/* An object whose keys are free, and a list. */
int32_t sgi_want_map(const sgi_complaint *complaint, const sgi_place *place, const json_t *value);
int32_t sgi_want_list(const sgi_complaint *complaint, const sgi_place *place, const json_t *value);

/* 1 for a number without a fraction, however it is written: 3 and 3.0. */
int sgi_is_whole(const json_t *value, int64_t *number);

/* A whole number from `least` to `most`. */
int32_t sgi_want_whole(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, int64_t least,
                       int64_t most, int64_t *number);

/* A number > 0. */
int32_t sgi_want_positive(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, double *number);

/* A text, not empty. Borrowed from the tree. */
int32_t sgi_want_text(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, const char **text);

int32_t sgi_want_flag(const sgi_complaint *complaint, const sgi_place *place, const json_t *value, uint8_t *flag);

#endif
