/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin may say of itself when it is loaded, and what is refused. test_plugins/odd.c is odd in one way at a time. */
#include <stdio.h>
#include <unistd.h>

#include "test/faults.h"
#include "testing_world.h"

#define ODD TEST_PLUGIN("odd")

static segue_host *open_bare(void)
{
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .isolation = "none"};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    return host;
}

static int32_t load_odd(segue_host *host, const char *oddity, fault *f)
{
    setenv("SEGUE_TEST_ODD", oddity, 1);
    return segue_host_load(host, ODD, fault_of(f));
}

/* Refused for good, and without a change of the words. */
static void assert_refused(const char *oddity, const char *why)
{
    fault first, again;
    segue_host *host = open_bare();
    assert_int_equal(load_odd(host, oddity, &first), SEGUE_E_PLUGIN);
    assert_mentions(first.text, ODD ": ");
    assert_mentions(first.text, why);
    assert_int_equal(load_odd(host, "", &again), SEGUE_E_PLUGIN);
    assert_string_equal(again.text, first.text);
    segue_host_close(host);
}

static void each_slot_has_to_be_there(void **state)
{
    (void)state;
    char oddity[32], why[64];
    int place = 0;
#define ASSERT_SLOT(since, slot, thread, result, ...)                                                                 \
    snprintf(oddity, sizeof oddity, "no-slot %d", place++);                                                           \
    snprintf(why, sizeof why, "its slot '%s' is empty", #slot);                                                       \
    assert_refused(oddity, why);                                                                                      \
    snprintf(oddity, sizeof oddity, "size %zu", offsetof(segue_slots, slot));                                         \
    snprintf(why, sizeof why, "bytes, too few for '%s'", #slot);                                                      \
    assert_refused(oddity, why);
    SEGUE_SLOTS(ASSERT_SLOT, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
}

static void an_entry_that_answers_nonsense_is_refused(void **state)
{
    (void)state;
    assert_refused("version 0", "its entry chose version 0 and a table of slots");
    assert_refused("version 4000000", "its entry chose version 4000000 and a table of slots");
    assert_refused("no-slots", "its entry chose version 1 and gave no table of slots");
    assert_refused("entry -2147483647", "its entry failed with status -2147483647");
    char oddity[32];
    snprintf(oddity, sizeof oddity, "entry %d", SEGUE_E_VERSION);
    assert_refused(oddity, "its entry speaks no version that libsegue does");
}

static void what_it_says_of_its_assignors_is_looked_at(void **state)
{
    (void)state;
    assert_refused("no-name", "its assignor 0 has no name of up to");
    assert_refused("bad-name", "its assignor 0 has no name of up to");
    assert_refused("describe-fails", "describing its assignor 0 failed with status -9");
    assert_refused("no-assignors", "describing its assignor 0 failed with status");
    assert_refused("endless", "it has more than 256 assignors");
}

static void what_it_does_not_say_is_taken_from_its_file(void **state)
{
    (void)state;
    fault f;
    segue_plugin_row plugin = {.size = sizeof plugin};
    segue_assignor_row assignor = {.size = sizeof assignor};
    segue_host *host = open_bare();
    assert_int_equal(load_odd(host, "no-texts", &f), SEGUE_OK);
    assert_int_equal(segue_host_plugin(host, 0, &plugin, NULL), SEGUE_OK);
    assert_string_equal(plugin.name, "odd");
    assert_string_equal(plugin.version, "1.2.3");
    assert_int_equal(segue_host_assignor(host, 0, &assignor, NULL), SEGUE_OK);
    assert_string_equal(assignor.version, "");
    assert_string_equal(assignor.summary, "");
    segue_host_close(host);
}

static void a_name_that_no_note_tells_is_found_by_loading(void **state)
{
    (void)state;
    setenv("SEGUE_TEST_ODD", "", 1);
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = ODD, .isolation = "none"};
    world *w = open_world_with(&options, GROUP);
    fault f;
    assert_int_equal(assign(w, "other", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "there are odd");
    assert_int_equal(assign(w, "odd", fault_of(&f)), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->report.status, SEGUE_E_INTERNAL);
    assert_mentions(w->text, "create answered 'ok' without an instance");
    close_world(w);
}

static void a_library_that_the_linker_refuses_is_refused_for_good(void **state)
{
    (void)state;
    fault f;
    segue_host *host = open_bare();
    fault_at(FAULT_dlopen, 1, 0);
    assert_int_equal(load_odd(host, "", &f), SEGUE_E_PLUGIN);
    assert_true(fault_end());
    assert_mentions(f.text, ODD ": it cannot be loaded: ");
    assert_int_equal(load_odd(host, "", &f), SEGUE_E_PLUGIN);
    segue_host_close(host);
}

/* The linker would look for a bare name elsewhere. */
static void a_file_of_the_current_folder_is_found_there(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(SEGUE_BUILD_DIR "/test_plugins"), 0);
    setenv("SEGUE_TEST_ODD", "", 1);
    segue_assignor_row row = {.size = sizeof row};
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = "odd.so", .isolation = "none"};
    segue_host *host = NULL;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(segue_host_assignor(host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.plugin, "./odd.so");
    assert_int_equal(segue_host_load(host, "odd", NULL), SEGUE_OK);
    segue_host_close(host);
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_slot_has_to_be_there),
        cmocka_unit_test(an_entry_that_answers_nonsense_is_refused),
        cmocka_unit_test(what_it_says_of_its_assignors_is_looked_at),
        cmocka_unit_test(what_it_does_not_say_is_taken_from_its_file),
        cmocka_unit_test(a_name_that_no_note_tells_is_found_by_loading),
        cmocka_unit_test(a_library_that_the_linker_refuses_is_refused_for_good),
        cmocka_unit_test(a_file_of_the_current_folder_is_found_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
