/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_FOR_MS INT64_C(10000)

const char *cli_instance_name(const cli_instance *instance)
{
    int named = instance->presence.document != NULL && instance->presence.client_id[0] != '\0';
    return named ? instance->presence.client_id : instance->id;
}

int cli_instance_lives(const cli_instance *instance)
{
    return instance->presence.document != NULL && !instance->stale;
}

int cli_presence_is_stale(const cli_presence *presence, int64_t now)
{
    return presence->document != NULL &&
           (presence->at_ms < now - CLI_STALE_MS || presence->at_ms > now + CLI_STALE_MS);
}

const cli_instance *cli_fleet_leader(const cli_fleet *fleet)
{
    const cli_instance *leader = NULL;
    int64_t now = cli_now_ms();
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        int led = cli_instance_lives(row) && row->presence.led.at_ms >= 0 &&
                  row->presence.led.at_ms < now + CLI_STALE_MS;
        if (led && (leader == NULL || row->presence.led.at_ms > leader->presence.led.at_ms)) {
            leader = row;
        }
    }
    return leader;
}

cli_instance *cli_fleet_find(cli_fleet *fleet, const char *id)
{
    for (size_t i = 0; i < fleet->count; i++) {
        if (strcmp(fleet->rows[i].id, id) == 0) {
            return &fleet->rows[i];
        }
    }
    return NULL;
}

static void clear_place(cli_place *place)
{
    free(place->topic);
    *place = (cli_place){0};
}

static void clear_instance(cli_instance *row)
{
    cli_presence_free(&row->presence);
    cli_mark_free(&row->mark);
    clear_place(&row->presence_place);
    clear_place(&row->mark_place);
    row->stale = 0;
}

void cli_fleet_free(cli_fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        clear_instance(&fleet->rows[i]);
    }
    free(fleet->rows);
    cli_wish_free(&fleet->wish);
    clear_place(&fleet->wish_place);
    *fleet = (cli_fleet){0};
}

static cli_instance *add(cli_fleet *fleet, const char *id)
{
    if (fleet->count == fleet->room) {
        size_t room = fleet->room == 0 ? 16 : fleet->room * 2;
        cli_instance *rows = realloc(fleet->rows, room * sizeof *rows);
        if (rows == NULL) {
            fleet->starved = 1;
            return NULL;
        }
        fleet->rows = rows;
        fleet->room = room;
    }
    cli_instance *row = &fleet->rows[fleet->count++];
    *row = (cli_instance){0};
    memcpy(row->id, id, CLI_INSTANCE_ROOM);
    return row;
}

static void on_group(void *context, const char *group)
{
    cli_fleet *fleet = context;
    char id[CLI_INSTANCE_ROOM];
    cli_side side = cli_side_read(fleet->application, group, id);
    if (side == CLI_SIDE_ASSIGNOR) {
        fleet->wished = 1;
    } else if (side != CLI_SIDE_NONE && cli_fleet_find(fleet, id) == NULL) {
        add(fleet, id);
    }
}

static void keep_place(cli_fleet *fleet, cli_place *place, const cli_entry *entry)
{
    clear_place(place);
    place->topic = strdup(entry->topic);
    place->partition = entry->partition;
    fleet->starved = fleet->starved || place->topic == NULL;
}

static void on_wish(cli_fleet *fleet, const cli_entry *entry)
{
    if (cli_wish_read(entry->metadata, entry->size, &fleet->wish)) {
        keep_place(fleet, &fleet->wish_place, entry);
    }
}

/* The groups are asked for in pairs: presence, then mark, of one instance after the other. The wish comes last. */
static void on_entry(void *context, size_t group, const cli_entry *entry)
{
    cli_fleet *fleet = context;
    if (group == 2 * fleet->count) {
        on_wish(fleet, entry);
        return;
    }
    cli_instance *row = &fleet->rows[group / 2];
    if (group % 2 == 0 && cli_presence_read(entry->metadata, entry->size, row->id, &row->presence)) {
        keep_place(fleet, &row->presence_place, entry);
    } else if (group % 2 == 1 && cli_mark_read(entry->metadata, entry->size, &row->mark)) {
        keep_place(fleet, &row->mark_place, entry);
    }
}

static int by_name(const void *left, const void *right)
{
    const cli_instance *a = left;
    const cli_instance *b = right;
    int order = strcmp(cli_instance_name(a), cli_instance_name(b));
    return order != 0 ? order : strcmp(a->id, b->id);
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) {
        free(names[i]);
    }
    free(names);
}

/* Without a wish its group is not asked for: a user without rights there still sees what it may see. */
static size_t count_names(const cli_fleet *fleet)
{
    return 2 * fleet->count + (fleet->wished ? 1 : 0);
}

static char *make_name(const cli_fleet *fleet, size_t i)
{
    if (i == 2 * fleet->count) {
        return cli_side_write(fleet->application, CLI_SIDE_ASSIGNOR, "");
    }
    cli_side side = i % 2 == 0 ? CLI_SIDE_PRESENCE : CLI_SIDE_MARK;
    return cli_side_write(fleet->application, side, fleet->rows[i / 2].id);
}

static char **make_names(const cli_fleet *fleet)
{
    size_t count = count_names(fleet);
    char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = make_name(fleet, i);
        if (names[i] == NULL) {
            free_names(names, count);
            return NULL;
        }
    }
    return names;
}

/* Into a fleet of the same rows without documents, so that a read that fails half way changes nothing. */
static int read_rows(cli_connection *connection, cli_fleet *fresh)
{
    char **names = fresh->starved ? NULL : make_names(fresh);
    fresh->starved = names == NULL;
    size_t count = count_names(fresh);
    int status =
        names == NULL ? -1 : cli_connection_read(connection, (const char *const *)names, count, on_entry, fresh);
    free_names(names, count);
    int64_t now = cli_now_ms();
    for (size_t i = 0; i < fresh->count; i++) {
        cli_instance *row = &fresh->rows[i];
        row->stale = cli_presence_is_stale(&row->presence, now);
    }
    return fresh->starved ? -1 : status;
}

static void drop_vanished(cli_fleet *fleet)
{
    size_t kept = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        cli_instance *row = &fleet->rows[i];
        if (row->presence.document != NULL || row->mark.document != NULL) {
            fleet->rows[kept++] = *row;
        } else {
            clear_instance(row);
        }
    }
    fleet->count = kept;
    if (kept > 0) {
        qsort(fleet->rows, kept, sizeof fleet->rows[0], by_name);
    }
}

static int finish(int status, cli_fleet *fleet, cli_fleet *fresh)
{
    if (status == 0) {
        cli_fleet_free(fleet);
        *fleet = *fresh;
    } else {
        cli_fleet_free(fresh);
    }
    return status;
}

/* A fleet with the same rows and no documents. A list may miss a group whose coordinator changes just now: what was
 * known is gone only when its entries are. */
static cli_fleet same_rows(const cli_fleet *fleet)
{
    cli_fleet fresh = {
        .application = fleet->application, .listed_ms = fleet->listed_ms, .wished = fleet->wished};
    for (size_t i = 0; i < fleet->count && !fresh.starved; i++) {
        add(&fresh, fleet->rows[i].id);
    }
    return fresh;
}

int cli_fleet_read(cli_connection *connection, cli_fleet *fleet)
{
    cli_fleet fresh = same_rows(fleet);
    fresh.listed_ms = cli_now_ms();
    int status = fresh.starved ? -1 : cli_connection_groups(connection, on_group, &fresh);
    status = status == 0 ? read_rows(connection, &fresh) : status;
    drop_vanished(&fresh);
    return finish(status, fleet, &fresh);
}

int cli_fleet_refresh(cli_connection *connection, cli_fleet *fleet)
{
    int64_t now = cli_now_ms();
    if (now - fleet->listed_ms > LISTED_FOR_MS || now < fleet->listed_ms) {
        return cli_fleet_read(connection, fleet);
    }
    cli_fleet fresh = same_rows(fleet);
    return finish(fresh.starved ? -1 : read_rows(connection, &fresh), fleet, &fresh);
}
