/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fault.h"

#include "test/testing.h"

static void a_fault_carries_code_row_and_sentence(void **state)
{
    (void)state;
    char text[64];
    segue_error error = {.size = sizeof error, .rule = 9, .text = text, .text_size = sizeof text};
    assert_int_equal(sgp_fault(&error, SEGUE_E_GROUP, 7, "%u of %s", 3u, "four"), SEGUE_E_GROUP);
    assert_int_equal(error.code, SEGUE_E_GROUP);
    assert_int_equal(error.row, 7);
    assert_int_equal(error.rule, 0);
    assert_string_equal(text, "3 of four");
}

static void no_record_and_no_text_are_allowed(void **state)
{
    (void)state;
    segue_error error = {.size = sizeof error, .text = NULL, .text_size = 100};
    assert_int_equal(sgp_fault(NULL, SEGUE_E_NAME, 0, "unheard"), SEGUE_E_NAME);
    assert_int_equal(sgp_fault(&error, SEGUE_E_NAME, 0, "unheard"), SEGUE_E_NAME);
    assert_int_equal(error.code, SEGUE_E_NAME);
}

static void a_sentence_is_cut_to_its_buffer_and_ends_in_nul(void **state)
{
    (void)state;
    const char *expected[] = {"xxxx", "", "a", "ab", "abc"};
    for (uint32_t size = 0; size < 5; size++) {
        char text[8] = "xxxx";
        segue_error error = {.size = sizeof error, .text = text, .text_size = size};
        sgp_fault(&error, SEGUE_E_NAME, 0, "abcdef");
        assert_string_equal(text, expected[size]);
        assert_int_equal(text[5], 0);
    }
}

/* Whatever a record's stated size, no byte behind it changes; a field is written only when it lies wholly inside. */
static void nothing_is_written_behind_the_stated_size(void **state)
{
    (void)state;
    char text[16] = "untouched";
    for (uint32_t size = 0; size <= sizeof(segue_error); size++) {
        union {
            segue_error record;
            unsigned char bytes[sizeof(segue_error)];
        } error;
        memset(&error, 0xee, sizeof error);
        error.record.size = size;
        error.record.text = text;
        error.record.text_size = sizeof text;
        unsigned char before[sizeof error];
        memcpy(before, error.bytes, sizeof before);
        sgp_fault(&error.record, SEGUE_E_GROUP, 1, "written");
        if (size < sizeof error) {
            assert_memory_equal(error.bytes + size, before + size, sizeof before - size);
        }
        int has_text = size >= offsetof(segue_error, text_size) + sizeof error.record.text_size;
        assert_string_equal(text, has_text ? "written" : "untouched");
        strcpy(text, "untouched");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_carries_code_row_and_sentence),
        cmocka_unit_test(no_record_and_no_text_are_allowed),
        cmocka_unit_test(a_sentence_is_cut_to_its_buffer_and_ends_in_nul),
        cmocka_unit_test(nothing_is_written_behind_the_stated_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
