/* SPDX-License-Identifier: Apache-2.0 */
/* C26-C29: the same answer, whoever is asked, when, and beside what. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "each.h"

enum { ROUNDS = 3, THREADS = 4, PARALLEL_GROUPS = 24, PARALLEL_ROUNDS = 8 };

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

static void ask_after_faults(answer *it)
{
    if (!each_plan(it)) {
        return;
    }
    uint64_t first = asking_digest(it->asking);
    for (int i = 0; i < ROUNDS; i++) {
        each_fail(it);
    }
    check_same(it, first, "after calls that failed");
}

void rule_C29(probe *p)
{
    each_group(p, 0, 0, ask_after_faults, NULL);
}

/* ---- C27 --------------------------------------------------------------------------------------------------------- */

enum { STACK_BELOW = 32768, ANSWER_BYTES = 17 };

/* What a call finds on its stack where nobody has written anything. */
__attribute__((noinline)) static void leave_on_stack(int byte)
{
    volatile char below[STACK_BELOW];
    for (size_t i = 0; i < sizeof below; i++) {
        below[i] = (char)byte;
    }
}

typedef struct answers {
    uint64_t sum;
    int unwritten;
} answers;

static void add_answer(answer *it)
{
    answers *all = it->context;
    leave_on_stack(all->unwritten);
    uint64_t digest = each_plan(it) ? asking_digest(it->asking) : 1;
    all->sum = (all->sum ^ digest) * UINT64_C(0x100000001b3) + it->number;
}

uint64_t rules_answers(probe *p, int unwritten)
{
    answers all = {1, unwritten};
    mallopt(M_PERTURB, unwritten);
    each_group(p, 0, 0, add_answer, &all);
    return all.sum;
}

/* This program anew: with other addresses, another stack and other random numbers from the system than a copy of this
 * process would have, other memory that nobody has written to, and once with variables of another machine. */
static void ask_elsewhere(const probe *p, int said, int unwritten)
{
    char seed[32], groups[16], byte[16];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)p->seed);
    snprintf(groups, sizeof groups, "%u", p->groups);
    snprintf(byte, sizeof byte, "%d", unwritten);
    if (unwritten != 0) {
        setenv("HOSTNAME", "elsewhere", 1);
        setenv("USER", "somebody", 1);
        setenv("HOME", "/", 1);
        setenv("TZ", "Pacific/Auckland", 1);
        setenv("LANG", "tr_TR.UTF-8", 1);
    }
    dup2(said, STDOUT_FILENO);
    execl("/proc/self/exe", "segue", "check", "--answers", byte, "--seed", seed, "--groups", groups, p->path, (char *)NULL);
    _exit(1);
}

/* 0: it has come to no end. */
static int read_answers(const probe *p, int unwritten, char *text)
{
    int status = -1;
    int said = memfd_create("answers", MFD_CLOEXEC);
    pid_t child = said < 0 ? -1 : fork();
    if (child == 0) {
        ask_elsewhere(p, said, unwritten);
    }
    if (child > 0) {
        waitpid(child, &status, 0);
    }
    /* The last line; the plugin may have said something before. */
    off_t end = said < 0 ? -1 : lseek(said, 0, SEEK_END);
    ssize_t got = end < ANSWER_BYTES ? -1 : pread(said, text, ANSWER_BYTES, end - ANSWER_BYTES);
    text[got < 0 ? 0 : got] = '\0';
    if (said >= 0) {
        close(said);
    }
    return status == 0 && got == ANSWER_BYTES;
}

void rule_C27(probe *p)
{
    char one[ANSWER_BYTES + 1], other[ANSWER_BYTES + 1];
    if (probe_subject(p) == NULL) {
        return;
    }
    probe_doing(p, "asking for plans in two other processes");
    if (!read_answers(p, 0, one) || !read_answers(p, 0x5a, other)) {
        probe_block(p, "a process that only asks for plans does not come to its end (see other rules)");
        return;
    }
    probe_hold(p, strcmp(one, other) == 0, "two processes get different answers to the same groups");
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
