/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what `segue check` prints: lines for people, one JSON document for programs, and the page of the rules. */
#ifndef SEGUE_HOSTS_CLI_CHECK_REPORT_H
#define SEGUE_HOSTS_CLI_CHECK_REPORT_H

#include "survey.h"

typedef struct report {
    const char *path;
    uint64_t seed;
    uint32_t groups;
    const survey *survey;
    const check_rule *const *rules; /* those that were run, with as many verdicts */
    const verdict *verdicts;
    uint32_t count;
} report;

enum report_outcome { REPORT_HOLDS, REPORT_BROKEN, REPORT_NOT_RUN };

enum report_outcome report_outcome(const verdict *v);

/* No rule is broken, and none was left out because the plugin could not be asked. */
int report_conforms(const report *r);

/* Before the first rule, for each, and at the end. */
void report_head(const report *r);
void report_rule(const check_rule *rule, const verdict *v);
void report_end(const report *r);

void report_json(const report *r);

/* abi/CONFORMANCE.md. */
void report_page(void);

#endif
