/* SPDX-License-Identifier: Apache-2.0 */
#include "test/plan_rules.h"

#include "test/testing.h"

#include <float.h>

#define RULE(condition, task, rule) \
    EXPECT(condition, "%s, seed %llu, task %u: %s", assignor, (unsigned long long)d->seed, (unsigned)(task), rule)

static void handles_are_valid(const char *assignor, const draft *d, const rebalance *r)
{
    const segue_plan *p = &r->plan;
    uint32_t members = d->group.member_count;
    RULE(p->task_count == d->group.task_count, 0, "one row for each task");
    RULE(p->standby_start[0] == 0 && p->standby_start[p->task_count] == p->standby_count, 0,
         "starts span the standbys");
    RULE(p->standby_count <= r->bound.standby_rows, 0, "no more standbys than the bound");
    for (uint32_t t = 0; t < p->task_count; t++) {
        RULE(p->active[t] < members, t, "R1: active exactly once");
        RULE(p->learner[t] < members || p->learner[t] == SEGUE_NONE, t, "the learner is a member or none");
        RULE(p->standby_start[t] <= p->standby_start[t + 1], t, "starts ascend");
        for (uint32_t i = p->standby_start[t]; i < p->standby_start[t + 1]; i++) {
            RULE(p->standby_member[i] < members, t, "a standby is a member");
            RULE(i == p->standby_start[t] || p->standby_member[i - 1] < p->standby_member[i], t, "standbys ascend");
        }
    }
}

static void copies_are_apart(const char *assignor, const draft *d, const rebalance *r)
{
    const segue_plan *p = &r->plan;
    for (uint32_t t = 0; t < p->task_count; t++) {
        uint32_t disk = d->process[p->active[t]], learner = p->learner[t], from = p->standby_start[t];
        uint32_t to = p->standby_start[t + 1];
        RULE(d->stateful[t] || (learner == SEGUE_NONE && from == to), t, "R3: only stateful tasks have copies");
        RULE(learner == SEGUE_NONE || d->process[learner] != disk, t, "R2: the learner's disk is another");
        for (uint32_t i = from; i < to; i++) {
            uint32_t at = d->process[p->standby_member[i]];
            RULE(at != disk && (learner == SEGUE_NONE || at != d->process[learner]), t,
                 "R2: a standby's disk is another");
            for (uint32_t j = from; j < i; j++) {
                RULE(at != d->process[p->standby_member[j]], t, "R2: standbys are on different disks");
            }
        }
    }
}

static void caps_hold(const char *assignor, const draft *d, const rebalance *r)
{
    uint32_t all = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint32_t here = rebalance_learners(r, m);
        RULE(here <= d->config.max_learners_per_member, SEGUE_NONE, "R8: learners of a member");
        all += here;
    }
    RULE(all <= d->config.max_learners, SEGUE_NONE, "R8: learners of the group");
    RULE(all == r->plan.learners, SEGUE_NONE, "the figure counts the learners");
}

static void nobody_without_threads_serves(const char *assignor, const draft *d, const rebalance *r)
{
    uint32_t any = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        any |= d->threads[m];
    }
    for (uint32_t t = 0; any != 0 && t < r->plan.task_count; t++) {
        RULE(d->threads[r->plan.active[t]] > 0, t, "R7: no threads, no active");
    }
}

static void decisions_are_valid(const char *assignor, const draft *d, const rebalance *r)
{
    const segue_plan *p = &r->plan;
    uint32_t members = d->group.member_count;
    RULE(p->decision_count <= r->bound.decision_rows, 0, "no more decisions than the bound");
    for (uint32_t i = 0; i < p->decision_count; i++) {
        uint32_t t = p->decision_task[i], kind = p->decision_kind[i], from = p->decision_from[i],
                 to = p->decision_to[i];
        RULE(t < p->task_count && (i == 0 || p->decision_task[i - 1] <= t), t, "decisions come by task");
        RULE(kind >= SEGUE_KIND_KEEP_BACK && kind <= SEGUE_KIND_DROP, t, "a known kind");
        RULE(p->decision_reason[i] >= 1 && p->decision_reason[i] <= SEGUE_REASON_WARMS_UP, t, "a known reason");
        RULE((from < members || from == SEGUE_NONE) && (to < members || to == SEGUE_NONE), t, "known members");
        RULE(kind != SEGUE_KIND_LEARN || to == p->learner[t], t, "who is said to learn does");
        RULE((kind != SEGUE_KIND_HAND_OVER && kind != SEGUE_KIND_PLACE && kind != SEGUE_KIND_FORCE) ||
                 to == p->active[t],
             t, "who is said to serve does");
        RULE(kind != SEGUE_KIND_STANDBY || rebalance_stands_by(r, t, to), t, "who is said to stand by does");
    }
}

static void moves_are_counted(const char *assignor, const draft *d, const rebalance *r)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t owners = 0, owner = SEGUE_NONE;
        for (uint32_t m = 0; m < d->group.member_count; m++) {
            const holding *h = draft_find(d, m, t);
            if (h != NULL && h->role == SEGUE_ACTIVE) {
                owners++;
                owner = m;
            }
        }
        moves += owners == 1 && owner != r->plan.active[t];
    }
    RULE(moves == r->plan.moves, SEGUE_NONE, "the figure counts the moves");
}

/* Where nobody leaves, those stay that have threads, or everybody where nobody has any. */
static void spread_is_that_of_the_actives(const char *assignor, const draft *d, const rebalance *r)
{
    double least = DBL_MAX, most = 0;
    uint32_t any = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        any |= d->threads[m];
        if (d->leaving_ms[m] != SEGUE_TIME_NONE) {
            return;
        }
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint32_t threads = any == 0 ? 1 : d->threads[m];
        if (threads > 0) {
            double share = (double)rebalance_actives(r, m) / threads;
            least = share < least ? share : least;
            most = share > most ? share : most;
        }
    }
    double spread = most > least ? most - least : 0;
    double off = r->plan.spread - spread;
    RULE(off <= 1e-9 && off >= -1e-9, SEGUE_NONE, "the spread is that of the actives");
}

void plan_rules_hold(const char *assignor, const draft *d, const rebalance *r)
{
    handles_are_valid(assignor, d, r);
    copies_are_apart(assignor, d, r);
    caps_hold(assignor, d, r);
    nobody_without_threads_serves(assignor, d, r);
    decisions_are_valid(assignor, d, r);
    if ((uint64_t)d->group.task_count * d->group.member_count < 1000000) {
        moves_are_counted(assignor, d, r);
        spread_is_that_of_the_actives(assignor, d, r);
    }
}
