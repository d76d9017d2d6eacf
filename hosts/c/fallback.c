/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fallback.c - the plan that is used when an assignor's is refused: owners keep, orphans go to their best copy, tasks
 * without any copy fill the least loaded members, standbys stay where the rules want them. Nothing is started: there
 * are no learners, since a learner that nobody will ever promote would ask for a rebalance again and again.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "crowd.h"
#include "group.h"
#include "known.h"
#include "plan.h"
#include "segue/host.h"

typedef struct fallback {
    const segue_group *g;
    const segue_config *c;
    segue_plan *p;
    sgi_crowd crowd;
    uint32_t *start;  /* first row of each task in `copy` */
    uint32_t *copy;   /* copy rows, by task, then by member */
    uint32_t *member; /* the member of each of those */
    uint32_t *stamp;  /* of each process: the last task seen there, plus 1 */
    uint32_t *room;   /* of each process: a member that may be given anything, or SEGUE_NONE */
    uint32_t *load;   /* actives of each member */
    uint8_t serves;   /* the bit of members that may go on serving what they hold */
    uint8_t takes;    /* the bit of members that may be given anything: staying, where one is */
} fallback;

/* A place for an active: lower is better, field by field. */
typedef struct place {
    int cold;     /* 0: caught up */
    uint64_t lag; /* 0 for all that are caught up */
    int rank;     /* learner before standby before dormant copy */
    uint32_t member;
} place;

static const place nowhere = {2, UINT64_MAX, 0, SEGUE_NONE};

static int is_better(const place *a, const place *b)
{
    if (a->cold != b->cold) {
        return a->cold < b->cold;
    }
    if (a->lag != b->lag) {
        return a->lag < b->lag;
    }
    return a->rank != b->rank ? a->rank > b->rank : a->member < b->member;
}

/* ---- copies by task ---------------------------------------------------------------------------------------------- */

static void sort_copies(fallback *f)
{
    const segue_group *g = f->g;
    memset(f->start, 0, ((size_t)g->task_count + 2) * sizeof *f->start);
    for (uint32_t i = 0; i < g->copy_count; i++) {
        f->start[g->copy_task[i] + 2]++;
    }
    for (uint32_t t = 2; t <= g->task_count; t++) {
        f->start[t + 1] += f->start[t];
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            uint32_t row = f->start[g->copy_task[i] + 1]++;
            f->copy[row] = i;
            f->member[row] = m;
        }
    }
}

static void find_room(fallback *f)
{
    for (uint32_t p = 0; p < f->g->process_count; p++) {
        f->room[p] = SEGUE_NONE;
    }
    for (uint32_t m = f->g->member_count; m-- > 0;) {
        if (f->crowd.member[m] & f->takes) {
            f->room[f->g->member_process[m]] = m;
        }
    }
}

/* ---- who serves -------------------------------------------------------------------------------------------------- */

/* Who would serve from a copy: its holder, else a member on the same disk that may take it, else nobody. */
static uint32_t server_of(const fallback *f, uint32_t holder)
{
    return f->crowd.member[holder] & f->serves ? holder : f->room[f->g->member_process[holder]];
}

/* Caught up in the sense of R5: on a member that serves, or on the disk of one that stays. */
static int is_ready(const fallback *f, uint32_t holder, int64_t lag)
{
    return lag != SEGUE_LAG_UNKNOWN && lag <= f->c->acceptable_recovery_lag &&
           ((f->crowd.member[holder] & f->serves) ||
            (f->crowd.process[f->g->member_process[holder]] & SGI_STAYING));
}

static place place_at(const fallback *f, uint32_t row)
{
    int64_t lag = sgi_copy_lag(f->g, f->copy[row]);
    int ready = is_ready(f, f->member[row], lag);
    uint64_t distance = ready ? 0 : lag == SEGUE_LAG_UNKNOWN ? UINT64_MAX : (uint64_t)lag;
    place found = {!ready, distance, f->g->copy_role[f->copy[row]], server_of(f, f->member[row])};
    return found;
}

static int is_on_staying_process(const fallback *f, uint32_t m)
{
    return (f->crowd.process[f->g->member_process[m]] & SGI_STAYING) != 0;
}

/*
 * The best place of a task by its copies, or nowhere. A copy can be out of reach: its holder's deadline has passed, and
 * only leaving members share its disk, which may be given nothing new (R6). Where it is the nearest of all, R5 leaves
 * the nearest copy of the staying members as the only other choice.
 */
static place best_copy(const fallback *f, uint32_t t)
{
    place best = nowhere, staying = nowhere;
    uint64_t out_of_reach = UINT64_MAX;
    for (uint32_t row = f->start[t]; row < f->start[t + 1]; row++) {
        place here = place_at(f, row);
        if (here.member == SEGUE_NONE) {
            int counts = (f->crowd.process[f->g->member_process[f->member[row]]] & SGI_PRESENT) != 0;
            out_of_reach = counts && here.lag < out_of_reach ? here.lag : out_of_reach;
            continue;
        }
        best = is_better(&here, &best) ? here : best;
        staying = is_on_staying_process(f, here.member) && is_better(&here, &staying) ? here : staying;
    }
    return best.cold == 1 && out_of_reach < best.lag ? staying : best;
}

/* The row of the one member that claims the task and can serve it, or SEGUE_NONE. Of several claims on a stateless task
 * the first counts: it has nothing to lose. */
static uint32_t owner_row(const fallback *f, uint32_t t)
{
    uint32_t found = SEGUE_NONE, claims = 0;
    for (uint32_t row = f->start[t]; row < f->start[t + 1]; row++) {
        if (f->g->copy_role[f->copy[row]] == SEGUE_ACTIVE) {
            claims++;
            if (found == SEGUE_NONE && (f->crowd.member[f->member[row]] & f->serves)) {
                found = row;
            }
        }
    }
    return claims > 1 && f->g->task_stateful[t] ? SEGUE_NONE : found;
}

/* Serving from a state that is complete, or that could not say so, goes on; a restoring owner yields to a caught-up
 * copy, which ends the outage. */
static uint32_t keep_or_best(const fallback *f, uint32_t t)
{
    uint32_t row = owner_row(f, t);
    if (row != SEGUE_NONE && !f->g->task_stateful[t]) {
        return f->member[row];
    }
    if (!f->g->task_stateful[t]) {
        return SEGUE_NONE;
    }
    place best = best_copy(f, t);
    int64_t lag = row == SEGUE_NONE ? 0 : sgi_copy_lag(f->g, f->copy[row]);
    int restoring = row != SEGUE_NONE && lag != SEGUE_LAG_UNKNOWN && lag > f->c->acceptable_recovery_lag;
    return row != SEGUE_NONE && !(restoring && best.cold == 0) ? f->member[row] : best.member;
}

static void place_owned(fallback *f)
{
    for (uint32_t t = 0; t < f->g->task_count; t++) {
        uint32_t m = keep_or_best(f, t);
        f->p->active[t] = m;
        if (m != SEGUE_NONE) {
            f->load[m]++;
        }
    }
}

/* ---- who serves what nobody has ---------------------------------------------------------------------------------- */

static uint64_t weight_of(const segue_group *g, uint32_t m)
{
    return g->member_threads[m] > 0 ? g->member_threads[m] : 1;
}

/* Fills one member after the other, first up to the floor of its share, then up to the ceiling: both passes only
 * go forward, so that the work is linear, and together the ceilings hold every task. */
static void place_homeless(fallback *f)
{
    uint64_t capacity = 0;
    for (uint32_t m = 0; m < f->g->member_count; m++) {
        capacity += f->crowd.member[m] & f->takes ? weight_of(f->g, m) : 0;
    }
    uint32_t m = 0, ceiling = 0;
    for (uint32_t t = 0; t < f->g->task_count; t++) {
        if (f->p->active[t] != SEGUE_NONE) {
            continue;
        }
        for (;; m++) {
            if (m == f->g->member_count) {
                m = 0;
                ceiling++;
            }
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): somebody takes, and a weight is at least 1 */
            uint64_t share = (f->g->task_count * weight_of(f->g, m) + (ceiling ? capacity - 1 : 0)) / capacity;
            if ((f->crowd.member[m] & f->takes) && f->load[m] < share) {
                break;
            }
        }
        f->p->active[t] = m;
        f->load[m]++;
    }
}

/* ---- standbys ---------------------------------------------------------------------------------------------------- */

static int is_free(const fallback *f, uint32_t m, uint32_t t)
{
    return f->stamp[f->g->member_process[m]] != t + 1 && (f->crowd.member[m] & SGI_STAYING);
}

/* Marks copies of that role as standbys (row SEGUE_NONE), each on a process of its own; returns how many. */
static uint32_t choose_standbys(fallback *f, uint32_t t, uint8_t role, uint32_t wanted)
{
    uint32_t chosen = 0;
    for (uint32_t row = f->start[t]; chosen < wanted && row < f->start[t + 1]; row++) {
        uint32_t m = f->member[row];
        if (f->copy[row] != SEGUE_NONE && f->g->copy_role[f->copy[row]] == role && is_free(f, m, t)) {
            f->stamp[f->g->member_process[m]] = t + 1;
            f->copy[row] = SEGUE_NONE;
            chosen++;
        }
    }
    return chosen;
}

static int32_t keep_standbys(fallback *f)
{
    segue_plan *p = f->p;
    uint32_t used = 0;
    p->standby_start[0] = 0;
    for (uint32_t t = 0; t < f->g->task_count; t++) {
        uint32_t wanted = f->g->task_stateful[t] ? f->c->num_standby_replicas : 0;
        f->stamp[f->g->member_process[p->active[t]]] = t + 1;
        uint32_t kept = choose_standbys(f, t, SEGUE_STANDBY, wanted);
        kept += choose_standbys(f, t, SEGUE_LEARNER, wanted - kept);
        kept += choose_standbys(f, t, SEGUE_ACTIVE, wanted - kept);
        if (kept > p->standby_capacity - used) {
            return SEGUE_E_SPACE;
        }
        for (uint32_t row = f->start[t]; row < f->start[t + 1]; row++) {
            if (f->copy[row] == SEGUE_NONE) {
                p->standby_member[used++] = f->member[row];
            }
        }
        p->standby_start[t + 1] = used;
        p->learner[t] = SEGUE_NONE;
    }
    p->standby_count = used;
    return SEGUE_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Tasks with a claim that lose every claimant. Contested ones that stay with one of them do not move. */
static uint32_t count_moves(const fallback *f)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; t < f->g->task_count; t++) {
        int claimed = 0, kept = 0;
        for (uint32_t row = f->start[t]; row < f->start[t + 1]; row++) {
            int claims = f->g->copy_role[f->copy[row]] == SEGUE_ACTIVE;
            claimed |= claims;
            kept |= claims && f->member[row] == f->p->active[t];
        }
        moves += claimed && !kept;
    }
    return moves;
}

static double spread_of(const fallback *f)
{
    double least = 0, most = 0;
    uint32_t seen = 0;
    for (uint32_t m = 0; m < f->g->member_count; m++) {
        if (f->crowd.member[m] & SGI_STAYING) {
            double per_thread = (double)f->load[m] / (double)weight_of(f->g, m);
            least = seen == 0 || per_thread < least ? per_thread : least;
            most = seen == 0 || per_thread > most ? per_thread : most;
            seen++;
        }
    }
    return most - least;
}

static void fill_scalars(fallback *f)
{
    segue_plan *p = f->p;
    p->task_count = f->g->task_count;
    p->followup_needed = 1;
    p->followup_reason = SEGUE_FOLLOWUP_FALLBACK;
    p->followup_at_ms = f->g->now_ms > INT64_MAX - f->c->probing_rebalance_interval_ms
                            ? INT64_MAX
                            : f->g->now_ms + f->c->probing_rebalance_interval_ms;
    p->spread = spread_of(f);
}

static void *make_scratch(fallback *f)
{
    const segue_group *g = f->g;
    size_t words =
        (size_t)g->task_count + 2 + (size_t)g->copy_count * 2 + (size_t)g->process_count * 2 + g->member_count;
    uint32_t *next = malloc(words * sizeof *next + g->member_count + g->process_count);
    void *block = next;
    if (block == NULL) {
        return NULL;
    }
    f->start = next;
    f->copy = f->start + g->task_count + 2;
    f->member = f->copy + g->copy_count;
    f->stamp = f->member + g->copy_count;
    f->room = f->stamp + g->process_count;
    f->load = f->room + g->process_count;
    memset(f->stamp, 0, g->process_count * sizeof *f->stamp);
    memset(f->load, 0, g->member_count * sizeof *f->load);
    f->crowd.member = (uint8_t *)(f->load + g->member_count);
    f->crowd.process = f->crowd.member + g->member_count;
    return block;
}

static int nobody_has_threads(const segue_group *g)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        if (g->member_threads[m] > 0) {
            return 0;
        }
    }
    return 1;
}

static int32_t fall_back(const segue_group *group, const segue_config *config, segue_plan *plan)
{
    static const segue_bound any = {.size = sizeof any};
    if (group == NULL || config == NULL || sgi_plan_ready(plan, group->task_count, &any) != SEGUE_OK) {
        return SEGUE_E_ARGUMENT;
    }
    fallback f = {.g = group, .c = config, .p = plan};
    void *scratch = make_scratch(&f);
    if (scratch == NULL) {
        return SEGUE_E_MEMORY;
    }
    sgi_plan_clear(plan);
    sgi_crowd_fill(&f.crowd, group, 1, nobody_has_threads(group));
    f.serves = f.crowd.present_members > 0 ? SGI_PRESENT : SGI_THREADS;
    f.takes = f.crowd.staying_members > 0 ? SGI_STAYING : f.serves;
    sort_copies(&f);
    find_room(&f);
    place_owned(&f);
    place_homeless(&f);
    plan->moves = plan->min_moves = count_moves(&f);
    int32_t status = keep_standbys(&f);
    if (status == SEGUE_OK) {
        fill_scalars(&f);
    }
    free(scratch);
    return status;
}

int32_t segue_plan_fallback(const segue_group *group, const segue_config *config, segue_plan *plan)
{
    segue_group group_room;
    segue_config config_room;
    segue_plan plan_room, *known = sgi_known_plan(plan, &plan_room);
    int32_t status = fall_back(sgi_known_group(group, &group_room), sgi_known_config(config, &config_room), known);
    sgi_known_return(plan, known);
    return status;
}
