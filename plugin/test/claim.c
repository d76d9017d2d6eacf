/* SPDX-License-Identifier: Apache-2.0 */
#include "test/claim.h"

#include "test/testing.h"

/* ---- what there is ---- */

uint32_t claim_role_of(const claim *c, uint32_t member, uint32_t task)
{
    const holding *h = draft_find(c->d, member, task);
    return h == NULL ? SEGUE_NONE : h->role;
}

uint32_t claim_owner_of(const claim *c, uint32_t task, int64_t *claims)
{
    uint32_t owner = SEGUE_NONE;
    *claims = 0;
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        if (claim_role_of(c, m, task) == SEGUE_ACTIVE) {
            owner = m;
            ++*claims;
        }
    }
    return *claims == 1 ? owner : SEGUE_NONE;
}

int64_t claim_lag_on(const claim *c, uint32_t member)
{
    int64_t least = SEGUE_LAG_UNKNOWN;
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        const holding *h = c->d->process[m] == c->d->process[member] ? draft_find(c->d, m, c->task) : NULL;
        if (h != NULL && h->lag >= 0 && (least < 0 || h->lag < least)) {
            least = h->lag;
        }
    }
    return least;
}

int claim_is_ready(const claim *c, int64_t lag)
{
    return lag >= 0 && lag <= c->d->config.acceptable_recovery_lag;
}

int claim_is(const claim *c, const char *assignor)
{
    return strcmp(c->assignor, assignor) == 0;
}

static int any_threads(const draft *d)
{
    uint32_t any = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        any |= d->threads[m];
    }
    return any != 0;
}

int claim_is_leaving(const claim *c, uint32_t member)
{
    return (claim_is(c, "scale-down") || claim_is(c, "balanced")) && c->d->leaving_ms[member] != SEGUE_TIME_NONE;
}

int claim_has_passed(const claim *c, uint32_t member)
{
    int64_t deadline = c->d->deadline_ms[member];
    return deadline != SEGUE_TIME_NONE && deadline <= c->d->group.now_ms;
}

static uint32_t threads_if(const claim *c, uint32_t member, enum claim_sharers counts)
{
    uint32_t threads = any_threads(c->d) ? c->d->threads[member] : 1;
    int has_time = !claim_has_passed(c, member);
    int is_in = !claim_is_leaving(c, member) || (counts == CLAIM_HAS_TIME && has_time) || counts == CLAIM_ANYBODY;
    return is_in ? threads : 0;
}

enum claim_sharers claim_sharers(const claim *c)
{
    for (int who = CLAIM_STAYS; who < CLAIM_ANYBODY; who++) {
        for (uint32_t m = 0; m < c->d->group.member_count; m++) {
            if (threads_if(c, m, (enum claim_sharers)who) > 0) {
                return (enum claim_sharers)who;
            }
        }
    }
    return CLAIM_ANYBODY;
}

static uint32_t threads_of(const claim *c, uint32_t member)
{
    return threads_if(c, member, claim_sharers(c));
}

/* ---- how many tasks ---- */

static int counts(const claim *c, uint32_t task, enum claim_tasks kind)
{
    return kind == CLAIM_ALL_TASKS || c->d->stateful[task];
}

int64_t claim_count(const claim *c, const uint32_t *column, uint32_t member, enum claim_tasks kind)
{
    int64_t tasks = 0;
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        tasks += column[t] == member && counts(c, t, kind);
    }
    return tasks;
}

int64_t claim_holds(const claim *c, uint32_t member, enum claim_tasks kind)
{
    return claim_count(c, c->r->plan.active, member, kind);
}

int claim_weights_differ(const claim *c)
{
    for (uint32_t t = 1; claim_is(c, "balanced") && t < c->d->group.task_count; t++) {
        if (c->d->weight[t] < c->d->weight[0] || c->d->weight[t] > c->d->weight[0]) {
            return 1;
        }
    }
    return 0;
}

int claim_is_quota(const claim *c, uint32_t member, int64_t quota, enum claim_tasks kind)
{
    int64_t tasks = 0, threads = threads_of(c, member), capacity = 0;
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        tasks += counts(c, t, kind);
    }
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        capacity += threads_of(c, m);
    }
    int64_t low = tasks * threads / capacity, high = (tasks * threads + capacity - 1) / capacity;
    return (quota >= low && quota <= high) || quota == claim_count(c, c->target, member, kind) || claim_is(c, "high-availability");
}

/* ---- learners ---- */

int64_t claim_learners(const claim *c, uint32_t member)
{
    int64_t learning = 0;
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        uint32_t learner = c->r->plan.learner[t];
        learning += learner != SEGUE_NONE && (member == SEGUE_NONE || learner == member);
    }
    return learning;
}

int claim_goes_on_learning(const claim *c)
{
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        if (c->d->process[m] == c->d->process[c->to] && claim_role_of(c, m, c->task) == SEGUE_LEARNER) {
            return 1;
        }
    }
    return 0;
}

/* ---- beyond counts ---- */

int claim_changes(const claim *c, uint32_t member, const uint32_t *now, const uint32_t *then)
{
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        if (t != c->task && now[t] == member && then[t] != member) {
            return 1;
        }
    }
    return 0;
}

/* Tasks with state of the claim's subtopology, by a column; SEGUE_NONE: anybody's. */
static int64_t of_subtopology(const claim *c, const uint32_t *column, uint32_t member)
{
    int64_t tasks = 0;
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        int of = c->d->subtopology[t] == c->d->subtopology[c->task] && c->d->stateful[t] == c->d->stateful[c->task];
        tasks += of && (member == SEGUE_NONE || column[t] == member);
    }
    return tasks;
}

int64_t claim_unevenness(const claim *c, const uint32_t *column)
{
    int64_t capacity = 0, faults = 0, tasks = of_subtopology(c, column, SEGUE_NONE);
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        capacity += threads_of(c, m);
    }
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        int64_t share = tasks * threads_of(c, m), has = of_subtopology(c, column, m);
        int64_t low = share / capacity, high = (share + capacity - 1) / capacity;
        faults += has < low ? low - has : has > high ? has - high : 0;
    }
    return faults;
}

double claim_distance(const claim *c, int by_target)
{
    double all = 0, capacity = 0, worst = 0;
    for (uint32_t t = 0; t < c->d->group.task_count; t++) {
        all += c->d->stateful[t] ? c->d->weight[t] : 0;
    }
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        capacity += threads_of(c, m);
    }
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        double weight = 0, threads = threads_of(c, m);
        for (uint32_t t = 0; t < c->d->group.task_count; t++) {
            uint32_t active = c->r->plan.active[t], there = by_target || threads_of(c, active) == 0 ? c->target[t] : active;
            weight += there == m && c->d->stateful[t] ? c->d->weight[t] : 0;
        }
        double off = threads > 0 ? weight / threads - all / capacity : 0;
        worst = off > worst ? off : -off > worst ? -off : worst;
    }
    return worst;
}
