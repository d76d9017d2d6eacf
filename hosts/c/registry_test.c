/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

static segue_host *open_host(const char *path)
{
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = path};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    return host;
}

static void assert_refused(const char *path, int32_t status, const char *why)
{
    fault f;
    segue_host *host = open_host("");
    assert_int_equal(segue_host_load(host, path, fault_of(&f)), status);
    assert_mentions(f.text, path);
    assert_mentions(f.text, why);
    segue_host_close(host);
}

static void what_is_no_plugin_is_refused_in_one_sentence(void **state)
{
    (void)state;
    assert_refused("/no/such/file.so", SEGUE_E_NAME, "No such file");
    assert_refused("/etc/passwd/file.so", SEGUE_E_NAME, "Not a directory");
    assert_refused("/dev/null", SEGUE_E_PLUGIN, "no regular file");
    assert_refused("/etc/passwd", SEGUE_E_PLUGIN, "no ELF file");
    assert_refused("/proc/self/exe", SEGUE_E_NAME, "no segue plugin");
    assert_refused(TEST_PLUGIN("no_note"), SEGUE_E_NAME, "no note .note.segue");
}

static void broken_plugins_are_refused_in_one_sentence(void **state)
{
    (void)state;
    assert_refused(TEST_PLUGIN("too_old"), SEGUE_E_PLUGIN, "too old: it speaks versions 0 to 0");
    assert_refused(TEST_PLUGIN("too_new"), SEGUE_E_PLUGIN, "too new: it speaks versions 7 to 9");
    assert_refused(TEST_PLUGIN("note_backwards"), SEGUE_E_PLUGIN, "states versions 3 to 1");
    assert_refused(TEST_PLUGIN("no_entry"), SEGUE_E_PLUGIN, "no function segue_plugin_entry");
    assert_refused(TEST_PLUGIN("entry_fails"), SEGUE_E_PLUGIN, "its entry failed with status -9");
    assert_refused(TEST_PLUGIN("entry_too_new"), SEGUE_E_PLUGIN, "too new: it speaks versions 7 to 9");
    assert_refused(TEST_PLUGIN("slots_small"), SEGUE_E_PLUGIN, "16 bytes, too few for 'create'");
    assert_refused(TEST_PLUGIN("slots_empty"), SEGUE_E_PLUGIN, "slot 'assign' is empty");
    assert_refused(TEST_PLUGIN("twice"), SEGUE_E_PLUGIN, "two assignors called steady");
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

/* Each length is a new file, so that nothing is served from an earlier mapping. */
static void a_truncated_plugin_is_refused_whatever_its_length(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("sound"), &size);
    char folder[] = "/tmp/segue-registry-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    unsigned refused = 0;
    for (size_t length = 0; length < size; length += length < 1200 ? 7 : 97) {
        fault f;
        snprintf(path, sizeof path, "%s/%zu.so", folder, length);
        write_file(path, bytes, length);
        segue_host *host = open_host("");
        int32_t status = segue_host_load(host, path, fault_of(&f));
        if (status != SEGUE_OK) {
            assert_mentions(f.text, path);
            refused++;
        }
        segue_host_close(host);
        unlink(path);
    }
    rmdir(folder);
    free(bytes);
    assert_true(refused > 100);
}

static void another_machine_is_named(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("sound"), &size);
    char path[] = "/tmp/segue-machine-XXXXXX";
    close(mkstemp(path));
    bytes[18] ^= 0x55;
    write_file(path, bytes, size);
    assert_refused(path, SEGUE_E_PLUGIN, "built for another machine");
    bytes[18] ^= 0x55;
    bytes[4] ^= 3;
    write_file(path, bytes, size);
    assert_refused(path, SEGUE_E_PLUGIN, "built for another machine");
    unlink(path);
    free(bytes);
}

static void a_name_is_found_on_the_search_path(void **state)
{
    (void)state;
    fault f;
    segue_host *host = open_host("/no/such/folder:" SEGUE_BUILD_DIR "/test_plugins");
    assert_int_equal(segue_host_load(host, "second", NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, "second", NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, "absent", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "libabsent.so");
    segue_assignor_row row = {.size = sizeof row};
    assert_int_equal(segue_host_assignor(host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.name, "steady");
    assert_string_equal(row.plugin, TEST_PLUGIN("second"));
    segue_host_close(host);
}

static const char *first_path(segue_host *host)
{
    segue_assignor_row row = {.size = sizeof row};
    assert_int_equal(segue_host_assignor(host, 0, &row, NULL), SEGUE_OK);
    return row.plugin;
}

static void the_plugin_that_was_loaded_last_gives_the_name(void **state)
{
    (void)state;
    segue_host *host = open_host("");
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("sound"), NULL), SEGUE_OK);
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("second"), NULL), SEGUE_OK);
    assert_string_equal(first_path(host), TEST_PLUGIN("second"));
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("sound"), NULL), SEGUE_OK);
    assert_string_equal(first_path(host), TEST_PLUGIN("sound"));
    assert_int_equal(segue_host_load(host, TEST_PLUGIN("slots_empty"), NULL), SEGUE_E_PLUGIN);
    assert_string_equal(first_path(host), TEST_PLUGIN("sound"));
    segue_host_close(host);
}

/* The linker would give the old library again, and the host would believe that it has the new one. */
static void a_file_in_the_place_of_a_loaded_one_is_refused(void **state)
{
    (void)state;
    fault f;
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("second"), &size);
    char path[] = "/tmp/segue-replaced-XXXXXX", next[] = "/tmp/segue-replacing-XXXXXX";
    close(mkstemp(path));
    close(mkstemp(next));
    write_file(path, bytes, size);
    write_file(next, bytes, size);
    segue_host *host = open_host("");
    assert_int_equal(segue_host_load(host, path, NULL), SEGUE_OK);
    assert_int_equal(rename(next, path), 0);
    assert_int_equal(segue_host_load(host, path, fault_of(&f)), SEGUE_E_PLUGIN);
    assert_mentions(f.text, "a new version needs a new name");
    assert_string_equal(first_path(host), path);
    segue_host_close(host);
    unlink(path);
    free(bytes);
}

static uint32_t count_called(segue_host *host, const char *name, segue_assignor_row *first)
{
    uint32_t found = 0;
    segue_assignor_row row = {.size = sizeof row};
    for (uint32_t i = 0; segue_host_assignor(host, i, &row, NULL) == SEGUE_OK; i++) {
        if (strcmp(row.name, name) == 0 && found++ == 0) {
            *first = row;
        }
    }
    return found;
}

static void the_first_plugin_on_the_path_gives_the_name(void **state)
{
    (void)state;
    segue_assignor_row row;
    segue_host *host = open_host(TEST_PLUGIN("second") ":" TEST_PLUGIN("sound"));
    assert_int_equal(count_called(host, "steady", &row), 1);
    assert_string_equal(row.plugin, TEST_PLUGIN("second"));
    assert_int_equal(count_called(host, "breaks-r1", &row), 1);
    assert_string_equal(row.plugin, TEST_PLUGIN("sound"));
    segue_host_close(host);
    host = open_host(TEST_PLUGIN("sound") ":" TEST_PLUGIN("second"));
    assert_int_equal(count_called(host, "steady", &row), 1);
    assert_string_equal(row.plugin, TEST_PLUGIN("sound"));
    segue_host_close(host);
}

static void a_refused_plugin_is_passed_over(void **state)
{
    (void)state;
    segue_assignor_row row;
    segue_host *host = open_host(TEST_PLUGIN("slots_empty") ":" TEST_PLUGIN("too_new") ":" TEST_PLUGIN("second"));
    assert_int_equal(count_called(host, "steady", &row), 1);
    assert_string_equal(row.plugin, TEST_PLUGIN("second"));
    segue_host_close(host);
}

static void when_nothing_can_be_loaded_the_reason_is_told(void **state)
{
    (void)state;
    fault f;
    segue_assignor_row row = {.size = sizeof row};
    segue_host *host = open_host(TEST_PLUGIN("too_new"));
    assert_int_equal(segue_host_assignor(host, 0, &row, fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "too new");
    segue_host_close(host);
}

static void plugins_are_listed_by_their_notes_and_loaded_by_need(void **state)
{
    (void)state;
    segue_plugin_row row = {.size = sizeof row};
    segue_host *host = open_host(TEST_PLUGIN("sound"));
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_int_equal(row.abi_version, 0);
    assert_string_equal(row.name, "sound");
    assert_string_equal(row.version, "1.2.3");
    segue_assignor_row assignor = {.size = sizeof assignor};
    assert_int_equal(segue_host_assignor(host, 0, &assignor, NULL), SEGUE_OK);
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_int_equal(row.abi_version, 1);
    assert_string_equal(row.name, "test");
    assert_int_equal(segue_host_plugin(host, 1, &row, NULL), SEGUE_E_NAME);
    segue_host_close(host);
}

static const char NOTHING[] = "{'segue':'group/1','members':[{'id':'a'}]}";

static void assert_unknown(const char *path, const char *name, const char *part)
{
    fault f;
    segue_host *host = open_host(path);
    segue_document *document = read_group(NOTHING);
    segue_plan *plan = make_plan(document);
    assert_int_equal(segue_host_assign(host, name, segue_document_group(document), segue_document_config(document), plan,
                                       NULL, fault_of(&f)),
                     SEGUE_E_NAME);
    assert_mentions(f.text, part);
    segue_plan_free(plan);
    segue_document_free(document);
    segue_host_close(host);
}

/* A folder of files, which `make` fills. */
static const char *make_folder(void (*make)(const char *folder))
{
    static char folder[32];
    snprintf(folder, sizeof folder, "/tmp/segue-folder-XXXXXX");
    assert_non_null(mkdtemp(folder));
    make(folder);
    return folder;
}

static const char *inside(const char *folder, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(const char *folder, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(remove(inside(folder, names[i])), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static const char *const of_all_kinds[] = {
    "closed.assignor", "folder.assignor", "knot.assignor", "lost.assignor",  "open.assignor", "pipe.assignor", "empty.so",
    "gone.so",         "newer.so",        "notes.txt",     "open.so",        "plain.so",      "under_score.assignor",
};

static void make_all_kinds(const char *folder)
{
    write_file(inside(folder, "closed.assignor"), "#!/bin/sh\n", 10);
    assert_int_equal(mkdir(inside(folder, "folder.assignor"), 0700), 0);
    assert_int_equal(symlink("knot.assignor", inside(folder, "knot.assignor")), 0);
    assert_int_equal(symlink("nowhere", inside(folder, "lost.assignor")), 0);
    write_file(inside(folder, "open.assignor"), "#!/bin/sh\n", 10);
    assert_int_equal(chmod(inside(folder, "open.assignor"), 0777), 0);
    assert_int_equal(mkfifo(inside(folder, "pipe.assignor"), 0700), 0);
    write_file(inside(folder, "empty.so"), "", 0);
    assert_int_equal(symlink("nowhere", inside(folder, "gone.so")), 0);
    assert_int_equal(symlink(TEST_PLUGIN("too_new"), inside(folder, "newer.so")), 0);
    write_file(inside(folder, "notes.txt"), "", 0);
    write_file(inside(folder, "open.so"), "", 0);
    assert_int_equal(chmod(inside(folder, "open.so"), 0666), 0);
    assert_int_equal(symlink(TEST_PLUGIN("no_note"), inside(folder, "plain.so")), 0);
    write_file(inside(folder, "under_score.assignor"), "#!/bin/sh\n", 10);
    assert_int_equal(chmod(inside(folder, "under_score.assignor"), 0700), 0);
}

/* A folder may hold what it likes: what is no segue plugin at all is not listed, and what is to be one is, with the reason. */
static void what_is_refused_before_it_is_read_is_listed_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *why;
    } refused[] = {
        {"closed.assignor", "it is no program that can be run (chmod +x)"},
        {"empty.so", "no ELF file"},
        {"folder.assignor", "it is a folder, where a program of that name is to be"},
        {"knot.assignor", "it is a link that leads to no file: Too many levels of symbolic links"},
        {"lost.assignor", "it is a link that leads to no file: No such file or directory"},
        {"newer.so", "too new: it speaks versions 7 to 9"},
        {"open.assignor", "chmod o-w"},
        {"open.so", "chmod o-w"},
        {"pipe.assignor", "it is no file, where a program of that name is to be"},
        {"under_score.assignor", "up to 64 lower-case letters, digits and dashes name an assignor"},
    };
    const char *folder = make_folder(make_all_kinds);
    char twice[96];
    snprintf(twice, sizeof twice, "%s:%s", folder, folder);
    segue_host *host = open_host(twice);
    segue_plugin_row row = {.size = sizeof row};
    size_t count = sizeof refused / sizeof *refused;
    for (uint32_t i = 0; i < count; i++) {
        fault f;
        assert_int_equal(segue_host_plugin(host, i, &row, NULL), SEGUE_OK);
        assert_string_equal(row.path, inside(folder, refused[i].name));
        assert_int_equal(row.abi_version, 0);
        assert_string_equal(row.version, "");
        assert_int_equal(strncmp(row.name, refused[i].name, strlen(row.name)), 0);
        assert_int_equal(segue_host_load(host, row.path, fault_of(&f)), SEGUE_E_PLUGIN);
        assert_mentions(f.text, refused[i].why);
    }
    assert_int_equal(segue_host_plugin(host, (uint32_t)count, &row, NULL), SEGUE_E_NAME);
    segue_host_close(host);
    remove_folder(folder, of_all_kinds, sizeof of_all_kinds / sizeof *of_all_kinds);
}

static void make_open_and_sound(const char *folder)
{
    size_t size;
    unsigned char *bytes = read_file(TEST_PLUGIN("sound"), &size);
    write_file(inside(folder, "sound.so"), bytes, size);
    assert_int_equal(chmod(inside(folder, "sound.so"), 0666), 0);
    free(bytes);
    write_file(inside(folder, "nightly.assignor"), "#!/bin/sh\n", 10);
}

static void who_asks_for_a_refused_program_hears_why(void **state)
{
    (void)state;
    static const char *const names[] = {"nightly.assignor", "sound.so"};
    const char *folder = make_folder(make_open_and_sound);
    assert_unknown(folder, "nightly", "its plugin is refused: ");
    assert_unknown(folder, "nightly", "chmod +x");
    assert_unknown(folder, "steady", "; refused: ");
    remove_folder(folder, names, 2);
}

/* The row stays where it is, and so do texts that were told before. */
static void a_refused_file_that_was_put_right_is_loaded_by_its_path(void **state)
{
    (void)state;
    static const char *const names[] = {"nightly.assignor", "sound.so"};
    const char *folder = make_folder(make_open_and_sound);
    segue_host *host = open_host(folder);
    segue_plugin_row before = {.size = sizeof before}, row = {.size = sizeof row};
    segue_assignor_row first;
    assert_int_equal(segue_host_plugin(host, 1, &before, NULL), SEGUE_OK);
    assert_string_equal(before.path, inside(folder, "sound.so"));
    assert_int_equal(count_called(host, "steady", &first), 0);
    assert_int_equal(chmod(before.path, 0600), 0);
    assert_int_equal(segue_host_load(host, before.path, NULL), SEGUE_OK);
    assert_int_equal(count_called(host, "steady", &first), 1);
    assert_string_equal(before.version, "");
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_ptr_equal(row.path, before.path);
    assert_string_equal(row.version, "1.2.3");
    assert_int_equal(segue_host_plugin(host, 2, &row, NULL), SEGUE_E_NAME);
    segue_host_close(host);
    remove_folder(folder, names, 2);
}

static void one_file_under_two_paths_is_one_plugin(void **state)
{
    (void)state;
    segue_plugin_row row = {.size = sizeof row};
    segue_host *host = open_host(TEST_PLUGIN("sound") ":" SEGUE_BUILD_DIR "/./test_plugins/sound.so");
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_int_equal(segue_host_plugin(host, 1, &row, NULL), SEGUE_E_NAME);
    segue_host_close(host);
}

static void a_row_of_an_older_caller_is_not_written_past_its_end(void **state)
{
    (void)state;
    segue_plugin_row row = {.size = offsetof(segue_plugin_row, name), .name = "untouched"};
    segue_host *host = open_host(TEST_PLUGIN("sound"));
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.path, TEST_PLUGIN("sound"));
    assert_string_equal(row.name, "untouched");
    segue_host_close(host);
}

static void the_environment_comes_first(void **state)
{
    (void)state;
    segue_host *host = NULL;
    segue_plugin_row row = {.size = sizeof row};
    segue_host_options options = {.size = sizeof options, .plugin_path = TEST_PLUGIN("sound")};
    assert_int_equal(setenv("SEGUE_PLUGIN_PATH", TEST_PLUGIN("second"), 1), 0);
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    unsetenv("SEGUE_PLUGIN_PATH");
    assert_int_equal(segue_host_plugin(host, 0, &row, NULL), SEGUE_OK);
    assert_string_equal(row.path, TEST_PLUGIN("second"));
    assert_int_equal(segue_host_plugin(host, 1, &row, NULL), SEGUE_OK);
    assert_string_equal(row.path, TEST_PLUGIN("sound"));
    segue_host_close(host);
}

static void a_name_that_nobody_has_is_answered_by_what_there_is(void **state)
{
    (void)state;
    assert_unknown("", "steady", "no assignor steady: no plugin was found");
    assert_unknown(TEST_PLUGIN("too_new"), "steady", "refused: " TEST_PLUGIN("too_new") ": too new");
    assert_unknown(TEST_PLUGIN("slots_empty"), "steady", "its plugin is refused: " TEST_PLUGIN("slots_empty"));
    assert_unknown(TEST_PLUGIN("slots_empty") ":" TEST_PLUGIN("second"), "breaks-r1", "; there are steady");
    assert_unknown(TEST_PLUGIN("sound"), "breaks-rx", "did you mean breaks-r");
    assert_unknown(TEST_PLUGIN("second"), "a-name-so-long-that-it-is-near-to-nothing-that-anybody-would-call-an-assignor",
                   "there are steady");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_nobody_has_is_answered_by_what_there_is),
        cmocka_unit_test(what_is_no_plugin_is_refused_in_one_sentence),
        cmocka_unit_test(broken_plugins_are_refused_in_one_sentence),
        cmocka_unit_test(a_truncated_plugin_is_refused_whatever_its_length),
        cmocka_unit_test(another_machine_is_named),
        cmocka_unit_test(a_name_is_found_on_the_search_path),
        cmocka_unit_test(the_plugin_that_was_loaded_last_gives_the_name),
        cmocka_unit_test(a_file_in_the_place_of_a_loaded_one_is_refused),
        cmocka_unit_test(the_first_plugin_on_the_path_gives_the_name),
        cmocka_unit_test(a_refused_plugin_is_passed_over),
        cmocka_unit_test(when_nothing_can_be_loaded_the_reason_is_told),
        cmocka_unit_test(plugins_are_listed_by_their_notes_and_loaded_by_need),
        cmocka_unit_test(what_is_refused_before_it_is_read_is_listed_with_the_reason),
        cmocka_unit_test(who_asks_for_a_refused_program_hears_why),
        cmocka_unit_test(a_refused_file_that_was_put_right_is_loaded_by_its_path),
        cmocka_unit_test(one_file_under_two_paths_is_one_plugin),
        cmocka_unit_test(a_row_of_an_older_caller_is_not_written_past_its_end),
        cmocka_unit_test(the_environment_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
