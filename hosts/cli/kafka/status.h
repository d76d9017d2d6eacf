/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - what the parts of `segue status` share. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_STATUS_H
#define SEGUE_HOSTS_CLI_KAFKA_STATUS_H

#include <jansson.h>

#include "session.h"

/* The application's group as the brokers see it. */
typedef struct cli_group_view {
    const cli_fleet *fleet;
    const char *state;
    json_t *members;
    size_t count;
    size_t strangers; /* members that no instance's presence explains */
} cli_group_view;

/* Prints which assignor is asked for, who led the last rebalance and how it went, and who would do otherwise. */
void cli_status_leader(const cli_fleet *fleet, int64_t now);

/* Prints a table for people. */
void cli_status_text(const cli_fleet *fleet, const cli_group_view *group);

/* Prints the document status/1. */
void cli_status_json(const cli_fleet *fleet, const cli_group_view *group);

#endif
