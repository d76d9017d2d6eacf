/* SPDX-License-Identifier: Apache-2.0 */
/* swap.h - what the parts of `segue swap` share. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_SWAP_H
#define SEGUE_HOSTS_CLI_KAFKA_SWAP_H

#include "session.h"
#include "swap_watch.h"

/* Waits until a rebalance has run what is asked for, for timeout_ms at the most. Returns an exit status. */
int cli_swap_wait(cli_session *session, const cli_swap_watch *watch, int64_t timeout_ms);

#endif
