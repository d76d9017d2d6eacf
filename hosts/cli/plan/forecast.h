/* SPDX-License-Identifier: Apache-2.0 */
/* forecast.h - what an application will come to, for people and for programs. One thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_FORECAST_H
#define SEGUE_HOSTS_CLI_PLAN_FORECAST_H

#include "course.h"

enum { FORECAST_TOKEN_ROOM = 17 };

/* Texts and documents are borrowed. */
typedef struct forecast {
    const char *assignor;
    const json_t *groups; /* the groups with what is supposed */
    const json_t *labels; /* by what tools know a member by: its client_id, and a name that only it has; may lack any */
    const course *course;
    int64_t seen_ms; /* when the leader saw the groups, milliseconds since 1970; COURSE_UNKNOWN for a document */
    char token[FORECAST_TOKEN_ROOM];
} forecast;

/*
 * A word for the groups and their first plans: another one where anything that counts has changed. The leader's clock and
 * since when somebody is leaving do not count. FNV-1a of 64 bits over all documents in one line each, as hexadecimal digits.
 */
void forecast_token(const json_t *groups, const json_t *first, char token[FORECAST_TOKEN_ROOM]);

void forecast_print_text(const forecast *it);

/* One line of JSON, "segue": "forecast/1". Returns 0; or -1 where no memory is left. */
int forecast_print_json(const forecast *it);

#endif
