/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <string.h>

/* An instance looks for its mark every second, and one that has to close needs its time. */
#define HEARD_WITHIN_MS INT64_C(10000)
#define CLOSED_WITHIN_MS INT64_C(60000)
#define ORPHAN_FOR_MS INT64_C(5000)
#define OUTSIDE_FOR_MS INT64_C(10000)

cli_watch cli_watch_begin(const cli_instance *instance, int64_t deadline_ms, int64_t now_ms)
{
    cli_watch watch = {.begun_ms = now_ms, .deadline_ms = deadline_ms, .tasks_left = CLI_UNKNOWN};
    memcpy(watch.id, instance->id, sizeof watch.id);
    cli_clean(watch.name, sizeof watch.name, cli_instance_name(instance));
    return watch;
}

static int is_over(const cli_watch *watch, int64_t now_ms)
{
    return watch->deadline_ms >= 0 && now_ms >= watch->deadline_ms;
}

/* One that is gone and did not clean up behind itself: what counts is whether it was empty. */
static cli_end gone(const cli_watch *watch)
{
    return watch->tasks_left == 0 ? CLI_END_LEFT : CLI_END_VANISHED;
}

/* A mark without its instance: the instance takes its mark away before it goes, so something else ended it. */
static cli_end look_at_orphan(cli_watch *watch, int marked, int64_t now_ms)
{
    if (!marked) {
        return CLI_END_LEFT;
    }
    watch->orphan_ms = watch->orphan_ms == 0 ? now_ms : watch->orphan_ms;
    return now_ms - watch->orphan_ms >= ORPHAN_FOR_MS ? gone(watch) : CLI_END_NOT_YET;
}

static void learn(cli_watch *watch, const cli_instance *instance, int64_t now_ms)
{
    const cli_presence *presence = &instance->presence;
    if (instance->mark.document != NULL) {
        watch->deadline_ms = instance->mark.deadline_ms;
    }
    if (presence->draining) {
        watch->confirmed = 1;
        watch->tasks_left = presence->tasks_left;
        watch->deadline_ms = watch->deadline_ms < 0 ? presence->deadline_ms : watch->deadline_ms;
    }
    /* A mark with a later deadline makes it punctual again. */
    watch->late = is_over(watch, now_ms) && (watch->late || watch->tasks_left != 0);
}

static cli_end look_at_living(const cli_watch *watch, const cli_instance *instance, int64_t now_ms)
{
    const cli_presence *presence = &instance->presence;
    if (strcmp(presence->state, "empty") == 0) {
        return CLI_END_EMPTY;
    }
    if (instance->stale || watch->lost) {
        return gone(watch);
    }
    if (instance->mark.document == NULL && !presence->draining && strcmp(presence->state, "running") == 0) {
        return is_over(watch, now_ms) ? CLI_END_TIMED_OUT : CLI_END_CANCELLED;
    }
    return CLI_END_NOT_YET;
}

void cli_watch_look(cli_watch *watch, const cli_instance *instance, int64_t now_ms)
{
    int present = instance != NULL && instance->presence.document != NULL;
    int marked = instance != NULL && instance->mark.document != NULL;
    if (present) {
        watch->orphan_ms = 0;
        learn(watch, instance, now_ms);
    }
    cli_end end = present ? look_at_living(watch, instance, now_ms) : look_at_orphan(watch, marked, now_ms);
    int drained = end == CLI_END_LEFT || end == CLI_END_EMPTY;
    watch->end = drained && watch->late ? CLI_END_TIMED_OUT : end;
    cli_watch_blind(watch, now_ms);
}

void cli_watch_blind(cli_watch *watch, int64_t now_ms)
{
    if (watch->end == CLI_END_NOT_YET && watch->deadline_ms >= 0 && now_ms - watch->deadline_ms >= CLOSED_WITHIN_MS) {
        watch->end = CLI_END_TIMED_OUT;
    }
}

void cli_watch_member(cli_watch *watch, int in_group, int64_t now_ms)
{
    watch->joined = watch->joined || in_group;
    int outside = watch->joined && !in_group;
    watch->outside_ms = !outside ? 0 : watch->outside_ms == 0 ? now_ms : watch->outside_ms;
    /* One that was drained leaves the group first, and takes its entries away only then. */
    watch->lost = outside && now_ms - watch->outside_ms >= OUTSIDE_FOR_MS;
}

int cli_watch_owns(const cli_watch *watch, const char *client_id)
{
    static const char behind[] = "-StreamThread-";
    size_t length = strlen(watch->name);
    return strncmp(client_id, watch->name, length) == 0 &&
           (client_id[length] == '\0' || strncmp(client_id + length, behind, sizeof behind - 1) == 0);
}

int cli_watch_unheard(const cli_watch *watch, int64_t now_ms)
{
    return !watch->confirmed && now_ms - watch->begun_ms >= HEARD_WITHIN_MS;
}
