/* SPDX-License-Identifier: Apache-2.0 */
/* fleet.h - the instances of an application as their side groups tell of them. One thread at a time. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_FLEET_H
#define SEGUE_HOSTS_CLI_KAFKA_FLEET_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "connection.h"
#include "documents.h"
#include "side_group.h"

/* A presence older than this is of an instance that is gone, or cannot reach the brokers; one that is further ahead would
 * count for ever. */
#define CLI_STALE_MS INT64_C(180000)

/* An instance that runs writes every minute, and some seconds later at the most: one that has not was killed, or cannot
 * reach the brokers, and is not known to be gone until its presence is stale. */
#define CLI_SILENT_MS INT64_C(75000)

/* Where an entry is committed; `topic` is NULL when it is nowhere. */
typedef struct cli_place {
    char *topic;
    int32_t partition;
} cli_place;

/* One instance: its presence, its mark, or both. */
typedef struct cli_instance {
    char id[CLI_INSTANCE_ROOM];
    cli_presence presence; /* its document is NULL where only a mark was left */
    cli_mark mark;
    cli_place presence_place, mark_place;
    int stale;
} cli_instance;

/* All of them, by client id and then by id. */
typedef struct cli_fleet {
    const char *application; /* borrowed */
    cli_instance *rows;
    size_t count, room;
    cli_wish wish;
    cli_place wish_place;
    int wished; /* the wish's group is there, or was */
    int64_t listed_ms; /* when the groups were listed last */
    int starved;       /* memory ran out while it was read */
} cli_fleet;

/* Reads everything anew. Returns 0; or -1, with the fault at the connection and the fleet as far as it was known. */
int cli_fleet_read(cli_connection *connection, cli_fleet *fleet);

/* Reads the known instances anew, and looks for new ones as well when the last look is some seconds ago. An instance
 * whose entries are gone keeps its row, without documents, until the next look. */
int cli_fleet_refresh(cli_connection *connection, cli_fleet *fleet);

/* The row of an id, or NULL. A row moves when the fleet is read. */
cli_instance *cli_fleet_find(cli_fleet *fleet, const char *id);

/* Whether it was written too long ago, or at a time that is not yet. */
int cli_presence_is_stale(const cli_presence *presence, int64_t now_ms);

/* Whether an instance tells of itself, and not too long ago. */
int cli_instance_lives(const cli_instance *instance);

/* The living instance that led the last rebalance, or NULL when nobody says so. A time far ahead says nothing. */
const cli_instance *cli_fleet_leader(const cli_fleet *fleet);

/* What people call an instance: its client id, else its id. */
const char *cli_instance_name(const cli_instance *instance);

/* Commits a mark in place of the one that is there; deadline_ms may be CLI_UNKNOWN. */
int cli_fleet_mark(cli_connection *connection, const cli_fleet *fleet, const cli_instance *instance, int64_t since_ms,
                   int64_t deadline_ms, int stay);

/* Takes every mark of an instance away. */
int cli_fleet_unmark(cli_connection *connection, const cli_fleet *fleet, const cli_instance *instance);

/* Asks all instances for an assignor, in place of what is asked for now; some instance has to tell of itself. */
int cli_fleet_wish(cli_connection *connection, cli_fleet *fleet, const char *name, int64_t since_ms);

/* Takes the wish away. */
int cli_fleet_unwish(cli_connection *connection, const cli_fleet *fleet);

void cli_fleet_free(cli_fleet *fleet);

#endif
