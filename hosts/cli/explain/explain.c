/* SPDX-License-Identifier: Apache-2.0 */
/* segue explain: why a plan is as it is, task by task, and what could be done about what is missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "grounds.h"
#include "group.h"
#include "report.h"

/* Names in a message: each of up to 80 bytes (group.h), ", " between them, and how many more there are. */
enum { MOST_LISTED = 8, LIST_ROOM = MOST_LISTED * 82 + 32 };

typedef struct explain_options {
    const char *assignor, *plugin, *task, *member, *file;
    uint32_t file_count;
    int json;
} explain_options;

#define AT(field) offsetof(explain_options, field)

static const cli_option options[] = {
    {"--assignor", "NAME", "who decides (default: learner)", CLI_TEXT, AT(assignor), 0, 0},
    {"--task", "ID", "about this task, and why every other member is not the one", CLI_TEXT, AT(task), 0, 0},
    {"--member", "ID", "about this member", CLI_TEXT, AT(member), 0, 0},
    {"--json", NULL, "print one JSON document", CLI_FLAG, AT(json), 0, 0},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

const char *report_fate(const grounds *it, uint32_t task)
{
    uint32_t from = it->owner_before[task];
    int is_forced = 0;
    for (uint32_t row = report_first_decision(it, task);
         row < it->plan->decision_count && it->plan->decision_task[row] == task; row++) {
        is_forced |= it->plan->decision_kind[row] == SEGUE_KIND_FORCE;
    }
    return from == it->plan->active[task] ? "stays"
           : from == SEGUE_NONE           ? "is placed"
           : is_forced                    ? "is forced away"
                                          : "is handed over";
}

uint32_t report_first_decision(const grounds *it, uint32_t task)
{
    uint32_t from = 0;
    uint32_t to = it->plan->decision_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (it->plan->decision_task[middle] < task) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static int has_decisions(const grounds *it, uint32_t task)
{
    uint32_t row = report_first_decision(it, task);
    return row < it->plan->decision_count && it->plan->decision_task[row] == task;
}

int report_changes(const grounds *it, uint32_t task)
{
    return has_decisions(it, task) || it->plan->active[task] != it->owner_before[task] ||
           it->plan->learner[task] != SEGUE_NONE;
}

int report_is_about(const grounds *it, uint32_t task, uint32_t member)
{
    int is_about = member == SEGUE_NONE || it->owner_before[task] == member || it->plan->active[task] == member ||
                   it->plan->learner[task] == member;
    if (!has_decisions(it, task)) {
        return report_changes(it, task) && is_about;
    }
    is_about = member == SEGUE_NONE;
    for (uint32_t row = report_first_decision(it, task);
         row < it->plan->decision_count && it->plan->decision_task[row] == task; row++) {
        is_about |= it->plan->decision_from[row] == member || it->plan->decision_to[row] == member;
    }
    return is_about;
}

/* The row with that name, or SEGUE_NONE. */
static uint32_t find(const segue_group *group, const uint32_t *names, uint32_t count, const char *name)
{
    sgi_text wanted = {name, strlen(name)};
    for (uint32_t row = 0; row < count; row++) {
        if (sgi_compare_texts(sgi_string(group, names[row]), wanted) == 0) {
            return row;
        }
    }
    return SEGUE_NONE;
}

/* "0_0, 0_1 and 98 more": as many names as are read at a glance. */
static void list_names(const segue_group *group, const uint32_t *names, uint32_t count, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t row = 0; row < count && row < MOST_LISTED && used < size; row++) {
        used += (size_t)snprintf(list + used, size - used, "%s%.*s", row > 0 ? ", " : "",
                                 SGI_SHOW(sgi_string(group, names[row])));
    }
    if (count > MOST_LISTED && used < size) {
        snprintf(list + used, size - used, " and %u more", count - MOST_LISTED);
    }
}

/* The row of what an option asks about; *status says whether there is one. */
static uint32_t find_asked(const segue_group *group, const uint32_t *names, uint32_t count, const char *kind,
                           const char *name, int *status)
{
    uint32_t row = name == NULL ? SEGUE_NONE : find(group, names, count, name);
    if (name != NULL && row == SEGUE_NONE && *status == CLI_OK) {
        char list[LIST_ROOM];
        list_names(group, names, count, list, sizeof list);
        cli_complain("explain: --%s: the group has no %s \"%s\"%s%s", kind, kind, name, count > 0 ? "; there are " : "",
                     list);
        *status = CLI_INPUT;
    }
    return row;
}

static int find_subject(const explain_options *wanted, const segue_group *group, report_subject *subject)
{
    int status = CLI_OK;
    subject->task = find_asked(group, group->task_name, group->task_count, "task", wanted->task, &status);
    subject->member = find_asked(group, group->member_name, group->member_count, "member", wanted->member, &status);
    return status;
}

static uint32_t traits_of(segue_host *host, const char *assignor)
{
    segue_assignor_row row = {.size = sizeof row};
    return cli_find_assignor(host, assignor, &row) ? row.traits : 0;
}

static int print(const explain_options *wanted, segue_host *host, const segue_document *document, const segue_plan *plan,
                 uint64_t elapsed_ns)
{
    const segue_group *group = segue_document_group(document);
    report_subject subject;
    grounds it = {0};
    int status = find_subject(wanted, group, &subject);
    int is_open = status == CLI_OK && grounds_open(&it, wanted->assignor, traits_of(host, wanted->assignor), group,
                                                   segue_document_config(document), plan) == 0;
    int failed = status == CLI_OK && !is_open;
    it.elapsed_ns = elapsed_ns;
    if (is_open && wanted->json) {
        failed = report_print_json(&it, &subject) != 0;
    } else if (is_open) {
        report_print_text(&it, &subject, isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL);
    }
    if (failed) {
        cli_complain("explain: no memory is left");
    }
    grounds_close(&it);
    return failed ? CLI_INPUT : status;
}

static int32_t decide(const explain_options *wanted, segue_host *host, const segue_document *document, segue_plan **plan,
                      uint64_t *elapsed_ns, segue_error *error)
{
    char why[CLI_ERROR_TEXT] = "";
    segue_bound bound = {.size = sizeof bound};
    segue_report report = {.size = sizeof report, .text = why, .text_size = sizeof why};
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    int32_t status = segue_host_bound(group, config, &bound);
    status = status == SEGUE_OK ? segue_plan_new(group->task_count, &bound, 1, plan) : status;
    error->code = status;
    status = status == SEGUE_OK ? segue_host_assign(host, wanted->assignor, group, config, *plan, &report, error) : status;
    *elapsed_ns = report.elapsed_ns;
    if (status == SEGUE_OK && report.fallback) {
        cli_complain("warning: the fallback answered instead of %s: %s", wanted->assignor, why);
    }
    return status;
}

static int explain(const explain_options *wanted, segue_host *host, const char *text, size_t size)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    segue_document *document = NULL;
    segue_plan *plan = NULL;
    uint64_t elapsed_ns = 0;
    int32_t status = segue_document_read(text, size, cli_source(wanted->file), &document, &error);
    status = status == SEGUE_OK ? decide(wanted, host, document, &plan, &elapsed_ns, &error) : status;
    int exit_status = status == SEGUE_OK ? print(wanted, host, document, plan, elapsed_ns) : cli_fault(&error);
    segue_plan_free(plan);
    segue_document_free(document);
    return exit_status;
}

int cli_explain(const cli_command *command, int count, char *const *arguments)
{
    explain_options wanted = {.assignor = "learner"};
    segue_host *host = NULL;
    char *text = NULL;
    size_t size = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, &wanted.file, 1, &wanted.file_count);
    if (status != CLI_GO_ON) {
        return status;
    }
    if (wanted.task != NULL && wanted.member != NULL) {
        cli_complain("explain: --task and --member are given; one of them is needed");
        return CLI_USAGE;
    }
    status = cli_read_file(wanted.file, &text, &size);
    status = status == CLI_OK ? cli_open_host(wanted.plugin, &host) : status;
    status = status == CLI_OK ? explain(&wanted, host, text, size) : status;
    segue_host_close(host);
    free(text);
    return status;
}
