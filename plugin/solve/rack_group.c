/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_group.h"

#include "core/sort.h"
#include "solve/rack_profile.h"

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
    s->heavy = level > 0 ? -(int64_t)released : 0;
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

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What the heavy ones have in the targets so far above what they will end with: others keep that in their place, since no
 * more is released. */
static uint32_t left_to_others(const sgp_rack_bounds *s, const sgp_balance *b, const sgp_quota *quota, const so_far *f)
{
    int64_t left = 0;
    for (uint32_t m = 0; m < b->view->members; m++) {
        if (is_heavy(b, quota, m)) {
            int pooled = s->pool[m] == SGP_RACK_HEAVY;
            uint32_t most = pooled ? s->low[m] : s->high[m];
            left += pooled || f->ends[m] > most ? (int64_t)f->ends[m] - most : 0;
        }
    }
    left -= s->heavy;
    return left > 0 ? (uint32_t)left : 0;
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
    used += strained ? left_to_others(s, b, quota, f) : 0;
    return larger(larger(needed, used), budget);
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
    bound_heavy(s, b, quota, f.released);
    s->budget = budget_of(s, b, quota, &f, budget);
    return SEGUE_OK;
}

/* ---- groups ---- */

int sgp_rack_has_slots(const sgp_balance *b)
{
    const segue_config *config = b->view->config;
    return b->stateful && (config->max_learners != SEGUE_NO_LIMIT ||
                           config->max_learners_per_member != SEGUE_NO_LIMIT || config->max_learning_bytes >= 0);
}

/* hub, profile and member from the top down; the border's limits keep them apart. */
static uint64_t key_of(const sgp_balance *b, const sgp_rack_cost *cost, uint32_t profile, uint32_t member)
{
    uint64_t hub = (uint64_t)cost->place[member] * 2 + b->receives[member];
    return hub << 40 | (uint64_t)profile << 20 | member;
}

/* Members come by hub and profile. */
static void add(sgp_rack_groups *g, const sgp_balance *b, const sgp_rack_bounds *s, uint32_t row, uint32_t hub,
                const uint32_t *profile)
{
    uint32_t m = g->member[row];
    if (row == 0 || profile[g->member[row - 1]] != profile[m]) {
        g->list[g->count++] =
            (sgp_rack_group){hub, s->low[m], s->high[m], b->view->threads[m], 0, row, 0, s->pool[m]};
    }
    sgp_rack_group *group = &g->list[g->count - 1];
    group->load += b->load[m];
    group->count++;
    g->of_member[m] = g->count - 1;
}

static void count_models(sgp_rack_groups *g, const sgp_rack_classes *classes)
{
    for (uint32_t i = 0; i < classes->count; i++) {
        g->models += g->model[i] == i;
    }
}

int32_t sgp_rack_groups_build(sgp_rack_groups *g, const sgp_balance *b, const sgp_rack_bounds *s,
                              const sgp_rack_cost *cost, const sgp_rack_classes *classes, int by_subtopology)
{
    const uint32_t members = b->view->members;
    uint32_t staying = 0;
    sgp_rack_profiles profiles;
    uint64_t *key = SGP_TAKE(b->region, uint64_t, members), *spare = SGP_TAKE(b->region, uint64_t, members);
    *g = (sgp_rack_groups){.list = SGP_TAKE(b->region, sgp_rack_group, members), .hubs = cost->places * 2};
    g->member = SGP_TAKE(b->region, uint32_t, members);
    g->of_member = SGP_TAKE(b->region, uint32_t, members);
    if (b->region->failed || sgp_rack_profiles_build(&profiles, b, s, cost, classes, by_subtopology) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < members; m++) {
        g->of_member[m] = SEGUE_NONE;
        if (b->view->place[m] == SGP_STAYS) {
            key[staying++] = key_of(b, cost, profiles.of_member[m], m);
        }
    }
    sgp_sort(key, spare, staying);
    for (uint32_t i = 0; i < staying; i++) {
        g->member[i] = (uint32_t)(key[i] & 0xfffff);
        add(g, b, s, i, (uint32_t)(key[i] >> 40), profiles.of_member);
    }
    g->model = profiles.model;
    count_models(g, classes);
    return SEGUE_OK;
}
