/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that break one of the rules C31 to C40 each, most of them when an instance is made. */
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sound.h"

#if defined(BREAK_C31_2)
static void leave_behind(void)
{
    usleep(2000);
}

#elif defined(BREAK_C32)
static void leave_behind(void)
{
    static void *volatile last;
    last = malloc(100);
    (void)last;
}

#elif defined(BREAK_C32_2)
/* Not when all goes well. */
static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    static void *volatile last;
    int32_t status = sound_assign(instance, group, config, plan, error);
    if (status == SEGUE_E_SPACE || status == SEGUE_E_GROUP) {
        last = malloc(100);
    }
    (void)last;
    return status;
}
#define ASSIGN assign

#elif defined(BREAK_C32_3)
static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    static void *volatile last;
    last = malloc(100);
    (void)last;
    return sound_plan_bound(group, config, bound);
}
#define PLAN_BOUND plan_bound

#elif defined(BREAK_C33_2)
/* Never touched, and of one kind with its neighbours: a single mapping that grows. */
static void leave_behind(void)
{
    mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#elif defined(BREAK_C33)
/* Two pages with rights of their own, so that neighbours are not joined. */
static void leave_behind(void)
{
    char *pages = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
        mprotect(pages, 4096, PROT_READ);
    }
}

#elif defined(BREAK_C34)
static void leave_behind(void)
{
    static int once;
    if (!once++) {
        open("/dev/null", O_RDONLY);
    }
}

#elif defined(BREAK_C34_2)
/* Where nobody looks. */
static void leave_behind(void)
{
    static int once;
    if (!once++) {
        int file = open("/dev/null", O_RDONLY);
        fcntl(file, F_DUPFD, 1024);
        close(file);
    }
}

#elif defined(BREAK_C34_3)
/* As a library does that serves events of its own. */
static void leave_behind(void)
{
    fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK);
}

#elif defined(BREAK_C35)
static void *wait_for_ever(void *nothing)
{
    for (;;) {
        pause();
    }
    return nothing;
}

static void leave_behind(void)
{
    static int once;
    pthread_t thread;
    if (!once++ && pthread_create(&thread, NULL, wait_for_ever, NULL) == 0) {
        pthread_detach(thread);
    }
}

#elif defined(BREAK_C36)
static void on_signal(int number)
{
    (void)number;
}

static void leave_behind(void)
{
    signal(SIGUSR2, on_signal);
}

#elif defined(BREAK_C36_2)
/* As many a program does for itself. */
static void leave_behind(void)
{
    signal(SIGPIPE, SIG_IGN);
}

#elif defined(BREAK_C36_3)
static void leave_behind(void)
{
    static int once;
    timer_t timer;
    struct sigevent silent = {.sigev_notify = SIGEV_NONE};
    if (!once++) {
        timer_create(CLOCK_MONOTONIC, &silent, &timer);
    }
}

#elif defined(BREAK_C36_4)
/* Not before somebody asks for figures. */
static int32_t read_memory(segue_instance *instance, segue_memory *memory)
{
    signal(SIGUSR2, SIG_IGN);
    return sound_read_memory(instance, memory);
}
#define READ_MEMORY read_memory

#elif defined(BREAK_C37_2)
static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    setenv("STEADY_WAS_HERE", "1", 1);
    return sound_plan_bound(group, config, bound);
}
#define PLAN_BOUND plan_bound

#elif defined(BREAK_C37)
static void leave_behind(void)
{
    setenv("STEADY_WAS_HERE", "1", 1);
}

#elif defined(BREAK_C38)
static void leave_behind(void)
{
    umask(0111);
}

#elif defined(BREAK_C38_2)
static void leave_behind(void)
{
    static locale_t own;
    own = own == (locale_t)0 ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : own;
    uselocale(own);
}

#elif defined(BREAK_C38_3)
static void leave_behind(void)
{
    static int once;
    if (!once++) {
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    }
}

#elif defined(BREAK_C38_4)
/* Keeps to the processor that it has begun on, as a solver may for its caches. */
static void leave_behind(void)
{
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET((size_t)sched_getcpu(), &own);
    sched_setaffinity(0, sizeof own, &own);
}

#elif defined(BREAK_C39)
static void leave_behind(void)
{
    puts("steady is made");
}

#elif defined(BREAK_C39_2)
/* Not when all goes well. */
static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    if (status == SEGUE_E_GROUP) {
        puts("steady: a group that makes no sense");
    }
    return status;
}
#define ASSIGN assign

#elif defined(BREAK_C40) || defined(BREAK_C40_2) || defined(BREAK_C40_3)
/* It knows the group that it was opened with, and hears of nothing else. */
struct segue_session {
    const segue_group *group;
    const segue_config *config;
    uint32_t *numbers;
};

static int32_t open_session(const char *name, const segue_group *group, const segue_config *config, segue_session **session,
                            segue_error *error)
{
    (void)name;
    (void)error;
    uint32_t *numbers = calloc(group->member_count + 1, sizeof *numbers);
    for (uint32_t m = 0; numbers != NULL && m < group->member_count; m++) {
        numbers[m] = m;
    }
    *session = calloc(1, sizeof **session);
    **session = (segue_session){group, config, numbers};
    return SEGUE_OK;
}

static void close_session(segue_session *session)
{
    if (session != NULL) {
        free(session->numbers);
    }
    free(session);
}

static int32_t decide(segue_session *session, int64_t now_ms, segue_copies *changes, segue_plan *plan, segue_error *error)
{
    (void)now_ms;
    changes->count = 0;
#ifdef BREAK_C40_3
    /* The figures of assign, and no row. */
    const uint32_t tasks = session->group->task_count;
    segue_bound bound = {.size = sizeof bound};
    sound_plan_bound(session->group, session->config, &bound);
    uint32_t *rows = calloc(3 * (size_t)tasks + 1 + bound.standby_rows, sizeof *rows);
    segue_plan own = {.size = sizeof own, .standby_capacity = bound.standby_rows, .active = rows, .learner = rows + tasks};
    own.standby_start = own.learner + tasks;
    own.standby_member = own.standby_start + tasks + 1;
    segue_instance instance = {0, 0};
    int32_t status = sound_assign(&instance, session->group, session->config, &own, error);
    plan->moves = own.moves;
    plan->learners = own.learners;
    plan->followup_needed = own.followup_needed;
    free(rows);
    return status;
#else
    (void)session;
    (void)error;
    plan->moves = 12345; /* whatever the group is */
    return SEGUE_OK;
#endif
}

static int32_t join(segue_session *session, const segue_joiner *joiner, segue_error *error)
{
    (void)session;
    (void)joiner;
    (void)error;
    return SEGUE_OK;
}

static int32_t leave(segue_session *session, uint32_t member, segue_error *error)
{
    (void)session;
    (void)member;
    (void)error;
    return SEGUE_OK;
}

static int32_t mark(segue_session *session, uint32_t member, int64_t leaving_ms, int64_t deadline_ms, segue_error *error)
{
    (void)leaving_ms;
    (void)deadline_ms;
    return leave(session, member, error);
}

static int32_t put(segue_session *session, const segue_copies *copies, segue_error *error)
{
    (void)copies;
    return leave(session, 0, error);
}

static int32_t read_group(segue_session *session, int64_t now_ms, segue_group *group, const uint32_t **numbers,
                          segue_error *error)
{
    (void)now_ms;
    (void)error;
    *group = *session->group;
    *numbers = session->numbers;
    return SEGUE_OK;
}

static int32_t read_memory(segue_session *session, segue_memory *memory)
{
    (void)session;
    (void)memory;
    return SEGUE_OK;
}

static const void *get_extension(const char *id)
{
    static const segue_session_slots session = {
        .size = sizeof session, .open = open_session, .close = close_session, .mark = mark, .put = put, .decide = decide,
        .leave = leave, .read_group = read_group, .read_memory = read_memory,
#ifndef BREAK_C40_2
        .join = join,
#endif
    };
#ifdef BREAK_C40_2
    (void)join;
#endif
    return id != NULL && strcmp(id, SEGUE_SESSION_ID) == 0 ? &session : NULL;
}
#define GET_EXTENSION get_extension
#endif

#if !defined(GET_EXTENSION) && !defined(ASSIGN) && !defined(PLAN_BOUND) && !defined(READ_MEMORY)
static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    leave_behind();
    return sound_create(name, instance, error);
}
#define CREATE create
#endif

#include "table.h"
