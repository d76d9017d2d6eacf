/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "hint.h"
#include "report.h"

enum { NAME_ROOM = 96, TEXT_ROOM = 512, ALTERNATIVES_SHOWN = 12 };

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* Colour, or nothing at all. */
typedef struct pen {
    const char *bold, *dim, *plain;
} pen;

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void print_head(const grounds *it, const pen *ink)
{
    const segue_plan *plan = it->plan;
    printf("%s%s%s: %u task%s, %u member%s; moves now: %u, at least in all: %u; learned: %u\n", ink->bold, it->assignor,
           ink->plain, it->group->task_count, plural(it->group->task_count), it->group->member_count,
           plural(it->group->member_count), plan->moves, plan->min_moves, plan->learners);
    if (plan->followup_needed && plan->followup_at_ms != SEGUE_TIME_NONE) {
        printf("another rebalance follows at %" PRId64 " ms at the latest, as the leader's clock has it (%s)\n",
               plan->followup_at_ms, segue_followup_word(plan->followup_reason));
    } else if (plan->followup_needed) {
        printf("another rebalance follows when a learner says that it is ready (%s)\n",
               segue_followup_word(plan->followup_reason));
    } else {
        printf("no other rebalance is needed\n");
    }
}

static void print_hints(const grounds *it, const pen *ink)
{
    hint hints[HINT_CODES + 1];
    uint32_t count = hints_find(it, hints);
    for (uint32_t i = 0; i < count; i++) {
        char text[TEXT_ROOM];
        hint_text(&hints[i], text, sizeof text);
        printf("%s!%s %s %s(%s)%s\n", ink->bold, ink->plain, text, ink->dim, hint_word(hints[i].code), ink->plain);
    }
}

static void print_fate(const grounds *it, uint32_t task, const pen *ink)
{
    char name[NAME_ROOM], owner[NAME_ROOM], before[NAME_ROOM];
    uint32_t from = it->owner_before[task];
    uint32_t to = it->plan->active[task];
    uint32_t learner = it->plan->learner[task];
    printf("%s%s%s %s", ink->bold, grounds_task(it, task, name, sizeof name), ink->plain, report_fate(it, task));
    if (from == to || from == SEGUE_NONE) {
        printf(" on %s", grounds_member(it, to, owner, sizeof owner));
    } else {
        printf(", from %s to %s", grounds_member(it, from, before, sizeof before),
               grounds_member(it, to, owner, sizeof owner));
    }
    if (learner != SEGUE_NONE) {
        printf(", %s learns it", grounds_member(it, learner, owner, sizeof owner));
    }
    printf("\n");
}

static void print_decision(const grounds *it, uint32_t row, const pen *ink)
{
    char text[TEXT_ROOM];
    segue_decision_text(it->group, it->plan, row, text, sizeof text);
    sgi_clean_line(text);
    printf("    %s: %s %s(%s)%s\n", segue_kind_word(it->plan->decision_kind[row]), text, ink->dim,
           segue_reason_word(it->plan->decision_reason[row]), ink->plain);
}

static void print_decisions(const grounds *it, uint32_t task, const pen *ink)
{
    for (uint32_t row = report_first_decision(it, task);
         row < it->plan->decision_count && it->plan->decision_task[row] == task; row++) {
        print_decision(it, row, ink);
    }
}

static void print_cost(const alternative *why)
{
    if (why->records > 0) {
        printf("; %" PRId64 " records to replay", why->records);
    } else if (why->bytes > 0) {
        printf("; %" PRId64 " bytes to replay", why->bytes);
    }
}

static void print_alternative(const grounds *it, uint32_t task, uint32_t member, const pen *ink)
{
    char name[NAME_ROOM], text[TEXT_ROOM];
    alternative why = grounds_against(it, task, member);
    alternative_text(it, task, member, &why, text, sizeof text);
    printf("    not %s: %s", grounds_member(it, member, name, sizeof name), text);
    print_cost(&why);
    printf(" %s(%s)%s\n", ink->dim, alternative_word(why.code), ink->plain);
}

static void print_alternatives(const grounds *it, uint32_t task, const pen *ink)
{
    uint32_t shown = 0;
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        if (member == grounds_target(it, task) || member == it->plan->active[task]) {
            continue;
        }
        if (shown < ALTERNATIVES_SHOWN) {
            print_alternative(it, task, member, ink);
        }
        shown++;
    }
    if (shown > ALTERNATIVES_SHOWN) {
        printf("    and %u others (--json has all)\n", shown - ALTERNATIVES_SHOWN);
    }
}

static void print_task(const grounds *it, uint32_t task, const pen *ink)
{
    print_fate(it, task, ink);
    print_decisions(it, task, ink);
    print_alternatives(it, task, ink);
}

static void print_member(const grounds *it, uint32_t member, const pen *ink)
{
    char name[NAME_ROOM];
    printf("%s%s%s%s: owns %u task%s with state and %u without when what is learned now is handed over", ink->bold,
           grounds_member(it, member, name, sizeof name), ink->plain,
           grounds_stays(it, member) ? "" : ", which is leaving", it->loads[1][member], plural(it->loads[1][member]),
           it->loads[0][member]);
    if (grounds_has_quotas(it)) {
        printf("; its quotas are %u and %u", grounds_quota(it, member, 1), grounds_quota(it, member, 0));
    }
    printf("\n");
    for (uint32_t row = 0; row < it->plan->decision_count; row++) {
        if (it->plan->decision_from[row] == member || it->plan->decision_to[row] == member) {
            char task[NAME_ROOM];
            printf("  %s\n", grounds_task(it, it->plan->decision_task[row], task, sizeof task));
            print_decision(it, row, ink);
        }
    }
    for (uint32_t task = 0; it->plan->decision_count == 0 && task < it->group->task_count; task++) {
        if (report_is_about(it, task, member)) {
            printf("  ");
            print_fate(it, task, ink);
        }
    }
}

static void print_changes(const grounds *it, const pen *ink)
{
    uint32_t quiet = 0;
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        if (report_changes(it, task)) {
            print_fate(it, task, ink);
            print_decisions(it, task, ink);
        } else {
            quiet++;
        }
    }
    printf(quiet == 1 ? "%u task stays as it is\n" : "%u tasks stay as they are\n", quiet);
}

void report_print_text(const grounds *it, const report_subject *subject, int with_colour)
{
    pen ink = with_colour ? (pen){BOLD, DIM, PLAIN} : (pen){"", "", ""};
    print_head(it, &ink);
    print_hints(it, &ink);
    printf("\n");
    if (subject->task != SEGUE_NONE) {
        print_task(it, subject->task, &ink);
    } else if (subject->member != SEGUE_NONE) {
        print_member(it, subject->member, &ink);
    } else {
        print_changes(it, &ink);
    }
}
