/* SPDX-License-Identifier: Apache-2.0 */
/* What copies that exist are worth beside the tags: no choice of standbys has more values of one tag, and none that has as many
 * keeps more of what is there. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { TASKS = 5, MEMBERS = 8 };

/* Different values beside the active's, and members that have a copy already. */
typedef struct worth {
    uint32_t values, copies;
} worth;

static draft *some_group(uint64_t seed)
{
    static const uint32_t roles[] = {SEGUE_STANDBY, SEGUE_DORMANT};
    chance c = chance_of(seed);
    draft *d = draft_new();
    uint32_t members = 3 + chance_below(&c, MEMBERS - 2), values = 1 + chance_below(&c, 4), once_in = 1 + chance_below(&c, 5);
    draft_tasks(d, 1 + chance_below(&c, TASKS), 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < members; m++) {
        if (!chance_once_in(&c, 6)) {
            draft_tag(d, 0, m, chance_below(&c, values));
        }
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        for (uint32_t m = 0; m < members; m++) {
            if (chance_once_in(&c, once_in)) {
                draft_copy(d, m, t, roles[chance_below(&c, 2)], chance_below(&c, 30000));
            }
        }
        draft_owns(d, chance_below(&c, members), t, 1);
    }
    d->config.num_standby_replicas = 1 + chance_below(&c, 3);
    return d;
}

/* Of a set of members, by bits. */
static worth worth_of(const solver *s, uint32_t task, uint32_t set)
{
    const uint32_t *value = s->draft->tags;
    uint32_t count, owner = s->view.owner[task];
    const sgp_copy *copies = sgp_copies(&s->view, task, &count);
    worth w = {0, 0};
    for (uint32_t m = 0; m < s->view.members; m++) {
        int fresh = (set >> m & 1) && value[m] != SEGUE_NONE && value[m] != value[owner], had = 0;
        for (uint32_t before = 0; before < m; before++) {
            fresh &= !(set >> before & 1) || value[before] != value[m];
        }
        for (uint32_t i = 0; i < count; i++) {
            had |= copies[i].member == m;
        }
        w.values += (uint32_t)fresh;
        w.copies += (set >> m & 1) && had;
    }
    return w;
}

static int is_better(worth a, worth b)
{
    return a.values != b.values ? a.values > b.values : a.copies > b.copies;
}

static void expect_best(uint64_t seed, const solver *s, const sgp_standbys *standbys, uint32_t task)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < standbys->ranks; i++) {
        chosen |= 1u << standbys->member[task * standbys->ranks + i];
    }
    worth reached = worth_of(s, task, chosen);
    for (uint32_t set = 0; set < 1u << s->view.members; set++) {
        if (!(set >> s->view.owner[task] & 1) && __builtin_popcount(set) == __builtin_popcount(chosen)) {
            worth other = worth_of(s, task, set);
            EXPECT(!is_better(other, reached), "seed %llu, task %u: %u values and %u copies, where %u and %u could be",
                   (unsigned long long)seed, task, reached.values, reached.copies, other.values, other.copies);
        }
    }
}

static void stand_by(solver *s, sgp_standbys *standbys)
{
    uint32_t *learner = SGP_TAKE(&s->region, uint32_t, s->view.tasks);
    memset(learner, 0xff, s->view.tasks * sizeof *learner);
    assert_int_equal(sgp_stand_by(&s->view, s->view.owner, learner, standbys, &s->region), SEGUE_OK);
}

static void values_come_first_and_then_what_exists(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        solver *s = solver_open(some_group(seed));
        sgp_standbys standbys;
        stand_by(s, &standbys);
        for (uint32_t t = 0; t < s->view.tasks; t++) {
            expect_best(seed, s, &standbys, t);
        }
        solver_close(s);
    }
}

/* In the first tag, above in the second. */
static uint32_t differs(const draft *d, uint32_t owner, uint32_t member)
{
    const uint32_t *first = d->tags, *second = d->tags + d->group.member_count;
    return 2u * (first[member] != SEGUE_NONE && first[member] != first[owner]) +
           (uint32_t)(second[member] != SEGUE_NONE && second[member] != second[owner]);
}

static void a_copy_that_differs_in_both_of_two_tags_is_kept(void **state)
{
    (void)state;
    uint32_t kept = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = draft_new();
        draft_tasks(d, 1, 1);
        for (uint32_t m = 0; m < MEMBERS; m++) {
            draft_member(d, m, 1);
        }
        draft_tag_dimensions(d, 2);
        for (uint32_t m = 0; m < MEMBERS; m++) {
            draft_tag(d, 0, m, chance_below(&c, 3));
            draft_tag(d, 1, m, chance_below(&c, 3));
            if (m > 0 && chance_once_in(&c, 3)) {
                draft_copy(d, m, 0, SEGUE_STANDBY, 20000);
            }
        }
        draft_owns(d, 0, 0, 1);
        d->config.num_standby_replicas = 1;
        solver *s = solver_open(d);
        sgp_standbys standbys;
        uint32_t most = 0, with_copy = 0;
        stand_by(s, &standbys);
        for (uint32_t m = 1; m < MEMBERS; m++) {
            most = differs(d, 0, m) > most ? differs(d, 0, m) : most;
        }
        for (uint32_t m = 1; m < MEMBERS; m++) {
            with_copy += differs(d, 0, m) == most && draft_find(d, m, 0) != NULL;
        }
        EXPECT(differs(d, 0, standbys.member[0]) == most, "seed %llu: another could differ more", (unsigned long long)seed);
        EXPECT(with_copy == 0 || draft_find(d, standbys.member[0], 0) != NULL, "seed %llu: a copy was there",
               (unsigned long long)seed);
        kept += with_copy > 0;
        solver_close(s);
    }
    assert_true(kept > 300);
}

/* What had been kept and was taken back is dealt as if it had never been. Of two standbys of member 0's tasks the nearest copies
 * are with 1 and with 4; 4 has 0's own value, so that both are given up, 1's chosen again, and the other built with 3. What
 * member 2 has goes to one of each value: by then member 1 has ten copies, as 0 has, and not thirty. */
static void what_is_not_kept_does_not_weigh(void **state)
{
    (void)state;
    static const uint32_t values[] = {0, 1, 2, 2, 0, 1};
    draft *d = draft_new();
    uint32_t load[6] = {0};
    draft_tasks(d, 30, 1);
    for (uint32_t m = 0; m < 6; m++) {
        draft_member(d, m, 1);
    }
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < 6; m++) {
        draft_tag(d, 0, m, values[m]);
    }
    for (uint32_t t = 0; t < 30; t++) {
        draft_owns(d, t < 10 ? 0 : 2, t, 1);
        load[t < 10 ? 0 : 2]++;
        if (t < 10) {
            draft_copy(d, 1, t, SEGUE_STANDBY, 0);
            draft_copy(d, 4, t, SEGUE_STANDBY, 0);
        }
    }
    d->config.num_standby_replicas = 2;
    solver *s = solver_open(d);
    sgp_standbys standbys;
    stand_by(s, &standbys);
    for (uint32_t i = 0; i < 60; i++) {
        load[standbys.member[i]]++;
    }
    const uint32_t expected[] = {15, 15, 20, 10, 15, 15};
    assert_memory_equal(load, expected, sizeof load);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_that_differs_in_both_of_two_tags_is_kept),
        cmocka_unit_test(what_is_not_kept_does_not_weigh),
        cmocka_unit_test(values_come_first_and_then_what_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
