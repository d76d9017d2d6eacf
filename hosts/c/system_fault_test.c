/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system that refuses: processes, threads, sockets, shared memory, files. A group keeps its plan, nobody is blamed for
 * what is not there, nothing stays behind, and the next call works.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "document_names.h"
#include "elf_note.h"
#include "isolate_pool.h"
#include "test/faults.h"
#include "test/open_files.h"
#include "testing_world.h"

static world *open_rogue(const char *isolation, const char *group)
{
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .plugin_path = TEST_PLUGIN("rogue"), .isolation = isolation};
    return open_world_with(&options, group);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static const struct {
    enum fault_kind kind;
    const char *name;
} starts[] = {
    {FAULT_socketpair, "socketpair"},
    {FAULT_posix_spawn, "posix_spawn"},
    {FAULT_posix_spawnattr_init, "posix_spawnattr_init"},
    {FAULT_posix_spawnattr_setflags, "posix_spawnattr_setflags"},
    {FAULT_posix_spawn_file_actions_init, "posix_spawn_file_actions_init"},
    {FAULT_posix_spawn_file_actions_adddup2, "posix_spawn_file_actions_adddup2"},
    {FAULT_memfd_create, "memfd_create"},
    {FAULT_ftruncate, "ftruncate"},
    {FAULT_fcntl, "fcntl"},
    {FAULT_mmap, "mmap"},
};

static void a_plugin_is_loaded_as_soon_as_there_is_a_process_for_it(void **state)
{
    (void)state;
    int files = open_files();
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        fault f;
        world *w = open_rogue("process", GROUP);
        fault_at(starts[i].kind, 1, 0);
        int32_t status = assign(w, "steady", fault_of(&f));
        if (!fault_end() || status != SEGUE_E_SYSTEM || f.text[0] == '\0') {
            fail_msg("without %s: status %d, %s", starts[i].name, status, f.text);
        }
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, 0);
        close_world(w);
        assert_int_equal(open_files(), files);
    }
}

static void without_a_process_the_safe_plan_answers_and_nobody_is_blamed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        world *w = open_rogue("process", GROUP);
        assert_int_equal(assign(w, "crashes", NULL), SEGUE_OK);
        assert_int_equal(segue_host_reinstate(w->host, NULL, NULL), SEGUE_OK);
        fault_at(starts[i].kind, 1, 0);
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        if (!fault_end() || !w->report.fallback || w->report.status != SEGUE_E_SYSTEM) {
            fail_msg("without %s: status %d, %s", starts[i].name, w->report.status, w->text);
        }
        assert_mentions(w->text, "steady of " TEST_PLUGIN("rogue") ": ");
        assert_int_equal(w->report.faults, 0);
        assert_int_equal(metrics_of(w).unstarted, 1);
        assert_int_equal(w->plan->active[0], 0);
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, 0);
        close_world(w);
    }
}

/* Its process can be told nothing, or says nothing: it is ended, and another one takes its place. */
static void a_process_that_cannot_be_talked_to_is_replaced(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_sendmsg, FAULT_recv};
    for (size_t i = 0; i < 2; i++) {
        world *w = open_rogue("process", GROUP_WITH("'segue.max.compute.ms': 1000"));
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        fault_at(kinds[i], 1, 0);
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_true(fault_end());
        assert_int_equal(w->report.fallback, 1);
        assert_int_equal(metrics_of(w).died, 1);
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, 0);
        assert_int_equal(metrics_of(w).processes, 1);
        close_world(w);
    }
}

/* Linux before 5.3 has no descriptors of processes; what they tell is found out by looking. */
static void without_descriptors_of_processes_all_is_as_with_them(void **state)
{
    (void)state;
    fault_at(FAULT_pidfd_open, 1, 1);
    world *w = open_rogue("process", GROUP_WITH("'segue.max.compute.ms': 1000"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, 0);
        assert_int_equal(assign(w, "crashes", NULL), SEGUE_OK);
        assert_int_equal(w->report.status, SEGUE_E_INTERNAL);
        assert_mentions(w->text, "its process was ended by signal 11");
        assert_int_equal(assign(w, "loops", NULL), SEGUE_OK);
        assert_int_equal(w->report.status, SEGUE_E_DEADLINE);
    }
    assert_int_equal(metrics_of(w).processes, 0);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_true(fault_end());
    close_world(w);
}

/* A host that has closed its standard files gives their numbers to the next that is opened. */
static void a_host_without_standard_files_has_processes_as_well(void **state)
{
    (void)state;
    int before = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    world *w = open_rogue("process", GROUP);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    close_world(w);
    w = open_rogue("process", GROUP);
    fault_at(FAULT_fcntl, 1, 0);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_E_SYSTEM);
    assert_true(fault_end());
    close_world(w);
    dup2(before, STDIN_FILENO);
    close(before);
}

/* A process that takes its time to go is waited for later, and another one answers meanwhile. */
static void more_calls_at_once_than_processes_are_kept_end_those_above(void **state)
{
    (void)state;
    enum { MANY = 12 };
    sgi_isolation isolation = {.program = NULL};
    segue_host_options options = {.size = sizeof options, .isolation = "process"};
    assert_int_equal(sgi_isolation_open(&isolation, &options, NULL), SEGUE_OK);
    sgi_isolate_pool pool;
    sgi_isolate *all[MANY];
    sgi_isolate_pool_init(&pool, isolation.tally, isolation.program, TEST_PLUGIN("sound"));
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(sgi_isolate_pool_take(&pool, &all[i], NULL), SEGUE_OK);
    }
    assert_int_equal(atomic_load(&isolation.tally->processes), MANY);
    for (int i = 0; i < MANY; i++) {
        sgi_isolate_pool_give(&pool, all[i], 1);
    }
    assert_in_range(atomic_load(&isolation.tally->processes), 1, MANY - 1);
    uint32_t kept = atomic_load(&isolation.tally->processes);
    for (uint32_t i = 0; i < kept; i++) {
        assert_int_equal(sgi_isolate_pool_take(&pool, &all[i], NULL), SEGUE_OK);
    }
    assert_int_equal(atomic_load(&isolation.tally->started), MANY);
    fault_at(FAULT_waitpid, 1, 1);
    for (uint32_t i = 0; i < kept; i++) {
        sgi_isolate_pool_give(&pool, all[i], 0);
    }
    assert_int_equal(atomic_load(&isolation.tally->processes), 0);
    assert_int_equal(sgi_isolate_pool_take(&pool, &all[0], NULL), SEGUE_OK);
    assert_true(fault_end());
    sgi_isolate_pool_give(&pool, all[0], 1);
    sgi_isolate_pool_close(&pool);
    sgi_isolation_close(&isolation);
}

/* The limit for files holds for shared memory too, and its signal would end the host. */
static void a_limit_for_files_is_a_lack_of_memory_to_share(void **state)
{
    (void)state;
    fault f;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit low = {4096, limit.rlim_max};
    world *w = open_rogue("process", GROUP);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    assert_int_equal(assign(w, "steady", fault_of(&f)), SEGUE_E_SYSTEM);
    assert_mentions(f.text, "of memory to share with a process: File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    close_world(w);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void without_a_thread_the_safe_plan_answers_and_nobody_is_blamed(void **state)
{
    (void)state;
    world *w = open_rogue("thread", GROUP_WITH("'segue.max.compute.ms': 60000"));
    for (int i = 0; i < 2; i++) {
        fault_at(FAULT_pthread_create, 1, 0);
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_true(fault_end());
        assert_int_equal(w->report.fallback, 1);
        assert_int_equal(w->report.status, SEGUE_E_SYSTEM);
        assert_int_equal(w->report.faults, 0);
        assert_mentions(w->text, "no thread can be started");
        assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, 0);
    }
    assert_int_equal(metrics_of(w).unstarted, 2);
    close_world(w);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void a_plugins_file_that_cannot_be_read_is_told_and_tried_again(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_open, FAULT_fstat, FAULT_pread};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t nth = 1;; nth++) {
            fault f;
            sgi_note note;
            fault_at(kinds[i], nth, 0);
            int32_t status = sgi_note_read(TEST_PLUGIN("sound"), &note, fault_of(&f));
            sgi_note_free(&note);
            if (!fault_end()) {
                assert_int_equal(status, SEGUE_OK);
                assert_true(nth > 1);
                break;
            }
            assert_true(status == SEGUE_E_SYSTEM || status == SEGUE_E_PLUGIN);
            assert_mentions(f.text, TEST_PLUGIN("sound") ": ");
        }
    }
}

/* What is short for now leaves nothing out for good: not a folder, not a file. */
static void a_search_path_that_cannot_be_read_for_now_is_read_later(void **state)
{
    (void)state;
    fault f;
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .plugin_path = SEGUE_BUILD_DIR "/test_plugins", .isolation = "none"};
    segue_host *host = NULL;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    static const enum fault_kind kinds[] = {FAULT_opendir, FAULT_open};
    for (size_t i = 0; i < 2; i++) {
        segue_plugin_row row = {.size = sizeof row};
        fault_at(kinds[i], 1, 0);
        assert_int_equal(segue_host_plugin(host, 0, &row, fault_of(&f)), SEGUE_E_SYSTEM);
        assert_true(fault_end());
        assert_mentions(f.text, "Too many open files");
    }
    fault_at(FAULT_opendir, 1, 0);
    assert_int_equal(segue_host_load(host, "sound", fault_of(&f)), SEGUE_E_SYSTEM);
    assert_true(fault_end());
    assert_int_equal(segue_host_load(host, "sound", NULL), SEGUE_OK);
    segue_host_close(host);
}

/* ---- what has another way ---------------------------------------------------------------------------------------- */

static void a_host_that_does_not_know_its_own_place_opens(void **state)
{
    (void)state;
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .isolation = "process"};
    fault_at(FAULT_dladdr, 1, 1);
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_true(fault_end());
    segue_host_close(host);
}

static void names_are_told_apart_without_random_numbers(void **state)
{
    (void)state;
    sgi_names names;
    fault_at(FAULT_getrandom, 1, 0);
    assert_int_equal(sgi_names_init(&names), 0);
    assert_true(fault_end());
    assert_int_equal(sgi_names_add(&names, "one", 3), 0);
    assert_int_equal(sgi_names_add(&names, "two", 3), 1);
    assert_int_equal(sgi_names_add(&names, "one", 3), 0);
    assert_int_equal(sgi_names_find(&names, "three", 5), SEGUE_NONE);
    sgi_names_free(&names);
}

static void a_fraction_that_cannot_be_read_changes_nothing(void **state)
{
    (void)state;
    fault f;
    segue_config config = {.size = sizeof config};
    segue_config_init(&config);
    fault_at(FAULT_newlocale, 1, 0);
    assert_int_equal(segue_config_set(&config, "stream.imbalance.percentage", "7.5", fault_of(&f)), SEGUE_E_CONFIG);
    assert_true(fault_end());
    assert_true(config.imbalance_percentage > 19.9);
    assert_int_equal(segue_config_set(&config, "stream.imbalance.percentage", "7.5", NULL), SEGUE_OK);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_is_loaded_as_soon_as_there_is_a_process_for_it),
        cmocka_unit_test(without_a_process_the_safe_plan_answers_and_nobody_is_blamed),
        cmocka_unit_test(a_process_that_cannot_be_talked_to_is_replaced),
        cmocka_unit_test(without_descriptors_of_processes_all_is_as_with_them),
        cmocka_unit_test(more_calls_at_once_than_processes_are_kept_end_those_above),
        cmocka_unit_test(a_host_without_standard_files_has_processes_as_well),
        cmocka_unit_test(without_a_thread_the_safe_plan_answers_and_nobody_is_blamed),
        cmocka_unit_test(a_limit_for_files_is_a_lack_of_memory_to_share),
        cmocka_unit_test(a_plugins_file_that_cannot_be_read_is_told_and_tried_again),
        cmocka_unit_test(a_search_path_that_cannot_be_read_for_now_is_read_later),
        cmocka_unit_test(a_host_that_does_not_know_its_own_place_opens),
        cmocka_unit_test(names_are_told_apart_without_random_numbers),
        cmocka_unit_test(a_fraction_that_cannot_be_read_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
