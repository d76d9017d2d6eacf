/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/clients.h"

/* As many as 32 bits can say: more make no difference. */
static void add_threads(uint32_t *threads, uint32_t more)
{
    *threads = more < UINT32_MAX - *threads ? *threads + more : UINT32_MAX;
}

static void count_threads(sgp_clients *c)
{
    for (uint32_t m = 0; m < c->view->members; m++) {
        if (c->view->place[m] != SGP_GONE) {
            add_threads(&c->threads[sgp_process(c->view, m)], c->view->threads[m]);
        }
    }
    for (uint32_t p = 0; p < c->count; p++) {
        c->present += c->threads[p] > 0;
    }
}

/* State that an absent member reports can be served by others of its process, if one of them is there to stay. */
static int can_be_served(const sgp_view *view, uint32_t member)
{
    int somebody_stays = !view->nobody_stays && view->process_place[sgp_process(view, member)] == SGP_STAYS;
    return view->place[member] != SGP_GONE || somebody_stays;
}

static sgp_state read_state(const sgp_view *view, uint32_t member, int64_t lag, int owns)
{
    sgp_state s = {.lag = lag > 0 ? lag : 0, .client = sgp_process(view, member), .owns = (uint16_t)owns};
    int caught_up = sgp_hot(view, lag) && can_be_served(view, member);
    s.nearness = lag < 0 ? SGP_UNCERTAIN : (uint16_t)(caught_up ? SGP_CAUGHT_UP : SGP_BEHIND);
    return s;
}

/* The rows of one task while they are gathered. */
typedef struct gathering {
    sgp_clients *clients;
    uint32_t *seen; /* by process: its row + 1 */
    uint32_t rows;
} gathering;

/* Members of a process share a disk: the best that one of them knows holds for all. */
static void merge(sgp_state *old, const sgp_state *s)
{
    if (old->nearness == SGP_UNCERTAIN || (s->nearness != SGP_UNCERTAIN && s->lag < old->lag)) {
        old->lag = s->lag;
    }
    old->nearness = s->nearness < old->nearness ? s->nearness : old->nearness;
    old->owns |= s->owns;
}

static void gather(gathering *g, uint32_t task, sgp_state s)
{
    if (g->clients->threads[s.client] == 0) {
        return;
    }
    uint32_t row = g->seen[s.client];
    if (row > g->clients->start[task]) {
        merge(&g->clients->state[row - 1], &s);
    } else {
        g->clients->state[g->rows++] = s;
        g->seen[s.client] = g->rows;
    }
}

static void gather_all(gathering *g)
{
    const sgp_view *view = g->clients->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t copies, owner = view->owner[t];
        const sgp_copy *copy = sgp_copies(view, t, &copies);
        g->clients->start[t] = g->rows;
        if (owner != SEGUE_NONE && sgp_stateful(view, t)) {
            gather(g, t, read_state(view, owner, sgp_owner_lag(view, t), 1));
        }
        for (uint32_t i = 0; i < copies; i++) {
            gather(g, t, read_state(view, copy[i].member, copy[i].lag, 0));
        }
    }
    g->clients->start[view->tasks] = g->rows;
}

int32_t sgp_clients_build(sgp_clients *c, const sgp_view *view, sgp_region *region)
{
    size_t copies = view->copy_start == NULL ? 0 : view->copy_start[view->tasks];
    *c = (sgp_clients){.view = view, .count = view->processes};
    c->threads = SGP_TAKE_ZERO(region, uint32_t, c->count);
    c->load = SGP_TAKE_ZERO(region, uint32_t, c->count);
    c->start = SGP_TAKE(region, uint32_t, (size_t)view->tasks + 1);
    c->state = SGP_TAKE(region, sgp_state, view->tasks + copies);
    gathering g = {.clients = c, .seen = SGP_TAKE_ZERO(region, uint32_t, c->count)};
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_threads(c);
    gather_all(&g);
    return SEGUE_OK;
}

sgp_state sgp_state_of(const sgp_clients *c, uint32_t task, uint32_t client)
{
    uint32_t count;
    const sgp_state *state = sgp_states(c, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (state[i].client == client) {
            return state[i];
        }
    }
    return (sgp_state){.client = client, .nearness = SGP_WITHOUT};
}

uint32_t sgp_count_caught_up(const sgp_clients *c, uint32_t task)
{
    uint32_t count, found = 0;
    const sgp_state *state = sgp_states(c, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        found += state[i].nearness == SGP_CAUGHT_UP;
    }
    return found;
}
