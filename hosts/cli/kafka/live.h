/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - the last rebalance of a running application, from the instance that led it. One thread at a time. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_LIVE_H
#define SEGUE_HOSTS_CLI_KAFKA_LIVE_H

#include "replay/frame.h"
#include "session.h"

/* What a secret is read from where no file is named. */
#define CLI_TOKEN_VARIABLE "SEGUE_HTTP_TOKEN"

/* Where to ask. `url` in place of a cluster means that instance, which has to lead. `token_file` holds what the
 * application has as segue.http.token; NULL: CLI_TOKEN_VARIABLE of the environment, where it is set. */
typedef struct cli_live_source {
    const cli_session_options *cluster;
    const char *url, *token_file;
} cli_live_source;

/* One rebalance: a frame for each group of members that read the same. */
typedef struct cli_rebalance {
    frame *frames;
    size_t count;
} cli_rebalance;

/* Asks. Says itself what went wrong and returns an exit status; for CLI_OK there is at least one frame. While the leader
 * moves it looks again, for some seconds. *session stays empty with a URL; it and *rebalance are for cli_session_close and
 * cli_rebalance_free in either case. */
int cli_live_read(const cli_command *command, const cli_live_source *source, cli_session *session,
                  cli_rebalance *rebalance);

void cli_rebalance_free(cli_rebalance *rebalance);

#endif
