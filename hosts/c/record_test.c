/* SPDX-License-Identifier: Apache-2.0 */
/* What a host was asked is written down whole or not at all, and no file, full or locked, keeps a group from its plan. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segue/record.h"
#include "test/faults.h"
#include "testing_world.h"

static char folder[] = "/tmp/segue-record-XXXXXX", path[64], older[64];

static world *reopen_recorded(uint64_t most_bytes)
{
    segue_host_options options = {.size = sizeof options,
                                  .only_path = 1,
                                  .plugin_path = TEST_PLUGIN("sound"),
                                  .record_path = path,
                                  .record_bytes = most_bytes,
                                  .isolation = "none"};
    world *w = open_world_with(&options, GROUP);
    assert_int_equal(segue_host_load(w->host, TEST_PLUGIN("sound"), NULL), SEGUE_OK);
    return w;
}

static world *open_recorded(uint64_t most_bytes)
{
    unlink(path);
    unlink(older);
    return reopen_recorded(most_bytes);
}

static off_t bytes_of(const char *file)
{
    struct stat about;
    return stat(file, &about) == 0 ? about.st_size : -1;
}

static void assign_soundly(world *w)
{
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
}

/* The size of one frame, which all of these groups have in common. */
static off_t frame_bytes(void)
{
    world *w = open_recorded(0);
    assign_soundly(w);
    off_t bytes = bytes_of(path);
    assert_true(bytes > (off_t)sizeof(segue_record_head));
    close_world(w);
    return bytes;
}

static void frames_follow_each_other_and_say_what_was_asked(void **state)
{
    (void)state;
    off_t frame = frame_bytes();
    world *w = open_recorded(0);
    assign_soundly(w);
    assert_int_equal(assign(w, "fails", NULL), SEGUE_OK);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    segue_record_head heads[2];
    assert_int_equal(pread(file, &heads[0], sizeof heads[0], 0), sizeof heads[0]);
    assert_int_equal(pread(file, &heads[1], sizeof heads[1], frame), sizeof heads[1]);
    close(file);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(heads[i].magic, SEGUE_RECORD_MAGIC, sizeof heads[i].magic);
        assert_int_equal(heads[i].version, SEGUE_RECORD_VERSION);
        assert_int_equal(heads[i].fallback, i);
        assert_int_equal(heads[i].status, i == 0 ? SEGUE_OK : SEGUE_E_INTERNAL);
        assert_int_equal(heads[i].assignor_size, i == 0 ? strlen("steady") : strlen("fails"));
        assert_int_equal(heads[i].group_size % 8 + heads[i].plan_size % 8, 0);
    }
    close_world(w);
}

static void a_file_that_is_full_makes_way_and_one_older_is_kept(void **state)
{
    (void)state;
    off_t frame = frame_bytes();
    world *w = open_recorded((uint64_t)frame * 2);
    for (int i = 1; i <= 5; i++) {
        assign_soundly(w);
        assert_int_equal(bytes_of(path), frame * (i % 2 == 0 ? 2 : 1));
        assert_int_equal(bytes_of(older), i < 3 ? -1 : frame * 2);
    }
    close_world(w);
    w = open_recorded(1);
    for (int i = 0; i < 3; i++) {
        assign_soundly(w);
        assert_int_equal(bytes_of(path), frame);
    }
    close_world(w);
}

static void what_is_no_regular_file_is_refused_when_the_host_opens(void **state)
{
    (void)state;
    char link[64], pipe[64];
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(symlink("/tmp/segue-record-elsewhere", link), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    static const char *const reasons[] = {"it is no regular file", "it is no regular file", "Is a directory",
                                          "No such file or directory", "Too many levels of symbolic links"};
    const char *const files[] = {"/dev/null", pipe, folder, "/nowhere/x", link};
    for (size_t i = 0; i < 5; i++) {
        fault f;
        segue_host *host = NULL;
        segue_host_options options = {.size = sizeof options, .only_path = 1, .record_path = files[i]};
        assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
        assert_null(host);
        assert_mentions(f.text, "the file to record plans in, cannot be opened: ");
        assert_mentions(f.text, reasons[i]);
    }
    unlink(link);
    unlink(pipe);
}

static void put(const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(found, text);
}

static void a_file_that_holds_something_else_is_not_written_to(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"segue\": \"group/1\"}", "SEGUEREX", "x", "SEGUREC"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fault f;
        segue_host *host = NULL;
        segue_host_options options = {.size = sizeof options, .only_path = 1, .record_path = path};
        put(texts[i]);
        assert_int_equal(segue_host_open(&options, &host, fault_of(&f)), SEGUE_E_SYSTEM);
        assert_null(host);
        assert_mentions(f.text, "cannot be opened: it is there already, and is no record");
        assert_holds(texts[i]);
        world *w = open_recorded(0);
        put(texts[i]);
        assign_soundly(w);
        assert_holds(texts[i]);
        close_world(w);
    }
    unlink(path);
}

static void an_empty_path_records_nothing_and_the_environment_names_one(void **state)
{
    (void)state;
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .record_path = ""};
    unlink(path);
    setenv("SEGUE_RECORD_PATH", path, 1);
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(bytes_of(path), -1);
    segue_host_close(host);
    options.record_path = NULL;
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    assert_int_equal(bytes_of(path), 0);
    segue_host_close(host);
    unsetenv("SEGUE_RECORD_PATH");
}

static void one_that_another_locks_and_keeps_is_left_alone(void **state)
{
    (void)state;
    world *w = open_recorded(0);
    int other = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(other, LOCK_EX), 0);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), 0);
    close(other);
    fault_at(FAULT_flock, 1, 0);
    assign_soundly(w);
    assert_true(fault_end());
    assert_true(bytes_of(path) > 0);
    close_world(w);
}

/* A file that is moved at the moment between opening and locking is not written to; one that is gone is made anew. */
static void a_file_that_is_not_at_its_path_any_more_is_not_written_to(void **state)
{
    (void)state;
    off_t frame = frame_bytes();
    world *w = open_recorded(0);
    assert_int_equal(rename(path, older), 0);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), frame);
    assert_int_equal(bytes_of(older), 0);
    fault_at(FAULT_fstat, 2, 0);
    assign_soundly(w);
    assert_true(fault_end());
    assert_int_equal(bytes_of(path), frame * 2);
    fault_at(FAULT_fstat, 2, 1);
    assign_soundly(w);
    assert_true(fault_end());
    assert_int_equal(bytes_of(path), frame * 2);
    close_world(w);
}

static void what_cannot_be_opened_or_written_is_left_out(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_open, FAULT_write, FAULT_fstat, FAULT_flock};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        world *w = open_recorded(0);
        fault_at(kinds[i], 1, 1);
        assign_soundly(w);
        assert_true(fault_end());
        assert_int_equal(bytes_of(path), 0);
        assign_soundly(w);
        assert_true(bytes_of(path) > 0);
        close_world(w);
    }
}

/* ---- a file at the limit of the process -------------------------------------------------------------------------- */

static volatile sig_atomic_t limit_signals;

static void note_limit(int number)
{
    (void)number;
    limit_signals++;
}

static void limit_files_to(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A part of a frame is taken back; where that fails, the file is moved away, so that the next frame stands in a whole one. */
static void a_frame_is_written_whole_or_not_at_all(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = note_limit}, before;
    off_t frame = frame_bytes();
    sigaction(SIGXFSZ, &action, &before);
    world *w = open_recorded(0);
    assign_soundly(w);
    limit_files_to((rlim_t)frame + 100);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), frame);
    fault_at(FAULT_ftruncate, 1, 0);
    assign_soundly(w);
    assert_true(fault_end());
    assert_int_equal(bytes_of(path), -1);
    assert_int_equal(bytes_of(older), frame + 100);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), frame);
    limit_files_to((rlim_t)frame);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), frame);
    assert_int_equal(limit_signals, 0);
    limit_files_to(RLIM_INFINITY);
    sigaction(SIGXFSZ, &before, NULL);
    close_world(w);
}

/* So many bytes of a record are left, behind which another host has written frames. */
static void crash_and_reopen(off_t left, int frames_behind, off_t expected, off_t expected_older)
{
    world *w = open_recorded(0);
    assign_soundly(w);
    assign_soundly(w);
    assert_int_equal(truncate(path, left), 0);
    for (int i = 0; i < frames_behind; i++) {
        assign_soundly(w);
    }
    close_world(w);
    w = reopen_recorded(0);
    assign_soundly(w);
    assert_int_equal(bytes_of(path), expected);
    assert_int_equal(bytes_of(older), expected_older);
    close_world(w);
}

static void what_a_crash_has_left_of_a_frame_keeps_nobody_from_those_behind(void **state)
{
    (void)state;
    off_t frame = frame_bytes();
    crash_and_reopen(2 * frame, 0, 3 * frame, -1);
    crash_and_reopen(2 * frame - 10, 0, 2 * frame, -1);
    crash_and_reopen(frame + 20, 0, 2 * frame, -1);
    crash_and_reopen(5, 0, frame, -1);
    crash_and_reopen(2 * frame - 10, 2, frame, 4 * frame - 10);
}

/* A host that has blocked the signal finds it pending, as it would after a write of its own. */
static void a_signal_that_the_host_has_blocked_stays_its_own(void **state)
{
    (void)state;
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    world *w = open_recorded(0);
    limit_files_to(0);
    assign_soundly(w);
    limit_files_to(RLIM_INFINITY);
    assert_int_equal(bytes_of(path), 0);
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGXFSZ));
    const struct timespec now = {0};
    assert_int_equal(sigtimedwait(&limit, NULL, &now), SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close_world(w);
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/record", folder);
    snprintf(older, sizeof older, "%s/record.1", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(older);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_follow_each_other_and_say_what_was_asked),
        cmocka_unit_test(a_file_that_is_full_makes_way_and_one_older_is_kept),
        cmocka_unit_test(what_is_no_regular_file_is_refused_when_the_host_opens),
        cmocka_unit_test(a_file_that_holds_something_else_is_not_written_to),
        cmocka_unit_test(an_empty_path_records_nothing_and_the_environment_names_one),
        cmocka_unit_test(one_that_another_locks_and_keeps_is_left_alone),
        cmocka_unit_test(a_file_that_is_not_at_its_path_any_more_is_not_written_to),
        cmocka_unit_test(what_cannot_be_opened_or_written_is_left_out),
        cmocka_unit_test(a_frame_is_written_whole_or_not_at_all),
        cmocka_unit_test(what_a_crash_has_left_of_a_frame_keeps_nobody_from_those_behind),
        cmocka_unit_test(a_signal_that_the_host_has_blocked_stays_its_own),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
