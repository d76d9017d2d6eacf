/* SPDX-License-Identifier: Apache-2.0 */
/* scenario_deeds.h - the words of a scenario's actions, and the single deeds that each of them comes to. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_DEEDS_H
#define SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_DEEDS_H

#include "scenario_reader.h"

/* One action of the document with everything that one can have; what is absent has the value here. */
typedef struct sim_wish {
    const sgi_place *place;
    json_t *object;
    int64_t at_us, stagger_us, timeout_us, away_us, up_us, every_us, until_us, back_after_us, cooldown_us, times;
    double restore_bytes_per_s;
    uint32_t by; /* how it goes: close, leave, crash or drain */
    uint8_t loses_disk;
    uint32_t *members;
    uint32_t member_count;
} sim_wish;

/* A word of `do`. */
typedef struct sim_word {
    const char *word;
    const char *needs;        /* the key without which it means nothing, or NULL */
    const char *const *takes; /* further keys, beside those of every action; ends with NULL */
    int may_be_all;           /* without member and members all are meant */
    int32_t (*write)(sim_reader *reader, const sim_wish *it, int64_t at_us, uint32_t member); /* NULL: left to chance */
} sim_word;

/* Ends with a row without a word. */
extern const sim_word sim_words[];

/* `times` steps later, or just beyond the end of all times. */
int64_t sim_later(int64_t at_us, int64_t step_us, int64_t times);

/* Adds the deeds of a wish for all of its members. */
int32_t sim_write_deeds(sim_reader *reader, const sim_wish *it, const sim_word *word);

#endif
