/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - how every unit of libsegue reports a fault. Any thread; nothing is allocated. */
#ifndef SEGUE_HOSTS_C_ERROR_H
#define SEGUE_HOSTS_C_ERROR_H

#include <errno.h>

#include "segue/base.h"

/*
 * Fills what fits of `error` (may be NULL) and returns `code`, so that a unit can `return sgi_fault(...)`.
 *
 * The text is made one clean line of UTF-8: control characters and broken sequences, which names from outside may
 * carry, become '?', as do line separators and marks that turn the direction of text; a cut never splits a character.
 * Conversions must not depend on the locale: no %f, %e, %g.
 */
__attribute__((format(printf, 5, 6))) int32_t sgi_fault(segue_error *error, int32_t code, uint32_t rule, uint32_t row,
                                                        const char *format, ...);

/* The same for faults that concern no rule and no row. That it returns `code` is seen by who reads one unit alone, as
 * compilers and packaging/analyze do. */
#define sgi_fail(error, code, ...) sgi_same_code((code), sgi_fault((error), (code), 0, SEGUE_NONE, __VA_ARGS__))

static inline int32_t sgi_same_code(int32_t code, int32_t returned)
{
    (void)returned;
    return code;
}

/* A fault of the machine as it is now, which may work the next time. */
static inline int sgi_may_pass(int32_t code)
{
    return code == SEGUE_E_MEMORY || code == SEGUE_E_SYSTEM;
}

/* The same by errno: descriptors or memory are used up, which says nothing about the file that was to be opened. */
static inline int sgi_is_lack(int code)
{
    return code == EMFILE || code == ENFILE || code == ENOMEM;
}

/* Makes `text` (NUL-terminated) one clean line, in place. */
void sgi_clean_line(char *text);

/* True when the `bytes` bytes are UTF-8. */
int sgi_is_utf8(const char *text, size_t bytes);

/* Copies `record` into a caller's struct of `size` bytes (its first field): never past it, tail zeroed, size kept. */
void sgi_fill(void *out, uint32_t size, const void *record, size_t record_bytes);

#endif
