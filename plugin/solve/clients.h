/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients: whom Kafka's high-availability assignor gives tasks to, and how near each of them is to a task's state.
 *
 * A client is a process that somebody is present in; its capacity is the threads of those members. Members whose deadline
 * has passed are not present, and members that leave with time left are, since Kafka knows nothing of leaving.
 *
 * Source of the rules here and in even_out.h, replicate.h and warm_up.h: KIP-441 and the classes of Kafka 4.4.0 that
 * HighAvailabilityTaskAssignor calls. Where a rule of Kafka's contradicts what every plan must hold (R4, R5), the header
 * says so.
 */
#ifndef SGP_CLIENTS_H
#define SGP_CLIENTS_H

#include "core/view.h"

/* How near a client is to a task's state; less is nearer. */
enum sgp_nearness {
    SGP_CAUGHT_UP,  /* within acceptable.recovery.lag */
    SGP_BEHIND,     /* the lag is known, and larger */
    SGP_UNCERTAIN,  /* it has a copy and cannot say how far it is */
    SGP_WITHOUT     /* no copy: Kafka counts the whole changelog as its lag */
};

/* One client's state of one task. */
typedef struct sgp_state {
    int64_t lag;
    uint32_t client;
    uint16_t nearness; /* enum sgp_nearness */
    uint16_t owns;     /* the task runs there now */
} sgp_state;

typedef struct sgp_clients {
    const sgp_view *view;
    uint32_t count;    /* processes, clients or not */
    uint32_t present;  /* clients */
    uint32_t *threads; /* by process: capacity; 0: no client */
    uint32_t *load;    /* by process: tasks in any role */
    uint32_t *start;   /* rows of each task in `state` */
    sgp_state *state;  /* one for each client that has a copy */
} sgp_clients;

/* E_MEMORY is the only fault. Loads are 0. */
int32_t sgp_clients_build(sgp_clients *clients, const sgp_view *view, sgp_region *region);

static inline const sgp_state *sgp_states(const sgp_clients *c, uint32_t task, uint32_t *count)
{
    *count = c->start[task + 1] - c->start[task];
    return c->state + c->start[task];
}

/* What a client has of a task; nearness SGP_WITHOUT where that is nothing. */
sgp_state sgp_state_of(const sgp_clients *clients, uint32_t task, uint32_t client);

uint32_t sgp_count_caught_up(const sgp_clients *clients, uint32_t task);

/*
 * Is `a` nearer than `b`? By nearness, then by lag; of equals the owner.
 *
 * Kafka puts an unknown lag before every known one, and so moves a task off its running owner to a copy of which nobody
 * knows anything, which R4 forbids. It also lets two that are equally far behind trade a task that one of them restores,
 * which R5 forbids: here the owner is the nearer one.
 */
static inline int sgp_is_nearer(const sgp_state *a, const sgp_state *b)
{
    if (a->nearness != b->nearness) {
        return a->nearness < b->nearness;
    }
    return a->lag != b->lag ? a->lag < b->lag : a->owns > b->owns;
}

#endif
