/* SPDX-License-Identifier: Apache-2.0 */
/* A host when memory runs out at any request: opened, loaded, listed, and asked in every way. */
#include <stdio.h>
#include <unistd.h>

#include "test/plays.h"

/* A folder with links to two plugins and one to a program that is not there, and a folder that is not there. */
static char folder[] = "/tmp/segue-memory-XXXXXX", search_path[128], record_path[64];

static segue_host_options options_of(const char *isolation)
{
    return (segue_host_options){
        .size = sizeof(segue_host_options), .only_path = 1, .plugin_path = search_path, .isolation = isolation};
}

static int32_t open_and_close(world *w, segue_error *error)
{
    segue_host_options options = options_of("process");
    options.only_path = 0;
    options.record_path = record_path;
    int32_t status = segue_host_open(&options, &w->host, error);
    segue_host_close(w->host);
    w->host = NULL;
    return status;
}

static void open_host_of(world *w, const char *isolation, const char *group)
{
    segue_host_options options = options_of(isolation);
    options.record_path = record_path;
    assert_int_equal(segue_host_open(&options, &w->host, NULL), SEGUE_OK);
    w->document = read_group(group);
    w->plan = make_plan(w->document);
}

static void open_plain(world *w)
{
    open_host_of(w, "none", GROUP);
}

static void open_watched(world *w)
{
    open_host_of(w, "thread", GROUP_WITH("'segue.max.compute.ms': 60000"));
}

static void open_isolated(world *w)
{
    open_host_of(w, "process", GROUP);
}

static void close_host(world *w)
{
    segue_host_close(w->host);
    close_document(w);
}

static int32_t load_path(world *w, segue_error *error)
{
    return segue_host_load(w->host, TEST_PLUGIN("sound"), error);
}

static int32_t load_name(world *w, segue_error *error)
{
    return segue_host_load(w->host, "second", error);
}

static int32_t list_plugins(world *w, segue_error *error)
{
    segue_plugin_row row = {.size = sizeof row};
    return segue_host_plugin(w->host, 1, &row, error);
}

static int32_t list_assignors(world *w, segue_error *error)
{
    segue_assignor_row row = {.size = sizeof row};
    return segue_host_assignor(w->host, 1, &row, error);
}

static int32_t assign_steady(world *w, segue_error *error)
{
    int32_t status = assign(w, "steady", error);
    if (status == SEGUE_OK) {
        assert_int_equal(w->plan->task_count, 3);
        assert_int_equal(w->plan->active[0], 0);
        assert_int_equal(w->plan->active[1], 1);
    }
    return status;
}

static int32_t assign_document(world *w, segue_error *error)
{
    char text[sizeof GROUP];
    requoted(text, GROUP);
    char *plan = NULL;
    size_t size = 0;
    int32_t status =
        segue_host_assign_json(w->host, "steady", text, sizeof text - 1, NULL, &plan, &size, &w->report, error);
    assert_true((plan != NULL) == (status == SEGUE_OK));
    segue_free(plan);
    return status;
}

static int32_t assign_message(world *w, segue_error *error)
{
    uint64_t group[512], plan[512];
    size_t group_size = 0, plan_size = 0;
    segue_wire_encode_group(segue_document_group(w->document), segue_document_config(w->document), group, sizeof group,
                            &group_size, NULL);
    return segue_host_assign_wire(w->host, "steady", 1, group, group_size, plan, sizeof plan, &plan_size, &w->report,
                                  error);
}

static int32_t answer(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    (void)context;
    (void)error;
    return segue_plan_fallback(group, config, plan);
}

static int32_t register_one(world *w, segue_error *error)
{
    segue_callback callback = {.size = sizeof callback, .name = "ours", .version = "7", .assign = answer};
    return segue_host_register(w->host, &callback, error);
}

static void hosts_open_load_and_list_again_once_there_is_memory(void **state)
{
    (void)state;
    static const play plays[] = {
        {FAULT_MEMORY, "opening a host", nothing, open_and_close, nothing},
        {FAULT_MEMORY, "loading a path", open_plain, load_path, close_host},
        {FAULT_MEMORY, "loading a name", open_plain, load_name, close_host},
        {FAULT_MEMORY, "listing plugins", open_plain, list_plugins, close_host},
        {FAULT_MEMORY, "listing assignors", open_plain, list_assignors, close_host},
        {FAULT_MEMORY, "registering", open_plain, register_one, close_host},
        {FAULT_MEMORY, "loading a path into a process", open_isolated, load_path, close_host},
    };
    STARVE_ALL(plays);
}

static void a_group_keeps_its_plan_whatever_memory_is_missing(void **state)
{
    (void)state;
    static const play plays[] = {
        {FAULT_MEMORY, "assigning here", open_plain, assign_steady, close_host},
        {FAULT_MEMORY, "assigning a document", open_plain, assign_document, close_host},
        {FAULT_MEMORY, "assigning a message", open_plain, assign_message, close_host},
        {FAULT_MEMORY, "assigning on a thread", open_watched, assign_steady, close_host},
        {FAULT_MEMORY, "assigning in a process", open_isolated, assign_steady, close_host},
    };
    STARVE_ALL(plays);
}

static void in_folder(const char *name, const char *target)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (target != NULL) {
        assert_int_equal(symlink(target, path), 0);
    } else {
        unlink(path);
    }
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    in_folder("sound.so", TEST_PLUGIN("sound"));
    in_folder("libsecond.so", TEST_PLUGIN("second"));
    in_folder("lost.assignor", "nowhere");
    snprintf(search_path, sizeof search_path, "%s/sound.so:/nowhere::%s", folder, folder);
    snprintf(record_path, sizeof record_path, "%s/record", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    in_folder("sound.so", NULL);
    in_folder("libsecond.so", NULL);
    in_folder("lost.assignor", NULL);
    in_folder("record", NULL);
    return rmdir(folder);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_open_load_and_list_again_once_there_is_memory),
        cmocka_unit_test(a_group_keeps_its_plan_whatever_memory_is_missing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
