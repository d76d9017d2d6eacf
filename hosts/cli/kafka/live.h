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

/* Asks. Says itself what went wrong and returns an exit status. *session stays empty with a URL; it and *rebalance are
 * for cli_session_close and frame_free in either case. */
int cli_live_read(const cli_command *command, const cli_live_source *source, cli_session *session, frame *rebalance);

#endif
