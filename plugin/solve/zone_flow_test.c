/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/zone_flow.h"

#include "test/chance.h"
#include "test/testing.h"

enum { KINDS = 6, ZONES = 7 };

/* Some tasks of some kinds, and zones with room; nothing is placed. */
static sgp_zone_flow *some_flow(uint64_t seed)
{
    chance c = chance_of(seed);
    sgp_zone_flow *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->kinds = 1 + chance_below(&c, KINDS);
    uint32_t most = 1 + chance_below(&c, 30);
    for (uint32_t k = 0; k < f->kinds; k++) {
        f->allowed[k] = chance_below(&c, 1 << ZONES) & (chance_once_in(&c, 2) ? chance_below(&c, 1 << ZONES) : ~0u);
        f->left[k] = chance_below(&c, most);
    }
    for (uint32_t z = 0; z < ZONES; z++) {
        f->room[z] = chance_once_in(&c, 4) ? 0 : chance_below(&c, most);
    }
    return f;
}

/* As many as can be placed: some kinds are given up, and all zones of the others filled, whichever kinds are best for that. */
static uint64_t most_placed(const sgp_zone_flow *before)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t kept = 0; kept < 1u << before->kinds; kept++) {
        uint64_t zones = 0, all = 0;
        for (uint32_t k = 0; k < before->kinds; k++) {
            zones |= kept >> k & 1 ? before->allowed[k] : 0;
            all += kept >> k & 1 ? 0 : before->left[k];
        }
        for (uint32_t z = 0; z < ZONES; z++) {
            all += zones >> z & 1 ? before->room[z] : 0;
        }
        least = all < least ? all : least;
    }
    return least;
}

/* Zones that those left over may use, and those of whoever sits there and could make room by going elsewhere. */
static uint64_t short_of_room(const sgp_zone_flow *f)
{
    uint64_t zones = 0, before = ~zones;
    while (zones != before) {
        before = zones;
        for (uint32_t k = 0; k < f->kinds; k++) {
            int reached = f->left[k] > 0;
            for (uint32_t z = 0; z < ZONES; z++) {
                reached |= (before >> z & 1) && f->placed[k][z] > 0;
            }
            zones |= reached ? f->allowed[k] : 0;
        }
    }
    return zones;
}

/* Nothing is lost, and nobody is where it may not be. Returns how many are placed. */
static uint64_t expect_whole(uint64_t seed, const sgp_zone_flow *before, const sgp_zone_flow *f)
{
    uint64_t placed = 0;
    for (uint32_t k = 0; k < f->kinds; k++) {
        uint64_t of_kind = f->left[k];
        for (uint32_t z = 0; z < SGP_ZONES; z++) {
            EXPECT(f->placed[k][z] == 0 || (f->allowed[k] >> z & 1), "seed %llu: kind %u in zone %u", (unsigned long long)seed,
                   k, z);
            of_kind += f->placed[k][z];
            placed += f->placed[k][z];
        }
        EXPECT(of_kind == before->left[k], "seed %llu: %llu of kind %u", (unsigned long long)seed, (unsigned long long)of_kind,
               k);
    }
    for (uint32_t z = 0; z < SGP_ZONES; z++) {
        uint64_t there = f->room[z];
        for (uint32_t k = 0; k < f->kinds; k++) {
            there += f->placed[k][z];
        }
        EXPECT(there == before->room[z], "seed %llu: %llu of zone %u", (unsigned long long)seed, (unsigned long long)there, z);
    }
    return placed;
}

static void as_many_are_placed_as_can_be_and_what_is_short_of_room_is_said(void **state)
{
    (void)state;
    uint32_t left_over = 0;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        sgp_zone_flow *f = some_flow(seed), before = *f;
        chance c = chance_of(~seed);
        for (int again = 0; again < 3; again++) {
            uint64_t zones = sgp_zone_flow_run(f), placed = expect_whole(seed, &before, f);
            EXPECT(placed == most_placed(&before), "seed %llu: %llu are placed of %llu", (unsigned long long)seed,
                   (unsigned long long)placed, (unsigned long long)most_placed(&before));
            EXPECT(zones == short_of_room(f), "seed %llu: more room is wanted in %llx instead of %llx",
                   (unsigned long long)seed, (unsigned long long)zones, (unsigned long long)short_of_room(f));
            left_over += zones != 0;
            for (uint32_t z = 0; z < ZONES; z++) {
                uint32_t more = chance_below(&c, 5);
                f->room[z] += more;
                before.room[z] += more;
            }
        }
        free(f);
    }
    assert_true(left_over > 1000);
}

/* A kind alone, for which there is more than enough room: each zone has its part of it, up to a task for each rounding. */
static void what_has_a_choice_is_spread_like_the_room(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        chance c = chance_of(seed);
        sgp_zone_flow *f = calloc(1, sizeof *f);
        uint32_t room[ZONES], all = 0;
        assert_non_null(f);
        f->kinds = 1;
        f->allowed[0] = (1 << ZONES) - 1;
        for (uint32_t z = 0; z < ZONES; z++) {
            all += f->room[z] = room[z] = 20 + chance_below(&c, 80);
        }
        uint32_t tasks = f->left[0] = chance_below(&c, all);
        assert_int_equal(sgp_zone_flow_run(f), 0);
        for (uint32_t z = 0; z < ZONES; z++) {
            uint32_t share = tasks * room[z] / all;
            EXPECT(f->placed[0][z] >= share && f->placed[0][z] <= share + ZONES, "seed %llu: %u in zone %u, whose share is %u",
                   (unsigned long long)seed, f->placed[0][z], z, share);
        }
        free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_are_placed_as_can_be_and_what_is_short_of_room_is_said),
        cmocka_unit_test(what_has_a_choice_is_spread_like_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
