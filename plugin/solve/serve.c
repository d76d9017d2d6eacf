/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/serve.h"

#include "core/lighter.h"
#include "solve/relief.h"

#include <string.h>

/* How good a copy is for serving; smaller is better, field by field. */
typedef struct grade {
    uint32_t readiness; /* 0 caught up, 1 behind by a known lag, 2 unknown */
    uint32_t weakness;  /* SEGUE_ACTIVE - role */
    int64_t lag;        /* only where it is behind */
    uint32_t lingers;   /* 0 on a process where a member stays */
} grade;

uint32_t sgp_serve_on(const sgp_view *view, uint32_t holder, const uint32_t *load)
{
    uint32_t process = sgp_process(view, holder), best = SEGUE_NONE;
    if (view->place[holder] == SGP_STAYS) {
        return holder;
    }
    if (view->process_place[process] != SGP_STAYS) {
        return view->place[holder] == SGP_LINGERS ? holder : SEGUE_NONE;
    }
    for (uint32_t i = view->process_start[process]; i < view->process_start[process + 1]; i++) {
        uint32_t member = view->process_member[i];
        if (view->place[member] == SGP_STAYS &&
            (best == SEGUE_NONE || sgp_lighter(load, view->threads, member, best))) {
            best = member;
        }
    }
    return best;
}

static grade grade_of(const sgp_view *view, const sgp_copy *copy)
{
    grade g = {2, SEGUE_ACTIVE - copy->role, 0, view->process_place[sgp_process(view, copy->member)] != SGP_STAYS};
    /* Where everybody leaves, what an absent member left on a disk counts as near, not as ready (R5). */
    int left_behind = view->nobody_stays && view->place[copy->member] != SGP_STAYS;
    if (sgp_hot(view, copy->lag) && !left_behind) {
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

/* What a look through a task's copies found. */
typedef struct finding {
    uint32_t winner, equals; /* a member, and how many are as good */
    grade best;
    int hidden;         /* a known copy on a disk where a leaving member may not take it over ... */
    int64_t hidden_lag; /* ... and its least lag */
} finding;

static void hide(finding *f, const sgp_view *view, const sgp_copy *copy)
{
    int present = view->process_place[sgp_process(view, copy->member)] != SGP_GONE;
    if (present && copy->lag >= 0 && (!f->hidden || copy->lag < f->hidden_lag)) {
        f->hidden = 1;
        f->hidden_lag = copy->lag;
    }
}

static void consider(finding *f, const sgp_view *view, const sgp_copy *copy, const uint32_t *load)
{
    uint32_t member = sgp_serve_on(view, copy->member, load);
    if (member == SEGUE_NONE) {
        hide(f, view, copy);
        return;
    }
    grade g = grade_of(view, copy);
    int order = f->winner == SEGUE_NONE ? -1 : compare(&g, &f->best);
    f->equals = order < 0 ? 1 : f->equals + (order == 0);
    if (order < 0 || (order == 0 && sgp_lighter(load, view->threads, member, f->winner))) {
        f->winner = member;
        f->best = g;
    }
}

/* Looks at all copies, the absent owner's included. only_staying: copies on leaving members are left out. */
static finding look(const sgp_view *view, uint32_t task, const uint32_t *load, int only_staying)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    sgp_copy own = {sgp_owner_lag(view, task), view->owner[task], SEGUE_ACTIVE};
    finding f = {.winner = SEGUE_NONE};
    for (uint32_t i = 0; i <= count; i++) {
        const sgp_copy *copy = i < count ? &copies[i] : &own;
        if (copy->member != SEGUE_NONE &&
            (!only_staying || view->process_place[sgp_process(view, copy->member)] == SGP_STAYS)) {
            consider(&f, view, copy, load);
        }
    }
    return f;
}

/*
 * The best copy. A leaving member's is only the best if no nearer one lies hidden on the disk of another leaving
 * member; else the members that stay have the choice among theirs.
 */
static finding best_copy(const sgp_view *view, uint32_t task, const uint32_t *load)
{
    finding f = look(view, task, load, 0);
    int behind = f.winner != SEGUE_NONE && f.best.readiness > 0 && f.best.lingers;
    if (behind && f.hidden && (f.best.readiness == 2 || f.hidden_lag < f.best.lag)) {
        f = look(view, task, load, 1);
    }
    return f;
}

/* Does the owner go on serving? */
static int stays_with_owner(const sgp_view *view, uint32_t task, int cold)
{
    uint32_t owner = view->owner[task];
    if (owner == SEGUE_NONE || view->place[owner] == SGP_GONE) {
        return 0;
    }
    return cold || sgp_owner_lag(view, task) <= view->config->acceptable_recovery_lag;
}

static int has_copies(const sgp_view *view, uint32_t task)
{
    uint32_t count;
    sgp_copies(view, task, &count);
    return count > 0;
}

static int has_ready_copy(const sgp_view *view, uint32_t task)
{
    uint32_t count, ready = 0;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        ready |= (uint32_t)sgp_hot(view, copies[i].lag);
    }
    return ready != 0;
}

static uint32_t serve_elsewhere(const sgp_view *view, uint32_t task, const uint32_t *load, uint32_t *equals)
{
    uint32_t owner = view->owner[task];
    if (owner != SEGUE_NONE && view->place[owner] != SGP_GONE && !has_ready_copy(view, task)) {
        *equals = 1;
        return owner;
    }
    finding f = best_copy(view, task, load);
    *equals = f.equals;
    int nobody_ready = f.winner == SEGUE_NONE || f.best.readiness > 0;
    if (owner != SEGUE_NONE && view->place[owner] != SGP_GONE && nobody_ready) {
        *equals = 1;
        return owner; /* it still restores, but nobody is caught up */
    }
    return f.winner;
}

/* Owners that go on, and tasks that nobody has anything of; the others are listed as open. Returns how many. */
static uint32_t serve_owned(const sgp_view *view, int cold, uint32_t *serve, uint32_t *load, uint32_t *open)
{
    uint32_t opens = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (!sgp_stateful(view, t)) {
            continue;
        }
        if (stays_with_owner(view, t, cold)) {
            serve[t] = view->owner[t];
            load[serve[t]]++;
        } else if (view->owner[t] == SEGUE_NONE && !has_copies(view, t)) {
            serve[t] = SEGUE_NONE;
        } else {
            open[opens++] = t;
        }
    }
    return opens;
}

int sgp_everybody_goes_on(const sgp_view *view)
{
    uint32_t absent = 0;
    for (uint32_t m = 0; view->staying < view->members && m < view->members; m++) {
        absent |= view->place[m] == SGP_GONE ? view->owned[1][m] : 0;
    }
    return view->stateful_tasks == view->tasks && view->copy_start == NULL && view->owner_lag == NULL && absent == 0;
}

int32_t sgp_serve(const sgp_view *view, int cold, uint32_t *serve, uint32_t *load, sgp_region *region)
{
    uint32_t *open = SGP_TAKE(region, uint32_t, view->tasks);
    uint32_t *undecided = SGP_TAKE(region, uint32_t, view->tasks), count = 0, equals;
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(load, 0, view->members * sizeof *load);
    uint32_t opens = serve_owned(view, cold, serve, load, open);
    /* Tasks with one best copy first: the loads they make decide between the equal copies of the others. */
    for (uint32_t i = 0; i < opens; i++) {
        uint32_t winner = serve_elsewhere(view, open[i], load, &equals);
        if (equals > 1) {
            undecided[count++] = open[i];
            continue;
        }
        serve[open[i]] = winner;
        if (winner != SEGUE_NONE) {
            load[winner]++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        serve[undecided[i]] = serve_elsewhere(view, undecided[i], load, &equals);
        load[serve[undecided[i]]]++;
    }
    return sgp_relieve(view, open, opens, serve, load, region);
}
