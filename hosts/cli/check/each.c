/* SPDX-License-Identifier: Apache-2.0 */
#include "each.h"

enum { TRIES = 10000 };

made_group *each_made(const probe *p, uint32_t number)
{
    return made_random(p->seed * UINT64_C(1000003) + number);
}

made_group *each_rich(const probe *p)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        made_group *made = each_made(p, i);
        segue_bound bound = {.size = sizeof bound};
        segue_host_bound(&made->group, &made->config, &bound);
        if (bound.standby_rows > 0 && made->group.copy_count > 0 && made->group.task_rack_count > 0) {
            return made;
        }
        made_free(made);
    }
    return each_made(p, 0);
}

static void visit_group(answer *it, const made_group *made, unsigned guards, void (*visit)(answer *it))
{
    it->made = made;
    probe_doing(it->probe, "asking %s for a plan of group %lu (seed %llu)", it->name, it->number,
                (unsigned long long)it->probe->seed);
    asking_put(it->asking, made, guards);
    visit(it);
}

/* Takes an instance for the assignor and runs `turn`. */
static void with_instance(answer *it, uint32_t index, void (*turn)(answer *it, void *context), void *context)
{
    const subject *s = it->subject;
    it->assignor = &s->assignors[index];
    it->name = it->assignor->name;
    it->instance = NULL;
    probe_doing(it->probe, "creating %s", it->name);
    int32_t status = slot_create(s, it->name, &it->instance, probe_error(it->probe));
    if (status != SEGUE_OK) {
        probe_hold(it->probe, 0, "%s cannot be created: %d", it->name, status);
        return;
    }
    turn(it, context);
    probe_doing(it->probe, "destroying %s", it->name);
    slot_destroy(s, it->instance);
}

static void with_each_assignor(probe *p, void (*turn)(answer *it, void *turn_context), void *turn_context, void *context)
{
    asking a;
    const subject *s = probe_subject(p);
    if (s == NULL || !asking_open(&a, p, s)) {
        return;
    }
    answer it = {.probe = p, .subject = s, .asking = &a, .context = context};
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        with_instance(&it, i, turn, turn_context);
    }
    asking_close(&a);
    if (p->verdict->checks == 0 && p->unanswered > 0) {
        probe_block(p, "none of %u groups gets a plan (C24)", p->unanswered);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct group_round {
    uint32_t groups;
    unsigned guards;
    void (*visit)(answer *it);
} group_round;

static void visit_groups(answer *it, void *context)
{
    const group_round *round = context;
    uint32_t before = it->probe->verdict->findings;
    for (uint32_t n = 0; n < round->groups && it->probe->verdict->findings == before; n++) {
        made_group *made = each_made(it->probe, n);
        it->number = n;
        visit_group(it, made, round->guards, round->visit);
        made_free(made);
    }
}

void each_group(probe *p, uint32_t groups, unsigned guards, void (*visit)(answer *it), void *context)
{
    group_round round = {groups == 0 || groups > p->groups ? p->groups : groups, guards, visit};
    with_each_assignor(p, visit_groups, &round, context);
}

int each_plan(answer *it)
{
    int fits = asking_assign(it->asking, it->instance) == SEGUE_OK && asking_plan_fits(it->asking);
    it->probe->verdict->checks += (uint32_t)fits;
    it->probe->unanswered += (uint32_t)!fits;
    return fits;
}

void each_fail(answer *it)
{
    asking *a = it->asking;
    segue_group none = *a->group;
    segue_config config = *a->config;
    none.member_count = 0;
    config.num_standby_replicas = UINT32_MAX;
    segue_plan given = a->given;
    asking_assign(a, it->instance);
    slot_assign(it->subject, it->instance, &none, a->config, a->plan, probe_error(it->probe));
    slot_assign(it->subject, it->instance, a->group, &config, a->plan, probe_error(it->probe));
    if (given.standby_capacity > 0) {
        asking_make_plan(a, given.standby_capacity - 1, given.decision_capacity);
        asking_assign(a, it->instance);
    }
    if (a->group->copy_count > 0) {
        made_group *wrong = made_copy(it->made);
        wrong->copy_role[wrong->group.copy_count - 1] = UINT8_MAX;
        asking_put(a, wrong, 0);
        asking_assign(a, it->instance);
        made_free(wrong);
    }
    asking_put(a, it->made, 0);
}

/* ---- one life ---------------------------------------------------------------------------------------------------- */

static void live_in_session(answer *it)
{
    const segue_session_slots *slots = slot_get_extension(it->subject, SEGUE_SESSION_ID);
    segue_session *session = NULL;
    if (slots == NULL || !SEGUE_HAS(segue_session_slots, read_memory, slots->size) ||
        slots->open(it->name, it->asking->group, it->asking->config, &session, probe_error(it->probe)) != SEGUE_OK) {
        return;
    }
    segue_plan plan = {.size = sizeof plan};
    segue_copies changes = {.size = sizeof changes};
    slots->decide(session, it->made->group.now_ms, &changes, &plan, probe_error(it->probe));
    slots->close(session);
}

void each_life(answer *it)
{
    const subject *s = it->subject;
    asking *a = it->asking;
    segue_memory memory = {.size = sizeof memory};
    segue_bound bound = {.size = sizeof bound};
    segue_assignor_info info = {.size = sizeof info};
    slot_describe(s, 0, &info);
    if (slot_create(s, it->name, &it->instance, probe_error(it->probe)) == SEGUE_OK) {
        slot_plan_bound(s, a->group, a->config, &bound);
        asking_assign(a, it->instance);
        asking_assign(a, it->instance);
        slot_read_memory(s, it->instance, &memory);
        slot_assign(s, it->instance, NULL, NULL, NULL, probe_error(it->probe));
        each_fail(it);
        slot_destroy(s, it->instance);
    }
    slot_create(s, "no-such-assignor", &it->instance, probe_error(it->probe));
    live_in_session(it);
}

/* ---- one rich group ---------------------------------------------------------------------------------------------- */

static void visit_rich(answer *it, void *context)
{
    const group_round *round = context;
    made_group *made = each_rich(it->probe);
    visit_group(it, made, round->guards, round->visit);
    made_free(made);
}

void each_assignor(probe *p, unsigned guards, void (*visit)(answer *it), void *context)
{
    group_round round = {1, guards, visit};
    with_each_assignor(p, visit_rich, &round, context);
}
