/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - ends the program, which is a test of its own, where something does not hold. */
#ifndef SEGUE_TESTS_CHECK_H
#define SEGUE_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                            \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

#endif
