/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins in processes of their own, and on threads that are watched: whatever they do, there is a plan in time. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "isolation.h"
#include "testing_world.h"

#define BUDGET GROUP_WITH("'max.warmup.replicas': 1, 'segue.max.compute.ms': 1000")
static world *open_rogue(const char *isolation, uint32_t max_faults, const char *group)
{
    segue_host_options options = {.size = sizeof options,
                                  .only_path = 1,
                                  .plugin_path = TEST_PLUGIN("rogue"),
                                  .isolation = isolation,
                                  .max_faults = max_faults};
    return open_world_with(&options, group);
}

static void assert_kept_owners(const world *w)
{
    assert_int_equal(w->plan->active[0], 0);
    assert_int_equal(w->plan->active[1], 1);
    assert_int_equal(w->plan->active[2], 0);
}

static void assert_fault(world *w, const char *assignor, int32_t status, const char *text)
{
    assert_int_equal(assign(w, assignor, NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->report.status, status);
    assert_string_equal(w->report.plugin, TEST_PLUGIN("rogue"));
    assert_mentions(w->text, text);
    assert_int_equal(w->plan->followup_reason, SEGUE_FOLLOWUP_FALLBACK);
    assert_kept_owners(w);
}

static void assert_sound(world *w, const char *assignor)
{
    assert_int_equal(assign(w, assignor, NULL), SEGUE_OK);
    assert_string_equal(w->text, "");
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->report.status, SEGUE_OK);
    assert_int_equal(w->plan->optimal, 1);
    assert_kept_owners(w);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void a_sound_plan_comes_through_from_another_process(void **state)
{
    (void)state;
    world *w = open_rogue("process", 0, GROUP);
    assert_sound(w, "steady");
    assert_true(w->report.elapsed_ns > 0);
    assert_string_equal(w->report.plugin, TEST_PLUGIN("rogue"));
    for (int i = 0; i < 20; i++) {
        assert_sound(w, "steady");
    }
    segue_metrics metrics = metrics_of(w);
    assert_int_equal(metrics.started, 1);
    assert_int_equal(metrics.processes, 1);
    assert_int_equal(metrics.plans, 21);
    assert_int_equal(metrics.fallbacks, 0);
    close_world(w);
}

static void a_plugin_is_listed_as_it_is_here(void **state)
{
    (void)state;
    world *here = open_rogue("none", 0, GROUP), *there = open_rogue("process", 0, GROUP);
    for (uint32_t i = 0;; i++) {
        segue_assignor_row mine = {.size = sizeof mine}, its = {.size = sizeof its};
        int32_t status = segue_host_assignor(here->host, i, &mine, NULL);
        assert_int_equal(segue_host_assignor(there->host, i, &its, NULL), status);
        if (status != SEGUE_OK) {
            assert_true(i > 15);
            break;
        }
        assert_string_equal(its.name, mine.name);
        assert_string_equal(its.version, mine.version);
        assert_string_equal(its.summary, mine.summary);
        assert_int_equal(its.traits, mine.traits);
    }
    segue_plugin_row row = {.size = sizeof row};
    assert_int_equal(segue_host_plugin(there->host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.name, "test");
    assert_string_equal(row.version, "1.2.3");
    assert_int_equal(row.abi_version, 1);
    close_world(here);
    close_world(there);
}

static void broken_rules_are_named_with_their_rows_from_there_too(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1, 0, 2, 0, 1, 2, 2, 1};
    world *w = open_rogue("process", 0, GROUP);
    for (uint32_t rule = 1; rule <= 8; rule++) {
        char name[16], prefix[16];
        snprintf(name, sizeof name, "breaks-r%u", rule);
        snprintf(prefix, sizeof prefix, "R%u: task ", rule);
        assert_fault(w, name, SEGUE_E_PLAN, prefix);
        assert_int_equal(w->report.rule, rule);
        assert_int_equal(w->report.row, rows[rule - 1]);
    }
    assert_fault(w, "breaks-counts", SEGUE_E_PLAN, "");
    assert_fault(w, "fails", SEGUE_E_INTERNAL, "tripped over?its own feet");
    assert_fault(w, "fails-silently", SEGUE_E_DEADLINE, "fails-silently failed with status -8");
    assert_fault(w, "cannot-be-made", SEGUE_E_MEMORY, "no instance today");
    assert_int_equal(assign(w, "bends-columns", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(metrics_of(w).refused, 9);
    assert_int_equal(metrics_of(w).errors, 3);
    close_world(w);
}

static void whatever_a_plugin_does_to_its_process_there_is_a_plan(void **state)
{
    (void)state;
    world *w = open_rogue("process", 0, GROUP);
    setenv("SEGUE_TEST_SECRET", "x", 1);
    assert_fault(w, "crashes", SEGUE_E_INTERNAL, "its process was ended by signal 11 (Segmentation fault)");
    assert_fault(w, "aborts", SEGUE_E_INTERNAL, "signal 6 (Aborted)");
    assert_fault(w, "exits", SEGUE_E_INTERNAL, "its process ended with exit status 3");
    assert_fault(w, "writes-past-the-end", SEGUE_E_INTERNAL, "signal");
    assert_fault(w, "overflows-the-stack", SEGUE_E_INTERNAL, "signal 11");
    assert_fault(w, "closes-everything", SEGUE_E_INTERNAL, "its process");
    assert_fault(w, "babbles", SEGUE_E_INTERNAL, "its process said something that is no answer");
    assert_fault(w, "breeds", SEGUE_E_INTERNAL, "its process ended with exit status 0");
    assert_fault(w, "gives-garbage", SEGUE_E_PLAN, "");
    segue_metrics metrics = metrics_of(w);
    assert_int_equal(metrics.died, 8);
    assert_int_equal(metrics.refused, 1);
    assert_int_equal(metrics.fallbacks, 9);
    assert_int_equal(metrics.started, 9); /* garbage needs no new process */
    assert_int_equal(metrics.processes, 1);
    assert_sound(w, "looks-around");
    assert_sound(w, "steady");
    close_world(w);
}

static void a_plugin_that_does_not_come_back_is_killed(void **state)
{
    (void)state;
    world *w = open_rogue("process", 0, BUDGET);
    assert_fault(w, "loops", SEGUE_E_DEADLINE, "loops of " TEST_PLUGIN("rogue") ": it gave no answer within ");
    assert_fault(w, "stops", SEGUE_E_DEADLINE, "ms, and its process was killed");
    segue_metrics metrics = metrics_of(w);
    assert_int_equal(metrics.late, 2);
    assert_int_equal(metrics.fallbacks, 2);
    assert_int_equal(metrics.processes, 0);
    close_world(w);
}

static void a_plugin_that_dies_when_it_is_loaded_is_refused(void **state)
{
    (void)state;
    fault f;
    segue_host *host;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .isolation = "process"};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("dies_when_loaded"), fault_of(&f)), SEGUE_E_PLUGIN);
    assert_mentions(f.text, "dies_when_loaded.so: while it was loaded in a process: its process was ended by signal 6");
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("entry_fails"), fault_of(&f)), SEGUE_E_PLUGIN);
    assert_mentions(f.text, "its entry failed with status -9");
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("twice"), fault_of(&f)), SEGUE_E_PLUGIN);
    segue_host_close(host);
}

/* As many as a host needs, and not the hundred that a process would like. */
static void few_descriptors_are_enough(void **state)
{
    (void)state;
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    const struct rlimit few = {24, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    world *w = open_rogue("process", 0, GROUP);
    assert_sound(w, "steady");
    close_world(w);
    setrlimit(RLIMIT_NOFILE, &before);
}

/* ---- an assignor that forks -------------------------------------------------------------------------------------- */

static int32_t fork_amid(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                         segue_error *error)
{
    (void)context;
    (void)error;
    return fork() < 0 ? SEGUE_E_SYSTEM : segue_plan_fallback(group, config, plan);
}

/* The child of a call here, which would be a second host, has ended by itself. */
static void assert_copy_ended(pid_t host)
{
    int status = 0;
    if (getpid() != host) {
        _exit(0);
    }
    assert_true(waitpid(-1, &status, 0) > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SGI_COPY_ENDED);
}

static void of_an_assignor_that_forks_one_copy_comes_back(void **state)
{
    (void)state;
    pid_t host = getpid();
    for (int watched = 0; watched < 2; watched++) {
        static const char *const forking[] = {"multiplies", "multiplies-when-made"};
        world *w = open_rogue(watched ? "thread" : "none", 0, BUDGET);
        for (size_t i = 0; i < sizeof forking / sizeof *forking; i++) {
            assert_int_equal(assign(w, forking[i], NULL), SEGUE_OK);
            assert_copy_ended(host);
            assert_int_equal(w->report.fallback, 0);
        }
        assert_int_equal(segue_host_load(w->host, TEST_PLUGIN("forks_when_loaded"), NULL), SEGUE_OK);
        if (!watched) {
            assert_copy_ended(host); /* it is mapped once */
        }
        segue_callback callback = {.size = sizeof callback, .name = "forks", .assign = fork_amid};
        assert_int_equal(segue_host_register(w->host, &callback, NULL), SEGUE_OK);
        assert_int_equal(assign(w, "forks", NULL), SEGUE_OK);
        assert_copy_ended(host);
        close_world(w);
    }
    world *w = open_rogue("process", 0, GROUP);
    for (int i = 0; i < 5; i++) {
        assert_sound(w, "multiplies");
        assert_sound(w, "scribbles");
    }
    assert_int_equal(getpid(), host);
    assert_int_equal(metrics_of(w).died, 0);
    assert_int_equal(metrics_of(w).started, 1);
    close_world(w);
}

/* ---- put aside --------------------------------------------------------------------------------------------------- */

static void after_so_many_faults_an_assignor_is_put_aside_until_told_otherwise(void **state)
{
    (void)state;
    fault f;
    world *w = open_rogue("process", 3, GROUP);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_fault(w, "crashes", SEGUE_E_INTERNAL, "signal 11");
        assert_int_equal(w->report.faults, i);
        assert_int_equal(w->report.aside, i == 3);
    }
    assert_fault(w, "crashes", SEGUE_E_INTERNAL,
                 "crashes of " TEST_PLUGIN("rogue") " is put aside after 3 faults, until it is reinstated; the last: ");
    assert_int_equal(metrics_of(w).aside, 1);
    assert_int_equal(metrics_of(w).passed_over, 1);
    assert_int_equal(metrics_of(w).died, 3);
    assert_sound(w, "steady");
    assert_int_equal(segue_host_reinstate(w->host, "crashs", fault_of(&f)), SEGUE_E_NAME);
    assert_int_equal(segue_host_reinstate(w->host, "crashes", NULL), SEGUE_OK);
    assert_int_equal(metrics_of(w).aside, 0);
    assert_fault(w, "crashes", SEGUE_E_INTERNAL, "signal 11");
    assert_int_equal(w->report.faults, 1);
    assert_int_equal(segue_host_reinstate(w->host, NULL, NULL), SEGUE_OK);
    close_world(w);
}

static void a_refused_plan_is_a_fault_in_every_mode(void **state)
{
    (void)state;
    world *w = open_rogue("none", 2, GROUP);
    assert_fault(w, "breaks-r4", SEGUE_E_PLAN, "R4: task ");
    assert_fault(w, "breaks-r4", SEGUE_E_PLAN, "R4: task ");
    assert_fault(w, "breaks-r4", SEGUE_E_PLAN, "is put aside after 2 faults");
    assert_int_equal(w->report.rule, 4);
    assert_int_equal(w->report.row, 0);
    close_world(w);
    w = open_rogue("none", SEGUE_NO_LIMIT, GROUP);
    for (int i = 0; i < 20; i++) {
        assert_fault(w, "breaks-r4", SEGUE_E_PLAN, "R4: task ");
        assert_int_equal(w->report.aside, 0);
    }
    close_world(w);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void a_thread_that_does_not_come_back_is_given_up(void **state)
{
    (void)state;
    world *w = open_rogue("thread", 0, BUDGET);
    assert_sound(w, "steady");
    assert_fault(w, "dozes", SEGUE_E_DEADLINE, "dozes of " TEST_PLUGIN("rogue") ": it gave no answer within ");
    assert_mentions(w->text, "and its thread was given up");
    assert_int_equal(w->report.aside, 1);
    assert_int_equal(metrics_of(w).threads, 1);
    assert_int_equal(metrics_of(w).late, 1);
    assert_fault(w, "dozes", SEGUE_E_DEADLINE, "is put aside after 1 fault,");
    const struct timespec pause = {0, 10000000};
    for (int i = 0; i < 2000 && metrics_of(w).threads > 0; i++) {
        nanosleep(&pause, NULL);
    }
    assert_int_equal(metrics_of(w).threads, 0);
    close_world(w);
}

static void a_host_is_closed_while_a_thread_hangs(void **state)
{
    (void)state;
    world *w = open_rogue(NULL, 0, BUDGET);
    assert_fault(w, "dozes", SEGUE_E_DEADLINE, "its thread was given up");
    close_world(w);
}

static void faults_on_a_thread_are_those_of_the_caller(void **state)
{
    (void)state;
    world *w = open_rogue("thread", 0, BUDGET);
    assert_fault(w, "breaks-r2", SEGUE_E_PLAN, "R2: task ");
    assert_fault(w, "fails", SEGUE_E_INTERNAL, "tripped over?its own feet");
    assert_fault(w, "cannot-be-made", SEGUE_E_MEMORY, "no instance today");
    assert_int_equal(assign(w, "bends-columns", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    close_world(w);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void settings_are_judged_when_a_host_is_opened(void **state)
{
    (void)state;
    fault f;
    segue_host *host;
    segue_host_options options = {.size = sizeof options, .isolation = "jail"};
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, "segue.isolation is 'jail': it must be none, thread or process");
    options.isolation = "process";
    options.isolate_program = "/nowhere/segue-isolate";
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
    assert_mentions(f.text, "/nowhere/segue-isolate is no program that can be run");
    options.isolate_program = "/";
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
    assert_mentions(f.text, "/ is no program that can be run");
    setenv("SEGUE_ISOLATION", "jail", 1);
    options.isolation = NULL;
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_CONFIG);
    options.isolation = "none";
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_OK);
    segue_host_close(host);
    unsetenv("SEGUE_ISOLATION");
}

/* What the environment says counts where the host says nothing; an empty word is none. */
static void the_environment_names_the_program_where_nobody_else_does(void **state)
{
    (void)state;
    fault f;
    segue_host *host;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .isolation = "process", .isolate_program = ""};
    setenv("SEGUE_ISOLATE_PROGRAM", "/nowhere/else", 1);
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
    assert_mentions(f.text, "/nowhere/else is no program that can be run");
    setenv("SEGUE_ISOLATE_PROGRAM", "/etc/passwd", 1);
    assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
    options.isolate_program = SEGUE_BUILD_DIR "/segue-isolate";
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    segue_host_close(host);
    setenv("SEGUE_ISOLATE_PROGRAM", "", 1);
    setenv("SEGUE_ISOLATION", "", 1);
    options.isolate_program = NULL;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    segue_host_close(host);
    options.isolation = NULL;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    segue_host_close(host);
    unsetenv("SEGUE_ISOLATE_PROGRAM");
    unsetenv("SEGUE_ISOLATION");
}

static void a_program_that_is_another_says_so(void **state)
{
    (void)state;
    fault f;
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .isolation = "process", .isolate_program = "/bin/true"};
    segue_host *host;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("sound"), fault_of(&f)), SEGUE_E_PLUGIN);
    assert_mentions(f.text, "sound.so: while it was loaded in a process: its process ended with exit status 0");
    segue_host_close(host);
    options.plugin_path = TEST_PLUGIN("sound");
    world *w = open_world_with(&options, GROUP);
    assert_int_equal(assign(w, "steady", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "no assignor steady: its plugin is refused: ");
    assert_mentions(f.text, "while it was loaded in a process: its process ended with exit status 0");
    assert_null(strstr(f.text, "did you mean"));
    assert_null(strstr(f.text, "there are"));
    close_world(w);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_plan_comes_through_from_another_process),
        cmocka_unit_test(a_plugin_is_listed_as_it_is_here),
        cmocka_unit_test(broken_rules_are_named_with_their_rows_from_there_too),
        cmocka_unit_test(whatever_a_plugin_does_to_its_process_there_is_a_plan),
        cmocka_unit_test(a_plugin_that_does_not_come_back_is_killed),
        cmocka_unit_test(a_plugin_that_dies_when_it_is_loaded_is_refused),
        cmocka_unit_test(few_descriptors_are_enough),
        cmocka_unit_test(of_an_assignor_that_forks_one_copy_comes_back),
        cmocka_unit_test(after_so_many_faults_an_assignor_is_put_aside_until_told_otherwise),
        cmocka_unit_test(a_refused_plan_is_a_fault_in_every_mode),
        cmocka_unit_test(a_thread_that_does_not_come_back_is_given_up),
        cmocka_unit_test(a_host_is_closed_while_a_thread_hangs),
        cmocka_unit_test(faults_on_a_thread_are_those_of_the_caller),
        cmocka_unit_test(settings_are_judged_when_a_host_is_opened),
        cmocka_unit_test(the_environment_names_the_program_where_nobody_else_does),
        cmocka_unit_test(a_program_that_is_another_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
