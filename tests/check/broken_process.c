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

#elif defined(BREAK_C40)
struct segue_session {
    segue_instance instance;
};

static int32_t open_session(const char *name, const segue_group *group, const segue_config *config, segue_session **session,
                            segue_error *error)
{
    (void)name;
    (void)group;
    (void)config;
    (void)error;
    *session = calloc(1, sizeof **session);
    return *session == NULL ? SEGUE_E_MEMORY : SEGUE_OK;
}

static void close_session(segue_session *session)
{
    free(session);
}

/* Whatever the group is. */
static int32_t decide(segue_session *session, int64_t now_ms, segue_copies *changes, segue_plan *plan, segue_error *error)
{
    (void)session;
    (void)now_ms;
    (void)changes;
    (void)error;
    plan->moves = 12345;
    return SEGUE_OK;
}

static const void *get_extension(const char *id)
{
    static const segue_session_slots session = {
        .size = sizeof session, .open = open_session, .close = close_session, .decide = decide};
    return id != NULL && strcmp(id, SEGUE_SESSION_ID) == 0 ? &session : NULL;
}
#define GET_EXTENSION get_extension
#endif

#if !defined(BREAK_C40) && !defined(ASSIGN) && !defined(PLAN_BOUND) && !defined(READ_MEMORY)
static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    leave_behind();
    return sound_create(name, instance, error);
}
#define CREATE create
#endif

#include "table.h"
