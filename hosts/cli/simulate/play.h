/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play.h - plays a scenario: actions, sessions, rebalances by the assignor itself, hand-overs in two rounds.
 *
 * What is modelled, and what is not, stands in hosts/SCENARIO.md.
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_PLAY_H
#define SEGUE_HOSTS_CLI_SIMULATE_PLAY_H

#include "event.h"
#include "scenario.h"

typedef struct sim_player {
    segue_host *host;
    const char *assignor;
    const segue_config *config; /* NULL: the scenario's own */
    uint32_t traits;            /* of the assignor */
    uint32_t decides;           /* 1: its plans carry decisions, for listeners that tell them */
    int shows_progress;         /* on standard error, whatever that is */
} sim_player;

/* From the beginning to until_us. The listeners hear everything. Faults are those of libsegue, and E_MEMORY. */
int32_t sim_play(const sim_player *player, const sim_scenario *scenario, sim_listener *listener, segue_error *error);

#endif
