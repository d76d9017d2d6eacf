/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that is told anything: well-formed changes and others. A call that is refused changes nothing; the group that is
 * kept holds every rule; and what is decided is what `assign` answers for that group.
 */
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "fuzz.h"
#include "segue/session.h"

enum { HEAD = 2, NUMBERS = 12, ROWS = 400, CALLS = 40, PUT_MOST = 4 };

static const made_size size_most = {2, 6, 5, 35, 0, 1};

typedef struct world {
    dice d;
    const segue_session_slots *slots;
    const fuzz_assignor *assignor;
    const made_group *start;
    segue_session *session;
    int64_t now_ms;
    fuzz_fault fault;
} world;

/* The group as it is kept. */
static void read_group(world *w, segue_group *group)
{
    const uint32_t *numbers = NULL;
    *group = (segue_group){.size = sizeof *group};
    int32_t status = w->slots->read_group(w->session, w->now_ms, group, &numbers, fuzz_error(&w->fault));
    HOLD(status == SEGUE_OK, "the group cannot be read: %s", w->fault.text);
}

/* Of the group's message, so that one byte that differs is seen. For free. */
static void *picture(world *w, size_t *size)
{
    segue_group group;
    read_group(w, &group);
    segue_wire_encode_group(&group, &w->start->config, NULL, 0, size, NULL);
    void *message = malloc(*size);
    HOLD(segue_wire_encode_group(&group, &w->start->config, message, *size, size, NULL) == SEGUE_OK, "no message");
    return message;
}

static uint32_t some_number(world *w)
{
    static const uint32_t odd[] = {SEGUE_MAX_MEMBERS, SEGUE_NONE, SEGUE_MAX_MEMBERS + 1, 0x80000000};
    return dice_percent(&w->d, 3) ? DICE_CHOICE(&w->d, odd) : dice_below(&w->d, NUMBERS);
}

static int64_t some_number64(world *w)
{
    static const int64_t odd[] = {0, 1, 4999, 5000, 10000, 10001, SEGUE_LAG_UNKNOWN, -2, INT64_MAX, SEGUE_TIME_NONE};
    return DICE_CHOICE(&w->d, odd);
}

static int32_t join(world *w)
{
    static const uint32_t threads[] = {1, 1, 1, 2, 0, SEGUE_MAX_THREADS, SEGUE_MAX_THREADS + 1};
    static const char *const names[] = {"a", "member-0001", "n", "o", "p", "z\xc3\xa9", "zz", ""};
    const char *name = DICE_CHOICE(&w->d, names);
    uint32_t number = some_number(w);
    uint32_t rack = dice_percent(&w->d, 50) ? SEGUE_NONE : dice_below(&w->d, 5);
    segue_joiner joiner = {sizeof joiner, number, DICE_CHOICE(&w->d, threads), number, rack, (uint32_t)strlen(name), name};
    joiner.process = dice_percent(&w->d, 20) ? some_number(w) : number;
    return w->slots->join(w->session, &joiner, fuzz_error(&w->fault));
}

static int32_t put(world *w)
{
    static const uint8_t roles[] = {SEGUE_ACTIVE, SEGUE_DORMANT, SEGUE_STANDBY, SEGUE_LEARNER, SEGUE_COPY_GONE, 4, 254};
    uint32_t task[PUT_MOST], member[PUT_MOST], count = dice_below(&w->d, PUT_MOST + 1);
    uint8_t role[PUT_MOST];
    int64_t lag[PUT_MOST];
    for (uint32_t i = 0; i < count; i++) {
        task[i] = dice_below(&w->d, w->start->group.task_count + 1);
        member[i] = some_number(w);
        role[i] = DICE_CHOICE(&w->d, roles);
        lag[i] = some_number64(w);
    }
    segue_copies rows = {sizeof rows, count, 0, 0, task, member, role, lag};
    return w->slots->put(w->session, &rows, fuzz_error(&w->fault));
}

static int32_t change(world *w)
{
    switch (dice_below(&w->d, 8)) {
    case 0:
    case 1:
        return join(w);
    case 2:
        return w->slots->leave(w->session, some_number(w), fuzz_error(&w->fault));
    case 3: {
        int64_t leaving = some_number64(w), deadline = some_number64(w);
        return w->slots->mark(w->session, some_number(w), leaving, deadline, fuzz_error(&w->fault));
    }
    default:
        return put(w);
    }
}

static void compare(world *w, const segue_plan *said)
{
    segue_group group;
    read_group(w, &group);
    HOLD(segue_group_check(&group, fuzz_error(&w->fault)) == SEGUE_OK, "%s", w->fault.text);
    segue_plan *plan = fuzz_plan(&group, &w->start->config);
    fuzz_assign(w->assignor, &group, &w->start->config, plan);
#define WAY_IN(field)
#define WAY_OUT(field)                                                                                                \
    HOLD(memcmp(&plan->field, &said->field, sizeof plan->field) == 0 || strncmp(#field, "decision", 8) == 0,          \
         "%s: %s is %g, and %g by assign", w->assignor->info.name, #field, (double)said->field, (double)plan->field);
#define COMPARE(field, type, way) WAY_##way(field)
    SEGUE_PLAN_SCALARS(COMPARE)
#undef COMPARE
#undef WAY_OUT
#undef WAY_IN
    segue_plan_free(plan);
}

/* Carried out, the rows lead to a group for which nothing is to be done. */
static void decide(world *w)
{
    uint32_t task[ROWS], member[ROWS];
    uint8_t role[ROWS];
    int64_t lag[ROWS];
    segue_copies rows = {.size = sizeof rows, .capacity = ROWS, .task = task, .member = member, .role = role, .lag = lag};
    segue_plan plan = {.size = sizeof plan};
    rows.capacity = dice_percent(&w->d, 5) ? dice_below(&w->d, 4) : ROWS;
    int32_t status = w->slots->decide(w->session, w->now_ms, &rows, &plan, fuzz_error(&w->fault));
    if (status != SEGUE_OK) {
        fuzz_hold_said(&w->fault, status);
        HOLD(status == SEGUE_E_GROUP || (status == SEGUE_E_SPACE && rows.capacity < ROWS && rows.count > rows.capacity),
             "%s: nothing is decided: %s", w->assignor->info.name, w->fault.text);
        return;
    }
    compare(w, &plan);
    if (dice_percent(&w->d, 60)) {
        HOLD(w->slots->put(w->session, &rows, fuzz_error(&w->fault)) == SEGUE_OK, "%s", w->fault.text);
    }
}

static void call(world *w)
{
    size_t size = 0, size_after = 0;
    void *before = picture(w, &size);
    int32_t status = change(w);
    if (status != SEGUE_OK) {
        fuzz_hold_said(&w->fault, status);
        void *after = picture(w, &size_after);
        HOLD(size == size_after && memcmp(before, after, size) == 0, "refused (%s), and something changed", w->fault.text);
        free(after);
    }
    free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD) {
        return 0;
    }
    size_t rest = size - HEAD, split = (size_t)(data[0] | data[1] << 8) % (rest + 1);
    made_group *made = made_of_bytes(data + HEAD, split, &size_most);
    fuzz_about(made);
    world w = {.d = {.bytes = data + HEAD + split, .left = rest - split}, .start = made, .now_ms = made->group.now_ms};
    w.slots = fuzz_slots()->get_extension(SEGUE_SESSION_ID);
    w.assignor = &fuzz_assignors()[dice_below(&w.d, FUZZ_ASSIGNORS)];
    int32_t status = w.slots->open(w.assignor->info.name, &made->group, &made->config, &w.session, fuzz_error(&w.fault));
    HOLD(status == SEGUE_OK, "%s does not open: %s", w.assignor->info.name, w.fault.text);
    for (int i = 0; i < CALLS && w.d.left > 0; i++) {
        if (dice_percent(&w.d, 30)) {
            decide(&w);
        } else {
            call(&w);
        }
    }
    decide(&w);
    w.slots->close(w.session);
    fuzz_about(NULL);
    made_free(made);
    return 0;
}
