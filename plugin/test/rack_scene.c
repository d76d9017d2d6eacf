/* SPDX-License-Identifier: Apache-2.0 */
#include "test/rack_scene.h"

#include "test/chance.h"
#include "test/testing.h"

static void balance(rack_scene *t, rack_wish wish)
{
    sgp_region *region = &t->s->region;
    const sgp_view *view = &t->s->view;
    t->b = solver_balance(t->s, SGP_TAKE_ZERO(region, uint32_t, view->members));
    t->b.moves_first = wish.moves_first;
    for (uint32_t m = 0; wish.newcomers && m < view->members; m++) {
        t->b.receives[m] = t->b.receives[m] && view->newcomer[m];
    }
    t->quota.floor = SGP_TAKE(region, uint32_t, view->members);
    t->quota.ceiling = SGP_TAKE(region, uint32_t, view->members);
    sgp_quota_share(view, view->stateful_tasks, &t->quota);
    assert_int_equal(sgp_balance_run(&t->b, &t->quota, wish.costly, wish.budget), SEGUE_OK);
}

rack_scene *rack_scene_open(draft *d, rack_wish wish)
{
    rack_scene *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->s = solver_open(d);
    sgp_region *region = &t->s->region;
    const sgp_view *view = &t->s->view;
    int evens = d->config.rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    const uint32_t *part = evens ? view->group->task_subtopology : NULL;
    uint32_t parts = evens ? view->subtopologies : 1;
    balance(t, wish);
    t->g = (sgp_rack_graph){.balance = &t->b, .cost = &t->cost, .classes = &t->classes, .groups = &t->groups,
                            .lots = &t->lots};
    assert_int_equal(sgp_rack_cost_build(&t->cost, view, NULL, region), SEGUE_OK);
    assert_int_equal(sgp_rack_classes_build(&t->classes, &t->b, &t->cost, part, parts, NULL), SEGUE_OK);
    assert_int_equal(sgp_rack_bounds_set(&t->bounds, &t->b, &t->quota, wish.costly, wish.budget), SEGUE_OK);
    assert_int_equal(sgp_rack_groups_build(&t->groups, &t->b, &t->bounds, &t->cost, &t->classes, evens), SEGUE_OK);
    assert_int_equal(sgp_rack_lots_build(&t->lots, &t->classes, &t->cost, parts, region), SEGUE_OK);
    assert_true(sgp_rack_graph_open(&t->g, evens));
    assert_int_equal(sgp_rack_graph_build(&t->g, &t->bounds), SEGUE_OK);
    return t;
}

void rack_scene_close(rack_scene *t)
{
    solver_close(t->s);
    free(t);
}

const sgp_rack_class *rack_scene_class(const rack_scene *t, uint32_t task)
{
    return &t->classes.list[t->classes.of_task[task]];
}

enum { RACKS = 3, KINDS = 3 };

static void add_members(draft *d, chance *c, uint32_t most)
{
    uint32_t members = 2 + chance_below(c, most - 1), alike = chance_below(c, 2);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, alike ? 1 : 1 + chance_below(c, 2));
        if (m > 1 && chance_once_in(c, 6)) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
    }
}

/* Each task reads what one of a few others reads too; `each`: kinds take turns, so many tasks at a time,
 * and so many members are in one rack (0: at random). */
static void set_racks(draft *d, chance *c, uint32_t each)
{
    uint64_t read[KINDS][2];
    uint32_t kinds = 1 + chance_below(c, KINDS), tasks = d->group.task_count, racks = 1 + chance_below(c, RACKS);
    draft_racks(d, RACKS);
    for (uint32_t i = 0; i < kinds; i++) {
        read[i][0] = 1 + chance_below(c, (1 << RACKS) - 1);
        read[i][1] = chance_once_in(c, 2) ? 1u << chance_below(c, RACKS) : 0;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        const uint64_t *kind = read[each > 0 ? t / each % kinds : chance_below(c, kinds)];
        draft_input(d, t, kind[0]);
        if (kind[1] != 0) {
            draft_input(d, t, kind[1]);
        }
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        d->member_rack[m] = each > 0 ? (m < each ? 0 : m % RACKS) : chance_once_in(c, 9) ? SEGUE_NONE : chance_below(c, racks);
    }
}

static void add_copies(draft *d, chance *c, uint32_t task)
{
    static const int64_t lags[] = {0, 9000, 20000, 25000, 3000000, SEGUE_LAG_UNKNOWN};
    static const uint32_t roles[] = {SEGUE_LEARNER, SEGUE_LEARNER, SEGUE_STANDBY, SEGUE_DORMANT};
    for (uint32_t i = chance_below(c, 3); i > 0; i--) {
        draft_copy(d, chance_below(c, d->group.member_count), task, roles[chance_below(c, 4)], lags[chance_below(c, 6)]);
    }
}

draft *rack_scene_draft(uint64_t seed, rack_size most)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    uint32_t left = 1 + chance_below(&c, most.tasks);
    for (uint32_t s = chance_below(&c, 3); left > 0; s--) {
        uint32_t count = s == 0 ? left : 1 + chance_below(&c, left);
        draft_tasks(d, count, 1);
        left -= count;
    }
    add_members(d, &c, most.members);
    uint32_t servers = 1 + chance_below(&c, d->group.member_count), without = 2 + chance_below(&c, 8);
    int regular = chance_once_in(&c, 3); /* servers have the same of everything */
    set_racks(d, &c, regular ? servers : 0);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        if (most.copies) {
            add_copies(d, &c, t);
        }
        if (!chance_once_in(&c, without)) {
            draft_owns(d, regular ? t % servers : chance_below(&c, servers), t, 1);
        }
    }
    d->config.rack_strategy = chance_once_in(&c, 2) ? SEGUE_RACK_MIN_TRAFFIC : SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    if (chance_once_in(&c, 4)) {
        d->config.max_learners = 1;
    }
    return d;
}
