/* SPDX-License-Identifier: Apache-2.0 */
/* C32-C39: what is left of the process. */
#include <stdio.h>
#include <unistd.h>

#include "each.h"
#include "state.h"

enum { WARM_UPS = 40, BATCHES = 4, ROUNDS = 60, MAPPINGS_A_ROUND = 4 };

/* ---- C32, C33: growth --------------------------------------------------------------------------------------------- */

typedef struct usage {
    uint64_t heap, touched, mapped;
    uint32_t mappings;
} usage;

static usage usage_now(void)
{
    return (usage){state_heap(), state_touched(), state_mapped(), state_mappings()};
}

static void live_often(answer *it, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        each_life(it);
    }
}

/* What a cache keeps is had at the first; what leaks is more in each of some batches. */
static void check_growth(answer *it, int of_mappings)
{
    usage before, first;
    probe *p = it->probe;
    const char *name = it->name;
    int heap = 1, touched = 1, mapped = 1, mappings = 1;
    probe_doing(p, "creating, asking and destroying %s again and again", name);
    live_often(it, WARM_UPS);
    first = before = usage_now();
    for (int i = 0; i < BATCHES; i++) {
        live_often(it, ROUNDS);
        usage after = usage_now();
        heap &= after.heap > before.heap && after.heap != UINT64_MAX;
        touched &= after.touched > before.touched;
        mapped &= after.mapped > before.mapped;
        mappings &= after.mappings > before.mappings;
        before = after;
    }
    unsigned rounds = BATCHES * ROUNDS;
    if (of_mappings) {
        probe_hold(p, !mappings, "%s leaves %u mappings behind after %u instances", name, before.mappings - first.mappings,
                   rounds);
        probe_hold(p, mappings || !mapped || heap, "%s leaves %llu bytes mapped after %u instances", name,
                   (unsigned long long)(before.mapped - first.mapped), rounds);
        return;
    }
    probe_hold(p, !heap, "%s leaves %llu bytes of the heap behind after %u instances", name,
               (unsigned long long)(before.heap - first.heap), rounds);
    probe_hold(p, heap || !touched, "%s leaves %llu bytes of memory behind after %u instances", name,
               (unsigned long long)(before.touched - first.touched), rounds);
}

static void check_all_growth(probe *p, int of_mappings)
{
    asking a;
    const subject *s = probe_subject(p);
    if (s == NULL || !asking_open(&a, p, s)) {
        return;
    }
    made_group *made = each_rich(p);
    asking_put(&a, made, 0);
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        answer it = {.probe = p, .subject = s, .asking = &a, .made = made, .name = s->assignors[i].name};
        check_growth(&it, of_mappings);
    }
    made_free(made);
    asking_close(&a);
}

void rule_C32(probe *p)
{
    check_all_growth(p, 0);
}

void rule_C33(probe *p)
{
    check_all_growth(p, 1);
}

/* ---- C34-C39: the same before and after -------------------------------------------------------------------------- */

/* Loads the plugin and lets every assignor do all that it is for. 0: not run. */
static int use(probe *p)
{
    asking a;
    const subject *s = probe_subject(p);
    if (s == NULL || !asking_open(&a, p, s)) {
        return 0;
    }
    made_group *made = each_rich(p);
    asking_put(&a, made, 0);
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        answer it = {.probe = p, .subject = s, .asking = &a, .made = made, .name = s->assignors[i].name};
        probe_doing(p, "creating, asking, failing and destroying %s", it.name);
        each_life(&it);
    }
    made_free(made);
    asking_close(&a);
    return 1;
}

void rule_C34(probe *p)
{
    state_files before, after;
    char text[CHECK_TEXT_MOST];
    state_read_files(&before);
    if (use(p)) {
        state_read_files(&after);
        int differ = state_files_differ(&before, &after, text, sizeof text);
        probe_hold(p, !differ, "%s", text);
    }
}

void rule_C35(probe *p)
{
    uint32_t before = state_threads();
    subject *s = probe_subject(p);
    if (s == NULL) {
        return;
    }
    probe_hold(p, state_threads() == before, "loading starts %u threads", state_threads() - before);
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        segue_instance *instance = NULL;
        slot_create(s, s->assignors[i].name, &instance, probe_error(p));
        uint32_t now = state_threads();
        probe_hold(p, now == before, "creating %s starts %u threads", s->assignors[i].name, now - before);
        slot_destroy(s, instance);
    }
    use(p);
    uint32_t after = state_threads();
    probe_hold(p, after == before, "there are %u threads after use and %u before", after, before);
}

void rule_C36(probe *p)
{
    state_signals before, after;
    char text[CHECK_TEXT_MOST];
    state_handle_signals();
    state_read_signals(&before);
    if (use(p)) {
        state_read_signals(&after);
        int differ = state_signals_differ(&before, &after, text, sizeof text);
        probe_hold(p, !differ, "changes %s", text);
    }
}

void rule_C37(probe *p)
{
    uint64_t before = state_environment();
    if (use(p)) {
        probe_hold(p, state_environment() == before, "changes the environment");
    }
}

void rule_C38(probe *p)
{
    state_settings before, after;
    char text[CHECK_TEXT_MOST];
    state_read_settings(&before);
    if (use(p)) {
        state_read_settings(&after);
        int differ = state_settings_differ(&before, &after, text, sizeof text);
        probe_hold(p, !differ, "changes %s", text);
    }
}

/* Both lead into one file of the child's own. */
void rule_C39(probe *p)
{
    char said[80] = "";
    if (use(p)) {
        fflush(NULL);
        off_t bytes = lseek(STDOUT_FILENO, 0, SEEK_END);
        ssize_t got = pread(STDOUT_FILENO, said, sizeof said - 1, 0);
        said[got < 0 ? 0 : got] = '\0';
        probe_hold(p, bytes <= 0, "writes %lld bytes: %s", (long long)bytes, said);
    }
}
