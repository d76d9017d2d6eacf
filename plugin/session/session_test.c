/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever happens to a group, a session says what a full run would. */
#include "segue/abi.h"
#include "test/chance.h"
#include "test/famine.h"
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

static draft *even_group(uint32_t members, uint32_t each)
{
    draft *d = draft_new();
    draft_tasks(d, members * each, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, m * each, each);
    }
    return d;
}

static draft *four_members(uint32_t tasks)
{
    return even_group(4, tasks / 4);
}

static void who_joins_learns_its_share_and_nothing_else_is_named(void **state)
{
    world w;
    draft *d = even_group(60, 10);
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
    draft *d = even_group(127, 10);
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
    draft *d = even_group(60, 10);
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

/* ---- faults ---- */

static void too_little_room_is_told_how_much_is_needed(void **state)
{
    world w;
    draft *d = four_members(100);
    (void)state;
    world_open(&w, "sticky", d);
    world_join(&w, 4, "m9", 1, 4, SEGUE_NONE);
    segue_copies small = {.size = sizeof small};
    segue_plan plan = {.size = sizeof plan};
    assert_int_equal(w.slots->decide(w.session, 0, &small, &plan, &w.error), SEGUE_E_SPACE);
    assert_int_equal(small.count, 40);
    world_decide(&w, 0);
    assert_int_equal(w.changes.count, 40);
    world_close(&w);
    draft_free(d);
}

static void refuse_joiner(world *w, segue_joiner joiner)
{
    assert_int_equal(w->slots->join(w->session, &joiner, &w->error), SEGUE_E_ARGUMENT);
    assert_true(w->text[0] != '\0');
    w->text[0] = '\0';
}

static void a_joiner_that_cannot_be_is_refused(void **state)
{
    world w;
    draft *d = four_members(40);
    (void)state;
    world_open(&w, "learner", d);
    uint32_t size = sizeof(segue_joiner);
    refuse_joiner(&w, (segue_joiner){size, 3, 1, 3, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, SEGUE_MAX_MEMBERS, 1, SEGUE_MAX_MEMBERS, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, SEGUE_NONE, 1, SEGUE_NONE, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, SEGUE_MAX_THREADS + 1, 7, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 6, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, 0, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, SEGUE_NONE, 7, "m000100"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, SEGUE_NONE, 2, NULL});
    refuse_joiner(&w, (segue_joiner){8, 7, 1, 7, SEGUE_NONE, 2, "mx"});
    assert_int_equal(w.slots->join(w.session, NULL, NULL), SEGUE_E_ARGUMENT);
    world_decide(&w, 0);
    world_close(&w);
    draft_free(d);
}

static void wrong_rows_are_named_and_nothing_of_the_call_happens(void **state)
{
    world w;
    draft *d = four_members(40);
    (void)state;
    world_open(&w, "learner", d);
    for (uint32_t wrong = 0; wrong < 4; wrong++) {
        uint32_t task[] = {0, wrong == 0 ? 40 : 1}, member[] = {3, wrong == 1 ? 4 : 3};
        uint8_t role[] = {SEGUE_LEARNER, wrong == 2 ? 4 : SEGUE_LEARNER};
        int64_t lag[] = {5, wrong == 3 ? -2 : 5};
        segue_copies copies = {sizeof copies, 2, 0, 0, task, member, role, lag};
        assert_int_equal(w.slots->put(w.session, &copies, &w.error), SEGUE_E_ARGUMENT);
        assert_int_equal(w.error.row, 1);
    }
    segue_copies none = {.size = sizeof none, .count = 1};
    assert_int_equal(w.slots->put(w.session, &none, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->put(w.session, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->leave(w.session, 4, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->leave(w.session, SEGUE_NONE, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->mark(w.session, 4, 0, 0, &w.error), SEGUE_E_ARGUMENT);
    world_decide(&w, 0);
    assert_int_equal(w.changes.count, 0);
    world_close(&w);
    draft_free(d);
}

static void nothing_and_too_small_records_are_refused(void **state)
{
    world w;
    draft *d = four_members(40);
    segue_plan plan = {.size = sizeof plan};
    segue_copies changes = {.size = sizeof changes};
    segue_group group = {.size = sizeof group - 1};
    segue_memory memory = {.size = sizeof memory};
    const uint32_t *numbers;
    (void)state;
    world_open(&w, "learner", d);
    const segue_session_slots *s = w.slots;
    assert_int_equal(s->decide(NULL, 0, &changes, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->decide(w.session, 0, NULL, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->decide(w.session, 0, &changes, NULL, NULL), SEGUE_E_ARGUMENT);
    changes.capacity = 1;
    assert_int_equal(s->decide(w.session, 0, &changes, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_group(w.session, 0, &group, &numbers, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_group(w.session, 0, NULL, &numbers, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_memory(NULL, &memory), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_memory(w.session, &memory), SEGUE_OK);
    assert_true(memory.held_bytes > 0);
    assert_int_equal(s->join(NULL, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->leave(NULL, 0, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->mark(NULL, 0, 0, 0, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->put(NULL, NULL, NULL), SEGUE_E_ARGUMENT);
    s->close(NULL);
    world_close(&w);
    draft_free(d);
}

static void a_session_opens_only_on_what_it_can_keep(void **state)
{
    const segue_session_slots *s = rebalance_slots()->get_extension(SEGUE_SESSION_ID);
    draft *d = four_members(40);
    segue_session *session = NULL;
    (void)state;
    /* All members of a draft have the same name. */
    assert_int_equal(s->open("learner", draft_group(d), &d->config, &session, NULL), SEGUE_E_GROUP);
    assert_null(session);
    assert_int_equal(s->open("lerner", draft_group(d), &d->config, &session, NULL), SEGUE_E_NAME);
    assert_int_equal(s->open(NULL, draft_group(d), &d->config, &session, NULL), SEGUE_E_NAME);
    assert_int_equal(s->open("learner", NULL, &d->config, &session, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->open("learner", draft_group(d), NULL, &session, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->open("learner", draft_group(d), &d->config, NULL, NULL), SEGUE_E_ARGUMENT);
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
    draft *d = even_group(60, 10);
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

/* Every request for memory fails once: the call says so, and the session is as it was. */
static void starve(void (*famine)(uint32_t), uint32_t standbys)
{
    for (uint32_t nth = 1, struck = 1; struck; nth++) {
        world w;
        draft *d = four_members(40);
        d->config.num_standby_replicas = standbys;
        world_open(&w, "balanced", d);
        famine(nth);
        segue_joiner joiner = {sizeof joiner, 5, 1, 5, SEGUE_NONE, 2, "mx"};
        int32_t joins = w.slots->join(w.session, &joiner, &w.error);
        int32_t decides = w.slots->decide(w.session, 0, &w.changes, &w.plan, &w.error);
        struck = (uint32_t)famine_struck();
        famine(0);
        assert_true(joins == SEGUE_OK || joins == SEGUE_E_MEMORY);
        assert_true(decides == SEGUE_OK || decides == SEGUE_E_MEMORY);
        assert_int_equal(struck != 0, joins != SEGUE_OK || decides != SEGUE_OK);
        if (joins != SEGUE_OK) {
            world_join(&w, 5, "mx", 1, 5, SEGUE_NONE);
            world_leave(&w, 5);
        } else {
            w.slots->leave(w.session, 5, NULL);
        }
        world_decide(&w, 0);
        world_close(&w);
        draft_free(d);
    }
}

static void a_call_that_gets_no_memory_changes_nothing(void **state)
{
    (void)state;
    starve(famine_of_region, 0);
    starve(famine_of_region, 1);
    starve(famine_of_arena, 0);
    starve(famine_of_arena, 1);
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
        cmocka_unit_test(too_little_room_is_told_how_much_is_needed),
        cmocka_unit_test(a_joiner_that_cannot_be_is_refused),
        cmocka_unit_test(wrong_rows_are_named_and_nothing_of_the_call_happens),
        cmocka_unit_test(nothing_and_too_small_records_are_refused),
        cmocka_unit_test(a_session_opens_only_on_what_it_can_keep),
        cmocka_unit_test(the_last_member_may_leave_and_another_come),
        cmocka_unit_test(members_that_came_and_went_leave_no_memory_behind),
        cmocka_unit_test(a_call_that_gets_no_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
