/* SPDX-License-Identifier: Apache-2.0 */
#include "sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 20 };

#define GREATEST 9007199254740992.0
#define STEP 1024.0

typedef struct unit {
    const char *name;
    double bytes;
} unit;

static const unit units[] = {
    {"", 1},      {"B", 1},     {"kB", 1e3},       {"KB", 1e3},       {"MB", 1e6},          {"GB", 1e9},
    {"TB", 1e12}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
};

int size_read(const char *text, int64_t *bytes)
{
    size_t digits = strspn(text, "0123456789.");
    if (digits == 0 || digits > DIGITS_MOST || text[0] == '.') {
        return -1;
    }
    char *end = NULL;
    double number = strtod(text, &end);
    if (end != text + digits) {
        return -1;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double value = number * units[i].bytes;
        if (strcmp(end, units[i].name) == 0 && value >= 1 && value <= GREATEST) {
            *bytes = (int64_t)value;
            return 0;
        }
    }
    return -1;
}

const char *size_write(double bytes, char *out, size_t size)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    enum { NAMES = sizeof names / sizeof names[0] };
    int at = 0;
    while (bytes >= STEP && at < NAMES - 1) {
        bytes /= STEP;
        at++;
    }
    snprintf(out, size, bytes >= 100 || at == 0 ? "%.0f %s" : "%.3g %s", bytes, names[at]);
    return out;
}
