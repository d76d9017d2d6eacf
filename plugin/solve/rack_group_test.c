/* SPDX-License-Identifier: Apache-2.0 */
/* Between which numbers of tasks members may end, and who is like whom: what rack_group.h and rack_profile.h say, read slowly. */
#include "solve/rack_group.h"

#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

enum { TASKS = 30, MEMBERS = 9 };

static rack_scene *open_scene(uint64_t seed)
{
    chance c = chance_of(seed ^ 0x9009);
    static uint8_t costly[MEMBERS];
    for (uint32_t m = 0; m < MEMBERS; m++) {
        costly[m] = (uint8_t)chance_below(&c, 2);
    }
    return rack_scene_open(rack_scene_draft(seed, (rack_size){TASKS, MEMBERS, (int)chance_below(&c, 2)}),
                           (rack_wish){.newcomers = (int)chance_below(&c, 2),
                                       .costly = chance_once_in(&c, 2) ? costly : NULL,
                                       .budget = chance_below(&c, 3)});
}

/* ---- bounds ---- */

/* Tasks above their ceilings are given up one by one, by whoever has most above it, as many as the targets release; what is left
 * above then is a level, which of those that are on it may be shared out anyhow. */
typedef struct levels {
    uint32_t above[MEMBERS], most; /* what each has above its ceiling, then */
    uint32_t released, heavy;      /* of heavy: how many tasks above the level below are left */
} levels;

static levels level_slowly(const rack_scene *t)
{
    levels l = {{0}, 0, 0, 0};
    for (uint32_t task = 0; task < t->s->view.tasks; task++) {
        uint32_t server = sgp_staying_server(&t->b, task);
        l.released += server != SEGUE_NONE && t->b.target[task] != server;
    }
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        uint32_t ceiling = t->quota.ceiling[m];
        l.above[m] = t->s->view.place[m] == SGP_STAYS && t->b.load[m] > ceiling ? t->b.load[m] - ceiling : 0;
    }
    for (uint32_t left = l.released;; left--) {
        uint32_t top = 0;
        for (uint32_t m = 0; m < t->s->view.members; m++) {
            top = l.above[m] > l.above[top] ? m : top;
        }
        l.most = l.above[top];
        if (left == 0 || l.most == 0) {
            break;
        }
        l.above[top]--;
    }
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        l.heavy += l.most > 0 && l.above[m] == l.most;
    }
    return l;
}

static void expect_bounds(const rack_scene *t, uint64_t seed, const levels *l, uint32_t m)
{
    const sgp_rack_bounds *s = &t->bounds;
    uint32_t floor = t->quota.floor[m], ceiling = t->quota.ceiling[m], load = t->b.load[m], ends = solver_held(&t->b, m, 0);
    for (uint32_t part = 1; part < t->s->view.subtopologies; part++) {
        ends += solver_held(&t->b, m, part);
    }
    int is_heavy = load > ceiling;
    if (is_heavy && l->most > 0) {
        uint32_t level = ceiling + l->most;
        EXPECT(s->high[m] == (load < level ? load : level) && s->low[m] == (load < level - 1 ? load : level - 1),
               "seed %llu: %u of load %u is between %u and %u", (unsigned long long)seed, m, load, s->low[m], s->high[m]);
        EXPECT(s->pool[m] == SGP_RACK_HEAVY, "seed %llu: %u is not heavy", (unsigned long long)seed, m);
    } else {
        int fixed = ends < floor || (ends > ceiling && !is_heavy);
        EXPECT(s->low[m] == (fixed ? ends : floor) && s->high[m] == (fixed ? ends : ceiling),
               "seed %llu: %u ends with %u and is between %u and %u", (unsigned long long)seed, m, ends, s->low[m], s->high[m]);
        EXPECT(s->pool[m] != SGP_RACK_HEAVY, "seed %llu: %u is heavy", (unsigned long long)seed, m);
    }
}

static void bounds_are_the_quotas_and_heavy_members_get_down_as_far_as_what_is_released(void **state)
{
    (void)state;
    uint32_t strained = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        rack_scene *t = open_scene(seed);
        levels l = level_slowly(t);
        for (uint32_t m = 0; m < t->s->view.members; m++) {
            if (t->s->view.place[m] == SGP_STAYS) {
                expect_bounds(t, seed, &l, m);
            } else {
                assert_int_equal(t->bounds.high[m], 0);
            }
        }
        EXPECT(t->bounds.heavy == (int64_t)l.heavy, "seed %llu: %lld tasks and not %u stay above", (unsigned long long)seed,
               (long long)t->bounds.heavy, l.heavy);
        strained += l.most > 0;
        rack_scene_close(t);
    }
    assert_true(strained > 8);
}

/* ---- groups ---- */

/* Where learners wait for slots, and where subtopologies are balanced, it matters which member is which. */
static int stands_alone(const rack_scene *t, uint32_t member)
{
    int alone = 0;
    for (uint32_t i = 0; i < t->classes.count; i++) {
        const sgp_rack_class *c = &t->classes.list[i];
        alone |= c->learner == member;
        alone |= c->server == member && (c->learner != SEGUE_NONE || t->g.evens || sgp_rack_has_slots(&t->b));
    }
    return alone;
}

/* Tasks of a rack cost that the member serves. */
static uint32_t serves(const rack_scene *t, uint32_t member, uint32_t vector)
{
    uint32_t tasks = 0;
    for (uint32_t task = 0; task < t->s->view.tasks; task++) {
        tasks += sgp_staying_server(&t->b, task) == member && t->cost.vector[task] == vector;
    }
    return tasks;
}

static int are_alike(const rack_scene *t, uint32_t a, uint32_t b)
{
    const sgp_rack_bounds *s = &t->bounds;
    int alike = t->cost.place[a] == t->cost.place[b] && t->b.receives[a] == t->b.receives[b] && s->low[a] == s->low[b] &&
                s->high[a] == s->high[b] && s->pool[a] == s->pool[b] && t->s->view.threads[a] == t->s->view.threads[b];
    for (uint32_t v = 0; v < t->cost.vectors; v++) {
        alike &= serves(t, a, v) == serves(t, b, v);
    }
    return alike && !stands_alone(t, a) && !stands_alone(t, b);
}

static void members_are_one_group_where_nothing_tells_them_apart(void **state)
{
    (void)state;
    uint32_t pairs = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        rack_scene *t = open_scene(seed);
        uint32_t load[MEMBERS] = {0};
        for (uint32_t a = 0; a < t->s->view.members; a++) {
            uint32_t of = t->groups.of_member[a];
            assert_int_equal(of != SEGUE_NONE, t->s->view.place[a] == SGP_STAYS);
            for (uint32_t b = 0; of != SEGUE_NONE && b < a; b++) {
                int together = of == t->groups.of_member[b];
                EXPECT(t->s->view.place[b] != SGP_STAYS || together == are_alike(t, a, b), "seed %llu: %u and %u, %d",
                       (unsigned long long)seed, b, a, together);
                pairs += (uint32_t)together;
            }
            load[of == SEGUE_NONE ? 0 : of] += of == SEGUE_NONE ? 0 : t->b.load[a];
        }
        for (uint32_t i = 0; i < t->groups.count; i++) {
            EXPECT(t->groups.list[i].load == load[i], "seed %llu: %u", (unsigned long long)seed, t->groups.list[i].load);
        }
        rack_scene_close(t);
    }
    assert_true(pairs > 500);
}

/* Any of the three limits makes learners wait, were it one of nothing; tasks without state have none. */
static void learners_wait_where_anything_limits_them(void **state)
{
    (void)state;
    for (uint32_t limit = 0; limit < 4; limit++) {
        draft *d = draft_of_one_owner(2, 2);
        d->config.max_learners = limit == 1 ? 0 : SEGUE_NO_LIMIT;
        d->config.max_learners_per_member = limit == 2 ? 0 : SEGUE_NO_LIMIT;
        d->config.max_learning_bytes = limit == 3 ? 0 : -1;
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, (const uint32_t[]){1, 1});
        assert_int_equal(sgp_rack_has_slots(&b), limit > 0);
        b.stateful = 0;
        assert_false(sgp_rack_has_slots(&b));
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_the_quotas_and_heavy_members_get_down_as_far_as_what_is_released),
        cmocka_unit_test(members_are_one_group_where_nothing_tells_them_apart),
        cmocka_unit_test(learners_wait_where_anything_limits_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
