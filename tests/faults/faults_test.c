/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults_test PLUGIN - our own assignors, asked through the public interface, with memory that runs out at the first, the
 * second, … request of the plugin: the group gets the safe plan, the report says why, and the next call is answered as if
 * nothing had happened. `region` is what a plan takes out of the instance's memory, `arena` what the instance takes.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "segue/host.h"

static const char *plugin;
static void (*famine_of_arena)(uint32_t nth);
static void (*famine_of_region)(uint32_t nth);
static int (*famine_struck)(void);

/* One feature in each that takes other ways through the solver. */
static const char *const groups[] = {
    "{'segue':'group/1','config':{'num.standby.replicas':1,'segue.max.learners':2},"
    " 'subtopologies':[{'id':0,'partitions':6},{'id':1,'partitions':3,'stateful':false}],"
    " 'members':[{'id':'a','threads':2,'active':['0_0','0_1','0_2','0_3','1_0'],'standby':['0_5'],'lag':{'0_5':3}},"
    "  {'id':'b','active':['0_4','0_5','1_1','1_2']},{'id':'c','learner':['0_0'],'lag':{'0_0':50000}},{'id':'d','threads':0}]}",

    "{'segue':'group/1','config':{'rack.aware.assignment.strategy':'min_traffic'},'tasks':["
    "  {'id':'0_0','partitions':[{'topic':'t','partition':0,'racks':['r1','r2']}]},"
    "  {'id':'0_1','partitions':[{'topic':'t','partition':1,'racks':['r2','r3']}]},"
    "  {'id':'1_0','partitions':[{'topic':'u','partition':0,'racks':['r1']}]},"
    "  {'id':'1_1','partitions':[{'topic':'u','partition':1,'racks':['r3']}]}],"
    " 'members':[{'id':'a','rack':'r1','active':['0_0','0_1']},{'id':'b','rack':'r2','active':['1_0']},"
    "  {'id':'c','rack':'r3','active':['1_1']}]}",

    "{'segue':'group/1','config':{'rack.aware.assignment.strategy':'balance_subtopology','segue.spread.subtopologies':true,"
    "  'num.standby.replicas':1},'tasks':["
    "  {'id':'0_0','partitions':[{'topic':'t','partition':0,'racks':['r1','r2']}]},"
    "  {'id':'0_1','partitions':[{'topic':'t','partition':1,'racks':['r2']}]},"
    "  {'id':'1_0','stateful':false},{'id':'1_1','stateful':false}],"
    " 'members':[{'id':'a','rack':'r1','active':['0_0','0_1','1_0']},{'id':'b','rack':'r2','active':['1_1']},{'id':'c'}]}",

    "{'segue':'group/1','config':{'segue.max.learning.bytes':900,'stream.imbalance.percentage':5},'tasks':["
    "  {'id':'0_0','weight':9,'state_bytes':500},{'id':'0_1','weight':4,'state_bytes':300},"
    "  {'id':'0_2','weight':3,'state_bytes':200},{'id':'0_3','weight':1,'state_bytes':100},{'id':'0_4','weight':1}],"
    " 'members':[{'id':'a','active':['0_0','0_1','0_2','0_3']},{'id':'b','active':['0_4']},{'id':'c'},{'id':'d'}]}",

    "{'segue':'group/1','now_ms':5000,'config':{'rack.aware.assignment.tags':['zone','cluster'],'num.standby.replicas':2},"
    " 'subtopologies':[{'id':'words','partitions':5}],'members':["
    "  {'id':'a','tags':{'zone':'x','cluster':'k'},'active':['words_0','words_1'],'leaving':{'since_ms':0}},"
    "  {'id':'b','tags':{'zone':'y','cluster':'k'},'active':['words_2'],'leaving':{'since_ms':0,'deadline_ms':4000}},"
    "  {'id':'c','tags':{'zone':'x','cluster':'l'},'standby':['words_0','words_2']},"
    "  {'id':'d','tags':{'zone':'y','cluster':'l'},'standby':['words_1']},{'id':'e','tags':{'zone':'z'}}]}",
};

enum { GROUPS = sizeof groups / sizeof *groups };

typedef struct scene {
    segue_host *host;
    segue_document *document;
    segue_plan *plan;
    segue_report report;
    char text[512];
    char *wanted; /* the plan without a fault */
} scene;

static char *written(scene *s, const char *assignor)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(segue_document_write_plan(s->document, assignor, s->plan, 0, 0, &text, &size, NULL), SEGUE_OK);
    return text;
}

static void ask(scene *s, const char *assignor)
{
    s->report = (segue_report){.size = sizeof s->report, .text = s->text, .text_size = sizeof s->text};
    assert_int_equal(segue_host_assign(s->host, assignor, segue_document_group(s->document),
                                       segue_document_config(s->document), s->plan, &s->report, NULL),
                     SEGUE_OK);
}

static void open_scene(scene *s, const char *assignor, const char *group)
{
    segue_host_options options = {.size = sizeof options,
                                  .only_path = 1,
                                  .plugin_path = plugin,
                                  .isolation = "none",
                                  .max_faults = SEGUE_NO_LIMIT};
    segue_bound bound = {.size = sizeof bound};
    char text[2048];
    size_t size = strlen(group);
    for (size_t i = 0; i <= size; i++) {
        text[i] = group[i] == '\'' ? '"' : group[i];
    }
    *s = (scene){.host = NULL};
    assert_int_equal(segue_host_open(&options, &s->host, NULL), SEGUE_OK);
    assert_int_equal(segue_document_read(text, size, NULL, &s->document, NULL), SEGUE_OK);
    const segue_group *g = segue_document_group(s->document);
    assert_int_equal(segue_host_bound(g, segue_document_config(s->document), &bound), SEGUE_OK);
    assert_int_equal(segue_plan_new(g->task_count, &bound, 1, &s->plan), SEGUE_OK);
    ask(s, assignor);
    assert_int_equal(s->report.fallback, 0);
    s->wanted = written(s, assignor);
}

static void close_scene(scene *s)
{
    segue_free(s->wanted);
    segue_plan_free(s->plan);
    segue_document_free(s->document);
    segue_host_close(s->host);
}

/* The fallback's plan holds R1-R8, and the report says what was missing. */
static void assert_safe(scene *s, const char *assignor, uint32_t nth)
{
    if (s->report.fallback != 1 || s->report.status != SEGUE_E_MEMORY || strstr(s->text, "memory") == NULL) {
        fail_msg("%s without its memory number %u: fallback %u, status %d: %s", assignor, nth, s->report.fallback,
                 s->report.status, s->text);
    }
    segue_error broken = {.size = sizeof broken};
    int32_t status = segue_plan_check(segue_document_group(s->document), segue_document_config(s->document), s->plan,
                                      SEGUE_TRAIT_LEAVING, &broken);
    assert_true(status == SEGUE_OK || broken.rule == 9);
}

/* Returns how many requests a plan takes. */
static uint32_t starve(const char *assignor, const char *group, void (*famine)(uint32_t))
{
    scene s;
    uint32_t nth = 0;
    int struck = 1;
    open_scene(&s, assignor, group);
    while (struck) {
        famine(++nth);
        ask(&s, assignor);
        struck = famine_struck();
        famine(0);
        if (struck) {
            assert_safe(&s, assignor, nth);
            ask(&s, assignor);
        }
        assert_int_equal(s.report.fallback, 0);
        char *again = written(&s, assignor);
        assert_string_equal(again, s.wanted);
        segue_free(again);
    }
    close_scene(&s);
    return nth - 1;
}

static void each_assignor_survives_a_lack_of_memory_at_any_request(void **state)
{
    static const char *const names[] = {"eager", "sticky", "learner", "scale-down", "balanced", "high-availability"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t g = 0; g < GROUPS; g++) {
            assert_true(starve(names[i], groups[g], famine_of_region) > 10);
        }
    }
}

/* An instance is made anew after a fault, so that the arena, its first piece and its first block are asked for each time. */
static void each_assignor_survives_an_arena_that_gives_nothing(void **state)
{
    static const char *const names[] = {"eager", "sticky", "learner", "scale-down", "balanced", "high-availability"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scene s;
        open_scene(&s, names[i], groups[i % GROUPS]);
        for (uint32_t nth = 1; nth <= 3; nth++) {
            famine_of_region(1);
            ask(&s, names[i]);
            famine_of_region(0);
            assert_int_equal(s.report.fallback, 1);
            famine_of_arena(nth);
            ask(&s, names[i]);
            assert_true(famine_struck());
            famine_of_arena(0);
            assert_safe(&s, names[i], nth);
            ask(&s, names[i]);
            assert_int_equal(s.report.fallback, 0);
        }
        close_scene(&s);
    }
}

static void *function_of(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fail_msg("the plugin has no %s", name);
    }
    return found;
}

/* The host loads the same file, which is mapped once. */
static int load_famine(void **state)
{
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    (void)state;
    assert_non_null(library);
    void *found[] = {function_of(library, "famine_of_arena"), function_of(library, "famine_of_region"),
                     function_of(library, "famine_struck")};
    memcpy(&famine_of_arena, &found[0], sizeof found[0]);
    memcpy(&famine_of_region, &found[1], sizeof found[1]);
    memcpy(&famine_struck, &found[2], sizeof found[2]);
    return 0;
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_assignor_survives_a_lack_of_memory_at_any_request),
        cmocka_unit_test(each_assignor_survives_an_arena_that_gives_nothing),
    };
    plugin = count == 2 ? arguments[1] : "";
    return cmocka_run_group_tests(tests, load_famine, NULL);
}
