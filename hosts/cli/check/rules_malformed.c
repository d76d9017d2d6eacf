/* SPDX-License-Identifier: Apache-2.0 */
/* C22, C23: groups and configurations that are wrong. */
#include "each.h"
#include "spoil.h"

enum { WHAT_MOST = 160 };

static void check_answer(answer *it, const made_group *made, const char *what)
{
    asking *a = it->asking;
    probe_doing(it->probe, "asking %s for a plan of a group in which %s", it->name, what);
    asking_put(a, made, ASK_GUARDED);
    int32_t status = asking_assign(a, it->instance);
    asking_check_output(a, it->name);
    probe_hold(it->probe, status < 0 || (status == SEGUE_OK && asking_plan_fits(a)),
               "%s answers %d to a group in which %s, and the plan does not fit it", it->name, status, what);
}

/* Every way of spoiling it, each on a copy of its own. */
static void spoil(answer *it, const made_group *made, int (*way_of)(made_group *, uint32_t, char *, size_t))
{
    char what[WHAT_MOST] = "";
    int spoilt = 1;
    for (uint32_t way = 0; spoilt != 0 && it->probe->verdict->findings == 0; way++) {
        made_group *copy = made_copy(made);
        spoilt = way_of(copy, way, what, sizeof what);
        if (spoilt == 1) {
            check_answer(it, copy, what);
        }
        made_free(copy);
    }
}

static void spoil_group_of(answer *it)
{
    spoil(it, it->made, spoil_group);
}

void rule_C22(probe *p)
{
    each_assignor(p, 0, spoil_group_of, NULL);
}

static void spoil_config_of(answer *it)
{
    spoil(it, it->made, spoil_config);
}

void rule_C23(probe *p)
{
    each_assignor(p, 0, spoil_config_of, NULL);
}
