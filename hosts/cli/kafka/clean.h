/* SPDX-License-Identifier: Apache-2.0 */
/* clean.h - texts that others wrote, for a terminal. Any thread; allocates nothing. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_CLEAN_H
#define SEGUE_HOSTS_CLI_KAFKA_CLEAN_H

#include <stddef.h>

/* For a name that is shown. */
enum { CLI_NAME_ROOM = 128 };

/* Copies `text` as one clean line and cuts it between two characters of UTF-8 where `out` ends. Returns `out`;
 * size > 0. */
const char *cli_clean(char *out, size_t size, const char *text);

#endif
