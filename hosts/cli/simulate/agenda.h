/* SPDX-License-Identifier: Apache-2.0 */
/* agenda.h - what is due when: a binary heap by time, and at one time by the order in which it was put in. One thread. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_AGENDA_H
#define SEGUE_HOSTS_CLI_SIMULATE_AGENDA_H

#include <stdint.h>

typedef struct sim_due {
    int64_t at_us;
    uint64_t order; /* set by sim_agenda_put */
    uint64_t epoch; /* of what it is about: an older one is no longer meant */
    uint32_t kind, task, member;
    uint32_t reserved;
} sim_due;

typedef struct sim_agenda {
    sim_due *rows;
    uint64_t next_order;
    uint32_t count, room;
} sim_agenda;

/* 0, or -1 without memory. */
int sim_agenda_put(sim_agenda *agenda, const sim_due *due);

/* Takes the first one out; 0 when nothing is due any more. */
int sim_agenda_take(sim_agenda *agenda, sim_due *due);

void sim_agenda_free(sim_agenda *agenda);

#endif
