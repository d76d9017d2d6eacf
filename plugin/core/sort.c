/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sort.h"

#include <string.h>

static void scatter(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++) {
        start[((from[i] >> shift) & 0xff) + 1]++;
    }
    for (unsigned b = 0; b < 256; b++) {
        start[b + 1] += start[b];
    }
    for (size_t i = 0; i < count; i++) {
        to[start[(from[i] >> shift) & 0xff]++] = from[i];
    }
}

void sgp_sort(uint64_t *keys, uint64_t *spare, size_t count)
{
    sgp_sort_above(0, keys, spare, count);
}

void sgp_sort_above(unsigned bits, uint64_t *keys, uint64_t *spare, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++) {
        differ |= keys[i] ^ keys[0];
    }
    uint64_t *from = keys, *to = spare;
    for (unsigned shift = bits; shift < 64; shift += 8) {
        if ((differ >> shift) & 0xff) {
            scatter(from, to, count, shift);
            uint64_t *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
    }
}
