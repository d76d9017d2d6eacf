/* SPDX-License-Identifier: Apache-2.0 */
#include "clean.h"

#include <string.h>

#include "error.h"

const char *cli_clean(char *out, size_t size, const char *text)
{
    size_t used = strnlen(text, size - 1);
    while (used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) {
        used--;
    }
    memcpy(out, text, used);
    out[used] = '\0';
    sgi_clean_line(out);
    return out;
}
