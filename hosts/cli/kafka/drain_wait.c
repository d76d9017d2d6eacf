/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "drain.h"
#include "duration.h"

enum { LINE_ROOM = 256 };

#define CANCELLED_WITHIN_MS INT64_C(30000)
#define LAG_EVERY_MS INT64_C(10000)
#define GROUP_EVERY_MS INT64_C(5000)

/* The copies of all that stay: where the tasks go. */
typedef struct copies {
    int64_t all, ready, lag;
} copies;

/* What was said last, so that only news is said; and whether the group was seen to have it. */
typedef struct talk {
    int64_t tasks_left, ready, said_ms;
    int unheard, in_group;
} talk;

/* All that are waited for. */
typedef struct waiting {
    cli_session *session;
    cli_watch *watches;
    talk *said;
    size_t count;
    int64_t asked_ms; /* when the group was described last; INT64_MAX when that is not allowed */
} waiting;

static int64_t plus(int64_t sum, int64_t more)
{
    return more > 0 && sum < INT64_MAX / 2 ? sum + more : sum;
}

static copies count_copies(const cli_fleet *fleet)
{
    copies sum = {0};
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (cli_instance_lives(row) && row->mark.document == NULL) {
            sum.all = plus(sum.all, row->presence.copies);
            sum.ready = plus(sum.ready, row->presence.copies_ready);
            sum.lag = plus(sum.lag, row->presence.copies_lag);
        }
    }
    return sum;
}

static void say_progress(const cli_watch *watch, const copies *elsewhere, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    printf("%s: %" PRId64 " task%s left; elsewhere %" PRId64 " of %" PRId64 " copies are ready, %" PRId64
           " records to replay",
           watch->name, watch->tasks_left, watch->tasks_left == 1 ? "" : "s", elsewhere->ready, elsewhere->all,
           elsewhere->lag);
    if (watch->deadline_ms >= 0) {
        printf("; deadline in %s", cli_duration_write(watch->deadline_ms - now, span, sizeof span));
    }
    putchar('\n');
}

static void report(const cli_watch *watch, const copies *elsewhere, talk *said, int64_t now)
{
    if (cli_watch_unheard(watch, now) && !said->unheard) {
        said->unheard = 1;
        cli_complain("warning: %s has not answered to its mark yet: it hangs, or its user may not read %s", watch->name,
                     "the group of its mark");
    }
    int news = watch->tasks_left != said->tasks_left || elsewhere->ready != said->ready;
    if (watch->confirmed && watch->tasks_left > 0 && (news || now - said->said_ms >= LAG_EVERY_MS)) {
        said->tasks_left = watch->tasks_left;
        said->ready = elsewhere->ready;
        said->said_ms = now;
        say_progress(watch, elsewhere, now);
    }
}

static int say_end(const cli_watch *watch)
{
    switch (watch->end) {
    case CLI_END_LEFT:
        printf("%s: drained, and has left the group\n", watch->name);
        return CLI_OK;
    case CLI_END_EMPTY:
        printf("%s: drained, and stays in the group without tasks\n", watch->name);
        return CLI_OK;
    case CLI_END_CANCELLED:
        cli_complain("%s: cancelled: its mark was taken away", watch->name);
        return CLI_CANCELLED;
    case CLI_END_VANISHED:
        cli_complain("%s: gone before it was empty", watch->name);
        return CLI_VANISHED;
    default:
        cli_complain("%s: timed out: the deadline passed before it was empty, and the rest was forced away",
                     watch->name);
        return CLI_TIMED_OUT;
    }
}

/* A time-out counts most, then a crash, then a change of mind. */
static int worse(int left, int right)
{
    static const int order[] = {CLI_CANCELLED, CLI_VANISHED, CLI_TIMED_OUT};
    int worst = CLI_OK;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        worst = left == order[i] || right == order[i] ? order[i] : worst;
    }
    return worst;
}

static void on_member(void *context, const cli_group_member *member)
{
    waiting *all = context;
    for (size_t i = 0; member->client_id != NULL && i < all->count; i++) {
        all->said[i].in_group = all->said[i].in_group || cli_watch_owns(&all->watches[i], member->client_id);
    }
}

/* A help where it is allowed: the group loses an instance that was killed before its presence is old. */
static void ask_group(waiting *all, int64_t now)
{
    const char *state = "";
    if (now < all->asked_ms || now - all->asked_ms < GROUP_EVERY_MS) {
        return;
    }
    for (size_t i = 0; i < all->count; i++) {
        all->said[i].in_group = 0;
    }
    const cli_session *session = all->session;
    int failed = cli_connection_describe(session->connection, session->fleet.application, &state, on_member, all) != 0;
    all->asked_ms = failed ? INT64_MAX : now;
    for (size_t i = 0; !failed && i < all->count; i++) {
        cli_watch_member(&all->watches[i], all->said[i].in_group, now);
    }
}

/* One look at one instance; returns 1 when it has ended now. */
static int step(waiting *all, size_t i, const copies *elsewhere, int seen, int *status)
{
    cli_watch *watch = &all->watches[i];
    int64_t now = cli_now_ms();
    if (seen) {
        cli_watch_look(watch, cli_fleet_find(&all->session->fleet, watch->id), now);
    } else {
        cli_watch_blind(watch, now);
    }
    if (watch->end == CLI_END_NOT_YET) {
        report(watch, elsewhere, &all->said[i], now);
        return 0;
    }
    *status = worse(*status, say_end(watch));
    return 1;
}

static int wait_all(waiting *all)
{
    int status = CLI_OK;
    for (size_t ended = 0;;) {
        int seen = cli_session_look(all->session);
        if (seen) {
            ask_group(all, cli_now_ms());
        }
        copies elsewhere = count_copies(&all->session->fleet);
        for (size_t i = 0; i < all->count; i++) {
            if (all->watches[i].end == CLI_END_NOT_YET) {
                ended += (size_t)step(all, i, &elsewhere, seen, &status);
            }
        }
        if (cli_flush() != CLI_OK) {
            return CLI_INPUT;
        }
        if (ended == all->count) {
            return status;
        }
        cli_pause();
    }
}

int cli_drain_wait(cli_session *session, cli_watch *watches, size_t count)
{
    talk *said = calloc(count, sizeof *said);
    if (said == NULL) {
        cli_complain("no memory");
        return CLI_INPUT;
    }
    waiting all = {.session = session, .watches = watches, .said = said, .count = count};
    int status = wait_all(&all);
    free(said);
    return status;
}

static size_t still_draining(cli_session *session, const cli_watch *watches, size_t count, const char **name)
{
    size_t draining = 0;
    for (size_t i = 0; i < count; i++) {
        const cli_instance *row = cli_fleet_find(&session->fleet, watches[i].id);
        if (row != NULL && cli_instance_lives(row) && row->presence.draining) {
            draining++;
            *name = watches[i].name;
        }
    }
    return draining;
}

int cli_drain_wait_cancelled(cli_session *session, cli_watch *watches, size_t count)
{
    int64_t end_ms = cli_now_ms() + CANCELLED_WITHIN_MS;
    const char *name = "";
    for (;;) {
        if (cli_session_look(session) && still_draining(session, watches, count, &name) == 0) {
            return CLI_OK;
        }
        if (cli_now_ms() >= end_ms) {
            cli_complain("%s: still leaving: it does not see that its mark is gone", name);
            return CLI_TIMED_OUT;
        }
        cli_pause();
    }
}
