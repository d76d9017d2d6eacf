/* SPDX-License-Identifier: Apache-2.0 */
/* Random groups: any shape that a runtime could report, contradictions such as two owners included. */
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "made.h"

enum { RACKS_MOST = 4, TAGS_MOST = 2, TAG_VALUES = 3, REPLICAS_MOST = 3, NAME_MOST = 24 };

/* What a clock, a lag or a size may be at the very most. */
static const int64_t far[] = {0, 1, 5000, INT64_C(1) << 53, INT64_MAX - 1, INT64_MAX};

static const int64_t now_ms = 5000;

typedef struct maker {
    made_group *made;
    const made_size *size;
    dice d;
    uint32_t tag_values; /* string of the first value of a tag */
} maker;

/* True now and then, in a wild group. */
static int is_wild(maker *k)
{
    return k->size->wild && dice_percent(&k->d, 20);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void choose_counts(maker *k, uint32_t *partitions)
{
    segue_group *g = &k->made->group;
    g->subtopology_count = k->size->heavy ? k->size->subtopologies : dice_below(&k->d, k->size->subtopologies + 1);
    for (uint32_t s = 0; s < g->subtopology_count; s++) {
        partitions[s] = k->size->heavy ? k->size->partitions : 1 + dice_below(&k->d, k->size->partitions);
        g->task_count += partitions[s];
    }
    g->member_count = k->size->heavy ? k->size->members : 1 + dice_below(&k->d, k->size->members);
    g->process_count = g->member_count;
    g->copy_count = g->member_count * g->task_count;
    int racks = k->size->heavy || dice_percent(&k->d, 40);
    g->rack_count = !racks ? 0 : k->size->heavy ? RACKS_MOST : 1 + dice_below(&k->d, RACKS_MOST);
    g->task_rack_count = g->rack_count > 0 ? g->task_count * REPLICAS_MOST : 0;
    g->tag_count = dice_percent(&k->d, 25) ? 1 + dice_below(&k->d, TAGS_MOST) : 0;
    g->string_count = g->subtopology_count + g->task_count + g->member_count + g->process_count + g->rack_count +
                      g->tag_count + TAG_VALUES;
    g->string_bytes_size = g->string_count * NAME_MOST;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Counts up the strings and bytes that are in use; the columns have room for all. */
__attribute__((format(printf, 2, 3))) static uint32_t add_text(maker *k, const char *format, ...)
{
    made_group *m = k->made;
    char text[NAME_MOST];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t string = m->group.string_count++;
    memcpy(m->string_bytes + m->group.string_bytes_size, text, (size_t)length);
    m->group.string_bytes_size += (uint32_t)length;
    m->string_offset[string + 1] = m->group.string_bytes_size;
    return string;
}

static void add_names(maker *k)
{
    made_group *m = k->made;
    m->group.string_count = m->group.string_bytes_size = 0;
    for (uint32_t i = 0; i < m->group.subtopology_count; i++) {
        m->subtopology_name[i] = add_text(k, "%u", i);
    }
    for (uint32_t i = 0; i < m->group.member_count; i++) {
        m->member_name[i] = add_text(k, "member-%04u", i);
    }
    for (uint32_t i = 0; i < m->group.process_count; i++) {
        m->process_name[i] = add_text(k, "process-%u", i);
    }
    for (uint32_t i = 0; i < m->group.rack_count; i++) {
        m->rack_name[i] = add_text(k, "rack-%u", i);
    }
    for (uint32_t i = 0; i < m->group.tag_count; i++) {
        m->tag_name[i] = add_text(k, "tag-%u", i);
    }
    k->tag_values = m->group.string_count;
    for (uint32_t i = 0; i < TAG_VALUES; i++) {
        add_text(k, "value-%u", i);
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void add_task_values(maker *k, uint32_t t, int stateful, uint32_t partition, uint32_t subtopology)
{
    static const double weights[] = {0.5, 1, 3, 1e6};
    static const double wild_weights[] = {0.1, 1.0 / 3, 5e-324, 1e-300, 1e15, 9007199254740993.0, 1e300, DBL_MAX};
    static const int64_t sizes[] = {0, 1 << 20, INT64_C(1) << 40, SEGUE_BYTES_UNKNOWN};
    made_group *m = k->made;
    m->task_name[t] = add_text(k, "%u_%u", subtopology, partition);
    m->task_subtopology[t] = subtopology;
    m->task_partition[t] = partition;
    m->task_stateful[t] = (uint8_t)stateful;
    m->task_weight[t] = is_wild(k) ? DICE_CHOICE(&k->d, wild_weights) : DICE_CHOICE(&k->d, weights);
    m->task_state_bytes[t] = is_wild(k) ? DICE_CHOICE(&k->d, far) : DICE_CHOICE(&k->d, sizes);
}

/* Replicas of its inputs in some racks, ascending. */
static void add_task_racks(maker *k, uint32_t t)
{
    static const uint32_t wild_inputs[] = {3, 7, 100, UINT32_MAX};
    made_group *m = k->made;
    m->task_inputs[t] = is_wild(k) ? DICE_CHOICE(&k->d, wild_inputs) : 1 + dice_below(&k->d, 2);
    m->task_rack_start[t] = m->group.task_rack_count;
    for (uint32_t r = 0, added = 0; r < m->group.rack_count && added < REPLICAS_MOST; r++) {
        if (dice_percent(&k->d, 50)) {
            m->task_rack[m->group.task_rack_count] = r;
            m->task_rack_inputs[m->group.task_rack_count++] = 1 + dice_below(&k->d, m->task_inputs[t]);
            added++;
        }
    }
    m->task_rack_start[t + 1] = m->group.task_rack_count;
}

static void add_tasks(maker *k, const uint32_t *partitions)
{
    made_group *m = k->made;
    uint32_t t = 0;
    m->group.task_rack_count = 0;
    for (uint32_t s = 0; s < m->group.subtopology_count; s++) {
        int stateful = dice_percent(&k->d, 70);
        uint32_t first = is_wild(k) ? UINT32_MAX - partitions[s] + 1 : 0;
        for (uint32_t p = 0; p < partitions[s]; p++, t++) {
            add_task_values(k, t, stateful, first + p, s);
            add_task_racks(k, t);
        }
    }
    if (m->group.rack_count == 0) {
        m->group.task_inputs = m->group.task_rack_start = m->group.task_rack = m->group.task_rack_inputs = NULL;
    }
    if (!k->size->heavy && !dice_percent(&k->d, 30)) {
        m->group.task_weight = NULL;
    }
    if (!dice_percent(&k->d, 30)) {
        m->group.task_state_bytes = NULL;
    }
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Processes are numbered as members name them. */
static void add_member_process(maker *k, uint32_t i)
{
    made_group *m = k->made;
    int shares = m->group.process_count > 0 && dice_percent(&k->d, 25);
    m->member_process[i] = shares ? dice_below(&k->d, m->group.process_count) : m->group.process_count++;
}

static void add_member_values(maker *k, uint32_t i)
{
    static const uint32_t threads[] = {0, 1, 1, 1, 2, 8};
    static const int64_t deadlines[] = {SEGUE_TIME_NONE, 1000, 90000};
    made_group *m = k->made;
    m->member_threads[i] = is_wild(k) ? SEGUE_MAX_THREADS : DICE_CHOICE(&k->d, threads);
    m->member_rack[i] =
        m->group.rack_count > 0 && dice_percent(&k->d, 90) ? dice_below(&k->d, m->group.rack_count) : SEGUE_NONE;
    int leaving = dice_percent(&k->d, 15);
    m->member_leaving_ms[i] = !leaving ? SEGUE_TIME_NONE : is_wild(k) ? DICE_CHOICE(&k->d, far) : 0;
    m->member_deadline_ms[i] = !leaving    ? SEGUE_TIME_NONE
                               : is_wild(k) ? DICE_CHOICE(&k->d, far)
                                            : DICE_CHOICE(&k->d, deadlines);
    for (uint32_t tag = 0; tag < m->group.tag_count; tag++) {
        m->member_tag[(size_t)tag * m->group.member_count + i] =
            dice_percent(&k->d, 90) ? k->tag_values + dice_below(&k->d, TAG_VALUES) : SEGUE_NONE;
    }
}

static void add_copies(maker *k, uint32_t i)
{
    static const int64_t lags[] = {0, 1, 10000, 10001, 250000, SEGUE_LAG_UNKNOWN};
    made_group *m = k->made;
    m->copy_start[i] = m->group.copy_count;
    for (uint32_t t = 0; t < m->group.task_count; t++) {
        if (dice_percent(&k->d, k->size->copies_percent)) {
            uint32_t row = m->group.copy_count++;
            uint8_t role = dice_percent(&k->d, 20) ? SEGUE_ACTIVE : (uint8_t)dice_below(&k->d, SEGUE_ACTIVE + 1);
            m->copy_task[row] = t;
            m->copy_role[row] = role;
            m->copy_lag[row] = role == SEGUE_ACTIVE && dice_percent(&k->d, 80) ? 0
                               : is_wild(k)                                   ? DICE_CHOICE(&k->d, far)
                                                                              : DICE_CHOICE(&k->d, lags);
        }
    }
    m->copy_start[i + 1] = m->group.copy_count;
}

static void add_members(maker *k)
{
    made_group *m = k->made;
    m->group.process_count = m->group.copy_count = 0;
    for (uint32_t i = 0; i < m->group.member_count; i++) {
        add_member_process(k, i);
        add_member_values(k, i);
        add_copies(k, i);
    }
    if (m->group.rack_count == 0) {
        m->group.rack_name = m->group.member_rack = NULL;
    }
    if (m->group.tag_count == 0) {
        m->group.tag_name = m->group.member_tag = NULL;
    }
    if (dice_percent(&k->d, 40)) {
        m->group.member_leaving_ms = m->group.member_deadline_ms = NULL;
    }
    if (dice_percent(&k->d, 10)) {
        m->group.copy_lag = NULL;
    }
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

static void choose_config(maker *k)
{
    static const uint32_t standbys[] = {0, 0, 1, 2, 5}, caps[] = {0, 1, 3}, each[] = {0, 1, 2};
    static const int64_t bytes[] = {0, 1 << 21, INT64_C(1) << 41};
    segue_config *c = &k->made->config;
    c->size = sizeof *c;
    segue_config_init(c);
    c->num_standby_replicas = DICE_CHOICE(&k->d, standbys);
    c->max_learners = dice_percent(&k->d, 25) ? DICE_CHOICE(&k->d, caps) : c->max_learners;
    c->max_learners_per_member = dice_percent(&k->d, 25) ? DICE_CHOICE(&k->d, each) : c->max_learners_per_member;
    c->acceptable_recovery_lag = dice_percent(&k->d, 20) ? 0 : c->acceptable_recovery_lag;
    c->max_learning_bytes = dice_percent(&k->d, 15) ? DICE_CHOICE(&k->d, bytes) : c->max_learning_bytes;
    c->learner_partial_rebalance = dice_percent(&k->d, 75) ? 1 : 0;
    c->spread_subtopologies = dice_percent(&k->d, 25) ? 1 : 0;
    c->rack_strategy = k->size->heavy ? SEGUE_RACK_BALANCE_SUBTOPOLOGY : dice_below(&k->d, 3);
}

/* Values at the ends of their ranges, but for the budget of time, which alone may make two answers differ. */
static void choose_wild_config(maker *k)
{
    static const double percentages[] = {0, 0.001, 5, 99.9, 100};
    segue_config *c = &k->made->config;
    c->num_standby_replicas = dice_percent(&k->d, 20) ? 1000 : c->num_standby_replicas;
    c->acceptable_recovery_lag = DICE_CHOICE(&k->d, far);
    c->max_learning_bytes = dice_percent(&k->d, 20) ? DICE_CHOICE(&k->d, far) : c->max_learning_bytes;
    c->probing_rebalance_interval_ms = dice_percent(&k->d, 20) ? INT64_MAX : c->probing_rebalance_interval_ms;
    c->imbalance_percentage = DICE_CHOICE(&k->d, percentages);
    c->rebalancing_mode = dice_below(&k->d, 2);
    k->made->group.now_ms = DICE_CHOICE(&k->d, far);
}

/* ---- the group --------------------------------------------------------------------------------------------------- */

static made_group *make(const made_size *size, dice d)
{
    uint32_t partitions[64] = {0};
    maker k = {.made = made_take(sizeof *k.made), .size = size, .d = d};
    k.made->seed = d.state;
    k.made->group.size = sizeof k.made->group;
    k.made->group.now_ms = now_ms;
    choose_counts(&k, partitions);
    made_take_columns(k.made);
    add_names(&k);
    add_tasks(&k, partitions);
    add_members(&k);
    made_settle(k.made);
    choose_config(&k);
    if (is_wild(&k)) {
        choose_wild_config(&k);
    }
    return k.made;
}

made_group *made_of_size(uint64_t seed, const made_size *size)
{
    return make(size, (dice){.state = seed});
}

made_group *made_of_bytes(const uint8_t *bytes, size_t count, const made_size *size)
{
    return make(size, (dice){.bytes = bytes, .left = count});
}

made_group *made_random(uint64_t seed)
{
    static const made_size small = {4, 14, 9, 35, 0, 0};
    return made_of_size(seed, &small);
}
