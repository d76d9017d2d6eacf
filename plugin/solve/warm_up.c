/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/warm_up.h"

#include "core/lighter.h"
#include "core/sort.h"

typedef struct warmer {
    sgp_clients *clients;
    sgp_layout *layout;
    sgp_warm_ups *ups;
    uint32_t *learning; /* by process: warm-ups there */
    uint64_t *order, *spare; /* caught-up clients above, task below */
    uint32_t *waiting;  /* standbys of the task at hand that have to move, by process ascending */
} warmer;

/* ---- whom a role can go to --------------------------------------------------------------------------------------- */

static int is_lighter(const warmer *w, uint32_t a, uint32_t b)
{
    return b == SEGUE_NONE || sgp_lighter(w->clients->load, w->clients->threads, a, b);
}

static int has_no_role(const warmer *w, uint32_t task, uint32_t client)
{
    return !sgp_takes_part(w->layout, task, client);
}

static int stands_by(const warmer *w, uint32_t task, uint32_t client)
{
    return sgp_standby_place(w->layout, task, client) != NULL;
}

static int is_anybody(const warmer *w, uint32_t task, uint32_t client)
{
    (void)w, (void)task, (void)client;
    return 1;
}

typedef int (*condition)(const warmer *w, uint32_t task, uint32_t client);

static uint32_t find_caught_up(const warmer *w, uint32_t task, condition fits)
{
    uint32_t count, found = SEGUE_NONE;
    const sgp_state *state = sgp_states(w->clients, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t client = state[i].client;
        if (state[i].nearness == SGP_CAUGHT_UP && fits(w, task, client) && is_lighter(w, client, found)) {
            found = client;
        }
    }
    return found;
}

/* By nearness, equals by the order of processes: Kafka's order of a task's clients. */
static int comes_before(const sgp_state *a, const sgp_state *b)
{
    return sgp_is_nearer(a, b) || (!sgp_is_nearer(b, a) && a->client < b->client);
}

/* The first of those clients without a copy that come before `limit`. */
static uint32_t find_without(const warmer *w, uint32_t task, condition fits, uint32_t limit)
{
    for (uint32_t p = 0; p < limit; p++) {
        if (w->clients->threads[p] > 0 && fits(w, task, p) &&
            sgp_state_of(w->clients, task, p).nearness == SGP_WITHOUT) {
            return p;
        }
    }
    return SEGUE_NONE;
}

/* The first client in Kafka's order that fits and comes before the one that the role is meant for. */
static uint32_t find_nearest(const warmer *w, uint32_t task, condition fits, uint32_t meant)
{
    uint32_t count;
    const sgp_state *state = sgp_states(w->clients, task, &count), *found = NULL;
    sgp_state limit = sgp_state_of(w->clients, task, meant);
    for (uint32_t i = 0; i < count; i++) {
        if (fits(w, task, state[i].client) && comes_before(&state[i], &limit) &&
            (found == NULL || comes_before(&state[i], found))) {
            found = &state[i];
        }
    }
    if (found != NULL) {
        return found->client;
    }
    return limit.nearness == SGP_WITHOUT ? find_without(w, task, fits, meant) : SEGUE_NONE;
}

/* A role has to move off a client that is not caught up while somebody is nearer. */
static int has_to_move(const warmer *w, uint32_t task, uint32_t client)
{
    uint32_t count;
    const sgp_state *state = sgp_states(w->clients, task, &count);
    sgp_state own = sgp_state_of(w->clients, task, client);
    for (uint32_t i = 0; own.nearness != SGP_CAUGHT_UP && i < count; i++) {
        if (sgp_is_nearer(&state[i], &own)) {
            return 1;
        }
    }
    return 0;
}

/* ---- roles that move --------------------------------------------------------------------------------------------- */

static uint32_t slots_of(const warmer *w, uint32_t client)
{
    const sgp_view *view = w->clients->view;
    uint64_t slots = 0;
    for (uint32_t i = view->process_start[client]; i < view->process_start[client + 1]; i++) {
        slots += view->place[view->process_member[i]] == SGP_GONE ? 0 : w->ups->slots_per_member;
    }
    return slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX;
}

static int try_to_learn(warmer *w, uint32_t task, uint32_t client)
{
    if (w->ups->slots == 0 || w->layout->learner[task] != SEGUE_NONE || w->learning[client] >= slots_of(w, client)) {
        return 0;
    }
    w->ups->slots--;
    w->learning[client]++;
    w->layout->learner[task] = client;
    return 1;
}

/* The standby serves, and the client that should serve stands by: it replays as its standby. */
static void change_roles(warmer *w, uint32_t task, uint32_t standby)
{
    *sgp_standby_place(w->layout, task, standby) = w->layout->active[task];
    w->layout->active[task] = standby;
}

static void move_active(warmer *w, uint32_t task, uint32_t to)
{
    uint32_t meant = w->layout->active[task];
    w->layout->active[task] = to;
    w->clients->load[to]++;
    w->clients->load[meant] -= !try_to_learn(w, task, meant);
}

static void serve_nearer(warmer *w, uint32_t task)
{
    uint32_t standby = find_caught_up(w, task, stands_by);
    uint32_t to = standby != SEGUE_NONE ? standby : find_caught_up(w, task, is_anybody);
    if (to == SEGUE_NONE) {
        to = find_nearest(w, task, is_anybody, w->layout->active[task]);
    }
    if (stands_by(w, task, to)) {
        change_roles(w, task, to);
    } else {
        move_active(w, task, to);
    }
    w->ups->movements++;
}

static void stand_by_nearer(warmer *w, uint32_t task, uint32_t meant)
{
    uint32_t to = find_caught_up(w, task, has_no_role);
    to = to == SEGUE_NONE ? find_nearest(w, task, has_no_role, meant) : to;
    if (to == SEGUE_NONE) {
        return;
    }
    *sgp_standby_place(w->layout, task, meant) = to;
    w->clients->load[to]++;
    w->clients->load[meant] -= !try_to_learn(w, task, meant);
    w->ups->movements++;
}

/* ---- in order ---------------------------------------------------------------------------------------------------- */

/* The task's standbys that have to move, by process ascending; returns how many. */
static uint32_t list_waiting(const warmer *w, uint32_t task)
{
    const uint32_t *place = w->layout->standby + (size_t)task * w->layout->ranks;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->layout->ranks && place[i] != SEGUE_NONE; i++) {
        if (has_to_move(w, task, place[i])) {
            uint32_t at = count++;
            for (; at > 0 && w->waiting[at - 1] > place[i]; at--) {
                w->waiting[at] = w->waiting[at - 1];
            }
            w->waiting[at] = place[i];
        }
    }
    return count;
}

static size_t put_in_order(warmer *w, int standbys)
{
    size_t count = 0;
    for (uint32_t t = 0; t < w->layout->tasks; t++) {
        uint32_t active = w->layout->active[t];
        if (active != SEGUE_NONE && (standbys ? list_waiting(w, t) > 0 : has_to_move(w, t, active))) {
            w->order[count++] = (uint64_t)sgp_count_caught_up(w->clients, t) << 32 | t;
        }
    }
    sgp_sort(w->order, w->spare, count);
    return count;
}

static void move_actives(warmer *w)
{
    size_t count = put_in_order(w, 0);
    for (size_t i = 0; i < count; i++) {
        serve_nearer(w, (uint32_t)w->order[i]);
    }
}

static void move_standbys(warmer *w)
{
    size_t count = w->layout->ranks > 0 ? put_in_order(w, 1) : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t task = (uint32_t)w->order[i], waiting = list_waiting(w, task);
        for (uint32_t k = 0; k < waiting; k++) {
            stand_by_nearer(w, task, w->waiting[k]);
        }
    }
}

int32_t sgp_warm_up(sgp_clients *c, sgp_layout *layout, sgp_warm_ups *ups, sgp_region *region)
{
    warmer w = {.clients = c, .layout = layout, .ups = ups};
    w.learning = SGP_TAKE_ZERO(region, uint32_t, c->count);
    w.order = SGP_TAKE(region, uint64_t, layout->tasks);
    w.spare = SGP_TAKE(region, uint64_t, layout->tasks);
    w.waiting = SGP_TAKE(region, uint32_t, layout->ranks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    ups->movements = 0;
    move_actives(&w);
    move_standbys(&w);
    return SEGUE_OK;
}
