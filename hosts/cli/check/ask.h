/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - asking a plugin for a plan, with input and output in memory that notices. Each struct and column lies in pages of
 * its own between two that nobody may touch. Guarded, a column ends where the next page begins, so that one row too far
 * ends the child with a finding that names the column; input is read-only then, and output has a pattern before it.
 */
#ifndef SEGUE_HOSTS_CLI_CHECK_ASK_H
#define SEGUE_HOSTS_CLI_CHECK_ASK_H

#include "made.h"
#include "probe.h"

enum { ASK_GUARD_INPUT = 1, ASK_GUARD_OUTPUT = 2, ASK_GUARDED = 3 };

enum { ASK_TEXT_MOST = 256 };

/* Two structs and the columns of the group; then the plan's. */
enum ask_part {
    ASK_group,
    ASK_config,
#define ASK_COLUMN(id, field, type, count, need) ASK_##field,
    SEGUE_GROUP_COLUMNS(ASK_COLUMN)
#undef ASK_COLUMN
    ASK_plan,
#define ASK_COLUMN(id, field, type, used, capacity) ASK_##field,
    SEGUE_PLAN_COLUMNS(ASK_COLUMN)
#undef ASK_COLUMN
    ASK_PARTS
};

typedef struct ask_memory {
    char *base; /* of the pages that may be touched */
    size_t room;
    char *at;
    size_t bytes;
    int sealed; /* 1: read-only now */
} ask_memory;

typedef struct asking {
    probe *probe;
    const subject *subject;
    unsigned guards;
    uint32_t tasks; /* rows that the plan's columns have for tasks */
    ask_memory part[ASK_PARTS];
    segue_group *group; /* in the memory above, like config and plan */
    segue_config *config;
    segue_plan *plan;
    segue_plan given; /* the plan's record as the plugin got it */
    segue_error error;
    char text[ASK_TEXT_MOST];
} asking;

/* 0: no memory, and the rule is not run. */
int asking_open(asking *a, probe *p, const subject *s);
void asking_close(asking *a);

/* Lays the group out, and a plan with as many rows as plan.h says. */
void asking_put(asking *a, const made_group *made, unsigned guards);

/* A plan with so many rows for the group that was put. */
void asking_make_plan(asking *a, uint32_t standby_rows, uint32_t decision_rows);

/* Clears the plan and asks. The error record of `a` is filled on a fault. */
int32_t asking_assign(asking *a, segue_instance *instance);

/* The same from an instance of its own. */
int32_t asking_once(asking *a, const char *assignor);

/* Files a finding for what was written beside the plan's columns, or into what is the host's in its record. */
void asking_check_output(asking *a, const char *assignor);

/* Do the plan's counts, handles and starts fit the group? Looks at no column of the group. */
int asking_plan_fits(const asking *a);

/* A number that stands for all of the answer, or for actives, learners and standbys alone. The plan has to fit. */
uint64_t asking_digest(const asking *a);
uint64_t asking_placement(const asking *a);

/* What lies at an address, for the handler of a fault: "copy_task of the group", or NULL. Writes nothing. `behind`: 1 when it
 * is beyond the part. */
const char *asking_find(const asking *a, const void *address, int *behind);

/* The asking that this thread has open, or NULL. */
extern _Thread_local const asking *asking_now;

#endif
