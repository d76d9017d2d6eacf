/* SPDX-License-Identifier: Apache-2.0 */
#include "isolate_pool.h"

/* More calls at once than that are rare, and a process costs a few megabytes. */
enum { IDLE_MOST = 8 };

void sgi_isolate_pool_init(sgi_isolate_pool *pool, sgi_tally *tally, const char *program, const char *plugin)
{
    *pool = (sgi_isolate_pool){.tally = tally, .program = program, .plugin = plugin};
    pthread_mutex_init(&pool->lock, NULL);
}

static sgi_isolate *pop(sgi_isolate_pool *pool, sgi_isolate **list)
{
    pthread_mutex_lock(&pool->lock);
    sgi_isolate *first = *list;
    if (first != NULL) {
        *list = first->next;
        pool->idle_count -= list == &pool->idle;
    }
    pthread_mutex_unlock(&pool->lock);
    return first;
}

static void push(sgi_isolate_pool *pool, sgi_isolate **list, sgi_isolate *isolate)
{
    pthread_mutex_lock(&pool->lock);
    isolate->next = *list;
    *list = isolate;
    pool->idle_count += list == &pool->idle;
    pthread_mutex_unlock(&pool->lock);
}

static void end(sgi_isolate_pool *pool, sgi_isolate *isolate)
{
    atomic_fetch_sub(&pool->tally->processes, 1);
    if (!sgi_isolate_end(isolate)) {
        push(pool, &pool->dying, isolate);
    }
}

/* One look at one that was killed before: there is hardly ever any. */
static void bury(sgi_isolate_pool *pool)
{
    sgi_isolate *dying = pop(pool, &pool->dying);
    if (dying != NULL && !sgi_isolate_end(dying)) {
        push(pool, &pool->dying, dying);
    }
}

static int32_t start(sgi_isolate_pool *pool, sgi_isolate **isolate, segue_error *error)
{
    int32_t status = sgi_isolate_start(pool->program, pool->plugin, isolate, error);
    if (status == SEGUE_OK) {
        atomic_fetch_add(&pool->tally->started, 1);
        atomic_fetch_add(&pool->tally->processes, 1);
    }
    return status;
}

int32_t sgi_isolate_pool_take(sgi_isolate_pool *pool, sgi_isolate **isolate, segue_error *error)
{
    sgi_isolate *idle;
    while ((idle = pop(pool, &pool->idle)) != NULL) {
        if (sgi_isolate_is_sound(idle)) {
            *isolate = idle;
            return SEGUE_OK;
        }
        end(pool, idle);
    }
    bury(pool);
    return start(pool, isolate, error);
}

void sgi_isolate_pool_warm(sgi_isolate_pool *pool)
{
    sgi_isolate *made;
    pthread_mutex_lock(&pool->lock);
    int has_none = pool->idle == NULL;
    pthread_mutex_unlock(&pool->lock);
    if (has_none && start(pool, &made, NULL) == SEGUE_OK) {
        push(pool, &pool->idle, made);
    }
}

void sgi_isolate_pool_give(sgi_isolate_pool *pool, sgi_isolate *isolate, int sound)
{
    pthread_mutex_lock(&pool->lock);
    int keep = sound && pool->idle_count < IDLE_MOST;
    pthread_mutex_unlock(&pool->lock);
    if (keep) {
        push(pool, &pool->idle, isolate);
    } else {
        end(pool, isolate);
    }
}

void sgi_isolate_pool_close(sgi_isolate_pool *pool)
{
    sgi_isolate *isolate;
    while ((isolate = pop(pool, &pool->idle)) != NULL) {
        end(pool, isolate);
    }
    while ((isolate = pop(pool, &pool->dying)) != NULL) {
        sgi_isolate_leave(isolate);
    }
    pthread_mutex_destroy(&pool->lock);
}
