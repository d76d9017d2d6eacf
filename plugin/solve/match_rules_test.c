/* SPDX-License-Identifier: Apache-2.0 */
/* Whole matchings against a slow reading of match.h: copy after copy in their order, each held against all that is there. */
#include "solve/match.h"

#include "solve/nearness.h"
#include "solve/rounding.h"
#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

enum { TASKS = 24, MEMBERS = 8, COPIES = TASKS * (MEMBERS + 1) };

typedef struct waiting {
    uint64_t class, nearness;
    uint32_t task, holder;
} waiting;

typedef struct reading {
    const sgp_balance *b;
    uint32_t target[TASKS], surplus[MEMBERS], deficit[MEMBERS];
    uint32_t turn[TASKS], turns; /* when its ready learner took it; 0: another copy did, or none */
} reading;

static int is_evicted(const sgp_balance *b, uint32_t task)
{
    return b->view->place[b->serve[task]] != SGP_STAYS;
}

static int may_move(const reading *r, uint32_t task)
{
    uint32_t server = r->b->serve[task];
    return server != SEGUE_NONE && (is_evicted(r->b, task) || r->surplus[server] > 0);
}

static int takes(const reading *r, uint32_t member, int evicted)
{
    return r->deficit[member] > 0 && (evicted || r->b->receives[member]);
}

/* The holder, or the first of those on its disk. */
static uint32_t taker(const reading *r, uint32_t holder, int evicted)
{
    const sgp_view *view = r->b->view;
    uint32_t found = takes(r, holder, evicted) ? holder : SEGUE_NONE;
    for (uint32_t m = 0; found == SEGUE_NONE && m < view->members; m++) {
        found = sgp_process(view, m) == sgp_process(view, holder) && takes(r, m, evicted) ? m : found;
    }
    return found;
}

static uint32_t list_waiting(const reading *r, waiting *list)
{
    const sgp_view *view = r->b->view;
    uint32_t rows = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t count, server = r->b->serve[t];
        const sgp_copy *copies = sgp_copies(view, t, &count);
        if (!may_move(r, t)) {
            continue;
        }
        int evicted = is_evicted(r->b, t);
        if (taker(r, server, evicted) != SEGUE_NONE) {
            list[rows++] = (waiting){SGP_OWN_DISK, 0, t, server};
        }
        for (uint32_t i = 0; i < count; i++) {
            if (sgp_process(view, copies[i].member) != sgp_process(view, server) &&
                taker(r, copies[i].member, evicted) != SEGUE_NONE) {
                uint64_t class = sgp_nearness_of(view, &copies[i], evicted);
                list[rows++] = (waiting){class, class <= SGP_HOT ? 0 : sgp_magnitude(copies[i].lag), t, copies[i].member};
            }
        }
    }
    return rows;
}

static uint32_t held(const reading *r, uint32_t member, uint32_t subtopology)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < r->b->view->tasks; t++) {
        count += r->target[t] == member && r->b->view->group->task_subtopology[t] == subtopology;
    }
    return count;
}

/* The giver has more of the subtopology than its part, and the taker less. */
static int evens_out(const reading *r, uint32_t subtopology, uint32_t from, uint32_t to)
{
    const sgp_view *view = r->b->view;
    uint32_t all = view->subtopology_start[subtopology + 1] - view->subtopology_start[subtopology];
    return view->subtopologies < 2 || ((from == SEGUE_NONE || held(r, from, subtopology) > all * r->b->want[from] / view->tasks) &&
                                       held(r, to, subtopology) * view->tasks < all * r->b->want[to]);
}

/* Of the first caught-up copy of the task on another disk whose members have room: who takes it there. */
static uint32_t other_taker(const reading *r, uint32_t task)
{
    const sgp_view *view = r->b->view;
    uint32_t count, found = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    for (uint32_t i = 0; found == SEGUE_NONE && i < count; i++) {
        if (sgp_hot(view, copies[i].lag) &&
            sgp_process(view, copies[i].member) != sgp_process(view, r->target[task])) {
            found = taker(r, copies[i].member, is_evicted(r->b, task));
        }
    }
    return found;
}

/* Of what ready learners of the member took, the last that can go elsewhere goes there. */
static void make_room(reading *r, uint32_t member)
{
    uint32_t last = SEGUE_NONE;
    for (uint32_t t = 0; t < r->b->view->tasks; t++) {
        int could = r->turn[t] > 0 && r->target[t] == member && other_taker(r, t) != SEGUE_NONE;
        last = could && (last == SEGUE_NONE || r->turn[t] > r->turn[last]) ? t : last;
    }
    if (last != SEGUE_NONE) {
        uint32_t to = other_taker(r, last);
        r->deficit[to]--;
        r->deficit[member]++;
        r->target[last] = to;
        r->turn[last] = 0;
    }
}

enum manner { EVENLY, ANYHOW, WITH_ROOM };

static void take(reading *r, const waiting *w, enum manner manner)
{
    uint32_t server = r->b->serve[w->task], subtopology = r->b->view->group->task_subtopology[w->task];
    int evicted = is_evicted(r->b, w->task);
    uint32_t from = evicted ? SEGUE_NONE : server;
    if (!may_move(r, w->task) || r->target[w->task] != from) {
        return;
    }
    if (manner == WITH_ROOM && r->deficit[w->holder] == 0 && (evicted || r->b->receives[w->holder])) {
        make_room(r, w->holder);
    }
    uint32_t to = taker(r, w->holder, evicted);
    if (to == SEGUE_NONE || (manner == EVENLY && !evens_out(r, subtopology, from, to))) {
        return;
    }
    r->turn[w->task] = w->class == SGP_READY || w->class == SGP_EVICTED_READY ? ++r->turns : 0;
    r->surplus[server] -= !evicted;
    r->deficit[to]--;
    r->target[w->task] = to;
}

static void take_class(reading *r, const waiting *list, uint32_t rows, uint64_t class, enum manner manner)
{
    for (uint64_t nearness = 0; nearness < 256; nearness++) {
        for (uint32_t i = 0; i < rows; i++) {
            if (list[i].class == class && list[i].nearness == nearness) {
                take(r, &list[i], manner);
            }
        }
    }
}

/* Class by class; in each first what evens out, by nearness. Behind the learners of each kind, those that found no room. */
static void match_slowly(reading *r)
{
    waiting list[COPIES];
    uint32_t rows = list_waiting(r, list);
    for (uint64_t class = 0; class <= SGP_OTHER; class++) {
        take_class(r, list, rows, class, EVENLY);
        take_class(r, list, rows, class, ANYHOW);
        if (class == SGP_READY || class == SGP_LEARNER) {
            take_class(r, list, rows, class - 1, WITH_ROOM);
            take_class(r, list, rows, class, WITH_ROOM);
        }
    }
}

static sgp_balance balance(solver *s, chance *c)
{
    uint32_t low[MEMBERS], high[MEMBERS], want[MEMBERS] = {0};
    sgp_quota quota = {low, high, 0};
    sgp_balance b = solver_balance(s, want);
    sgp_quota_share(&s->view, s->view.stateful_tasks, &quota);
    assert_int_equal(sgp_round_up(&b, &quota, NULL, 0), SEGUE_OK);
    memcpy(want, b.want, s->view.members * sizeof *want);
    b = solver_balance(s, want);
    for (uint32_t m = 0; m < s->view.members; m++) {
        b.receives[m] = b.receives[m] && !chance_once_in(c, 4);
    }
    return b;
}

static void what_copies_take_is_what_a_slow_reading_of_the_rules_takes(void **state)
{
    (void)state;
    const unsigned traits = RANDOM_ANYTHING & ~(unsigned)RANDOM_STATELESS;
    uint32_t taken = 0;
    for (uint64_t seed = chance_seed(), last = seed + 2500; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){TASKS, MEMBERS, 3, 3}, traits));
        chance c = chance_of(~seed);
        sgp_balance b = balance(s, &c);
        reading r = {.b = &b};
        memcpy(r.target, b.target, s->view.tasks * sizeof *r.target);
        memcpy(r.surplus, b.surplus, s->view.members * sizeof *r.surplus);
        memcpy(r.deficit, b.deficit, s->view.members * sizeof *r.deficit);
        match_slowly(&r);
        assert_int_equal(sgp_match_copies(&b), SEGUE_OK);
        for (uint32_t t = 0; t < s->view.tasks; t++) {
            EXPECT(b.target[t] == r.target[t], "seed %llu: task %u goes to %d instead of %d", (unsigned long long)seed, t,
                   (int)b.target[t], (int)r.target[t]);
            taken += r.target[t] != SEGUE_NONE && r.target[t] != b.serve[t];
        }
        solver_close(s);
    }
    EXPECT(taken > 2000, "only %u are taken", taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_copies_take_is_what_a_slow_reading_of_the_rules_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
