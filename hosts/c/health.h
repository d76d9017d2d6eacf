/* SPDX-License-Identifier: Apache-2.0 */
/* health.h - the faults of one assignor: how many, the last one, and whether it is put aside. Any thread. */
#ifndef SEGUE_HOSTS_C_HEALTH_H
#define SEGUE_HOSTS_C_HEALTH_H

#include <pthread.h>

#include "segue/base.h"

enum { SGI_HEALTH_TEXT = 400 };

typedef struct sgi_health {
    pthread_mutex_t lock;
    uint32_t faults; /* since it was opened or told to be asked again */
    uint32_t aside;
    int32_t code; /* the last fault */
    uint32_t rule;
    uint32_t row;
    char text[SGI_HEALTH_TEXT];
} sgi_health;

/* What a report says of it. */
typedef struct sgi_condition {
    uint32_t faults;
    uint32_t aside;
} sgi_condition;

void sgi_health_init(sgi_health *health);
void sgi_health_close(sgi_health *health);

sgi_condition sgi_health_read(sgi_health *health);

/* One more fault. The assignor is put aside when that makes `most` of them, or at once. */
sgi_condition sgi_health_fault(sgi_health *health, const segue_error *fault, uint32_t most, int at_once);

/* Is it put aside? Then `fault` is the last fault again, in a sentence that says so. */
int sgi_health_is_aside(sgi_health *health, const char *assignor, const char *plugin, segue_error *fault);

/* Its faults are forgotten, and it is asked again. */
void sgi_health_reinstate(sgi_health *health);

#endif
