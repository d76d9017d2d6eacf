/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin does to its process stays there, and what a host's process is like is no harm to the plugin's. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation.h"
#include "testing_world.h"

/* So many that they do not fit into what a process shares with its host at first. */
#define LARGE                                                                                                         \
    "{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 20000, 'stateful': false}],"                      \
    " 'members': [{'id': 'a'}]}"

static const segue_host_options rogue = {
    .size = sizeof rogue, .only_path = 1, .plugin_path = TEST_PLUGIN("rogue"), .isolation = "process"};

static void assert_sound(world *w, const char *assignor)
{
    assert_int_equal(assign(w, assignor, NULL), SEGUE_OK);
    assert_string_equal(w->text, "");
    assert_int_equal(w->report.fallback, 0);
}

static int32_t assign_large(world *w, const char *assignor)
{
    segue_document *document = read_group(LARGE);
    segue_plan *plan = make_plan(document);
    int32_t status = segue_host_assign(w->host, assignor, segue_document_group(document),
                                       segue_document_config(document), plan, &w->report, NULL);
    segue_plan_free(plan);
    segue_document_free(document);
    return status;
}

static void a_process_without_descriptors_says_so_when_it_needs_one(void **state)
{
    (void)state;
    world *w = open_world_with(&rogue, GROUP);
    assert_sound(w, "hoards");
    assert_sound(w, "steady");
    assert_int_equal(assign_large(w, "steady"), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_mentions(w->text, "standard error says what the system refuses");
    assert_int_equal(assign_large(w, "steady"), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    close_world(w);
}

static void the_hosts_standard_error_blocks_as_before(void **state)
{
    (void)state;
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    world *w = open_world_with(&rogue, GROUP);
    assert_sound(w, "hastens");
    int flags = fcntl(STDERR_FILENO, F_GETFL);
    dup2(before, STDERR_FILENO);
    assert_int_equal(flags & O_NONBLOCK, 0);
    close_world(w);
    close(before);
    close(ends[0]);
    close(ends[1]);
}

static void one_copy_of_a_plugin_that_forks_goes_on(void **state)
{
    (void)state;
    pid_t host = getpid();
    world *w = open_world_with(&rogue, GROUP);
    for (int i = 0; i < 5; i++) {
        assert_sound(w, "multiplies-when-made");
    }
    assert_int_equal(metrics_of(w).started, 1);
    assert_int_equal(getpid(), host);
    close_world(w);
    segue_host_options options = rogue;
    options.plugin_path = TEST_PLUGIN("forks_when_loaded");
    w = open_world_with(&options, GROUP);
    for (int i = 0; i < 5; i++) {
        assert_sound(w, "steady");
    }
    assert_int_equal(metrics_of(w).started, 1);
    close_world(w);
}

static void fill(int pipe)
{
    static const char bytes[4096];
    int flags = fcntl(pipe, F_GETFL);
    fcntl(pipe, F_SETFL, flags | O_NONBLOCK);
    while (write(pipe, bytes, sizeof bytes) > 0) {
    }
    fcntl(pipe, F_SETFL, flags);
}

/* A standard error that nobody reads, and that is full: neither what a plugin says there nor what is said of it is waited for. */
static void a_full_standard_error_holds_up_nobody(void **state)
{
    (void)state;
    static const char *const isolations[] = {"none", "process"};
    pid_t host = getpid();
    int ends[2], before = dup(STDERR_FILENO), status = 0;
    assert_int_equal(pipe(ends), 0);
    fill(ends[1]);
    dup2(ends[1], STDERR_FILENO);
    alarm(120);
    for (size_t i = 0; i < sizeof isolations / sizeof *isolations; i++) {
        segue_host_options options = rogue;
        options.isolation = isolations[i];
        world *w = open_world_with(&options, GROUP_WITH("'max.warmup.replicas': 1, 'segue.max.compute.ms': 500"));
        assert_int_equal(assign(w, "multiplies", NULL), SEGUE_OK);
        if (getpid() != host) {
            _exit(0);
        }
        if (i == 0) {
            assert_true(waitpid(-1, &status, 0) > 0);
            assert_int_equal(WEXITSTATUS(status), SGI_COPY_ENDED);
        } else {
            assert_int_equal(assign(w, "loops-aloud", NULL), SEGUE_OK);
            assert_int_equal(w->report.status, SEGUE_E_DEADLINE);
            assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
        }
        assert_int_equal(w->report.fallback, 0);
        close_world(w);
    }
    alarm(0);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[0]);
    close(ends[1]);
}

/* What a library says on standard error goes nowhere there, and no number of it is another file's. */
static int calls_without_standard_files(const segue_host_options *options, const char *assignor)
{
    for (int i = 0; i <= STDERR_FILENO; i++) {
        close(i);
    }
    world *w = open_world_with(options, GROUP);
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        wrong += assign(w, assignor, NULL) != SEGUE_OK || w->report.fallback;
        for (int place = 0; place <= STDERR_FILENO; place++) {
            wrong += write(place, "a complaint", 11) > 0;
        }
    }
    wrong += metrics_of(w).started != 1;
    close_world(w);
    return wrong;
}

static void a_host_without_standard_files_says_nothing_into_others(void **state)
{
    (void)state;
    pid_t host = fork();
    if (host == 0) {
        _exit(calls_without_standard_files(&rogue, "steady"));
    }
    int status = -1;
    assert_int_equal(waitpid(host, &status, 0), host);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_descriptors_says_so_when_it_needs_one),
        cmocka_unit_test(the_hosts_standard_error_blocks_as_before),
        cmocka_unit_test(one_copy_of_a_plugin_that_forks_goes_on),
        cmocka_unit_test(a_full_standard_error_holds_up_nobody),
        cmocka_unit_test(a_host_without_standard_files_says_nothing_into_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
