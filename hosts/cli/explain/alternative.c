/* SPDX-License-Identifier: Apache-2.0 */
/* Why a member is not the one that gets a task. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grounds.h"
#include "group.h"

enum { NAME_ROOM = 96 };

static const struct {
    const char *word, *sentence;
} table[] = {
#define ROW(name, word, sentence) {word, sentence},
    ALTERNATIVES(ROW)
#undef ROW
};

/* Version 1.0's rule, and 2.0's for tasks of members that stay. */
static int only_new_learn(const grounds *it, uint32_t task)
{
    int is_conservative = strcmp(it->assignor, "learner") == 0 || strcmp(it->assignor, "scale-down") == 0;
    uint32_t owner = it->owner_before[task];
    return is_conservative && it->group->task_stateful[task] && owner != SEGUE_NONE && grounds_stays(it, owner);
}

static alternative because(uint32_t code, int64_t first, int64_t second)
{
    return (alternative){.code = code, .numbers = {first, second}};
}

/* Of a task that stays where it is. */
static alternative against_move(const grounds *it, uint32_t task)
{
    uint32_t kind = it->group->task_stateful[task];
    uint32_t owner = it->owner_before[task];
    uint32_t load = it->loads[kind][owner];
    uint32_t quota = grounds_quota(it, owner, kind);
    uint32_t code = load > quota ? ALTERNATIVE_ABOVE_QUOTA : ALTERNATIVE_NO_GAIN;
    code = grounds_has_quotas(it) ? code : ALTERNATIVE_NO_QUOTA;
    return because(grounds_has_quotas(it) && it->is_weighed ? ALTERNATIVE_KEEPS : code, load, quota);
}

/* What speaks against it but its state; ALTERNATIVE_CODES when nothing does. */
static alternative against_member(const grounds *it, uint32_t task, uint32_t member)
{
    uint32_t kind = it->group->task_stateful[task];
    uint32_t load = it->loads[kind][member];
    uint32_t quota = grounds_quota(it, member, kind);
    if (it->group->member_threads[member] == 0 && quota == 0 && grounds_stays(it, member)) {
        return because(ALTERNATIVE_NO_THREADS, 0, 0);
    }
    if (!grounds_stays(it, member)) {
        return because(ALTERNATIVE_LEAVING, 0, 0);
    }
    if (grounds_target(it, task) == it->owner_before[task]) {
        return against_move(it, task);
    }
    if (only_new_learn(it, task) && it->owned_now[member] > 0) {
        return because(ALTERNATIVE_OWNS_OTHERS, 0, 0);
    }
    int is_full = grounds_has_quotas(it) && !it->is_weighed && load >= quota;
    return because(is_full ? ALTERNATIVE_FULL : ALTERNATIVE_CODES, load, quota);
}

/* Unknown counts as behind everything that is known. */
static int is_further(int64_t lag, int64_t other)
{
    return other != SEGUE_LAG_UNKNOWN && (lag == SEGUE_LAG_UNKNOWN || lag > other);
}

static alternative against_copy(const grounds *it, uint32_t task, uint32_t member)
{
    int64_t own = 0;
    int64_t chosen = 0;
    int has_own = grounds_lag(it, task, member, &own);
    int has_chosen = grounds_lag(it, task, grounds_target(it, task), &chosen);
    if (it->group->task_stateful[task] && has_chosen && !has_own) {
        return because(ALTERNATIVE_NO_COPY, chosen, 0);
    }
    if (it->group->task_stateful[task] && has_chosen && is_further(own, chosen)) {
        return because(ALTERNATIVE_FURTHER, own, chosen);
    }
    if (!grounds_has_quotas(it)) {
        return because(ALTERNATIVE_NO_QUOTA, 0, 0);
    }
    return because(it->is_weighed ? ALTERNATIVE_WEIGHT : ALTERNATIVE_TIE, 0, 0);
}

alternative grounds_against(const grounds *it, uint32_t task, uint32_t member)
{
    int64_t lag = 0;
    int has_copy = grounds_lag(it, task, member, &lag);
    alternative found = against_member(it, task, member);
    found = found.code == ALTERNATIVE_CODES ? against_copy(it, task, member) : found;
    found.records = has_copy ? lag : SEGUE_LAG_UNKNOWN;
    found.bytes = has_copy || it->group->task_state_bytes == NULL ? SEGUE_BYTES_UNKNOWN
                                                                 : it->group->task_state_bytes[task];
    return found;
}

const char *alternative_word(uint32_t code)
{
    return table[code].word;
}

static void append(char *text, size_t size, const char *more, size_t length)
{
    size_t used = strlen(text);
    size_t room = size - used - 1;
    length = length < room ? length : room;
    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

static void append_number(char *text, size_t size, int64_t number)
{
    char digits[32] = "an unknown number of";
    if (number >= 0) {
        snprintf(digits, sizeof digits, "%" PRId64, number);
    }
    append(text, size, digits, strlen(digits));
}

void alternative_text(const grounds *it, uint32_t task, uint32_t member, const alternative *why, char *text, size_t size)
{
    char name[NAME_ROOM];
    text[0] = '\0';
    for (const char *at = table[why->code].sentence; *at != '\0';) {
        size_t plain = strcspn(at, "{");
        append(text, size, at, plain);
        at += plain;
        if (*at == '\0') {
            break;
        }
        if (at[1] == '0' || at[1] == '1') {
            append_number(text, size, why->numbers[at[1] - '0']);
        } else {
            const char *shown = at[1] == 'm'   ? grounds_member(it, member, name, sizeof name)
                                : at[1] == 'c' ? grounds_member(it, grounds_target(it, task), name, sizeof name)
                                               : grounds_task(it, task, name, sizeof name);
            append(text, size, shown, strlen(shown));
        }
        at += strcspn(at, "}") + 1;
    }
}
