/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <string.h>

enum { NEAREST_LENGTH = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance, one row of his table at a time. */
static size_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[NEAREST_LENGTH];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *sgi_nearest(const char *word, const char *const *known)
{
    size_t length = strlen(word);
    if (length >= NEAREST_LENGTH) {
        return NULL;
    }
    const char *best = NULL;
    size_t fewest = length / 2 + 1;
    for (; *known != NULL; known++) {
        size_t known_length = strlen(*known);
        size_t distance = known_length < NEAREST_LENGTH ? edits(word, length, *known, known_length) : fewest;
        if (distance < fewest) {
            fewest = distance;
            best = *known;
        }
    }
    return best;
}
