/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "connection.h"
#include "documents.h"
#include "fetch.h"
#include "fuzz.h"
#include "side_group.h"

/* Any time will do. */
#define BEGUN_MS INT64_C(1764450060000)
enum { OFFSET = 7 };

/* As long as somebody may wait, in seconds, when nothing is there any more. */
enum { WAIT_MOST = 400 };

struct cli_connection {
    const char *at, *end; /* what is there now */
    const char *all_end;
    size_t pauses, pauses_most;
    char *group; /* what the command has written last, NULL for nothing */
    char *text;
    size_t text_size;
};

static struct cli_connection stage;

static const char *end_of_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found == NULL ? end : found;
}

/* Up to the next empty line. */
static void set_end(void)
{
    const char *at = stage.at;
    while (at < stage.all_end && *at != '\n') {
        at = end_of_line(at, stage.all_end);
        at += at < stage.all_end ? 1 : 0;
    }
    stage.end = at;
}

static void forget(void)
{
    free(stage.group);
    free(stage.text);
    stage.group = NULL;
    stage.text = NULL;
}

void stage_set(const char *text, size_t size)
{
    forget();
    stage = (struct cli_connection){.at = text, .end = text, .all_end = text + size, .pauses_most = size + WAIT_MOST};
    set_end();
}

static void *copy_of(const char *bytes, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    HOLD(copy != NULL, "no memory");
    memcpy(copy, bytes, size);
    return copy;
}

/* One line of what is there now, in two parts; both for free(). The second has exactly `size` bytes. */
typedef struct told {
    char *first, *second;
    size_t size;
} told;

static told split(const char *at, const char *end)
{
    const char *space = memchr(at, ' ', (size_t)(end - at));
    const char *rest = space == NULL ? end : space + 1;
    size_t first = (size_t)((space == NULL ? end : space) - at);
    size_t second = (size_t)(end - rest);
    told it = {strndup(at, first), copy_of(rest, second), second};
    HOLD(it.first != NULL, "no memory");
    return it;
}

static void free_told(told *it)
{
    free(it->first);
    free(it->second);
}

/* The next line that begins with `kind`, or with none of the signs where that is 0, for free_told(). 1 when there is one. */
static int next(const char **at, char kind, told *out)
{
    while (*at < stage.end) {
        const char *line = *at;
        const char *end = end_of_line(line, stage.end);
        int sign = memchr("-=!", line[0], 3) != NULL;
        *at = end < stage.end ? end + 1 : end;
        if (kind == 0 ? !sign : line[0] == kind) {
            *out = split(line + (kind != 0), end);
            return 1;
        }
    }
    return 0;
}

static int is_away(void)
{
    const char *at = stage.at;
    told it;
    if (next(&at, '!', &it)) {
        free_told(&it);
        return -1;
    }
    return 0;
}

/* ---- clock.h ------------------------------------------------------------------------------------------------------- */

int64_t cli_now_ms(void)
{
    return BEGUN_MS + INT64_C(1000) * (int64_t)stage.pauses;
}

void cli_pause(void)
{
    HOLD(++stage.pauses < stage.pauses_most, "somebody waits for ever");
    stage.at = stage.end < stage.all_end ? stage.end + 1 : stage.all_end;
    set_end();
}

/* ---- fetch.h ------------------------------------------------------------------------------------------------------- */

long cli_fetch(const char *url, const char *token, char **body, size_t *size, char *fault, size_t fault_size)
{
    const char *at = stage.at;
    told it;
    (void)token;
    if (!next(&at, '=', &it)) {
        snprintf(fault, fault_size, "%s: nobody answers", url);
        return 0;
    }
    long status = 100 + labs(strtol(it.first, NULL, 10)) % 500;
    *size = it.size;
    *body = malloc(it.size + 1);
    HOLD(*body != NULL, "no memory");
    memcpy(*body, it.second, it.size);
    (*body)[it.size] = '\0';
    free_told(&it);
    return status;
}

/* ---- connection.h -------------------------------------------------------------------------------------------------- */

int cli_connection_open(const char *servers, const cli_properties *settings, const char *source, int64_t timeout_ms,
                        cli_connection **out)
{
    (void)servers;
    (void)settings;
    (void)source;
    (void)timeout_ms;
    *out = &stage;
    return 0;
}

void cli_connection_close(cli_connection *connection)
{
    (void)connection;
}

const char *cli_connection_fault(const cli_connection *connection)
{
    (void)connection;
    return "the brokers do not answer";
}

int cli_connection_groups(cli_connection *connection, void (*visit)(void *context, const char *group), void *context)
{
    const char *at = connection->at;
    told it;
    while (next(&at, 0, &it)) {
        visit(context, it.first);
        free_told(&it);
    }
    return is_away();
}

static void visit_entry(const char *text, size_t size, int32_t partition, size_t group,
                        void (*visit)(void *context, size_t group, const cli_entry *entry), void *context)
{
    /* Lives as long as the visit, as with librdkafka. */
    char *topic = strdup("orders");
    char *exact = copy_of(text, size);
    HOLD(topic != NULL, "no memory");
    visit(context, group, &(cli_entry){topic, partition, OFFSET, exact, size});
    free(topic);
    free(exact);
}

/* What the command wrote is there until the input tells of the same group. */
int cli_connection_read(cli_connection *connection, const char *const *groups, size_t count,
                        void (*visit)(void *context, size_t group, const cli_entry *entry), void *context)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = connection->at;
        told it;
        int32_t partition = 0;
        for (; next(&at, 0, &it); free_told(&it)) {
            if (strcmp(it.first, groups[i]) == 0) {
                visit_entry(it.second, it.size, partition++, i, visit, context);
            }
        }
        if (partition == 0 && connection->group != NULL && strcmp(connection->group, groups[i]) == 0) {
            visit_entry(connection->text, connection->text_size, 0, i, visit, context);
        }
    }
    return is_away();
}

/* What is written can be read again. */
int cli_connection_write(cli_connection *connection, const char *group, const cli_entry *entry)
{
    char id[CLI_INSTANCE_ROOM];
    cli_side side = cli_side_read(STAGE_APPLICATION, group, id);
    cli_mark mark = {0};
    cli_wish wish = {0};
    HOLD(side == CLI_SIDE_MARK || side == CLI_SIDE_ASSIGNOR, "somebody writes to %s", group);
    HOLD(entry->topic != NULL && entry->partition >= 0, "written to nowhere");
    HOLD(entry->size == 0 || (side == CLI_SIDE_MARK ? cli_mark_read(entry->metadata, entry->size, &mark)
                                                    : cli_wish_read(entry->metadata, entry->size, &wish)),
         "what is written to %s counts as absent: %.*s", group, (int)entry->size, entry->metadata);
    cli_mark_free(&mark);
    cli_wish_free(&wish);
    forget();
    connection->group = strdup(group);
    connection->text = copy_of(entry->metadata, entry->size);
    connection->text_size = entry->size;
    return is_away();
}

int cli_connection_delete(cli_connection *connection, const char *group)
{
    (void)connection;
    (void)group;
    return is_away();
}

int cli_connection_describe(cli_connection *connection, const char *group, const char **state,
                            void (*visit)(void *context, const cli_group_member *member), void *context)
{
    const char *at = connection->at;
    told it;
    (void)group;
    *state = "Stable";
    while (next(&at, '-', &it)) {
        char *host = strndup(it.second, it.size);
        HOLD(host != NULL, "no memory");
        visit(context, &(cli_group_member){it.first, host});
        free(host);
        free_told(&it);
    }
    return is_away();
}
