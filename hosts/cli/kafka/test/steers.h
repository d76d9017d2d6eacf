/* SPDX-License-Identifier: Apache-2.0 */
/* steers.h - whether what the program prints could steer a terminal. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_TEST_STEERS_H
#define SEGUE_HOSTS_CLI_KAFKA_TEST_STEERS_H

#include <stddef.h>
#include <string.h>

/* A control character other than the end of a line, in ASCII or beyond, or what turns the direction of text. JSON may have
 * DEL, which does nothing. `text` ends with a NUL behind `size`. */
static inline int steers(const char *text, size_t size, int json)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        int c1 = byte == 0xc2 && i + 1 < size && (unsigned char)text[i + 1] < 0xa0;
        if ((byte < 0x20 && byte != '\n') || (byte == 0x7f && !json) || c1 || strncmp(text + i, "\xe2\x80\xae", 3) == 0) {
            return 1;
        }
    }
    return 0;
}

#endif
