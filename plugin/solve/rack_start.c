/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_start.h"

#include <string.h>

/* ---- what is given up ---- */

static void find_least(const sgp_rack_graph *g)
{
    for (uint32_t i = 0; i < g->lots->count; i++) {
        const sgp_rack_lot *lot = &g->lots->list[i];
        uint32_t least = SEGUE_NONE, traffic = 0;
        for (uint32_t hub = 0; hub < g->groups->hubs; hub++) {
            uint32_t here = sgp_rack_cost_of(g->cost, lot->vector, hub / 2);
            if (g->hub_slot[lot->served][hub] != SEGUE_NONE && (least == SEGUE_NONE || here < traffic)) {
                least = hub;
                traffic = here;
            }
        }
        g->least[i] = least;
    }
}

/* What each task of a served class costs more where it is cheapest; INT64_MAX: it can go nowhere. */
static int64_t extra(const sgp_rack_graph *g, uint32_t class)
{
    const sgp_rack_class *c = &g->classes->list[class];
    const uint32_t hub = g->least[g->lots->of_class[class]];
    return hub == SEGUE_NONE ? INT64_MAX : (int64_t)sgp_rack_cost_of(g->cost, c->vector, hub / 2) -
                                               sgp_rack_cost_of(g->cost, c->vector, g->cost->place[c->server]);
}

/* Classes of one server, or of those that it stands for. */
typedef struct server {
    const sgp_rack_graph *g;
    uint32_t group, first, behind; /* rows in the list of classes */
    int64_t excess;                /* tasks that have to leave, unless others do */
} server;

enum sign { CHEAPER, EQUAL, DEARER, SIGNS };

/* Gives up classes of that sign: all, or as many as have to leave. */
static void give(server *s, enum sign sign, int all)
{
    const sgp_rack_graph *g = s->g;
    for (uint32_t i = s->first; i < s->behind && (all || s->excess > 0); i++) {
        const sgp_rack_class *c = &g->classes->list[i];
        const int64_t more = extra(g, i);
        const uint32_t tasks = c->count * g->groups->list[s->group].count;
        if (g->given[i] || more == INT64_MAX || (more < 0 ? CHEAPER : more == 0 ? EQUAL : DEARER) != sign) {
            continue;
        }
        if (all || tasks <= s->excess) {
            g->given[i] = 1;
            s->excess -= tasks;
        } else if (!g->evens) {
            sgp_rack_cell_at(g, s->group, 0)->next = i;
            s->excess = 0;
        }
    }
}

static void give_up(const sgp_rack_graph *g)
{
    const sgp_rack_classes *classes = g->classes;
    for (server s = {.g = g}; s.first < classes->count; s.first = s.behind) {
        const uint32_t member = classes->list[s.first].server;
        for (s.behind = s.first; s.behind < classes->count && classes->list[s.behind].server == member;) {
            s.behind++;
        }
        if (member == SEGUE_NONE || g->groups->model[s.first] != s.first) {
            continue;
        }
        s.group = g->groups->of_member[member];
        const sgp_rack_group *group = &g->groups->list[s.group];
        s.excess = (int64_t)group->load - (int64_t)group->high * group->count;
        if (!g->balance->moves_first && sgp_rack_hub_is_open(g, group->hub)) {
            give(&s, CHEAPER, 1);
        }
        for (int sign = CHEAPER; sign < SIGNS; sign++) {
            give(&s, (enum sign)sign, 0);
        }
    }
}

/* ---- what is taken ---- */

/* Tasks of each subtopology, of the balance's kind. */
static void count_tasks(const sgp_rack_graph *g, uint32_t *tasks)
{
    const sgp_balance *b = g->balance;
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        tasks[b->view->group->task_subtopology[t]] += (uint32_t)sgp_is_kind(b, t);
    }
}

static void set_shares(const sgp_rack_graph *g, const uint32_t *tasks)
{
    const uint64_t capacity = g->balance->view->capacity;
    for (uint32_t s = 0; s < g->parts; s++) {
        uint32_t threads = 0, low = 0, high = 0; /* most have as many as the one before; nobody has none */
        for (uint32_t i = 0; i < g->groups->count; i++) {
            const sgp_rack_group *of = &g->groups->list[i];
            sgp_rack_cell *cell = sgp_rack_cell_at(g, i, s);
            if (of->threads != threads) {
                uint64_t share = (uint64_t)tasks[s] * of->threads;
                threads = of->threads;
                low = (uint32_t)(share / capacity);
                high = low + (share % capacity > 0);
            }
            cell->low = low * of->count;
            cell->high = high * of->count;
        }
    }
}

/* Subtopologies are balanced, so that a member that serves stands for nobody else. */
static void count_cells(const sgp_rack_graph *g)
{
    for (uint32_t i = 0; i < g->classes->count; i++) {
        const sgp_rack_class *c = &g->classes->list[i];
        if (c->server != SEGUE_NONE) {
            sgp_rack_cell *cell = sgp_rack_cell_of(g, c->server, c->part);
            cell->own += c->count;
            cell->kept += g->given[i] ? 0 : c->count;
            if (!g->given[i] && (cell->next == SEGUE_NONE || extra(g, i) < extra(g, cell->next))) {
                cell->next = i;
            }
        }
        if (c->learner != SEGUE_NONE) {
            sgp_rack_cell_of(g, c->learner, c->part)->learned++;
        }
    }
}

/* What leaves its server, or has none, comes to its cheapest hub. */
static void bring(const sgp_rack_graph *g)
{
    for (uint32_t i = 0; i < g->classes->count; i++) {
        const sgp_rack_class *c = &g->classes->list[i];
        uint32_t hub = g->least[g->lots->of_class[i]];
        if (hub != SEGUE_NONE && (c->server == SEGUE_NONE || g->given[i])) {
            g->waiting[hub * g->parts + c->part] += c->count;
        }
    }
}

/* What a group lacks to end as near as it can to what it has. */
static int64_t lacks(const sgp_rack_graph *g, uint32_t group)
{
    const sgp_rack_group *of = &g->groups->list[group];
    int64_t low = (int64_t)of->low * of->count, high = (int64_t)of->high * of->count, load = of->load, kept = 0;
    for (uint32_t s = 0; s < g->parts; s++) {
        kept += sgp_rack_cell_at(g, group, s)->kept;
    }
    return (load < low ? low : load > high ? high : load) - kept;
}

/* Groups of one hub, among which it deals. */
typedef struct table {
    const sgp_rack_graph *g;
    uint32_t first, behind; /* groups */
    uint32_t *turn;         /* by hub: whose it is, counted from the first */
    int64_t *want;          /* by group */
} table;

enum rounds { TO_FLOOR, WANTED, TO_CEILING, ROUNDS };

/* One round of what waits at the hub of one subtopology: a cell takes all up to its bound, or nothing. */
static void deal_round(const table *t, uint32_t hub, uint32_t part, int round, uint32_t *waiting)
{
    const sgp_rack_graph *g = t->g;
    uint32_t groups = t->behind - t->first, start = t->turn[hub];
    for (uint32_t k = 0; k < groups && *waiting > 0; k++) {
        uint32_t at = start + k < groups ? start + k : start + k - groups, group = t->first + at;
        sgp_rack_cell *cell = sgp_rack_cell_at(g, group, part);
        uint32_t has = cell->kept + cell->taken, to = round == TO_FLOOR ? cell->low : cell->high;
        if (has < to && to - has <= *waiting && (round != WANTED || to - has <= t->want[group])) {
            cell->taken += to - has;
            *waiting -= to - has;
            t->want[group] -= to - has;
            t->turn[hub] = at + 1 < groups ? at + 1 : 0;
        }
    }
}

static void deal(const sgp_rack_graph *g, table *t)
{
    for (uint32_t hub = 0; hub < g->groups->hubs; hub++) {
        t->first = t->behind;
        while (t->behind < g->groups->count && g->groups->list[t->behind].hub == hub) {
            t->behind++;
        }
        for (uint32_t s = 0; t->first < t->behind && s < g->parts; s++) {
            for (int round = TO_FLOOR; round < ROUNDS; round++) {
                deal_round(t, hub, s, round, &g->waiting[hub * g->parts + s]);
            }
        }
    }
}

static int32_t fill_cells(const sgp_rack_graph *g)
{
    sgp_region *region = g->balance->region;
    uint32_t *tasks = SGP_TAKE_ZERO(region, uint32_t, g->parts);
    table t = {.g = g, .turn = SGP_TAKE_ZERO(region, uint32_t, g->groups->hubs)};
    t.want = SGP_TAKE(region, int64_t, g->groups->count);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_tasks(g, tasks);
    set_shares(g, tasks);
    count_cells(g);
    bring(g);
    for (uint32_t i = 0; i < g->groups->count; i++) {
        t.want[i] = lacks(g, i);
    }
    deal(g, &t);
    return SEGUE_OK;
}

int32_t sgp_rack_start(sgp_rack_graph *g)
{
    sgp_region *region = g->balance->region;
    g->least = SGP_TAKE(region, uint32_t, g->lots->count);
    g->given = SGP_TAKE_ZERO(region, uint8_t, g->classes->count);
    g->waiting = SGP_TAKE_ZERO(region, uint32_t, (size_t)g->groups->hubs * g->parts);
    g->cells = SGP_TAKE_ZERO(region, sgp_rack_cell, (size_t)g->groups->count * g->parts);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < g->groups->count * g->parts; i++) {
        g->cells[i].next = SEGUE_NONE;
    }
    find_least(g);
    give_up(g);
    return g->evens ? fill_cells(g) : SEGUE_OK;
}
