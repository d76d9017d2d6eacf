/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include "testing.h"

static const char *said(size_t room, const char *text)
{
    static char buffer[64];
    memset(buffer, '#', sizeof buffer);
    segue_error error = {.size = sizeof error, .text = buffer, .text_size = (uint32_t)room};
    assert_int_equal(sgi_fault(&error, SEGUE_E_GROUP, 3, 7, "%s", text), SEGUE_E_GROUP);
    assert_int_equal(error.code, SEGUE_E_GROUP);
    assert_int_equal(error.rule, 3);
    assert_int_equal(error.row, 7);
    for (size_t i = room; i < sizeof buffer; i++) {
        assert_int_equal(buffer[i], '#');
    }
    return buffer;
}

static void a_text_is_one_clean_line(void **state)
{
    (void)state;
    assert_string_equal(said(64, "plain"), "plain");
    assert_string_equal(said(64, "two\nlines\ttab\x7f"), "two?lines?tab?");
    assert_string_equal(said(64, "grün ≤ 🙂"), "grün ≤ 🙂");
    assert_string_equal(said(64, "\xc2\x9b" "31m a\u2028b \u202ec\u2069 \u061c."), "?31m a?b ?c? ?.");
    assert_string_equal(said(64, "e\u0301 \u05d0 \u2010 \u2065"), "e\u0301 \u05d0 \u2010 \u2065");
    assert_string_equal(said(64, "\xff\xc0\xaf\xed\xa0\x80z"), "??????z");
}

static void a_cut_never_splits_a_character(void **state)
{
    (void)state;
    assert_string_equal(said(6, "abcdefgh"), "abcde");
    assert_string_equal(said(4, "abü"), "ab");
    assert_string_equal(said(5, "abü"), "abü");
    assert_string_equal(said(5, "a🙂"), "a");
    assert_string_equal(said(1, "a"), "");
}

static void nothing_is_written_past_a_smaller_record_or_buffer(void **state)
{
    (void)state;
    segue_error old = {.size = offsetof(segue_error, rule), .rule = 77, .row = 88};
    assert_int_equal(sgi_fault(&old, SEGUE_E_NAME, 1, 2, "x"), SEGUE_E_NAME);
    assert_int_equal(old.code, SEGUE_E_NAME);
    assert_int_equal(old.rule, 77);
    assert_int_equal(old.row, 88);
    assert_int_equal(sgi_fault(NULL, SEGUE_E_NAME, 1, 2, "x"), SEGUE_E_NAME);
    (void)said(0, "nowhere to go");
}

static void a_longer_record_of_a_newer_caller_gets_a_zeroed_tail(void **state)
{
    (void)state;
    struct {
        uint32_t size, known, newer;
    } out = {12, 1, 1}, record = {8, 5, 9};
    sgi_fill(&out, out.size, &record, 8);
    assert_int_equal(out.size, 12);
    assert_int_equal(out.known, 5);
    assert_int_equal(out.newer, 0);
}

/* A later caller's record has a tail, which is cleared; one too small to hold anything is left alone. */
static void records_of_any_size_are_filled_as_far_as_they_are_known(void **state)
{
    (void)state;
    struct {
        segue_error known;
        char tail[16];
    } later;
    char text[8];
    memset(&later, 0x55, sizeof later);
    later.known = (segue_error){.size = sizeof later, .text = text, .text_size = sizeof text};
    assert_int_equal(sgi_fault(&later.known, SEGUE_E_GROUP, 3, 7, "%s", "eight long"), SEGUE_E_GROUP);
    assert_string_equal(text, "eight l");
    for (size_t i = 0; i < sizeof later.tail; i++) {
        assert_int_equal(later.tail[i], 0);
    }
    segue_error none = {.size = 2, .code = 5};
    assert_int_equal(sgi_fault(&none, SEGUE_E_GROUP, 3, 7, "x"), SEGUE_E_GROUP);
    assert_int_equal(none.code, 5);
    uint32_t small[2] = {sizeof small[0], 77};
    segue_metrics known = {.size = sizeof known, .aside = 3};
    sgi_fill(small, small[0], &known, sizeof known);
    assert_int_equal(small[1], 77);
}

/* Whatever the room, what is left of a text is whole characters. */
static void a_cut_never_leaves_half_a_character(void **state)
{
    (void)state;
    static const char *const whole[] = {"\xc3\xa9\xc3\xa9", "\xe2\x82\xac\xe2\x82\xac", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", "a\xc3\xa9"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        for (uint32_t room = 1; room <= strlen(whole[i]) + 1; room++) {
            char text[16] = "";
            segue_error error = {.size = sizeof error, .text = text, .text_size = room};
            sgi_fail(&error, SEGUE_E_NAME, "%s", whole[i]);
            assert_true(strlen(text) < room);
            assert_true(sgi_is_utf8(text, strlen(text)));
            assert_null(strchr(text, '?'));
            assert_memory_equal(text, whole[i], strlen(text));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_any_size_are_filled_as_far_as_they_are_known),
        cmocka_unit_test(a_cut_never_leaves_half_a_character),
        cmocka_unit_test(a_text_is_one_clean_line),
        cmocka_unit_test(a_cut_never_splits_a_character),
        cmocka_unit_test(nothing_is_written_past_a_smaller_record_or_buffer),
        cmocka_unit_test(a_longer_record_of_a_newer_caller_gets_a_zeroed_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
