/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - "orders-1, orders-2 and 7 more": a list in a message, cut where it gets long. Any thread; allocates
 * nothing. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_NAMES_H
#define SEGUE_HOSTS_CLI_KAFKA_NAMES_H

#include <stddef.h>

enum { CLI_NAMES_ROOM = 768 };

/* Begins with {0}. */
typedef struct cli_names {
    char text[CLI_NAMES_ROOM];
    size_t used, count, left_out;
} cli_names;

/* One more item, of 255 bytes at the most. */
__attribute__((format(printf, 2, 3))) void cli_names_add(cli_names *list, const char *format, ...);

/* The list as text; nothing is added behind it. */
const char *cli_names_end(cli_names *list);

#endif
