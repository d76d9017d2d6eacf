/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - presence and mark, the two documents of hosts/MARKS.md, version 1. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_DOCUMENTS_H
#define SEGUE_HOSTS_CLI_KAFKA_DOCUMENTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A number that a document does not say. */
enum { CLI_UNKNOWN = -1 };

/*
 * What an instance says of itself. Texts belong to `document` and are "" when absent; times are milliseconds since
 * 1970, lags records. `document` is NULL when there is no presence.
 */
typedef struct cli_presence {
    json_t *document;
    const char *client_id, *host, *application_server, *assignor, *version, *state;
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

/*
 * Reads a document; keeps *out when the text has none that counts, or one that is older than *out. Returns 1 when it
 * was taken. A text that is no document of this version and of this instance counts as absent.
 */
int cli_presence_read(const char *text, size_t size, const char *instance, cli_presence *out);
int cli_mark_read(const char *text, size_t size, const char *instance, cli_mark *out);

/* The text of a mark, for free(); deadline_ms may be CLI_UNKNOWN. NULL when there is no memory. */
char *cli_mark_write(const char *instance, int64_t since_ms, int64_t deadline_ms, int stay);

void cli_presence_free(cli_presence *presence);
void cli_mark_free(cli_mark *mark);

#endif
