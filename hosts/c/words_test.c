/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "segue/host.h"

static void every_code_has_its_word_and_others_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(segue_status_word(SEGUE_E_PLAN), "bad-plan");
    assert_string_equal(segue_kind_word(SEGUE_KIND_HAND_OVER), "hand-over");
    assert_string_equal(segue_reason_word(SEGUE_REASON_CAUGHT_UP), "caught-up");
    assert_string_equal(segue_followup_word(SEGUE_FOLLOWUP_NONE), "none");
    assert_string_equal(segue_status_word(7), "unknown");
    assert_string_equal(segue_kind_word(0), "unknown");
    assert_string_equal(segue_reason_word(60000), "unknown");
    assert_string_equal(segue_followup_word(99), "unknown");
}

/* Known as lower-case words, each of one code alone. */
static void assert_new_word(const char *word, const char **words, size_t *count)
{
    assert_true(strspn(word, "abcdefghijklmnopqrstuvwxyz-") == strlen(word) && *word != '\0');
    assert_string_not_equal(word, "unknown");
    for (size_t i = 0; i < *count; i++) {
        assert_string_not_equal(word, words[i]);
    }
    words[(*count)++] = word;
}

static void no_two_codes_have_one_word(void **state)
{
    (void)state;
    const char *statuses[32], *kinds[32], *reasons[64], *followups[32];
    size_t status_count = 0, kind_count = 0, reason_count = 0, followup_count = 0;
#define STATUS(name, value, word)                                                                                     \
    assert_string_equal(segue_status_word(value), word);                                                              \
    assert_new_word(segue_status_word(value), statuses, &status_count);
#define KIND(name, value, word)                                                                                       \
    assert_string_equal(segue_kind_word(value), word);                                                                \
    assert_new_word(segue_kind_word(value), kinds, &kind_count);
#define REASON(name, value, word, sentence)                                                                           \
    assert_string_equal(segue_reason_word(value), word);                                                              \
    assert_new_word(segue_reason_word(value), reasons, &reason_count);
#define FOLLOWUP(name, value, word)                                                                                   \
    assert_string_equal(segue_followup_word(value), word);                                                            \
    assert_new_word(segue_followup_word(value), followups, &followup_count);
    SEGUE_STATUSES(STATUS)
    SEGUE_KINDS(KIND)
    SEGUE_REASONS(REASON)
    SEGUE_FOLLOWUPS(FOLLOWUP)
}

/* One decision about task 0_0, from a member called é to one called S2. */
typedef struct scene {
    segue_document *document;
    segue_plan *plan;
} scene;

static void set_scene(scene *it, uint16_t reason, const int64_t *numbers)
{
    const char *text = "{\"segue\":\"group/1\",\"tasks\":[{\"id\":\"0_0\"}],"
                       "\"members\":[{\"id\":\"\xc3\xa9\"},{\"id\":\"S2\"}]}";
    assert_int_equal(segue_document_read(text, strlen(text), NULL, &it->document, NULL), SEGUE_OK);
    segue_bound bound = {.size = sizeof bound, .decision_rows = 1};
    assert_int_equal(segue_plan_new(1, &bound, 1, &it->plan), SEGUE_OK);
    it->plan->decision_count = 1;
    it->plan->decision_task[0] = 0;
    it->plan->decision_kind[0] = SEGUE_KIND_LEARN;
    it->plan->decision_reason[0] = reason;
    it->plan->decision_from[0] = 1;
    it->plan->decision_to[0] = 0;
    memcpy(it->plan->decision_number, numbers, 4 * sizeof *numbers);
}

static void end_scene(scene *it)
{
    segue_document_free(it->document);
    segue_plan_free(it->plan);
}

static void assert_sentence(uint16_t reason, const int64_t *numbers, const char *sentence)
{
    scene it;
    char text[300];
    set_scene(&it, reason, numbers);
    const segue_group *group = segue_document_group(it.document);
    assert_int_equal(segue_decision_text(group, it.plan, 0, text, sizeof text), strlen(sentence));
    assert_string_equal(text, sentence);
    end_scene(&it);
}

static void a_decision_is_a_sentence(void **state)
{
    (void)state;
    const int64_t numbers[] = {1, 2, 3, 4};
    const int64_t unknown[] = {SEGUE_LAG_UNKNOWN, 0, 0, 0};
    assert_sentence(SEGUE_REASON_BELOW_QUOTA, numbers, "S2 holds 1 of its quota of 2; \xc3\xa9 holds 3 of 4");
    assert_sentence(SEGUE_REASON_COLD_MOVE, numbers, "0_0 moves from \xc3\xa9 to S2 without its state");
    assert_sentence(SEGUE_REASON_DEADLINE_PASSED, unknown,
                    "the deadline of \xc3\xa9 has passed; S2 is an unknown number of records behind");
    assert_sentence(60000, numbers, "0_0: a reason that this host has no sentence for (1, 2, 3, 4)");
}

/* Marks are replaced, whatever the reason, and nothing of them is left. */
static void every_reason_has_a_sentence_about_its_task_or_its_members(void **state)
{
    (void)state;
    const int64_t numbers[] = {11, 12, 13, 14};
    for (uint16_t reason = 1; strcmp(segue_reason_word(reason), "unknown") != 0; reason++) {
        scene it;
        char text[300];
        set_scene(&it, reason, numbers);
        size_t length = segue_decision_text(segue_document_group(it.document), it.plan, 0, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_null(strpbrk(text, "{}"));
        assert_true(strstr(text, "0_0") != NULL || strstr(text, "S2") != NULL || strstr(text, "\xc3\xa9") != NULL);
        end_scene(&it);
    }
}

static void a_member_that_is_none_is_nobody(void **state)
{
    (void)state;
    const int64_t numbers[] = {1, 2, 3, 4};
    scene it;
    char text[300];
    set_scene(&it, SEGUE_REASON_COLD_MOVE, numbers);
    it.plan->decision_from[0] = SEGUE_NONE;
    it.plan->decision_to[0] = 2;
    segue_decision_text(segue_document_group(it.document), it.plan, 0, text, sizeof text);
    assert_string_equal(text, "0_0 moves from nobody to nobody without its state");
    assert_int_equal(segue_decision_text(NULL, it.plan, 0, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(segue_decision_text(segue_document_group(it.document), NULL, 0, text, sizeof text), 0);
    end_scene(&it);
}

static void a_sentence_is_cut_between_characters_and_says_its_full_length(void **state)
{
    (void)state;
    const int64_t numbers[] = {1, 2, 3, 4};
    scene it;
    char text[64];
    set_scene(&it, SEGUE_REASON_SAME_PROCESS, numbers);
    const segue_group *group = segue_document_group(it.document);
    size_t full = segue_decision_text(group, it.plan, 0, NULL, 0);
    assert_int_equal(full, strlen("S2 shares the disk of \xc3\xa9, so 0_0 needs no replay"));
    size_t half = strlen("S2 shares the disk of ") + 1;
    memset(text, 'x', sizeof text);
    assert_int_equal(segue_decision_text(group, it.plan, 0, text, half + 1), full);
    assert_string_equal(text, "S2 shares the disk of ");
    assert_int_equal(text[half + 1], 'x');
    for (size_t size = 1; size < sizeof text; size++) {
        assert_int_equal(segue_decision_text(group, it.plan, 0, text, size), full);
        assert_true(strlen(text) < size && strlen(text) + 3 >= (size <= full ? size : full));
        assert_int_equal(strncmp(text, "S2 shares the disk of \xc3\xa9, so 0_0 needs no replay", strlen(text)), 0);
        assert_true(*text == '\0' || (unsigned char)text[strlen(text) - 1] != 0xc3);
    }
    assert_int_equal(segue_decision_text(group, it.plan, 1, text, sizeof text), 0);
    end_scene(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_word_and_others_are_unknown),
        cmocka_unit_test(no_two_codes_have_one_word),
        cmocka_unit_test(a_decision_is_a_sentence),
        cmocka_unit_test(every_reason_has_a_sentence_about_its_task_or_its_members),
        cmocka_unit_test(a_member_that_is_none_is_nobody),
        cmocka_unit_test(a_sentence_is_cut_between_characters_and_says_its_full_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
