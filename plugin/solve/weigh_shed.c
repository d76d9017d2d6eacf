/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_shed.h"

#include "core/sort.h"
#include "solve/weigh_lists.h"

typedef struct shed {
    sgp_scale *s;
    sgp_lists of;
    uint32_t boulders; /* that fit into nobody's range: the heaviest tasks of the order */
    uint32_t *free;    /* by boulder: itself while it has no host, else on the way to the next lighter one without */
    uint8_t *hosts;    /* by member: it gives up all but one of them */
} shed;

static int stays(const sgp_scale *s, uint32_t member)
{
    return s->b->view->place[member] == SGP_STAYS;
}

static const uint32_t *tasks_of(const shed *f, uint32_t member, uint32_t *count)
{
    *count = f->of.start[member + 1] - f->of.start[member];
    return f->of.task + f->of.start[member];
}

static uint32_t count_boulders(const sgp_scale *s)
{
    uint64_t most = 0;
    uint32_t count = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        uint64_t room = s->high[m] - s->carried[m];
        most = stays(s, m) && room > most ? room : most;
    }
    while (count < s->b->count && s->weight[s->order[count]] >= s->boulder && s->weight[s->order[count]] > most) {
        count++;
    }
    return count;
}

static int is_boulder(const shed *f, uint32_t task)
{
    return f->boulders > 0 && f->s->weight[task] >= f->s->weight[f->s->order[f->boulders - 1]];
}

/* The rank on the member of the heaviest task that it may hold alone; `count` where there is none. */
static uint32_t find_held(const sgp_scale *s, uint32_t member, const uint32_t *task, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && s->weight[task[i]] >= s->boulder && !sgp_scale_hosts(s, member, s->weight[task[i]])) {
        i++;
    }
    return i < count && sgp_scale_hosts(s, member, s->weight[task[i]]) ? i : count;
}

/* As many of its heaviest tasks as bring it into its range, or all but a boulder. */
static uint32_t must_leave(const shed *f, uint32_t member)
{
    const sgp_scale *s = f->s;
    uint32_t count, gone = 0;
    const uint32_t *task = tasks_of(f, member, &count);
    uint64_t over = sgp_scale_over(s, member);
    for (; over > 0 && gone < count; gone++) {
        over -= s->weight[task[gone]] < over ? s->weight[task[gone]] : over;
    }
    int alone = find_held(s, member, task, count) < count;
    return alone && count - 1 < gone ? count - 1 : gone;
}

/* Does it have one of the boulders that need hosts, and may keep it? */
static int has_own(const shed *f, uint32_t member, const uint32_t *task, uint32_t count)
{
    uint32_t held = find_held(f->s, member, task, count);
    return held < count && is_boulder(f, task[held]);
}

static uint32_t next_free(const shed *f, uint32_t boulder)
{
    while (f->free[boulder] != boulder) {
        boulder = f->free[boulder] = f->free[f->free[boulder]];
    }
    return boulder;
}

/* A member is a host where one of the boulders that it may hold is still without: the heaviest of these. Of two members one
 * may hold whatever the other may, so that no choice of hosts is cheaper than to take whoever can be one in order of costs. */
static int take_host(shed *f, uint32_t member)
{
    const sgp_scale *s = f->s;
    uint32_t low = 0, high = f->boulders;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sgp_scale_hosts(s, member, s->weight[s->order[middle]])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    uint32_t boulder = next_free(f, low);
    if (boulder < f->boulders) {
        f->free[boulder] = boulder + 1;
    }
    f->hosts[member] = boulder < f->boulders;
    return f->hosts[member];
}

/* The members that are to be hosts, where there are boulders. Returns what they give up beyond what has to leave them. */
static int32_t choose_hosts(shed *f, uint64_t *extra)
{
    const sgp_scale *s = f->s;
    const uint32_t members = s->b->view->members;
    uint64_t *order = SGP_TAKE(s->b->region, uint64_t, members), *spare = SGP_TAKE(s->b->region, uint64_t, members);
    uint32_t candidates = 0;
    f->hosts = SGP_TAKE_ZERO(s->b->region, uint8_t, members);
    f->free = SGP_TAKE(s->b->region, uint32_t, (size_t)f->boulders + 1);
    *extra = 0;
    if (s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i <= f->boulders; i++) {
        f->free[i] = i;
    }
    for (uint32_t m = 0; f->boulders > 0 && m < members; m++) {
        uint32_t count;
        const uint32_t *task = tasks_of(f, m, &count);
        if (stays(s, m)) {
            uint32_t others = count - (uint32_t)has_own(f, m, task, count);
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): of 64 bits, and unsigned */
            order[candidates++] = (uint64_t)(others - must_leave(f, m)) << 32 | m;
        }
    }
    sgp_sort_above(32, order, spare, candidates);
    for (uint32_t i = 0, hosts = 0; hosts < f->boulders && i < candidates; i++) {
        if (take_host(f, (uint32_t)order[i])) {
            *extra += order[i] >> 32;
            hosts++;
        }
    }
    return SEGUE_OK;
}

/* holder[t] by task; the scale is weighed by it. */
static int32_t open_shed(shed *f, sgp_scale *s, const uint32_t *holder, uint64_t *extra)
{
    *f = (shed){.s = s};
    if (sgp_lists_take(&f->of, s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    sgp_lists_fill(&f->of, s, holder, NULL);
    f->boulders = count_boulders(s);
    return choose_hosts(f, extra);
}

static void take_away(sgp_scale *s, uint32_t task, uint32_t member)
{
    s->load[member] -= s->weight[task];
    s->held[member]--;
    s->b->target[task] = SEGUE_NONE;
}

/* Everything but one boulder. */
static void clear_host(const shed *f, uint32_t member)
{
    uint32_t count, kept = 0;
    const uint32_t *task = tasks_of(f, member, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_scale_pins(f->s, task[i], member)) {
            continue;
        }
        if (kept == 0 && is_boulder(f, task[i]) && sgp_scale_hosts(f->s, member, f->s->weight[task[i]])) {
            kept = 1;
            continue;
        }
        take_away(f->s, task[i], member);
    }
}

/* The heaviest first of those that leave enough, and what is too heavy for the member whatever it leaves. */
static void relieve(const shed *f, uint32_t member)
{
    sgp_scale *s = f->s;
    uint32_t count;
    const uint32_t *task = tasks_of(f, member, &count);
    for (uint32_t i = 0; i < count && sgp_scale_over(s, member) > 0; i++) {
        int fits = s->load[member] - s->weight[task[i]] >= s->low[member] ||
                   s->weight[task[i]] > s->high[member] - s->carried[member];
        if (fits && !sgp_scale_pins(s, task[i], member)) {
            take_away(s, task[i], member);
        }
    }
}

int32_t sgp_shed(sgp_scale *s)
{
    shed f;
    uint64_t extra;
    if (open_shed(&f, s, s->b->target, &extra) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (f.hosts[m]) {
            clear_host(&f, m);
        } else if (stays(s, m)) {
            relieve(&f, m);
        }
    }
    return SEGUE_OK;
}

/* Everything that may move. */
static void clear(const shed *f, uint32_t member)
{
    uint32_t count;
    const uint32_t *task = tasks_of(f, member, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!sgp_scale_pins(f->s, task[i], member)) {
            take_away(f->s, task[i], member);
        }
    }
}

/* Staying members by what they carry of their share, in 2^20ths; those that do not fit first. Returns how many there are,
 * and in *stuck how many do not fit. */
static uint32_t order_members(const sgp_scale *s, uint64_t *order, uint64_t *spare, uint32_t *stuck)
{
    uint32_t count = 0;
    *stuck = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (stays(s, m) && !sgp_scale_alone(s, m)) {
            int fits = sgp_scale_fits(s, m);
            double carries = (double)s->load[m] / s->share[m] * (1 << 20) + 1;
            uint64_t key = carries < UINT32_MAX ? (uint64_t)carries : UINT32_MAX;
            order[count++] = (fits ? key : 0) << 32 | m;
            *stuck += !fits;
        }
    }
    sgp_sort_above(32, order, spare, count);
    return count;
}

int32_t sgp_shed_stuck(sgp_scale *s, uint32_t times, int *some_rest)
{
    const uint32_t members = s->b->view->members;
    uint64_t *order = SGP_TAKE(s->b->region, uint64_t, members), *spare = SGP_TAKE(s->b->region, uint64_t, members);
    shed f = {.s = s};
    if (sgp_lists_take(&f.of, s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint32_t stuck, count = order_members(s, order, spare, &stuck);
    *some_rest = stuck > 0 && (uint64_t)stuck * times < count;
    sgp_lists_fill(&f.of, s, s->b->target, NULL);
    for (uint32_t i = 0; *some_rest && i < stuck * times; i++) {
        clear(&f, (uint32_t)order[i]);
    }
    return SEGUE_OK;
}

/* Members that carry too little, as far as it is not something without an owner that comes to them. */
static uint32_t must_come(const sgp_scale *s, const uint32_t *owner)
{
    uint32_t lacking = 0, unowned = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        lacking += stays(s, m) && sgp_scale_under(s, m) > 0;
    }
    for (uint32_t i = 0; i < s->b->count; i++) {
        unowned += owner[s->order[i]] == SEGUE_NONE;
    }
    return lacking > unowned ? lacking - unowned : 0;
}

int32_t sgp_shed_least(sgp_scale *s, const uint32_t *owner, uint32_t *least)
{
    shed f;
    uint64_t leave;
    sgp_scale_weigh(s, owner);
    if (open_shed(&f, s, owner, &leave) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        leave += stays(s, m) ? must_leave(&f, m) : f.of.start[m + 1] - f.of.start[m];
    }
    uint32_t come = must_come(s, owner);
    *least = leave > come ? (uint32_t)leave : come;
    return SEGUE_OK;
}
