/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a caller's error record. No allocation, no state. */
#ifndef SGP_FAULT_H
#define SGP_FAULT_H

#include "segue/base.h"

/* Returns `code`, after writing it with row and text (printf's format) into as much of *error as its size states. */
int32_t sgp_fault(segue_error *error, int32_t code, uint32_t row, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
