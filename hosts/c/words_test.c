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
    assert_int_equal(segue_decision_text(group, it.plan, 1, text, sizeof text), 0);
    end_scene(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_word_and_others_are_unknown),
        cmocka_unit_test(a_decision_is_a_sentence),
        cmocka_unit_test(a_sentence_is_cut_between_characters_and_says_its_full_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
