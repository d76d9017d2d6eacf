/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/stand_by_work.h"

#include "solve/serve.h"

#include <string.h>

static int stays(const sgp_view *view, uint32_t process)
{
    return view->process_place[process] == SGP_STAYS;
}

uint32_t sgp_stander_anchor(const sgp_stander *s, uint32_t task)
{
    uint32_t active = sgp_process(s->view, s->active[task]);
    return stays(s->view, active) || s->learner[task] == SEGUE_NONE ? active : sgp_process(s->view, s->learner[task]);
}

void sgp_stander_occupy(sgp_stander *s, uint32_t task, uint32_t process, int counts)
{
    const sgp_zones *z = &s->zones;
    s->taken[process] = task + 1;
    if (z->dimensions == 0) {
        return;
    }
    uint32_t zone = z->of[process];
    if (stays(s->view, process) && ++s->here[zone] == z->stock[zone]) {
        s->open &= ~((uint64_t)1 << zone);
    }
    for (uint32_t d = 0; counts && d < z->dimensions; d++) {
        s->used[d] |= z->same[d][zone];
    }
}

void sgp_stander_open(sgp_stander *s, uint32_t task)
{
    uint32_t anchor = sgp_stander_anchor(s, task), active = sgp_process(s->view, s->active[task]);
    if (s->zones.dimensions > 0) {
        memset(s->used, 0, sizeof s->used);
        memset(s->here, 0, s->zones.count * sizeof *s->here);
        s->open = s->zones.stocked;
    }
    sgp_stander_occupy(s, task, active, active == anchor);
    if (s->learner[task] != SEGUE_NONE) {
        uint32_t learner = sgp_process(s->view, s->learner[task]);
        sgp_stander_occupy(s, task, learner, learner == anchor);
    }
}

static void carry(sgp_stander *s, uint32_t member)
{
    s->load[member]++;
    s->process_load[sgp_process(s->view, member)]++;
}

void sgp_stander_add(sgp_stander *s, uint32_t task, uint32_t member)
{
    uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    while (*row != SEGUE_NONE) {
        row++;
    }
    *row = member;
    s->missing[task]--;
    carry(s, member);
}

/* How good a copy is as a standby: class above, lag below; smaller is better, and 0 the best there is. */
static uint64_t grade_of(const sgp_view *view, const sgp_copy *copy)
{
    static const uint8_t weakness[] = {[SEGUE_STANDBY] = 0, [SEGUE_ACTIVE] = 1, [SEGUE_LEARNER] = 2, [SEGUE_DORMANT] = 3};
    uint64_t class = copy->role == SEGUE_DORMANT ? 3 : 1;
    const uint64_t most = UINT64_MAX >> 8;
    uint64_t lag = copy->lag < 0 ? 0 : (uint64_t)copy->lag;
    if (sgp_hot(view, copy->lag)) {
        return weakness[copy->role];
    }
    class += copy->lag < 0;
    lag = lag > most ? most : lag;
    return class << 60 | lag << 2 | weakness[copy->role];
}

/* Only running standbys count where nobody stays: then everything is left as it is. */
static int eligible(const sgp_stander *s, uint32_t task, const sgp_copy *copy)
{
    const sgp_view *view = s->view;
    if (copy->member == SEGUE_NONE || sgp_stander_is_taken(s, task, sgp_process(view, copy->member))) {
        return 0;
    }
    if (view->nobody_stays) {
        return copy->role == SEGUE_STANDBY && view->place[copy->member] == SGP_STAYS;
    }
    return stays(view, sgp_process(view, copy->member));
}

static int differs(const sgp_stander *s, uint32_t task, uint32_t dimension, uint32_t process)
{
    const uint32_t *value = s->zones.value[dimension], *row = s->out->member + (size_t)task * s->out->ranks;
    int differs = value[process] != SEGUE_NONE && value[process] != value[sgp_stander_anchor(s, task)] &&
                  !(s->foreseen[dimension] >> s->zones.of[process] & 1);
    for (uint32_t i = 0; i < s->out->ranks && row[i] != SEGUE_NONE && differs; i++) {
        differs = value[process] != value[sgp_process(s->view, row[i])];
    }
    return differs;
}

/* The dimensions in which a process differs from the task's copies, as sgp_zones_new has them. By values, since two of
 * them may share a zone. */
static uint32_t novelty_of(const sgp_stander *s, uint32_t task, uint32_t process)
{
    uint32_t novelty = 0;
    for (uint32_t d = 0; d < s->zones.dimensions; d++) {
        novelty = novelty << 1 | (uint32_t)differs(s, task, d, process);
    }
    return novelty;
}

/* The best copy of those that differ in so many ways; SEGUE_NONE where there is none. *others: there are ones that do
 * not. */
static uint32_t nearest(const sgp_stander *s, uint32_t task, uint32_t novelty, int *others)
{
    uint32_t count, holder = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(s->view, task, &count);
    sgp_copy own = {sgp_owner_lag(s->view, task), s->view->owner[task], SEGUE_ACTIVE};
    uint64_t best = UINT64_MAX;
    *others = 0;
    for (uint32_t i = 0; i <= count && best > 0; i++) {
        const sgp_copy *copy = i < count ? &copies[i] : &own;
        if (!eligible(s, task, copy)) {
            continue;
        }
        uint64_t grade = grade_of(s->view, copy);
        if (novelty > 0 && novelty_of(s, task, sgp_process(s->view, copy->member)) < novelty) {
            *others = 1;
        } else if (grade < best) {
            best = grade;
            holder = copy->member;
        }
    }
    if (holder == SEGUE_NONE || s->view->place[holder] == SGP_STAYS) {
        return holder;
    }
    return sgp_serve_on(s->view, holder, s->load);
}

static uint32_t wanted(const sgp_stander *s, uint32_t task)
{
    const sgp_view *view = s->view;
    uint32_t free = s->staying_processes, learner = s->learner[task];
    if (!sgp_stateful(view, task)) {
        return 0;
    }
    free -= (uint32_t)stays(view, sgp_process(view, s->active[task]));
    free -= (uint32_t)(learner != SEGUE_NONE && stays(view, sgp_process(view, learner)));
    return free < s->out->ranks ? free : s->out->ranks;
}

/* A standby that will be built in a zone where no copy is. Which process of it that is does not matter here, nor whether there
 * is another: nothing of the zone differs from it any more. */
static void foresee(sgp_stander *s, uint64_t zones)
{
    uint32_t zone = (uint32_t)__builtin_ctzll(zones);
    for (uint32_t d = 0; d < s->zones.dimensions; d++) {
        s->used[d] |= s->zones.same[d][zone];
        s->foreseen[d] |= s->zones.same[d][zone];
    }
}

/* Copies that exist, but for as many as have to be built elsewhere to lie further apart. */
static void choose_apart(sgp_stander *s, uint32_t task)
{
    uint32_t built = 0, novelty = 0;
    int others;
    sgp_stander_open(s, task);
    while (s->missing[task] > built) {
        uint64_t zones = sgp_zones_new(&s->zones, s->open, s->used, &novelty);
        uint32_t member = nearest(s, task, novelty, &others);
        if (member != SEGUE_NONE) {
            sgp_stander_add(s, task, member);
            sgp_stander_occupy(s, task, sgp_process(s->view, member), 1);
        } else if (others && zones != 0) {
            foresee(s, zones);
            built++;
        } else {
            return;
        }
    }
}

static void take_back(sgp_stander *s, uint32_t task)
{
    uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    for (; s->missing[task] < s->wanted; row++) {
        uint32_t process = sgp_process(s->view, *row);
        s->load[*row]--;
        s->process_load[process]--;
        s->taken[process] = 0;
        s->missing[task]++;
        *row = SEGUE_NONE;
    }
}

/* The nearest copies, if each differs in all that tells zones apart: nothing could lie further apart then. Else they are
 * taken back, and it is 0. */
static int keep_nearest(sgp_stander *s, uint32_t task)
{
    const uint32_t everything = ((uint32_t)1 << s->zones.dimensions) - 1;
    uint32_t member;
    int others;
    s->wanted = s->missing[task];
    s->taken[sgp_process(s->view, s->active[task])] = task + 1;
    if (s->learner[task] != SEGUE_NONE) {
        s->taken[sgp_process(s->view, s->learner[task])] = task + 1;
    }
    while (s->missing[task] > 0 && (member = nearest(s, task, 0, &others)) != SEGUE_NONE) {
        if (novelty_of(s, task, sgp_process(s->view, member)) != everything) {
            take_back(s, task);
            return 0;
        }
        sgp_stander_add(s, task, member);
        s->taken[sgp_process(s->view, member)] = task + 1;
    }
    return 1;
}

/* Has somebody but the active's member a copy? */
static int has_others(const sgp_stander *s, uint32_t task)
{
    uint32_t count, owner = s->view->owner[task];
    sgp_copies(s->view, task, &count);
    return count > 0 || (owner != SEGUE_NONE && owner != s->active[task]);
}

static void keep(sgp_stander *s, uint32_t task)
{
    if (!keep_nearest(s, task)) {
        choose_apart(s, task);
        memset(s->foreseen, 0, sizeof s->foreseen);
    }
}

static void keep_copies(sgp_stander *s)
{
    for (uint32_t t = 0; t < s->view->tasks; t++) {
        s->missing[t] = wanted(s, t);
        if (s->missing[t] > 0 && has_others(s, t)) {
            keep(s, t);
        }
    }
}

static void weigh(sgp_stander *s)
{
    const sgp_view *view = s->view;
    for (uint32_t m = 0; m < view->members; m++) {
        s->process_threads[sgp_process(view, m)] += view->place[m] == SGP_STAYS ? view->threads[m] : 0;
    }
    for (uint32_t p = 0; p < view->processes; p++) {
        s->staying_processes += (uint32_t)stays(view, p);
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        carry(s, s->active[t]);
        if (s->learner[t] != SEGUE_NONE) {
            carry(s, s->learner[t]);
        }
    }
}

static int32_t take_columns(sgp_stander *s, sgp_region *region)
{
    const sgp_view *view = s->view;
    size_t cells = (size_t)view->tasks * s->out->ranks;
    s->out->member = SGP_TAKE(region, uint32_t, cells);
    s->load = SGP_TAKE_ZERO(region, uint32_t, view->members);
    s->process_load = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s->process_threads = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s->taken = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s->missing = SGP_TAKE_ZERO(region, uint32_t, view->tasks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(s->out->member, 0xff, cells * sizeof *s->out->member);
    return sgp_zones_build(&s->zones, view, region);
}

int32_t sgp_stand_by(const sgp_view *view, const uint32_t *active, const uint32_t *learner, sgp_standbys *standbys,
                     sgp_region *region)
{
    uint32_t want = view->idle ? 0 : view->config->num_standby_replicas;
    uint32_t most = view->processes > 0 ? view->processes - 1 : 0;
    sgp_stander s = {.view = view, .active = active, .learner = learner, .out = standbys};
    *standbys = (sgp_standbys){.ranks = want < most ? want : most};
    if (standbys->ranks == 0 || view->stateful_tasks == 0) {
        standbys->ranks = 0;
        return SEGUE_OK;
    }
    if (take_columns(&s, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    weigh(&s);
    keep_copies(&s);
    return view->nobody_stays ? SEGUE_OK : sgp_stand_by_build(&s, region);
}
