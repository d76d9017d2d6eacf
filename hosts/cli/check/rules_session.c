/* SPDX-License-Identifier: Apache-2.0 */
/* C40: the extension segue.session/1, where the plugin has it. */
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "segue/session.h"

/* One session of one group, beside the instance that answers for it. */
typedef struct visit {
    answer *it;
    const segue_session_slots *slots;
    segue_session *session;
    segue_group group; /* as the session gave it last */
    const uint32_t *numbers;
    segue_copies rows;
    segue_plan said; /* scalars alone */
} visit;

/* Sorts behind every name of a group. */
#define LAST_NAME "\xf4\x8f\xbf\xbf"

static const char *missing_slot(const segue_session_slots *slots)
{
#define IS_MISSING(since, name, thread, result, ...)                                                                  \
    if (slots->name == NULL) {                                                                                        \
        return #name;                                                                                                 \
    }
#define NOTHING(...)
    SEGUE_SESSION_SLOTS(IS_MISSING, NOTHING, NOTHING)
#undef NOTHING
#undef IS_MISSING
    return NULL;
}

/* Room for all that can change: what is there goes, and what is planned comes. */
static segue_copies make_rows(const segue_group *g, uint32_t standbys)
{
    segue_copies rows = {.size = sizeof rows, .capacity = g->copy_count + 2 * g->task_count + standbys};
    rows.task = made_take(rows.capacity * sizeof *rows.task);
    rows.member = made_take(rows.capacity * sizeof *rows.member);
    rows.role = made_take(rows.capacity * sizeof *rows.role);
    rows.lag = made_take(rows.capacity * sizeof *rows.lag);
    return rows;
}

static void free_rows(segue_copies *rows)
{
    free(rows->task);
    free(rows->member);
    free(rows->role);
    free(rows->lag);
}

static int decide(visit *v)
{
    answer *it = v->it;
    v->said = (segue_plan){.size = sizeof v->said};
    int32_t status = v->slots->decide(v->session, it->made->group.now_ms, &v->rows, &v->said, probe_error(it->probe));
    return probe_hold(it->probe, status == SEGUE_OK && v->rows.count <= v->rows.capacity,
                      EACH_WHERE ": the session decides nothing: %d, %u rows", EACH_AT(it), status, v->rows.count);
}

static int read_group(visit *v)
{
    answer *it = v->it;
    v->group = (segue_group){.size = sizeof v->group};
    int32_t status =
        v->slots->read_group(v->session, it->made->group.now_ms, &v->group, &v->numbers, probe_error(it->probe));
    status = status == SEGUE_OK ? segue_group_check(&v->group, probe_error(it->probe)) : status;
    return probe_hold(it->probe, status == SEGUE_OK && v->numbers != NULL,
                      EACH_WHERE ": the session's group cannot be read, or is none: %d", EACH_AT(it), status);
}

/* What was decided beside the plan that assign has for the same group. */
static void hold_figures(visit *v, const segue_plan *plan, const char *when)
{
    answer *it = v->it;
    probe_hold(it->probe,
               v->said.moves == plan->moves && v->said.learners == plan->learners &&
                   v->said.followup_needed == plan->followup_needed,
               EACH_WHERE "%s: the session has %u moves and %u learners, assign %u and %u", EACH_AT(it), when, v->said.moves,
               v->said.learners, plan->moves, plan->learners);
}

static uint8_t planned_role(const segue_plan *p, uint32_t task, uint32_t member)
{
    if (p->active[task] == member || p->learner[task] == member) {
        return p->active[task] == member ? SEGUE_ACTIVE : SEGUE_LEARNER;
    }
    for (uint32_t i = p->standby_start[task]; i < p->standby_start[task + 1]; i++) {
        if (p->standby_member[i] == member) {
            return SEGUE_STANDBY;
        }
    }
    return SEGUE_DORMANT;
}

/* The rows have been put: are the group's copies those of the plan, and no others? */
static void hold_copies(visit *v, const segue_plan *plan)
{
    const segue_group *g = &v->group;
    uint32_t wrong = 0, planned = plan->task_count + plan->learners + plan->standby_count;
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            uint8_t role = planned_role(plan, g->copy_task[i], v->numbers[m]);
            wrong += g->copy_role[i] != role;
            planned -= role != SEGUE_DORMANT;
        }
    }
    probe_hold(v->it->probe, wrong == 0 && planned == 0,
               EACH_WHERE ": carried out, %u of the session's copies are others than those of assign, and %u are missing",
               EACH_AT(v->it), wrong, planned);
}

static void carry_out(visit *v)
{
    answer *it = v->it;
    const segue_plan *plan = it->asking->plan;
    if (!each_plan(it) || !decide(v)) {
        return;
    }
    hold_figures(v, plan, "");
    int32_t status = v->slots->put(v->session, &v->rows, probe_error(it->probe));
    if (probe_hold(it->probe, status == SEGUE_OK, EACH_WHERE ": the session refuses its own rows: %d", EACH_AT(it), status) &&
        read_group(v)) {
        hold_copies(v, plan);
    }
}

/* Somebody joins and somebody is marked as leaving: the session knows, and decides as assign does for such a group. */
static void tell_changes(visit *v)
{
    answer *it = v->it;
    const uint32_t members = it->made->group.member_count;
    const int64_t now = it->made->group.now_ms;
    const segue_joiner joiner = {sizeof joiner, members, 1, members, SEGUE_NONE, sizeof LAST_NAME - 1, LAST_NAME};
    int32_t joined = v->slots->join(v->session, &joiner, probe_error(it->probe));
    int32_t marked = v->slots->mark(v->session, 0, now, SEGUE_TIME_NONE, probe_error(it->probe));
    if (!probe_hold(it->probe, joined == SEGUE_OK && marked == SEGUE_OK,
                    EACH_WHERE ": the session refuses a member that joins (%d) or a mark (%d)", EACH_AT(it), joined, marked) ||
        !decide(v) || !read_group(v)) {
        return;
    }
    const segue_group *g = &v->group;
    int knows = g->member_count == members + 1 && v->numbers[members] == members && v->numbers[0] == 0 &&
                g->member_leaving_ms != NULL && g->member_leaving_ms[0] == now;
    if (!probe_hold(it->probe, knows, EACH_WHERE ": the session does not know who joined or leaves", EACH_AT(it))) {
        return;
    }
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    if (segue_host_bound(g, it->asking->config, &bound) == SEGUE_OK &&
        segue_plan_new(g->task_count, &bound, 1, &plan) == SEGUE_OK &&
        slot_assign(it->subject, it->instance, g, it->asking->config, plan, probe_error(it->probe)) == SEGUE_OK) {
        hold_figures(v, plan, ", with a joiner and a leaver");
    }
    segue_plan_free(plan);
}

static void open_and_decide(answer *it)
{
    visit v = {.it = it, .slots = slot_get_extension(it->subject, SEGUE_SESSION_ID)};
    if (v.slots == NULL) {
        return;
    }
    int whole = SEGUE_HAS(segue_session_slots, read_memory, v.slots->size);
    const char *missing = whole ? missing_slot(v.slots) : "read_memory";
    if (!probe_hold(it->probe, missing == NULL, "the slots of " SEGUE_SESSION_ID " have %u bytes, and no %s", v.slots->size,
                    missing)) {
        return;
    }
    v.slots->close(NULL);
    probe_doing(it->probe, "a session of " EACH_WHERE, EACH_AT(it));
    int32_t status = v.slots->open(it->name, it->asking->group, it->asking->config, &v.session, probe_error(it->probe));
    if (probe_hold(it->probe, status == SEGUE_OK, "a session of " EACH_WHERE " cannot be opened: %d", EACH_AT(it), status)) {
        v.rows = make_rows(&it->made->group, it->asking->given.standby_capacity);
        carry_out(&v);
        tell_changes(&v);
        free_rows(&v.rows);
        v.slots->close(v.session);
    }
}

void rule_C40(probe *p)
{
    const subject *s = probe_subject(p);
    if (s != NULL && slot_get_extension(s, SEGUE_SESSION_ID) == NULL) {
        probe_skip(p, "the plugin has no sessions");
    } else if (s != NULL) {
        each_group(p, 0, 0, open_and_decide, NULL);
    }
}
