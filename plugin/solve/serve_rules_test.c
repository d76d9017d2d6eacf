/* SPDX-License-Identifier: Apache-2.0 */
/* Who serves in whole groups, against a slow reading of serve.h: as long as nobody has too much (relief.h). */
#include "solve/serve.h"

#include "solve/quota.h"
#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

enum { TASKS = 12, MEMBERS = 6, FIELDS = 5 };

/* How good a copy is; the first field that differs says which is better, and less is better. */
typedef struct rank {
    int64_t field[FIELDS];
} rank;

/* What is the best of a task's copies, and how many are as good. */
typedef struct choice {
    uint32_t member, equals;
    rank best;
    int64_t hidden; /* the least lag known of a copy that only leaving members could use, who hold another; else -1 */
} choice;

static int stays_there(const sgp_view *view, uint32_t member)
{
    return view->process_place[sgp_process(view, member)] == SGP_STAYS;
}

/* Caught up, behind, unknown; then the lag of those behind; of the caught up those on a disk of somebody who stays; then the
 * role; then whether somebody stays. */
static rank rank_of(const sgp_view *view, const sgp_copy *copy)
{
    int usable = !view->nobody_stays || view->place[copy->member] == SGP_STAYS;
    int ready = copy->lag >= 0 && copy->lag <= view->config->acceptable_recovery_lag && usable;
    int64_t leaves = !stays_there(view, copy->member);
    return (rank){{ready ? 0 : copy->lag >= 0 ? 1 : 2, ready || copy->lag < 0 ? 0 : copy->lag, ready ? leaves : 0,
                   -(int64_t)copy->role, leaves}};
}

static int compare(const rank *a, const rank *b)
{
    for (int i = 0; i < FIELDS; i++) {
        if (a->field[i] != b->field[i]) {
            return a->field[i] < b->field[i] ? -1 : 1;
        }
    }
    return 0;
}

static int is_lighter(const sgp_view *view, const uint32_t *load, uint32_t a, uint32_t b)
{
    uint32_t mine = load[a] * view->threads[b], its = load[b] * view->threads[a];
    return mine < its || (mine == its && a < b);
}

static choice choose(const sgp_view *view, uint32_t task, const uint32_t *load, int only_staying)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    choice c = {.member = SEGUE_NONE, .hidden = -1};
    for (uint32_t i = 0; i <= count; i++) {
        sgp_copy copy = i < count ? copies[i] : (sgp_copy){sgp_owner_lag(view, task), view->owner[task], SEGUE_ACTIVE};
        if (copy.member == SEGUE_NONE || (only_staying && !stays_there(view, copy.member))) {
            continue;
        }
        uint32_t member = sgp_serve_on(view, copy.member, load);
        if (member == SEGUE_NONE) {
            int seen = view->process_place[sgp_process(view, copy.member)] != SGP_GONE && copy.lag >= 0;
            c.hidden = seen && (c.hidden < 0 || copy.lag < c.hidden) ? copy.lag : c.hidden;
            continue;
        }
        rank r = rank_of(view, &copy);
        int order = c.member == SEGUE_NONE ? -1 : compare(&r, &c.best);
        c.equals = order < 0 ? 1 : c.equals + (uint32_t)(order == 0);
        c.member = order < 0 || (order == 0 && is_lighter(view, load, member, c.member)) ? member : c.member;
        c.best = order < 0 ? r : c.best;
    }
    return c;
}

static int any_ready(const sgp_view *view, uint32_t task)
{
    uint32_t count, ready = 0;
    const sgp_copy *copies = sgp_copies(view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        ready += copies[i].lag >= 0 && copies[i].lag <= view->config->acceptable_recovery_lag;
    }
    return ready > 0;
}

static choice serve_slowly(const sgp_view *view, uint32_t task, const uint32_t *load, int cold)
{
    uint32_t owner = view->owner[task];
    int present = owner != SEGUE_NONE && view->place[owner] != SGP_GONE;
    choice keeps = {.member = owner, .equals = 1};
    if (present && (cold || sgp_owner_lag(view, task) <= view->config->acceptable_recovery_lag || !any_ready(view, task))) {
        return keeps;
    }
    choice c = choose(view, task, load, 0);
    int doubtful = c.member != SEGUE_NONE && c.best.field[0] > 0 && c.best.field[4];
    if (doubtful && c.hidden >= 0 && (c.best.field[0] == 2 || c.hidden < c.best.field[1])) {
        c = choose(view, task, load, 1);
    }
    return present && (c.member == SEGUE_NONE || c.best.field[0] > 0) ? keeps : c;
}

/* Whose task has a copy that comes before all others gets it first, the others then go by the loads that this makes. */
static void serve_all_slowly(const sgp_view *view, int cold, uint32_t *serve, uint32_t *load)
{
    memset(load, 0, view->members * sizeof *load);
    for (int pass = 0; pass < 3; pass++) { /* owners that go on, one best copy, several */
        for (uint32_t t = 0; t < view->tasks; t++) {
            choice c = serve_slowly(view, t, load, cold);
            int goes_on = c.member != SEGUE_NONE && c.member == view->owner[t] && view->place[c.member] != SGP_GONE &&
                          (cold || sgp_owner_lag(view, t) <= view->config->acceptable_recovery_lag);
            if (pass == (goes_on ? 0 : c.equals > 1 ? 2 : 1)) {
                serve[t] = c.member;
                load[c.member == SEGUE_NONE ? 0 : c.member] += c.member != SEGUE_NONE;
            }
        }
    }
}

/* More on somebody than its quota, or more roundings than there are: then others may take some over. */
static int has_too_much(solver *s, const uint32_t *load)
{
    uint32_t low[MEMBERS], high[MEMBERS], rounded = 0;
    int too_much = 0;
    sgp_quota quota = {low, high, 0};
    sgp_quota_share(&s->view, s->view.stateful_tasks, &quota);
    for (uint32_t m = 0; m < s->view.members; m++) {
        rounded += high[m] > low[m] && load[m] > low[m];
        too_much |= s->view.place[m] == SGP_STAYS && load[m] > high[m];
    }
    return too_much || rounded > quota.roundings;
}

static void who_serves_is_what_a_slow_reading_of_the_rules_says(void **state)
{
    (void)state;
    const unsigned traits = RANDOM_COPIES | RANDOM_LEAVING | RANDOM_SHARED_DISKS | RANDOM_NO_OWNER | RANDOM_CONTESTED |
                            RANDOM_RESTORING | RANDOM_NO_THREADS;
    uint32_t compared = 0;
    for (uint64_t seed = chance_seed(), last = seed + 8000; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){TASKS, MEMBERS, 3, 2}, traits));
        const sgp_view *view = &s->view;
        uint32_t serve[TASKS], load[MEMBERS], expected[TASKS], expected_load[MEMBERS];
        int cold = seed % 5 == 0;
        assert_int_equal(sgp_serve(view, cold, serve, load, &s->region), SEGUE_OK);
        serve_all_slowly(view, cold, expected, expected_load);
        int settled = view->nobody_stays || view->copy_start == NULL || !has_too_much(s, expected_load);
        for (uint32_t t = 0; settled && t < view->tasks; t++) {
            EXPECT(serve[t] == expected[t], "seed %llu: %d serves task %u instead of %d", (unsigned long long)seed,
                   (int)serve[t], t, (int)expected[t]);
        }
        compared += (uint32_t)settled;
        solver_close(s);
    }
    EXPECT(compared > 1000, "only %u groups were compared", compared);
}

/* Nobody has a copy but owners who have everything and are here: then they serve, and nobody has to look. */
static void everybody_goes_on_where_there_is_nothing_else(void **state)
{
    (void)state;
    uint32_t go_on[2] = {0};
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        const unsigned rare[] = {RANDOM_COPIES, RANDOM_STATELESS, RANDOM_RESTORING, RANDOM_CONTESTED, 0, 0};
        unsigned traits = RANDOM_NO_OWNER | RANDOM_LEAVING | RANDOM_NO_THREADS | rare[seed % 6];
        solver *s = solver_open(random_group(seed, (random_size){TASKS, MEMBERS, 3, 2}, traits));
        const sgp_view *view = &s->view;
        int expected = view->copy_start == NULL;
        for (uint32_t t = 0; t < view->tasks; t++) {
            uint32_t owner = view->owner[t];
            expected &= sgp_stateful(view, t) && (owner == SEGUE_NONE || view->place[owner] != SGP_GONE) &&
                        view->owner_lag == NULL;
        }
        EXPECT(sgp_everybody_goes_on(view) == expected, "seed %llu: %d", (unsigned long long)seed, expected);
        go_on[expected]++;
        solver_close(s);
    }
    assert_true(go_on[0] > 300 && go_on[1] > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_goes_on_where_there_is_nothing_else),
        cmocka_unit_test(who_serves_is_what_a_slow_reading_of_the_rules_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
