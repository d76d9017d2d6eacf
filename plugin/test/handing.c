/* SPDX-License-Identifier: Apache-2.0 */
#include "test/handing.h"

#include "test/testing.h"

static void expect_counted(const handing *h)
{
    const uint32_t *serve = h->roles.serve, tasks = h->solver->view.tasks;
    uint32_t moves = 0, waiting = 0;
    if (h->solver->view.stateful_tasks < tasks) {
        return;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        moves += serve[t] != SEGUE_NONE && h->active[t] != serve[t];
        if (serve[t] != h->target[t] && h->active[t] == serve[t]) {
            assert_true(waiting < h->roles.waiting_count);
            assert_int_equal(h->roles.waiting[waiting++], t);
        }
    }
    assert_int_equal(moves, h->roles.moves);
    assert_int_equal(waiting, h->roles.waiting_count);
}

void handing_open(handing *h, draft *d, const uint32_t *target, int cold)
{
    *h = (handing){.solver = solver_open(d)};
    const sgp_view *view = &h->solver->view;
    assert_true(view->tasks <= HANDING_MOST);
    memcpy(h->target, target, view->tasks * sizeof *target);
    h->roles = (sgp_roles){.serve = view->owner, .target = h->target};
    h->roles.active = h->active;
    h->roles.learner = h->learner;
    h->roles.outcome = h->outcome;
    assert_int_equal(sgp_hand_over(view, &h->roles, cold, &h->solver->region), SEGUE_OK);
    expect_counted(h);
}

void handing_moved(const handing *h, uint32_t task)
{
    assert_int_equal(h->outcome[task], SGP_MOVED);
    assert_int_equal(h->active[task], h->target[task]);
    assert_int_equal(h->learner[task], SEGUE_NONE);
}

void handing_learns(const handing *h, uint32_t task)
{
    assert_int_equal(h->outcome[task], SGP_LEARNS);
    assert_int_equal(h->active[task], 0);
    assert_int_equal(h->learner[task], h->target[task]);
}

void handing_held_back(const handing *h, uint32_t task)
{
    assert_int_equal(h->outcome[task], SGP_HELD_BACK);
    assert_int_equal(h->active[task], 0);
    assert_int_equal(h->learner[task], SEGUE_NONE);
}
