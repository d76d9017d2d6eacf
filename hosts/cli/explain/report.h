/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - an explanation as text for people and as a JSON document (`explanation/1`, in hosts/GROUP.md). */
#ifndef SEGUE_HOSTS_CLI_EXPLAIN_REPORT_H
#define SEGUE_HOSTS_CLI_EXPLAIN_REPORT_H

#include "grounds.h"

/* What it is about: one task, one member, or SEGUE_NONE for both: everything that changes. */
typedef struct report_subject {
    uint32_t task, member;
} report_subject;

/* The word for what becomes of a task: "stays", "is learned", "is handed over", "is placed", "is forced away". */
const char *report_fate(const grounds *it, uint32_t task);

/* The first of the task's decision rows, which come by task; ends at the returned row of the next task. */
uint32_t report_first_decision(const grounds *it, uint32_t task);

/* Decisions say so or, where an assignor gives none, the plan itself: its owner changes, or somebody learns it. */
int report_changes(const grounds *it, uint32_t task);
/* A task that changes has to do with the member; SEGUE_NONE: with anybody. */
int report_is_about(const grounds *it, uint32_t task, uint32_t member);

void report_print_text(const grounds *it, const report_subject *subject, int with_colour);
/* 0, or -1 without memory. */
int report_print_json(const grounds *it, const report_subject *subject);

#endif
