/* SPDX-License-Identifier: Apache-2.0 */
/* C24, C25 and R1-R12: what plans hold, judged by libsegue, and by feeding them back. */
#include <stdlib.h>
#include <string.h>

#include "each.h"

/* ---- C24 --------------------------------------------------------------------------------------------------------- */

/* The rule that libsegue finds broken: 0 for counts and handles, -1 for none. */
static int broken_rule(answer *it, char *text, uint32_t size)
{
    segue_error error = {.size = sizeof error, .text = text, .text_size = size};
    int32_t status =
        segue_plan_check(&it->made->group, &it->made->config, it->asking->plan, it->assignor->traits, &error);
    return status == SEGUE_OK ? -1 : (int)error.rule;
}

static void check_shape(answer *it)
{
    char text[CHECK_TEXT_MOST] = "";
    int32_t status = asking_assign(it->asking, it->instance);
    if (!probe_hold(it->probe, status == SEGUE_OK, EACH_WHERE " is well-formed and refused: %d %s", EACH_AT(it), status,
                    it->asking->text)) {
        return;
    }
    if (probe_hold(it->probe, it->asking->plan->task_count == it->made->group.task_count,
                   EACH_WHERE ": the plan has %u tasks, the group %u", EACH_AT(it), it->asking->plan->task_count,
                   it->made->group.task_count)) {
        probe_hold(it->probe, broken_rule(it, text, sizeof text) != 0, EACH_WHERE ": %s", EACH_AT(it), text);
    }
}

void rule_C24(probe *p)
{
    each_group(p, 0, 0, check_shape, NULL);
}

/* ---- C25 --------------------------------------------------------------------------------------------------------- */

static uint32_t count_learners(const answer *it)
{
    uint32_t learners = 0;
    for (uint32_t t = 0; t < it->made->group.task_count; t++) {
        learners += it->asking->plan->learner[t] != SEGUE_NONE;
    }
    return learners;
}

/* How many claim the task (2 for more), and does the plan leave it with one of those? */
static void find_claims(const answer *it, uint8_t *claims, uint8_t *kept)
{
    const segue_group *g = &it->made->group;
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            uint32_t t = g->copy_task[i];
            if (g->copy_role[i] == SEGUE_ACTIVE) {
                claims[t] = claims[t] == 0 ? 1 : 2;
                kept[t] |= it->asking->plan->active[t] == m;
            }
        }
    }
}

/* Tasks that change their owner. One that several claim has no owner for some, so that it may count as one or not. */
static void count_moves(const answer *it, uint32_t *least, uint32_t *most)
{
    uint32_t tasks = it->made->group.task_count;
    uint8_t *claims = made_take(2 * (size_t)tasks), *kept = claims + tasks;
    find_claims(it, claims, kept);
    *least = *most = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        *least += claims[t] == 1 && !kept[t];
        *most += claims[t] > 0 && !kept[t];
    }
    free(claims);
}

static void check_figures(answer *it)
{
    const segue_plan *plan = it->asking->plan;
    if (!each_plan(it)) {
        return;
    }
    uint32_t learners = count_learners(it), least, most;
    count_moves(it, &least, &most);
    probe_hold(it->probe, plan->learners == learners, EACH_WHERE ": learners is %u, and %u tasks have one", EACH_AT(it),
               plan->learners, learners);
    probe_hold(it->probe, plan->moves >= least && plan->moves <= most,
               EACH_WHERE ": moves is %u, and %u to %u tasks change their owner", EACH_AT(it), plan->moves, least, most);
    probe_hold(it->probe, plan->followup_needed <= 1 && plan->optimal <= 1,
               EACH_WHERE ": followup_needed is %u, optimal %u", EACH_AT(it), plan->followup_needed, plan->optimal);
    probe_hold(it->probe, plan->min_traffic <= plan->traffic || plan->optimal == 0,
               EACH_WHERE ": traffic is %lld, below its lower bound of %lld", EACH_AT(it), (long long)plan->traffic,
               (long long)plan->min_traffic);
}

void rule_C25(probe *p)
{
    each_group(p, 0, 0, check_figures, NULL);
}

/* ---- R1-R9 ------------------------------------------------------------------------------------------------------- */

static void judge(answer *it)
{
    const int *rule = it->context;
    char text[CHECK_TEXT_MOST] = "";
    if (each_plan(it)) {
        probe_hold(it->probe, broken_rule(it, text, sizeof text) != *rule, EACH_WHERE ": %s", EACH_AT(it), text);
    }
}

static void judge_by(probe *p, int rule)
{
    each_group(p, 0, 0, judge, &rule);
}

void rule_R1(probe *p)
{
    judge_by(p, 1);
}

void rule_R2(probe *p)
{
    judge_by(p, 2);
}

void rule_R3(probe *p)
{
    judge_by(p, 3);
}

void rule_R4(probe *p)
{
    judge_by(p, 4);
}

void rule_R5(probe *p)
{
    judge_by(p, 5);
}

void rule_R6(probe *p)
{
    judge_by(p, 6);
}

void rule_R7(probe *p)
{
    judge_by(p, 7);
}

void rule_R8(probe *p)
{
    judge_by(p, 8);
}

void rule_R9(probe *p)
{
    judge_by(p, 9);
}

/* ---- R10-R12 ----------------------------------------------------------------------------------------------------- */

/* Baselines that move state cold promise no fixed point. */
static int promises_fixed_point(const answer *it)
{
    return (it->assignor->traits & (SEGUE_TRAIT_COLD | SEGUE_TRAIT_LOOSE)) == 0;
}

/* Of every assignor that promises one. */
static void each_promising(probe *p, void (*visit)(answer *it))
{
    each_group(p, 0, 0, visit, NULL);
    if (p->verdict->checks == 0 && p->unanswered == 0 && p->verdict->not_run[0] == '\0') {
        probe_skip(p, "all assignors say that they move state cold, or come to no rest (traits of segue/slots.h)");
    }
}

static void feed_back(answer *it)
{
    if (!promises_fixed_point(it) || !each_plan(it)) {
        return;
    }
    uint64_t first = asking_placement(it->asking);
    made_group *next = made_next(it->made, it->asking->plan, 0);
    asking_put(it->asking, next, 0);
    probe_hold(it->probe, each_plan(it) && asking_placement(it->asking) == first,
               EACH_WHERE ": carried out, with the same lags, the plan changes", EACH_AT(it));
    made_free(next);
}

void rule_R10(probe *p)
{
    each_promising(p, feed_back);
}

static void tell_otherwise(answer *it)
{
    if (!each_plan(it)) {
        return;
    }
    uint64_t first = asking_digest(it->asking);
    made_group *retold = made_retold(it->made);
    asking_put(it->asking, retold, 0);
    probe_hold(it->probe, each_plan(it) && asking_digest(it->asking) == first,
               EACH_WHERE ": with other names in another order, the plan is another one", EACH_AT(it));
    made_free(retold);
}

void rule_R11(probe *p)
{
    each_group(p, 0, 0, tell_otherwise, NULL);
}

static int somebody_leaves(const segue_group *g)
{
    for (uint32_t m = 0; g->member_leaving_ms != NULL && m < g->member_count; m++) {
        if (g->member_leaving_ms[m] != SEGUE_TIME_NONE) {
            return 1;
        }
    }
    return 0;
}

/* With no learner in flight and nobody leaving, all copies catch up, and the owners stay who they are: nothing is left. */
static void catch_up(answer *it)
{
    const segue_plan *plan = it->asking->plan;
    size_t bytes = (size_t)it->made->group.task_count * sizeof *plan->active;
    uint32_t *owners = made_take(bytes);
    memcpy(owners, plan->active, bytes);
    made_group *next = made_next(it->made, plan, 1);
    asking_put(it->asking, next, 0);
    probe_hold(it->probe, !each_plan(it) || memcmp(owners, it->asking->plan->active, bytes) != 0,
               EACH_WHERE ": a follow-up is asked for, and nothing would change", EACH_AT(it));
    made_free(next);
    free(owners);
}

static void check_followup(answer *it)
{
    if (!promises_fixed_point(it) || !each_plan(it)) {
        return;
    }
    const segue_plan *plan = it->asking->plan;
    uint32_t learners = count_learners(it);
    probe_hold(it->probe, learners == 0 || plan->followup_needed, EACH_WHERE ": %u learners are in flight, and no "
               "follow-up is asked for", EACH_AT(it), learners);
    if (learners == 0 && plan->followup_needed && !somebody_leaves(&it->made->group)) {
        catch_up(it);
    }
}

void rule_R12(probe *p)
{
    each_promising(p, check_followup);
}
