/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out at the first, the second, … request of a call. Whatever the call: it answers E_MEMORY, or the plan
 * that holds its group together; nothing stays behind; and it works as soon as there is memory again.
 */
#include <stdio.h>
#include <unistd.h>

#include "test/faults.h"
#include "testing_world.h"

/* Every kind of row and column that a document may have. */
#define FULL_GROUP                                                                                                    \
    "{'segue': 'group/1', 'now_ms': 7, 'config': {'num.standby.replicas': 1, 'segue.max.learners.per.member': 3,"      \
    " 'rack.aware.assignment.strategy': 'min_traffic', 'rack.aware.assignment.tags': ['zone', 'cluster'],"            \
    " 'segue.max.compute.ms': 60000},"                                                                                \
    " 'subtopologies': [{'id': 'words', 'partitions': 70}],"                                                          \
    " 'tasks': [{'id': '1_0', 'weight': 2.5, 'state_bytes': 9, 'partitions': ["                                       \
    "   {'topic': 't', 'partition': 0, 'racks': ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9']}]},"           \
    "  {'id': '1_1', 'stateful': false}],"                                                                            \
    " 'members': [{'id': 'b', 'process': 'p', 'threads': 2, 'rack': 'r1', 'tags': {'zone': 'z'},"                     \
    "   'active': ['1_0', '1_1'], 'lag': {'words_3': 5}, 'leaving': {'since_ms': 1, 'deadline_ms': 99}},"             \
    "  {'id': 'a', 'process': 'q', 'standby': ['1_0'], 'learner': ['words_4'], 'active': ['words_3']}]}"

/* A call and its surroundings. `act` leaves nothing behind but what `close` takes away. */
typedef struct play {
    enum fault_kind kind;
    const char *name;
    void (*open)(world *w);
    int32_t (*act)(world *w, segue_error *error);
    void (*close)(world *w);
} play;

static void assert_starved(const play *p, uint32_t nth, const world *w, int32_t status, const fault *f)
{
    if (status != SEGUE_OK && status != SEGUE_E_MEMORY && status != SEGUE_E_SYSTEM) {
        fail_msg("%s: without its memory number %u it ends with status %d: %s", p->name, nth, status, f->text);
    }
    if (status != SEGUE_OK && (f->text[0] == '\0' || f->error.code != status)) {
        fail_msg("%s: without its memory number %u it gives no reason", p->name, nth);
    }
    /* Of what an instance needs, the host's part and the plugin's are one. */
    if (w->report.faults > 0 && strstr(w->text, "no memory for an instance of steady") == NULL) {
        fail_msg("%s: the assignor is blamed for memory number %u, which is the host's: %s", p->name, nth, w->text);
    }
    if (w->report.fallback && w->report.status != SEGUE_E_MEMORY && w->report.status != SEGUE_E_SYSTEM) {
        fail_msg("%s: without its memory number %u its report has %d: %s", p->name, nth, w->report.status, w->text);
    }
}

/* Returns how many requests there are. */
static uint32_t starve(const play *p)
{
    for (uint32_t nth = 1;; nth++) {
        fault f;
        world w = {.report = {.size = sizeof w.report}};
        int64_t before = memory_held();
        w.report.text = w.text;
        w.report.text_size = sizeof w.text;
        p->open(&w);
        fault_at(p->kind, nth, 0);
        int32_t status = p->act(&w, fault_of(&f));
        int struck = fault_end();
        assert_starved(p, nth, &w, status, &f);
        if (p->act(&w, fault_of(&f)) != SEGUE_OK) {
            fail_msg("%s: after its memory number %u was refused once: %s", p->name, nth, f.text);
        }
        assert_int_equal(w.report.fallback, 0);
        p->close(&w);
        if (memory_held() != before) {
            fail_msg("%s: without its memory number %u, %d blocks are lost", p->name, nth, (int)(memory_held() - before));
        }
        if (!struck) {
            assert_int_equal(status, SEGUE_OK);
            return nth - 1;
        }
    }
}

static void starve_all(const play *plays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(starve(&plays[i]) > 0);
    }
}

#define STARVE_ALL(plays) starve_all(plays, sizeof(plays) / sizeof *(plays))

/* ' becomes ". `text` has room for it. */
static const char *requoted(char *text, const char *quoted)
{
    size_t i = 0;
    for (; quoted[i] != '\0'; i++) {
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    }
    text[i] = '\0';
    return text;
}

static void nothing(world *w)
{
    (void)w;
}

/* ---- documents and messages -------------------------------------------------------------------------------------- */

static void open_document(world *w)
{
    w->document = read_group(FULL_GROUP);
    w->plan = make_plan(w->document);
    assert_int_equal(
        segue_plan_fallback(segue_document_group(w->document), segue_document_config(w->document), w->plan), SEGUE_OK);
}

static void close_document(world *w)
{
    segue_plan_free(w->plan);
    segue_document_free(w->document);
}

static int32_t read_text(const char *quoted, segue_error *error)
{
    char text[sizeof FULL_GROUP];
    segue_document *document = NULL;
    int32_t status = segue_document_read(requoted(text, quoted), strlen(quoted), "g.json", &document, error);
    assert_true((document != NULL) == (status == SEGUE_OK));
    segue_document_free(document);
    return status;
}

static int32_t read_document(world *w, segue_error *error)
{
    (void)w;
    return read_text(FULL_GROUP, error);
}

/* jansson loses its footing when there is no memory for a token of more than 15 bytes (issue 362 there, open): shorter
 * ones show that libsegue knows its lack of memory from a fault of the text. */
static int32_t read_short_words(world *w, segue_error *error)
{
    (void)w;
    return read_text("{'segue': 'group/1', 'now_ms': 12, 'subtopologies': [{'id': 0.0, 'partitions': 2}],"
                     " 'members': [{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'threads': 0}]}",
                     error);
}

static int32_t write_group(world *w, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    int32_t status = segue_document_write_group(segue_document_group(w->document), segue_document_config(w->document), 2,
                                                &text, &size, error);
    assert_true((text != NULL) == (status == SEGUE_OK));
    segue_free(text);
    return status;
}

static int32_t write_plan(world *w, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    int32_t status = segue_document_write_plan(w->document, "steady", w->plan, 5, 0, &text, &size, error);
    assert_true((text != NULL) == (status == SEGUE_OK));
    segue_free(text);
    return status;
}

static int32_t read_plan(world *w, segue_error *error)
{
    static const char text[] = "{\"segue\": \"plan/1\", \"stats\": {\"moves\": 3, \"optimal\": false}, \"followup\": {\"needed\": false},"
                               " \"members\": [{\"id\": \"b\", \"active\": [\"1_0\", \"1_1\"]}, {\"id\": \"a\"}]}";
    return segue_document_read_plan(segue_document_group(w->document), text, sizeof text - 1, "p.json", w->plan, error);
}

static int32_t check_plan(world *w, segue_error *error)
{
    return segue_plan_check(segue_document_group(w->document), segue_document_config(w->document), w->plan,
                            SEGUE_TRAIT_LEAVING, error);
}

static int32_t count_plan(world *w, segue_error *error)
{
    return segue_plan_count(segue_document_group(w->document), w->plan, error);
}

/* It has no error record: what it says by its status is all. */
static int32_t fall_back(world *w, segue_error *error)
{
    int32_t status =
        segue_plan_fallback(segue_document_group(w->document), segue_document_config(w->document), w->plan);
    error->code = status;
    error->text[0] = '-';
    return status;
}

static int32_t read_plan_message(world *w, segue_error *error)
{
    uint64_t message[512];
    size_t size = 0;
    assert_int_equal(segue_wire_encode_plan(w->plan, message, sizeof message, &size, NULL), SEGUE_OK);
    return segue_wire_read_plan(segue_document_group(w->document), message, size, w->plan, error);
}

static void documents_and_plans_need_their_memory_and_say_so(void **state)
{
    (void)state;
    static const play plays[] = {
        {FAULT_MEMORY, "reading a group", nothing, read_document, nothing},
        {FAULT_MEMORY, "writing a group", open_document, write_group, close_document},
        {FAULT_MEMORY, "writing a plan", open_document, write_plan, close_document},
        {FAULT_MEMORY, "reading a plan", open_document, read_plan, close_document},
        {FAULT_MEMORY, "checking a plan", open_document, check_plan, close_document},
        {FAULT_MEMORY, "counting a plan", open_document, count_plan, close_document},
        {FAULT_MEMORY, "reading a plan's message", open_document, read_plan_message, close_document},
        {FAULT_JSON, "reading short words", nothing, read_short_words, nothing},
        {FAULT_JSON, "writing a group's numbers", open_document, write_group, close_document},
        {FAULT_JSON, "writing a plan's numbers", open_document, write_plan, close_document},
        {FAULT_MEMORY, "the fallback", open_document, fall_back, close_document},
    };
    STARVE_ALL(plays);
}

/* ---- a host ------------------------------------------------------------------------------------------------------ */

/* A folder with links to two plugins, and one that is not there. */
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
    snprintf(search_path, sizeof search_path, "%s/sound.so:/nowhere::%s", folder, folder);
    snprintf(record_path, sizeof record_path, "%s/record", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    in_folder("sound.so", NULL);
    in_folder("libsecond.so", NULL);
    in_folder("record", NULL);
    return rmdir(folder);
}

int main(void)
{
    plain_signals();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_and_plans_need_their_memory_and_say_so),
        cmocka_unit_test(hosts_open_load_and_list_again_once_there_is_memory),
        cmocka_unit_test(a_group_keeps_its_plan_whatever_memory_is_missing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
