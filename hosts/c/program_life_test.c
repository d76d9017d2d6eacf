/* SPDX-License-Identifier: Apache-2.0 */
/* How programs that are assignors live beside their host: what it lacks, signals, its end, and others that are loaded. */
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "testing_program.h"

/* A daemon may have none. */
static void a_host_without_standard_files_has_programs_as_well(void **state)
{
    (void)state;
    program("answers");
    pid_t host = fork();
    if (host == 0) {
        for (int i = 0; i <= STDERR_FILENO; i++) {
            close(i);
        }
        world *w = open_program("answers", NULL, GROUP);
        _exit(assign(w, "answers", NULL) != SEGUE_OK || w->report.fallback);
    }
    int status = -1;
    assert_int_equal(waitpid(host, &status, 0), host);
    assert_int_equal(status, 0);
}

static void a_signal_between_two_calls_ends_no_program(void **state)
{
    (void)state;
    const struct timespec pause = {0, 5000000};
    world *w = open_program("is-disturbed", NULL, GROUP);
    for (int i = 0; i < 5; i++) {
        assert_answers(w, "is-disturbed");
        nanosleep(&pause, NULL);
    }
    assert_int_equal(metrics_of(w).started, 1);
    close_world(w);
}

/* A program that does not end by itself when its host has gone, whose standard error is a pipe that the program shares. */
static void no_program_outlives_its_host(void **state)
{
    (void)state;
    int ends[2];
    char byte = 0;
    program("stays");
    assert_int_equal(pipe(ends), 0);
    pid_t host = fork();
    if (host == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        world *w = open_program("stays", NULL, GROUP);
        assign(w, "stays", NULL);
        dprintf(STDERR_FILENO, "r");
        pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(host, SIGKILL);
    assert_int_equal(waitpid(host, NULL, 0), host);
    struct pollfd place = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&place, 1, 60000), 1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* ---- loading amid other calls ------------------------------------------------------------------------------------ */

static void *load_it(void *argument)
{
    world *w = argument;
    return (void *)(intptr_t)segue_host_load(w->host, path_of("hangs.assignor"), NULL);
}

static void while_a_program_is_loaded_others_are_asked(void **state)
{
    (void)state;
    void *status = NULL;
    pthread_t loading;
    world *w = open_program("answers", NULL, GROUP);
    assert_answers(w, "answers");
    assert_int_equal(mkfifo(path_of("begun"), 0600), 0);
    assert_int_equal(mkfifo(path_of("word"), 0600), 0);
    program("hangs");
    struct pollfd begun = {.fd = open(path_of("begun"), O_RDWR | O_CLOEXEC), .events = POLLIN};
    assert_int_equal(pthread_create(&loading, NULL, load_it, w), 0);
    assert_int_equal(poll(&begun, 1, 60000), 1);
    assert_answers(w, "answers");
    assert_int_equal(metrics_of(w).aside, 0);
    assert_int_equal(segue_host_reinstate(w->host, "answers", NULL), SEGUE_OK);
    int word = open(path_of("word"), O_RDWR | O_CLOEXEC);
    assert_int_equal(pthread_join(loading, &status), 0);
    assert_int_equal((intptr_t)status, SEGUE_OK);
    close(begun.fd);
    close(word);
    assert_answers(w, "hangs");
    assert_answers(w, "answers");
    close_world(w);
    unlink(path_of("hangs.assignor"));
}

int main(int count, char **arguments)
{
    if (is_program(arguments, count)) {
        return serve(arguments[0]);
    }
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_standard_files_has_programs_as_well),
        cmocka_unit_test(a_signal_between_two_calls_ends_no_program),
        cmocka_unit_test(no_program_outlives_its_host),
        cmocka_unit_test(while_a_program_is_loaded_others_are_asked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
