/* SPDX-License-Identifier: Apache-2.0 */
/* swap_watch.h - whether an assignor that was asked for has run. Any thread; knows no clock. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_SWAP_WATCH_H
#define SEGUE_HOSTS_CLI_KAFKA_SWAP_WATCH_H

#include "fleet.h"

typedef enum cli_swap_end {
    CLI_SWAP_NOT_YET,
    CLI_SWAP_DONE,   /* the last rebalance ran it */
    CLI_SWAP_REPLACED /* something else is asked for meanwhile, or nothing any more */
} cli_swap_end;

/* What is waited for. Clocks of different machines are never compared: a rebalance counts as new when it is not the one
 * that was the last before. */
typedef struct cli_swap_watch {
    const char *name; /* borrowed; NULL for what each instance has configured */
    int changed;      /* it was not asked for before */
    char before[CLI_INSTANCE_ROOM];
    int64_t before_ms;
} cli_swap_watch;

/* Begins to wait, with the fleet as it was before the wish for `name` was written; `changed` says whether it was. */
cli_swap_watch cli_swap_watch_begin(const cli_fleet *fleet, const char *name, int changed);

/* How it stands now. */
cli_swap_end cli_swap_watch_look(const cli_swap_watch *watch, const cli_fleet *fleet);

/* The leader where it refuses what is waited for, or NULL. */
const cli_instance *cli_swap_watch_refuser(const cli_swap_watch *watch, const cli_fleet *fleet);

#endif
