/* SPDX-License-Identifier: Apache-2.0 */
#include "test/standing.h"

#include "test/testing.h"

draft *standing_group(uint32_t tasks, uint32_t members, uint32_t replicas)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    d->config.num_standby_replicas = replicas;
    return d;
}

void standing_open_with_learner(standing *s, draft *d, uint32_t learner)
{
    s->solver = solver_open(d);
    const sgp_view *view = &s->solver->view;
    assert_true(view->tasks <= STANDING_MOST);
    memset(s->learner, 0xff, sizeof s->learner);
    s->learner[0] = learner;
    assert_int_equal(sgp_stand_by(view, view->owner, s->learner, &s->standbys, &s->solver->region), SEGUE_OK);
}

void standing_open(standing *s, draft *d)
{
    standing_open_with_learner(s, d, SEGUE_NONE);
}

uint32_t standing_count(const standing *s, uint32_t task)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->standbys.ranks; i++) {
        found += s->standbys.member[task * s->standbys.ranks + i] != SEGUE_NONE;
    }
    return found;
}

int standing_has(const standing *s, uint32_t task, uint32_t member)
{
    for (uint32_t i = 0; i < s->standbys.ranks; i++) {
        if (s->standbys.member[task * s->standbys.ranks + i] == member) {
            return 1;
        }
    }
    return 0;
}
