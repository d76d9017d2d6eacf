/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_mend.h"

#include "core/sort.h"
#include "solve/weigh_lists.h"

/* Rounds of pairing at most, and how many of them in a row may help nobody. */
#define ROUNDS 64u
#define IDLE 16u
/* Steps of one pair in one round. */
#define STEPS 256
/* Tasks of one side that are looked at for each step. */
#define LOOK 16u

typedef struct pairing {
    uint64_t *order, *spare; /* members, the lightest first */
    uint32_t members;
    uint8_t *paired; /* by member */
    sgp_lists of;    /* those that are */
} pairing;

/* One side of a pair: its tasks as they were when the round began. */
typedef struct side {
    uint32_t member, count;
    const uint32_t *task;
} side;

/* What a step is for: weight that should go from the heavy to the light member, and the most that may. */
typedef struct aim {
    uint64_t want, most;
} aim;

typedef struct step {
    uint32_t give, take; /* tasks; SEGUE_NONE: none comes back */
    uint64_t gain;       /* of the weight that is wanted */
    int price;           /* what it adds, in half moves */
} step;

static int price(const sgp_scale *s, uint32_t task, uint32_t from, uint32_t to)
{
    return sgp_scale_price(s, task, to) - sgp_scale_price(s, task, from);
}

/* More gain for each half move. Prices are -4 to 4, and what is added to them says how much less a move counts than gain. */
static int is_better(const step *a, const step *b)
{
    return (double)a->gain * (b->price + 5) > (double)b->gain * (a->price + 5);
}

static void consider(const sgp_scale *s, const side *a, const side *b, aim to, uint32_t give, uint32_t take, step *best)
{
    uint64_t out = s->weight[give], in = take == SEGUE_NONE ? 0 : s->weight[take];
    if (in >= out || out - in > to.most) {
        return;
    }
    step made = {.give = give, .take = take, .gain = out - in < to.want ? out - in : to.want};
    made.price = price(s, give, a->member, b->member) +
                 (take == SEGUE_NONE ? 0 : price(s, take, b->member, a->member));
    if (best->give == SEGUE_NONE || is_better(&made, best)) {
        *best = made;
    }
}

/* May the task leave the side that it was on when the round began? */
static int is_free(const sgp_scale *s, const side *from, uint32_t task)
{
    return s->b->target[task] == from->member && !sgp_scale_pins(s, task, from->member);
}

/* The first task of a list that weighs no more than `weight`. */
static uint32_t first_below(const sgp_scale *s, const side *b, uint64_t weight)
{
    uint32_t low = 0, high = b->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->weight[b->task[middle]] > weight) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Partners of a task that is given: those around the weight that would do best. */
static void consider_partners(const sgp_scale *s, const side *a, const side *b, aim to, uint32_t give, step *best)
{
    uint64_t out = s->weight[give];
    uint32_t at = first_below(s, b, out > to.want ? out - to.want : 0);
    uint32_t from = at < LOOK / 2 ? 0 : at - LOOK / 2, end = at + LOOK / 2 < b->count ? at + LOOK / 2 : b->count;
    for (uint32_t i = from; i < end; i++) {
        if (is_free(s, b, b->task[i])) {
            consider(s, a, b, to, give, b->task[i], best);
        }
    }
}

static step best_step(const sgp_scale *s, const side *a, const side *b, aim to)
{
    step best = {.give = SEGUE_NONE};
    uint32_t stride = (a->count + LOOK - 1) / LOOK;
    for (uint32_t i = 0; i < a->count; i += stride) {
        uint32_t at = i;
        while (at < i + stride && at < a->count && !is_free(s, a, a->task[at])) {
            at++;
        }
        if (at == i + stride || at == a->count) {
            continue;
        }
        consider(s, a, b, to, a->task[at], SEGUE_NONE, &best);
        consider_partners(s, a, b, to, a->task[at], &best);
    }
    return best;
}

static uint64_t above(uint64_t value, uint64_t bound)
{
    return value > bound ? value - bound : 0;
}

/* What the pair lacks, where something can be done about it without harm to either. */
static int find_aim(const sgp_scale *s, uint32_t heavy, uint32_t light, aim *to)
{
    uint64_t over = sgp_scale_over(s, heavy), under = sgp_scale_under(s, light);
    uint64_t spare = above(s->load[heavy], s->low[heavy]), room = above(s->high[light], s->load[light]);
    to->most = spare < room ? spare : room;
    to->want = over > under ? over : under;
    to->want = to->want < to->most ? to->want : to->most;
    return to->want > 0;
}

/* Returns how many steps helped. */
static int even_out(sgp_scale *s, const side *a, const side *b)
{
    int steps = 0;
    for (aim to; steps < STEPS && find_aim(s, a->member, b->member, &to); steps++) {
        step best = best_step(s, a, b, to);
        if (best.give == SEGUE_NONE) {
            break;
        }
        sgp_scale_move(s, best.give, a->member, b->member);
        if (best.take != SEGUE_NONE) {
            sgp_scale_move(s, best.take, b->member, a->member);
        }
    }
    return steps;
}

/* Members by what they carry of their share, in 2^20ths; but for those that are alone with a boulder: nothing can be done
 * with them. */
static void order_members(const sgp_scale *s, pairing *l)
{
    const sgp_view *view = s->b->view;
    l->members = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS && !sgp_scale_alone(s, m)) {
            double carries = (double)s->load[m] / s->share[m] * (1 << 20);
            uint64_t key = carries < UINT32_MAX ? (uint64_t)carries : UINT32_MAX;
            l->order[l->members++] = key << 32 | m;
        }
    }
    sgp_sort(l->order, l->spare, l->members);
}

static uint32_t ranked(const pairing *l, uint32_t rank)
{
    return (uint32_t)l->order[rank];
}

/* The partner of the i-th heaviest: the i-th lightest, and one further on in each round that helps nobody. */
static int find_pair(const sgp_scale *s, const pairing *l, uint32_t i, uint32_t shift, uint32_t *heavy, uint32_t *light)
{
    *heavy = ranked(l, l->members - 1 - i);
    *light = ranked(l, (i + shift) % (l->members - l->members / 2));
    return !sgp_scale_fits(s, *heavy) || !sgp_scale_fits(s, *light);
}

static side side_of(const pairing *l, uint32_t member)
{
    const uint32_t *start = l->of.start + member;
    return (side){member, start[1] - start[0], l->of.task + start[0]};
}

/* One round: everybody is in one pair at most. Returns how many steps helped. */
static int pair_up(sgp_scale *s, pairing *l, uint32_t shift)
{
    uint32_t heavy, light;
    int steps = 0;
    order_members(s, l);
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        l->paired[m] = 0;
    }
    for (uint32_t i = 0; i < l->members / 2; i++) {
        if (find_pair(s, l, i, shift, &heavy, &light)) {
            l->paired[heavy] = l->paired[light] = 1;
        }
    }
    sgp_lists_fill(&l->of, s, s->b->target, l->paired);
    for (uint32_t i = 0; i < l->members / 2; i++) {
        if (find_pair(s, l, i, shift, &heavy, &light)) {
            side a = side_of(l, heavy), b = side_of(l, light);
            steps += even_out(s, &a, &b);
        }
    }
    return steps;
}

int32_t sgp_mend(sgp_scale *s, int *mended)
{
    pairing l = {.members = 0};
    const uint32_t members = s->b->view->members;
    l.order = SGP_TAKE(s->b->region, uint64_t, members);
    l.spare = SGP_TAKE(s->b->region, uint64_t, members);
    l.paired = SGP_TAKE(s->b->region, uint8_t, members);
    if (sgp_lists_take(&l.of, s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint32_t idle = 0;
    for (uint32_t i = 0; i < ROUNDS && idle < IDLE && !sgp_scale_fits_all(s); i++) {
        if (sgp_deadline_look(s->b->deadline)) {
            break;
        }
        idle = pair_up(s, &l, idle) > 0 ? 0 : idle + 1;
    }
    *mended = sgp_scale_fits_all(s);
    return SEGUE_OK;
}
