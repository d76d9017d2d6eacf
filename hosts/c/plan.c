/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "segue/host.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int32_t segue_host_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    if (group == NULL || group->size < sizeof *group || config == NULL || config->size < sizeof *config ||
        bound == NULL || bound->size < SEGUE_BOUND_FLOOR) {
        return SEGUE_E_ARGUMENT;
    }
    uint64_t others = group->process_count > 0 ? group->process_count - 1 : 0;
    uint64_t standbys = group->task_count * least(config->num_standby_replicas, others);
    uint64_t decisions = (uint64_t)group->task_count * 2 + standbys + group->copy_count;
    if (standbys >= UINT32_MAX || decisions >= UINT32_MAX) {
        return SEGUE_E_SPACE;
    }
    bound->standby_rows = (uint32_t)standbys;
    bound->decision_rows = (uint32_t)decisions;
    return SEGUE_OK;
}

/* Columns start at multiples of 64, so that wide loads in a plugin never split a cache line. */
#define COLUMN_ALIGNMENT 64u

static size_t rounded(size_t bytes)
{
    return (bytes + COLUMN_ALIGNMENT - 1) / COLUMN_ALIGNMENT * COLUMN_ALIGNMENT;
}

int32_t segue_plan_new(uint32_t task_count, const segue_bound *bound, uint32_t with_decisions, segue_plan **plan)
{
    if (plan == NULL) {
        return SEGUE_E_ARGUMENT;
    }
    *plan = NULL;
    if (bound == NULL || bound->size < SEGUE_BOUND_FLOOR || task_count > SEGUE_MAX_TASKS) {
        return SEGUE_E_ARGUMENT;
    }
    uint32_t standby_capacity = bound->standby_rows;
    uint32_t decision_capacity = with_decisions ? bound->decision_rows : 0;
    size_t bytes = rounded(sizeof(segue_plan));
#define COUNT_COLUMN(id, field, type, used, capacity) bytes += rounded(((size_t)capacity) * sizeof(type));
    SEGUE_PLAN_COLUMNS(COUNT_COLUMN)
#undef COUNT_COLUMN
    segue_plan *made = aligned_alloc(COLUMN_ALIGNMENT, bytes);
    if (made == NULL) {
        return SEGUE_E_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->size = sizeof *made;
    made->standby_capacity = standby_capacity;
    made->decision_capacity = decision_capacity;
    char *next = (char *)made + rounded(sizeof *made);
#define PLACE_COLUMN(id, field, type, used, capacity)                                                                 \
    made->field = (type *)(void *)next;                                                                               \
    next += rounded(((size_t)capacity) * sizeof(type));
    SEGUE_PLAN_COLUMNS(PLACE_COLUMN)
#undef PLACE_COLUMN
    *plan = made;
    return SEGUE_OK;
}

void segue_plan_free(segue_plan *plan)
{
    free(plan);
}

void segue_free(void *memory)
{
    free(memory);
}

int32_t sgi_plan_ready(const segue_plan *plan, uint32_t task_count, const segue_bound *bound)
{
    if (plan == NULL || plan->size < sizeof *plan) {
        return SEGUE_E_ARGUMENT;
    }
    int lacks_task_column =
        plan->standby_start == NULL || (task_count > 0 && (plan->active == NULL || plan->learner == NULL));
    int lacks_standby_column = plan->standby_capacity > 0 && plan->standby_member == NULL;
    int lacks_decision_column =
        plan->decision_capacity > 0 &&
        (plan->decision_task == NULL || plan->decision_kind == NULL || plan->decision_reason == NULL ||
         plan->decision_from == NULL || plan->decision_to == NULL || plan->decision_number == NULL);
    if (lacks_task_column || lacks_standby_column || lacks_decision_column) {
        return SEGUE_E_ARGUMENT;
    }
    int short_of_decisions = plan->decision_capacity > 0 && plan->decision_capacity < bound->decision_rows;
    return plan->standby_capacity < bound->standby_rows || short_of_decisions ? SEGUE_E_SPACE : SEGUE_OK;
}

void sgi_plan_clear(segue_plan *plan)
{
    plan->task_count = plan->standby_count = plan->decision_count = 0;
    plan->followup_needed = 0;
    plan->followup_reason = SEGUE_FOLLOWUP_NONE;
    plan->followup_at_ms = SEGUE_TIME_NONE;
    plan->moves = plan->min_moves = plan->learners = 0;
    plan->optimal = 0;
    plan->spread = plan->imbalance = plan->min_imbalance = 0;
    plan->traffic = plan->min_traffic = 0;
    plan->extra_moves = plan->held_back = 0;
}
