/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that break one of the rules C20 to C31 each. */
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "sound.h"

#define ASSIGN_ARGUMENTS                                                                                              \
    segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan, segue_error *error

#if defined(BREAK_C20)
/* The same value again, and yet a write. In groups of one process, so that no other rule meets it. */
static void scribble(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    (void)p;
    volatile uint32_t *column = (uint32_t *)(uintptr_t)g->copy_start;
    if (g->process_count == 1) {
        *column = 0;
    }
}
#define DAMAGE scribble

#elif defined(BREAK_C21)
static void lend(const segue_group *g, const segue_config *c, segue_plan *p)
{
    static uint32_t own[1];
    (void)c;
    p->decision_task = g->process_count == 1 ? own : p->decision_task;
}
#define DAMAGE lend

#elif defined(BREAK_C22)
/* Trusts tasks in copies. */
static int32_t assign(ASSIGN_ARGUMENTS)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    for (uint32_t i = 0; status == SEGUE_E_GROUP && group->copy_task != NULL && plan->active != NULL &&
                         group->copy_count <= SEGUE_MAX_COPIES && i < group->copy_count;
         i++) {
        plan->active[group->copy_task[i]] = 0;
    }
    return status;
}
#define ASSIGN assign

#elif defined(BREAK_C23)
static int32_t assign(ASSIGN_ARGUMENTS)
{
    if (config != NULL && SEGUE_HAS(segue_config, rack_strategy, config->size) &&
        config->rack_strategy > SEGUE_RACK_BALANCE_SUBTOPOLOGY) {
        abort();
    }
    return sound_assign(instance, group, config, plan, error);
}
#define ASSIGN assign

#elif defined(BREAK_C24)
/* Knows no group without tasks. */
static int32_t assign(ASSIGN_ARGUMENTS)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    return status == SEGUE_OK && group->task_count == 0 ? SEGUE_E_GROUP : status;
}
#define ASSIGN assign

#elif defined(BREAK_C25)
static void miscount(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    p->moves = g->task_count + 1;
}
#define DAMAGE miscount

#elif defined(BREAK_C26)
/* Remembers how often it was asked. */
static int32_t assign(ASSIGN_ARGUMENTS)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    if (status == SEGUE_OK) {
        plan->spread += ++instance->calls;
    }
    return status;
}
#define ASSIGN assign

#elif defined(BREAK_C27)
static void tell_process(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)g;
    (void)c;
    p->spread = getpid();
}
#define DAMAGE tell_process

#elif defined(BREAK_C27_2)
/* As hashes with a seed of their own do. */
static void tell_seed(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)g;
    (void)c;
    uint32_t seed;
    memcpy(&seed, (const void *)(uintptr_t)getauxval(AT_RANDOM), sizeof seed);
    p->spread = seed;
}
#define DAMAGE tell_seed

#elif defined(BREAK_C27_3)
/* A byte of it was never written. */
__attribute__((noinline)) static unsigned read_unwritten(volatile unsigned char *byte)
{
    return *byte;
}

static void tell_stack(const segue_group *g, const segue_config *c, segue_plan *p)
{
    volatile unsigned char scratch[2048];
    (void)g;
    (void)c;
    scratch[0] = 1;
    p->spread = read_unwritten(scratch + sizeof scratch / 2);
}
#define DAMAGE tell_stack

#elif defined(BREAK_C28)
/* One piece of scratch memory for all instances. */
static void share(const segue_group *g, const segue_config *c, segue_plan *p)
{
    static volatile uint32_t scratch;
    (void)c;
    scratch = g->copy_count;
    for (int i = 0; i < 3; i++) {
        sched_yield(); /* to another thread, if there is one */
    }
    p->spread += scratch - g->copy_count;
}
#define DAMAGE share

#elif defined(BREAK_C29)
/* Is not what it was once it has failed. */
static int32_t assign(ASSIGN_ARGUMENTS)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    if (instance != NULL && status != SEGUE_OK) {
        instance->faults++;
    }
    if (status == SEGUE_OK && instance->faults > 0) {
        plan->spread += 1;
    }
    return status;
}
#define ASSIGN assign

#elif defined(BREAK_C30)
/* Uses the processor for a second and a half, whatever the budget. */
static void burn(const segue_group *g, const segue_config *c, segue_plan *p)
{
    clock_t begin = clock();
    (void)c;
    (void)p;
    while (g->task_count > 500 && clock() - begin < CLOCKS_PER_SEC * 3 / 2) {
    }
}
#define DAMAGE burn

#elif defined(BREAK_C31)
static void doze(const segue_group *g, const segue_config *c, segue_plan *p)
{
    const struct timespec moment = {0, 100000};
    (void)c;
    (void)p;
    if (g->member_count < 4) {
        nanosleep(&moment, NULL);
    }
}
#define DAMAGE doze

#elif defined(BREAK_C27_4)
/* A host's name is another one on each machine. */
static void tell_machine(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)g;
    (void)c;
    const char *name = getenv("HOSTNAME");
    p->spread = name == NULL ? 0 : (double)strlen(name) + 1;
}
#define DAMAGE tell_machine

#elif defined(FAILS)
static int32_t assign(ASSIGN_ARGUMENTS)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    return status == SEGUE_OK ? SEGUE_E_INTERNAL : status;
}
#define ASSIGN assign

#elif defined(COLD)
static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    int32_t status = sound_describe(index, info);
    if (status == SEGUE_OK) {
        info->traits |= SEGUE_TRAIT_COLD;
    }
    return status;
}
#define DESCRIBE describe

#elif defined(HANGS)
static int32_t assign(ASSIGN_ARGUMENTS)
{
    for (volatile int goes_on = 1; goes_on;) {
    }
    return sound_assign(instance, group, config, plan, error);
}
#define ASSIGN assign
#endif

#include "table.h"
