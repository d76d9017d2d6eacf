/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that it wants before it. */
#ifndef SGP_TEST_TESTING_H
#define SGP_TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Like assert_true, with printf's words about what was expected of which case. */
#define EXPECT(condition, ...)     \
    do {                           \
        if (!(condition)) {        \
            fail_msg(__VA_ARGS__); \
        }                          \
    } while (0)

#endif
