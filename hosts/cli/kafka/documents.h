/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - presence, mark and wish, the documents of hosts/MARKS.md, version 1. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_DOCUMENTS_H
#define SEGUE_HOSTS_CLI_KAFKA_DOCUMENTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A number that a document does not say. */
enum { CLI_UNKNOWN = -1 };

/*
 * The last rebalance, as the instance that led it tells of it. `fault` is not "" only where the plan was the fallback's,
 * `followup` only where a further rebalance is needed, and followup_ms is known only where that one is due at a time.
 */
typedef struct cli_led {
    const char *assignor, *plugin, *plugin_version, *fault, *followup;
    int64_t at_ms; /* CLI_UNKNOWN: it did not lead the last one */
    int64_t tasks, members, moves, min_moves, learners, followup_ms;
} cli_led;

/*
 * What an instance says of itself. Texts belong to `document` and are "" when absent; times are milliseconds since
 * 1970, lags records. `document` is NULL when there is no presence.
 */
typedef struct cli_presence {
    json_t *document;
    const char *client_id, *host, *application_server, *version, *state;
    const char *http;         /* where it serves HTTP: http://HOST:PORT */
    const char *assignor;     /* what it would use if it led now */
    const char *configured;   /* what it would use without a swap */
    const char *swap_refused; /* the assignor that is asked for and that it does not have */
    const json_t *assignors;  /* the names of those it has: an array of anything, or NULL */
    cli_led led;
    int64_t pid, started_ms, at_ms;
    int64_t active, copies, copies_ready, copies_lag;
    int leaving_known; /* whether its assignor heeds marks */
    int draining;      /* whether the four below are said */
    int64_t since_ms, deadline_ms, tasks_left;
    int stay;
} cli_presence;

/* Who is leaving; `document` is NULL when nobody is. */
typedef struct cli_mark {
    json_t *document;
    const char *by;
    int64_t since_ms, deadline_ms;
    int stay;
} cli_mark;

/* The assignor that is asked for, whatever is configured; `document` is NULL when none is. `name` is never "". */
typedef struct cli_wish {
    json_t *document;
    const char *name, *by;
    int64_t since_ms;
} cli_wish;

/*
 * Reads a document; keeps *out when the text has none that counts, or one that is older than *out. Returns 1 when it
 * was taken. A text that is no document of this version counts as absent, as does a presence that names another instance.
 * Whose a mark is says its group's name alone: what an instance heeds a tool has to see, and to be able to take back.
 */
int cli_presence_read(const char *text, size_t size, const char *instance, cli_presence *out);
int cli_mark_read(const char *text, size_t size, cli_mark *out);
int cli_wish_read(const char *text, size_t size, cli_wish *out);

/* The text of a mark, for free(); deadline_ms may be CLI_UNKNOWN. NULL when there is no memory. */
char *cli_mark_write(const char *instance, int64_t since_ms, int64_t deadline_ms, int stay);

/* The text of a wish, for free(). NULL when there is no memory, or `name` is not UTF-8. */
char *cli_wish_write(const char *name, int64_t since_ms);

void cli_presence_free(cli_presence *presence);
void cli_mark_free(cli_mark *mark);
void cli_wish_free(cli_wish *wish);

#endif
