/* SPDX-License-Identifier: Apache-2.0 */
/* C18-C21: how much the plugin reads and writes. */
#include <sys/mman.h>
#include <unistd.h>

#include "each.h"

enum { FEWER_GROUPS = 60 };

/* ---- C18 --------------------------------------------------------------------------------------------------------- */

static void *no_memory; /* a page that nobody may touch */

/* The same counts, and columns that cannot be read. */
static segue_group without_columns(const segue_group *group)
{
    segue_group bare = *group;
#define TAKE_AWAY(id, field, type, count, need) bare.field = bare.field == NULL ? NULL : no_memory;
    SEGUE_GROUP_COLUMNS(TAKE_AWAY)
#undef TAKE_AWAY
    return bare;
}

static void check_bound(answer *it)
{
    asking *a = it->asking;
    segue_group bare = without_columns(a->group);
    segue_bound bound = {.size = sizeof bound}, most = {.size = sizeof most};
    probe_doing(it->probe, "plan_bound of " EACH_WHERE ", whose columns cannot be read", EACH_AT(it));
    int32_t status = slot_plan_bound(it->subject, &bare, a->config, &bound);
    if (!probe_hold(it->probe, status == SEGUE_OK, "plan_bound of " EACH_WHERE ": %d", EACH_AT(it), status)) {
        return;
    }
    segue_host_bound(a->group, a->config, &most);
    probe_hold(it->probe, bound.standby_rows <= most.standby_rows && bound.decision_rows <= most.decision_rows,
               "plan_bound of " EACH_WHERE " is %u standbys and %u decisions; by plan.h at most %u and %u", EACH_AT(it),
               bound.standby_rows, bound.decision_rows, most.standby_rows, most.decision_rows);
    asking_make_plan(a, bound.standby_rows, bound.decision_rows);
    probe_doing(it->probe, "asking " EACH_WHERE " with the rows that plan_bound states", EACH_AT(it));
    status = asking_assign(a, it->instance);
    probe_hold(it->probe, status != SEGUE_E_SPACE, EACH_WHERE " does not fit into what plan_bound states: %s", EACH_AT(it),
               a->text);
    probe_hold(it->probe, status != SEGUE_OK || (a->plan->standby_count <= bound.standby_rows &&
                                                 a->plan->decision_count <= bound.decision_rows),
               EACH_WHERE " has more rows than plan_bound states", EACH_AT(it));
}

void rule_C18(probe *p)
{
    no_memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    each_group(p, 0, ASK_GUARD_OUTPUT, check_bound, NULL);
}

/* ---- C19 --------------------------------------------------------------------------------------------------------- */

static void ask_with(answer *it, uint32_t standby_rows, uint32_t decision_rows, const char *what)
{
    asking *a = it->asking;
    asking_make_plan(a, standby_rows, decision_rows);
    probe_doing(it->probe, "asking " EACH_WHERE " with %s", EACH_AT(it), what);
    int32_t status = asking_assign(a, it->instance);
    probe_hold(it->probe, status == SEGUE_E_SPACE, EACH_WHERE " answers %d to %s; too-small (%d) is right", EACH_AT(it),
               status, what, SEGUE_E_SPACE);
    asking_check_output(a, it->name);
}

/* A column that has to be there and is not. */
static void ask_without(answer *it, size_t column, const char *what)
{
    asking *a = it->asking;
    segue_plan given = a->given;
    *(void **)(void *)((char *)&a->given + column) = NULL;
    probe_doing(it->probe, "asking " EACH_WHERE " without the column %s", EACH_AT(it), what);
    int32_t status = asking_assign(a, it->instance);
    probe_hold(it->probe, status < 0, EACH_WHERE " answers %d to a plan without the column %s", EACH_AT(it), status, what);
    a->given = given;
}

static void give_too_little(answer *it)
{
    segue_bound bound = {.size = sizeof bound};
    if (slot_plan_bound(it->subject, it->asking->group, it->asking->config, &bound) != SEGUE_OK) {
        return;
    }
    if (bound.standby_rows > 0) {
        ask_with(it, bound.standby_rows - 1, bound.decision_rows, "a row of standbys too few");
        ask_with(it, 0, bound.decision_rows, "no row of standbys");
    }
    if (bound.decision_rows > 1) {
        ask_with(it, bound.standby_rows, bound.decision_rows - 1, "a decision too few");
    }
    if (it->asking->tasks > 0 && bound.standby_rows > 0) {
        asking_make_plan(it->asking, bound.standby_rows, bound.decision_rows);
#define WITHOUT(id, field, type, used, capacity) ask_without(it, offsetof(segue_plan, field), #field);
        SEGUE_PLAN_COLUMNS(WITHOUT)
#undef WITHOUT
    }
}

void rule_C19(probe *p)
{
    each_group(p, FEWER_GROUPS, ASK_GUARD_OUTPUT, give_too_little, NULL);
}

/* ---- C20, C21 ---------------------------------------------------------------------------------------------------- */

static void ask(answer *it)
{
    each_plan(it);
}

/* Input is read-only, and every column ends where memory does. */
void rule_C20(probe *p)
{
    each_group(p, 0, ASK_GUARD_INPUT, ask, NULL);
}

static void ask_and_look(answer *it)
{
    asking_assign(it->asking, it->instance);
    asking_check_output(it->asking, it->name);
    asking_make_plan(it->asking, it->asking->given.standby_capacity, 0);
    probe_doing(it->probe, "asking " EACH_WHERE " without room for decisions", EACH_AT(it));
    asking_assign(it->asking, it->instance);
    asking_check_output(it->asking, it->name);
}

void rule_C21(probe *p)
{
    each_group(p, 0, ASK_GUARD_OUTPUT, ask_and_look, NULL);
}
