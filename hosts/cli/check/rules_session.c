/* SPDX-License-Identifier: Apache-2.0 */
/* C40: the extension segue.session/1, where the plugin has it. */
#include "each.h"

/* The decision on a group in which nothing has happened since it was opened, beside what assign says of it. */
static void compare(answer *it, const segue_session_slots *slots, segue_session *session)
{
    asking *a = it->asking;
    segue_plan plan = {.size = sizeof plan};
    segue_copies changes = {.size = sizeof changes};
    int32_t status = slots->decide(session, it->made->group.now_ms, &changes, &plan, probe_error(it->probe));
    int planned = asking_assign(a, it->instance) == SEGUE_OK;
    probe_hold(it->probe, planned == (status == SEGUE_OK || status == SEGUE_E_SPACE),
               EACH_WHERE ": assign %s, and the session answers %d", EACH_AT(it), planned ? "has a plan" : "fails", status);
    if (status == SEGUE_OK && planned) {
        probe_hold(it->probe, plan.moves == a->plan->moves && plan.learners == a->plan->learners &&
                                  plan.followup_needed == a->plan->followup_needed,
                   EACH_WHERE ": the session has %u moves and %u learners, assign %u and %u", EACH_AT(it), plan.moves,
                   plan.learners, a->plan->moves, a->plan->learners);
    }
}

static void open_and_decide(answer *it)
{
    const segue_session_slots *slots = slot_get_extension(it->subject, SEGUE_SESSION_ID);
    segue_session *session = NULL;
    if (slots == NULL || !SEGUE_HAS(segue_session_slots, read_memory, slots->size)) {
        probe_hold(it->probe, slots == NULL, "the slots of " SEGUE_SESSION_ID " have %u bytes", slots == NULL ? 0 : slots->size);
        return;
    }
    slots->close(NULL);
    probe_doing(it->probe, "a session of " EACH_WHERE, EACH_AT(it));
    int32_t status = slots->open(it->name, it->asking->group, it->asking->config, &session, probe_error(it->probe));
    probe_hold(it->probe, status == SEGUE_OK, "a session of " EACH_WHERE " cannot be opened: %d", EACH_AT(it), status);
    if (status == SEGUE_OK) {
        compare(it, slots, session);
        slots->close(session);
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
