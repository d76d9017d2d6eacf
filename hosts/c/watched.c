/* SPDX-License-Identifier: Apache-2.0 */
#include "watched.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "plan.h"

enum { TEXT = 512 };

/* One call. The caller and the thread hold it; the last one frees it. */
typedef struct watched {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int has_ended;
    int is_given_up;
    const segue_slots *slots;
    const char *assignor;
    sgi_lease *lease;
    sgi_tally *tally;
    void *group_bytes;
    segue_group group;
    segue_config config;
    segue_plan *plan;  /* its columns */
    segue_plan answer; /* what the plugin is given, and may bend */
    int32_t status;
    uint64_t elapsed_ns;
    segue_error fault;
    char text[TEXT];
} watched;

static void free_call(watched *call)
{
    pthread_cond_destroy(&call->ended);
    pthread_mutex_destroy(&call->lock);
    segue_plan_free(call->plan);
    free(call->group_bytes);
    free(call);
}

/* ---- on the thread ----------------------------------------------------------------------------------------------- */

static void compute(watched *call)
{
    call->status = call->lease != NULL ? SEGUE_OK
                                       : sgi_lease_make(call->slots, call->assignor, &call->lease, &call->fault);
    if (call->status < 0) {
        return;
    }
    uint64_t began = sgi_now_ns();
    pid_t own = getpid();
    call->status = call->slots->assign(call->lease->instance, &call->group, &call->config, &call->answer, &call->fault);
    sgi_end_copy(own, call->assignor);
    call->elapsed_ns = sgi_now_ns() - began;
    if (call->status < 0) {
        sgi_lease_end(call->slots, call->lease);
        call->lease = NULL;
    }
}

static void *run(void *argument)
{
    watched *call = argument;
    compute(call);
    pthread_mutex_lock(&call->lock);
    call->has_ended = 1;
    int is_given_up = call->is_given_up;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&call->lock);
    if (is_given_up) {
        if (call->lease != NULL) {
            sgi_lease_end(call->slots, call->lease);
        }
        atomic_fetch_sub(&call->tally->threads, 1);
        sgi_tally_release(call->tally);
        free_call(call);
    }
    return NULL;
}

/* ---- on the caller's --------------------------------------------------------------------------------------------- */

static watched *make_call(sgi_assignor *assignor, const segue_group *g, const segue_config *c, const segue_plan *plan,
                          sgi_tally *tally)
{
    segue_bound bound = {sizeof bound, 0, 0, 0};
    segue_config none = {.size = sizeof none};
    size_t bytes = 0;
    watched *call = calloc(1, sizeof *call);
    if (call == NULL) {
        return NULL;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&call->lock, NULL);
    pthread_cond_init(&call->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    call->slots = assignor->pool.slots;
    call->assignor = assignor->info.name;
    call->tally = tally;
    memcpy(&call->config, c, sizeof call->config);
    call->config.size = sizeof call->config;
    call->group.size = sizeof call->group;
    call->fault = (segue_error){
        .size = sizeof call->fault, .row = SEGUE_NONE, .text = call->text, .text_size = sizeof call->text};
    segue_wire_encode_group(g, c, NULL, 0, &bytes, NULL);
    call->group_bytes = malloc(bytes);
    if (call->group_bytes == NULL || segue_wire_encode_group(g, c, call->group_bytes, bytes, &bytes, NULL) != SEGUE_OK ||
        segue_wire_decode_group(call->group_bytes, bytes, &call->group, &none, NULL) != SEGUE_OK ||
        segue_host_bound(g, c, &bound) != SEGUE_OK ||
        segue_plan_new(g->task_count, &bound, plan->decision_capacity > 0, &call->plan) != SEGUE_OK) {
        free_call(call);
        return NULL;
    }
    sgi_plan_clear(call->plan);
    call->answer = *call->plan;
    return call;
}

/* The host's signals are not for this thread. */
static int start_thread(watched *call, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fault = pthread_create(thread, NULL, run, call);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* A thread that nobody waits for may return into this library, which must not be gone by then. */
static void keep_library(void)
{
    Dl_info about;
    if (dladdr((void *)(uintptr_t)sgi_watched_assign, &about) != 0 && about.dli_fname != NULL) {
        void *library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (library != NULL) {
            dlclose(library);
        }
    }
}

/* 1: it has ended. 0: it is given up. */
static int has_ended_by(watched *call, const struct timespec *until)
{
    int late = 0;
    pthread_mutex_lock(&call->lock);
    while (!call->has_ended && !late) {
        late = pthread_cond_timedwait(&call->ended, &call->lock, until) != 0;
    }
    int has_ended = call->has_ended;
    if (!has_ended) {
        keep_library();
        sgi_tally_hold(call->tally);
        atomic_fetch_add(&call->tally->threads, 1);
        call->is_given_up = 1;
    }
    pthread_mutex_unlock(&call->lock);
    return has_ended;
}

/* The same. One that has ended is on its way out of this library yet, which might be unloaded right behind the call; what
 * plugins have left to be done at a thread's end takes any time, and the library is kept then. */
static int wait_for(watched *call, pthread_t thread, uint64_t until_ns)
{
    const struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
    int has_ended = has_ended_by(call, &until);
    if (has_ended && pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == 0) {
        return 1;
    }
    if (has_ended) {
        keep_library();
    }
    pthread_detach(thread);
    return has_ended;
}

sgi_end sgi_watched_assign(sgi_assignor *assignor, const segue_group *group, const segue_config *config,
                           segue_plan *plan, sgi_tally *tally, uint64_t limit_ns, uint64_t *elapsed_ns,
                           segue_error *fault)
{
    uint64_t began = sgi_now_ns();
    watched *call = make_call(assignor, group, config, plan, tally);
    if (call == NULL) {
        sgi_fail(fault, SEGUE_E_MEMORY, "no memory for a call on a thread of its own");
        return SGI_UNSTARTED;
    }
    call->lease = sgi_pool_pop(&assignor->pool);
    pthread_t thread;
    int problem = start_thread(call, &thread);
    if (problem == 0 && !wait_for(call, thread, began + limit_ns)) {
        *elapsed_ns = sgi_now_ns() - began;
        sgi_fail(fault, SEGUE_E_DEADLINE, "it gave no answer within %llu ms, and its thread was given up",
                 (unsigned long long)(*elapsed_ns / SGI_MILLISECOND));
        return SGI_LATE;
    }
    if (call->lease != NULL) {
        sgi_pool_give(&assignor->pool, call->lease, 1);
    }
    sgi_end end = problem != 0 ? SGI_UNSTARTED : call->status < 0 ? SGI_FAULT : SGI_ANSWERED;
    *elapsed_ns = call->elapsed_ns;
    call->text[sizeof call->text - 1] = '\0';
    if (end == SGI_UNSTARTED) {
        sgi_fail(fault, SEGUE_E_SYSTEM, "no thread can be started: %s", strerror(problem));
    } else if (end == SGI_FAULT) {
        sgi_fault(fault, call->status, call->fault.rule, call->fault.row, "%s", call->text);
    } else {
        sgi_plan_take_scalars(plan, &call->answer);
        sgi_plan_take_columns(plan, call->plan, group->task_count);
    }
    free_call(call);
    return end;
}
