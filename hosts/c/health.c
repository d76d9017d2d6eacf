/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include <stdio.h>

#include "error.h"

void sgi_health_init(sgi_health *health)
{
    pthread_mutex_init(&health->lock, NULL);
    sgi_health_reinstate(health);
}

void sgi_health_close(sgi_health *health)
{
    pthread_mutex_destroy(&health->lock);
}

sgi_condition sgi_health_read(sgi_health *health)
{
    pthread_mutex_lock(&health->lock);
    sgi_condition condition = {health->faults, health->aside};
    pthread_mutex_unlock(&health->lock);
    return condition;
}

sgi_condition sgi_health_fault(sgi_health *health, const segue_error *fault, uint32_t most, int at_once)
{
    pthread_mutex_lock(&health->lock);
    health->faults += health->faults < UINT32_MAX;
    health->aside |= at_once || (most != SEGUE_NO_LIMIT && health->faults >= most);
    health->code = fault->code;
    health->rule = fault->rule;
    health->row = fault->row;
    snprintf(health->text, sizeof health->text, "%s", fault->text);
    sgi_condition condition = {health->faults, health->aside};
    pthread_mutex_unlock(&health->lock);
    return condition;
}

int sgi_health_is_aside(sgi_health *health, const char *assignor, const char *plugin, segue_error *fault)
{
    pthread_mutex_lock(&health->lock);
    int aside = health->aside != 0;
    if (aside) {
        sgi_fault(fault, health->code, health->rule, health->row,
                  "%s of %s is put aside after %u fault%s, until it is reinstated; the last: %s", assignor, plugin,
                  health->faults, health->faults == 1 ? "" : "s", health->text);
    }
    pthread_mutex_unlock(&health->lock);
    return aside;
}

void sgi_health_reinstate(sgi_health *health)
{
    pthread_mutex_lock(&health->lock);
    health->faults = health->aside = health->rule = 0;
    health->code = SEGUE_OK;
    health->row = SEGUE_NONE;
    health->text[0] = '\0';
    pthread_mutex_unlock(&health->lock);
}
