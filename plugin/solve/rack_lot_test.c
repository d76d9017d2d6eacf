/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_lot.h"

#include "test/solver.h"
#include "test/testing.h"

enum { A = 1 << 0, B = 1 << 1, TASKS = 8, PER_SUBTOPOLOGY = 4 };

/* Two subtopologies of four tasks, of which the last of each is read in b and all others in a. The first two of each are
 * served, by another member each; all are in a. */
typedef struct made {
    solver *s;
    sgp_rack_classes classes;
    sgp_rack_lots lots;
} made;

static void make(made *m, int by_subtopology)
{
    draft *d = draft_new();
    sgp_rack_cost cost;
    draft_tasks(d, PER_SUBTOPOLOGY, 1);
    draft_tasks(d, PER_SUBTOPOLOGY, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_racks(d, 2);
    for (uint32_t t = 0; t < TASKS; t++) {
        draft_input(d, t, t % PER_SUBTOPOLOGY < 3 ? A : B);
        if (t % PER_SUBTOPOLOGY < 2) {
            draft_owns(d, t % PER_SUBTOPOLOGY, t, 1);
        }
    }
    memset(d->member_rack, 0, 2 * sizeof *d->member_rack);
    m->s = solver_open(d);
    sgp_balance b = solver_balance(m->s, SGP_TAKE_ZERO(&m->s->region, uint32_t, 2));
    assert_int_equal(sgp_rack_cost_build(&cost, &m->s->view, NULL, &m->s->region), SEGUE_OK);
    const uint32_t *part = by_subtopology ? m->s->view.group->task_subtopology : NULL;
    assert_int_equal(sgp_rack_classes_build(&m->classes, &b, &cost, part, 2, NULL), SEGUE_OK);
    assert_int_equal(sgp_rack_lots_build(&m->lots, &m->classes, &cost, by_subtopology ? 2 : 1, &m->s->region), SEGUE_OK);
}

static uint32_t lot_of(const made *m, uint32_t task)
{
    return m->lots.of_class[m->classes.of_task[task]];
}

static void tasks_of_the_same_cost_are_one_lot_whoever_serves_them(void **state)
{
    (void)state;
    made m;
    make(&m, 0);
    assert_int_equal(lot_of(&m, 0), lot_of(&m, 1));
    assert_int_equal(lot_of(&m, 0), lot_of(&m, 4));
    assert_int_equal(m.lots.list[lot_of(&m, 0)].served, 1);
    solver_close(m.s);
}

static void tasks_that_nobody_serves_are_lots_of_their_own(void **state)
{
    (void)state;
    made m;
    make(&m, 0);
    assert_int_not_equal(lot_of(&m, 2), lot_of(&m, 0));
    assert_int_not_equal(lot_of(&m, 2), lot_of(&m, 3));
    assert_int_equal(lot_of(&m, 2), lot_of(&m, 6));
    assert_int_equal(m.lots.list[lot_of(&m, 2)].served, 0);
    assert_int_equal(m.lots.count, 3);
    solver_close(m.s);
}

static void lots_and_classes_come_by_subtopology_where_they_are_told_apart(void **state)
{
    (void)state;
    made m;
    make(&m, 1);
    assert_int_equal(m.lots.count, 6);
    for (uint32_t i = 0; i < m.lots.count; i++) {
        assert_int_equal(m.lots.list[i].part, i / 3);
    }
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(m.lots.first[s + 1] - m.lots.first[s], 4);
        for (uint32_t i = m.lots.first[s]; i < m.lots.first[s + 1]; i++) {
            assert_int_equal(m.classes.list[m.lots.class[i]].part, s);
        }
    }
    solver_close(m.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_of_the_same_cost_are_one_lot_whoever_serves_them),
        cmocka_unit_test(tasks_that_nobody_serves_are_lots_of_their_own),
        cmocka_unit_test(lots_and_classes_come_by_subtopology_where_they_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
