/* SPDX-License-Identifier: Apache-2.0 */
/* sizes.h - numbers of bytes as people write them. Any thread; allocates nothing. */
#ifndef SEGUE_HOSTS_CLI_SIZES_H
#define SEGUE_HOSTS_CLI_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum { SIZE_ROOM = 32 };

/* What size_read takes, for messages. */
#define SIZE_WANTED                                                                                                    \
    "such as 512MiB or 1.5GiB: at most 8192TiB, in B, KiB, MiB, GiB, TiB (by 1,024) or kB, MB, GB, TB (by 1,000)"

/* Reads "1073741824", "512MiB", "1.5GiB" or "10MB": bytes, KiB, MiB, GiB, TiB by 1,024 and kB, MB, GB, TB by 1,000.
 * Returns 0; or -1, and leaves *bytes alone, for anything else, for 0 and for more than 2^53. */
int size_read(const char *text, int64_t *bytes);

/* Writes "512 B" or three digits of the greatest of KiB to TiB: "1.5 GiB", "384 MiB". Returns `out`. */
const char *size_write(double bytes, char *out, size_t size);

#endif
