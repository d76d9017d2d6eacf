/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A well-formed group out of the first bytes and a plan out of the others, which is judged, whatever it says: nothing
 * outside of its columns is read, and a fault has a rule and a row that there are. The fallback's plan holds R1-R8 for every
 * group.
 */
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "fuzz.h"

enum { HEAD = 2 };

static const made_size size_most = {3, 5, 5, 35, 0, 1};

/* Mostly what could be, and now and then what cannot. */
static uint32_t some_member(dice *d, const segue_group *g)
{
    uint32_t at = dice_below(d, 256);
    return at < 250 ? at % g->member_count : at == 255 ? SEGUE_NONE : g->member_count + (at - 250);
}

static void change_count(dice *d, uint32_t *count)
{
    static const uint32_t odd[] = {0, 1, 2, 255, UINT32_MAX - 1, UINT32_MAX};
    *count = DICE_CHOICE(d, odd);
}

static void change_decision(dice *d, const segue_group *g, segue_plan *p)
{
    uint32_t row = dice_below(d, 256);
    if (row < p->decision_capacity) {
        p->decision_task[row] = dice_below(d, 256);
        p->decision_from[row] = some_member(d, g);
        p->decision_to[row] = some_member(d, g);
    }
}

static void change_standbys(dice *d, const segue_group *g, segue_plan *p)
{
    uint32_t t = dice_below(d, g->task_count + 1);
    uint32_t row = dice_below(d, p->standby_capacity + 1);
    p->standby_start[t] = dice_percent(d, 95) ? row : UINT32_MAX;
    if (row < p->standby_capacity) {
        p->standby_member[row] = some_member(d, g);
    }
}

/* One change at a time, of a plan that holds the rules. */
static void change(dice *d, const segue_group *g, segue_plan *p)
{
    uint32_t t = g->task_count > 0 ? dice_below(d, g->task_count) : 0;
    switch (dice_below(d, 16)) {
    case 0:
        change_count(d, &p->standby_count);
        break;
    case 1:
        change_count(d, &p->decision_count);
        break;
    case 2:
        change_count(d, &p->task_count);
        break;
    case 3:
        change_count(d, &p->followup_needed);
        break;
    case 4:
        p->spread = p->imbalance = (double)INT64_MAX * 1e300 * 1e300;
        break;
    case 5:
    case 6:
        change_decision(d, g, p);
        break;
    case 7:
    case 8:
        change_standbys(d, g, p);
        break;
    case 9:
    case 10:
    case 11:
        if (g->task_count > 0) {
            p->learner[t] = some_member(d, g);
        }
        break;
    default:
        if (g->task_count > 0) {
            p->active[t] = some_member(d, g);
        }
    }
}

static void judge(const made_group *made, const segue_plan *plan)
{
    for (uint32_t traits = 0; traits < 8; traits++) {
        fuzz_fault fault;
        int32_t status = segue_plan_check(&made->group, &made->config, plan, traits, fuzz_error(&fault));
        if (status != SEGUE_OK) {
            fuzz_hold_said(&fault, status);
            HOLD(fault.error.rule <= 9, "rule %u", fault.error.rule);
            HOLD(fault.error.rule == 0 || fault.error.row == SEGUE_NONE || fault.error.row < made->group.task_count, "row %u",
                 fault.error.row);
        }
    }
}

/* Standbys are the rule that the fallback may break. */
static void try_fallback(const made_group *made, segue_plan *plan)
{
    fuzz_fault fault;
    HOLD(segue_plan_fallback(&made->group, &made->config, plan) == SEGUE_OK, "there is no fallback");
    int32_t status = segue_plan_check(&made->group, &made->config, plan, SEGUE_TRAIT_LEAVING, fuzz_error(&fault));
    HOLD(status == SEGUE_OK || fault.error.rule == 9, "the fallback's plan: %s", fault.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD) {
        return 0;
    }
    /* The first bytes say how many of the others make the group. */
    size_t rest = size - HEAD, split = (size_t)(data[0] | data[1] << 8) % (rest + 1);
    made_group *made = made_of_bytes(data + HEAD, split, &size_most);
    fuzz_about(made);
    dice d = {.bytes = data + HEAD + split, .left = rest - split};
    segue_plan *plan = fuzz_plan(&made->group, &made->config);
    try_fallback(made, plan);
    const fuzz_assignor *assignor = &fuzz_assignors()[dice_below(&d, FUZZ_ASSIGNORS)];
    fuzz_assign(assignor, &made->group, &made->config, plan);
    judge(made, plan);
    for (uint32_t i = dice_below(&d, 8); i > 0 && d.left > 0; i--) {
        change(&d, &made->group, plan);
        judge(made, plan);
    }
    segue_plan_free(plan);
    fuzz_about(NULL);
    made_free(made);
    return 0;
}
