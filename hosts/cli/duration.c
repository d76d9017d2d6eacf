/* SPDX-License-Identifier: Apache-2.0 */
#include "duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct unit {
    const char *name;
    int64_t ms;
} unit;

/* "ms" comes before "m", which begins it. */
static const unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

enum { UNITS = sizeof units / sizeof units[0], DAYS = UNITS - 1 };

static const unit *take_unit(const char **at)
{
    for (int i = 0; i < UNITS; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*at, units[i].name, length) == 0) {
            *at += length;
            return &units[i];
        }
    }
    return NULL;
}

/* -1 when there is no number, or one that is too great. */
static int64_t take_number(const char **at)
{
    int64_t number = **at >= '0' && **at <= '9' ? 0 : -1;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        number = number * 10 + (**at - '0');
        if (number > CLI_DURATION_MOST) {
            return -1;
        }
    }
    return number;
}

int cli_duration_read(const char *text, int64_t *ms)
{
    int64_t sum = 0;
    const char *at = text;
    do {
        int64_t number = take_number(&at);
        const unit *found = number < 0 ? NULL : take_unit(&at);
        if (found == NULL || number > (CLI_DURATION_MOST - sum) / found->ms) {
            return -1;
        }
        sum += number * found->ms;
    } while (*at != '\0');
    *ms = sum;
    return 0;
}

const char *cli_duration_write(int64_t ms, char *out, size_t size)
{
    int at = DAYS;
    while (at > 1 && ms < units[at].ms) {
        at--;
    }
    int64_t rest = ms < 0 ? 0 : ms % units[at].ms;
    int used = snprintf(out, size, "%" PRId64 "%s", ms < 0 ? 0 : ms / units[at].ms, units[at].name);
    if (at > 1 && rest >= units[at - 1].ms && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used, " %" PRId64 "%s", rest / units[at - 1].ms, units[at - 1].name);
    }
    return out;
}
