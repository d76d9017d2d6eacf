/* SPDX-License-Identifier: Apache-2.0 */
/* Random groups with values that were not meant, and instances in many threads. */
#include "segue/abi.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

#include <math.h>
#include <pthread.h>

/* Shuffled bytes in the columns that the plugin checks: whatever they are, it answers, and does not crash. */
static void noise_in_a_column_is_answered_or_refused(void **state)
{
    (void)state;
    segue_instance *instance = NULL;
    assert_int_equal(rebalance_slots()->create("learner", &instance, NULL), SEGUE_OK);
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = random_group(seed, (random_size){12, 6, 3, 3}, RANDOM_ANYTHING);
        rebalance *r = rebalance_room(d);
        uint32_t *columns[] = {d->subtopology, d->process, d->threads, d->copy_start, d->copy_task};
        const uint32_t rows[] = {d->group.task_count, d->group.member_count, d->group.member_count,
                                 d->group.member_count + 1, d->group.copy_count};
        uint32_t which = chance_below(&c, 5);
        if (rows[which] > 0) {
            columns[which][chance_below(&c, rows[which])] = chance_below(&c, 4) ? chance_below(&c, 20) : UINT32_MAX;
        }
        int32_t status = rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL);
        EXPECT(status == SEGUE_OK || status == SEGUE_E_GROUP, "seed %llu: status %d", (unsigned long long)seed,
               (int)status);
        rebalance_free(r);
        draft_free(d);
    }
    rebalance_slots()->destroy(instance);
}

/* A number of a column that was not meant. */
static uint32_t noise(chance *c)
{
    static const uint32_t far[] = {UINT32_MAX, UINT32_MAX - 1, 1u << 31, 1u << 20, 255};
    return chance_below(c, 3) ? chance_below(c, 20) : far[chance_below(c, sizeof far / sizeof *far)];
}

static double strange_double(chance *c)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 5e-324, 1e-320, 1e308, 1, 100, 1e300};
    return values[chance_below(c, sizeof values / sizeof *values)];
}

static void make_noise_in_places(draft *d, chance *c)
{
    const segue_group *g = &d->group;
    uint32_t *columns[] = {d->inputs, d->member_rack, d->rack_start, d->rack_column, d->rack_inputs, d->tags};
    const uint32_t rows[] = {g->task_count, g->member_count, g->task_count + 1, g->task_rack_count,
                             g->task_rack_count, g->tag_count * g->member_count};
    uint32_t which = chance_below(c, 6);
    if (columns[which] != NULL && rows[which] > 0) {
        columns[which][chance_below(c, rows[which])] = noise(c);
    }
}

static void make_noise_in_sizes(draft *d, chance *c)
{
    static const int64_t sizes[] = {INT64_MIN, INT64_MAX, -2, -1, 0, 1, (int64_t)1 << 62};
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        d->weight[t] = chance_once_in(c, 2) ? strange_double(c) : d->weight[t];
        d->state_bytes[t] = chance_once_in(c, 2) ? sizes[chance_below(c, 7)] : d->state_bytes[t];
    }
}

static void make_noise_in_configuration(draft *d, chance *c)
{
    switch (chance_below(c, 6)) {
    case 0:
        d->config.imbalance_percentage = strange_double(c);
        break;
    case 1:
        d->config.rack_strategy = noise(c);
        break;
    case 2:
        d->config.max_learning_bytes = INT64_MIN + (int64_t)noise(c);
        break;
    case 3:
        d->config.acceptable_recovery_lag = chance_once_in(c, 2) ? INT64_MIN : -1;
        break;
    case 4:
        d->config.probing_rebalance_interval_ms = chance_once_in(c, 2) ? INT64_MIN : INT64_MAX;
        break;
    default:
        d->config.max_compute_us = chance_once_in(c, 2) ? INT64_MIN : 1;
    }
}

/* Whatever a host says of racks, tags, weights and sizes, or configures: meant for the sanitizers. */
static void noise_beside_the_tasks_is_answered_or_refused_by_all_strategies(void **state)
{
    (void)state;
    static const char *const names[] = {"eager", "sticky", "learner", "scale-down", "balanced", "high-availability"};
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        segue_instance *instance = NULL;
        draft *d = random_group(seed, (random_size){12, 6, 3, 3}, RANDOM_ANYTHING);
        draft_tag_dimensions(d, chance_below(&c, 4));
        for (uint32_t i = 0; i < d->group.tag_count * d->group.member_count; i++) {
            d->tags[i] = chance_once_in(&c, 4) ? SEGUE_NONE : chance_below(&c, 3);
        }
        draft_group(d);
        make_noise_in_places(d, &c);
        make_noise_in_sizes(d, &c);
        make_noise_in_configuration(d, &c);
        rebalance *r = rebalance_room(d);
        assert_int_equal(rebalance_slots()->create(names[seed % 6], &instance, NULL), SEGUE_OK);
        int32_t status = rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL);
        EXPECT(status == SEGUE_OK || status == SEGUE_E_GROUP || status == SEGUE_E_CONFIG, "seed %llu: status %d",
               (unsigned long long)seed, (int)status);
        rebalance_slots()->destroy(instance);
        rebalance_free(r);
        draft_free(d);
    }
}

/* A group of its own for each case, and the answer that a single thread gave. */
enum { CASES = 40, THREADS = 4 };

typedef struct shared_cases {
    draft *group[CASES];
    rebalance *expected[CASES];
    int differences[THREADS];
} shared_cases;

typedef struct worker {
    shared_cases *cases;
    int number;
} worker;

static void *assign_all(void *argument)
{
    const worker *w = argument;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = NULL;
    int differences = slots->create("balanced", &instance, NULL) != SEGUE_OK;
    for (int i = 0; i < CASES * 5; i++) {
        const draft *d = w->cases->group[(i + w->number) % CASES];
        const rebalance *expected = w->cases->expected[(i + w->number) % CASES];
        rebalance answer = {.plan = expected->plan};
        uint32_t *active = malloc(((size_t)d->group.task_count + 1) * sizeof *active * 3);
        uint32_t *standby = malloc(((size_t)expected->bound.standby_rows + 1) * sizeof *standby);
        answer.plan.active = active;
        answer.plan.learner = active + d->group.task_count;
        answer.plan.standby_start = active + 2 * (size_t)d->group.task_count;
        answer.plan.standby_member = standby;
        answer.plan.decision_capacity = 0;
        differences += slots->assign(instance, &d->group, &d->config, &answer.plan, NULL) != SEGUE_OK ||
                       !rebalance_same(&answer, expected);
        free(active);
        free(standby);
    }
    slots->destroy(instance);
    w->cases->differences[w->number] = differences;
    return NULL;
}

static void instances_in_parallel_threads_give_the_answers_of_one(void **state)
{
    (void)state;
    static shared_cases cases;
    pthread_t thread[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < CASES; i++) {
        cases.group[i] = random_group(chance_seed() + (uint64_t)i, (random_size){60, 12, 3, 5}, RANDOM_ANYTHING);
        cases.expected[i] = rebalance_run("balanced", cases.group[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){&cases, i};
        assert_int_equal(pthread_create(&thread[i], NULL, assign_all, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(cases.differences[i], 0);
    }
    for (int i = 0; i < CASES; i++) {
        draft_free(cases.group[i]);
        rebalance_free(cases.expected[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_in_a_column_is_answered_or_refused),
        cmocka_unit_test(noise_beside_the_tasks_is_answered_or_refused_by_all_strategies),
        cmocka_unit_test(instances_in_parallel_threads_give_the_answers_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
