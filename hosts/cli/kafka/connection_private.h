/* SPDX-License-Identifier: Apache-2.0 */
/* connection_private.h - what the two halves of a connection share: its state, and one call to the cluster. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_CONNECTION_PRIVATE_H
#define SEGUE_HOSTS_CLI_KAFKA_CONNECTION_PRIVATE_H

#include <librdkafka/rdkafka.h>
#include <pthread.h>

#include "connection.h"

enum { CLI_CONNECTION_TEXT = 512 };

struct cli_connection {
    rd_kafka_conf_t *conf;
    rd_kafka_t *client; /* NULL after a call that failed, until the next */
    int64_t timeout_ms;
    int answered; /* whether the cluster has ever answered */
    int scram;    /* it logs in by SCRAM */
    int hopeless; /* it refused this client before it ever answered: trying again is no use */
    pthread_mutex_t lock;
    char trouble[CLI_CONNECTION_TEXT]; /* under the lock: what the network or the login said last */
    char fault[2 * CLI_CONNECTION_TEXT];
};

/* One call, which may have several answers. A queue of its own: an answer that comes too late meets nobody. */
typedef struct cli_call {
    rd_kafka_queue_t *queue;
    rd_kafka_AdminOptions_t *options;
    int64_t deadline_ms;
} cli_call;

/* Sets the fault; always returns -1. */
__attribute__((format(printf, 2, 3))) int cli_connection_fail(cli_connection *it, const char *format, ...);

/* The same for an error code of the cluster or the client; `text` may be NULL. */
int cli_connection_refused(cli_connection *it, const char *what, rd_kafka_resp_err_t code, const char *text);

/* Whatever it returns, the call is to be ended, with how it went: 0 for well. */
int cli_call_begin(cli_connection *it, rd_kafka_admin_op_t operation, cli_call *call);
void cli_call_end(cli_connection *it, cli_call *call, int status);

/* The next answer, for rd_kafka_event_destroy; NULL when there is none or it is an error as a whole. */
rd_kafka_event_t *cli_call_next(cli_connection *it, const cli_call *call, const char *what);

#endif
