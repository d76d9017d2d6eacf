/* SPDX-License-Identifier: Apache-2.0 */
#include "test/rebalance.h"

#include "test/famine.h"
#include "test/plan_rules.h"
#include "test/testing.h"

/* What the referee says as well: a copy that was just started has this much to replay. */
#define STARTED_LAG 100000

const segue_slots *rebalance_slots(void)
{
    segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    assert_int_equal(segue_plugin_entry(&entry), SEGUE_OK);
    return entry.slots;
}

/* Exactly as large as stated, so that a sanitizer sees the first byte beyond. */
static void *exactly(size_t rows, size_t size)
{
    void *column = malloc(rows * size == 0 ? 1 : rows * size);
    assert_non_null(column);
    memset(column, 0xa5, rows * size == 0 ? 1 : rows * size);
    return column;
}

rebalance *rebalance_room(draft *d)
{
    rebalance *r = calloc(1, sizeof *r);
    const segue_group *g = draft_group(d);
    assert_non_null(r);
    r->bound.size = sizeof r->bound;
    assert_int_equal(rebalance_slots()->plan_bound(g, &d->config, &r->bound), SEGUE_OK);
    segue_plan *p = &r->plan;
    p->size = sizeof *p;
    p->standby_capacity = r->bound.standby_rows;
    p->decision_capacity = r->bound.decision_rows;
    size_t tasks = g->task_count, decisions = r->bound.decision_rows;
    p->active = exactly(tasks, sizeof *p->active);
    p->learner = exactly(tasks, sizeof *p->learner);
    p->standby_start = exactly(tasks + 1, sizeof *p->standby_start);
    p->standby_member = exactly(r->bound.standby_rows, sizeof *p->standby_member);
    p->decision_task = exactly(decisions, sizeof *p->decision_task);
    p->decision_kind = exactly(decisions, sizeof *p->decision_kind);
    p->decision_reason = exactly(decisions, sizeof *p->decision_reason);
    p->decision_from = exactly(decisions, sizeof *p->decision_from);
    p->decision_to = exactly(decisions, sizeof *p->decision_to);
    p->decision_number = exactly(decisions * SEGUE_DECISION_NUMBERS, sizeof *p->decision_number);
    return r;
}

void rebalance_free(rebalance *r)
{
    if (r != NULL) {
#define FREE_COLUMN(id, field, type, used, capacity) free(r->plan.field);
        SEGUE_PLAN_COLUMNS(FREE_COLUMN)
#undef FREE_COLUMN
        free(r);
    }
}

void rebalance_finish(draft *d, rebalance *r)
{
    draft_free(d);
    rebalance_free(r);
}

static void assign(const char *assignor, const draft *d, rebalance *r)
{
    const segue_slots *slots = rebalance_slots();
    segue_error error = {.size = sizeof error, .text = r->text, .text_size = sizeof r->text};
    segue_instance *instance = NULL;
    assert_int_equal(slots->create(assignor, &instance, &error), SEGUE_OK);
    int32_t status = slots->assign(instance, &d->group, &d->config, &r->plan, &error);
    slots->destroy(instance);
    EXPECT(status == SEGUE_OK, "seed %llu: %s", (unsigned long long)d->seed, r->text);
}

rebalance *rebalance_run(const char *assignor, draft *d)
{
    rebalance *r = rebalance_room(d);
    assign(assignor, d, r);
    plan_rules_hold(assignor, d, r);
    return r;
}

rebalance *rebalance_run_silently(const char *assignor, draft *d)
{
    rebalance *r = rebalance_room(d);
    r->plan.decision_capacity = 0;
    assign(assignor, d, r);
    return r;
}

void rebalance_survives_famine(const char *assignor, draft *d)
{
    const segue_slots *slots = rebalance_slots();
    rebalance *good = rebalance_run(assignor, d), *r = rebalance_room(d);
    segue_instance *instance = NULL;
    assert_int_equal(slots->create(assignor, &instance, NULL), SEGUE_OK);
    for (int struck = 1, nth = 1; struck; nth++) {
        famine_of_region((uint32_t)nth);
        int32_t status = slots->assign(instance, &d->group, &d->config, &r->plan, NULL);
        struck = famine_struck();
        famine_of_region(0);
        EXPECT(status == (struck ? SEGUE_E_MEMORY : SEGUE_OK), "%s, seed %llu, request %d: status %d", assignor,
               (unsigned long long)d->seed, nth, (int)status);
        assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
        assert_true(rebalance_same(r, good));
    }
    slots->destroy(instance);
    rebalance_free(r);
    rebalance_free(good);
}

/* The least known lag on the disk that the member shares, which a copy that starts there goes on from. */
static int64_t lag_to_start_from(const draft *before, uint32_t member, uint32_t task)
{
    int64_t least = STARTED_LAG;
    for (uint32_t m = 0, found = 0; m < before->group.member_count; m++) {
        const holding *h = before->process[m] == before->process[member] ? draft_find(before, m, task) : NULL;
        if (h != NULL && h->lag >= 0 && (!found || h->lag < least)) {
            least = h->lag;
            found = 1;
        }
    }
    return least;
}

static void carry_out(const draft *before, draft *after, uint32_t member, uint32_t task, uint32_t role,
                      enum aftermath aftermath)
{
    const holding *had = draft_find(before, member, task);
    int64_t lag = had != NULL ? had->lag : lag_to_start_from(before, member, task);
    draft_copy(after, member, task, role, aftermath == CAUGHT_UP || !before->stateful[task] ? 0 : lag);
}

draft *rebalance_next(const draft *before, const rebalance *r, enum aftermath aftermath)
{
    draft *after = draft_clone(before);
    for (uint32_t i = 0; i < after->holding_count; i++) {
        after->holdings[i].role = SEGUE_DORMANT;
    }
    for (uint32_t t = 0; t < before->group.task_count; t++) {
        for (uint32_t i = r->plan.standby_start[t]; i < r->plan.standby_start[t + 1]; i++) {
            carry_out(before, after, r->plan.standby_member[i], t, SEGUE_STANDBY, aftermath);
        }
        if (r->plan.learner[t] != SEGUE_NONE) {
            carry_out(before, after, r->plan.learner[t], t, SEGUE_LEARNER, aftermath);
        }
        carry_out(before, after, r->plan.active[t], t, SEGUE_ACTIVE, aftermath);
    }
    draft_group(after);
    return after;
}

void rebalance_again(const char *assignor, draft **d, rebalance **r, enum aftermath aftermath)
{
    draft *next = rebalance_next(*d, *r, aftermath);
    draft_free(*d);
    rebalance_free(*r);
    *d = next;
    *r = rebalance_run(assignor, next);
}

int rebalance_same(const rebalance *a, const rebalance *b)
{
    const segue_plan *p = &a->plan, *q = &b->plan;
    size_t tasks = p->task_count;
    return p->task_count == q->task_count && p->standby_count == q->standby_count &&
           memcmp(p->active, q->active, tasks * sizeof *p->active) == 0 &&
           memcmp(p->learner, q->learner, tasks * sizeof *p->learner) == 0 &&
           memcmp(p->standby_start, q->standby_start, (tasks + 1) * sizeof *p->standby_start) == 0 &&
           memcmp(p->standby_member, q->standby_member, p->standby_count * sizeof *p->standby_member) == 0;
}

static uint32_t count_of(const uint32_t *column, uint32_t count, uint32_t value)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found += column[i] == value;
    }
    return found;
}

uint32_t rebalance_actives(const rebalance *r, uint32_t member)
{
    return count_of(r->plan.active, r->plan.task_count, member);
}

uint32_t rebalance_learners(const rebalance *r, uint32_t member)
{
    return count_of(r->plan.learner, r->plan.task_count, member);
}

uint32_t rebalance_standbys(const rebalance *r, uint32_t task)
{
    return r->plan.standby_start[task + 1] - r->plan.standby_start[task];
}

int rebalance_stands_by(const rebalance *r, uint32_t task, uint32_t member)
{
    return count_of(r->plan.standby_member + r->plan.standby_start[task], rebalance_standbys(r, task), member) > 0;
}

uint32_t rebalance_decision(const rebalance *r, uint32_t task, uint32_t kind)
{
    for (uint32_t i = 0; i < r->plan.decision_count; i++) {
        if (r->plan.decision_task[i] == task && r->plan.decision_kind[i] == kind) {
            return i;
        }
    }
    return SEGUE_NONE;
}

uint32_t rebalance_reason(const rebalance *r, uint32_t task, uint32_t kind)
{
    uint32_t row = rebalance_decision(r, task, kind);
    return row == SEGUE_NONE ? 0 : r->plan.decision_reason[row];
}
