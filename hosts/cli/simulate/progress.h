/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - a line on standard error that says how far a long run is. One thread. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_PROGRESS_H
#define SEGUE_HOSTS_CLI_SIMULATE_PROGRESS_H

#include "event.h"

typedef struct sim_progress_line {
    sim_listener listener; /* to be told everything */
    int64_t until_us;      /* of the scenario's time, where it ends at the latest */
    int64_t next_ns;       /* when it says something again */
    uint64_t events, rebalances;
    const char *name;      /* of what runs */
    int is_wanted, is_there;
} sim_progress_line;

/* Says nothing in the first second, and nothing at all unless standard error is a terminal or `always` is set. */
void sim_progress_open(sim_progress_line *line, const char *name, int64_t until_us, int always);

/* Wipes the line away. */
void sim_progress_close(sim_progress_line *line);

#endif
