/* SPDX-License-Identifier: Apache-2.0 */
/* guarded.h - a record with what an allocator left in it, its size set, and a guard behind it. */
#ifndef SEGUE_TESTS_MATRIX_GUARDED_H
#define SEGUE_TESTS_MATRIX_GUARDED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, GUARD_BYTE = 0xa5, OLD_BYTE = 0xee };

#define RECORD(type, name)                                                                                            \
    struct {                                                                                                          \
        type r;                                                                                                       \
        unsigned char guard[GUARD];                                                                                   \
    } name;                                                                                                           \
    memset(&name.r, OLD_BYTE, sizeof name.r);                                                                         \
    memset(name.guard, GUARD_BYTE, sizeof name.guard);                                                                \
    name.r.size = sizeof name.r

#define CHECK_GUARD(name) check_guard(#name, name.guard)

static inline void check_guard(const char *name, const unsigned char *guard) {
    for (int i = 0; i < GUARD; i++) {
        if (guard[i] != GUARD_BYTE) {
            fprintf(stderr, "%s was written %d bytes beyond its size\n", name, i + 1);
            exit(1);
        }
    }
}

#endif
