/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin's process may say anything: what it says is looked at before it is used. test_plugins/liar.c says it. */
#include <stdio.h>
#include <unistd.h>

#include "testing_world.h"

static char folder[] = "/tmp/segue-liar-XXXXXX";

/* A file with the note of a plugin, of which the liar needs the name alone. */
static const char *plugin_named(const char *lie)
{
    static char path[128];
    char bytes[4096];
    snprintf(path, sizeof path, "%s/%s.so", folder, lie);
    FILE *from = fopen(TEST_PLUGIN("odd"), "rb"), *to = fopen(path, "wb");
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, from)) > 0;) {
        assert_int_equal(fwrite(bytes, 1, got, to), got);
    }
    fclose(from);
    fclose(to);
    return path;
}

static world *open_liar(void)
{
    segue_host_options options = {.size = sizeof options, .only_path = 1, .isolation = "process",
                                  .isolate_program = SEGUE_BUILD_DIR "/test_plugins/liar"};
    return open_world_with(&options, GROUP_WITH("'segue.max.compute.ms': 500"));
}

static void assert_unloaded(const char *lie, int32_t status, const char *why)
{
    fault f;
    world *w = open_liar();
    const char *path = plugin_named(lie);
    assert_int_equal(segue_host_load(w->host, path, fault_of(&f)), status);
    assert_mentions(f.text, why);
    close_world(w);
    unlink(path);
}

static void a_description_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const lies[] = {"no-version", "no-text",   "no-assignor-version", "no-summary",
                                       "no-traits",  "no-end",    "traits-of-words",     "traits-below-zero",
                                       "no-bytes",   "traits-too-large", "too-many-bytes"};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        assert_unloaded(lies[i], SEGUE_E_PLUGIN, ".so: its process describes it by something else");
    }
    assert_unloaded("bad-assignor", SEGUE_E_PLUGIN, "its assignor 0 has no name of up to");
    assert_unloaded("refuses", SEGUE_E_PLUGIN, "not today");
}

/* What may pass is no refusal: the same process is asked again, and says the same. */
static void a_process_that_lacks_something_today_is_asked_again(void **state)
{
    (void)state;
    static const struct {
        const char *lie;
        int32_t status;
        const char *why;
    } cases[] = {{"lacks-memory", SEGUE_E_MEMORY, "not today"},
                 {"other-version", SEGUE_E_SYSTEM, "the program for its process is not that of libsegue"}};
    for (size_t i = 0; i < 2; i++) {
        world *w = open_liar();
        const char *path = plugin_named(cases[i].lie);
        segue_metrics metrics = {.size = sizeof metrics};
        segue_assignor_row row = {.size = sizeof row};
        for (uint64_t times = 1; times <= 3; times++) {
            fault f;
            assert_int_equal(times < 3 ? segue_host_load(w->host, path, fault_of(&f))
                                       : segue_host_assignor(w->host, 0, &row, fault_of(&f)),
                             cases[i].status);
            assert_mentions(f.text, cases[i].why);
            segue_host_metrics(w->host, &metrics, NULL);
            assert_int_equal(metrics.started, times);
        }
        close_world(w);
        unlink(path);
    }
}

/* Whatever it answers, the group has a plan; and the assignor is to blame. */
static void assert_answer(const char *lie, int32_t status, const char *why)
{
    world *w = open_liar();
    const char *path = plugin_named(lie);
    assert_int_equal(segue_host_load(w->host, path, NULL), SEGUE_OK);
    assert_int_equal(assign(w, "liar", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->report.status, status);
    assert_int_equal(w->report.faults, 1);
    assert_mentions(w->text, why);
    assert_int_equal(w->plan->active[0], 0);
    close_world(w);
    unlink(path);
}

static void an_answer_that_is_none_gives_way_to_the_safe_plan(void **state)
{
    (void)state;
    static const char *const lies[] = {"bad-magic", "bad-number", "short", "too-wide"};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        assert_answer(lies[i], SEGUE_E_INTERNAL, "its process said something that is no answer");
    }
    assert_answer("rows", SEGUE_E_PLAN, "");
    assert_answer("exits", SEGUE_E_INTERNAL, "its process ended with exit status 3");
    assert_answer("unknown-signal", SEGUE_E_INTERNAL, "(unknown)");
    assert_answer("hangs-up", SEGUE_E_INTERNAL, "it closed the way to its host");
}

/* Each figure of a plan by itself: most have 32 bits, and a plan in which one is wider is none. */
static void a_figure_that_is_too_wide_is_seen(void **state)
{
    (void)state;
    uint32_t at = 0;
    char lie[32];
#define IS_NARROW_uint32_t 1
#define IS_NARROW_int64_t 0
#define IS_NARROW_double 0
#define IS_OUT_OUT 1
#define IS_OUT_IN 0
#define ASSERT_SEEN(field, type, way)                                                                                 \
    if (IS_NARROW_##type && IS_OUT_##way) {                                                                           \
        snprintf(lie, sizeof lie, "wide-%u", at);                                                                     \
        assert_answer(lie, SEGUE_E_INTERNAL, "its process said something that is no answer");                         \
    }                                                                                                                 \
    at++;
    SEGUE_PLAN_SCALARS(ASSERT_SEEN)
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_that_is_none_is_refused),
        cmocka_unit_test(a_process_that_lacks_something_today_is_asked_again),
        cmocka_unit_test(an_answer_that_is_none_gives_way_to_the_safe_plan),
        cmocka_unit_test(a_figure_that_is_too_wide_is_seen),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
