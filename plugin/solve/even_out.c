/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/even_out.h"

#include "solve/tags.h"

/* The rows of one role as a list for each client, by task ascending. A row belongs to task row / rows_per_task. */
typedef struct lists {
    sgp_clients *clients;
    const sgp_layout *layout;
    sgp_deadline *deadline;
    sgp_tags tags;    /* none where actives are evened out */
    uint32_t *holder; /* by row */
    uint32_t rows_per_task;
    uint32_t *first; /* by client: its first row + 1 */
    uint32_t *next;  /* by row: the next row + 1 */
} lists;

static void link_rows(lists *l)
{
    for (uint32_t row = l->layout->tasks * l->rows_per_task; row-- > 0;) {
        uint32_t client = l->holder[row];
        if (client != SEGUE_NONE) {
            l->next[row] = l->first[client];
            l->first[client] = row + 1;
        }
    }
}

/* Would the giver still be as heavy as the receiver, by threads, after one task has moved? */
static int may_give(const sgp_clients *c, uint32_t giver, uint32_t receiver)
{
    return c->load[giver] > 0 && (uint64_t)(c->load[receiver] + 1) * c->threads[giver] <=
                                     (uint64_t)(c->load[giver] - 1) * c->threads[receiver];
}

/* Unlinks the row at *from and links it behind the last row of a lower task, on from *to; both are links of lists. */
static uint32_t *relink(lists *l, uint32_t *from, uint32_t *to)
{
    uint32_t row = *from - 1;
    *from = l->next[row];
    while (*to != 0 && *to <= row) {
        to = &l->next[*to - 1];
    }
    l->next[row] = *to;
    *to = row + 1;
    return to;
}

static int give(lists *l, uint32_t giver, uint32_t receiver)
{
    sgp_clients *c = l->clients;
    uint32_t *from = &l->first[giver], *to = &l->first[receiver];
    int gave = 0;
    while (*from != 0 && may_give(c, giver, receiver)) {
        uint32_t row = *from - 1;
        if (sgp_takes_part(l->layout, row / l->rows_per_task, receiver)) {
            from = &l->next[row];
            continue;
        }
        to = relink(l, from, to);
        l->holder[row] = receiver;
        c->load[giver]--;
        c->load[receiver]++;
        gave = 1;
    }
    return gave;
}

/* The one that gives rise to the most trades: nobody can give to another who cannot give to it. */
static uint32_t find_lightest(const sgp_clients *c)
{
    uint32_t lightest = SEGUE_NONE;
    for (uint32_t p = 0; p < c->count; p++) {
        if (c->threads[p] > 0 && (lightest == SEGUE_NONE || (uint64_t)(c->load[p] + 1) * c->threads[lightest] <
                                                                (uint64_t)(c->load[lightest] + 1) * c->threads[p])) {
            lightest = p;
        }
    }
    return lightest;
}

static int give_to_all(lists *l, uint32_t giver)
{
    const sgp_clients *c = l->clients;
    int gave = 0;
    for (uint32_t p = 0; p < c->count; p++) {
        if (c->threads[p] > 0 && p != giver && may_give(c, giver, p) && sgp_tags_cover(&l->tags, giver, p)) {
            gave |= give(l, giver, p);
        }
    }
    return gave;
}

static int pass(lists *l)
{
    const sgp_clients *c = l->clients;
    uint32_t lightest = find_lightest(c);
    int gave = 0;
    for (uint32_t p = 0; p < c->count && !sgp_deadline_passed(l->deadline); p++) {
        if (c->threads[p] > 0 && may_give(c, p, lightest) && give_to_all(l, p)) {
            lightest = find_lightest(c);
            gave = 1;
        }
    }
    return gave;
}

int32_t sgp_even_out(sgp_clients *c, sgp_layout *layout, enum sgp_evened role, sgp_deadline *deadline,
                     sgp_region *region)
{
    int standbys = role == SGP_EVEN_STANDBYS;
    lists l = {.clients = c, .layout = layout, .deadline = deadline, .holder = standbys ? layout->standby : layout->active,
               .rows_per_task = standbys ? layout->ranks : 1};
    l.first = SGP_TAKE_ZERO(region, uint32_t, c->count);
    l.next = SGP_TAKE(region, uint32_t, (size_t)layout->tasks * l.rows_per_task);
    if (region->failed || (standbys && sgp_tags_build(&l.tags, c->view, region) != SEGUE_OK)) {
        return SEGUE_E_MEMORY;
    }
    link_rows(&l);
    while (c->present > 1 && pass(&l) && !sgp_deadline_look(deadline)) {
    }
    return SEGUE_OK;
}
