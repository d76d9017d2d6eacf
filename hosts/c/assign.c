/* SPDX-License-Identifier: Apache-2.0 */
/* assign.c - one plan: asked of the plugin, judged, and replaced by the fallback's when it does not hold. */
#include <string.h>
#include <time.h>

#include "config.h"
#include "error.h"
#include "host.h"
#include "plan.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The plugin writes into a copy, so that only what it may set comes back: columns and capacities stay the caller's. */
static int32_t ask(sgi_assignor *assignor, const segue_group *g, const segue_config *c, segue_plan *plan,
                   uint64_t *elapsed_ns, segue_error *error)
{
    sgi_lease *lease;
    int32_t status = sgi_pool_take(&assignor->pool, &lease, error);
    if (status < 0) {
        return status;
    }
    sgi_plan_clear(plan);
    segue_plan answer;
    memcpy(&answer, plan, sizeof answer);
    answer.size = sizeof answer;
    uint64_t start = now_ns();
    status = assignor->pool.slots->assign(lease->instance, g, c, &answer, error);
    *elapsed_ns = now_ns() - start;
    if (status < 0 && error->text[0] == '\0') {
        sgi_fail(error, status, "%s failed with status %d and gave no reason", assignor->info.name, status);
    }
    sgi_pool_give(&assignor->pool, lease, status >= 0);
#define TAKE_IN(field)
#define TAKE_OUT(field) plan->field = answer.field;
#define TAKE(field, type, way) TAKE_##way(field)
    SEGUE_PLAN_SCALARS(TAKE)
#undef TAKE
    return status < 0 ? status : SEGUE_OK;
}

static void write_report(segue_report *report, int fallback, const segue_error *fault, uint64_t elapsed_ns)
{
    if (report == NULL) {
        return;
    }
    segue_error text = {.size = sizeof text};
    if (SEGUE_HAS(segue_report, text, report->size)) {
        text.text = report->text;
        text.text_size = report->text_size;
    }
    sgi_fail(&text, fault->code, "%s", fault->text);
    segue_report known = {sizeof known,      (uint32_t)fallback, fault->code, fault->rule, fault->row,
                          text.text_size, text.text,          elapsed_ns};
    sgi_fill(report, report->size, &known, sizeof known);
}

int32_t sgi_assign_checked(segue_host *host, const char *assignor, const segue_group *group,
                           const segue_config *config, segue_plan *plan, segue_report *report, segue_error *error)
{
    sgi_assignor *found;
    int32_t status = sgi_registry_find(&host->registry, assignor, &found, error);
    if (status != SEGUE_OK) {
        return status;
    }
    char text[512] = "";
    segue_error fault = {.size = sizeof fault, .row = SEGUE_NONE, .text = text, .text_size = sizeof text};
    uint64_t elapsed_ns = 0;
    status = ask(found, group, config, plan, &elapsed_ns, &fault);
    if (status == SEGUE_OK) {
        fault = (segue_error){.size = sizeof fault, .row = SEGUE_NONE, .text = text, .text_size = sizeof text};
        text[0] = '\0';
        status = segue_plan_check(group, config, plan, found->info.traits, &fault);
    }
    fault.code = status;
    int is_sound = status == SEGUE_OK;
    text[sizeof text - 1] = '\0';
    write_report(report, !is_sound, &fault, elapsed_ns);
    status = is_sound ? SEGUE_OK : segue_plan_fallback(group, config, plan);
    if (status != SEGUE_OK) {
        return sgi_fail(error, status, "%s gave no valid plan, and the fallback none either: %s", assignor, text);
    }
    segue_report known = {.size = sizeof known, .fallback = !is_sound, .status = fault.code, .rule = fault.rule,
                          .elapsed_ns = elapsed_ns};
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

int32_t segue_host_assign(segue_host *host, const char *assignor, const segue_group *group, const segue_config *config,
                          segue_plan *plan, segue_report *report, segue_error *error)
{
    if (host == NULL || assignor == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "a plan needs a host and the name of an assignor");
    }
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
