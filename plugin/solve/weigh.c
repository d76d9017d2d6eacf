/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh.h"

#include "solve/weigh_mend.h"
#include "solve/weigh_pack.h"
#include "solve/weigh_search.h"
#include "solve/weigh_shed.h"


static void keep_counts(sgp_scale *s)
{
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        s->b->want[m] = s->held[m];
    }
}

/* Targets as everybody has them, and learners that count as they will be once they own. Returns how many tasks have none. */
static uint32_t as_it_is(sgp_scale *s, int flies, uint32_t *target)
{
    uint32_t pending = 0;
    for (uint32_t task = 0; task < s->b->view->tasks; task++) {
        if (!sgp_is_kind(s->b, task)) {
            continue;
        }
        uint32_t server = s->b->serve[task];
        uint32_t learner = sgp_scale_flying_of(s, task, flies);
        target[task] = sgp_scale_keeps(s, task) ? server : SEGUE_NONE;
        target[task] = learner != SEGUE_NONE ? learner : target[task];
        pending += target[task] == SEGUE_NONE;
    }
    sgp_scale_weigh(s, target);
    return pending;
}

/* 1 where all fit with learners as owners, or else with those that are ready, or without any; the targets are set. */
static int fits_as_it_is(sgp_scale *s)
{
    for (int flies = sgp_flies_most(s); flies >= 0; flies = sgp_flies_less(s, flies)) {
        if (as_it_is(s, flies, s->b->target) == 0 && sgp_scale_fits_all(s)) {
            return 1;
        }
    }
    return 0;
}

static void settle(sgp_scale *s, int *settled)
{
    *settled = fits_as_it_is(s);
    if (*settled) {
        keep_counts(s);
    }
}

static int32_t pack(sgp_scale *s)
{
    s->packed = 1;
    return sgp_pack(s, s->bin);
}

int32_t sgp_weigh_keep(sgp_scale *s, int *kept)
{
    const double wanted = s->b->view->config->imbalance_percentage / 100;
    int certain = 0;
    sgp_scale_tolerate(s, wanted);
    settle(s, kept);
    if (*kept) {
        return SEGUE_OK;
    }
    int32_t status = sgp_pack_surely_fits(s, s->bin, &certain);
    if (status != SEGUE_OK || certain) {
        return status;
    }
    if (pack(s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    double reached = sgp_scale_distance(s);
    if (reached > wanted) {
        sgp_scale_tolerate(s, reached);
        settle(s, kept);
    }
    return SEGUE_OK;
}

int sgp_weigh_asks_quota(const sgp_scale *s)
{
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (s->b->view->place[m] == SGP_STAYS && s->b->load[m] == 0) {
            return 1;
        }
    }
    return 0;
}

int sgp_weigh_quota_fits(sgp_scale *s)
{
    sgp_scale_weigh(s, s->b->target);
    s->in_quota = sgp_scale_fits_all(s);
    return s->in_quota;
}

/* Pending tasks, the heaviest first, each to the lightest member: the packing's own rule. Those with a caught-up copy on a
 * staying member that has room go there before the others. */
static int32_t place_pending(sgp_scale *s)
{
    const uint32_t *target = s->b->target;
    const sgp_view *view = s->b->view;
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i], count = 0, best = SEGUE_NONE;
        const sgp_copy *copies = target[task] == SEGUE_NONE && sgp_stateful(view, task) ? sgp_copies(view, task, &count)
                                                                                        : NULL;
        for (uint32_t c = 0; c < count; c++) {
            uint32_t m = copies[c].member;
            int fits = view->place[m] == SGP_STAYS && sgp_hot(view, copies[c].lag) &&
                       s->load[m] + s->weight[task] <= s->high[m];
            int lighter = fits && (best == SEGUE_NONE || (double)s->load[m] / s->share[m] <
                                                             (double)s->load[best] / s->share[best]);
            best = lighter ? m : best;
        }
        if (best != SEGUE_NONE) {
            sgp_scale_move(s, task, SEGUE_NONE, best);
        }
    }
    return sgp_pack_pending(s);
}

/* Deals those again who do not fit, with more and more of the others. */
static int32_t deal_stuck(sgp_scale *s, int *mended)
{
    int32_t status = SEGUE_OK;
    int some_rest = 1;
    for (uint32_t times = 2; status == SEGUE_OK && !*mended && !sgp_deadline_look(s->b->deadline); times *= 2) {
        status = sgp_shed_stuck(s, times, &some_rest);
        if (status != SEGUE_OK || !some_rest) {
            break;
        }
        status = sgp_pack_pending(s);
        status = status == SEGUE_OK ? sgp_mend(s, mended) : status;
    }
    return status;
}

/* From what everybody has and learns. What is learned is given up only where it cannot be otherwise, and what has caught up
 * after all else: else a plan under a cap could start other learners each time. */
static int32_t mend(sgp_scale *s, int *mended)
{
    int32_t status = SEGUE_OK;
    *mended = 0;
    for (s->pinned = sgp_flies_most(s); status == SEGUE_OK && !*mended && s->pinned >= 0;
         s->pinned = sgp_flies_less(s, s->pinned)) {
        as_it_is(s, SGP_FLIES_ALL, s->b->target);
        status = sgp_shed(s);
        status = status == SEGUE_OK ? place_pending(s) : status;
        status = status == SEGUE_OK ? sgp_mend(s, mended) : status;
        status = status == SEGUE_OK && !*mended ? deal_stuck(s, mended) : status;
    }
    return status;
}

/* What can go back to its server, and all still fit, does: the lightest first, since they bought least. */
static void take_back(sgp_scale *s)
{
    for (uint32_t i = s->b->count; i-- > 0;) {
        uint32_t task = s->order[i], from = s->b->target[task], to = s->b->serve[task];
        if (sgp_scale_keeps(s, task) && from != to && s->load[from] - s->weight[task] >= s->low[from] &&
            s->load[to] + s->weight[task] <= s->high[to] && sgp_scale_flying(s, task) != from) {
            sgp_scale_move(s, task, from, to);
        }
    }
}

/* The packing, named for whoever serves. */
static int32_t take_packing(sgp_scale *s)
{
    int32_t status = s->packed ? SEGUE_OK : pack(s);
    return status == SEGUE_OK ? sgp_pack_label(s, s->bin) : status;
}

static int serves_anybody(const sgp_scale *s)
{
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (s->b->load[m] > 0) {
            return 1;
        }
    }
    return 0;
}

int32_t sgp_weigh(sgp_scale *s)
{
    int mended = 0;
    int32_t status = serves_anybody(s) ? mend(s, &mended) : SEGUE_OK;
    if (status == SEGUE_OK && !mended) {
        status = take_packing(s);
    }
    if (status == SEGUE_OK) {
        take_back(s);
        status = sgp_search(s);
    }
    keep_counts(s);
    return status;
}
