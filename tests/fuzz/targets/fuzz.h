/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the fuzz targets share. A target is one file with one LLVMFuzzerTestOneInput: packaging/fuzz links it with
 * libFuzzer, which looks for inputs that reach new code; everywhere else it is linked with replay.c, which gives it the
 * files of tests/fuzz/corpus.
 */
#ifndef SEGUE_TESTS_FUZZ_FUZZ_H
#define SEGUE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "made.h"
#include "segue/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is promised of every input. Ends the process as a crash does, so that the input is kept. */
#define HOLD(condition, ...)                                                                                          \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fuzz_broken(__FILE__, __LINE__, __VA_ARGS__);                                                             \
        }                                                                                                             \
    } while (0)
__attribute__((format(printf, 3, 4), noreturn)) void fuzz_broken(const char *file, int line, const char *text, ...);

/* The group that a broken promise is about: it is shown as a document. NULL: none. */
void fuzz_about(const made_group *made);

/* An error with room for its text. A fault has to say something, in one line. */
typedef struct fuzz_fault {
    segue_error error;
    char text[400];
} fuzz_fault;

segue_error *fuzz_error(fuzz_fault *fault);
void fuzz_hold_said(const fuzz_fault *fault, int32_t status);

/* The bytes in memory of exactly their size, aligned as wire messages are, so that a read behind the end is seen. For free.
 */
void *fuzz_copy(const uint8_t *data, size_t size);

/* Reads both ends of a column, which has to be aligned. NULL: there is none. */
void fuzz_touch(const void *column, size_t count, size_t element_bytes);

/* Room for any plan of a group. For segue_plan_free. */
segue_plan *fuzz_plan(const segue_group *group, const segue_config *config);

/* Do two plans say the same, decisions and figures included? */
int fuzz_same(const segue_plan *a, const segue_plan *b);

/* The assignors of the plugin that is linked in. */
enum { FUZZ_ASSIGNORS = 6 };
typedef struct fuzz_assignor {
    segue_assignor_info info;
    segue_instance *instance;
} fuzz_assignor;
const segue_slots *fuzz_slots(void);
fuzz_assignor *fuzz_assignors(void);

/* Its plan, which has to hold R1-R9. */
void fuzz_assign(const fuzz_assignor *assignor, const segue_group *group, const segue_config *config, segue_plan *plan);

#endif
