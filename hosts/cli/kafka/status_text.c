/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clean.h"
#include "duration.h"
#include "status.h"

enum { COLUMNS = 8, CELL = 96 };

typedef struct line {
    char cells[COLUMNS][CELL];
} line;

static const line head = {{"INSTANCE", "PROCESS", "HOST", "UP FOR", "ASSIGNOR", "STATE", "ACTIVE", "COPIES READY"}};

static void set_cell(char out[CELL], const char *text)
{
    cli_clean(out, CELL, text[0] == '\0' ? "-" : text);
}

static void set_count(char out[CELL], int64_t count)
{
    if (count >= 0) {
        snprintf(out, CELL, "%" PRId64, count);
    } else {
        memcpy(out, "?", sizeof "?");
    }
}

static void set_copies(char out[CELL], const cli_presence *presence)
{
    if (presence->copies < 0 || presence->copies_ready < 0) {
        memcpy(out, "?", sizeof "?");
        return;
    }
    int used = snprintf(out, CELL, "%" PRId64 "/%" PRId64, presence->copies_ready, presence->copies);
    if (presence->copies_lag > 0 && used > 0) {
        snprintf(out + used, CELL - (size_t)used, ", lag %" PRId64, presence->copies_lag);
    }
}

/* "balanced (configured: sticky)" where a swap is heeded. */
static void set_assignor(char out[CELL], const cli_presence *presence)
{
    char both[2 * CELL];
    int same = strcmp(presence->assignor, presence->configured) == 0;
    snprintf(both, sizeof both, "%.60s (configured: %.60s)", presence->assignor, presence->configured);
    set_cell(out, same ? presence->assignor : both);
}

/* "running", or "running, silent for 1m 30s" where it should have told of itself again by now. */
static void set_state(char out[CELL], const cli_presence *presence, int64_t now)
{
    char both[CELL];
    char span[CLI_DURATION_ROOM];
    int64_t silent_ms = now - presence->at_ms;
    snprintf(both, sizeof both, "%.40s, silent for %s", presence->state,
             cli_duration_write(silent_ms, span, sizeof span));
    set_cell(out, silent_ms < CLI_SILENT_MS ? presence->state : both);
}

/* Of an instance that lives: where only a mark is left there is nothing to show. */
static line make_line(const cli_instance *row, int64_t now)
{
    const cli_presence *presence = &row->presence;
    char span[CLI_DURATION_ROOM];
    line it;
    set_cell(it.cells[0], cli_instance_name(row));
    set_cell(it.cells[1], row->id);
    set_cell(it.cells[2], presence->host);
    cli_duration_write(now - presence->started_ms, span, sizeof span);
    set_cell(it.cells[3], presence->started_ms < 0 ? "?" : span);
    set_assignor(it.cells[4], presence);
    set_state(it.cells[5], presence, now);
    set_count(it.cells[6], presence->active);
    set_copies(it.cells[7], presence);
    return it;
}

static void widen(int width[COLUMNS], const line *it)
{
    for (int i = 0; i < COLUMNS; i++) {
        int size = (int)strlen(it->cells[i]);
        width[i] = size > width[i] ? size : width[i];
    }
}

static void print_line(const int width[COLUMNS], const line *it)
{
    for (int i = 0; i < COLUMNS - 1; i++) {
        printf("%-*s  ", width[i], it->cells[i]);
    }
    printf("%s\n", it->cells[COLUMNS - 1]);
}

static void print_table(const cli_fleet *fleet, int64_t now)
{
    int width[COLUMNS] = {0};
    widen(width, &head);
    for (size_t i = 0; i < fleet->count; i++) {
        if (cli_instance_lives(&fleet->rows[i])) {
            line it = make_line(&fleet->rows[i], now);
            widen(width, &it);
        }
    }
    print_line(width, &head);
    for (size_t i = 0; i < fleet->count; i++) {
        if (cli_instance_lives(&fleet->rows[i])) {
            line it = make_line(&fleet->rows[i], now);
            print_line(width, &it);
        }
    }
}

static void print_leaving(const cli_instance *row, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    char name[CELL];
    char by[CELL];
    const cli_mark *mark = &row->mark;
    const cli_presence *presence = &row->presence;
    int64_t deadline_ms = mark->deadline_ms < 0 && presence->draining ? presence->deadline_ms : mark->deadline_ms;
    set_cell(name, cli_instance_name(row));
    set_cell(by, mark->by);
    cli_duration_write(now - mark->since_ms, span, sizeof span);
    printf("%s is leaving, for %s, marked by %s", name, span, by);
    if (presence->draining && presence->tasks_left >= 0) {
        printf("; %" PRId64 " task%s left", presence->tasks_left, presence->tasks_left == 1 ? "" : "s");
    }
    if (deadline_ms >= 0) {
        printf(deadline_ms > now ? "; deadline in %s" : "; its deadline has passed",
               cli_duration_write(deadline_ms - now, span, sizeof span));
    }
    puts(mark->stay ? "; stays when it is empty" : "");
}

static void print_stale(const cli_instance *row, const char *name, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    int64_t at_ms = row->presence.at_ms;
    printf(at_ms < now ? "%s was last heard of %s ago (process %s)\n"
                       : "%s tells of itself from a time %s ahead, which counts for nothing (process %s)\n",
           name, cli_duration_write(at_ms < now ? now - at_ms : at_ms - now, span, sizeof span), row->id);
}

static void print_rest(const cli_fleet *fleet, int64_t now)
{
    char name[CELL];
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        set_cell(name, cli_instance_name(row));
        if (row->mark.document != NULL && row->presence.document != NULL) {
            print_leaving(row, now);
        } else if (row->mark.document != NULL) {
            printf("%s does not run; a mark is left of it\n", name);
        }
        if (row->stale) {
            print_stale(row, name, now);
        }
    }
}

void cli_status_text(const cli_fleet *fleet, const cli_group_view *group)
{
    int64_t now = cli_now_ms();
    size_t living = 0;
    size_t leaving = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        living += cli_instance_lives(&fleet->rows[i]) ? 1 : 0;
        leaving += cli_instance_lives(&fleet->rows[i]) && fleet->rows[i].mark.document != NULL;
    }
    printf("%s: %zu instance%s, %zu leaving; the group is %s with %zu member%s\n", fleet->application, living,
           living == 1 ? "" : "s", leaving, group->state, group->count, group->count == 1 ? "" : "s");
    if (group->strangers > 0) {
        printf("%zu of the members tell nothing of themselves: without segue, or of a version before marks\n",
               group->strangers);
    }
    if (living > 0) {
        print_table(fleet, now);
        cli_status_leader(fleet, now);
    }
    print_rest(fleet, now);
}
