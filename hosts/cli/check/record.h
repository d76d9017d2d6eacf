/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - records of every size, as older and newer hosts have them: from none at all to larger than the plugin knows. */
#ifndef SEGUE_HOSTS_CLI_CHECK_RECORD_H
#define SEGUE_HOSTS_CLI_CHECK_RECORD_H

#include "probe.h"

typedef struct record_case {
    const char *name;
    size_t bytes; /* of version 1 */
    size_t floor; /* bytes that an answer needs */
    int32_t (*call)(probe *p, void *record); /* its size is set */
} record_case;

/* Nothing beyond the size is written, what is too small is refused, a tail is zeroed, the size itself stays. */
void record_check(probe *p, const record_case *it);

#endif
