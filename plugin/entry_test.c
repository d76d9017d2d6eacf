/* SPDX-License-Identifier: Apache-2.0 */
/* The door as a host meets it: versions, sizes, faults, threads. */
#include "segue/abi.h"

#include "test/chance.h"
#include "test/famine.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

#include <math.h>
#include <pthread.h>

static void the_newest_version_of_both_is_agreed_on(void **state)
{
    (void)state;
    static const struct {
        uint32_t newest, floor;
        int32_t status;
        uint32_t agreed;
    } hosts[] = {
        {1,          1,          SEGUE_OK,        1},
        {2,          1,          SEGUE_OK,        1}, /* newer, speaks the old one */
        {UINT32_MAX, 0,          SEGUE_OK,        1}, /* speaks everything */
        {2,          2,          SEGUE_E_VERSION, 1}, /* too new */
        {UINT32_MAX, UINT32_MAX, SEGUE_E_VERSION, 1},
        {0,          0,          SEGUE_E_VERSION, 1}, /* too old */
    };
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        segue_entry entry = {.size = sizeof entry, .version = hosts[i].newest, .floor = hosts[i].floor};
        EXPECT(segue_plugin_entry(&entry) == hosts[i].status, "host %zu", i);
        EXPECT(entry.version == hosts[i].agreed && entry.floor == SEGUE_ABI_FLOOR, "host %zu: version %u", i,
               entry.version);
        EXPECT((entry.slots != NULL) == (hosts[i].status == SEGUE_OK), "host %zu: slots", i);
    }
}

static void no_entry_and_one_that_ends_before_the_slots_are_bad_arguments(void **state)
{
    (void)state;
    segue_entry entry = {.version = 1, .floor = 1};
    assert_int_equal(segue_plugin_entry(NULL), SEGUE_E_ARGUMENT);
    for (uint32_t size = 0; size < offsetof(segue_entry, slots) + sizeof entry.slots; size++) {
        entry.size = size;
        assert_int_equal(segue_plugin_entry(&entry), SEGUE_E_ARGUMENT);
        assert_null(entry.slots);
    }
}

static void nothing_is_written_behind_an_entrys_size(void **state)
{
    (void)state;
    for (uint32_t size = offsetof(segue_entry, slots) + sizeof(void *); size <= sizeof(segue_entry); size++) {
        union {
            segue_entry entry;
            unsigned char bytes[sizeof(segue_entry)];
        } given;
        memset(&given, 0xcd, sizeof given);
        given.entry.size = size;
        given.entry.version = given.entry.floor = 1;
        assert_int_equal(segue_plugin_entry(&given.entry), SEGUE_OK);
        for (size_t at = size; at < sizeof given; at++) {
            EXPECT(given.bytes[at] == 0xcd, "size %u: byte %zu was written", size, at);
        }
    }
}

static void the_table_describes_every_slot(void **state)
{
    (void)state;
    segue_entry entry = {.size = sizeof entry, .version = 1, .floor = 1};
    assert_int_equal(segue_plugin_entry(&entry), SEGUE_OK);
    assert_int_equal(entry.table_count, 7);
    assert_int_equal(entry.slots->size, sizeof(segue_slots));
    for (uint32_t i = 0; i < entry.table_count; i++) {
        void (*slot)(void);
        memcpy(&slot, (const char *)entry.slots + entry.table[i].offset, sizeof slot);
        assert_true(slot != NULL);
    }
    assert_string_equal(entry.table[4].name, "assign");
    assert_string_equal(entry.table[4].signature, "i(ppppp)");
    assert_true(strlen(entry.plugin_name) > 0 && strlen(entry.plugin_version) > 0);
}

static void assignors_are_described_one_by_one_until_there_is_none(void **state)
{
    (void)state;
    static const char *const names[] = {"eager",      "sticky",   "learner",
                                        "scale-down", "balanced", "high-availability"};
    const segue_slots *slots = rebalance_slots();
    segue_assignor_info info = {.size = sizeof info};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(slots->describe(i, &info), SEGUE_OK);
        assert_string_equal(info.name, names[i]);
        assert_non_null(info.summary);
    }
    assert_int_equal(slots->describe(6, &info), SEGUE_E_NAME);
    assert_int_equal(slots->describe(UINT32_MAX, &info), SEGUE_E_NAME);
    assert_int_equal(slots->describe(0, NULL), SEGUE_E_ARGUMENT);
    info.size = sizeof info - 1;
    assert_int_equal(slots->describe(0, &info), SEGUE_E_ARGUMENT);
}

static void traits_say_who_is_cold_and_who_knows_leaving_members(void **state)
{
    (void)state;
    const uint32_t traits[] = {SEGUE_TRAIT_COLD,    SEGUE_TRAIT_COLD,    0,
                               SEGUE_TRAIT_LEAVING, SEGUE_TRAIT_LEAVING, SEGUE_TRAIT_LOOSE};
    segue_assignor_info info = {.size = sizeof info};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(rebalance_slots()->describe(i, &info), SEGUE_OK);
        assert_int_equal(info.traits, traits[i]);
    }
}

static void an_unknown_name_makes_no_instance_and_says_which(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    char text[200], long_name[2000];
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    segue_instance *instance = (segue_instance *)(void *)text;
    assert_int_equal(slots->create("lerner", &instance, &error), SEGUE_E_NAME);
    assert_null(instance);
    assert_non_null(strstr(text, "\"lerner\""));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(slots->create(long_name, &instance, &error), SEGUE_E_NAME);
    assert_int_equal(slots->create("", &instance, &error), SEGUE_E_NAME);
    assert_int_equal(slots->create(NULL, &instance, &error), SEGUE_E_NAME);
    assert_int_equal(slots->create("learner", NULL, &error), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->create("learner", NULL, NULL), SEGUE_E_ARGUMENT);
}

static void a_system_without_memory_makes_no_instance(void **state)
{
    (void)state;
    segue_instance *instance = NULL;
    segue_error error = {.size = sizeof error};
    famine_of_arena(1);
    assert_int_equal(rebalance_slots()->create("learner", &instance, &error), SEGUE_E_MEMORY);
    famine_of_arena(0);
    assert_null(instance);
    assert_int_equal(error.code, SEGUE_E_MEMORY);
}

static void nothing_may_be_destroyed_and_no_extension_is_known(void **state)
{
    (void)state;
    rebalance_slots()->destroy(NULL);
    assert_null(rebalance_slots()->get_extension("segue.explain/1"));
    assert_null(rebalance_slots()->get_extension(""));
    assert_null(rebalance_slots()->get_extension(NULL));
}

/* One task on one of two members: the least that needs every column. */
static draft *small_group(void)
{
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 3);
    d->config.num_standby_replicas = 1;
    return d;
}

static void the_bound_reads_counts_only_and_is_what_the_header_says(void **state)
{
    (void)state;
    segue_group counts = {
        .size = sizeof counts, .task_count = 10, .member_count = 6, .process_count = 4, .copy_count = 17};
    draft *d = small_group();
    segue_bound bound = {.size = sizeof bound};
    d->config.num_standby_replicas = 2;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, 20);
    assert_int_equal(bound.decision_rows, 57);
    d->config.num_standby_replicas = 9;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, 30);
    counts.task_count = counts.process_count = UINT32_MAX;
    d->config.num_standby_replicas = UINT32_MAX;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, UINT32_MAX);
    assert_int_equal(bound.decision_rows, UINT32_MAX);
    draft_free(d);
}

static void a_bound_without_its_arguments_is_refused(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    draft *d = small_group();
    const segue_group *g = draft_group(d);
    segue_group older = *g;
    segue_config older_config = d->config;
    segue_bound bound = {.size = sizeof bound}, small = {.size = offsetof(segue_bound, reserved) - 1};
    older.size--;
    older_config.size--;
    assert_int_equal(slots->plan_bound(NULL, &d->config, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, NULL, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &d->config, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &d->config, &small), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(&older, &d->config, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &older_config, &bound), SEGUE_E_ARGUMENT);
    draft_free(d);
}

/* What a plan can lack, and what is said to that. */
typedef struct lack {
    void (*take_away)(segue_plan *plan);
    int32_t status;
} lack;

static void no_size(segue_plan *p) { p->size = 0; }
static void size_short_by_one(segue_plan *p) { p->size--; }
static void no_active(segue_plan *p) { p->active = NULL; }
static void no_learner(segue_plan *p) { p->learner = NULL; }
static void no_standby_start(segue_plan *p) { p->standby_start = NULL; }
static void no_standby_member(segue_plan *p) { p->standby_member = NULL; }
static void one_standby_row_less(segue_plan *p) { p->standby_capacity--; }
static void no_standby_rows(segue_plan *p) { p->standby_capacity = 0; }
static void one_decision_row_less(segue_plan *p) { p->decision_capacity--; }
static void one_decision_row(segue_plan *p) { p->decision_capacity = 1; }
static void no_decision_task(segue_plan *p) { p->decision_task = NULL; }
static void no_decision_kind(segue_plan *p) { p->decision_kind = NULL; }
static void no_decision_reason(segue_plan *p) { p->decision_reason = NULL; }
static void no_decision_from(segue_plan *p) { p->decision_from = NULL; }
static void no_decision_to(segue_plan *p) { p->decision_to = NULL; }
static void no_decision_number(segue_plan *p) { p->decision_number = NULL; }

static const lack lacks[] = {
    {no_size,               SEGUE_E_ARGUMENT},
    {size_short_by_one,     SEGUE_E_ARGUMENT},
    {no_active,             SEGUE_E_ARGUMENT},
    {no_learner,            SEGUE_E_ARGUMENT},
    {no_standby_start,      SEGUE_E_ARGUMENT},
    {no_standby_member,     SEGUE_E_SPACE   },
    {one_standby_row_less,  SEGUE_E_SPACE   },
    {no_standby_rows,       SEGUE_E_SPACE   },
    {one_decision_row_less, SEGUE_E_SPACE   },
    {one_decision_row,      SEGUE_E_SPACE   },
    {no_decision_task,      SEGUE_E_ARGUMENT},
    {no_decision_kind,      SEGUE_E_ARGUMENT},
    {no_decision_reason,    SEGUE_E_ARGUMENT},
    {no_decision_from,      SEGUE_E_ARGUMENT},
    {no_decision_to,        SEGUE_E_ARGUMENT},
    {no_decision_number,    SEGUE_E_ARGUMENT},
};

static segue_instance *learner(void)
{
    segue_instance *instance = NULL;
    assert_int_equal(rebalance_slots()->create("learner", &instance, NULL), SEGUE_OK);
    assert_non_null(instance);
    return instance;
}

static void a_plan_with_too_little_room_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        draft *d = small_group();
        rebalance *r = rebalance_room(d);
        segue_plan lacking = r->plan;
        segue_error error = {.size = sizeof error, .text = r->text, .text_size = sizeof r->text};
        lacks[i].take_away(&lacking);
        int32_t status = slots->assign(instance, &d->group, &d->config, &lacking, &error);
        EXPECT(status == lacks[i].status, "lack %zu: status %d", i, (int)status);
        EXPECT(error.code == status && r->text[0] != '\0', "lack %zu: no text", i);
        EXPECT(r->plan.active[0] == 0xa5a5a5a5, "lack %zu: something was written", i);
        rebalance_free(r);
        draft_free(d);
    }
    slots->destroy(instance);
}

static void no_instance_group_configuration_or_plan_are_bad_arguments(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d);
    assert_int_equal(slots->assign(NULL, &d->group, &d->config, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, NULL, &d->config, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, NULL, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    slots->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

static void decisions_that_nobody_wants_need_no_columns(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d), *with = rebalance_run("learner", d);
    segue_plan bare = r->plan;
    bare.decision_capacity = 0;
    bare.decision_task = bare.decision_from = bare.decision_to = NULL;
    bare.decision_kind = NULL;
    bare.decision_reason = NULL;
    bare.decision_number = NULL;
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &bare, NULL), SEGUE_OK);
    assert_int_equal(bare.decision_count, 0);
    assert_memory_equal(bare.active, with->plan.active, 3 * sizeof *bare.active);
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    rebalance_free(with);
    draft_free(d);
}

static void structs_of_a_later_version_are_served_and_their_tails_left_alone(void **state)
{
    (void)state;
    struct {
        segue_plan plan;
        unsigned char tail[32];
    } later;
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d);
    later.plan = r->plan;
    later.plan.size = sizeof later;
    memset(later.tail, 0x3c, sizeof later.tail);
    d->group.size += 100;
    d->config.size += 100;
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &later.plan, NULL), SEGUE_OK);
    for (size_t i = 0; i < sizeof later.tail; i++) {
        assert_true(later.tail[i] == 0x3c || later.tail[i] == 0);
    }
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

static void an_error_text_fits_buffers_of_no_one_and_two_bytes(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    for (uint32_t size = 0; size <= 2; size++) {
        char text[] = "~~~~";
        segue_error error = {.size = sizeof error, .text = text, .text_size = size};
        assert_int_equal(rebalance_slots()->assign(instance, NULL, NULL, NULL, &error), SEGUE_E_ARGUMENT);
        assert_int_equal(error.code, SEGUE_E_ARGUMENT);
        assert_string_equal(text + size, &"~~~~"[size]);
        assert_true(size == 0 || text[size - 1] == '\0');
    }
    rebalance_slots()->destroy(instance);
}

static void memory_is_read_and_comes_back_after_a_large_call(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    segue_memory before = {.size = sizeof before}, after = {.size = sizeof after}, small = {.size = 8};
    assert_int_equal(slots->read_memory(instance, &before), SEGUE_OK);
    assert_true(before.held_bytes > 0);
    assert_int_equal(before.peak_bytes, 0);
    draft *d = draft_new();
    draft_tasks(d, 200000, 1);
    draft_member(d, 0, 1);
    rebalance *r = rebalance_room(d), *little;
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    assert_int_equal(slots->read_memory(instance, &after), SEGUE_OK);
    assert_true(after.peak_bytes > 200000 * sizeof(uint32_t));
    rebalance_free(r);
    draft_free(d);
    d = small_group();
    little = rebalance_room(d);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &little->plan, NULL), SEGUE_OK);
    assert_int_equal(slots->read_memory(instance, &after), SEGUE_OK);
    assert_true(after.held_bytes < before.held_bytes + 200000);
    assert_int_equal(slots->read_memory(NULL, &after), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->read_memory(instance, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->read_memory(instance, &small), SEGUE_E_ARGUMENT);
    slots->destroy(instance);
    rebalance_free(little);
    draft_free(d);
}

/* Shuffled bytes in the columns that the plugin checks: whatever they are, it answers, and does not crash. */
static void noise_in_a_column_is_answered_or_refused(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = random_group(seed, (random_size){12, 6, 3, 3}, RANDOM_ANYTHING);
        rebalance *r = rebalance_room(d);
        uint32_t *columns[] = {d->subtopology, d->process, d->threads, d->copy_start, d->copy_task};
        const uint32_t rows[] = {d->group.task_count, d->group.member_count, d->group.member_count,
                                 d->group.member_count + 1, d->group.copy_count};
        uint32_t which = chance_below(&c, 5);
        if (rows[which] > 0) {
            columns[which][chance_below(&c, rows[which])] = chance_below(&c, 4) ? chance_below(&c, 20) : UINT32_MAX;
        }
        int32_t status = rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL);
        EXPECT(status == SEGUE_OK || status == SEGUE_E_GROUP, "seed %llu: status %d", (unsigned long long)seed,
               (int)status);
        rebalance_free(r);
        draft_free(d);
    }
    rebalance_slots()->destroy(instance);
}

/* A number of a column that was not meant. */
static uint32_t noise(chance *c)
{
    static const uint32_t far[] = {UINT32_MAX, UINT32_MAX - 1, 1u << 31, 1u << 20, 255};
    return chance_below(c, 3) ? chance_below(c, 20) : far[chance_below(c, sizeof far / sizeof *far)];
}

static double strange_double(chance *c)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 5e-324, 1e-320, 1e308, 1, 100, 1e300};
    return values[chance_below(c, sizeof values / sizeof *values)];
}

static void make_noise_in_places(draft *d, chance *c)
{
    const segue_group *g = &d->group;
    uint32_t *columns[] = {d->inputs, d->member_rack, d->rack_start, d->rack_column, d->rack_inputs, d->tags};
    const uint32_t rows[] = {g->task_count, g->member_count, g->task_count + 1, g->task_rack_count,
                             g->task_rack_count, g->tag_count * g->member_count};
    uint32_t which = chance_below(c, 6);
    if (columns[which] != NULL && rows[which] > 0) {
        columns[which][chance_below(c, rows[which])] = noise(c);
    }
}

static void make_noise_in_sizes(draft *d, chance *c)
{
    static const int64_t sizes[] = {INT64_MIN, INT64_MAX, -2, -1, 0, 1, (int64_t)1 << 62};
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        d->weight[t] = chance_once_in(c, 2) ? strange_double(c) : d->weight[t];
        d->state_bytes[t] = chance_once_in(c, 2) ? sizes[chance_below(c, 7)] : d->state_bytes[t];
    }
}

static void make_noise_in_configuration(draft *d, chance *c)
{
    switch (chance_below(c, 6)) {
    case 0:
        d->config.imbalance_percentage = strange_double(c);
        break;
    case 1:
        d->config.rack_strategy = noise(c);
        break;
    case 2:
        d->config.max_learning_bytes = INT64_MIN + (int64_t)noise(c);
        break;
    case 3:
        d->config.acceptable_recovery_lag = chance_once_in(c, 2) ? INT64_MIN : -1;
        break;
    case 4:
        d->config.probing_rebalance_interval_ms = chance_once_in(c, 2) ? INT64_MIN : INT64_MAX;
        break;
    default:
        d->config.max_compute_us = chance_once_in(c, 2) ? INT64_MIN : 1;
    }
}

/* Whatever a host says of racks, tags, weights and sizes, or configures: meant for the sanitizers. */
static void noise_beside_the_tasks_is_answered_or_refused_by_all_strategies(void **state)
{
    (void)state;
    static const char *const names[] = {"eager", "sticky", "learner", "scale-down", "balanced", "high-availability"};
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        segue_instance *instance = NULL;
        draft *d = random_group(seed, (random_size){12, 6, 3, 3}, RANDOM_ANYTHING);
        draft_tag_dimensions(d, chance_below(&c, 4));
        for (uint32_t i = 0; i < d->group.tag_count * d->group.member_count; i++) {
            d->tags[i] = chance_once_in(&c, 4) ? SEGUE_NONE : chance_below(&c, 3);
        }
        draft_group(d);
        make_noise_in_places(d, &c);
        make_noise_in_sizes(d, &c);
        make_noise_in_configuration(d, &c);
        rebalance *r = rebalance_room(d);
        assert_int_equal(rebalance_slots()->create(names[seed % 6], &instance, NULL), SEGUE_OK);
        int32_t status = rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL);
        EXPECT(status == SEGUE_OK || status == SEGUE_E_GROUP || status == SEGUE_E_CONFIG, "seed %llu: status %d",
               (unsigned long long)seed, (int)status);
        rebalance_slots()->destroy(instance);
        rebalance_free(r);
        draft_free(d);
    }
}

static void a_value_outside_its_range_is_refused_by_its_key(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group();
    const segue_config right = d->config;
    rebalance *r = rebalance_room(d);
    segue_error error = {.size = sizeof error, .text = r->text, .text_size = sizeof r->text};
    segue_config wrong[] = {right, right, right};
    const char *const keys[] = {"stream.imbalance.percentage", "rack.aware.assignment.strategy",
                                "probing.rebalance.interval.ms"};
    wrong[0].imbalance_percentage = NAN;
    wrong[1].rack_strategy = SEGUE_RACK_BALANCE_SUBTOPOLOGY + 1;
    wrong[2].probing_rebalance_interval_ms = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(rebalance_slots()->assign(instance, &d->group, &wrong[i], &r->plan, &error), SEGUE_E_CONFIG);
        assert_non_null(strstr(r->text, keys[i]));
    }
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

/* A group of its own for each case, and the answer that a single thread gave. */
enum { CASES = 40, THREADS = 4 };

typedef struct shared_cases {
    draft *group[CASES];
    rebalance *expected[CASES];
    int differences[THREADS];
} shared_cases;

typedef struct worker {
    shared_cases *cases;
    int number;
} worker;

static void *assign_all(void *argument)
{
    const worker *w = argument;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = NULL;
    int differences = slots->create("balanced", &instance, NULL) != SEGUE_OK;
    for (int i = 0; i < CASES * 5; i++) {
        const draft *d = w->cases->group[(i + w->number) % CASES];
        const rebalance *expected = w->cases->expected[(i + w->number) % CASES];
        rebalance answer = {.plan = expected->plan};
        uint32_t *active = malloc(((size_t)d->group.task_count + 1) * sizeof *active * 3);
        uint32_t *standby = malloc(((size_t)expected->bound.standby_rows + 1) * sizeof *standby);
        answer.plan.active = active;
        answer.plan.learner = active + d->group.task_count;
        answer.plan.standby_start = active + 2 * (size_t)d->group.task_count;
        answer.plan.standby_member = standby;
        answer.plan.decision_capacity = 0;
        differences += slots->assign(instance, &d->group, &d->config, &answer.plan, NULL) != SEGUE_OK ||
                       !rebalance_same(&answer, expected);
        free(active);
        free(standby);
    }
    slots->destroy(instance);
    w->cases->differences[w->number] = differences;
    return NULL;
}

static void instances_in_parallel_threads_give_the_answers_of_one(void **state)
{
    (void)state;
    static shared_cases cases;
    pthread_t thread[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < CASES; i++) {
        cases.group[i] = random_group(chance_seed() + (uint64_t)i, (random_size){60, 12, 3, 5}, RANDOM_ANYTHING);
        cases.expected[i] = rebalance_run("balanced", cases.group[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){&cases, i};
        assert_int_equal(pthread_create(&thread[i], NULL, assign_all, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(cases.differences[i], 0);
    }
    for (int i = 0; i < CASES; i++) {
        draft_free(cases.group[i]);
        rebalance_free(cases.expected[i]);
    }
}

static void a_fault_leaves_the_instance_as_it_was(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group(), *bad = small_group();
    rebalance *r = rebalance_room(d), *expected = rebalance_run("learner", d), *spoilt = rebalance_room(bad);
    bad->copy_task[0] = 99;
    assert_int_equal(rebalance_slots()->assign(instance, &bad->group, &bad->config, &spoilt->plan, NULL),
                     SEGUE_E_GROUP);
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    assert_true(rebalance_same(r, expected));
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    rebalance_free(expected);
    rebalance_free(spoilt);
    draft_free(d);
    draft_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_version_of_both_is_agreed_on),
        cmocka_unit_test(no_entry_and_one_that_ends_before_the_slots_are_bad_arguments),
        cmocka_unit_test(nothing_is_written_behind_an_entrys_size),
        cmocka_unit_test(the_table_describes_every_slot),
        cmocka_unit_test(assignors_are_described_one_by_one_until_there_is_none),
        cmocka_unit_test(traits_say_who_is_cold_and_who_knows_leaving_members),
        cmocka_unit_test(an_unknown_name_makes_no_instance_and_says_which),
        cmocka_unit_test(a_system_without_memory_makes_no_instance),
        cmocka_unit_test(nothing_may_be_destroyed_and_no_extension_is_known),
        cmocka_unit_test(the_bound_reads_counts_only_and_is_what_the_header_says),
        cmocka_unit_test(a_bound_without_its_arguments_is_refused),
        cmocka_unit_test(a_plan_with_too_little_room_is_refused_before_anything_is_written),
        cmocka_unit_test(no_instance_group_configuration_or_plan_are_bad_arguments),
        cmocka_unit_test(decisions_that_nobody_wants_need_no_columns),
        cmocka_unit_test(structs_of_a_later_version_are_served_and_their_tails_left_alone),
        cmocka_unit_test(an_error_text_fits_buffers_of_no_one_and_two_bytes),
        cmocka_unit_test(memory_is_read_and_comes_back_after_a_large_call),
        cmocka_unit_test(noise_in_a_column_is_answered_or_refused),
        cmocka_unit_test(a_value_outside_its_range_is_refused_by_its_key),
        cmocka_unit_test(noise_beside_the_tasks_is_answered_or_refused_by_all_strategies),
        cmocka_unit_test(instances_in_parallel_threads_give_the_answers_of_one),
        cmocka_unit_test(a_fault_leaves_the_instance_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
