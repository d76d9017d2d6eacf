/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever happens to a group, a session says what a full run would. */
#include "segue/abi.h"
#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/session_world.h"
#include "test/testing.h"

#include <stdio.h>

enum { GROUPS = 12, STEPS = 60 };

static const char *const all[] = {"eager", "sticky", "learner", "scale-down", "balanced", "high-availability"};

/* What may happen beside members that come and go, as bits. */
enum events { MARKS = 1, COPIES = 2, SHARED = 4, THREADS = 8, RACKS = 16 };

static uint32_t some_member(const world *w, chance *c)
{
    uint32_t number;
    do {
        number = chance_below(c, WORLD_NUMBERS);
    } while (!w->member[number].present);
    return number;
}

static uint32_t members_of(const world *w)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < WORLD_NUMBERS; n++) {
        count += (uint32_t)w->member[n].present;
    }
    return count;
}

static void somebody_joins(world *w, chance *c, unsigned events)
{
    char name[WORLD_NAME + 1];
    uint32_t number, racks = w->start->racks;
    do {
        number = chance_below(c, WORLD_NUMBERS);
    } while (w->member[number].present);
    do {
        snprintf(name, sizeof name, "m%06u", (unsigned)chance_below(c, 6000));
    } while (world_has_name(w, name));
    uint32_t process = (events & SHARED) && chance_once_in(c, 3) ? some_member(w, c) : number;
    uint32_t threads = (events & THREADS) && chance_once_in(c, 3) ? chance_below(c, 4) : w->start->threads[0];
    uint32_t rack = racks > 0 && chance_once_in(c, 2) ? chance_below(c, racks) : SEGUE_NONE;
    world_join(w, number, name, threads, process, rack);
}

/* Disks stay as the plans leave them: copies are put where nobody shares one. */
static void some_copy_changes(world *w, chance *c)
{
    static const int64_t lags[] = {SEGUE_LAG_UNKNOWN, 0, 0, 9999, 10001, 500000};
    uint32_t task = chance_below(c, w->tasks), number = some_member(w, c), role = chance_below(c, 5);
    uint8_t put = role > SEGUE_ACTIVE ? SEGUE_COPY_GONE : (uint8_t)role;
    world_put(w, task, number, put, w->start->stateful[task] ? lags[chance_below(c, 6)] : 0);
}

static void something_happens(world *w, chance *c, unsigned events)
{
    uint32_t members = members_of(w), kind = chance_below(c, 8);
    if (kind < 3 || members < 3) {
        somebody_joins(w, c, events);
    } else if (kind < 6) {
        world_leave(w, some_member(w, c));
    } else if (kind == 6 && (events & MARKS)) {
        int64_t since = chance_once_in(c, 2) ? SEGUE_TIME_NONE : 500;
        world_mark(w, some_member(w, c), since, chance_once_in(c, 2) ? SEGUE_TIME_NONE : (int64_t)chance_below(c, 4000));
    } else if (kind == 7 && (events & COPIES)) {
        some_copy_changes(w, c);
    }
}

static void live(world *w, chance *c, unsigned events, int settles)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        something_happens(w, c, events);
        world_decide(w, 1000 + (int64_t)i * 50);
        if (settles || chance_once_in(c, 2)) {
            world_carry_out(w, settles || chance_once_in(c, 2), settles || chance_once_in(c, 2));
        }
    }
}

/* Members of one size, tasks of one kind, one owner each; sometimes more members than are looked at together. */
static draft *plain_group(uint64_t seed, chance *c)
{
    draft *d = draft_new();
    int stateful = !chance_once_in(c, 3);
    d->seed = seed;
    d->group.now_ms = 1000;
    for (uint32_t s = 1 + chance_below(c, 6); s > 0; s--) {
        draft_tasks(d, 1 + chance_below(c, chance_once_in(c, 4) ? 300 : 60), stateful);
    }
    uint32_t members = 3 + chance_below(c, chance_once_in(c, 3) ? 250 : 50), threads = 1 + chance_below(c, 3);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, threads);
    }
    int uneven = chance_once_in(c, 3);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t owner = uneven ? chance_below(c, members) : t % members;
        if (!chance_once_in(c, 50)) {
            draft_copy(d, owner, t, SEGUE_ACTIVE, 0);
        }
    }
    return d;
}

static void run_all(void (*one)(const char *, uint64_t, uint32_t *, uint32_t *), uint32_t *parts, uint32_t *wholes)
{
    uint64_t seed = chance_seed();
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        for (uint64_t i = 0; i < GROUPS; i++) {
            one(all[a], seed + i, parts, wholes);
        }
    }
}

static void one_plain(const char *assignor, uint64_t seed, uint32_t *parts, uint32_t *wholes)
{
    world w;
    chance c = chance_of(seed);
    draft *d = plain_group(seed, &c);
    world_open(&w, assignor, d);
    live(&w, &c, 0, 1);
    *parts += w.parts;
    *wholes += w.wholes;
    world_close(&w);
    draft_free(d);
}

static void a_plain_group_is_decided_by_what_moves_as_by_a_full_run(void **state)
{
    uint32_t parts = 0, wholes = 0;
    (void)state;
    run_all(one_plain, &parts, &wholes);
    print_message("%u decisions by what moves, %u by a full run\n", (unsigned)parts, (unsigned)wholes);
    assert_true(parts > GROUPS * STEPS && wholes > GROUPS * STEPS);
}

static void one_mixed(const char *assignor, uint64_t seed, uint32_t *parts, uint32_t *wholes)
{
    world w;
    chance c = chance_of(seed ^ 0x5e55);
    draft *d = plain_group(seed, &c);
    world_open(&w, assignor, d);
    live(&w, &c, MARKS | COPIES | SHARED | THREADS, 0);
    *parts += w.parts;
    *wholes += w.wholes;
    world_close(&w);
    draft_free(d);
}

static void a_group_goes_from_plain_to_anything_and_back(void **state)
{
    uint32_t parts = 0, wholes = 0;
    (void)state;
    run_all(one_mixed, &parts, &wholes);
    print_message("%u decisions by what moves, %u by a full run\n", (unsigned)parts, (unsigned)wholes);
    assert_true(parts > 0 && wholes > GROUPS * STEPS);
}

static void one_random(const char *assignor, uint64_t seed, uint32_t *parts, uint32_t *wholes)
{
    world w;
    chance c = chance_of(seed);
    draft *d = random_group(seed, (random_size){60, 12, 3, 5}, RANDOM_ANYTHING);
    world_open(&w, assignor, d);
    live(&w, &c, MARKS | COPIES | SHARED | THREADS | RACKS, 0);
    *parts += w.parts;
    *wholes += w.wholes;
    world_close(&w);
    draft_free(d);
}

static void any_group_is_kept_and_decided_as_by_a_full_run(void **state)
{
    uint32_t parts = 0, wholes = 0;
    (void)state;
    run_all(one_random, &parts, &wholes);
    assert_true(wholes > GROUPS * STEPS);
}

/* ---- a member comes, a member goes ---- */

static void who_joins_learns_its_share_and_nothing_else_is_named(void **state)
{
    world w;
    draft *d = world_even(60, 10);
    (void)state;
    world_open(&w, "balanced", d);
    world_join(&w, 99, "m000150", 1, 99, SEGUE_NONE);
    world_decide(&w, 1000);
    assert_int_equal(w.changes.full_run, 0);
    assert_int_equal(w.changes.count, 9);
    for (uint32_t i = 0; i < w.changes.count; i++) {
        assert_int_equal(w.changes.member[i], 99);
        assert_int_equal(w.changes.role[i], SEGUE_LEARNER);
    }
    assert_int_equal(w.plan.learners, 9);
    assert_int_equal(w.plan.min_moves, 9);
    world_close(&w);
    draft_free(d);
}

/* Members are passed over 64 at a time (core/scan.h): those that give are the last ones of a whole block. */
static void who_gives_is_found_among_many_alike(void **state)
{
    world w;
    draft *d = world_even(127, 10);
    (void)state;
    world_open(&w, "balanced", d);
    world_join(&w, 200, "a", 1, 200, SEGUE_NONE);
    world_decide(&w, 1000);
    assert_int_equal(w.changes.full_run, 0);
    assert_int_equal(w.changes.count, 9);
    world_close(&w);
    draft_free(d);
}

static void what_a_member_leaves_behind_goes_to_the_others(void **state)
{
    world w;
    draft *d = world_even(60, 10);
    (void)state;
    world_open(&w, "learner", d);
    world_leave(&w, 2);
    world_decide(&w, 1000);
    assert_int_equal(w.changes.full_run, 0);
    assert_int_equal(w.changes.count, 10);
    world_carry_out(&w, 0, 0);
    world_decide(&w, 1000);
    assert_int_equal(w.changes.count, 0);
    assert_int_equal(w.plan.min_moves, 0);
    world_close(&w);
    draft_free(d);
}

static void the_last_member_may_leave_and_another_come(void **state)
{
    world w;
    draft *d = draft_new();
    (void)state;
    draft_tasks(d, 5, 1);
    draft_member(d, 0, 1);
    world_open(&w, "balanced", d);
    world_leave(&w, 0);
    assert_int_equal(w.slots->decide(w.session, 0, &w.changes, &w.plan, &w.error), SEGUE_E_GROUP);
    world_join(&w, 300, "anybody", 2, 300, SEGUE_NONE);
    world_decide(&w, 0);
    assert_int_equal(w.changes.count, 5);
    world_close(&w);
    draft_free(d);
}

static uint64_t held_by(const world *w)
{
    segue_memory memory = {.size = sizeof memory};
    assert_int_equal(w->slots->read_memory(w->session, &memory), SEGUE_OK);
    return memory.held_bytes;
}

static void members_that_came_and_went_leave_no_memory_behind(void **state)
{
    world w;
    draft *d = world_even(60, 10);
    uint64_t held = 0;
    (void)state;
    world_open(&w, "sticky", d);
    for (uint32_t round = 0; round < 40; round++) {
        world_join(&w, 100, "m000150", 1, 100, SEGUE_NONE);
        world_decide(&w, 0);
        world_carry_out(&w, 1, 1);
        world_leave(&w, 100);
        world_decide(&w, 0);
        world_carry_out(&w, 1, 1);
        held = round == 20 ? held_by(&w) : held;
    }
    assert_int_equal(held_by(&w), held);
    world_close(&w);
    draft_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_group_is_decided_by_what_moves_as_by_a_full_run),
        cmocka_unit_test(a_group_goes_from_plain_to_anything_and_back),
        cmocka_unit_test(any_group_is_kept_and_decided_as_by_a_full_run),
        cmocka_unit_test(who_joins_learns_its_share_and_nothing_else_is_named),
        cmocka_unit_test(who_gives_is_found_among_many_alike),
        cmocka_unit_test(what_a_member_leaves_behind_goes_to_the_others),
        cmocka_unit_test(the_last_member_may_leave_and_another_come),
        cmocka_unit_test(members_that_came_and_went_leave_no_memory_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
