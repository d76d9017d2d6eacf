/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "segue/host.h"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int32_t segue_host_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    segue_group group_room;
    segue_config config_room;
    group = sgi_known_group(group, &group_room);
    config = sgi_known_config(config, &config_room);
    if (group == NULL || config == NULL || bound == NULL || bound->size < SEGUE_BOUND_FLOOR) {
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

#define COLUMN_ALIGNMENT 64u

size_t sgi_plan_rounded(size_t bytes)
{
    return (bytes + COLUMN_ALIGNMENT - 1) / COLUMN_ALIGNMENT * COLUMN_ALIGNMENT;
}

size_t sgi_plan_bytes(uint32_t task_count, uint32_t standby_capacity, uint32_t decision_capacity)
{
    size_t bytes = 0;
#define COUNT_COLUMN(id, field, type, used, capacity) bytes += sgi_plan_rounded(((size_t)capacity) * sizeof(type));
    SEGUE_PLAN_COLUMNS(COUNT_COLUMN)
#undef COUNT_COLUMN
    return bytes;
}

void sgi_plan_place(segue_plan *plan, uint32_t task_count, void *memory)
{
    uint32_t standby_capacity = plan->standby_capacity;
    uint32_t decision_capacity = plan->decision_capacity;
    char *next = memory;
#define PLACE_COLUMN(id, field, type, used, capacity)                                                                 \
    plan->field = (type *)(void *)next;                                                                               \
    next += sgi_plan_rounded(((size_t)capacity) * sizeof(type));
    SEGUE_PLAN_COLUMNS(PLACE_COLUMN)
#undef PLACE_COLUMN
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
    size_t head = sgi_plan_rounded(sizeof(segue_plan));
    segue_plan *made =
        aligned_alloc(COLUMN_ALIGNMENT, head + sgi_plan_bytes(task_count, standby_capacity, decision_capacity));
    if (made == NULL) {
        return SEGUE_E_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->size = sizeof *made;
    made->standby_capacity = standby_capacity;
    made->decision_capacity = decision_capacity;
    sgi_plan_place(made, task_count, (char *)made + head);
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

void sgi_plan_take_scalars(segue_plan *plan, const segue_plan *answer)
{
#define TAKE_IN(field)
#define TAKE_OUT(field) plan->field = answer->field;
#define TAKE(field, type, way) TAKE_##way(field)
    SEGUE_PLAN_SCALARS(TAKE)
#undef TAKE
#undef TAKE_OUT
#undef TAKE_IN
}

/* The rows to take of those that are stated, of which there can be so many. */
static uint32_t rows_of(uint32_t *stated, uint32_t there, uint32_t here)
{
    *stated = *stated <= there ? *stated : UINT32_MAX;
    return (uint32_t)least(*stated, least(there, here));
}

void sgi_plan_take_columns(segue_plan *plan, const segue_plan *from, uint32_t task_count)
{
    segue_plan rows = {.task_count = task_count};
    const segue_plan *p = &rows;
    rows.standby_count = rows_of(&plan->standby_count, from->standby_capacity, plan->standby_capacity);
    rows.decision_count = rows_of(&plan->decision_count, from->decision_capacity, plan->decision_capacity);
#define TAKE(id, field, type, used, capacity)                                                                         \
    if ((used) > 0) {                                                                                                 \
        memcpy(plan->field, from->field, (used) * sizeof(type));                                                      \
    }
    SEGUE_PLAN_COLUMNS(TAKE)
#undef TAKE
}
