/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "known.h"
#include "plan.h"
#include "plan_shape.h"
#include "record.h"

/* An instance that the plugin has made, and the assignor that it is one of. */
typedef struct named {
    const void *instance;
    char *assignor;
    struct named *next;
} named;

static struct {
    sgi_record record;
    pthread_mutex_t lock;
    named *instances;
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

int32_t sgx_recorder_open(const char *path, segue_error *error)
{
    return path == NULL || *path == '\0' ? SEGUE_OK : sgi_record_open(&recorder.record, path, 0, error);
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

static const void *argument(const sgx_call *call, uint32_t index)
{
    return *(const void *const *)call->values[index];
}

static int is_call_of(const sgx_call *call, const char *slot, uint32_t arguments)
{
    return recorder.record.path != NULL && call->arguments >= arguments && strcmp(call->slot->name, slot) == 0;
}

static void remember(const void *instance, const char *assignor)
{
    named *made = malloc(sizeof *made);
    char *copy = strdup(assignor);
    if (made == NULL || copy == NULL) {
        free(made);
        free(copy);
        return;
    }
    pthread_mutex_lock(&recorder.lock);
    *made = (named){instance, copy, recorder.instances};
    recorder.instances = made;
    pthread_mutex_unlock(&recorder.lock);
}

static void forget(const void *instance)
{
    named *found = NULL;
    pthread_mutex_lock(&recorder.lock);
    for (named **at = &recorder.instances; found == NULL && *at != NULL;) {
        if ((*at)->instance == instance) {
            found = *at;
            *at = found->next;
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&recorder.lock);
    if (found != NULL) {
        free(found->assignor);
        free(found);
    }
}

/* Lives until the instance is destroyed, which its user does not do amid a call. */
static const char *name_of(const void *instance)
{
    const char *name = NULL;
    pthread_mutex_lock(&recorder.lock);
    for (const named *at = recorder.instances; name == NULL && at != NULL; at = at->next) {
        name = at->instance == instance ? at->assignor : NULL;
    }
    pthread_mutex_unlock(&recorder.lock);
    return name;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* A failed call leaves no plan: the one that libsegue answers with then. */
static void write_fallback(const char *assignor, const segue_group *group, const segue_config *config,
                           segue_report *report)
{
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    report->fallback = 1;
    if (segue_host_bound(group, config, &bound) == SEGUE_OK &&
        segue_plan_new(group->task_count, &bound, 0, &plan) == SEGUE_OK &&
        segue_plan_fallback(group, config, plan) == SEGUE_OK) {
        sgi_record_plan(&recorder.record, assignor, group, config, plan, report);
    }
    segue_plan_free(plan);
}

/* Is there a plan that can be read? */
static int32_t judge_shape(const segue_group *group, const segue_config *config, const segue_plan *plan, uint32_t *rule)
{
    segue_error shape = {.size = sizeof shape};
    segue_bound bound = {.size = sizeof bound};
    int32_t status = plan == NULL ? SEGUE_E_ARGUMENT : segue_host_bound(group, config, &bound);
    status = status == SEGUE_OK ? sgi_plan_ready(plan, group->task_count, &bound) : status;
    status = status == SEGUE_OK ? sgi_plan_shape(group, plan, &shape) : status;
    *rule = shape.rule;
    return status;
}

/* What is no group, as a prober likes to send, is not recorded. */
static void write_plan(const char *assignor, const sgx_call *call, uint64_t elapsed_ns)
{
    segue_group group_room;
    segue_config config_room;
    segue_plan plan_room;
    const segue_group *group = sgi_known_group(argument(call, 1), &group_room);
    const segue_config *config = sgi_known_config(argument(call, 2), &config_room);
    const segue_plan *plan = sgi_known_plan(argument(call, 3), &plan_room);
    if (group == NULL || config == NULL || segue_group_check(group, NULL) != SEGUE_OK ||
        sgi_config_check(config, NULL) != SEGUE_OK) {
        return;
    }
    segue_report report = {.size = sizeof report, .status = (int32_t)call->result, .elapsed_ns = elapsed_ns};
    if (report.status >= 0) {
        report.status = judge_shape(group, config, plan, &report.rule);
    }
    if (report.status >= 0) {
        sgi_record_plan(&recorder.record, assignor, group, config, plan, &report);
    } else {
        write_fallback(assignor, group, config, &report);
    }
}

/* Before the plugin has freed it: behind that another thread may be given the same address. */
void sgx_recorder_before(const sgx_call *call)
{
    if (is_call_of(call, "destroy", 1)) {
        forget(argument(call, 0));
    }
}

void sgx_recorder_after(const sgx_call *call, uint64_t elapsed_ns)
{
    if (is_call_of(call, "create", 2) && call->result >= 0 && argument(call, 0) != NULL && argument(call, 1) != NULL) {
        remember(*(const void *const *)argument(call, 1), argument(call, 0));
    } else if (is_call_of(call, "assign", 4)) {
        const char *assignor = name_of(argument(call, 0));
        if (assignor != NULL) {
            write_plan(assignor, call, elapsed_ns);
        }
    }
}
