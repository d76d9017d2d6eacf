/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <stdlib.h>

#include "error.h"

void sgi_pool_init(sgi_pool *pool, const segue_slots *slots, const char *assignor)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->idle = NULL;
    pool->slots = slots;
    pool->assignor = assignor;
}

static int32_t make_instance(const sgi_pool *pool, sgi_lease **lease, segue_error *error)
{
    sgi_lease *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for an instance of %s", pool->assignor);
    }
    int32_t status = pool->slots->create(pool->assignor, &made->instance, error);
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

int32_t sgi_pool_take(sgi_pool *pool, sgi_lease **lease, segue_error *error)
{
    pthread_mutex_lock(&pool->lock);
    sgi_lease *idle = pool->idle;
    if (idle != NULL) {
        pool->idle = idle->next;
    }
    pthread_mutex_unlock(&pool->lock);
    if (idle == NULL) {
        return make_instance(pool, lease, error);
    }
    *lease = idle;
    return SEGUE_OK;
}

static void destroy(const sgi_pool *pool, sgi_lease *lease)
{
    pool->slots->destroy(lease->instance);
    free(lease);
}

void sgi_pool_give(sgi_pool *pool, sgi_lease *lease, int sound)
{
    if (!sound) {
        destroy(pool, lease);
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
        destroy(pool, lease);
        lease = next;
    }
    pthread_mutex_destroy(&pool->lock);
}
