/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fleet.h"

/* Far beyond any log, so that a monitor of all groups sees no lag here. */
#define PARKED_OFFSET ((INT64_C(1) << 53) - 1)

static int write_entry(cli_connection *connection, const char *group, const cli_place *place, const char *text)
{
    cli_entry entry = {place->topic, place->partition, PARKED_OFFSET, text, strlen(text)};
    return cli_connection_write(connection, group, &entry);
}

int cli_fleet_mark(cli_connection *connection, const cli_fleet *fleet, const cli_instance *instance, int64_t since_ms,
                   int64_t deadline_ms, int stay)
{
    char *group = cli_side_write(fleet->application, CLI_SIDE_MARK, instance->id);
    char *text = cli_mark_write(instance->id, since_ms, deadline_ms, stay);
    /* The time in a mark says which of two is newer; one that keeps its time has to keep its place. */
    const cli_place *place = instance->mark_place.topic != NULL ? &instance->mark_place : &instance->presence_place;
    int status = group == NULL || text == NULL ? -1 : write_entry(connection, group, place, text);
    free(group);
    free(text);
    return status;
}

/* The places of a group that hold something. */
typedef struct places {
    cli_place *rows;
    size_t count;
    int starved;
} places;

static void on_entry(void *context, size_t group, const cli_entry *entry)
{
    places *found = context;
    (void)group;
    if (entry->size == 0) {
        return;
    }
    cli_place *rows = realloc(found->rows, (found->count + 1) * sizeof *rows);
    char *topic = strdup(entry->topic);
    found->rows = rows != NULL ? rows : found->rows;
    if (rows == NULL || topic == NULL) {
        free(topic);
        found->starved = 1;
        return;
    }
    rows[found->count++] = (cli_place){topic, entry->partition};
}

/* Empty entries say "nothing" also where the right to delete a group is missing. */
static int blank(cli_connection *connection, const char *group)
{
    places found = {0};
    int status = cli_connection_read(connection, &group, 1, on_entry, &found);
    status = found.starved ? -1 : status;
    for (size_t i = 0; i < found.count; i++) {
        status = status == 0 ? write_entry(connection, group, &found.rows[i], "") : status;
        free(found.rows[i].topic);
    }
    free(found.rows);
    return status;
}

/* Takes everything out of the group, which it frees. */
static int take_away(cli_connection *connection, char *group)
{
    int status = group == NULL ? -1 : blank(connection, group);
    if (status == 0) {
        cli_connection_delete(connection, group);
    }
    free(group);
    return status;
}

int cli_fleet_unmark(cli_connection *connection, const cli_fleet *fleet, const cli_instance *instance)
{
    return take_away(connection, cli_side_write(fleet->application, CLI_SIDE_MARK, instance->id));
}

/* Where any living instance has its presence; NULL when none tells of itself. */
static const cli_place *any_place(const cli_fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        if (cli_instance_lives(&fleet->rows[i])) {
            return &fleet->rows[i].presence_place;
        }
    }
    return NULL;
}

int cli_fleet_wish(cli_connection *connection, cli_fleet *fleet, const char *name, int64_t since_ms)
{
    char *group = cli_side_write(fleet->application, CLI_SIDE_ASSIGNOR, "");
    char *text = cli_wish_write(name, since_ms);
    const cli_place *place = fleet->wish_place.topic != NULL ? &fleet->wish_place : any_place(fleet);
    int status = group == NULL || text == NULL || place == NULL ? -1 : write_entry(connection, group, place, text);
    fleet->wished = 1;
    free(group);
    free(text);
    return status;
}

int cli_fleet_unwish(cli_connection *connection, const cli_fleet *fleet)
{
    return take_away(connection, cli_side_write(fleet->application, CLI_SIDE_ASSIGNOR, ""));
}
