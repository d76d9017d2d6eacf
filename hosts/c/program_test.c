/* SPDX-License-Identifier: Apache-2.0 */
/* Assignors that are programs: whatever they do, there is a plan. */
#include <sys/stat.h>

#include "testing_program.h"

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

int main(int count, char **arguments)
{
    if (is_program(arguments, count)) {
        return serve(arguments[0]);
    }
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_answers_in_a_process_of_its_own_whatever_the_isolation),
        cmocka_unit_test(whatever_a_program_does_there_is_a_plan_and_another_process),
        cmocka_unit_test(what_it_prints_is_no_answer_and_of_two_copies_one_comes_back),
        cmocka_unit_test(a_program_that_is_none_is_refused_with_the_reason),
        cmocka_unit_test(a_folder_of_programs_is_a_plugin_path),
        cmocka_unit_test(what_is_refused_is_offered_by_no_list_and_keeps_no_other_from_it),
        cmocka_unit_test(a_program_that_nobody_has_started_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
