/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_lists.h"

#include "test/testing.h"
#include "test/weighing.h"

/* The tasks of a member one after the other, the heaviest first, as the list says them. */
static void assert_list(const weighing *w, const sgp_lists *l, const uint32_t *holder, uint32_t member, int listed)
{
    uint32_t at = l->start[member];
    for (uint32_t i = 0; listed && i < w->balance.count; i++) {
        uint32_t task = w->scale.order[i];
        if (holder[task] == member) {
            EXPECT(at < l->start[member + 1] && l->task[at] == task, "seed %llu, member %u: task %u is not in its place",
                   (unsigned long long)w->solver->draft->seed, member, task);
            at++;
        }
    }
    EXPECT(at == l->start[member + 1], "seed %llu, member %u: %u too many",
           (unsigned long long)w->solver->draft->seed, member, l->start[member + 1] - at);
}

static void each_member_asked_for_has_its_tasks_and_tasks_of_nobody_are_in_no_list(void **state)
{
    (void)state;
    enum { TASKS = 30, MEMBERS = 8 };
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), TASKS, MEMBERS));
        chance c = chance_of(seed);
        uint32_t holder[TASKS], members = w->solver->view.members;
        uint8_t among[MEMBERS];
        sgp_lists lists;
        for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
            holder[t] = chance_once_in(&c, 4) ? SEGUE_NONE : chance_below(&c, members);
        }
        for (uint32_t m = 0; m < members; m++) {
            among[m] = (uint8_t)chance_below(&c, 2);
        }
        assert_int_equal(sgp_lists_take(&lists, &w->scale), SEGUE_OK);
        for (int all = 0; all <= 1; all++) {
            sgp_lists_fill(&lists, &w->scale, holder, all ? NULL : among);
            for (uint32_t m = 0; m < members; m++) {
                assert_list(w, &lists, holder, m, all || among[m]);
            }
        }
        weighing_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_member_asked_for_has_its_tasks_and_tasks_of_nobody_are_in_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
