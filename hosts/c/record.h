/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - makes frames of segue/record.h; appends them to a file, and begins a new one when it is full. Any thread,
 * any process. */
#ifndef SEGUE_HOSTS_C_RECORD_H
#define SEGUE_HOSTS_C_RECORD_H

#include "segue/host.h"

typedef struct sgi_record {
    char *path; /* NULL: nothing is recorded */
    uint64_t most_bytes;
} sgi_record;

/* `path` NULL: the environment's SEGUE_RECORD_PATH, which a setuid program ignores; without it nothing is recorded. Opens
 * the file once, so that a wrong path shows at the start: E_SYSTEM, for a file that holds something else as well. Takes away
 * what a crash has left of a frame. `most_bytes` 0: SEGUE_RECORD_BYTES. */
int32_t sgi_record_open(sgi_record *record, const char *path, uint64_t most_bytes, segue_error *error);
void sgi_record_close(sgi_record *record);

/* One frame of *size bytes, for free(); `report` as this version has it. NULL: no memory. */
char *sgi_record_frame(const char *assignor, const segue_group *group, const segue_config *config, const segue_plan *plan,
                       const segue_report *report, size_t *size);

/* Writes one frame. What cannot be written later on (a full disk) is left out: a plan is worth more than its record. */
void sgi_record_plan(const sgi_record *record, const char *assignor, const segue_group *group,
                     const segue_config *config, const segue_plan *plan, const segue_report *report);

#endif
