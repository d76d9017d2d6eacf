/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of isolated plugins leave behind in the host and on the machine: nothing. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/open_files.h"
#include "testing_world.h"

enum { THREADS = 8, CALLS = 60, MANY = SANITIZED ? 60 : 1000 };

static const segue_host_options rogue = {.size = sizeof rogue,
                                         .only_path = 1,
                                         .plugin_path = TEST_PLUGIN("rogue"),
                                         .isolation = "process",
                                         .max_faults = SEGUE_NO_LIMIT};

static int mappings(void)
{
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    for (int c; (c = fgetc(file)) != EOF;) {
        count += c == '\n';
    }
    fclose(file);
    return count;
}

/* Children of this process by its own book, zombies among them. */
static int children(void)
{
    int count = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1; /* a kernel without that file */
    }
    for (int pid; fscanf(file, "%d", &pid) == 1;) {
        count++;
    }
    fclose(file);
    return count;
}

static void a_thousand_calls_and_faults_leave_nothing_behind(void **state)
{
    (void)state;
    static const char *const names[] = {"crashes", "steady", "exits", "breaks-r1", "breeds", "steady"};
    world *w = open_world_with(&rogue, GROUP);
    assert_int_equal(assign(w, "crashes", NULL), SEGUE_OK);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    int files = open_files(), maps = mappings();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(assign(w, names[i % 6], NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, strcmp(names[i % 6], "steady") != 0);
    }
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(open_files(), files);
    assert_in_range(mappings(), 1, (uintmax_t)maps + 2);
    assert_in_range(children() + 1, 0, 2);
    close_world(w);
    assert_in_range(children() + 1, 0, 1);
}

static void *assign_often(void *argument)
{
    world *w = argument;
    segue_plan *plan = make_plan(w->document);
    uintptr_t wrong = 0;
    for (int i = 0; i < CALLS; i++) {
        static const char *const names[] = {"steady", "steady", "crashes", "steady", "breaks-r4"};
        char text[256] = "";
        segue_report report = {.size = sizeof report, .text = text, .text_size = sizeof text};
        const char *name = names[i % 5];
        int32_t status = segue_host_assign(w->host, name, segue_document_group(w->document),
                                           segue_document_config(w->document), plan, &report, NULL);
        wrong += status != SEGUE_OK || report.fallback != (strcmp(name, "steady") != 0) || plan->active[1] != 1;
    }
    segue_plan_free(plan);
    return (void *)wrong;
}

static void threads_that_ask_at_once_each_have_a_process(void **state)
{
    (void)state;
    world *w = open_world_with(&rogue, GROUP);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, assign_often, w), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    segue_metrics metrics = {.size = sizeof metrics};
    assert_int_equal(segue_host_metrics(w->host, &metrics, NULL), SEGUE_OK);
    assert_int_equal(metrics.plans, THREADS * CALLS);
    assert_int_equal(metrics.died, THREADS * CALLS / 5);
    assert_int_equal(metrics.refused, THREADS * CALLS / 5);
    assert_in_range(metrics.processes, 1, THREADS);
    close_world(w);
}

/* ---- a host with habits ------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t children_seen;

static void reap_all(int number)
{
    (void)number;
    int before = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
        children_seen++;
    }
    errno = before;
}

static void a_host_that_waits_for_every_child_disturbs_nothing(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = reap_all, .sa_flags = SA_RESTART}, before;
    sigaction(SIGCHLD, &action, &before);
    world *w = open_world_with(&rogue, GROUP);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(assign(w, i % 2 ? "crashes" : "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, i % 2);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(assign(w, i % 2 ? "exits" : "steady", NULL), SEGUE_OK);
        assert_int_equal(w->report.fallback, i % 2);
    }
    close_world(w);
    struct sigaction now;
    sigaction(SIGCHLD, NULL, &now);
    assert_true(now.sa_handler == SIG_IGN);
    sigaction(SIGCHLD, &before, NULL);
}

static void the_hosts_other_children_are_left_to_it(void **state)
{
    (void)state;
    world *w = open_world_with(&rogue, GROUP);
    pid_t child = fork();
    if (child == 0) {
        _exit(42);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(assign(w, "crashes", NULL), SEGUE_OK);
    }
    close_world(w);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void one_that_was_killed_while_it_waited_is_replaced_without_a_fault(void **state)
{
    (void)state;
    char path[64];
    int pid = 0;
    world *w = open_world_with(&rogue, GROUP);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%d", &pid) != 1) {
        skip();
    }
    fclose(file);
    kill(pid, SIGKILL);
    siginfo_t how;
    assert_int_equal(waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT), 0);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    close_world(w);
}

/* ---- the host's end ---------------------------------------------------------------------------------------------- */

/* Every process that has this one's end of `pipe` open is gone when it reads the end of file. */
static int ends_within(int pipe, int seconds)
{
    struct timespec now, until;
    char byte;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    do {
        if (read(pipe, &byte, 1) == 0) {
            return 1;
        }
        const struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < until.tv_sec);
    return 0;
}

/* A host in a process of its own, whose standard error, which its plugins' processes share, is a pipe. Returns when it, or
 * its plugin, has written a byte there. With a worker, a copy of it that has all that it has, but for that. */
static pid_t host_apart(const char *assignor, const char *group, int *ends, int with_worker)
{
    int both[2];
    assert_int_equal(pipe(both), 0);
    pid_t host = fork();
    if (host == 0) {
        setpgid(0, 0);
        dup2(both[1], STDERR_FILENO);
        close(both[0]);
        close(both[1]);
        world *w = open_world_with(&rogue, group);
        assign(w, assignor, NULL);
        if (with_worker && fork() == 0) {
            close(STDERR_FILENO);
            pause();
        }
        dprintf(STDERR_FILENO, "r");
        pause();
        _exit(0);
    }
    char ready = 0;
    close(both[1]);
    assert_int_equal(read(both[0], &ready, 1), 1);
    *ends = both[0];
    return host;
}

static void no_process_outlives_its_host(void **state)
{
    (void)state;
    static const char *const last[] = {"steady", "loops-aloud", "deafens"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        int ends = -1;
        pid_t host = host_apart(last[i], GROUP_WITH("'segue.max.compute.ms': 1"), &ends, 0);
        kill(host, SIGKILL);
        assert_int_equal(waitpid(host, NULL, 0), host);
        assert_true(ends_within(ends, 60));
        close(ends);
    }
}

static void a_copy_of_the_host_that_lives_on_keeps_no_process(void **state)
{
    (void)state;
    int ends = -1;
    pid_t host = host_apart("steady", GROUP, &ends, 1);
    kill(host, SIGKILL);
    struct pollfd place = {.fd = ends, .events = POLLIN};
    int ended = poll(&place, 1, 60000);
    kill(-host, SIGKILL);
    assert_int_equal(waitpid(host, NULL, 0), host);
    assert_int_equal(ended, 1);
    close(ends);
}

static void a_forked_child_of_the_host_has_processes_of_its_own(void **state)
{
    (void)state;
    world *w = open_world_with(&rogue, GROUP);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    pid_t child = fork();
    if (child == 0) {
        int32_t status = assign(w, "steady", NULL);
        int bad = status != SEGUE_OK || w->report.fallback;
        segue_host_close(w->host);
        _exit(bad);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    segue_metrics metrics = {.size = sizeof metrics};
    assert_int_equal(segue_host_metrics(w->host, &metrics, NULL), SEGUE_OK);
    assert_int_equal(metrics.started, 1);
    close_world(w);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_calls_and_faults_leave_nothing_behind),
        cmocka_unit_test(threads_that_ask_at_once_each_have_a_process),
        cmocka_unit_test(a_host_that_waits_for_every_child_disturbs_nothing),
        cmocka_unit_test(the_hosts_other_children_are_left_to_it),
        cmocka_unit_test(one_that_was_killed_while_it_waited_is_replaced_without_a_fault),
        cmocka_unit_test(no_process_outlives_its_host),
        cmocka_unit_test(a_copy_of_the_host_that_lives_on_keeps_no_process),
        cmocka_unit_test(a_forked_child_of_the_host_has_processes_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
