/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clean.h"
#include "duration.h"
#include "error.h"
#include "names.h"
#include "status.h"

enum { SENTENCE = 512 };

/* ", 8 tasks": nothing where the number is not said. */
static void print_count(const char *before, int64_t count, const char *one)
{
    if (count >= 0) {
        printf("%s%" PRId64 " %s%s", before, count, one, count == 1 ? "" : "s");
    }
}

static void print_last(const cli_instance *leader, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    char text[SENTENCE];
    const cli_led *led = &leader->presence.led;
    printf("%s led the last rebalance", cli_clean(text, CLI_NAME_ROOM, cli_instance_name(leader)));
    printf(", %s ago", cli_duration_write(now - led->at_ms, span, sizeof span));
    printf(", by %s", cli_clean(text, CLI_NAME_ROOM, led->assignor[0] == '\0' ? "?" : led->assignor));
    if (led->plugin[0] != '\0') {
        printf(" of %s", cli_clean(text, CLI_NAME_ROOM, led->plugin));
        printf(" %s", cli_clean(text, CLI_NAME_ROOM, led->plugin_version));
    }
    print_count(": ", led->tasks, "task");
    print_count(" on ", led->members, "member");
    print_count(", ", led->moves, "move");
    if (led->min_moves >= 0) {
        printf(" (%" PRId64 " needed to balance)", led->min_moves);
    }
    print_count(", ", led->learners, "learner");
    putchar('\n');
    if (led->fault[0] != '\0') {
        printf("the fallback answered in its place: %s\n", cli_clean(text, sizeof text, led->fault));
    }
}

static void print_followup(const cli_led *led, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    char why[CLI_NAME_ROOM];
    int needed = led->followup[0] != '\0';
    cli_clean(why, sizeof why, led->followup);
    if (led->followup_ms >= 0) {
        int late = led->followup_ms < now;
        cli_duration_write(late ? now - led->followup_ms : led->followup_ms - now, span, sizeof span);
        printf("the next follow-up %s%s%s%s%s\n", late ? "was due " : "is due in ", span, late ? " ago" : "",
               needed ? ": " : "", why);
    } else if (needed) {
        printf("a follow-up comes when a member asks for it: %s\n", why);
    } else {
        printf("no follow-up is due\n");
    }
}

static void print_wish(const cli_fleet *fleet, const cli_instance *leader, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    char name[CLI_NAME_ROOM];
    char by[CLI_NAME_ROOM];
    const cli_wish *wish = &fleet->wish;
    int used = leader != NULL && strcmp(leader->presence.led.assignor, wish->name) == 0;
    printf("%s is asked for, for %s, by %s%s\n", cli_clean(name, sizeof name, wish->name),
           cli_duration_write(now - wish->since_ms, span, sizeof span),
           cli_clean(by, sizeof by, wish->by[0] == '\0' ? "?" : wish->by),
           leader == NULL || used ? "" : "; the last rebalance did not use it");
}

static void print_list(const char *before, cli_names *list)
{
    if (list->count > 0) {
        cli_names_end(list);
        sgi_clean_line(list->text);
        printf("%s%s\n", before, list->text);
    }
}

static void print_refusers(const cli_fleet *fleet)
{
    cli_names list = {0};
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (cli_instance_lives(row) && strcmp(row->presence.swap_refused, fleet->wish.name) == 0) {
            cli_names_add(&list, "%s keeps %s", cli_instance_name(row), row->presence.configured);
        }
    }
    print_list("not all have it: ", &list);
}

/* Whoever leads decides by what is configured there, so that a change of leaders would change the assignor. */
static void print_unlike(const cli_fleet *fleet, const cli_instance *first)
{
    cli_names list = {0};
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (!cli_instance_lives(row)) {
            continue;
        }
        if (first == NULL) {
            first = row;
        }
        if (list.count == 0) {
            cli_names_add(&list, "%s %s", cli_instance_name(first), first->presence.configured);
        }
        if (strcmp(row->presence.configured, first->presence.configured) != 0) {
            cli_names_add(&list, "%s %s", cli_instance_name(row), row->presence.configured);
        }
    }
    if (list.count > 1) {
        print_list("not all are configured alike: ", &list);
    }
}

void cli_status_leader(const cli_fleet *fleet, int64_t now)
{
    const cli_instance *leader = cli_fleet_leader(fleet);
    if (leader == NULL) {
        printf("nobody says that it led the last rebalance\n");
    } else {
        print_last(leader, now);
        print_followup(&leader->presence.led, now);
    }
    if (fleet->wish.document != NULL) {
        print_wish(fleet, leader, now);
        print_refusers(fleet);
    }
    print_unlike(fleet, leader);
}
