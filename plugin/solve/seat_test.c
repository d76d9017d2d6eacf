/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/seat.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

#define ROWS 12

/* One process with members of 1, 2 and 3 threads, and a second one with a member of its own. */
static draft *two_processes(void)
{
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        draft_member(d, 0, threads);
    }
    draft_member(d, 1, 1);
    return d;
}

static uint32_t count(const uint32_t *member, uint32_t who)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        found += member[i] == who;
    }
    return found;
}

static void seat(solver *s, const uint32_t *process, const uint32_t *before, enum sgp_share share, uint32_t *member)
{
    memset(member, 0xff, ROWS * sizeof *member);
    assert_int_equal(sgp_seat(&s->view, ROWS, process, before, share, member, &s->region), SEGUE_OK);
}

static void members_get_their_share_by_threads(void **state)
{
    (void)state;
    solver *s = solver_open(two_processes());
    uint32_t process[ROWS] = {0}, before[ROWS], member[ROWS];
    memset(before, 0xff, sizeof before);
    seat(s, process, before, SGP_BY_THREADS, member);
    assert_int_equal(count(member, 0), 2);
    assert_int_equal(count(member, 1), 4);
    assert_int_equal(count(member, 2), 6);
    seat(s, process, before, SGP_BY_MEMBERS, member);
    assert_int_equal(count(member, 0), 4);
    assert_int_equal(count(member, 2), 4);
    solver_close(s);
}

static void a_member_keeps_what_it_has_up_to_its_share(void **state)
{
    (void)state;
    solver *s = solver_open(two_processes());
    uint32_t process[ROWS] = {0}, before[ROWS] = {0}, member[ROWS];
    before[10] = before[11] = 1;
    seat(s, process, before, SGP_BY_THREADS, member);
    assert_int_equal(count(member, 0), 2);
    assert_int_equal(member[0], 0);
    assert_int_equal(member[1], 0);
    assert_int_equal(member[10], 1);
    assert_int_equal(member[11], 1);
    solver_close(s);
}

static void rows_without_a_process_are_left_alone_and_others_never(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        chance dice = chance_of(seed);
        solver *s = solver_open(two_processes());
        uint32_t process[ROWS], before[ROWS], member[ROWS];
        for (uint32_t i = 0; i < ROWS; i++) {
            process[i] = chance_once_in(&dice, 4) ? SEGUE_NONE : chance_below(&dice, 2);
            before[i] = chance_once_in(&dice, 3) ? SEGUE_NONE : chance_below(&dice, 4);
        }
        int by_threads = (int)chance_below(&dice, 2);
        uint32_t rows[2] = {0};
        seat(s, process, before, by_threads ? SGP_BY_THREADS : SGP_BY_MEMBERS, member);
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t at = member[i] == SEGUE_NONE ? SEGUE_NONE : s->draft->process[member[i]];
            EXPECT(at == process[i], "seed %llu, row %u", (unsigned long long)seed, i);
            rows[at == 1] += at != SEGUE_NONE;
        }
        for (uint32_t m = 0; m < 3; m++) { /* of 1, 2 and 3 threads */
            uint32_t weight = by_threads ? m + 1 : 1, whole = by_threads ? 6 : 3, seats = count(member, m);
            EXPECT(seats >= rows[0] * weight / whole && seats <= (rows[0] * weight + whole - 1) / whole,
                   "seed %llu: %u has %u of %u", (unsigned long long)seed, m, seats, rows[0]);
        }
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_get_their_share_by_threads),
        cmocka_unit_test(a_member_keeps_what_it_has_up_to_its_share),
        cmocka_unit_test(rows_without_a_process_are_left_alone_and_others_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
