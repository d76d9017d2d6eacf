/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.h - the little of a Kafka cluster that the program needs: groups, and the entries committed in them.
 * One thread at a time. Each call answers within the connection's timeout; what it returns is 0, or -1 with one line
 * from cli_connection_fault() that says what failed and, where that is known, what would be right.
 */
#ifndef SEGUE_HOSTS_CLI_KAFKA_CONNECTION_H
#define SEGUE_HOSTS_CLI_KAFKA_CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#include "properties.h"

typedef struct cli_connection cli_connection;

/* A committed offset with its metadata. The texts belong to the caller of the callback. */
typedef struct cli_entry {
    const char *topic;
    int32_t partition;
    int64_t offset;
    const char *metadata;
    size_t size;
} cli_entry;

/* A member of a group. */
typedef struct cli_group_member {
    const char *client_id, *host;
} cli_group_member;

/*
 * Makes a client; nothing is sent yet. `settings` are librdkafka's; one that it does not know is reported as a warning
 * that names it and `source`. Says itself what went wrong and returns an exit status.
 */
int cli_connection_open(const char *servers, const cli_properties *settings, const char *source, int64_t timeout_ms,
                        cli_connection **out);

void cli_connection_close(cli_connection *connection);

/* What the last failed call was about. */
const char *cli_connection_fault(const cli_connection *connection);

/* Calls `visit` for each group of the cluster that this user may see. */
int cli_connection_groups(cli_connection *connection, void (*visit)(void *context, const char *group), void *context);

/* Reads all entries of `count` groups at once; a group without entries, or that is not there, is no fault. */
int cli_connection_read(cli_connection *connection, const char *const *groups, size_t count,
                        void (*visit)(void *context, size_t group, const cli_entry *entry), void *context);

/* Commits one entry. */
int cli_connection_write(cli_connection *connection, const char *group, const cli_entry *entry);

/* Deletes a group. */
int cli_connection_delete(cli_connection *connection, const char *group);

/* The state of a group ("Stable", "Empty", ...; a word of the library's) and its members. */
int cli_connection_describe(cli_connection *connection, const char *group, const char **state,
                            void (*visit)(void *context, const cli_group_member *member), void *context);

#endif
