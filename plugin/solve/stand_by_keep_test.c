/* SPDX-License-Identifier: Apache-2.0 */
/* Which copies that exist go on as standbys, read slowly: one after the other the best that is left, one on a process. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { TASKS = 6, MEMBERS = 8 };

typedef struct scene {
    solver *s;
    uint32_t active[TASKS], learner[TASKS];
    sgp_standbys standbys;
} scene;

/* Several members on a process, some of them leaving, and one copy on its disk; the owner may have handed over, and somebody may
 * learn. */
static void open_scene(scene *c, uint64_t seed)
{
    static const int64_t lags[] = {0, 10000, 10001, 30000, 70000, SEGUE_LAG_UNKNOWN};
    chance dice = chance_of(seed);
    draft *d = draft_new();
    uint32_t members = 2 + chance_below(&dice, MEMBERS - 1), processes = 1 + chance_below(&dice, members);
    uint32_t once_in = 1 + chance_below(&dice, 4);
    draft_tasks(d, 1 + chance_below(&dice, TASKS), 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m < processes ? m : chance_below(&dice, processes), 1);
    }
    for (uint32_t m = 1; m < members; m++) {
        if (chance_once_in(&dice, 5)) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t owner = chance_below(&dice, members);
        uint64_t disks = (uint64_t)1 << d->process[owner];
        draft_copy(d, owner, t, SEGUE_ACTIVE, lags[chance_below(&dice, 6)]);
        for (uint32_t m = 0; m < members; m++) {
            if (!(disks >> d->process[m] & 1) && chance_once_in(&dice, once_in)) {
                draft_copy(d, m, t, chance_below(&dice, SEGUE_ACTIVE), lags[chance_below(&dice, 6)]);
                disks |= (uint64_t)1 << d->process[m];
            }
        }
    }
    d->config.num_standby_replicas = 1 + chance_below(&dice, 4);
    c->s = solver_open(d);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t other = chance_below(&dice, members);
        c->active[t] = chance_once_in(&dice, 2) ? c->s->view.owner[t] : chance_below(&dice, members);
        c->learner[t] = chance_once_in(&dice, 4) && d->process[other] != d->process[c->active[t]] ? other : SEGUE_NONE;
    }
    assert_int_equal(sgp_stand_by(&c->s->view, c->active, c->learner, &c->standbys, &c->s->region), SEGUE_OK);
}

/* Less is better: caught up, then running, then dormant; of those that are behind the nearer. Of equal ones a standby comes
 * before an owner, a learner, and what is dormant. */
static uint64_t badness(const holding *h)
{
    static const uint64_t roles[] = {[SEGUE_STANDBY] = 0, [SEGUE_ACTIVE] = 1, [SEGUE_LEARNER] = 2, [SEGUE_DORMANT] = 3};
    if (h->lag >= 0 && h->lag <= 10000) {
        return roles[h->role];
    }
    uint64_t known = h->lag >= 0 ? (uint64_t)h->lag : 1000000;
    return (h->role == SEGUE_DORMANT ? 10000000 : 0) + known * 10 + roles[h->role];
}

static int stays(const scene *c, uint32_t process)
{
    return c->s->view.process_place[process] == SGP_STAYS;
}

static int is_taken(const scene *c, uint32_t task, uint32_t process)
{
    const uint32_t *of = c->s->draft->process, learner = c->learner[task];
    return of[c->active[task]] == process || (learner != SEGUE_NONE && of[learner] == process);
}

/* The best copy on the process; UINT64_MAX: it has none, or can be no standby. */
static uint64_t best_on(const scene *c, uint32_t task, uint32_t process)
{
    const draft *d = c->s->draft;
    uint64_t best = UINT64_MAX;
    for (uint32_t m = 0; stays(c, process) && !is_taken(c, task, process) && m < d->group.member_count; m++) {
        const holding *h = d->process[m] == process ? draft_find(d, m, task) : NULL;
        best = h != NULL && badness(h) < best ? badness(h) : best;
    }
    return best;
}

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static void expect_best(const scene *c, uint64_t seed, uint32_t task)
{
    const uint32_t *row = sgp_standbys_of(&c->standbys, task), processes = c->s->view.processes;
    uint64_t all[MEMBERS], chosen[MEMBERS];
    uint32_t count = 0, free = 0;
    for (; row != NULL && count < c->standbys.ranks && row[count] != SEGUE_NONE; count++) {
        uint32_t process = c->s->draft->process[row[count]];
        EXPECT(stays(c, process) && !is_taken(c, task, process) && c->s->view.place[row[count]] == SGP_STAYS,
               "seed %llu, task %u: %u cannot stand by", (unsigned long long)seed, task, row[count]);
        chosen[count] = best_on(c, task, process);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT(c->s->draft->process[row[i]] != process, "seed %llu, task %u: two on one process",
                   (unsigned long long)seed, task);
        }
    }
    for (uint32_t p = 0; p < processes; p++) {
        all[p] = best_on(c, task, p);
        free += stays(c, p) && !is_taken(c, task, p);
    }
    uint32_t wanted = c->s->draft->config.num_standby_replicas;
    EXPECT(count == (free < wanted ? free : wanted), "seed %llu, task %u: %u standbys", (unsigned long long)seed, task, count);
    qsort(all, processes, sizeof *all, compare);
    qsort(chosen, count, sizeof *chosen, compare);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT(chosen[i] == all[i], "seed %llu, task %u: the %u. best copy is left out", (unsigned long long)seed, task, i);
    }
}

static void of_all_copies_the_best_go_on(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 4000; seed < last; seed++) {
        scene c;
        open_scene(&c, seed);
        for (uint32_t t = 0; t < c.s->view.tasks; t++) {
            expect_best(&c, seed, t);
        }
        solver_close(c.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_all_copies_the_best_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
