/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/zones.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { PROCESSES = 7, TAGS = 3, VALUES = 3 };

/* Two members on some processes; some leave, and some have no value of a tag. */
static solver *open_random(chance *c)
{
    draft *d = draft_new();
    uint32_t members = 0;
    for (uint32_t p = 0; p < PROCESSES; p++) {
        for (uint32_t i = chance_below(c, 2); i < 2; i++) {
            draft_member(d, p, 1);
            members++;
        }
    }
    draft_tag_dimensions(d, TAGS);
    for (uint32_t m = 0; m < members; m++) {
        for (uint32_t k = 0; k < TAGS; k++) {
            uint32_t values = 1 + (uint32_t)(c->state >> 40) % VALUES;
            if (!chance_once_in(c, 6)) {
                draft_tag(d, k, m, k * VALUES + chance_below(c, values));
            }
        }
        if (chance_once_in(c, 4)) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
    }
    return solver_open(d);
}

/* By the header: that of its first member that stays, or else of its first. */
static uint32_t tag_of(const solver *s, uint32_t tag, uint32_t process)
{
    const sgp_view *view = &s->view;
    uint32_t found = SEGUE_NONE;
    for (uint32_t i = view->process_start[process + 1]; i-- > view->process_start[process];) {
        uint32_t m = view->process_member[i];
        int counts = view->place[m] == SGP_STAYS || (view->process_place[process] != SGP_STAYS);
        found = counts ? view->group->member_tag[(size_t)tag * view->members + m] : found;
    }
    return found;
}

/* Not all have the same value, or none. */
static int tells_apart(const solver *s, uint32_t tag)
{
    for (uint32_t p = 1; p < PROCESSES; p++) {
        if (tag_of(s, tag, p) != tag_of(s, tag, 0)) {
            return 1;
        }
    }
    return 0;
}

static void expect_pair(uint64_t seed, const solver *s, const sgp_zones *z, const uint32_t *tags, uint32_t a, uint32_t b)
{
    int same = 1;
    for (uint32_t d = 0; d < z->dimensions; d++) {
        uint32_t one = tag_of(s, tags[d], a), other = tag_of(s, tags[d], b);
        same &= one == other;
        EXPECT((z->same[d][z->of[a]] >> z->of[b] & 1) == (one == other && one != SEGUE_NONE),
               "seed %llu: values of %u and %u in dimension %u", (unsigned long long)seed, a, b, d);
        EXPECT((z->valued[d] >> z->of[a] & 1) == (one != SEGUE_NONE), "seed %llu: has %u a value in dimension %u?",
               (unsigned long long)seed, a, d);
    }
    EXPECT((z->of[a] == z->of[b]) == same, "seed %llu: zones of %u and %u", (unsigned long long)seed, a, b);
}

static void expect_stock(uint64_t seed, const solver *s, const sgp_zones *z)
{
    uint32_t stock[SGP_ZONES] = {0};
    for (uint32_t p = 0; p < PROCESSES; p++) {
        stock[z->of[p]] += s->view.process_place[p] == SGP_STAYS;
    }
    for (uint32_t i = 0; i < SGP_ZONES; i++) {
        EXPECT(z->stock[i] == stock[i] && (z->stocked >> i & 1) == (stock[i] > 0), "seed %llu: stock of zone %u is %u",
               (unsigned long long)seed, i, z->stock[i]);
    }
}

static void zones_are_the_combinations_of_values_that_there_are(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        solver *s = open_random(&c);
        sgp_zones z;
        uint32_t tags[TAGS], count = 0;
        assert_int_equal(sgp_zones_build(&z, &s->view, &s->region), SEGUE_OK);
        for (uint32_t k = 0; k < TAGS && !s->view.nobody_stays; k++) {
            tags[count] = k;
            count += (uint32_t)tells_apart(s, k);
        }
        EXPECT(z.dimensions == count, "seed %llu: %u dimensions, of %u tags that tell apart", (unsigned long long)seed,
               z.dimensions, count);
        for (uint32_t a = 0; a < PROCESSES; a++) {
            for (uint32_t b = 0; b < PROCESSES; b++) {
                expect_pair(seed, s, &z, tags, a, b);
            }
        }
        expect_stock(seed, s, &z);
        solver_close(s);
    }
}

/* As the header has it, dimension by dimension and zone by zone. */
static uint64_t newest(const sgp_zones *z, uint64_t among, const uint64_t *used, uint32_t *novelty)
{
    *novelty = 0;
    for (uint32_t d = 0; d < z->dimensions; d++) {
        uint64_t differ = 0;
        for (uint32_t i = 0; i < z->count; i++) {
            int is_new = (among >> i & 1) != 0 && z->same[d][i] != 0 && (used[d] >> i & 1) == 0;
            differ |= (uint64_t)is_new << i;
        }
        *novelty = 2 * *novelty + (differ != 0);
        among = differ != 0 ? differ : among;
    }
    return among;
}

static void zones_that_differ_most_differ_in_the_first_dimension_first(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        chance c = chance_of(seed);
        solver *s = open_random(&c);
        sgp_zones z;
        uint64_t used[SGP_DIMENSIONS] = {0};
        uint32_t novelty, expected;
        assert_int_equal(sgp_zones_build(&z, &s->view, &s->region), SEGUE_OK);
        for (uint32_t i = chance_below(&c, 3); i > 0; i--) {
            uint32_t zone = z.of[chance_below(&c, PROCESSES)];
            for (uint32_t d = 0; d < z.dimensions; d++) {
                used[d] |= z.same[d][zone];
            }
        }
        uint64_t among = z.stocked, slow = newest(&z, among, used, &expected);
        EXPECT(sgp_zones_new(&z, among, used, &novelty) == slow && novelty == expected, "seed %llu: not those",
               (unsigned long long)seed);
        solver_close(s);
    }
}

/* A process of each of so many values of the first tag; of two that share a zone the second tag differs. */
static void where_there_are_too_many_values_they_share_zones_and_later_tags_have_no_room(void **state)
{
    (void)state;
    for (uint32_t values = 31; values <= 100; values++) {
        draft *d = draft_new();
        for (uint32_t p = 0; p < values; p++) {
            draft_member(d, p, 1);
        }
        draft_tag_dimensions(d, 2);
        for (uint32_t p = 0; p < values; p++) {
            draft_tag(d, 0, p, p);
            draft_tag(d, 1, p, 200 + (p + p / SGP_ZONES) % 2);
        }
        solver *s = solver_open(d);
        sgp_zones z;
        assert_int_equal(sgp_zones_build(&z, &s->view, &s->region), SEGUE_OK);
        EXPECT(z.count == (values < SGP_ZONES ? values : SGP_ZONES), "%u values make %u zones", values, z.count);
        EXPECT(z.dimensions == (values <= SGP_ZONES ? 2 : 1), "%u values leave %u dimensions", values, z.dimensions);
        for (uint32_t p = 0; p < values; p++) {
            EXPECT((z.of[p] == z.of[0]) == (p % SGP_ZONES == 0), "of %u values, number %u", values, p);
        }
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_the_combinations_of_values_that_there_are),
        cmocka_unit_test(zones_that_differ_most_differ_in_the_first_dimension_first),
        cmocka_unit_test(where_there_are_too_many_values_they_share_zones_and_later_tags_have_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
