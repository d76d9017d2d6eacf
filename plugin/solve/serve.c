/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/serve.h"

#include <string.h>

/* How good a copy is for serving; smaller is better, field by field. */
typedef struct grade {
    uint32_t readiness; /* 0 caught up, 1 behind by a known lag, 2 unknown */
    uint32_t weakness;  /* SEGUE_ACTIVE - role */
    int64_t lag;        /* only where it is behind */
    uint32_t lingers;   /* 0 on a process where a member stays */
} grade;

static int lighter(const sgp_view *view, const uint32_t *load, uint32_t a, uint32_t b)
{
    uint64_t left = (uint64_t)load[a] * view->threads[b], right = (uint64_t)load[b] * view->threads[a];
    return left < right || (left == right && a < b);
}

uint32_t sgp_serve_on(const sgp_view *view, uint32_t holder, const uint32_t *load)
{
    uint32_t process = sgp_process(view, holder), best = SEGUE_NONE;
    uint8_t place = view->process_place[process];
    if (place == SGP_GONE) {
        return SEGUE_NONE;
    }
    if (view->place[holder] == place) {
        return holder;
    }
    for (uint32_t i = view->process_start[process]; i < view->process_start[process + 1]; i++) {
        uint32_t member = view->process_member[i];
        if (view->place[member] == place && (best == SEGUE_NONE || lighter(view, load, member, best))) {
            best = member;
        }
    }
    return best;
}

static grade grade_of(const sgp_view *view, const sgp_copy *copy)
{
    grade g = {2, SEGUE_ACTIVE - copy->role, 0, view->process_place[sgp_process(view, copy->member)] != SGP_STAYS};
    if (sgp_hot(view, copy->lag)) {
        g.readiness = 0;
    } else if (copy->lag >= 0) {
        g.readiness = 1;
        g.lag = copy->lag;
    }
    return g;
}

static int compare(const grade *a, const grade *b)
{
    if (a->readiness != b->readiness) {
        return a->readiness < b->readiness ? -1 : 1;
    }
    if (a->lag != b->lag) {
        return a->lag < b->lag ? -1 : 1;
    }
    if (a->readiness == 0 && a->lingers != b->lingers) {
        return a->lingers < b->lingers ? -1 : 1;
    }
    if (a->weakness != b->weakness) {
        return a->weakness < b->weakness ? -1 : 1;
    }
    return a->lingers < b->lingers ? -1 : a->lingers > b->lingers;
}

/* The best of a task's copies, the absent owner's included. only_hot: nothing below caught up is taken. */
static uint32_t best_copy(const sgp_view *view, uint32_t task, int only_hot, const uint32_t *load, uint32_t *equals)
{
    uint32_t count, winner = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    sgp_copy own = {sgp_owner_lag(view, task), view->owner[task], SEGUE_ACTIVE};
    grade best = {0};
    *equals = 0;
    for (uint32_t i = 0; i <= count; i++) {
        const sgp_copy *copy = i < count ? &copies[i] : &own;
        if (copy->member == SEGUE_NONE) {
            continue;
        }
        uint32_t member = sgp_serve_on(view, copy->member, load);
        grade g = grade_of(view, copy);
        if (member == SEGUE_NONE || (only_hot && g.readiness != 0)) {
            continue;
        }
        int order = winner == SEGUE_NONE ? -1 : compare(&g, &best);
        *equals = order < 0 ? 1 : *equals + (order == 0);
        if (order < 0 || (order == 0 && lighter(view, load, member, winner))) {
            winner = member;
            best = g;
        }
    }
    return winner;
}

/* Does the owner go on serving? */
static int stays_with_owner(const sgp_view *view, uint32_t task)
{
    uint32_t owner = view->owner[task];
    if (owner == SEGUE_NONE || view->place[owner] == SGP_GONE) {
        return 0;
    }
    return sgp_owner_lag(view, task) <= view->config->acceptable_recovery_lag;
}

static uint32_t serve_elsewhere(const sgp_view *view, uint32_t task, const uint32_t *load, uint32_t *equals)
{
    uint32_t owner = view->owner[task];
    int restoring = owner != SEGUE_NONE && view->place[owner] != SGP_GONE;
    uint32_t winner = best_copy(view, task, restoring, load, equals);
    return winner == SEGUE_NONE && restoring ? owner : winner;
}

int32_t sgp_serve(const sgp_view *view, uint32_t *serve, uint32_t *load, sgp_region *region)
{
    uint32_t *open = SGP_TAKE(region, uint32_t, view->tasks), opens = 0, equals;
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(load, 0, view->members * sizeof *load);
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (!sgp_stateful(view, t)) {
            continue;
        }
        if (stays_with_owner(view, t)) {
            serve[t] = view->owner[t];
            load[serve[t]]++;
        } else {
            open[opens++] = t;
        }
    }
    /* Tasks with one best copy first: the loads they make decide between the equal copies of the others. */
    uint32_t undecided = 0;
    for (uint32_t i = 0; i < opens; i++) {
        uint32_t winner = serve_elsewhere(view, open[i], load, &equals);
        if (equals > 1) {
            open[undecided++] = open[i];
            continue;
        }
        serve[open[i]] = winner;
        if (winner != SEGUE_NONE) {
            load[winner]++;
        }
    }
    for (uint32_t i = 0; i < undecided; i++) {
        serve[open[i]] = serve_elsewhere(view, open[i], load, &equals);
        load[serve[open[i]]]++;
    }
    return SEGUE_OK;
}
