/* SPDX-License-Identifier: Apache-2.0 */
/* duration.h - lengths of time as people write them. Any thread; allocates nothing. */
#ifndef SEGUE_HOSTS_CLI_DURATION_H
#define SEGUE_HOSTS_CLI_DURATION_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_DURATION_ROOM = 32 };

/* The longest that is read: 365 days, in milliseconds. */
#define CLI_DURATION_MOST INT64_C(31536000000)

/* Reads "90s", "10m", "1h30m", "500ms" or "2d" into milliseconds. Each number needs its unit. Returns 0; or -1, and
 * leaves *ms alone, for anything else and for more than CLI_DURATION_MOST. */
int cli_duration_read(const char *text, int64_t *ms);

/* Writes whole seconds of `ms` with the two largest units, such as "1h 30m" or "9s"; what is negative becomes "0s".
 * Returns `out`. */
const char *cli_duration_write(int64_t ms, char *out, size_t size);

#endif
