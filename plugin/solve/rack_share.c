/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_share.h"

/* ---- what is given ---- */

typedef struct sharer {
    const sgp_rack_graph *g;
    uint32_t *place; /* by member: in its group */
    uint32_t *given; /* by model: all that leaves */
    uint32_t *turn;  /* by model: the first member that gives one more */
} sharer;

/* How many members stand behind a class. */
static uint32_t members_of(const sharer *s, uint32_t class)
{
    uint32_t server = s->g->classes->list[class].server;
    return server == SEGUE_NONE ? 1 : s->g->groups->list[s->g->groups->of_member[server]].count;
}

static void place_members(const sharer *s)
{
    const sgp_rack_groups *groups = s->g->groups;
    for (uint32_t i = 0; i < groups->count; i++) {
        for (uint32_t k = 0; k < groups->list[i].count; k++) {
            s->place[groups->member[groups->list[i].first + k]] = k;
        }
    }
}

static uint32_t amount(const sharer *s, uint32_t arc, uint32_t without)
{
    return arc == SEGUE_NONE ? without : (uint32_t)s->g->flow.amount[arc];
}

/* Classes come by server, so that a member's turns follow each other. */
static void take_turns(const sharer *s)
{
    const sgp_rack_classes *classes = s->g->classes;
    uint32_t turn = 0;
    for (uint32_t i = 0; i < classes->count; i++) {
        if (s->g->groups->model[i] != i) {
            continue;
        }
        turn = i > 0 && classes->list[i - 1].server == classes->list[i].server ? turn : 0;
        s->turn[i] = turn;
        s->given[i] = amount(s, s->g->own_arc[i], classes->list[i].count) - amount(s, s->g->learner_arc[i], 0);
        turn = (turn + s->given[i]) % members_of(s, i);
    }
}

static uint32_t gives(const sharer *s, uint32_t class)
{
    uint32_t model = s->g->groups->model[class], count = members_of(s, class);
    uint32_t server = s->g->classes->list[class].server, place = server == SEGUE_NONE ? 0 : s->place[server];
    uint32_t behind = (place + count - s->turn[model]) % count;
    return s->given[model] / count + (behind < s->given[model] % count);
}

int32_t sgp_rack_share_out(const sgp_rack_graph *g, uint32_t *leaving)
{
    sgp_region *region = g->balance->region;
    const uint32_t classes = g->classes->count;
    sharer s = {.g = g};
    s.place = SGP_TAKE(region, uint32_t, g->balance->view->members);
    s.given = SGP_TAKE(region, uint32_t, classes);
    s.turn = SGP_TAKE(region, uint32_t, classes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    place_members(&s);
    take_turns(&s);
    for (uint32_t i = 0; i < classes; i++) {
        leaving[i] = gives(&s, i);
    }
    return SEGUE_OK;
}

/* ---- what is taken ---- */

static uint32_t tasks_on(const sgp_rack_graph *g, uint32_t arc)
{
    return arc == SEGUE_NONE ? 0 : (uint32_t)g->flow.amount[arc];
}

static uint32_t from_hub(const sgp_rack_graph *g, const sgp_rack_cell *c)
{
    uint32_t arcs = c->node != SEGUE_NONE ? 1 : (uint32_t)(c->low > 0) + (uint32_t)(c->high > c->low), tasks = 0;
    for (uint32_t i = 0; c->arc != SEGUE_NONE && i < arcs; i++) {
        tasks += (uint32_t)g->flow.amount[c->arc + i];
    }
    return tasks;
}

/* Groups come by hub. */
static void share_spills(const sgp_rack_graph *g, uint32_t *taken)
{
    uint32_t last = SEGUE_NONE, part = 0, left = 0;
    for (uint32_t i = 0; i < g->groups->count; i++) {
        const uint32_t hub = g->groups->list[i].hub;
        if (hub != last) {
            last = hub;
            part = 0;
            left = tasks_on(g, g->spill_arc[(size_t)hub * g->parts]);
        }
        for (uint32_t want = tasks_on(g, g->spilled_arc[i]); want > 0;) {
            while (left == 0) {
                left = tasks_on(g, g->spill_arc[(size_t)hub * g->parts + ++part]);
            }
            uint32_t now = want < left ? want : left;
            taken[(size_t)part * g->groups->count + i] += now;
            want -= now;
            left -= now;
        }
    }
}

void sgp_rack_share_taken(const sgp_rack_graph *g, uint32_t *taken)
{
    for (uint32_t i = 0; i < g->groups->count * g->parts; i++) {
        taken[i] = from_hub(g, &g->cells[i]);
    }
    if (g->evens) {
        share_spills(g, taken);
    }
}
