/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_session PLUGIN ASSIGNOR TASKS MEMBERS EVENTS: times a session (segue/session.h) on a settled group whose members
 * join and die in turns, one at a time. An event is timed from the change to the decision; after each everything that was
 * decided comes true, which is not timed. Some decisions are compared with a full run, which is timed beside them.
 *
 * Prints one JSON line: medians of processor time in microseconds, and how many decisions were made by a full run. Exit
 * status 1: the scalars of a decision are not those of the full run.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/abi.h"

enum { NAME = 8, GROW = 2, FULL_RUN_EVERY = 20 };

typedef struct bench {
    const segue_slots *slots;
    const segue_session_slots *sessions;
    const char *assignor;
    segue_session *session;
    segue_instance *instance;
    segue_config config;
    segue_plan scalars, full;
    segue_copies changes;
    uint32_t *owner; /* by task: number */
    uint32_t tasks, members, events, wholes;
    uint64_t *event_ns, *full_ns;
    char text[256];
    segue_error error;
} bench;

/* Processor time of this thread: on a busy machine others' turns are not ours. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *room(size_t rows, size_t size)
{
    void *made = calloc(rows + 1, size);
    if (made == NULL) {
        fputs("bench_session: no memory\n", stderr);
        exit(2);
    }
    return made;
}

static void need(const bench *b, int32_t status, const char *call)
{
    if (status != SEGUE_OK) {
        fprintf(stderr, "bench_session: %s: %" PRId32 " %s\n", call, status, b->text);
        exit(2);
    }
}

static int compare_times(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static double median_us(uint64_t *times, uint32_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    return count == 0 ? 0 : (double)times[count / 2] / 1000;
}

/* ---- the group to begin with: task i lies on member i modulo the members ---- */

typedef struct made_group {
    segue_group group;
    uint32_t *offset, *zero, *partition, *name, *process, *threads, *start, *task;
    uint8_t *stateful, *role;
    char *bytes;
} made_group;

static void name_members(made_group *m, uint32_t members)
{
    m->bytes = room(members, NAME);
    m->offset = room((size_t)members + 1, sizeof *m->offset);
    for (uint32_t i = 0; i < members; i++) {
        char text[16];
        m->offset[i] = i * NAME;
        m->name[i] = i;
        snprintf(text, sizeof text, "%08u", (unsigned)(i * 16));
        memcpy(m->bytes + (size_t)i * NAME, text, NAME);
    }
    m->offset[members] = members * NAME;
}

static void make_group(made_group *m, uint32_t tasks, uint32_t members)
{
    uint32_t row = 0, most = tasks > members ? tasks : members;
    m->zero = room(most, sizeof *m->zero);
    m->partition = room(tasks, sizeof *m->partition);
    m->stateful = room(tasks, 1);
    m->name = room(members, sizeof *m->name);
    m->process = room(members, sizeof *m->process);
    m->threads = room(members, sizeof *m->threads);
    m->start = room((size_t)members + 1, sizeof *m->start);
    m->task = room(tasks, sizeof *m->task);
    m->role = room(tasks, 1);
    name_members(m, members);
    for (uint32_t i = 0; i < members; i++) {
        m->process[i] = i;
        m->threads[i] = 1;
        for (uint32_t t = i; t < tasks; t += members) {
            m->task[row] = t;
            m->role[row++] = SEGUE_ACTIVE;
        }
        m->start[i + 1] = row;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        m->partition[t] = t;
        m->stateful[t] = 1;
    }
    m->group = (segue_group){.size = sizeof m->group, .string_count = members, .string_bytes_size = members * NAME};
    segue_group *g = &m->group;
    g->subtopology_count = 1;
    g->task_count = g->copy_count = tasks;
    g->member_count = g->process_count = members;
    g->string_offset = m->offset;
    g->string_bytes = m->bytes;
    g->subtopology_name = g->task_name = g->task_subtopology = m->zero;
    g->task_partition = m->partition;
    g->task_stateful = m->stateful;
    g->member_name = g->process_name = m->name;
    g->member_process = m->process;
    g->member_threads = m->threads;
    g->copy_start = m->start;
    g->copy_task = m->task;
    g->copy_role = m->role;
}

static void free_group(made_group *m)
{
    void *columns[] = {m->offset, m->zero, m->partition, m->name, m->process, m->threads, m->start, m->task, m->stateful,
                       m->role, m->bytes};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
}

/* ---- one event after the other ---- */

static void decide(bench *b)
{
    need(b, b->sessions->decide(b->session, 0, &b->changes, &b->scalars, &b->error), "decide");
}

/* A member joins in the middle of the others, and later dies. */
static void time_event(bench *b, uint32_t at)
{
    char name[16];
    uint32_t number = b->members + at / 2 % 2, spot = at / 2 * 7919u % b->members * 16u + 1;
    snprintf(name, sizeof name, "%08u", (unsigned)spot);
    segue_joiner joiner = {sizeof joiner, number, 1, number, SEGUE_NONE, NAME, name};
    uint64_t begin = now_ns();
    int32_t status = at % 2 == 0 ? b->sessions->join(b->session, &joiner, &b->error)
                                 : b->sessions->leave(b->session, number, &b->error);
    need(b, status, "join or leave");
    decide(b);
    b->event_ns[at] = now_ns() - begin;
    b->wholes += b->changes.full_run;
}

static void put(bench *b, uint32_t task, uint32_t number, uint8_t role)
{
    int64_t lag = 0;
    segue_copies one = {sizeof one, 1, 0, 0, &task, &number, &role, &lag};
    need(b, b->sessions->put(b->session, &one, &b->error), "put");
}

/* Learners have caught up and own their tasks; former owners keep nothing. */
static void carry_out(bench *b)
{
    for (uint32_t i = 0; i < b->changes.count; i++) {
        uint32_t task = b->changes.task[i], number = b->changes.member[i];
        if (b->changes.role[i] == SEGUE_DORMANT) {
            continue;
        }
        if (b->owner[task] < b->members) { /* those above may be dead already */
            put(b, task, b->owner[task], SEGUE_COPY_GONE);
        }
        put(b, task, number, SEGUE_ACTIVE);
        b->owner[task] = number;
    }
}

static int time_full_run(bench *b, uint32_t at)
{
    segue_group group = {.size = sizeof group};
    const uint32_t *numbers;
    need(b, b->sessions->read_group(b->session, 0, &group, &numbers, &b->error), "read_group");
    uint64_t begin = now_ns();
    need(b, b->slots->assign(b->instance, &group, &b->config, &b->full, &b->error), "assign");
    b->full_ns[at] = now_ns() - begin;
    return b->full.learners == b->scalars.learners && b->full.moves == b->scalars.moves &&
           b->full.min_moves == b->scalars.min_moves && b->full.followup_needed == b->scalars.followup_needed;
}

static int run(bench *b)
{
    int same = 1;
    uint32_t fulls = 0;
    for (uint32_t at = 0; at < b->events; at++) {
        time_event(b, at);
        if (at % FULL_RUN_EVERY < 2) { /* one that joins, and one that dies */
            same &= time_full_run(b, fulls++);
        }
        carry_out(b);
    }
    double event = median_us(b->event_ns, b->events), full = median_us(b->full_ns, fulls);
    printf("{\"assignor\": \"%s\", \"tasks\": %u, \"members\": %u, \"events\": %u, \"session_us\": %.2f, \"assign_us\": %.2f, "
           "\"ratio\": %.1f, \"full_runs\": %u, \"same\": %s}\n",
           b->assignor, (unsigned)b->tasks, (unsigned)b->members, (unsigned)b->events, event, full, full / event,
           (unsigned)b->wholes, same ? "true" : "false");
    return same ? 0 : 1;
}

static void open_bench(bench *b, const char *path)
{
    made_group m;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, SEGUE_ENTRY_SYMBOL);
    segue_entry_function enter = NULL;
    memcpy(&enter, &symbol, sizeof enter);
    segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    need(b, enter == NULL ? SEGUE_E_PLUGIN : enter(&entry), path);
    b->slots = entry.slots;
    b->sessions = b->slots->get_extension(SEGUE_SESSION_ID);
    need(b, b->sessions == NULL ? SEGUE_E_NAME : SEGUE_OK, SEGUE_SESSION_ID);
    make_group(&m, b->tasks, b->members);
    need(b, b->sessions->open(b->assignor, &m.group, &b->config, &b->session, &b->error), "open");
    need(b, b->slots->create(b->assignor, &b->instance, &b->error), "create");
    free_group(&m);
}

static void take_room(bench *b)
{
    uint32_t rows = GROW * b->tasks;
    b->changes = (segue_copies){.size = sizeof b->changes, .capacity = rows};
    b->changes.task = room(rows, sizeof *b->changes.task);
    b->changes.member = room(rows, sizeof *b->changes.member);
    b->changes.role = room(rows, sizeof *b->changes.role);
    b->changes.lag = room(rows, sizeof *b->changes.lag);
    b->scalars.size = b->full.size = sizeof b->full;
    b->full.active = room(b->tasks, sizeof *b->full.active);
    b->full.learner = room(b->tasks, sizeof *b->full.learner);
    b->full.standby_start = room((size_t)b->tasks + 1, sizeof *b->full.standby_start);
    b->event_ns = room(b->events, sizeof *b->event_ns);
    b->full_ns = room(b->events, sizeof *b->full_ns);
    b->owner = room(b->tasks, sizeof *b->owner);
    for (uint32_t t = 0; t < b->tasks; t++) {
        b->owner[t] = t % b->members;
    }
}

static void close_bench(bench *b)
{
    b->sessions->close(b->session);
    b->slots->destroy(b->instance);
    void *columns[] = {b->changes.task, b->changes.member, b->changes.role, b->changes.lag, b->full.active,
                       b->full.learner, b->full.standby_start, b->event_ns, b->full_ns, b->owner};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
}

static uint32_t number_of(const char *text, uint32_t most)
{
    unsigned long number = strtoul(text, NULL, 10);
    if (number == 0 || number > most) {
        fprintf(stderr, "bench_session: \"%s\" is no number from 1 to %u\n", text, (unsigned)most);
        exit(2);
    }
    return (uint32_t)number;
}

int main(int count, char **arguments)
{
    bench b = {.config = {.size = sizeof b.config}};
    if (count != 6) {
        fputs("usage: bench_session PLUGIN ASSIGNOR TASKS MEMBERS EVENTS\n", stderr);
        return 2;
    }
#define DEFAULT(field, type, key, initial, least, greatest) b.config.field = (initial);
    SEGUE_CONFIG_FIELDS(DEFAULT)
#undef DEFAULT
    b.error = (segue_error){.size = sizeof b.error, .text = b.text, .text_size = sizeof b.text};
    b.assignor = arguments[2];
    b.tasks = number_of(arguments[3], SEGUE_MAX_TASKS);
    b.members = number_of(arguments[4], SEGUE_MAX_MEMBERS / 2);
    b.events = number_of(arguments[5], 1000000);
    take_room(&b);
    open_bench(&b, arguments[1]);
    int status = run(&b);
    close_bench(&b);
    return status;
}
