/* SPDX-License-Identifier: Apache-2.0 */
/* testing_world.h - a host with a test plugin, a group, and room for its plan. */
#ifndef SEGUE_HOSTS_C_TESTING_WORLD_H
#define SEGUE_HOSTS_C_TESTING_WORLD_H

#include "testing.h"

/* The group that test_plugin.c's damage is made for. a and b work, c is leaving, d has no threads; 0_0 is owned, 0_1 an
 * orphan with a caught-up copy on b, 1_0 stateless. */
#define GROUP_WITH(config)                                                                                            \
    "{'segue': 'group/1', 'config': {" config "}," FLEET
#define FLEET                                                                                                         \
    " 'subtopologies': [{'id': 0, 'partitions': 2}, {'id': 1, 'partitions': 1, 'stateful': false}],"                  \
    " 'members': [{'id': 'a', 'active': ['0_0', '1_0']}, {'id': 'b', 'lag': {'0_1': 7}},"                             \
    "             {'id': 'c', 'leaving': {'since_ms': 0}}, {'id': 'd', 'threads': 0}]}"
#define GROUP GROUP_WITH("'max.warmup.replicas': 1")

typedef struct world {
    segue_host *host;
    segue_document *document;
    segue_plan *plan;
    segue_report report;
    char text[256];
} world;

static inline world *open_world_with(const segue_host_options *options, const char *group)
{
    world *w = calloc(1, sizeof *w);
    assert_int_equal(segue_host_open(options, &w->host, NULL), SEGUE_OK);
    w->document = read_group(group);
    w->plan = make_plan(w->document);
    w->report = (segue_report){.size = sizeof w->report, .text = w->text, .text_size = sizeof w->text};
    return w;
}

static inline world *open_world(const char *group)
{
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = TEST_PLUGIN("sound")};
    return open_world_with(&options, group);
}

static inline void close_world(world *w)
{
    segue_plan_free(w->plan);
    segue_document_free(w->document);
    segue_host_close(w->host);
    free(w);
}

static inline int32_t assign(world *w, const char *assignor, segue_error *error)
{
    return segue_host_assign(w->host, assignor, segue_document_group(w->document), segue_document_config(w->document),
                             w->plan, &w->report, error);
}

static inline segue_metrics metrics_of(world *w)
{
    segue_metrics metrics = {.size = sizeof metrics};
    assert_int_equal(segue_host_metrics(w->host, &metrics, NULL), SEGUE_OK);
    return metrics;
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* What a plugin's process dies of is its own affair there, and takes no second of a sanitizer's report. */
static inline void plain_signals(void)
{
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_sigbus=0:handle_abort=0:detect_leaks=0", 1);
}

#endif
