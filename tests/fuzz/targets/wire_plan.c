/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a plan's message, beside a group that fits its count of tasks: refused, or columns that can be read to their
 * ends and judged, and that are the same message again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TASKS = 4, MEMBERS = 3 };

static void touch(const segue_plan *p)
{
#define TOUCH(id, field, type, used, capacity) fuzz_touch(p->field, (used), sizeof(type));
    SEGUE_PLAN_COLUMNS(TOUCH)
#undef TOUCH
}

static void encode_twice(const segue_plan *plan)
{
    size_t size = 0, size_again = 0;
    segue_plan again = {.size = sizeof again};
    fuzz_fault fault;
    segue_wire_encode_plan(plan, NULL, 0, &size, NULL);
    void *message = malloc(size), *message_again = malloc(size);
    HOLD(segue_wire_encode_plan(plan, message, size, &size, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    HOLD(segue_wire_decode_plan(message, size, &again, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    HOLD(segue_wire_encode_plan(&again, message_again, size, &size_again, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    HOLD(size == size_again && memcmp(message, message_again, size) == 0, "the message is another one");
    free(message_again);
    free(message);
}

/* As many tasks on as many members in every input: what differs is the plan. */
static const segue_document *some_group(void)
{
    static const char text[] = "{\"segue\":\"group/1\",\"config\":{\"num.standby.replicas\":1},"
                               "\"subtopologies\":[{\"id\":0,\"partitions\":3},{\"id\":1,\"partitions\":1,\"stateful\":false}],"
                               "\"members\":[{\"id\":\"a\",\"active\":[\"0_0\",\"0_1\"]},{\"id\":\"b\",\"active\":[\"0_2\"],"
                               "\"lag\":{\"0_0\":7}},{\"id\":\"c\",\"leaving\":{\"since_ms\":0,\"deadline_ms\":0}}]}";
    static segue_document *document;
    if (document == NULL) {
        fuzz_fault fault;
        HOLD(segue_document_read(text, sizeof text - 1, NULL, &document, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    }
    return document;
}

static void judge(const segue_plan *plan)
{
    fuzz_fault fault;
    const segue_document *document = some_group();
    const segue_group *group = segue_document_group(document);
    int32_t status = segue_plan_check(group, segue_document_config(document), plan, SEGUE_TRAIT_LEAVING, fuzz_error(&fault));
    if (status != SEGUE_OK) {
        fuzz_hold_said(&fault, status);
        return;
    }
    char sentence[200];
    for (uint32_t i = 0; i < plan->decision_count; i++) {
        segue_decision_text(group, plan, i, sentence, sizeof sentence);
    }
    char *text = NULL;
    size_t size = 0;
    HOLD(segue_document_write_plan(document, "a", plan, 1, 0, &text, &size, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    segue_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_fault fault;
    segue_plan plan = {.size = sizeof plan};
    void *message = fuzz_copy(data, size);
    int32_t status = segue_wire_decode_plan(message, size, &plan, fuzz_error(&fault));
    if (status != SEGUE_OK) {
        fuzz_hold_said(&fault, status);
    } else {
        touch(&plan);
        encode_twice(&plan);
        judge(&plan);
    }
    free(message);
    return 0;
}
