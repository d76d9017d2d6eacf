/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group as a test writes it: things are added one by one in any order of copies, the columns come out in the order
 * of segue/group.h. What a test does not say has the default of the documents.
 */
#ifndef SGP_TEST_DRAFT_H
#define SGP_TEST_DRAFT_H

#include "segue/abi.h"

typedef struct holding {
    uint32_t member, task, role, order;
    int64_t lag;
} holding;

typedef struct draft {
    uint64_t seed; /* of the random case that it is, for messages */
    segue_config config;
    segue_group group; /* complete after draft_group */
    /* columns, to be changed at will between adding and draft_group */
    uint32_t *subtopology, *partition, *process, *threads;
    uint8_t *stateful;
    double *weight;
    int64_t *state_bytes, *leaving_ms, *deadline_ms;
    /* NULL without tags: strings, dimension by dimension, SEGUE_NONE for none */
    uint32_t *tags;
    /* NULL without racks; rows of inputs_in go task by task, a row for each rack */
    uint32_t *inputs, *inputs_in, *member_rack;
    uint32_t racks;
    uint32_t *rack_start, *rack_column, *rack_inputs;
    /* copies as they were added, and as columns */
    holding *holdings;
    uint32_t holding_count;
    uint32_t *copy_start, *copy_task, *names;
    uint8_t *copy_role;
    int64_t *copy_lag;
} draft;

draft *draft_new(void);
/* Member 0 owns all tasks of one subtopology; the others, each on a disk of its own, own nothing. */
draft *draft_of_one_owner(uint32_t tasks, uint32_t members);
draft *draft_clone(const draft *d);
void draft_free(draft *d);

/* One more subtopology with that many tasks; returns the first of them. */
uint32_t draft_tasks(draft *d, uint32_t count, int stateful);
/* One more member; processes are numbered from 0 as members name them. */
uint32_t draft_member(draft *d, uint32_t process, uint32_t threads);
/* What a member has of a task; the last word on a pair counts. */
void draft_copy(draft *d, uint32_t member, uint32_t task, uint32_t role, int64_t lag);
/* Caught-up owner of `count` tasks. */
void draft_owns(draft *d, uint32_t member, uint32_t first, uint32_t count);
/* Marked at time 0; SEGUE_TIME_NONE for no deadline. */
void draft_leaves(draft *d, uint32_t member, int64_t deadline_ms);

/* Dimensions of tags once all members are there; nobody has a value yet. Values are numbers below DRAFT_VALUES. */
enum { DRAFT_VALUES = 256 };
void draft_tag_dimensions(draft *d, uint32_t dimensions);
void draft_tag(draft *d, uint32_t dimension, uint32_t member, uint32_t value);

/* That many racks, 0 inputs of every task and no rack of any member: to be filled in, when all of them are there. */
void draft_racks(draft *d, uint32_t racks);
/* One more input partition of the task, with replicas in the racks of the mask. */
void draft_input(draft *d, uint32_t task, uint64_t racks);

/* The columns. Valid until the draft changes. */
const segue_group *draft_group(draft *d);

/* The copy of a pair, or NULL; after draft_group. */
const holding *draft_find(const draft *d, uint32_t member, uint32_t task);

#endif
