/* SPDX-License-Identifier: Apache-2.0 */
/* survey.h - what a plugin says of itself, found out in a child and kept as copies. */
#ifndef SEGUE_HOSTS_CLI_CHECK_SURVEY_H
#define SEGUE_HOSTS_CLI_CHECK_SURVEY_H

#include "probe.h"

enum { SURVEY_TEXT_MOST = 72, SURVEY_ASSIGNORS_MOST = 32 };

typedef struct survey_slot {
    char name[SURVEY_TEXT_MOST];
    char signature[SURVEY_TEXT_MOST];
    uint32_t since;
    uint32_t offset;
    uint32_t thread;
    int known; /* of this program's version of the border */
} survey_slot;

typedef struct survey {
    char name[SURVEY_TEXT_MOST];
    char version[SURVEY_TEXT_MOST];
    uint32_t floor, newest;
    survey_slot slots[SUBJECT_SLOTS_MOST];
    uint32_t slot_count;
    char assignors[SURVEY_ASSIGNORS_MOST][SURVEY_TEXT_MOST];
    uint32_t assignor_count; /* as many as there are; the first of them have a name here */
} survey;

/* Fills the survey, which this process shares with its children, as far as the plugin allows. */
void survey_take(probe *p, survey *shared, uint32_t timeout_s);

#endif
