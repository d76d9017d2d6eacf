/* SPDX-License-Identifier: Apache-2.0 */
/* drain.h - what the parts of `segue drain` share. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_DRAIN_H
#define SEGUE_HOSTS_CLI_KAFKA_DRAIN_H

#include "session.h"
#include "watch.h"

/* Waits until every drain has ended, and says how far they are. Returns the exit status of the worst end. */
int cli_drain_wait(cli_session *session, cli_watch *watches, size_t count);

/* Waits until no instance drains any more. Returns an exit status. */
int cli_drain_wait_cancelled(cli_session *session, cli_watch *watches, size_t count);

#endif
