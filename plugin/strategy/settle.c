/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/settle.h"

#include "strategy/echo.h"

#include <string.h>

/* Rounds of echo that are looked at before the last plan is taken as it is. Two settle nearly every group. */
#define ECHOES 24u
/* From this round on, and from every power of two behind it, a plan is kept to see whether it comes back. */
#define FIRST_KEPT 4u

/* Any order will do that looks at nothing but the plans; 0 where they are the same. */
static int compare_roles(const sgp_course *a, const sgp_course *b)
{
    const size_t bytes = a->view.tasks * sizeof *a->roles.active;
    int order = memcmp(a->roles.active, b->roles.active, bytes);
    order = order != 0 ? order : memcmp(a->roles.learner, b->roles.learner, bytes);
    if (order == 0 && a->standbys.ranks > 0) {
        order = memcmp(a->standbys.member, b->standbys.member, bytes * a->standbys.ranks);
    }
    return order;
}

/* What the echo decided, seen from the group as it is. */
static void adopt(sgp_course *c, const sgp_course *echo)
{
    size_t tasks = c->view.tasks;
    memcpy(c->roles.active, echo->roles.active, tasks * sizeof *c->roles.active);
    memcpy(c->roles.learner, echo->roles.learner, tasks * sizeof *c->roles.learner);
    c->roles.outcome = echo->roles.outcome;
    c->roles.learners = echo->roles.learners;
    c->roles.held_back = echo->roles.held_back;
    c->target = echo->target;
    c->wanted = echo->wanted;
    c->cut = echo->cut;
    c->min_traffic = echo->min_traffic;
    c->standbys = echo->standbys;
}

/* Groups in which everybody stays and only owners have state, each on a disk of its own, are settled by construction: what
 * is learned pulls at the same members in the next round. By weight that is so where all is learned at once. */
static int is_settled(const sgp_course *c)
{
    int plain = c->view.copy_start == NULL && c->view.staying == c->view.members &&
                c->view.processes == c->view.members && !c->view.config->spread_subtopologies &&
                (c->weights.of == NULL || c->roles.held_back == 0);
    return plain || c->strategy->cold || c->strategy->solve != NULL || sgp_echo_is_group(c);
}

/* Plans that go round: the one that is looked out for, and the least of those since. */
typedef struct circle {
    sgp_course from, least;
} circle;

static int32_t take_roles(sgp_course *c)
{
    c->roles.active = SGP_TAKE(c->region, uint32_t, c->view.tasks);
    c->roles.learner = SGP_TAKE(c->region, uint32_t, c->view.tasks);
    return c->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t start_circle(circle *o, const sgp_course *c)
{
    o->from = o->least = *c;
    if (take_roles(&o->from) != SEGUE_OK || take_roles(&o->least) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    adopt(&o->from, c);
    adopt(&o->least, c);
    return SEGUE_OK;
}

/* The next plan on the way: where it closes a circle, the least of that is taken. */
static int32_t go_on(sgp_course *c, circle *o, const sgp_course *echo, uint32_t round)
{
    adopt(c, echo);
    if (round > FIRST_KEPT && compare_roles(c, &o->from) == 0) {
        adopt(c, &o->least);
        c->settled = 1;
    } else if (round > FIRST_KEPT && compare_roles(c, &o->least) < 0) {
        adopt(&o->least, c);
    }
    int keeps = round >= FIRST_KEPT && (round & (round - 1)) == 0 && !c->settled;
    return keeps ? start_circle(o, c) : SEGUE_OK;
}

int32_t sgp_settle_plan(sgp_course *c)
{
    sgp_course found = *c;
    circle o = {.from = *c, .least = *c};
    c->settled = is_settled(c);
    if (c->settled) {
        return SEGUE_OK;
    }
    int32_t status = take_roles(&found);
    for (uint32_t i = 1; status == SEGUE_OK && !c->settled && i <= ECHOES && !sgp_deadline_look(c->deadline); i++) {
        segue_group heard;
        sgp_course echo = {.strategy = c->strategy, .region = c->region, .deadline = c->deadline};
        echo.buys_spread = c->buys_spread;
        status = sgp_echo(c, &heard);
        if (status == SEGUE_OK) {
            status = sgp_course_solve(&echo, &heard, c->view.config, found.roles.active, found.roles.learner);
        }
        c->settled = status == SEGUE_OK && compare_roles(c, &echo) == 0;
        if (status != SEGUE_OK || c->settled || c->deadline->passed) {
            return status;
        }
        status = go_on(c, &o, &echo, i);
    }
    return status;
}
