/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_group.h"

#include "core/sort.h"

#include <string.h>

/* ---- bounds ---- */

/* What the targets so far say. */
typedef struct so_far {
    uint32_t *ends;    /* by member */
    uint64_t released; /* tasks that leave a staying server */
} so_far;

static void look(const sgp_balance *b, so_far *f)
{
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        if (sgp_is_kind(b, t)) {
            uint32_t server = b->serve[t];
            f->ends[b->target[t]]++;
            f->released += server != SEGUE_NONE && b->view->place[server] == SGP_STAYS && b->target[t] != server;
        }
    }
}

static int is_heavy(const sgp_balance *b, const sgp_quota *quota, uint32_t member)
{
    return b->view->place[member] == SGP_STAYS && b->load[member] > quota->ceiling[member];
}

/* What heavy members have more than `level` above their ceilings. */
static uint64_t above(const sgp_balance *b, const sgp_quota *quota, uint32_t level)
{
    uint64_t sum = 0;
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint64_t most = (uint64_t)quota->ceiling[m] + level;
        sum += is_heavy(b, quota, m) && b->load[m] > most ? b->load[m] - most : 0;
    }
    return sum;
}

/* The lowest level down to which heavy members can get with so many tasks released. */
static uint32_t level_of(const sgp_balance *b, const sgp_quota *quota, uint64_t released)
{
    uint32_t level = 0, top = b->count;
    while (level < top) {
        uint32_t middle = level + (top - level) / 2;
        if (above(b, quota, middle) > released) {
            level = middle + 1;
        } else {
            top = middle;
        }
    }
    return level;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void bound_heavy(sgp_rack_bounds *s, const sgp_balance *b, const sgp_quota *quota, uint64_t released)
{
    uint32_t level = level_of(b, quota, released);
    s->heavy = -(int64_t)released;
    for (uint32_t m = 0; level > 0 && m < b->view->members; m++) {
        if (is_heavy(b, quota, m)) {
            s->low[m] = smaller(b->load[m], quota->ceiling[m] + level - 1);
            s->high[m] = smaller(b->load[m], quota->ceiling[m] + level);
            s->pool[m] = SGP_RACK_HEAVY;
            s->heavy += (int64_t)b->load[m] - s->low[m];
        }
    }
}

static void bound_others(sgp_rack_bounds *s, const sgp_balance *b, const sgp_quota *quota, const uint8_t *costly,
                         const so_far *f)
{
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t floor = quota->floor[m], ceiling = quota->ceiling[m], ends = f->ends[m];
        if (b->view->place[m] != SGP_STAYS) {
            continue;
        }
        int fixed = ends < floor || (ends > ceiling && !is_heavy(b, quota, m));
        s->low[m] = fixed ? ends : floor;
        s->high[m] = fixed ? ends : ceiling;
        s->pool[m] = !fixed && costly != NULL && costly[m] && ceiling > floor ? SGP_RACK_BUDGET : SGP_RACK_FREE;
    }
}

/* Some heavy member stays above its ceiling: then others that are heavy may end at theirs in its place. */
static int is_strained(const sgp_balance *b, const sgp_quota *quota, const so_far *f)
{
    for (uint32_t m = 0; m < b->view->members; m++) {
        if (is_heavy(b, quota, m) && f->ends[m] > quota->ceiling[m]) {
            return 1;
        }
    }
    return 0;
}

/* As much as has to be, whatever the budget says: for the roundings (see rounding.c), and for members that cannot give up
 * theirs. */
static uint32_t budget_of(const sgp_rack_bounds *s, const sgp_balance *b, const sgp_quota *quota, const so_far *f,
                          uint32_t budget)
{
    uint32_t others = 0, used = 0;
    int strained = is_strained(b, quota, f);
    for (uint32_t m = 0; m < b->view->members; m++) {
        int counted = s->pool[m] == SGP_RACK_BUDGET;
        others += quota->ceiling[m] > quota->floor[m] && !counted;
        used += counted && (f->ends[m] > s->low[m] || (strained && is_heavy(b, quota, m)));
    }
    uint32_t needed = quota->roundings > others ? quota->roundings - others : 0;
    needed = needed > used ? needed : used;
    return needed > budget ? needed : budget;
}

int32_t sgp_rack_bounds_set(sgp_rack_bounds *s, const sgp_balance *b, const sgp_quota *quota, const uint8_t *costly,
                            uint32_t budget)
{
    const uint32_t members = b->view->members;
    so_far f = {.ends = SGP_TAKE_ZERO(b->region, uint32_t, members)};
    s->low = SGP_TAKE_ZERO(b->region, uint32_t, members);
    s->high = SGP_TAKE_ZERO(b->region, uint32_t, members);
    s->pool = SGP_TAKE_ZERO(b->region, uint8_t, members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    look(b, &f);
    bound_others(s, b, quota, costly, &f);
    s->budget = budget_of(s, b, quota, &f, budget);
    bound_heavy(s, b, quota, f.released);
    return SEGUE_OK;
}

/* ---- groups ---- */

/* Members that learn something of a class stand alone. */
static int32_t mark_alone(const sgp_balance *b, const sgp_rack_classes *classes, uint8_t *alone)
{
    for (uint32_t m = 0; m < b->view->members; m++) {
        alone[m] = b->load[m] > 0;
    }
    for (uint32_t i = 0; i < classes->count; i++) {
        if (classes->list[i].learner != SEGUE_NONE) {
            alone[classes->list[i].learner] = 1;
        }
    }
    return SEGUE_OK;
}

/* hub, alone, low and member from the top down; the border's limits keep them apart. */
static uint64_t key_of(const sgp_balance *b, const sgp_rack_bounds *s, const sgp_rack_cost *cost, const uint8_t *alone,
                       uint32_t member)
{
    uint64_t hub = (uint64_t)cost->place[member] * 2 + b->receives[member];
    return hub << 45 | (uint64_t)alone[member] << 44 | (uint64_t)(s->low[member] & 0xffffff) << 20 | member;
}

static int joins(const sgp_rack_groups *g, const sgp_rack_group *fresh, int alone)
{
    const sgp_rack_group *last = g->count > 0 ? &g->list[g->count - 1] : NULL;
    return !alone && last != NULL && last->load == 0 && last->hub == fresh->hub && last->low == fresh->low &&
           last->high == fresh->high && last->threads == fresh->threads && last->pool == fresh->pool;
}

static void add(sgp_rack_groups *g, const sgp_balance *b, const sgp_rack_bounds *s, uint32_t row, uint32_t hub, int alone)
{
    uint32_t m = g->member[row];
    sgp_rack_group fresh = {hub, s->low[m], s->high[m], b->view->threads[m], b->load[m], row, 1, s->pool[m]};
    if (joins(g, &fresh, alone)) {
        g->list[g->count - 1].count++;
    } else {
        g->list[g->count++] = fresh;
    }
    g->of_member[m] = g->count - 1;
}

int32_t sgp_rack_groups_build(sgp_rack_groups *g, const sgp_balance *b, const sgp_rack_bounds *s,
                              const sgp_rack_cost *cost, const sgp_rack_classes *classes)
{
    const uint32_t members = b->view->members;
    uint32_t staying = 0;
    uint8_t *alone = SGP_TAKE(b->region, uint8_t, members);
    uint64_t *key = SGP_TAKE(b->region, uint64_t, members), *spare = SGP_TAKE(b->region, uint64_t, members);
    *g = (sgp_rack_groups){.list = SGP_TAKE(b->region, sgp_rack_group, members), .hubs = cost->places * 2};
    g->member = SGP_TAKE(b->region, uint32_t, members);
    g->of_member = SGP_TAKE(b->region, uint32_t, members);
    if (b->region->failed || mark_alone(b, classes, alone) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < members; m++) {
        g->of_member[m] = SEGUE_NONE;
        if (b->view->place[m] == SGP_STAYS) {
            key[staying++] = key_of(b, s, cost, alone, m);
        }
    }
    sgp_sort(key, spare, staying);
    for (uint32_t i = 0; i < staying; i++) {
        g->member[i] = (uint32_t)(key[i] & 0xfffff);
        add(g, b, s, i, (uint32_t)(key[i] >> 45), (int)(key[i] >> 44 & 1));
    }
    return SEGUE_OK;
}
