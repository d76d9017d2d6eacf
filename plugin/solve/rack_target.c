/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_target.h"

#include "solve/rack_exchange.h"
#include "solve/rack_expand.h"
#include "solve/rack_solve.h"
#include "solve/weigh_scale.h"

int sgp_rack_wanted(const sgp_view *view)
{
    return view->config->rack_strategy != SEGUE_RACK_NONE && sgp_racks_known(view->group) && !view->nobody_stays &&
           view->staying > 1;
}

/* Members end with what they have now, where that is within their quota. */
static void set_wants(sgp_balance *b, const sgp_quota *quota, uint32_t *ends)
{
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        if (sgp_is_kind(b, t)) {
            ends[b->target[t]]++;
        }
    }
    for (uint32_t m = 0; m < b->view->members; m++) {
        if (b->view->place[m] == SGP_STAYS && ends[m] >= quota->floor[m] && ends[m] <= quota->ceiling[m]) {
            b->want[m] = ends[m];
        }
    }
}

static int32_t adopt(sgp_balance *b, sgp_rack_graph *g, const sgp_quota *quota)
{
    uint32_t *ends = SGP_TAKE_ZERO(b->region, uint32_t, b->view->members);
    if (b->region->failed || sgp_rack_expand(g, b->target) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    set_wants(b, quota, ends);
    b->unchanged = 0;
    b->min_traffic = g->bound;
    return SEGUE_OK;
}

/* The graph's parts but its flow are set. b->cut says whether somebody would have had to wait too long. */
static int32_t find_optimum(sgp_balance *b, sgp_rack_graph *g, const sgp_quota *quota, const sgp_rack_bounds *bounds,
                            int by_subtopology)
{
    b->cut = !sgp_rack_graph_open(g, by_subtopology) || sgp_deadline_look(b->deadline);
    if (b->cut) {
        return SEGUE_OK;
    }
    if (sgp_rack_graph_build(g, bounds) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    b->cut = sgp_rack_graph_solve(g, b->moves_first) != SGP_FLOW_OPTIMAL;
    return b->cut ? SEGUE_OK : adopt(b, g, quota);
}

static int32_t know_costs(const sgp_balance *b)
{
    if (b->costs->is_known) {
        return SEGUE_OK;
    }
    return sgp_rack_wanted(b->view) ? sgp_rack_cost_build(b->costs, b->view, b->deadline, b->region)
                                    : sgp_rack_cost_none(b->costs, b->view, b->region);
}

/* Marks what is open, and returns how much that is. */
static uint32_t find_open(const sgp_balance *b, uint8_t *open)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        open[t] = (uint8_t)sgp_rack_is_open(b, t);
        count += open[t];
    }
    return count;
}

int32_t sgp_rack_target(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    sgp_rack_cost *cost = b->costs;
    sgp_rack_classes classes;
    sgp_rack_groups groups;
    sgp_rack_lots lots;
    sgp_rack_bounds bounds;
    int by_subtopology = b->buys_spread || b->view->config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    const uint32_t *part = by_subtopology ? b->view->group->task_subtopology : NULL;
    uint32_t parts = by_subtopology ? b->view->subtopologies : 1;
    sgp_rack_graph graph = {.balance = b, .cost = cost, .classes = &classes, .groups = &groups, .lots = &lots};
    if (know_costs(b) != SEGUE_OK ||
        sgp_rack_classes_build(&classes, b, cost, part, parts, NULL) != SEGUE_OK ||
        sgp_rack_bounds_set(&bounds, b, quota, costly, budget) != SEGUE_OK ||
        sgp_rack_groups_build(&groups, b, &bounds, cost, &classes, by_subtopology) != SEGUE_OK ||
        sgp_rack_lots_build(&lots, &classes, cost, parts, b->region) != SEGUE_OK ||
        find_optimum(b, &graph, quota, &bounds, by_subtopology) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint8_t *open = SGP_TAKE(b->region, uint8_t, b->view->tasks);
    if (open == NULL) {
        return SEGUE_E_MEMORY;
    }
    return b->cut && find_open(b, open) > 0 ? sgp_rack_exchange(b, cost, &classes, parts, open) : SEGUE_OK;
}

/* Adds all that is served by somebody who could give up another task in place of an open one. */
static int32_t find_choice(const sgp_balance *b, const uint8_t *open, uint8_t *among)
{
    uint8_t *gives = SGP_TAKE_ZERO(b->region, uint8_t, (size_t)b->view->members);
    if (gives == NULL) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t server = open[t] ? sgp_staying_server(b, t) : SEGUE_NONE;
        if (server != SEGUE_NONE) {
            gives[server] = 1;
        }
    }
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t server = sgp_is_kind(b, t) ? sgp_staying_server(b, t) : SEGUE_NONE;
        among[t] = server == SEGUE_NONE ? open[t] : gives[server];
    }
    return SEGUE_OK;
}

/* Tasks of the kind by weight: a part for each. Returns how many. */
static uint32_t number_weights(const sgp_balance *b, uint32_t *part)
{
    const sgp_scale *s = b->scale;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        parts += i == 0 || s->weight[s->order[i - 1]] != s->weight[s->order[i]];
        part[s->order[i]] = parts - 1;
    }
    return parts;
}

int32_t sgp_rack_choose(sgp_balance *b)
{
    sgp_rack_classes classes;
    uint32_t *part = SGP_TAKE(b->region, uint32_t, b->view->tasks);
    uint8_t *open = SGP_TAKE(b->region, uint8_t, b->view->tasks), *among = SGP_TAKE(b->region, uint8_t, b->view->tasks);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    if (find_open(b, open) == 0) {
        return SEGUE_OK;
    }
    uint32_t parts = number_weights(b, part);
    if (find_choice(b, open, among) != SEGUE_OK || know_costs(b) != SEGUE_OK ||
        sgp_rack_classes_build(&classes, b, b->costs, part, parts, among) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    return sgp_rack_exchange(b, b->costs, &classes, parts, open);
}
