/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/decide.h"

typedef struct writer {
    const sgp_course *course;
    const sgp_view *view;
    segue_plan *plan;
    uint32_t *held; /* by member: actives it has now */
    uint32_t *learning; /* by member: learners it has now */
    uint32_t learners;  /* all of them */
} writer;

typedef struct numbers {
    int64_t at[SEGUE_DECISION_NUMBERS];
} numbers;

static void write(writer *w, uint32_t task, uint32_t kind, uint32_t reason, uint32_t from, uint32_t to, numbers n)
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

static numbers quota_of(const writer *w, uint32_t to, uint32_t from)
{
    numbers n = {{w->held[to], w->course->wanted[to], 0, 0}};
    if (from != SEGUE_NONE) {
        n.at[2] = w->held[from];
        n.at[3] = w->course->wanted[from];
    }
    return n;
}

static int64_t acceptable(const writer *w)
{
    return w->view->config->acceptable_recovery_lag;
}

static int64_t claims(const writer *w, uint32_t task)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(w->view, task, &count);
    int64_t claimed = 0;
    for (uint32_t i = 0; i < count; i++) {
        claimed += copies[i].role == SEGUE_ACTIVE;
    }
    return claimed;
}

static void decide_orphan(writer *w, uint32_t task, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role);
    int64_t contested = claims(w, task);
    if (contested > 1) {
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_CONTESTED, SEGUE_NONE, to, (numbers){{contested, 0, 0, 0}});
    } else if (lag >= 0 && sgp_stateful(w->view, task)) {
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_BEST_COPY, SEGUE_NONE, to, (numbers){{lag, 0, 0, 0}});
    } else {
        write(w, task, SEGUE_KIND_PLACE, SEGUE_REASON_NO_OWNER, SEGUE_NONE, to, quota_of(w, to, SEGUE_NONE));
    }
}

static void decide_absent(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role);
    if (w->view->group->member_threads[from] == 0) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_NO_THREADS, from, to, (numbers){{0, 0, 0, 0}});
    } else {
        write(w, task, SEGUE_KIND_FORCE, SEGUE_REASON_DEADLINE_PASSED, from, to, (numbers){{lag, 0, 0, 0}});
    }
}

static void decide_move(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role), owner_lag = sgp_owner_lag(w->view, task);
    numbers lags = {{lag, acceptable(w), 0, 0}};
    if (w->view->place[from] == SGP_GONE) {
        decide_absent(w, task, from, to);
    } else if (!sgp_stateful(w->view, task)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_STATELESS, from, to, quota_of(w, to, from));
    } else if (sgp_process(w->view, from) == sgp_process(w->view, to)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_SAME_PROCESS, from, to, lags);
    } else if (!sgp_hot(w->view, lag)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_COLD_MOVE, from, to, lags);
    } else if (owner_lag > acceptable(w)) {
        write(w, task, SEGUE_KIND_HAND_OVER, SEGUE_REASON_OWNER_RESTORING, from, to, (numbers){{owner_lag, lag, 0, 0}});
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

/* Where the counts alone would not give it to `to` something else has decided: weights before all, then racks. */
static void decide_beyond_counts(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    const sgp_course *c = w->course;
    numbers n = {{0, 0, 0, 0}};
    uint32_t reason = c->weights.of != NULL ? SEGUE_REASON_WEIGHT : SEGUE_REASON_SPREAD;
    if (c->racks && c->weights.of == NULL) {
        n.at[0] = sgp_rack_traffic(w->view->group, task, to);
        n.at[1] = sgp_rack_traffic(w->view->group, task, from);
        reason = n.at[0] < n.at[1] ? SEGUE_REASON_LESS_TRAFFIC : SEGUE_REASON_EXCHANGE;
    }
    write(w, task, SEGUE_KIND_LEARN, reason, from, to, n);
}

static int goes_beyond_counts(const writer *w, uint32_t to)
{
    const sgp_course *c = w->course;
    return w->held[to] >= c->wanted[to] && (c->racks || c->buys_spread || c->weights.of != NULL);
}

static void decide_learner(writer *w, uint32_t task, uint32_t from, uint32_t to)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(w->view, task, to, &role);
    numbers lags = {{lag, acceptable(w), 0, 0}};
    if (role == SEGUE_LEARNER) {
        uint32_t reason = lag < 0 ? SEGUE_REASON_UNKNOWN_LAG : SEGUE_REASON_RESTORING;
        write(w, task, SEGUE_KIND_LEARN, reason, from, to, lags);
    } else if (w->view->place[from] == SGP_LINGERS) {
        write(w, task, SEGUE_KIND_LEARN, SEGUE_REASON_LEAVING, from, to, quota_of(w, to, from));
    } else if (goes_beyond_counts(w, to)) {
        decide_beyond_counts(w, task, from, to);
    } else {
        write(w, task, SEGUE_KIND_LEARN, SEGUE_REASON_BELOW_QUOTA, from, to, quota_of(w, to, from));
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
    int all = w->learners >= c->max_learners, there = w->learning[to] >= c->max_learners_per_member;
    if (c->max_learning_bytes >= 0 && !all && !there) {
        write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NO_BYTES, from, to, (numbers){{c->max_learning_bytes, 0, 0, 0}});
        return;
    }
    int group = all || (!there && c->max_learners < c->max_learners_per_member);
    uint32_t slots = group ? c->max_learners : c->max_learners_per_member;
    write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NO_SLOT, from, to,
          (numbers){{slots == SEGUE_NO_LIMIT ? 0 : slots, 0, 0, 0}});
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
              (numbers){{(int64_t)w->learning[to] - 1, 0, 0, 0}});
        break;
    case SGP_HELD_BACK:
        decide_held_back(w, task, from, to);
        break;
    default:
        if (wants_to_leave(w, from)) {
            write(w, task, SEGUE_KIND_KEEP_BACK, SEGUE_REASON_NOBODY_STAYS, from, SEGUE_NONE, (numbers){{0, 0, 0, 0}});
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
        numbers n = {{count - 1, w->view->config->num_standby_replicas, 0, 0}};
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
                  (numbers){{0, 0, 0, 0}});
        }
    }
}

static void count_held(writer *w)
{
    for (uint32_t t = 0; t < w->view->tasks; t++) {
        w->held[w->plan->active[t]]++;
        if (w->plan->learner[t] != SEGUE_NONE) {
            w->learning[w->plan->learner[t]]++;
            w->learners++;
        }
    }
}

int32_t sgp_decide(const sgp_course *c, segue_plan *plan)
{
    writer w = {.course = c, .view = &c->view, .plan = plan};
    w.held = SGP_TAKE_ZERO(c->region, uint32_t, c->view.members);
    w.learning = SGP_TAKE_ZERO(c->region, uint32_t, c->view.members);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_held(&w);
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        decide_active(&w, t);
        decide_outcome(&w, t);
        decide_standbys(&w, t);
        decide_drops(&w, t);
    }
    return SEGUE_OK;
}
