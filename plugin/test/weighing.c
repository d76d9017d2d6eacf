/* SPDX-License-Identifier: Apache-2.0 */
#include "test/weighing.h"

#include "test/testing.h"

weighing *weighing_open(draft *d)
{
    weighing *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->solver = solver_open(d);
    sgp_region *region = &w->solver->region;
    w->balance = solver_balance(w->solver, SGP_TAKE_ZERO(region, uint32_t, w->solver->view.members));
    assert_int_equal(sgp_weights_build(&w->weights, &w->solver->view, region), SEGUE_OK);
    assert_non_null(w->weights.of);
    assert_int_equal(sgp_scale_open(&w->scale, &w->balance, &w->weights, NULL), SEGUE_OK);
    sgp_scale_tolerate(&w->scale, d->config.imbalance_percentage / 100);
    sgp_scale_weigh(&w->scale, w->balance.target);
    return w;
}

void weighing_close(weighing *w)
{
    solver_close(w->solver);
    free(w);
}

draft *weighing_draft(uint64_t seed, enum chance_tail tail, uint32_t most_tasks, uint32_t most_members)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    uint32_t members = 2 + chance_below(&c, most_members - 1);
    uint32_t tasks = members + 1 + chance_below(&c, most_tasks - members);
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1 + (chance_once_in(&c, 2) ? 0 : chance_below(&c, 3)));
    }
    for (uint32_t t = 0; t < tasks; t++) {
        d->weight[t] = chance_weight(&c, tail);
        draft_owns(d, t < members ? t : chance_below(&c, members), t, 1);
    }
    d->weight[0] += d->weight[0] <= d->weight[1] && d->weight[0] >= d->weight[1]; /* they differ for certain */
    d->config.imbalance_percentage = (double[]){20, 5, 10, 35}[chance_below(&c, 4)];
    return d;
}

draft *weighing_small_draft(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    uint32_t members = 2 + chance_below(&c, 3), tasks = 3 + chance_below(&c, 5);
    d->seed = seed;
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1 + chance_below(&c, 2));
    }
    if (members > 2 && chance_once_in(&c, 3)) {
        draft_leaves(d, 0, SEGUE_TIME_NONE);
    }
    for (uint32_t t = 0; t < tasks; t++) {
        uint32_t owner = chance_below(&c, members + 1);
        d->weight[t] = 1 + chance_below(&c, chance_once_in(&c, 5) ? 40 : 6);
        if (owner < members) {
            draft_owns(d, owner, t, 1);
        }
    }
    d->weight[0] += d->weight[0] <= d->weight[1] && d->weight[0] >= d->weight[1];
    d->config.imbalance_percentage = (double[]){20, 50, 80}[chance_below(&c, 3)];
    return d;
}

void weighing_each_fit(weighing *w, weighing_see see, void *context)
{
    const sgp_view *view = &w->solver->view;
    uint32_t holder[7] = {0}, at = 0;
    while (at < view->tasks) {
        uint32_t leaver = 0;
        for (uint32_t t = 0; t < view->tasks; t++) {
            leaver += view->place[holder[t]] != SGP_STAYS;
        }
        sgp_scale_weigh(&w->scale, holder);
        if (leaver == 0 && sgp_scale_fits_all(&w->scale)) {
            see(context, w, holder);
        }
        for (at = 0; at < view->tasks && ++holder[at] == view->members; at++) {
            holder[at] = 0;
        }
    }
}

int weighing_adds_up(const weighing *w, const uint32_t *holder)
{
    const sgp_scale *s = &w->scale;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        uint64_t load = s->carried[m];
        uint32_t held = 0;
        for (uint32_t i = 0; i < s->b->count; i++) {
            load += holder[s->order[i]] == m ? s->weight[s->order[i]] : 0;
            held += holder[s->order[i]] == m;
        }
        if (load != s->load[m] || held != s->held[m] || (held > 0 && s->b->view->place[m] != SGP_STAYS)) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < s->b->count; i++) {
        if (holder[s->order[i]] == SEGUE_NONE) {
            return 0;
        }
    }
    return 1;
}

double weighing_least_imbalance(const draft *d)
{
    uint32_t tasks = d->group.task_count, members = d->group.member_count, holder[8] = {0}, at = 0;
    double total = 0, threads = 0, least = 1e18;
    for (uint32_t t = 0; t < tasks; t++) {
        total += d->weight[t];
    }
    for (uint32_t m = 0; m < members; m++) {
        threads += d->threads[m];
    }
    while (at < tasks) {
        double load[4] = {0}, most = 0;
        for (uint32_t t = 0; t < tasks; t++) {
            load[holder[t]] += d->weight[t];
        }
        for (uint32_t m = 0; m < members; m++) {
            double share = total * d->threads[m] / threads, off = load[m] > share ? load[m] - share : share - load[m];
            most = off / share > most ? off / share : most;
        }
        least = most < least ? most : least;
        for (at = 0; at < tasks && ++holder[at] == members; at++) {
            holder[at] = 0;
        }
    }
    return 100 * least;
}
