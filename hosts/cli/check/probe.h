/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h - what a rule works with. A rule runs in a child process of its own, loads the plugin there, and says what it
 * does and what does not hold; both stand in memory that it shares with its parent, which reads them also when the child
 * was ended by the plugin.
 */
#ifndef SEGUE_HOSTS_CLI_CHECK_PROBE_H
#define SEGUE_HOSTS_CLI_CHECK_PROBE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"
#include "subject.h"

enum { CHECK_FINDINGS_MOST = 5, CHECK_TEXT_MOST = 400 };

/* What is known of one rule so far. Shared with the child. */
typedef struct verdict {
    atomic_uint ended; /* 1: the rule came to its end */
    uint32_t timed_out; /* 1: it was ended, since it took too long */
    uint32_t checks;
    uint32_t blocked; /* 1: the rule asks something of the plugin, which could not be asked */
    uint32_t findings;               /* as many as there were; the first of them have a text */
    char doing[CHECK_TEXT_MOST];     /* what the plugin was asked last */
    char not_run[CHECK_TEXT_MOST];   /* why the rule could not be looked at; empty: it was */
    char text[CHECK_FINDINGS_MOST][CHECK_TEXT_MOST];
} verdict;

typedef struct probe {
    const char *path;
    uint64_t seed;
    uint32_t groups; /* random groups of each rule that takes some */
    uint32_t unanswered; /* of those, without a plan that could be looked at */
    verdict *verdict;
    subject subject;
    segue_error error; /* a place for faults that are no matter of the rule */
    char error_text[CHECK_TEXT_MOST];
} probe;

/* Counts a check. Files a finding when it does not hold. Returns `holds`. */
__attribute__((format(printf, 3, 4))) int probe_hold(probe *p, int holds, const char *format, ...);

/* Says what is done next, for the case that it is the last thing. */
__attribute__((format(printf, 2, 3))) void probe_doing(probe *p, const char *format, ...);

/* There is nothing that the rule could be about, and why. */
__attribute__((format(printf, 2, 3))) void probe_skip(probe *p, const char *format, ...);

/* The rule cannot be looked at, since the plugin cannot be asked, and why: nobody may take the plugin for sound. */
__attribute__((format(printf, 2, 3))) void probe_block(probe *p, const char *format, ...);

/* A record for a fault that is expected. */
segue_error *probe_error(probe *p);

/* The plugin with its slots and assignors, ready to be called; NULL when it cannot be, with the reason in not_run. */
subject *probe_subject(probe *p);

#endif
