/* SPDX-License-Identifier: Apache-2.0 */
/* What changes by the targets of the small view: see part.h. */
#include "session/part.h"

#include "core/fault.h"

/* The tasks that are looked at are at most this part of all of them; else a full run is as good. */
#define PART 2

/* Two rows of one task, in the members' order. */
static void want_both(const sgp_stage *st, segue_copies *changes, uint32_t task, uint32_t from, uint32_t to)
{
    const segue_session *s = st->session;
    uint8_t rest = s->stateful ? (uint8_t)SEGUE_DORMANT : SEGUE_COPY_GONE;
    for (int second = 0; second <= 1; second++) {
        if ((from < to) == !second) {
            sgp_session_want(changes, task, s->order[st->rank[from]], rest, 0);
        } else {
            sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_ACTIVE, 0);
        }
    }
}

static void hand_over(sgp_stage *st, segue_copies *changes, segue_plan *plan, uint32_t row)
{
    segue_session *s = st->session;
    uint32_t from = st->balance.serve[row], to = st->balance.target[row], task = st->task[row];
    int learns = from != SEGUE_NONE && s->stateful && !s->strategy->cold;
    if (from == to) {
        return;
    }
    if (learns) {
        sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
        plan->learners++;
        return;
    }
    if (from == SEGUE_NONE) {
        sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_ACTIVE, 0);
    } else {
        want_both(st, changes, task, from, to);
        plan->moves++;
        s->held[st->rank[from]]--;
    }
    s->held[st->rank[to]]++;
}

static void put_back(sgp_stage *st)
{
    for (uint32_t m = 0; m < st->members; m++) {
        st->session->held[st->rank[m]] = st->balance.load[m];
    }
}

/* Largest minus smallest count for each thread. */
static double spread_of(const segue_session *s)
{
    const uint32_t *held = s->held, members = s->members;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < members; i++) {
        least = held[i] < least ? held[i] : least;
        most = held[i] > most ? held[i] : most;
    }
    return (double)most / s->threads[0] - (double)least / s->threads[0];
}

static void clear_figures(segue_plan *plan)
{
#define WAY_IN(field)
#define WAY_OUT(field) plan->field = 0;
#define CLEAR_SCALAR(field, type, way) WAY_##way(field)
    SEGUE_PLAN_SCALARS(CLEAR_SCALAR)
#undef CLEAR_SCALAR
#undef WAY_OUT
#undef WAY_IN
}

static void write_figures(const sgp_stage *st, int64_t now_ms, segue_plan *plan)
{
    const segue_session *s = st->session;
    int64_t wait = s->config.probing_rebalance_interval_ms;
    plan->task_count = s->base.task_count;
    plan->min_moves = sgp_shares_moves(&st->shares, s);
    plan->optimal = 1;
    plan->spread = spread_of(s);
    plan->followup_needed = plan->learners > 0;
    plan->followup_reason = plan->learners > 0 ? SEGUE_FOLLOWUP_LEARNERS_RESTORING : SEGUE_FOLLOWUP_NONE;
    plan->followup_at_ms = SEGUE_TIME_NONE;
    if (plan->learners > 0) {
        plan->followup_at_ms = now_ms > INT64_MAX - wait ? INT64_MAX : now_ms + wait;
    }
}

int32_t sgp_part(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, int *done,
                 segue_error *error)
{
    sgp_stage st = {.session = s};
    uint64_t tasks;
    *done = 0;
    if (!sgp_is_plain(s)) {
        return SEGUE_OK;
    }
    st.shares = sgp_shares_of(s);
    int32_t status = sgp_shares_cast(&st, &tasks);
    if (status == SEGUE_OK && tasks * PART > s->base.task_count) {
        sgp_region_reset(&s->region);
        return SEGUE_OK;
    }
    st.tasks = (uint32_t)tasks;
    status = status == SEGUE_OK ? sgp_stage_targets(&st) : status;
    if (status != SEGUE_OK) {
        return sgp_fault(error, status, SEGUE_NONE, "no memory for a decision on %u tasks", (unsigned)tasks);
    }
    clear_figures(plan);
    for (uint32_t t = 0; t < st.tasks; t++) {
        hand_over(&st, changes, plan, t);
    }
    write_figures(&st, now_ms, plan);
    put_back(&st);
    *done = 1;
    return SEGUE_OK;
}
