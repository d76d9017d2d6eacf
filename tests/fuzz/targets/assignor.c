/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups out of bytes, of any shape that a runtime could report, for every assignor: the plan holds R1-R9, and is the same
 * again; it depends on no name; and carried out, with the same lags, nothing is left to change.
 */
#include "fuzz.h"

static const made_size size_most = {3, 6, 6, 35, 0, 1};

static void try_again(const fuzz_assignor *assignor, const made_group *made, const segue_plan *plan, const char *what)
{
    segue_plan *again = fuzz_plan(&made->group, &made->config);
    fuzz_assign(assignor, &made->group, &made->config, again);
    HOLD(fuzz_same(plan, again), "%s: %s, the plan is another one", assignor->info.name, what);
    segue_plan_free(again);
}

static void tell_otherwise(const fuzz_assignor *assignor, const made_group *made, const segue_plan *plan)
{
    made_group *retold = made_retold(made);
    try_again(assignor, retold, plan, "with other names");
    made_free(retold);
}

static int same_places(const segue_plan *a, const segue_plan *b)
{
    int same = a->standby_count == b->standby_count;
    for (uint32_t t = 0; same && t < a->task_count; t++) {
        same = a->active[t] == b->active[t] && a->learner[t] == b->learner[t] &&
               a->standby_start[t + 1] == b->standby_start[t + 1];
    }
    for (uint32_t i = 0; same && i < a->standby_count; i++) {
        same = a->standby_member[i] == b->standby_member[i];
    }
    return same;
}

/* Where a copy counts as caught up as soon as it begins, the next group is not the same. */
static void carry_out(const fuzz_assignor *assignor, const made_group *made, const segue_plan *plan)
{
    if ((assignor->info.traits & (SEGUE_TRAIT_COLD | SEGUE_TRAIT_LOOSE)) ||
        made->config.acceptable_recovery_lag >= MADE_FRESH_LAG) {
        return;
    }
    made_group *next = made_next(made, plan, 0);
    segue_plan *again = fuzz_plan(&next->group, &next->config);
    fuzz_assign(assignor, &next->group, &next->config, again);
    HOLD(same_places(plan, again), "%s: carried out, with the same lags, the plan changes", assignor->info.name);
    segue_plan_free(again);
    made_free(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_fault fault;
    made_group *made = made_of_bytes(data, size, &size_most);
    fuzz_about(made);
    HOLD(segue_group_check(&made->group, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    segue_plan *plan = fuzz_plan(&made->group, &made->config);
    for (uint32_t i = 0; i < FUZZ_ASSIGNORS; i++) {
        const fuzz_assignor *assignor = &fuzz_assignors()[i];
        fuzz_assign(assignor, &made->group, &made->config, plan);
        try_again(assignor, made, plan, "asked again");
        tell_otherwise(assignor, made, plan);
        carry_out(assignor, made, plan);
    }
    segue_plan_free(plan);
    fuzz_about(NULL);
    made_free(made);
    return 0;
}
