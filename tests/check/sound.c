/* SPDX-License-Identifier: Apache-2.0 */
#include "sound.h"

#include "config.h"
#include "error.h"
#include "group.h"
#include "plan.h"
#include "segue/host.h"

int32_t sound_entry(segue_entry *entry, const segue_slots *slots, const segue_slot_info *table, uint32_t table_count,
                    uint32_t newest)
{
    if (entry == NULL || entry->size < sizeof *entry) {
        return SEGUE_E_ARGUMENT;
    }
    segue_entry answer = {sizeof answer, newest, 1, table_count, slots, table, "steady", "1.0.0"};
    uint32_t shared = entry->version < newest ? entry->version : newest;
    int speaks = shared >= 1 && entry->floor <= shared;
    answer.version = speaks ? shared : newest;
    sgi_fill(entry, entry->size, &answer, sizeof answer);
    return speaks ? SEGUE_OK : SEGUE_E_VERSION;
}

int32_t sound_describe(uint32_t index, segue_assignor_info *info)
{
    static const segue_assignor_info steady = {sizeof steady, SEGUE_TRAIT_LEAVING, "steady", "1.0", "keeps the owners"};
    if (info == NULL || info->size < sizeof *info) {
        return SEGUE_E_ARGUMENT;
    }
    if (index > 0) {
        return SEGUE_E_NAME;
    }
    sgi_fill(info, info->size, &steady, sizeof steady);
    return SEGUE_OK;
}

int32_t sound_create(const char *name, segue_instance **instance, segue_error *error)
{
    if (instance != NULL) {
        *instance = NULL;
    }
    if (instance == NULL || name == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "name or instance is NULL");
    }
    if (strcmp(name, "steady") != 0) {
        return sgi_fail(error, SEGUE_E_NAME, "no assignor is called %.40s; there is steady", name);
    }
    *instance = calloc(1, sizeof **instance);
    return *instance == NULL ? sgi_fail(error, SEGUE_E_MEMORY, "no memory") : SEGUE_OK;
}

void sound_destroy(segue_instance *instance)
{
    free(instance);
}

int32_t sound_plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    segue_bound found = {.size = sizeof found};
    if (bound == NULL || bound->size < SEGUE_BOUND_FLOOR) {
        return SEGUE_E_ARGUMENT;
    }
    int32_t status = segue_host_bound(group, config, &found);
    if (status == SEGUE_OK) {
        sgi_fill(bound, bound->size, &found, sizeof found);
    }
    return status;
}

int32_t sound_read_memory(segue_instance *instance, segue_memory *memory)
{
    const segue_memory held = {sizeof held, 0, sizeof *instance, 0};
    if (instance == NULL || memory == NULL || memory->size < sizeof *memory) {
        return SEGUE_E_ARGUMENT;
    }
    sgi_fill(memory, memory->size, &held, sizeof held);
    return SEGUE_OK;
}

const void *sound_get_extension(const char *id)
{
    (void)id;
    return NULL;
}

/* ---- who is who -------------------------------------------------------------------------------------------------- */

int leaves(const segue_group *g, uint32_t member)
{
    return sgi_is_leaving(g, member);
}

int stays(const segue_group *g, uint32_t member)
{
    return g->member_threads[member] > 0 && !leaves(g, member);
}

int has_copy(const segue_group *g, uint32_t member, uint32_t task, int role)
{
    uint32_t row = sgi_find_copy(g, member, task);
    return row != SEGUE_NONE && (role < 0 || g->copy_role[row] == role);
}

uint32_t owner_of(const segue_group *g, uint32_t task)
{
    uint32_t owner = SEGUE_NONE, claims = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        if (has_copy(g, m, task, SEGUE_ACTIVE)) {
            owner = m;
            claims++;
        }
    }
    return claims == 1 ? owner : SEGUE_NONE;
}

int is_elsewhere(const segue_group *g, const segue_plan *p, uint32_t member, uint32_t task)
{
    uint32_t process = g->member_process[member];
    int there = process == g->member_process[p->active[task]] ||
                (p->learner[task] != SEGUE_NONE && process == g->member_process[p->learner[task]]);
    for (uint32_t i = p->standby_start[task]; i < p->standby_start[task + 1]; i++) {
        there |= process == g->member_process[p->standby_member[i]];
    }
    return !there;
}

void recount(const segue_group *g, segue_plan *p)
{
    p->learners = p->moves = 0;
    for (uint32_t t = 0; t < g->task_count; t++) {
        int claimed = 0;
        for (uint32_t m = 0; m < g->member_count; m++) {
            claimed |= has_copy(g, m, t, SEGUE_ACTIVE);
        }
        p->learners += p->learner[t] != SEGUE_NONE;
        p->moves += claimed && !has_copy(g, p->active[t], t, SEGUE_ACTIVE);
    }
    p->min_moves = 0;
    p->followup_needed = p->learners > 0;
    p->followup_reason = p->learners > 0 ? SEGUE_FOLLOWUP_LEARNERS_RESTORING : SEGUE_FOLLOWUP_NONE;
    p->followup_at_ms = SEGUE_TIME_NONE;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static int is_present(const segue_group *g, uint32_t member)
{
    return g->member_threads[member] > 0 && !sgi_is_expired(g, member);
}

/* Does somebody who shares the member's disk have a caught-up copy there, or the member itself? */
static int has_ready_disk(const segue_group *g, const segue_config *c, uint32_t member, uint32_t task)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        uint32_t row = g->member_process[m] == g->member_process[member] ? sgi_find_copy(g, m, task) : SEGUE_NONE;
        int64_t lag = row == SEGUE_NONE ? SEGUE_LAG_UNKNOWN : sgi_copy_lag(g, row);
        if (lag >= 0 && lag <= c->acceptable_recovery_lag && (is_present(g, m) || stays(g, member))) {
            return 1;
        }
    }
    return 0;
}

/* An owner whose own copy is behind goes on where its disk has one that is not: else it would go to and fro. */
static void settle_owner(const segue_group *g, const segue_config *c, segue_plan *p, uint32_t t)
{
    uint32_t owner = owner_of(g, t);
    if (g->task_stateful[t] && owner != SEGUE_NONE && is_present(g, owner) && has_ready_disk(g, c, owner, t)) {
        p->active[t] = owner;
    }
}

/* Those that are standbys go on, then who has another copy, then anybody: one on a process. */
static void choose_standbys(const segue_group *g, const segue_config *c, const segue_plan *p, uint32_t t, uint8_t *taken,
                            uint8_t *chosen)
{
    uint32_t count = 0;
    memset(taken, 0, g->member_count);
    memset(chosen, 0, g->member_count);
    taken[g->member_process[p->active[t]]] = 1;
    for (int pass = 0; g->task_stateful[t] && pass < 3; pass++) {
        for (uint32_t m = 0; m < g->member_count && count < c->num_standby_replicas; m++) {
            int wanted = pass == 0 ? has_copy(g, m, t, SEGUE_STANDBY) : pass == 1 ? has_copy(g, m, t, -1) : 1;
            if (wanted && stays(g, m) && !taken[g->member_process[m]]) {
                taken[g->member_process[m]] = chosen[m] = 1;
                count++;
            }
        }
    }
}

static int32_t write_standbys(const segue_group *g, const segue_config *c, segue_plan *p)
{
    uint8_t *taken = malloc(2 * (size_t)g->member_count + 1), *chosen = taken + g->member_count;
    if (taken == NULL) {
        return SEGUE_E_MEMORY;
    }
    p->standby_count = 0;
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->standby_start[t] = p->standby_count;
        settle_owner(g, c, p, t);
        choose_standbys(g, c, p, t, taken, chosen);
        for (uint32_t m = 0; m < g->member_count; m++) {
            if (chosen[m]) {
                p->standby_member[p->standby_count++] = m;
            }
        }
    }
    p->standby_start[g->task_count] = p->standby_count;
    free(taken);
    return SEGUE_OK;
}

int32_t sound_assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                     segue_error *error)
{
    segue_bound bound = {.size = sizeof bound};
    if (instance == NULL || plan == NULL || plan->size < sizeof *plan || config == NULL || group == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "an argument is NULL or too small");
    }
    int32_t status = sgi_config_check(config, error);
    if (status == SEGUE_OK) {
        status = segue_group_check(group, error);
    }
    if (status == SEGUE_OK) {
        status = segue_host_bound(group, config, &bound);
        status = status == SEGUE_OK ? sgi_plan_ready(plan, group->task_count, &bound) : status;
        if (status != SEGUE_OK) {
            return sgi_fail(error, status, "the plan lacks a column, or room");
        }
    }
    if (status == SEGUE_OK) {
        status = segue_plan_fallback(group, config, plan);
    }
    if (status == SEGUE_OK) {
        status = write_standbys(group, config, plan);
    }
    if (status == SEGUE_OK) {
        recount(group, plan);
    }
    return status;
}
