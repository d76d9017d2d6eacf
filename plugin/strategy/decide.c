/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/decide.h"

#include "strategy/census.h"

typedef struct writer {
    const sgp_course *course;
    const sgp_view *view;
    segue_plan *plan;
    sgp_census census;
} writer;

static void write(writer *w, uint32_t task, uint32_t kind, uint32_t reason, uint32_t from, uint32_t to, sgp_numbers n)
{
    segue_plan *p = w->plan;
    uint32_t row = p->decision_count++;
    p->decision_task[row] = task;
    p->decision_kind[row] = (uint8_t)kind;
    p->decision_reason[row] = (uint16_t)reason;
    p->decision_from[row] = from;
    p->decision_to[row] = to;
    for (uint32_t i = 0; i < SEGUE_DECISION_NUMBERS; i++) {
        p->decision_number[(size_t)row * SEGUE_DECISION_NUMBERS + i] = n.at[i];
    }
}

static int64_t acceptable(const writer *w)
{
    return w->view->config->acceptable_recovery_lag;
}

/* How many claim it; *keeps: `to` is one of them. */
static int64_t claims(const writer *w, uint32_t task, uint32_t to, int *keeps)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(w->view, task, &count);
    int64_t claimed = 0;
    *keeps = 0;
    for (uint32_t i = 0; i < count; i++) {
        claimed += copies[i].role == SEGUE_ACTIVE;
        *keeps |= copies[i].role == SEGUE_ACTIVE && copies[i].member == to;
    }
    return claimed;
}

static int has_nearer_copy(const writer *w, uint32_t task, int64_t lag)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(w->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].lag >= 0 && copies[i].lag < lag) {
            return 1;
        }
    }
    return 0;
}

/* Nobody has anything of it that decides. */
static void decide_room(writer *w, uint32_t task, uint32_t to)
{
    sgp_numbers all = sgp_quota_of(&w->census, to, SEGUE_NONE);
    sgp_numbers stateful = sgp_quota_with_state(&w->census, to, SEGUE_NONE);
    if (all.at[0] <= all.at[1]) {
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_NO_OWNER, SEGUE_NONE, to, all);
    } else if (sgp_stateful(w->view, task) && stateful.at[0] <= stateful.at[1]) {
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_ROOM_WITH_STATE, SEGUE_NONE, to, stateful);
    } else {
        all.at[0] = w->census.will[to];
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_ROOM_LATER, SEGUE_NONE, to, all);
    }
}

static uint32_t reason_of_copy(const writer *w, uint32_t task, int64_t lag)
{
    if (!has_nearer_copy(w, task, lag)) {
        return SEGUE_REASON_BEST_COPY;
    }
    return sgp_hot(w->view, lag) ? SEGUE_REASON_CAUGHT_UP : SEGUE_REASON_KNOWN_COPY;
}

static void decide_orphan(writer *w, uint32_t task, uint32_t to)
{
    uint32_t role;
    int keeps;
    int64_t lag = sgp_lag_on(w->view, task, to, &role), claimed = claims(w, task, to, &keeps);
    if (claimed > 1) {
        uint32_t reason = keeps ? SEGUE_REASON_CONTESTED : SEGUE_REASON_CONTESTED_ELSEWHERE;
        write(w, task, SEGUE_KIND_PLACE, reason, SEGUE_NONE, to, (sgp_numbers){{claimed, 0, 0, 0}});
    } else if (lag < 0 || !sgp_stateful(w->view, task)) {
        decide_room(w, task, to);
    } else {
        uint32_t reason = reason_of_copy(w, task, lag);
        int64_t bound = reason == SEGUE_REASON_CAUGHT_UP ? acceptable(w) : 0;
        write(w, task, SEGUE_KIND_PLACE, reason, SEGUE_NONE, to, (sgp_numbers){{lag, bound, 0, 0}});
    }
}

static void decide_absent(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_stateful(w->view, task) ? sgp_lag_on(w->view, task, to, &role) : 0;
    if (w->view->group->member_threads[from] == 0) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_NO_THREADS, from, to, (sgp_numbers){{0, 0, 0, 0}});
    } else {
        write(w, task, SEGUE_KIND_FORCE, SEGUE_REASON_DEADLINE_PASSED, from, to, (sgp_numbers){{lag, 0, 0, 0}});
    }
}

static void decide_move(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role), owner_lag = sgp_owner_lag(w->view, task);
    sgp_numbers lags = {{lag, acceptable(w), 0, 0}};
    if (w->view->place[from] == SGP_GONE) {
        decide_absent(w, task, from, to);
    } else if (!sgp_stateful(w->view, task)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_STATELESS, from, to, sgp_quota_of(&w->census, to, from));
    } else if (sgp_process(w->view, from) == sgp_process(w->view, to)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_SAME_PROCESS, from, to, lags);
    } else if (!sgp_hot(w->view, lag)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_COLD_MOVE, from, to, lags);
    } else if (owner_lag > acceptable(w)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_OWNER_RESTORING, from, to, (sgp_numbers){{owner_lag, lag, 0, 0}});
    } else {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_CAUGHT_UP, from, to, lags);
    }
}

static void decide_active(writer *w, uint32_t task)
{
    uint32_t from = w->view->owner[task], to = w->plan->active[task];
    if (from == SEGUE_NONE) {
        decide_orphan(w, task, to);
    } else if (from != to) {
        decide_move(w, task, from, to);
    }
}

/* Where the counts alone would not give it to `to` something else has decided: weights before all, then racks and the spread. */
static void decide_beyond_counts(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    sgp_numbers n = {{0, 0, 0, 0}};
    uint32_t reason = SEGUE_REASON_WARMS_UP;
    if (w->course->racks && !w->census.by_weight) {
        n.at[0] = sgp_rack_traffic(w->view->group, task, to);
        n.at[1] = sgp_rack_traffic(w->view->group, task, from);
    }
    if (w->census.by_weight) {
        reason = SEGUE_REASON_WEIGHT;
    } else if (n.at[0] < n.at[1]) {
        reason = SEGUE_REASON_LESS_TRAFFIC;
    } else if (sgp_census_evens(&w->census, task, from, to)) {
        reason = SEGUE_REASON_SPREAD;
    } else if (w->census.gives[to]) {
        reason = SEGUE_REASON_EXCHANGE;
    } else if (w->census.gets[from]) {
        reason = SEGUE_REASON_REPLACED;
    }
    write(w, task, SEGUE_KIND_LEARN, reason, from, to, n);
}

/* It goes from somebody above its quota to somebody below. */
static int goes_down(sgp_numbers n)
{
    return n.at[0] < n.at[1] && n.at[2] > n.at[3];
}

static void decide_newly_learned(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    sgp_numbers all = sgp_quota_of(&w->census, to, from), stateful = sgp_quota_with_state(&w->census, to, from);
    if (goes_down(all)) {
        write(w, task, SEGUE_KIND_LEARN, SEGUE_REASON_BELOW_QUOTA, from, to, all);
    } else if (goes_down(stateful)) {
        write(w, task, SEGUE_KIND_LEARN, SEGUE_REASON_QUOTA_WITH_STATE, from, to, stateful);
    } else {
        decide_beyond_counts(w, task, from, to);
    }
}

static void decide_learner(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role);
    sgp_numbers lags = {{lag, acceptable(w), 0, 0}};
    if (role == SEGUE_LEARNER && !sgp_hot(w->view, lag)) {
        uint32_t reason = lag < 0 ? SEGUE_REASON_UNKNOWN_LAG : SEGUE_REASON_RESTORING;
        write(w, task, SEGUE_KIND_LEARN, reason, from, to, lags);
    } else if (w->view->place[from] == SGP_LINGERS) {
        write(w, task, SEGUE_KIND_LEARN, SEGUE_REASON_LEAVING, from, to, sgp_quota_of(&w->census, to, from));
    } else {
        decide_newly_learned(w, task, from, to);
    }
}

static int wants_to_leave(const writer *w, uint32_t member)
{
    const int64_t *leaving = w->view->group->member_leaving_ms;
    return w->view->nobody_stays && leaving != NULL && leaving[member] != SEGUE_TIME_NONE;
}

/* By the limit that is used up; where none is, as behind learners that were more than there may be, by the lowest. */
static void decide_held_back(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    const segue_config *c = w->view->config;
    int all = w->census.learners >= c->max_learners, there = w->census.learning[to] >= c->max_learners_per_member;
    if (c->max_learning_bytes >= 0 && !all && !there) {
        write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NO_BYTES, from, to, (sgp_numbers){{c->max_learning_bytes, 0, 0, 0}});
        return;
    }
    int group = all || (!there && c->max_learners < c->max_learners_per_member);
    uint32_t slots = group ? c->max_learners : c->max_learners_per_member;
    write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NO_SLOT, from, to,
          (sgp_numbers){{slots == SEGUE_NO_LIMIT ? 0 : slots, 0, 0, 0}});
}

static void decide_outcome(writer *w, uint32_t task)
{
    uint32_t from = w->plan->active[task], to = sgp_course_target(w->course, task);
    switch (w->course->roles.outcome[task]) {
    case SGP_LEARNS:
        decide_learner(w, task, from, w->plan->learner[task]);
        break;
    case SGP_WAITS:
        write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_WAITS_FOR_ALL, from, to,
              (sgp_numbers){{(int64_t)w->census.learning[to] - 1, 0, 0, 0}});
        break;
    case SGP_HELD_BACK:
        decide_held_back(w, task, from, to);
        break;
    default:
        if (wants_to_leave(w, from)) {
            write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NOBODY_STAYS, from, SEGUE_NONE, (sgp_numbers){{0, 0, 0, 0}});
        }
    }
}

static uint32_t role_before(const sgp_view *view, uint32_t task, uint32_t member)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].member == member) {
            return copies[i].role;
        }
    }
    return view->owner[task] == member ? (uint32_t)SEGUE_ACTIVE : SEGUE_NONE;
}

static void decide_standbys(writer *w, uint32_t task)
{
    const uint32_t *start = w->plan->standby_start;
    int64_t count = (int64_t)start[task + 1] - start[task];
    for (uint32_t i = start[task]; i < start[task + 1]; i++) {
        uint32_t member = w->plan->standby_member[i], before = role_before(w->view, task, member);
        sgp_numbers n = {{count - 1, w->view->config->num_standby_replicas, 0, 0}};
        if (before == SEGUE_ACTIVE) {
            write(w, task, SEGUE_KIND_STANDBY, SEGUE_REASON_FORMER_OWNER, SEGUE_NONE, member, n);
        } else if (before != SEGUE_STANDBY) {
            write(w, task, SEGUE_KIND_STANDBY, SEGUE_REASON_STANDBY_WANTED, SEGUE_NONE, member, n);
        }
    }
}

static int has_role_now(const writer *w, uint32_t task, uint32_t member)
{
    const segue_plan *p = w->plan;
    int has = p->active[task] == member || p->learner[task] == member;
    for (uint32_t i = p->standby_start[task]; i < p->standby_start[task + 1] && !has; i++) {
        has = p->standby_member[i] == member;
    }
    return has;
}

static void decide_drops(writer *w, uint32_t task)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(w->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        int ran = copies[i].role == SEGUE_STANDBY || copies[i].role == SEGUE_LEARNER;
        if (ran && !has_role_now(w, task, copies[i].member)) {
            write(w, task, SEGUE_KIND_DROP, SEGUE_REASON_NOT_WANTED, copies[i].member, SEGUE_NONE,
                  (sgp_numbers){{0, 0, 0, 0}});
        }
    }
}

int32_t sgp_decide(const sgp_course *c, segue_plan *plan)
{
    writer w = {.course = c, .view = &c->view, .plan = plan};
    if (sgp_census_take(&w.census, c, plan) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        decide_active(&w, t);
        decide_outcome(&w, t);
        decide_standbys(&w, t);
        decide_drops(&w, t);
    }
    return SEGUE_OK;
}
