/* SPDX-License-Identifier: Apache-2.0 */
/* wire_message.h - header, directory and sections of segue/wire.h, whatever they carry. Any thread, no allocation. */
#ifndef SEGUE_HOSTS_C_WIRE_MESSAGE_H
#define SEGUE_HOSTS_C_WIRE_MESSAGE_H

#include "error.h"
#include "segue/wire.h"

typedef struct sgi_section {
    uint32_t id;
    uint32_t element_bytes;
    uint64_t count;
    const void *data; /* NULL: absent */
} sgi_section;

/* Puts sections into the order in which they are written: ids ascending. */
void sgi_wire_sort(sgi_section *sections, uint32_t count);

/* Writes the sections that are there; ids have to ascend. E_SPACE when they do not fit: *size is what is needed. */
int32_t sgi_wire_write(uint32_t magic, const sgi_section *sections, uint32_t count, void *buffer, size_t capacity,
                       size_t *size, segue_error *error);

/* Bytes of the message, data or not: counts decide. */
uint64_t sgi_wire_bytes(const sgi_section *sections, uint32_t count);

/* E_WIRE unless header and directory hold every rule of segue/wire.h. `known` are the ids below 1024 that the kind of
 * message has, with their element sizes. */
int32_t sgi_wire_check(uint32_t magic, const sgi_section *known, uint32_t known_count, const void *buffer, size_t size,
                       segue_error *error);

/* A section of a checked message; data is NULL when it is absent. */
sgi_section sgi_wire_find(const void *buffer, uint32_t id);

/* Scalars as 64-bit words. The second kind puts `name` into *misfit when the word does not fit. */
static inline uint64_t sgi_word_of_uint32_t(uint32_t value)
{
    return value;
}

static inline uint64_t sgi_word_of_int64_t(int64_t value)
{
    return (uint64_t)value;
}

static inline uint64_t sgi_word_of_double(double value)
{
    union {
        double value;
        uint64_t word;
    } bits = {value};
    return bits.word;
}

static inline void sgi_uint32_t_of_word(uint64_t word, uint32_t *value, const char *name, const char **misfit)
{
    *value = (uint32_t)word;
    if (word > UINT32_MAX) {
        *misfit = name;
    }
}

static inline void sgi_int64_t_of_word(uint64_t word, int64_t *value, const char *name, const char **misfit)
{
    (void)name;
    (void)misfit;
    *value = (int64_t)word;
}

static inline void sgi_double_of_word(uint64_t word, double *value, const char *name, const char **misfit)
{
    (void)name;
    (void)misfit;
    union {
        uint64_t word;
        double value;
    } bits = {word};
    *value = bits.value;
}

/* What decoding answers once all words are taken. */
static inline int32_t sgi_wire_fit(const char *misfit, segue_error *error)
{
    return misfit == NULL ? SEGUE_OK : sgi_fail(error, SEGUE_E_WIRE, "%s does not fit 32 bits", misfit);
}

#endif
