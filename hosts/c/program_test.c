/* SPDX-License-Identifier: Apache-2.0 */
/* Assignors that are programs: whatever they do, there is a plan. The programs are this one, under the names of links. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate_spawn.h"
#include "program_note.h"
#include "testing_world.h"

#define BUDGET GROUP_WITH("'max.warmup.replicas': 1, 'segue.max.compute.ms': 1500")

/* ---- the programs ------------------------------------------------------------------------------------------------ */

static char own_name[64];

/* The two files by which a program that is being loaded and the test wait for each other. */
static int open_beside(const char *path, const char *file, int how)
{
    char beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%.*s/%s", (int)(strrchr(path, '/') - path), path, file);
    return open(beside, how | O_CLOEXEC);
}

static void hear(int number)
{
    (void)number;
}

/* Signals from now on, whose handler no call is begun again behind: as runtimes have theirs. */
static void be_disturbed(void)
{
    const struct sigaction action = {.sa_handler = hear};
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void misbehave(void)
{
    if (strcmp(own_name, "is-disturbed") == 0) {
        be_disturbed();
    }
    if (strncmp(own_name, "crashes", 7) == 0) {
        abort();
    }
    if (strcmp(own_name, "stops") == 0) {
        raise(SIGSTOP);
    }
    if (strcmp(own_name, "multiplies") == 0 && fork() < 0) {
        abort();
    }
    if (strcmp(own_name, "prints") == 0 && (write(STDOUT_FILENO, "said\n", 5) != 5 || read(STDIN_FILENO, own_name, 1) != 0)) {
        abort();
    }
}

/* The safe plan, so that it can be told that it is not the fallback's by what it says of itself. */
static int32_t answer(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    (void)context;
    misbehave();
    if (strcmp(own_name, "fails") == 0) {
        error->code = SEGUE_E_INTERNAL;
        snprintf(error->text, error->text_size, "not today");
        return SEGUE_E_INTERNAL;
    }
    int32_t status = segue_plan_fallback(group, config, plan);
    plan->followup_reason = SEGUE_FOLLOWUP_NONE;
    plan->followup_needed = 0;
    plan->active[0] = strcmp(own_name, "breaks-r1") == 0  ? group->member_count
                      : strcmp(own_name, "gives-none") == 0 ? SEGUE_NONE
                                                            : plan->active[0];
    return status;
}

static int serve(const char *path)
{
    fault f;
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = ""};
    const char *slash = strrchr(path, '/');
    snprintf(own_name, sizeof own_name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    segue_callback callback = {.size = sizeof callback, .traits = SEGUE_TRAIT_COLD, .version = "2.1", .assign = answer,
                               .summary = "of a test", .name = strcmp(own_name, "another") == 0 ? "other" : own_name};
    if (strcmp(own_name, "hangs") == 0) {
        int begun = open_beside(path, "begun", O_WRONLY);
        if (write(begun, "b", 1) != 1) {
            abort();
        }
        close(open_beside(path, "word", O_RDONLY));
    }
    if (strcmp(own_name, "leaves") == 0 || segue_host_open(&options, &host, NULL) != SEGUE_OK ||
        segue_host_register(host, &callback, NULL) != SEGUE_OK) {
        return 9;
    }
    int32_t status = segue_host_serve(host, callback.name, fault_of(&f));
    segue_host_close(host);
    while (strcmp(own_name, "stays") == 0) {
        pause(); /* as a runtime does for a thread that goes on */
    }
    return status == SEGUE_OK ? 0 : 8;
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/segue-programs-XXXXXX";
static char self[PATH_MAX];

/* Its path, which stays as it is until the next. */
static const char *path_of(const char *file)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static const char *program(const char *name)
{
    char file[80];
    snprintf(file, sizeof file, "%s" SGI_PROGRAM_SUFFIX, name);
    const char *path = path_of(file);
    unlink(path);
    assert_int_equal(symlink(self, path), 0);
    return path;
}

static world *open_program(const char *name, const char *isolation, const char *group)
{
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .plugin_path = program(name), .isolation = isolation};
    return open_world_with(&options, group);
}

static segue_metrics metrics_of(world *w)
{
    segue_metrics metrics = {.size = sizeof metrics};
    assert_int_equal(segue_host_metrics(w->host, &metrics, NULL), SEGUE_OK);
    return metrics;
}

static void assert_answers(world *w, const char *name)
{
    assert_int_equal(assign(w, name, NULL), SEGUE_OK);
    assert_string_equal(w->text, "");
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->plan->followup_reason, SEGUE_FOLLOWUP_NONE);
    assert_int_equal(w->plan->active[0], 0);
}

static void assert_falls_back(world *w, const char *name, int32_t status, const char *text)
{
    assert_int_equal(assign(w, name, NULL), SEGUE_OK);
    assert_int_equal(w->report.status, status);
    assert_mentions(w->text, text);
    assert_int_equal(w->plan->followup_reason, SEGUE_FOLLOWUP_FALLBACK);
    assert_int_equal(w->plan->active[0], 0);
}

static void a_program_answers_in_a_process_of_its_own_whatever_the_isolation(void **state)
{
    (void)state;
    static const char *const isolations[] = {"none", "thread", "process"};
    for (size_t i = 0; i < sizeof isolations / sizeof *isolations; i++) {
        world *w = open_program("answers", isolations[i], BUDGET);
        segue_assignor_row row = {.size = sizeof row};
        for (int j = 0; j < 10; j++) {
            assert_answers(w, "answers");
        }
        assert_string_equal(w->report.plugin, path_of("answers.assignor"));
        assert_int_equal(metrics_of(w).started, 1);
        assert_int_equal(segue_host_assignor(w->host, 0, &row, NULL), SEGUE_OK);
        assert_string_equal(row.name, "answers");
        assert_string_equal(row.version, "2.1");
        assert_string_equal(row.summary, "of a test");
        assert_int_equal(row.traits, SEGUE_TRAIT_COLD);
        close_world(w);
    }
}

static void whatever_a_program_does_there_is_a_plan_and_another_process(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t status;
        const char *text;
        uint32_t started; /* after two calls */
    } rows[] = {
        {"crashes", SEGUE_E_INTERNAL, "its process was ended by signal 6 (Aborted)", 3},
        {"stops", SEGUE_E_DEADLINE, "ms, and its process was killed", 3},
        {"fails", SEGUE_E_INTERNAL, "not today", 1},
        {"breaks-r1", SEGUE_E_PLAN, "R1: task ", 1},
        {"gives-none", SEGUE_E_PLAN, "R1: task 0_0 is active on nobody", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world *w = open_program(rows[i].name, NULL, BUDGET);
        assert_falls_back(w, rows[i].name, rows[i].status, rows[i].text);
        assert_falls_back(w, rows[i].name, rows[i].status, rows[i].text);
        assert_int_equal(w->report.aside, 0);
        assert_int_equal(metrics_of(w).started, rows[i].started);
        assert_int_equal(metrics_of(w).processes, 1); /* one that waits for the next call */
        close_world(w);
    }
}

static void what_it_prints_is_no_answer_and_of_two_copies_one_comes_back(void **state)
{
    (void)state;
    static const char *const names[] = {"prints", "multiplies"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        world *w = open_program(names[i], NULL, GROUP);
        assert_answers(w, names[i]);
        assert_answers(w, names[i]);
        assert_int_equal(metrics_of(w).started, 1);
        close_world(w);
    }
}

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

static void write_file(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    assert_int_equal(fchmod(file, mode), 0);
    assert_int_equal(close(file), 0);
}

static void assert_refused(const char *path, int32_t status, const char *text)
{
    fault f;
    segue_host *host;
    segue_host_options options = {.size = sizeof options, .only_path = 1};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, path, fault_of(&f)), status);
    assert_mentions(f.text, path);
    assert_mentions(f.text, text);
    segue_host_close(host);
}

static void a_program_that_is_none_is_refused_with_the_reason(void **state)
{
    (void)state;
    assert_refused(path_of("gone.assignor"), SEGUE_E_NAME, "No such file");
    write_file(path_of("plain.assignor"), "#!/bin/sh\n", 0600);
    assert_refused(path_of("plain.assignor"), SEGUE_E_PLUGIN, "it is no program that can be run (chmod +x)");
    write_file(path_of("open.assignor"), "#!/bin/sh\n", 0777);
    assert_refused(path_of("open.assignor"), SEGUE_E_PLUGIN, "everybody may write to it, and so decide what runs here: chmod o-w");
    write_file(path_of("Upper.assignor"), "#!/bin/sh\n", 0700);
    assert_refused(path_of("Upper.assignor"), SEGUE_E_PLUGIN, "lower-case letters, digits and dashes");
    write_file(path_of("bare.assignor"), "no program\n", 0700);
    assert_refused(path_of("bare.assignor"), SEGUE_E_PLUGIN, "cannot be started: Exec format error");
    write_file(path_of("lost.assignor"), "#!/nosuch\n", 0700);
    assert_refused(path_of("lost.assignor"), SEGUE_E_PLUGIN, "cannot be started: No such file or directory");
    /* Statuses by which segue-isolate says that the machine is at fault. */
    write_file(path_of("status-74.assignor"), "#!/bin/sh\nexit 74\n", 0700);
    assert_refused(path_of("status-74.assignor"), SEGUE_E_PLUGIN, "its process ended with exit status 74");
    write_file(path_of("status-90.assignor"), "#!/bin/sh\nexit 90\n", 0700);
    assert_refused(path_of("status-90.assignor"), SEGUE_E_PLUGIN, "its process ended with exit status 90");
    write_file(path_of("mute.assignor"), "#!/bin/sh\nexit 4\n", 0700);
    assert_refused(path_of("mute.assignor"), SEGUE_E_PLUGIN, "its process ended with exit status 4");
    assert_refused(program("leaves"), SEGUE_E_PLUGIN, "its process ended with exit status 9");
    assert_refused(program("another"), SEGUE_E_PLUGIN, "it serves other: the file has to be called as its one assignor is");
}

static void a_folder_of_programs_is_a_plugin_path(void **state)
{
    (void)state;
    fault f;
    program("answers");
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = folder};
    world *w = open_world_with(&options, GROUP);
    assert_answers(w, "answers");
    assert_int_equal(metrics_of(w).started, 1);
    assert_int_equal(assign(w, "mute", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "no assignor mute: its plugin is refused: ");
    assert_int_equal(assign(w, "anwsers", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "did you mean answers?");
    close_world(w);
}

/* By nobody: the folder has those of the tests above, which cannot be started, end at once or serve another name. */
static void what_is_refused_is_offered_by_no_list_and_keeps_no_other_from_it(void **state)
{
    (void)state;
    static const char *const refused[] = {"another", "bare", "leaves", "lost", "mute", "status-74", "status-90"};
    fault f;
    segue_assignor_row row = {.size = sizeof row};
    program("answers");
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = folder};
    world *w = open_world_with(&options, GROUP);
    assert_int_equal(assign(w, "typo", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "there are answers, ");
    const char *end = strchr(f.text, ';');
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *told = strstr(f.text, refused[i]);
        assert_true(told == NULL || (end != NULL && told > end));
    }
    uint32_t count = 0;
    for (; segue_host_assignor(w->host, count, &row, fault_of(&f)) == SEGUE_OK; count++) {
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
            assert_string_not_equal(row.name, refused[i]);
        }
    }
    assert_int_equal(f.error.code, SEGUE_E_NAME);
    assert_true(count > 0);
    close_world(w);
}

static void a_program_that_nobody_has_started_says_what_it_is(void **state)
{
    (void)state;
    fault f;
    segue_host *host;
    segue_host_options options = {.size = sizeof options, .only_path = 1};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(segue_host_serve(NULL, "mine", fault_of(&f)), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_host_serve(host, "mine", fault_of(&f)), SEGUE_E_ARGUMENT);
    assert_mentions(f.text, "put it on the plugin path as mine.assignor");
    setenv(SGI_SERVE_VARIABLE, "0.9.0", 1);
    assert_int_equal(segue_host_serve(host, "mine", fault_of(&f)), SEGUE_E_VERSION);
    assert_mentions(f.text, "libsegue 0.9.0 has started it");
    setenv(SGI_SERVE_VARIABLE, SEGUE_VERSION, 1);
    assert_int_equal(segue_host_serve(host, "mine", fault_of(&f)), SEGUE_E_NAME);
    unsetenv(SGI_SERVE_VARIABLE);
    segue_host_close(host);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || realpath("/proc/self/exe", self) == NULL;
}

static int remove_folder(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(int count, char **arguments)
{
    if (count == 1 && sgi_is_program(arguments[0])) {
        return serve(arguments[0]);
    }
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_answers_in_a_process_of_its_own_whatever_the_isolation),
        cmocka_unit_test(whatever_a_program_does_there_is_a_plan_and_another_process),
        cmocka_unit_test(what_it_prints_is_no_answer_and_of_two_copies_one_comes_back),
        cmocka_unit_test(a_host_without_standard_files_has_programs_as_well),
        cmocka_unit_test(a_signal_between_two_calls_ends_no_program),
        cmocka_unit_test(no_program_outlives_its_host),
        cmocka_unit_test(while_a_program_is_loaded_others_are_asked),
        cmocka_unit_test(a_program_that_is_none_is_refused_with_the_reason),
        cmocka_unit_test(a_folder_of_programs_is_a_plugin_path),
        cmocka_unit_test(what_is_refused_is_offered_by_no_list_and_keeps_no_other_from_it),
        cmocka_unit_test(a_program_that_nobody_has_started_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
