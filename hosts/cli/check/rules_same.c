/* SPDX-License-Identifier: Apache-2.0 */
/* C26-C29: the same answer, whoever is asked, when, and beside what. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "each.h"

enum { ROUNDS = 3, THREADS = 4, PARALLEL_GROUPS = 24, PARALLEL_ROUNDS = 8, PROCESSES = 2 };

/* ---- C26, C29 ---------------------------------------------------------------------------------------------------- */

static void check_same(answer *it, uint64_t first, const char *when)
{
    probe_hold(it->probe, each_plan(it) && asking_digest(it->asking) == first, EACH_WHERE ": the answer is another one %s",
               EACH_AT(it), when);
}

static void ask_again(answer *it)
{
    asking *a = it->asking;
    segue_instance *used = it->instance;
    if (!each_plan(it)) {
        return;
    }
    uint64_t first = asking_digest(a);
    check_same(it, first, "when it is asked for again");
    made_group *other = each_made(it->probe, (uint32_t)it->number + 1);
    asking_put(a, other, 0);
    asking_assign(a, used);
    made_free(other);
    asking_put(a, it->made, 0);
    check_same(it, first, "after another group");
    if (slot_create(it->subject, it->name, &it->instance, probe_error(it->probe)) == SEGUE_OK) {
        check_same(it, first, "from a new instance");
        slot_destroy(it->subject, it->instance);
    }
    it->instance = used;
}

void rule_C26(probe *p)
{
    each_group(p, 0, 0, ask_again, NULL);
}

/* Faults of three kinds, found early and late. */
static void fail_in_every_way(answer *it)
{
    asking *a = it->asking;
    segue_group none = *a->group;
    segue_config config = *a->config;
    none.member_count = 0;
    config.num_standby_replicas = UINT32_MAX;
    segue_plan given = a->given;
    asking_assign(a, it->instance);
    slot_assign(it->subject, it->instance, &none, a->config, a->plan, probe_error(it->probe));
    slot_assign(it->subject, it->instance, a->group, &config, a->plan, probe_error(it->probe));
    if (given.standby_capacity > 0) {
        asking_make_plan(a, given.standby_capacity - 1, given.decision_capacity);
        asking_assign(a, it->instance);
    }
    if (a->group->copy_count > 0) {
        made_group *wrong = made_copy(it->made);
        wrong->copy_role[wrong->group.copy_count - 1] = UINT8_MAX;
        asking_put(a, wrong, 0);
        asking_assign(a, it->instance);
        made_free(wrong);
    }
    asking_put(a, it->made, 0);
}

static void ask_after_faults(answer *it)
{
    if (!each_plan(it)) {
        return;
    }
    uint64_t first = asking_digest(it->asking);
    for (int i = 0; i < ROUNDS; i++) {
        fail_in_every_way(it);
    }
    check_same(it, first, "after calls that failed");
}

void rule_C29(probe *p)
{
    each_group(p, 0, 0, ask_after_faults, NULL);
}

/* ---- C27 --------------------------------------------------------------------------------------------------------- */

static void add_answer(answer *it)
{
    uint64_t *sum = it->context;
    uint64_t digest = each_plan(it) ? asking_digest(it->asking) : 1;
    *sum = (*sum ^ digest) * UINT64_C(0x100000001b3) + it->number;
}

/* A process in which memory that nobody has written to has another content, and everything lies elsewhere. */
static void live_otherwise(probe *p, uint32_t number, uint64_t *sum)
{
    mallopt(M_PERTURB, number == 0 ? 0 : 0x5a);
    for (uint32_t i = 0; i < number * 7; i++) {
        (void)mmap(NULL, ((size_t)i + 1) * 12345, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        free(malloc(((size_t)i + 1) * 777));
    }
    each_group(p, 0, 0, add_answer, sum);
}

void rule_C27(probe *p)
{
    uint64_t *sums = child_share(PROCESSES * sizeof *sums);
    if (sums == NULL) {
        probe_skip(p, "the system gives no memory to share");
        return;
    }
    for (uint32_t i = 0; i < PROCESSES; i++) {
        sums[i] = 1;
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            live_otherwise(p, i, &sums[i]);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            probe_skip(p, "a process that only asks for plans does not come to its end (see other rules)");
            return;
        }
    }
    probe_hold(p, p->verdict->not_run[0] != '\0' || sums[0] == sums[1], "two processes get different answers to the same "
               "groups");
}

/* ---- C28 --------------------------------------------------------------------------------------------------------- */

typedef struct parallel {
    probe *probe;
    const subject *subject;
    const segue_assignor_info *assignor;
    made_group *made[PARALLEL_GROUPS];
    uint64_t alone[PARALLEL_GROUPS];
    atomic_uint differing;
    atomic_uint stop;
} parallel;

/* The digest of each group, from an instance and memory of its own. */
static void ask_all(const parallel *it, uint64_t *digests)
{
    asking a;
    segue_instance *instance = NULL;
    if (asking_open(&a, it->probe, it->subject) &&
        slot_create(it->subject, it->assignor->name, &instance, NULL) == SEGUE_OK) {
        for (uint32_t i = 0; i < PARALLEL_GROUPS; i++) {
            asking_put(&a, it->made[i], 0);
            digests[i] = asking_assign(&a, instance) == SEGUE_OK && asking_plan_fits(&a) ? asking_digest(&a) : 1;
        }
        slot_destroy(it->subject, instance);
    }
    asking_close(&a);
}

static void *ask_in_thread(void *argument)
{
    parallel *it = argument;
    for (int round = 0; round < PARALLEL_ROUNDS; round++) {
        uint64_t digests[PARALLEL_GROUPS] = {0};
        ask_all(it, digests);
        for (uint32_t i = 0; i < PARALLEL_GROUPS; i++) {
            it->differing += digests[i] != it->alone[i];
        }
    }
    return NULL;
}

/* The slots that may be called beside everything else. */
static void *call_any_thread_slots(void *argument)
{
    parallel *it = argument;
    while (!it->stop) {
        for (uint32_t i = 0; i < PARALLEL_GROUPS; i++) {
            segue_assignor_info info = {.size = sizeof info};
            segue_bound bound = {.size = sizeof bound};
            slot_describe(it->subject, i % it->subject->assignor_count, &info);
            slot_plan_bound(it->subject, &it->made[i]->group, &it->made[i]->config, &bound);
            slot_get_extension(it->subject, SEGUE_SESSION_ID);
        }
    }
    return NULL;
}

static void run_threads(parallel *it)
{
    pthread_t thread[THREADS + 1];
    int started = 0;
    pthread_create(&thread[0], NULL, call_any_thread_slots, it);
    while (started < THREADS && pthread_create(&thread[started + 1], NULL, ask_in_thread, it) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i + 1], NULL);
    }
    it->stop = 1;
    pthread_join(thread[0], NULL);
    probe_hold(it->probe, it->differing == 0, "%s: %u of %d answers are others beside %d threads", it->assignor->name,
               it->differing, started * PARALLEL_ROUNDS * PARALLEL_GROUPS, THREADS);
}

void rule_C28(probe *p)
{
    const subject *s = probe_subject(p);
    for (uint32_t n = 0; s != NULL && n < s->assignor_count; n++) {
        parallel it = {.probe = p, .subject = s, .assignor = &s->assignors[n]};
        for (uint32_t i = 0; i < PARALLEL_GROUPS; i++) {
            it.made[i] = each_made(p, i);
        }
        ask_all(&it, it.alone);
        probe_doing(p, "asking %s from %d threads", it.assignor->name, THREADS);
        run_threads(&it);
        for (uint32_t i = 0; i < PARALLEL_GROUPS; i++) {
            made_free(it.made[i]);
        }
    }
}
