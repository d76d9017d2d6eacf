/* SPDX-License-Identifier: Apache-2.0 */
/* Whole hand-overs against a slow reading of hand_over.h, task by task. */
#include "solve/hand_over.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

enum { TASKS = 16 };

/* What is on the target's disk, and in which order a task asks for its slot. */
typedef struct claim {
    uint32_t task, server, target;
    int64_t lag, bytes;
    int running, ready, learning, unready; /* learning, unready: of the target, by all of its tasks */
} claim;

/* Least lag that is known, and the strongest role, of all that is on the disk of the member. */
static int64_t slow_lag(const sgp_view *view, uint32_t task, uint32_t member, uint32_t *role)
{
    uint32_t count, disk = sgp_process(view, member), owner = view->owner[task];
    const sgp_copy *copies = sgp_copies(view, task, &count);
    int64_t lag = SEGUE_LAG_UNKNOWN;
    *role = SEGUE_NONE;
    if (owner != SEGUE_NONE && sgp_process(view, owner) == disk) {
        *role = SEGUE_ACTIVE;
        lag = sgp_owner_lag(view, task);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_process(view, copies[i].member) == disk) {
            *role = *role == SEGUE_NONE || copies[i].role > *role ? copies[i].role : *role;
            lag = copies[i].lag >= 0 && (lag < 0 || copies[i].lag < lag) ? copies[i].lag : lag;
        }
    }
    return lag;
}

/* Copies of one disk that disagree: where nobody stays that uses it, the view leaves that as it is. */
static void the_least_lag_that_is_known_on_a_disk_counts_and_the_strongest_role(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        static const int64_t lags[] = {SEGUE_LAG_UNKNOWN, 0, 5, 80, 20000};
        chance c = chance_of(seed);
        draft *d = draft_new();
        draft_tasks(d, 1, 1);
        for (uint32_t m = 0; m < 6; m++) {
            draft_member(d, m / 3, 1);
            if (!chance_once_in(&c, 3)) {
                uint32_t roles = SEGUE_ACTIVE + (uint32_t)chance_once_in(&c, 4);
                draft_copy(d, m, 0, chance_below(&c, roles), lags[chance_below(&c, 5)]);
            }
        }
        for (uint32_t m = 3; m < 6; m++) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
        solver *s = solver_open(d);
        for (uint32_t m = 0; m < 6; m += 3) {
            uint32_t role, expected_role;
            int64_t lag = sgp_lag_on(&s->view, 0, m, &role), expected = slow_lag(&s->view, 0, m, &expected_role);
            EXPECT(lag == expected && role == expected_role, "seed %llu: lag %lld instead of %lld, role %u instead of %u",
                   (unsigned long long)seed, (long long)lag, (long long)expected, role, expected_role);
        }
        solver_close(s);
    }
}

static int64_t deadline(const sgp_view *view, const claim *a)
{
    int64_t at = view->group->member_deadline_ms == NULL ? SEGUE_TIME_NONE : view->group->member_deadline_ms[a->server];
    return view->place[a->server] == SGP_STAYS || at == SEGUE_TIME_NONE ? INT64_MAX : at;
}

static double state_for_weight(const sgp_view *view, const claim *a)
{
    const double *weight = view->group->task_weight;
    return (double)a->bytes / (weight == NULL || !(weight[a->task] > 0) ? 1 : weight[a->task]);
}

/* By what the header says, one thing after the other. */
static int asks_before(const sgp_view *view, const claim *a, const claim *b)
{
    int evicted = (view->place[a->server] != SGP_STAYS) - (view->place[b->server] != SGP_STAYS);
    if (evicted != 0 || a->running != b->running || a->learning != b->learning) {
        return evicted != 0 ? evicted > 0 : a->running != b->running ? a->running : a->learning;
    }
    if (deadline(view, a) != deadline(view, b)) {
        return deadline(view, a) < deadline(view, b);
    }
    if (a->target != b->target || a->lag != b->lag) {
        return a->target != b->target ? a->target < b->target : b->lag < 0 || (a->lag >= 0 && a->lag < b->lag);
    }
    double mine = state_for_weight(view, a), its = state_for_weight(view, b);
    return mine < its || (!(its < mine) && a->task < b->task);
}

typedef struct outcome {
    uint32_t active[TASKS], learner[TASKS], learners, held_back;
} outcome;

static int finds_slot(const sgp_view *view, const outcome *o, const claim *a, int64_t flying, int full)
{
    const segue_config *config = view->config;
    uint32_t of_member = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        of_member += o->learner[t] == a->target;
    }
    int bytes = config->max_learning_bytes < 0 || a->bytes == 0 || o->learners == 0 ||
                (!full && flying + a->bytes <= config->max_learning_bytes);
    return o->learners < config->max_learners && of_member < config->max_learners_per_member && bytes;
}

static int has_numbers_left(const sgp_view *view, const outcome *o, const claim *a)
{
    claim weightless = *a;
    weightless.bytes = 0;
    return finds_slot(view, o, &weightless, 0, 0);
}

static void share_slots(const sgp_view *view, claim *claims, uint32_t count, outcome *o)
{
    int64_t flying = 0;
    int full = 0; /* a task waits for bytes */
    for (uint32_t done = 0; done < count; done++) {
        uint32_t first = done;
        for (uint32_t i = done + 1; i < count; i++) {
            first = asks_before(view, &claims[i], &claims[first]) ? i : first;
        }
        claim a = claims[first];
        claims[first] = claims[done];
        if (finds_slot(view, o, &a, flying, full)) {
            o->learner[a.task] = a.target;
            o->learners++;
            flying += a.bytes;
        } else {
            full |= has_numbers_left(view, o, &a);
            o->active[a.task] = a.ready ? a.target : a.server;
            o->held_back += !a.ready;
        }
    }
}

static uint32_t make_claims(const sgp_view *view, const uint32_t *target, claim *claims, outcome *o)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t server = view->owner[t], role;
        o->active[t] = target[t];
        o->learner[t] = SEGUE_NONE;
        if (server != SEGUE_NONE && sgp_process(view, server) != sgp_process(view, target[t])) {
            int64_t lag = slow_lag(view, t, target[t], &role), bytes = view->group->task_state_bytes[t];
            o->active[t] = server;
            claims[count++] = (claim){t, server, target[t], lag, bytes > 0 ? bytes : 0, role == SEGUE_LEARNER,
                                      lag >= 0 && lag <= view->config->acceptable_recovery_lag, 0, 0};
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            int same = claims[i].target == claims[k].target && claims[k].running;
            claims[i].learning |= same;
            claims[i].unready |= same && !claims[k].ready;
        }
    }
    return count;
}

static void read_slowly(const sgp_view *view, const uint32_t *target, outcome *o)
{
    claim claims[TASKS];
    *o = (outcome){.learners = 0};
    uint32_t kept = 0, count = make_claims(view, target, claims, o);
    for (uint32_t i = 0; i < count; i++) {
        claim a = claims[i];
        if (a.ready && (view->config->learner_partial_rebalance || !a.running || !a.unready)) {
            o->active[a.task] = a.target;
        } else {
            claims[kept++] = a;
        }
    }
    share_slots(view, claims, kept, o);
}

static draft *some_group(chance *c, uint64_t seed)
{
    draft *d = random_group(seed, (random_size){TASKS, 6, 2, 2}, RANDOM_ANYTHING & ~(unsigned)RANDOM_STATELESS);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        d->weight[t] = 0.25 * (1 + chance_below(c, 8));
        d->state_bytes[t] = 100 * (int64_t)chance_below(c, 4);
    }
    d->config.learner_partial_rebalance = (uint8_t)chance_below(c, 2);
    d->config.max_learners = chance_once_in(c, 3) ? chance_below(c, 6) : SEGUE_NO_LIMIT;
    d->config.max_learners_per_member = chance_once_in(c, 3) ? chance_below(c, 3) : SEGUE_NO_LIMIT;
    d->config.max_learning_bytes = chance_once_in(c, 2) ? 100 * (int64_t)chance_below(c, 8) : -1;
    return d;
}

static void hand_overs_are_what_a_slow_reading_of_the_rules_says(void **state)
{
    (void)state;
    uint32_t held_back = 0;
    for (uint64_t seed = chance_seed(), last = seed + 4000; seed < last; seed++) {
        chance c = chance_of(~seed);
        solver *s = solver_open(some_group(&c, seed));
        const sgp_view *view = &s->view;
        uint32_t target[TASKS], before[TASKS];
        for (uint32_t t = 0; t < view->tasks; t++) {
            before[t] = target[t] = chance_once_in(&c, 4) && view->owner[t] != SEGUE_NONE ? view->owner[t]
                                                                                             : chance_below(&c, view->members);
        }
        outcome made = {.learners = 0}, expected;
        sgp_roles roles = {.serve = view->owner, .target = target, .active = made.active, .learner = made.learner};
        assert_int_equal(sgp_hand_over(view, &roles, 0, &s->region), SEGUE_OK);
        read_slowly(view, before, &expected);
        for (uint32_t t = 0; t < view->tasks; t++) {
            EXPECT(made.active[t] == expected.active[t] && made.learner[t] == expected.learner[t],
                   "seed %llu, task %u: active %d, learner %d instead of %d, %d", (unsigned long long)seed, t,
                   (int)made.active[t], (int)made.learner[t], (int)expected.active[t], (int)expected.learner[t]);
        }
        EXPECT(roles.learners == expected.learners && roles.held_back == expected.held_back,
               "seed %llu: %u learners, %u held back", (unsigned long long)seed, roles.learners, roles.held_back);
        held_back += expected.held_back;
        solver_close(s);
    }
    assert_true(held_back > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_lag_that_is_known_on_a_disk_counts_and_the_strongest_role),
        cmocka_unit_test(hand_overs_are_what_a_slow_reading_of_the_rules_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
