/* SPDX-License-Identifier: Apache-2.0 */
#include "hint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The number and, where the braces have any, its word. Returns what stands behind the braces. */
static const char *fill_in(const hint *one, const char *braces, char *text, size_t size)
{
    const int64_t number = one->numbers[braces[1] - '0'];
    const char *word = braces + strlen("{0"), *behind = strchr(word, '}');
    if (*word == '}') {
        snprintf(text, size, "%" PRId64, number);
        return behind + 1;
    }
    const char *several = strchr(word, '|') + 1;
    word = number == 1 ? word + 1 : several;
    snprintf(text, size, "%" PRId64 " %.*s", number, (int)((number == 1 ? several - 1 : behind) - word), word);
    return behind + 1;
}

void hint_text(const hint *one, char *text, size_t size)
{
    size_t used = 0;
    for (const char *at = table[one->code].sentence; *at != '\0' && used + 1 < size;) {
        if (*at == '{') {
            at = fill_in(one, at, text + used, size - used);
            used += strlen(text + used);
        } else {
            text[used++] = *at++;
        }
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

/* Beside the budget only the count of steps ends early by which racks and spread are looked for. Why somebody else's plugin says
 * so where neither is asked for is not known. */
static hint cut_short(const grounds *it)
{
    const segue_config *config = it->config;
    const uint64_t budget = config->max_compute_us > 0 ? (uint64_t)config->max_compute_us : UINT64_MAX;
    int counts_steps = config->rack_strategy != SEGUE_RACK_NONE || config->spread_subtopologies;
    uint32_t why = it->elapsed_ns / 1000 >= budget ? HINT_CUT_SHORT : counts_steps ? HINT_TOO_LARGE : HINT_CODES;
    return (hint){it->plan->optimal ? HINT_CODES : why, {0, 0}};
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

static uint32_t rack_of(const grounds *it, uint32_t member)
{
    return it->group->member_rack == NULL ? SEGUE_NONE : it->group->member_rack[member];
}

/* Who is not there counts for nothing. */
static hint racks_of_members(const grounds *it)
{
    hint found = {HINT_CODES, {0, 0}};
    for (uint32_t member = 0; trades_by_racks(it) && member < it->group->member_count; member++) {
        found.numbers[0] += grounds_is_there(it, member) && rack_of(it, member) == SEGUE_NONE;
    }
    found.code = found.numbers[0] > 0 ? HINT_RACKS_OF_MEMBERS : HINT_CODES;
    return found;
}

static hint racks_of_inputs(const grounds *it)
{
    hint found = {HINT_CODES, {0, 0}};
    for (uint32_t task = 0; trades_by_racks(it) && task < it->group->task_count; task++) {
        found.numbers[0] += !inputs_are_known(it->group, task);
    }
    found.code = found.numbers[0] > 0 ? HINT_RACKS_OF_INPUTS : HINT_CODES;
    return found;
}

enum { NOT_SEEN = 0, SEEN_APART = 1, SEEN_IN = 2 }; /* and its rack */

/* A member without a known rack is another hint's. */
static int64_t count_apart(const grounds *it, uint64_t *seen)
{
    int64_t count = 0;
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        uint64_t *one = &seen[it->group->member_process[member]], here = SEEN_IN + (uint64_t)rack_of(it, member);
        if (grounds_is_there(it, member) && rack_of(it, member) != SEGUE_NONE && *one != SEEN_APART) {
            int differs = *one != NOT_SEEN && *one != here;
            *one = differs ? SEEN_APART : here;
            count += differs;
        }
    }
    return count;
}

/* Without memory for it nothing is said. */
static hint racks_apart(const grounds *it)
{
    uint64_t *seen = trades_by_racks(it) ? calloc((size_t)it->group->process_count + 1, sizeof *seen) : NULL;
    int64_t count = seen == NULL ? 0 : count_apart(it, seen);
    free(seen);
    return (hint){count > 0 ? HINT_RACKS_APART : HINT_CODES, {count, 0}};
}

static hint standbys(const grounds *it)
{
    return (hint){trades_by_racks(it) && it->plan->standby_count > 0 ? HINT_STANDBYS : HINT_CODES, {0, 0}};
}

uint32_t hints_find(const grounds *it, hint *hints)
{
    static hint (*const finders[])(const grounds *) = {few_processes,    held_back,       down,        unknown_lag,
                                                       nobody_stays,     idle,            cut_short,   imbalance,
                                                       racks_of_members, racks_of_inputs, racks_apart, standbys};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        hints[count] = finders[i](it);
        count += hints[count].code != HINT_CODES;
    }
    return count;
}
