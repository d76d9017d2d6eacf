/* SPDX-License-Identifier: Apache-2.0 */
#include "member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST_PREFIX = 8 };

typedef int (*choice)(const cli_instance *row, const char *name);

static int is_pid(const cli_presence *presence, const char *name)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, presence->pid);
    return presence->pid >= 0 && strcmp(text, name) == 0;
}

static int is_called(const cli_instance *row, const char *name)
{
    const cli_presence *presence = &row->presence;
    size_t length = strlen(name);
    if (length >= SHORTEST_PREFIX && strncmp(row->id, name, length) == 0) {
        return 1;
    }
    return presence->document != NULL && length > 0 &&
           (strcmp(presence->client_id, name) == 0 || strcmp(presence->application_server, name) == 0 ||
            strcmp(presence->host, name) == 0 || is_pid(presence, name));
}

static int is_called_and_lives(const cli_instance *row, const char *name)
{
    return cli_instance_lives(row) && is_called(row, name);
}

static int is_known(const cli_instance *row, const char *name)
{
    (void)name;
    return cli_instance_lives(row);
}

/* "orders-1 (host a, 0b7c6a0e)" behind what is in `text`. */
static void append(char *text, size_t size, const cli_instance *row)
{
    size_t used = strlen(text);
    const char *host = row->presence.document == NULL ? "" : row->presence.host;
    snprintf(text + used, size - used, "%s%s (%s%s%s%s)", used == 0 ? "" : ", ", cli_instance_name(row),
             host[0] == '\0' ? "" : "host ", host, host[0] == '\0' ? "" : ", ", row->id);
}

/* Counts and lists those that `chosen` takes. */
static size_t list(const cli_fleet *fleet, choice chosen, const char *name, const cli_instance **first, char *text,
                   size_t size)
{
    size_t count = 0;
    text[0] = '\0';
    for (size_t i = 0; i < fleet->count; i++) {
        if (chosen(&fleet->rows[i], name)) {
            *first = count++ == 0 ? &fleet->rows[i] : *first;
            append(text, size, &fleet->rows[i]);
        }
    }
    return count;
}

cli_found cli_member_find(const cli_fleet *fleet, const char *name, const cli_instance **found, char *text,
                          size_t size)
{
    size_t count = list(fleet, is_called_and_lives, name, found, text, size);
    count = count > 0 ? count : list(fleet, is_called, name, found, text, size);
    if (count > 0) {
        return count == 1 ? CLI_FOUND_ONE : CLI_FOUND_SEVERAL;
    }
    list(fleet, is_known, name, found, text, size);
    *found = NULL;
    return CLI_FOUND_NONE;
}
