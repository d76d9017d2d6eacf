/* SPDX-License-Identifier: Apache-2.0 */
/* C30, C31: how long a call takes, in processor time, since the machine may be busy with others. */
#include <sys/resource.h>
#include <time.h>

#include "each.h"

enum { BUDGET_US = 1000, GRACE_US = 1000000, TRIES = 5, WAITING_GROUPS = 10 };

static int64_t processor_us(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* A group with everything that makes work, and a budget far below what it takes. */
void rule_C30(probe *p)
{
    static const made_size large = {8, 150, 60, 3, 1, 0};
    asking a;
    const subject *s = probe_subject(p);
    if (s == NULL || !asking_open(&a, p, s)) {
        return;
    }
    made_group *made = made_of_size(p->seed, &large);
    made->config.max_compute_us = BUDGET_US;
    asking_put(&a, made, 0);
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        const char *name = s->assignors[i].name;
        probe_doing(p, "asking %s for a plan of %u tasks within %d us", name, made->group.task_count, BUDGET_US);
        int64_t begin = processor_us();
        asking_once(&a, name);
        int64_t took = processor_us() - begin;
        probe_hold(p, took <= BUDGET_US + GRACE_US, "%s takes %lld ms of the processor for %u tasks, with a budget of %d ms",
                   name, (long long)(took / 1000), made->group.task_count, BUDGET_US / 1000);
    }
    made_free(made);
    asking_close(&a);
}

/* Times that this thread gave the processor up by itself. */
static long waits(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/* A page that the kernel has to fetch looks like waiting too, but not every time. */
static void ask_without_waiting(answer *it)
{
    segue_instance *own = it->instance;
    int waited = 0;
    for (int i = 0; i < TRIES; i++) {
        long before = waits();
        each_life(it);
        waited += waits() > before;
    }
    it->instance = own;
    probe_hold(it->probe, waited < TRIES, EACH_WHERE ": in each of %d rounds some call has waited", EACH_AT(it), TRIES);
}

void rule_C31(probe *p)
{
    each_group(p, WAITING_GROUPS, 0, ask_without_waiting, NULL);
}
