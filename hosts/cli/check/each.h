/* SPDX-License-Identifier: Apache-2.0 */
/* each.h - the rules' common round: every assignor, with an instance, on every random group. */
#ifndef SEGUE_HOSTS_CLI_CHECK_EACH_H
#define SEGUE_HOSTS_CLI_CHECK_EACH_H

#include "ask.h"

typedef struct answer {
    probe *probe;
    const subject *subject;
    asking *asking; /* with the group put */
    const made_group *made;
    const segue_assignor_info *assignor;
    const char *name;    /* of the assignor */
    unsigned long number; /* of the group, below the probe's groups */
    segue_instance *instance;
    void *context;
} answer;

/* For findings: "learner, group 17". */
#define EACH_WHERE "%s, group %lu"
#define EACH_AT(it) (it)->name, (it)->number

/* The group with that number of this seed. */
made_group *each_made(const probe *p, uint32_t number);

/* Calls `visit` for every assignor and so many groups; 0: as many as the probe has. Findings end the assignor's turn. */
void each_group(probe *p, uint32_t groups, unsigned guards, void (*visit)(answer *it), void *context);

/* Asks for the plan. 1: it is one; else the group is passed over, since C24 tells of it. */
int each_plan(answer *it);

/* Has assign fail in several ways, found early and late; the group is put again behind them. */
void each_fail(answer *it);

/* All that an instance is for, from the first call to the last: described, made, asked, failed and destroyed; and a session
 * beside it. The group has been put. */
void each_life(answer *it);

/* Calls `visit` once for every assignor, with an instance and the first group that has tasks and wants standbys. */
void each_assignor(probe *p, unsigned guards, void (*visit)(answer *it), void *context);

/* A group with tasks, copies and room for standbys. */
made_group *each_rich(const probe *p);

#endif
