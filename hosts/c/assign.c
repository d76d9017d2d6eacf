/* SPDX-License-Identifier: Apache-2.0 */
/* assign.c - one plan: asked of the plugin, judged, and replaced by the fallback's when it does not hold. */
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "error.h"
#include "host.h"
#include "isolated.h"
#include "known.h"
#include "plan.h"
#include "watched.h"

/* One question to an assignor, and how it went. */
typedef struct asked {
    sgi_assignor *assignor;
    sgi_callback *callback; /* NULL: a plugin has it */
    const segue_group *group;
    const segue_config *config;
    segue_plan *plan;
    sgi_end end;
    uint64_t elapsed_ns;
    sgi_condition condition;
    segue_error fault;
    char text[512];
} asked;

static void clear_fault(asked *a)
{
    a->text[0] = '\0';
    a->fault = (segue_error){.size = sizeof a->fault, .row = SEGUE_NONE, .text = a->text, .text_size = sizeof a->text};
}

static int32_t find(segue_host *host, const char *name, asked *a, segue_error *error)
{
    a->callback = sgi_callbacks_take(&host->registry.callbacks, name);
    if (a->callback != NULL) {
        a->assignor = &a->callback->assignor;
        return SEGUE_OK;
    }
    return sgi_registry_find(&host->registry, name, &a->assignor, error);
}

/* The plugin writes into a copy, so that only what it may set comes back: columns and capacities stay the caller's. */
static sgi_end ask_here(asked *a)
{
    sgi_lease *lease;
    sgi_pool *pool = &a->assignor->pool;
    int32_t status = sgi_pool_take(pool, &lease, &a->fault);
    if (status < 0) {
        a->fault.code = status;
        return SGI_FAULT;
    }
    sgi_plan_clear(a->plan);
    segue_plan answer;
    memcpy(&answer, a->plan, sizeof answer);
    answer.size = sizeof answer;
    uint64_t start = sgi_now_ns();
    pid_t own = getpid();
    status = pool->slots->assign(lease->instance, a->group, a->config, &answer, &a->fault);
    sgi_end_copy(own, a->assignor->info.name);
    a->elapsed_ns = sgi_now_ns() - start;
    sgi_pool_give(pool, lease, status >= 0);
    sgi_plan_take_scalars(a->plan, &answer);
    a->fault.code = status;
    return status < 0 ? SGI_FAULT : SGI_ANSWERED;
}

/* On the caller's thread, whatever the isolation: what it is called with is the host's own, and cannot be given up. */
static sgi_end call_back(asked *a)
{
    sgi_plan_clear(a->plan);
    segue_plan answer;
    memcpy(&answer, a->plan, sizeof answer);
    answer.size = sizeof answer;
    uint64_t start = sgi_now_ns();
    pid_t own = getpid();
    int32_t status = a->callback->given.assign(a->callback->given.context, a->group, a->config, &answer, &a->fault);
    sgi_end_copy(own, a->assignor->info.name);
    a->elapsed_ns = sgi_now_ns() - start;
    sgi_plan_take_scalars(a->plan, &answer);
    a->fault.code = status;
    return status < 0 ? SGI_FAULT : SGI_ANSWERED;
}

static sgi_end ask(asked *a, const sgi_isolation *isolation)
{
    const char *name = a->assignor->info.name;
    uint64_t limit_ns = sgi_limit_ns(a->config, 0);
    if (sgi_health_is_aside(&a->assignor->health, name, a->assignor->plugin->path, &a->fault)) {
        return SGI_PASSED_OVER;
    }
    if (a->callback != NULL) {
        return call_back(a);
    }
    if (a->assignor->plugin->isolates != NULL) {
        return sgi_isolated_assign(a->assignor, a->group, a->config, a->plan, &a->elapsed_ns, &a->fault);
    }
    if (isolation->kind == SGI_ISOLATION_THREAD && limit_ns > 0) {
        return sgi_watched_assign(a->assignor, a->group, a->config, a->plan, isolation->tally, limit_ns,
                                  &a->elapsed_ns, &a->fault);
    }
    return ask_here(a);
}

/* A fault that says nothing, and one that does not say whose it is. */
static void explain(asked *a)
{
    const char *name = a->assignor->info.name;
    a->text[sizeof a->text - 1] = '\0';
    if (a->end == SGI_FAULT && a->text[0] == '\0') {
        sgi_fault(&a->fault, a->fault.code, a->fault.rule, a->fault.row, "%s failed with status %d and gave no reason",
                  name, a->fault.code);
    }
    if (a->end == SGI_LATE || a->end == SGI_DIED || a->end == SGI_UNSTARTED) {
        char said[sizeof a->text];
        memcpy(said, a->text, sizeof said);
        sgi_fault(&a->fault, a->fault.code, a->fault.rule, a->fault.row, "%s of %s: %s", name,
                  a->assignor->plugin->path, said);
    }
}

/* Asks, judges, and keeps the books. */
static void ask_and_judge(asked *a, const sgi_isolation *isolation)
{
    clear_fault(a);
    a->end = ask(a, isolation);
    if (a->end == SGI_ANSWERED) {
        clear_fault(a);
        a->fault.code = segue_plan_check(a->group, a->config, a->plan, a->assignor->info.traits, &a->fault);
        /* Without memory to judge it nobody knows whether it holds, and the assignor has done nothing wrong. */
        a->end = a->fault.code == SEGUE_OK         ? SGI_ANSWERED
                 : a->fault.code == SEGUE_E_MEMORY ? SGI_UNSTARTED
                                                   : SGI_BAD_PLAN;
    }
    explain(a);
    atomic_fetch_add(&isolation->tally->ends[a->end], 1);
    int is_its_fault = a->end == SGI_FAULT || a->end == SGI_BAD_PLAN || a->end == SGI_LATE || a->end == SGI_DIED;
    /* A thread that does not come back takes a processor with it: one is enough. */
    int at_once = a->end == SGI_LATE && a->assignor->plugin->isolates == NULL;
    a->condition = is_its_fault ? sgi_health_fault(&a->assignor->health, &a->fault, isolation->max_faults, at_once)
                                : sgi_health_read(&a->assignor->health);
}

static void write_report(segue_report *report, const asked *a)
{
    if (report == NULL) {
        return;
    }
    segue_error text = {.size = sizeof text};
    if (SEGUE_HAS(segue_report, text, report->size)) {
        text.text = report->text;
        text.text_size = report->text_size;
    }
    sgi_fail(&text, a->fault.code, "%s", a->text);
    segue_report known = {.size = sizeof known,
                          .fallback = a->end != SGI_ANSWERED,
                          .status = a->fault.code,
                          .rule = a->fault.rule,
                          .row = a->fault.row,
                          .text_size = text.text_size,
                          .text = text.text,
                          .elapsed_ns = a->elapsed_ns,
                          .plugin = a->assignor->plugin->path,
                          .faults = a->condition.faults,
                          .aside = a->condition.aside};
    sgi_fill(report, report->size, &known, sizeof known);
}

int32_t sgi_assign_checked(segue_host *host, const char *assignor, const segue_group *group,
                           const segue_config *config, segue_plan *plan, segue_report *report, segue_error *error)
{
    asked a = {.group = group, .config = config, .plan = plan};
    int32_t status = find(host, assignor, &a, error);
    if (status != SEGUE_OK) {
        return status;
    }
    ask_and_judge(&a, &host->isolation);
    write_report(report, &a);
    if (a.callback != NULL) {
        sgi_callbacks_give(&host->registry.callbacks, a.callback);
    }
    status = a.end == SGI_ANSWERED ? SEGUE_OK : segue_plan_fallback(group, config, plan);
    if (status != SEGUE_OK) {
        return sgi_fail(error, status, "%s gave no valid plan, and the fallback none either: %s", assignor, a.text);
    }
    segue_report known = {.size = sizeof known,
                          .fallback = a.end != SGI_ANSWERED,
                          .status = a.fault.code,
                          .rule = a.fault.rule,
                          .elapsed_ns = a.elapsed_ns};
    sgi_record_plan(&host->record, assignor, group, config, plan, &known);
    return SEGUE_OK;
}

int32_t sgi_plan_for(const segue_group *group, const segue_config *config, uint32_t with_decisions, segue_plan **plan,
                     segue_error *error)
{
    segue_bound bound = {sizeof bound, 0, 0, 0};
    int32_t status = segue_host_bound(group, config, &bound);
    if (status == SEGUE_OK) {
        status = segue_plan_new(group->task_count, &bound, with_decisions, plan);
    }
    return status == SEGUE_OK ? status
                              : sgi_fail(error, status, "no memory holds a plan of %u tasks with %u standbys each",
                                         group->task_count, config->num_standby_replicas);
}

static int32_t assign_known(segue_host *host, const char *assignor, const segue_group *group,
                            const segue_config *config, segue_plan *plan, segue_report *report, segue_error *error)
{
    int32_t status = sgi_config_check(config, error);
    if (status == SEGUE_OK) {
        status = segue_group_check(group, error);
    }
    segue_bound bound = {sizeof bound, 0, 0, 0};
    if (status == SEGUE_OK && (status = segue_host_bound(group, config, &bound)) != SEGUE_OK) {
        return sgi_fail(error, status, "a plan of %u tasks with %u standbys each has too many rows", group->task_count,
                        config->num_standby_replicas);
    }
    if (status == SEGUE_OK && (status = sgi_plan_ready(plan, group->task_count, &bound)) != SEGUE_OK) {
        return sgi_fail(error, status, "the plan lacks a column, or room for %u standby rows and %u decisions",
                        bound.standby_rows, bound.decision_rows);
    }
    return status == SEGUE_OK ? sgi_assign_checked(host, assignor, group, config, plan, report, error) : status;
}

int32_t segue_host_assign(segue_host *host, const char *assignor, const segue_group *group, const segue_config *config,
                          segue_plan *plan, segue_report *report, segue_error *error)
{
    if (host == NULL || assignor == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "a plan needs a host and the name of an assignor");
    }
    segue_group group_room;
    segue_config config_room;
    segue_plan plan_room, *known = sgi_known_plan(plan, &plan_room);
    int32_t status = assign_known(host, assignor, sgi_known_group(group, &group_room),
                                  sgi_known_config(config, &config_room), known, report, error);
    sgi_known_return(plan, known);
    return status;
}
