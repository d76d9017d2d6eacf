/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "testing_world.h"

#define PAIR                                                                                                          \
    "{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 2}],"                                             \
    " 'members': [{'id': 'a', 'active': ['0_0', '0_1']}, {'id': 'b'}]}"

/* What a test gives as the context: what to answer, and what became of it. */
typedef struct strategy {
    segue_host *host;
    uint32_t owner; /* of every task */
    int32_t status;
    atomic_int calls;
    atomic_int released;
} strategy;

static int32_t answer(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    strategy *own = context;
    (void)config;
    own->calls++;
    for (uint32_t t = 0; t < group->task_count; t++) {
        plan->active[t] = own->owner;
        plan->learner[t] = SEGUE_NONE;
    }
    memset(plan->standby_start, 0, (group->task_count + 1) * sizeof *plan->standby_start);
    return own->status != SEGUE_OK ? own->status : segue_plan_count(group, plan, error);
}

static void note_release(void *context)
{
    strategy *own = context;
    own->released++;
}

static segue_callback callback_of(const char *name, strategy *own)
{
    return (segue_callback){.size = sizeof(segue_callback), .name = name, .version = "2.1", .summary = "of a test",
                            .context = own, .assign = answer, .release = note_release};
}

static void register_it(world *w, const char *name, strategy *own)
{
    segue_callback callback = callback_of(name, own);
    assert_int_equal(segue_host_register(w->host, &callback, NULL), SEGUE_OK);
}

static void a_registered_assignor_answers_and_is_listed_first(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 0};
    segue_assignor_row row = {.size = sizeof row};
    register_it(w, "mine", &own);
    assert_int_equal(assign(w, "mine", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(own.calls, 1);
    assert_int_equal(w->plan->active[1], 0);
    assert_int_equal(segue_host_assignor(w->host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.name, "mine");
    assert_string_equal(row.version, "2.1");
    assert_string_equal(row.plugin, "(registered)");
    assert_int_equal(segue_host_assignor(w->host, 1, &row, NULL), SEGUE_OK);
    assert_string_not_equal(row.plugin, "(registered)");
    close_world(w);
    assert_int_equal(own.released, 1);
}

static void its_plan_is_judged_like_any_other(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy cold = {.owner = 1}, nobody = {.owner = SEGUE_NONE}, failing = {.status = SEGUE_E_INTERNAL};
    register_it(w, "cold", &cold);
    register_it(w, "nobody", &nobody);
    register_it(w, "failing", &failing);
    assert_int_equal(assign(w, "cold", NULL), SEGUE_OK);
    assert_int_equal(w->report.rule, 4);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->plan->active[0], 0);
    assert_int_equal(assign(w, "nobody", NULL), SEGUE_OK);
    assert_int_equal(w->report.rule, 1);
    assert_int_equal(assign(w, "failing", NULL), SEGUE_OK);
    assert_int_equal(w->report.status, SEGUE_E_INTERNAL);
    assert_mentions(w->text, "failing failed with status -9 and gave no reason");
    close_world(w);
}

static void its_traits_say_by_what_it_is_judged(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 1};
    segue_callback callback = callback_of("moves-cold", &own);
    callback.traits = SEGUE_TRAIT_COLD;
    assert_int_equal(segue_host_register(w->host, &callback, NULL), SEGUE_OK);
    assert_int_equal(assign(w, "moves-cold", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->plan->moves, 2);
    close_world(w);
}

static void it_comes_before_a_plugins_assignor_of_its_name_until_it_goes(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 0};
    fault f;
    register_it(w, "steady", &own);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(own.calls, 1);
    assert_int_equal(segue_host_unregister(w->host, "steady", NULL), SEGUE_OK);
    assert_int_equal(own.released, 1);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(own.calls, 1);
    assert_int_equal(segue_host_unregister(w->host, "steady", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "no assignor steady is registered");
    close_world(w);
}

static void an_unknown_name_is_answered_with_registered_ones_too(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 0};
    fault f;
    register_it(w, "mine", &own);
    assert_int_equal(assign(w, "other", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "there are mine, ");
    close_world(w);
}

static void what_is_no_assignor_is_refused_and_not_released(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 0};
    fault f;
    segue_callback unnamed = callback_of("Not A Name", &own), idle = callback_of("idle", &own);
    segue_callback small = callback_of("small", &own);
    idle.assign = NULL;
    small.size = 16;
    assert_int_equal(segue_host_register(w->host, &unnamed, fault_of(&f)), SEGUE_E_ARGUMENT);
    assert_mentions(f.text, "\"Not A Name\" is given");
    assert_int_equal(segue_host_register(w->host, &idle, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_host_register(w->host, &small, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_host_register(w->host, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(own.released, 0);
    close_world(w);
}

/* ---- while calls run --------------------------------------------------------------------------------------------- */

/* Takes itself away in the midst of its own call, then asks another one. */
static int32_t leave_and_ask(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                             segue_error *error)
{
    strategy *own = context;
    own->calls++;
    assert_int_equal(segue_host_unregister(own->host, "delegates", NULL), SEGUE_OK);
    assert_int_equal(own->released, 0);
    segue_plan inner = *plan;
    int32_t status = segue_host_assign(own->host, "steady", group, config, &inner, NULL, error);
    return status == SEGUE_OK ? segue_plan_count(group, plan, error) : status;
}

static void a_call_ends_on_what_it_began_with_and_may_ask_others(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.host = w->host};
    segue_callback callback = callback_of("delegates", &own);
    callback.assign = leave_and_ask;
    assert_int_equal(segue_host_register(w->host, &callback, NULL), SEGUE_OK);
    assert_int_equal(assign(w, "delegates", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(own.released, 1);
    close_world(w);
    assert_int_equal(own.released, 1);
}

enum { SWAPS = 10000, STRATEGIES = 64 };

typedef struct asker {
    segue_host *host;
    atomic_int *done;
    uint32_t wrong;
} asker;

static void *ask_on(void *argument)
{
    asker *self = argument;
    world own = {.host = self->host, .document = read_group(PAIR)};
    own.plan = make_plan(own.document);
    own.report = (segue_report){.size = sizeof own.report, .text = own.text, .text_size = sizeof own.text};
    while (!atomic_load(self->done)) {
        self->wrong += assign(&own, "mine", NULL) != SEGUE_OK || own.report.fallback || own.plan->active[1] != 0;
    }
    segue_plan_free(own.plan);
    segue_document_free(own.document);
    return NULL;
}

static void it_is_replaced_while_others_ask_and_each_is_released_once(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    static strategy own[STRATEGIES];
    atomic_int done = 0;
    asker askers[3];
    pthread_t threads[3];
    int added[STRATEGIES] = {0};
    memset(own, 0, sizeof own);
    register_it(w, "mine", &own[0]);
    added[0] = 1;
    for (int i = 0; i < 3; i++) {
        askers[i] = (asker){w->host, &done, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &askers[i]), 0);
    }
    for (int i = 1; i <= SWAPS; i++) {
        register_it(w, "mine", &own[i % STRATEGIES]);
        added[i % STRATEGIES]++;
    }
    done = 1;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(askers[i].wrong, 0);
    }
    close_world(w);
    for (int i = 0; i < STRATEGIES; i++) {
        assert_int_equal(own[i].released, added[i]);
    }
}

static void an_assignor_has_a_name_of_few_letters(void **state)
{
    (void)state;
    world *w = open_world(PAIR);
    strategy own = {.owner = 0};
    static const char *const names[] = {NULL, "", "Mine", "two words",
                                        "a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fault f;
        segue_callback callback = callback_of(names[i], &own);
        assert_int_equal(segue_host_register(w->host, &callback, fault_of(&f)), SEGUE_E_ARGUMENT);
        assert_mentions(f.text, "an assignor is called by up to ");
    }
    close_world(w);
    assert_int_equal(own.released, 0);
}

static uint32_t aside_of(world *w)
{
    segue_metrics metrics = {.size = sizeof metrics};
    assert_int_equal(segue_host_metrics(w->host, &metrics, NULL), SEGUE_OK);
    return metrics.aside;
}

static void one_that_fails_is_put_aside_and_reinstated_by_its_name_or_with_all(void **state)
{
    (void)state;
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .plugin_path = TEST_PLUGIN("sound"), .max_faults = 1};
    world *w = open_world_with(&options, PAIR);
    strategy own = {.owner = 0, .status = SEGUE_E_INTERNAL}, other = {.owner = 0};
    register_it(w, "mine", &own);
    register_it(w, "other", &other);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(assign(w, "mine", NULL), SEGUE_OK);
        assert_int_equal(assign(w, "mine", NULL), SEGUE_OK);
        assert_int_equal(assign(w, "other", NULL), SEGUE_OK);
        assert_int_equal(own.calls, round + 1);
        assert_int_equal(aside_of(w), 1);
        assert_int_equal(segue_host_reinstate(w->host, round == 0 ? "mine" : NULL, NULL), SEGUE_OK);
        assert_int_equal(aside_of(w), 0);
    }
    assert_int_equal(segue_host_reinstate(w->host, "nobody", NULL), SEGUE_E_NAME);
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_assignor_answers_and_is_listed_first),
        cmocka_unit_test(its_plan_is_judged_like_any_other),
        cmocka_unit_test(its_traits_say_by_what_it_is_judged),
        cmocka_unit_test(it_comes_before_a_plugins_assignor_of_its_name_until_it_goes),
        cmocka_unit_test(an_unknown_name_is_answered_with_registered_ones_too),
        cmocka_unit_test(what_is_no_assignor_is_refused_and_not_released),
        cmocka_unit_test(a_call_ends_on_what_it_began_with_and_may_ask_others),
        cmocka_unit_test(an_assignor_has_a_name_of_few_letters),
        cmocka_unit_test(one_that_fails_is_put_aside_and_reinstated_by_its_name_or_with_all),
        cmocka_unit_test(it_is_replaced_while_others_ask_and_each_is_released_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
