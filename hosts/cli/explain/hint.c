/* SPDX-License-Identifier: Apache-2.0 */
#include "hint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "group.h"

static const struct {
    const char *word, *sentence;
} table[] = {
#define ROW(name, word, sentence) {word, sentence},
    HINTS(ROW)
#undef ROW
};

const char *hint_word(uint32_t code)
{
    return table[code].word;
}

void hint_text(const hint *one, char *text, size_t size)
{
    size_t used = 0;
    for (const char *at = table[one->code].sentence; *at != '\0' && used + 1 < size;) {
        if (*at == '{') {
            used += (size_t)snprintf(text + used, size - used, "%" PRId64, one->numbers[at[1] - '0']);
            at += strlen("{0}");
        } else {
            text[used++] = *at++;
        }
        used = used < size ? used : size - 1;
    }
    text[used] = '\0';
}

static hint few_processes(const grounds *it)
{
    uint32_t wanted = it->config->num_standby_replicas;
    int is_short = wanted > 0 && wanted + 1 > it->group->process_count;
    return (hint){is_short ? HINT_FEW_PROCESSES : HINT_CODES, {wanted, it->group->process_count}};
}

static hint held_back(const grounds *it)
{
    return (hint){it->plan->held_back > 0 ? HINT_HELD_BACK : HINT_CODES, {it->plan->held_back, 0}};
}

/* Owners by this plan that lack more than is acceptable. */
static hint down(const grounds *it)
{
    hint found = {HINT_CODES, {0, 0}};
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        int64_t lag = 0;
        uint32_t owner = it->plan->active[task];
        int is_there = owner != SEGUE_NONE && it->group->task_stateful[task] && grounds_lag(it, task, owner, &lag);
        if (is_there && lag > it->config->acceptable_recovery_lag) {
            found.code = HINT_DOWN;
            found.numbers[0]++;
            found.numbers[1] = lag > INT64_MAX - found.numbers[1] ? INT64_MAX : found.numbers[1] + lag;
        }
    }
    return found;
}

static hint unknown_lag(const grounds *it)
{
    hint found = {HINT_CODES, {0, 0}};
    for (uint32_t row = 0; row < it->group->copy_count; row++) {
        uint8_t role = it->group->copy_role[row];
        if ((role == SEGUE_LEARNER || role == SEGUE_STANDBY) && sgi_copy_lag(it->group, row) == SEGUE_LAG_UNKNOWN) {
            found.code = HINT_UNKNOWN_LAG;
            found.numbers[0]++;
        }
    }
    return found;
}

static hint nobody_stays(const grounds *it)
{
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        if (grounds_stays(it, member)) {
            return (hint){HINT_CODES, {0, 0}};
        }
    }
    return (hint){HINT_NOBODY_STAYS, {it->group->member_count, 0}};
}

static hint idle(const grounds *it)
{
    hint found = {HINT_CODES, {0, it->group->task_count}};
    if (it->group->task_count >= it->threads) {
        return found;
    }
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        int is_idle = grounds_stays(it, member) && it->loads[0][member] + it->loads[1][member] == 0;
        found.numbers[0] += is_idle;
        found.code = is_idle ? HINT_IDLE : found.code;
    }
    return found;
}

static hint cut_short(const grounds *it)
{
    return (hint){it->plan->optimal ? HINT_CODES : HINT_CUT_SHORT, {0, 0}};
}

/* Doubles of a plugin: what is no number, or beyond all numbers here, is not shown. */
static hint imbalance(const grounds *it)
{
    int is_far = isfinite(it->plan->imbalance) && isfinite(it->plan->min_imbalance) && it->plan->imbalance < 1e15 &&
                 it->plan->imbalance > it->config->imbalance_percentage;
    return (hint){is_far ? HINT_IMBALANCE : HINT_CODES,
                  {is_far ? llround(it->plan->imbalance) : 0, is_far ? llround(it->plan->min_imbalance) : 0}};
}

/* Kafka's model of racks, which has its own conditions. */
static int trades_by_racks(const grounds *it)
{
    return strcmp(it->assignor, "high-availability") == 0 && it->config->rack_strategy != SEGUE_RACK_NONE;
}

static int inputs_are_known(const segue_group *group, uint32_t task)
{
    uint64_t known = 0;
    if (group->task_inputs == NULL) {
        return 0;
    }
    for (uint32_t i = group->task_rack_start[task]; i < group->task_rack_start[task + 1]; i++) {
        known += group->task_rack_inputs[i];
    }
    return known > 0 && known >= group->task_inputs[task];
}

static hint racks_unknown(const grounds *it)
{
    const segue_group *group = it->group;
    hint found = {HINT_CODES, {0, 0}};
    for (uint32_t member = 0; member < group->member_count; member++) {
        found.numbers[0] += group->member_rack == NULL || group->member_rack[member] == SEGUE_NONE;
    }
    for (uint32_t task = 0; task < group->task_count; task++) {
        found.numbers[1] += !inputs_are_known(group, task);
    }
    found.code = trades_by_racks(it) && found.numbers[0] + found.numbers[1] > 0 ? HINT_RACKS_UNKNOWN : HINT_CODES;
    return found;
}

static hint standbys(const grounds *it)
{
    return (hint){trades_by_racks(it) && it->plan->standby_count > 0 ? HINT_STANDBYS : HINT_CODES, {0, 0}};
}

uint32_t hints_find(const grounds *it, hint *hints)
{
    static hint (*const finders[])(const grounds *) = {few_processes, held_back, down,      unknown_lag,   nobody_stays,
                                                       idle,          cut_short, imbalance, racks_unknown, standbys};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        hints[count] = finders[i](it);
        count += hints[count].code != HINT_CODES;
    }
    return count;
}
