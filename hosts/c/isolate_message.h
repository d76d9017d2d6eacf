/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolate_message.h - what libsegue (isolate.h) and the process of a plugin or of an assignor's program (serve.h) say to
 * each other.
 *
 * Their messages go over a socket of whole messages; columns lie in an area of memory that both have mapped. libsegue
 * makes the area, seals its size and hands it over with the first message that uses it. It is never read before it was
 * copied, and no offset or count comes from the other side: where a column lies, both work out from the question.
 *
 *   describe   the area gets texts, each with its NUL: the plugin's name and version; then name, version, summary and
 *              traits (a decimal number) of each assignor. `bytes` says how many
 *   assign     the area has the group as a wire message at 0, and room for the plan's columns at plan_offset
 *
 * Both sides are of one version. segue-isolate is started with it as its first argument, and ends with status
 * SGI_OTHER_VERSION when it is another, with SGI_NOT_BEGUN where the system refuses it something, and says what on standard
 * error; the second argument is the plugin's path. The program of an assignor finds the version in its environment.
 */
#ifndef SEGUE_HOSTS_C_ISOLATE_MESSAGE_H
#define SEGUE_HOSTS_C_ISOLATE_MESSAGE_H

#include "elf_note.h"
#include "segue/plan.h"

#define SGI_ISOLATE_MAGIC 0x5345494cu
#define SGI_ONE_SCALAR(...) +1

enum {
    SGI_PLAN_SCALARS = 0 SEGUE_PLAN_SCALARS(SGI_ONE_SCALAR),
    SGI_ASK_DESCRIBE = 1,
    SGI_ASK_ASSIGN = 2,
    SGI_OTHER_VERSION = 90,
    SGI_NOT_BEGUN = 74,
    SGI_ANSWER_TEXT = 512,
    SGI_DESCRIPTION_MOST = 1 << 18
};

typedef struct sgi_question {
    uint32_t magic;
    uint32_t kind;
    uint64_t number; /* of the question; the answer has it again */
    uint64_t area_bytes;
    uint64_t group_bytes;
    uint64_t plan_offset;
    uint32_t task_count;
    uint32_t standby_capacity;
    uint32_t decision_capacity;
    uint32_t limit_ms; /* the program ends itself when it takes longer */
    char assignor[SGI_NAME_MOST + 8];
} sgi_question;

typedef struct sgi_answer {
    uint32_t magic;
    int32_t status;
    uint64_t number;
    uint64_t bytes;
    uint64_t elapsed_ns;
    uint32_t rule;
    uint32_t row;
    uint64_t scalars[SGI_PLAN_SCALARS]; /* words, as in segue/wire.h */
    char text[SGI_ANSWER_TEXT];
} sgi_answer;

#endif
