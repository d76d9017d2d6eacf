/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

const char *cli_clean(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (; text[used] != '\0' && used < size - 1; used++) {
        unsigned char byte = (unsigned char)text[used];
        out[used] = byte < 0x20 || byte == 0x7f ? '?' : text[used];
    }
    while (used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) {
        used--;
    }
    out[used] = '\0';
    return out;
}
