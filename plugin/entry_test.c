/* SPDX-License-Identifier: Apache-2.0 */
/* The door as a host meets it: versions, sizes, the table, instances. */
#include "segue/abi.h"

#include "test/famine.h"
#include "test/rebalance.h"
#include "test/testing.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
