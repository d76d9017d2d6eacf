/* SPDX-License-Identifier: Apache-2.0 */
/* How even standbys make what members carry, and whom they stand in for, through the whole plugin. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/rebalance.h"
#include "test/standing.h"
#include "test/testing.h"

/* Standbys of the tasks of `active` on `standby`. */
static uint32_t pairs(const rebalance *r, uint32_t active, uint32_t standby)
{
    uint32_t found = 0;
    for (uint32_t t = 0; t < r->plan.task_count; t++) {
        found += r->plan.active[t] == active && rebalance_stands_by(r, t, standby);
    }
    return found;
}

static uint32_t held(const rebalance *r, uint32_t member)
{
    uint32_t found = rebalance_actives(r, member) + rebalance_learners(r, member);
    for (uint32_t i = 0; i < r->plan.standby_count; i++) {
        found += r->plan.standby_member[i] == member;
    }
    return found;
}

static void from_the_ground_copies_are_even_for_each_thread(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t members = 2 + chance_below(&c, 12), threads[16];
        draft *d = standing_group(members * (1 + chance_below(&c, 20)), 0, 1 + chance_below(&c, 2));
        for (uint32_t m = 0; m < members; m++) {
            threads[m] = 2 + chance_below(&c, 2);
            draft_member(d, m, threads[m]);
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t a = 0; a < members; a++) {
            for (uint32_t b = 0; b < members; b++) {
                /* A copy of a's, on b, would not make b carry less than a does now; or b has a copy of everything. */
                uint64_t left = (uint64_t)(held(r, a) - 1) * threads[b], right = (uint64_t)(held(r, b) + 1) * threads[a];
                EXPECT(held(r, a) == 0 || left <= right || held(r, b) == d->group.task_count,
                       "seed %llu: %u on %u threads, %u on %u", (unsigned long long)seed, held(r, a), threads[a], held(r, b),
                       threads[b]);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

static void the_standbys_of_one_member_lie_on_as_many_others_as_can_be(void **state)
{
    (void)state;
    for (uint32_t members = 3; members <= 40; members++) {
        for (uint32_t each = 1; each <= 12; each += 3) {
            draft *d = standing_group(members * each, members, 1);
            draft_group(d);
            rebalance *r = rebalance_run("balanced", d);
            for (uint32_t a = 0; a < members; a++) {
                uint32_t most = 0;
                for (uint32_t b = 0; b < members; b++) {
                    most = pairs(r, a, b) > most ? pairs(r, a, b) : most;
                }
                EXPECT(most <= (each + members - 2) / (members - 1) + 1, "%u members with %u tasks: %u on one", members,
                       each, most);
            }
            rebalance_free(r);
            draft_free(d);
        }
    }
}

static void whose_process_dies_is_stood_in_for_by_many(void **state)
{
    (void)state;
    enum { MEMBERS = 20, EACH = 10 };
    draft *d = standing_group(MEMBERS * EACH, MEMBERS, 1);
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    for (uint32_t dead = 0; dead < MEMBERS; dead++) {
        uint32_t others = 0;
        for (uint32_t m = 0; m < MEMBERS; m++) {
            others += pairs(r, dead, m) > 0;
        }
        assert_true(others >= EACH - 1);
    }
    rebalance_free(r);
    draft_free(d);
}

/* Three zones of these sizes, the tasks owned evenly. */
static void expect_even_zones(uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t sizes[] = {first, second, third}, members = first + second + third, each = 12;
    uint32_t m = 0, least = UINT32_MAX, most = 0;
    draft *d = standing_group(members * each, members, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t z = 0; z < 3; z++) {
        for (uint32_t i = 0; i < sizes[z]; i++) {
            draft_tag(d, 0, m++, z);
        }
    }
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    for (m = 0; m < members; m++) {
        least = held(r, m) < least ? held(r, m) : least;
        most = held(r, m) > most ? held(r, m) : most;
        for (uint32_t other = 0; other < members; other++) {
            assert_true(d->tags[m] != d->tags[other] || pairs(r, m, other) == 0);
        }
    }
    EXPECT(most - least <= 1, "zones of %u, %u, %u: from %u to %u copies", first, second, third, least, most);
    rebalance_free(r);
    draft_free(d);
}

/* No zone has more than half of the members, so that both can be had: all apart, and as even as without zones. */
static void zones_of_any_sizes_are_even_where_none_has_more_than_half(void **state)
{
    (void)state;
    for (uint32_t first = 1; first <= 6; first++) {
        for (uint32_t second = 1; second <= 6; second++) {
            for (uint32_t third = 1; third <= 6; third++) {
                uint32_t all = first + second + third;
                if (2 * first <= all && 2 * second <= all && 2 * third <= all) {
                    expect_even_zones(first, second, third);
                }
            }
        }
    }
}

/* A zone larger than all others together is more than these can back up evenly with it, so that they do among themselves. */
static void zones_beside_one_with_more_than_half_are_even_among_themselves(void **state)
{
    (void)state;
    enum { EACH = 12 };
    for (uint32_t code = 0; code < 3 * 3 * 4; code++) {
        uint32_t second = 1 + code % 3, third = 1 + code / 3 % 3, first = second + third + 1 + code / 9;
        uint32_t members = first + second + third, least = UINT32_MAX, most = 0;
        draft *d = standing_group(members * EACH, members, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < members; m++) {
            draft_tag(d, 0, m, m < first ? 0 : 1 + (m >= first + second));
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t here = held(r, m);
            least = m >= first && here < least ? here : least;
            most = m >= first && here > most ? here : most;
            for (uint32_t other = 0; other < members; other++) {
                assert_true(d->tags[m] != d->tags[other] || pairs(r, m, other) == 0);
            }
        }
        EXPECT(most - least <= 1, "zones of %u, %u, %u: from %u to %u copies", first, second, third, least, most);
        rebalance_finish(d, r);
    }
}

/* Of zones that are equally large no two depend on each other more than on the rest: who loses one still has all others. */
static void the_standbys_of_one_zone_are_shared_by_all_others(void **state)
{
    (void)state;
    enum { EACH = 12 };
    for (uint32_t code = 0; code < 3 * 4; code++) {
        uint32_t zones = 3 + code % 3, size = 1 + code / 3, members = zones * size, by_zone[5][5] = {{0}};
        draft *d = standing_group(members * EACH, members, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < members; m++) {
            draft_tag(d, 0, m, m % zones);
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t one = 0; one < members; one++) {
            for (uint32_t other = 0; other < members; other++) {
                by_zone[one % zones][other % zones] += pairs(r, one, other);
            }
        }
        for (uint32_t one = 0; one < zones; one++) {
            for (uint32_t other = 0; other < zones; other++) {
                uint32_t even = one == other ? 0 : size * EACH / (zones - 1), has = by_zone[one][other];
                EXPECT(has + 1 >= even && has <= even + 1, "%u zones of %u: %u depends on %u with %u copies, not %u", zones,
                       size, one, other, has, even);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

/* One standby more, and one less again: what was there stays, and of what was added the least caught up goes. */
static void another_number_of_standbys_adds_and_drops_only_the_difference(void **state)
{
    (void)state;
    draft *d = standing_group(24, 6, 1);
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    for (uint32_t replicas = 2; replicas <= 4; replicas++) {
        draft *more = rebalance_next(d, r, SAME_LAGS);
        more->config.num_standby_replicas = replicas;
        rebalance *added = rebalance_run("balanced", more);
        for (uint32_t t = 0; t < 24; t++) {
            assert_int_equal(rebalance_standbys(added, t), replicas);
            assert_true(rebalance_stands_by(added, t, r->plan.standby_member[t]));
        }
        draft *less = rebalance_next(more, added, SAME_LAGS);
        less->config.num_standby_replicas = 1;
        rebalance *back = rebalance_run("balanced", less);
        assert_true(rebalance_same(r, back));
        rebalance_free(added);
        rebalance_free(back);
        draft_free(more);
        draft_free(less);
    }
    rebalance_free(r);
    draft_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_ground_copies_are_even_for_each_thread),
        cmocka_unit_test(the_standbys_of_one_member_lie_on_as_many_others_as_can_be),
        cmocka_unit_test(whose_process_dies_is_stood_in_for_by_many),
        cmocka_unit_test(zones_of_any_sizes_are_even_where_none_has_more_than_half),
        cmocka_unit_test(zones_beside_one_with_more_than_half_are_even_among_themselves),
        cmocka_unit_test(the_standbys_of_one_zone_are_shared_by_all_others),
        cmocka_unit_test(another_number_of_standbys_adds_and_drops_only_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
