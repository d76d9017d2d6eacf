/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_reader.h - a scenario on its way out of its document. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_READER_H
#define SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_READER_H

#include "chance.h"
#include "document_value.h"
#include "scenario.h"

typedef struct sim_reader {
    sgi_complaint complaint;
    sim_scenario *scenario;
    sim_chance chance;
    uint32_t action_room;
    int64_t until_us; /* as the document says, or INT64_MAX */
} sim_reader;

enum { SIM_ACTIONS_MOST = 10000000 };

/* A year; all times are below it, so that sums stay inside 64 bits. */
#define SIM_MS_MOST INT64_C(31622400000)
#define SIM_US_MOST (SIM_MS_MOST * 1000)

/* Reads a duration or a time in milliseconds into microseconds; what is absent stays as it is. */
int32_t sim_read_ms(sim_reader *reader, const sgi_place *parent, const json_t *object, const char *key, int64_t *us);

/* Reads a number from 1 on; what is absent stays as it is. */
int32_t sim_read_positive(sim_reader *reader, const sgi_place *parent, const json_t *object, const char *key, double most,
                          double *number);

/* Reads `actions`, writes them out one by one, and sorts them by time. */
int32_t sim_read_actions(sim_reader *reader, json_t *list);

#endif
