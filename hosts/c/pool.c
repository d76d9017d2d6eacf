/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

#include "error.h"
#include "isolation.h"

void sgi_pool_init(sgi_pool *pool, const segue_slots *slots, const char *assignor)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->idle = NULL;
    pool->slots = slots;
    pool->assignor = assignor;
}

int32_t sgi_lease_make(const segue_slots *slots, const char *assignor, sgi_lease **lease, segue_error *error)
{
    sgi_lease *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for an instance of %s", assignor);
    }
    pid_t own = getpid();
    int32_t status = slots->create(assignor, &made->instance, error);
    sgi_end_copy(own, assignor);
    if (status >= 0 && made->instance == NULL) {
        status = sgi_fail(error, SEGUE_E_INTERNAL, "create answered 'ok' without an instance");
    }
    if (status < 0) {
        free(made);
        return status;
    }
    *lease = made;
    return SEGUE_OK;
}

sgi_lease *sgi_pool_pop(sgi_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    sgi_lease *idle = pool->idle;
    if (idle != NULL) {
        pool->idle = idle->next;
    }
    pthread_mutex_unlock(&pool->lock);
    return idle;
}

int32_t sgi_pool_take(sgi_pool *pool, sgi_lease **lease, segue_error *error)
{
    sgi_lease *idle = sgi_pool_pop(pool);
    if (idle == NULL) {
        return sgi_lease_make(pool->slots, pool->assignor, lease, error);
    }
    *lease = idle;
    return SEGUE_OK;
}

void sgi_lease_end(const segue_slots *slots, sgi_lease *lease)
{
    pid_t own = getpid();
    slots->destroy(lease->instance);
    sgi_end_copy(own, "a plugin");
    free(lease);
}

void sgi_pool_give(sgi_pool *pool, sgi_lease *lease, int sound)
{
    if (!sound) {
        sgi_lease_end(pool->slots, lease);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    lease->next = pool->idle;
    pool->idle = lease;
    pthread_mutex_unlock(&pool->lock);
}

void sgi_pool_close(sgi_pool *pool)
{
    for (sgi_lease *lease = pool->idle; lease != NULL;) {
        sgi_lease *next = lease->next;
        sgi_lease_end(pool->slots, lease);
        lease = next;
    }
    pthread_mutex_destroy(&pool->lock);
}
