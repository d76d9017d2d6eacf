/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/balance.h"

#include "core/counts.h"
#include "solve/deal.h"
#include "solve/match.h"
#include "solve/rack_target.h"
#include "solve/release.h"
#include "solve/rounding.h"
#include "solve/weigh.h"

#include <string.h>

static int32_t take_columns(sgp_balance *b)
{
    uint32_t members = b->view->members;
    b->want = SGP_TAKE(b->region, uint32_t, members);
    b->surplus = SGP_TAKE(b->region, uint32_t, members);
    b->deficit = SGP_TAKE(b->region, uint32_t, members);
    return b->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* What the accounts come to. All of it is tasks, of which there are few enough for 32 bits. */
typedef struct totals {
    uint32_t surplus, deficit;
    uint32_t room; /* of the deficit what may be filled with released tasks */
} totals;

static totals add_up(const sgp_balance *b)
{
    const uint32_t members = b->view->members, *surplus = b->surplus, *deficit = b->deficit;
    const uint8_t *receives = b->receives;
    totals t = {0, 0, 0};
    for (uint32_t m = 0; m < members; m++) {
        t.surplus += surplus[m];
        t.deficit += deficit[m];
        t.room += deficit[m] & (0 - (uint32_t)receives[m]);
    }
    return t;
}

static totals open_accounts(sgp_balance *b)
{
    const uint32_t members = b->view->members, *load = b->load, *want = b->want;
    uint32_t *restrict surplus = b->surplus, *restrict deficit = b->deficit;
    const uint8_t *place = b->view->place;
    const uint32_t gives = b->view->nobody_stays ? 0 : UINT32_MAX;
    for (uint32_t m = 0; m < members; m++) {
        uint32_t stays = 0 - (uint32_t)(place[m] == SGP_STAYS);
        surplus[m] = sgp_above(load[m], want[m]) & stays & gives;
        deficit[m] = sgp_above(want[m], load[m]) & stays;
    }
    return add_up(b);
}

static uint32_t count_load(const sgp_balance *b)
{
    const uint32_t members = b->view->members, *load = b->load;
    uint32_t all = 0;
    for (uint32_t m = 0; m < members; m++) {
        all += load[m];
    }
    return all;
}

/* Nothing waits for a target, and nobody has to give up what somebody should get. */
static int is_done(const sgp_balance *b, const totals *t)
{
    return b->pending == 0 && (t->surplus == 0 || t->room == 0);
}

/* Whoever serves anything keeps it. */
static int all_keep(const sgp_balance *b)
{
    return sgp_is_only_kind(b) && b->view->staying == b->view->members;
}

static void take_servers_aside(sgp_balance *b)
{
    if (!b->by_blocks || b->pending == b->count) {
        memcpy(b->aside, b->serve, b->count * sizeof *b->aside);
    }
    for (uint32_t from = 0; b->by_blocks && b->pending < b->count && from < b->count; from += SGP_SCAN_BLOCK) {
        if (b->marks[from / SGP_SCAN_BLOCK]) {
            sgp_take_aside(b, from);
        }
    }
    b->serve = b->aside;
}

/* Targets to start from: who serves a task keeps it, but for those that do not stay. */
static void keep_all(sgp_balance *b)
{
    const int all = all_keep(b);
    b->marks = all && b->serve_will_do ? b->view->vacant : NULL;
    b->by_blocks = b->by_blocks && b->marks != NULL;
    if (b->serve == b->target) {
        take_servers_aside(b);
    } else if (all) {
        memcpy(b->target, b->serve, b->count * sizeof *b->target);
    }
    if (all) {
        return;
    }
    b->pending = 0;
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        if (sgp_is_kind(b, t)) {
            uint32_t server = b->serve[t];
            int keeps = server != SEGUE_NONE && b->view->place[server] == SGP_STAYS;
            b->target[t] = keeps ? server : SEGUE_NONE;
            b->pending += !keeps;
        }
    }
}

/* How many tasks are given by those that give down to a level of surplus. */
static uint32_t count_above(const sgp_balance *b, uint32_t level)
{
    const uint32_t members = b->view->members, *surplus = b->surplus;
    uint32_t above = 0;
    for (uint32_t m = 0; m < members; m++) {
        above += sgp_above(surplus[m], level);
    }
    return above;
}

/* Fills give[] with the surplus, cut down to what there is room for: the largest surpluses give first. */
static void cut_surplus(const sgp_balance *b, const totals *t, uint32_t room, uint32_t *give)
{
    const uint32_t members = b->view->members, *surplus = b->surplus;
    uint32_t level = 0, top = 0;
    if (t->surplus <= room) {
        memcpy(give, surplus, members * sizeof *give);
        return;
    }
    for (uint32_t m = 0; m < members; m++) {
        top += sgp_above(surplus[m], top);
    }
    while (level < top) {
        uint32_t middle = level + (top - level) / 2;
        if (count_above(b, middle) > room) {
            level = middle + 1;
        } else {
            top = middle;
        }
    }
    room -= count_above(b, level);
    for (uint32_t m = 0; m < members; m++) {
        uint32_t more = room > 0 && surplus[m] >= level;
        give[m] = sgp_above(surplus[m], level) + more;
        room -= more;
    }
}

/* Members that take no released tasks fill up with the others first, which leaves the receivers' room to the surplus. */
static int32_t deal_to_keepers(sgp_balance *b)
{
    const uint32_t members = b->view->members;
    const uint8_t *receives = b->receives;
    uint8_t *restrict takes = SGP_TAKE(b->region, uint8_t, members);
    if (takes == NULL) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < members; m++) {
        takes[m] = !receives[m];
    }
    return sgp_deal(b, takes, 1);
}

/*
 * Everything that is pending finds room: what all should hold adds up to the tasks of the kind, so that what is lacking is
 * as much as what is pending and what is too much together, and no more is released than receivers have room for.
 */
static int32_t deal_pending(sgp_balance *b, const totals *t)
{
    uint32_t *give = SGP_TAKE(b->region, uint32_t, b->view->members);
    if (b->region->failed || (t->deficit > t->room && deal_to_keepers(b) != SEGUE_OK)) {
        return SEGUE_E_MEMORY;
    }
    if (t->surplus > 0 && t->room > b->pending) {
        cut_surplus(b, t, t->room - b->pending, give);
        if (sgp_release(b, give) != SEGUE_OK) {
            return SEGUE_E_MEMORY;
        }
    }
    return sgp_deal(b, b->receives, 0);
}

int32_t sgp_balance_find_targets(sgp_balance *b)
{
    totals t = open_accounts(b);
    b->pending = all_keep(b) ? b->count - count_load(b) : 0;
    b->unchanged = all_keep(b) && is_done(b, &t);
    if (b->unchanged && b->serve_will_do) {
        return SEGUE_OK;
    }
    keep_all(b);
    b->unchanged = is_done(b, &t);
    if (b->unchanged) {
        return SEGUE_OK;
    }
    if (sgp_anything_to_match(b)) {
        if (sgp_match_copies(b) != SEGUE_OK) {
            return SEGUE_E_MEMORY;
        }
        t = add_up(b);
    }
    return deal_pending(b, &t);
}

/* By counts, and by what they leave open: racks, and the spread of subtopologies. */
static int32_t balance_counts(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    if (sgp_round_up(b, quota, costly, budget) != SEGUE_OK || sgp_balance_find_targets(b) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    int buys = b->buys_spread && !b->view->nobody_stays && b->view->staying > 1;
    return (b->racks || buys) && b->scale == NULL ? sgp_rack_target(b, quota, costly, budget) : SEGUE_OK;
}

/* By what tasks weigh, and by counts where that fits (weigh.h). */
static int32_t find_by_weights(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    int kept = 0;
    int32_t status = sgp_weigh_keep(b->scale, &kept);
    if (status != SEGUE_OK || kept) {
        return status;
    }
    if (sgp_weigh_asks_quota(b->scale)) {
        status = balance_counts(b, quota, costly, budget);
        if (status != SEGUE_OK || sgp_weigh_quota_fits(b->scale)) {
            return status;
        }
    }
    b->unchanged = 0;
    return sgp_weigh(b->scale);
}

static int32_t balance_weights(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    int32_t status = find_by_weights(b, quota, costly, budget);
    return status == SEGUE_OK && b->racks ? sgp_rack_choose(b) : status;
}

int32_t sgp_balance_run(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    b->cut = 0;
    b->min_traffic = 0;
    if (b->count == 0) {
        return SEGUE_OK;
    }
    if (take_columns(b) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    return b->scale == NULL ? balance_counts(b, quota, costly, budget) : balance_weights(b, quota, costly, budget);
}
