/* SPDX-License-Identifier: Apache-2.0 */
#include "test/solver.h"

#include "test/testing.h"

solver *solver_open(draft *d)
{
    solver *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->draft = d;
    s->arena = sgp_arena_new();
    assert_non_null(s->arena);
    sgp_region_init(&s->region, s->arena);
    assert_int_equal(sgp_view_build(&s->view, draft_group(d), &d->config, 1, 0, NULL, &s->region), SEGUE_OK);
    return s;
}

void solver_close(solver *s)
{
    draft_free(s->draft);
    sgp_arena_free(s->arena);
    free(s);
}

static uint32_t above(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

sgp_balance solver_balance(solver *s, const uint32_t *want)
{
    const sgp_view *view = &s->view;
    uint32_t *target = SGP_TAKE(&s->region, uint32_t, view->tasks);
    uint32_t *load = SGP_TAKE_ZERO(&s->region, uint32_t, view->members);
    sgp_balance b = {.view = view, .region = &s->region, .stateful = 1, .count = view->stateful_tasks};
    b.costs = &s->costs;
    b.serve = view->owner;
    b.target = target;
    b.load = load;
    b.want = SGP_TAKE(&s->region, uint32_t, view->members);
    b.surplus = SGP_TAKE_ZERO(&s->region, uint32_t, view->members);
    b.deficit = SGP_TAKE_ZERO(&s->region, uint32_t, view->members);
    b.receives = SGP_TAKE(&s->region, uint8_t, view->members);
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t owner = view->owner[t];
        target[t] = owner != SEGUE_NONE && view->place[owner] == SGP_STAYS ? owner : SEGUE_NONE;
        if (sgp_stateful(view, t)) {
            b.pending += target[t] == SEGUE_NONE;
            load[owner == SEGUE_NONE ? 0 : owner] += owner != SEGUE_NONE;
        }
    }
    for (uint32_t m = 0; m < view->members; m++) {
        int stays = view->place[m] == SGP_STAYS;
        b.want[m] = want[m];
        b.receives[m] = (uint8_t)stays;
        b.surplus[m] = stays ? above(load[m], want[m]) : 0;
        b.deficit[m] = stays ? above(want[m], load[m]) : 0;
    }
    return b;
}

uint32_t solver_held(const sgp_balance *b, uint32_t member, uint32_t subtopology)
{
    uint32_t held = 0;
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        held += sgp_is_kind(b, t) && b->target[t] == member && b->view->group->task_subtopology[t] == subtopology;
    }
    return held;
}
