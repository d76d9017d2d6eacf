/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - what drain, swap and status begin with: the options they share, a connection, and the fleet. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_SESSION_H
#define SEGUE_HOSTS_CLI_KAFKA_SESSION_H

#include "cli.h"
#include "fleet.h"

/* The shared options. */
typedef struct cli_session_options {
    const char *servers;
    const char *application;
    const char *config;
} cli_session_options;

/* Their rows for an option table; `type` is the command's struct with a member `session`. */
#define CLI_SESSION_OPTIONS(type)                                                                                      \
    {"--bootstrap-server", "HOST:PORT,...", "brokers to start from", CLI_TEXT, offsetof(type, session.servers), 0, 0}, \
        {"--application-id", "ID", "application.id of Kafka Streams; elsewhere the group.id", CLI_TEXT,                \
         offsetof(type, session.application), 0, 0},                                                                   \
    {                                                                                                                  \
        "--command-config", "FILE", "client properties, as Kafka's own tools take them", CLI_TEXT,                     \
            offsetof(type, session.config), 0, 0                                                                       \
    }

typedef struct cli_session {
    cli_connection *connection;
    cli_fleet fleet;
    int away; /* the brokers did not answer when it looked last */
} cli_session;

/* Reads what --timeout gives; without it *ms is left as it is. Says what is wrong; CLI_OK or CLI_USAGE. */
int cli_session_timeout(const cli_command *command, const char *text, int64_t *ms);

/* Connects and reads the fleet. Says itself what went wrong and returns an exit status; *out is for
 * cli_session_close in either case. */
int cli_session_open(const cli_command *command, const cli_session_options *options, cli_session *out);

void cli_session_close(cli_session *session);

/* Refreshes the fleet for a command that waits. Returns 1; or 0 while the brokers are away, which ends no waiting: it is
 * said once, and once when they are back. */
int cli_session_look(cli_session *session);

/* Says that no instance tells of itself; returns CLI_NO_MEMBER. */
int cli_session_nobody(const cli_session *session);

/* Says what the last call at the connection failed of. */
int cli_session_fault(const cli_session *session);

#endif
