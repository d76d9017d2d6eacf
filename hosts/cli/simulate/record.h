/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - writes the events of a run into a file, a line each: `events/1`, in hosts/SCENARIO.md. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_RECORD_H
#define SEGUE_HOSTS_CLI_SIMULATE_RECORD_H

#include <stdio.h>

#include "event.h"
#include "scenario.h"

/* What was last decided of a task. */
typedef struct sim_said {
    uint32_t kind, reason, from, to;
} sim_said;

typedef struct sim_record {
    sim_listener listener;
    FILE *file;
    char **tasks, **members; /* names as JSON strings */
    sim_said *said;
    uint32_t task_count, member_count;
} sim_record;

/* What the head says beside the scenario. */
typedef struct sim_record_about {
    const char *assignor;
    const char *mode; /* "eager", "stable", or NULL for the scenario's own */
    uint64_t seed;
    int64_t seeds; /* of a comparison: how many there are; 1 elsewhere */
} sim_record_about;

/* Writes the head. The file stays the caller's, who looks at ferror in the end. 0, or -1 without memory. */
int sim_record_open(sim_record *record, FILE *file, const sim_scenario *scenario, const sim_record_about *about);
void sim_record_close(sim_record *record);

#endif
