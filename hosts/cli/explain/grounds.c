/* SPDX-License-Identifier: Apache-2.0 */
#include "grounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "group.h"

uint32_t grounds_target(const grounds *it, uint32_t task)
{
    return it->plan->learner[task] != SEGUE_NONE ? it->plan->learner[task] : it->plan->active[task];
}

static int has_any_threads(const segue_group *group)
{
    for (uint32_t member = 0; member < group->member_count; member++) {
        if (group->member_threads[member] > 0) {
            return 1;
        }
    }
    return 0;
}

int grounds_stays(const grounds *it, uint32_t member)
{
    return !(it->traits & SEGUE_TRAIT_LEAVING) || !sgi_is_leaving(it->group, member);
}

/* When all have 0 threads, each counts as 1. */
static uint32_t threads_of(const grounds *it, uint32_t member)
{
    return has_any_threads(it->group) ? it->group->member_threads[member] : 1;
}

int grounds_is_there(const grounds *it, uint32_t member)
{
    return !sgi_is_expired(it->group, member) && threads_of(it, member) > 0;
}

int grounds_has_quotas(const grounds *it)
{
    return !(it->traits & SEGUE_TRAIT_LOOSE);
}

uint32_t grounds_quota(const grounds *it, uint32_t member, uint32_t kind)
{
    uint64_t share = (uint64_t)it->kind_count[kind] * threads_of(it, member);
    return it->threads == 0 || !grounds_stays(it, member) ? 0 : (uint32_t)((share + it->threads - 1) / it->threads);
}

int grounds_lag(const grounds *it, uint32_t task, uint32_t member, int64_t *lag)
{
    uint32_t row = sgi_find_copy(it->group, member, task);
    *lag = row == SEGUE_NONE ? SEGUE_LAG_UNKNOWN : sgi_copy_lag(it->group, row);
    return row != SEGUE_NONE;
}

static int weights_differ(const segue_group *group)
{
    for (uint32_t task = 1; group->task_weight != NULL && task < group->task_count; task++) {
        if (group->task_weight[task] < group->task_weight[0] || group->task_weight[task] > group->task_weight[0]) {
            return 1;
        }
    }
    return 0;
}

/* The first of several claims is taken: R3 is the assignor's affair, and this is about members, not about truth. */
static void note_owners(grounds *it)
{
    const segue_group *group = it->group;
    for (uint32_t member = 0; member < group->member_count; member++) {
        for (uint32_t row = group->copy_start[member]; row < group->copy_start[member + 1]; row++) {
            uint32_t task = group->copy_task[row];
            if (group->copy_role[row] == SEGUE_ACTIVE && it->owner_before[task] == SEGUE_NONE) {
                it->owner_before[task] = member;
                it->owned_now[member] += group->task_stateful[task];
            }
        }
    }
}

static void count(grounds *it)
{
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        uint32_t kind = it->group->task_stateful[task];
        uint32_t target = grounds_target(it, task);
        it->kind_count[kind]++;
        it->owner_before[task] = SEGUE_NONE;
        if (target != SEGUE_NONE) {
            it->loads[kind][target]++;
        }
    }
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        it->threads += grounds_stays(it, member) ? threads_of(it, member) : 0;
    }
}

int grounds_open(grounds *it, const char *assignor, uint32_t traits, const segue_group *group,
                 const segue_config *config, const segue_plan *plan)
{
    size_t members = (size_t)group->member_count + 1;
    *it = (grounds){.assignor = assignor, .group = group, .config = config, .plan = plan, .traits = traits};
    it->loads[0] = calloc(members * 3, sizeof(uint32_t));
    it->owner_before = calloc((size_t)group->task_count + 1, sizeof(uint32_t));
    if (it->loads[0] == NULL || it->owner_before == NULL) {
        grounds_close(it);
        return -1;
    }
    it->loads[1] = it->loads[0] + members;
    it->owned_now = it->loads[1] + members;
    it->is_weighed = weights_differ(group);
    count(it);
    note_owners(it);
    return 0;
}

void grounds_close(grounds *it)
{
    free(it->loads[0]);
    free(it->owner_before);
    *it = (grounds){0};
}

static const char *show(const grounds *it, uint32_t string, char *text, size_t size)
{
    sgi_text name = sgi_string(it->group, string);
    snprintf(text, size, "%.*s", SGI_SHOW(name));
    sgi_clean_line(text);
    return text;
}

const char *grounds_member(const grounds *it, uint32_t member, char *text, size_t size)
{
    return member == SEGUE_NONE ? "nobody" : show(it, it->group->member_name[member], text, size);
}

const char *grounds_task(const grounds *it, uint32_t task, char *text, size_t size)
{
    return show(it, it->group->task_name[task], text, size);
}
