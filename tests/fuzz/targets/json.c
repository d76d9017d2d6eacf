/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as group documents: refused with their place, or a group that holds every rule of segue/group.h, and that is the
 * same again when it was written and read once more. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Larger groups say nothing new and take time. */
enum { TASKS_MOST = 5000 };

static char *write_group(const segue_document *document, size_t *size)
{
    char *text = NULL;
    fuzz_fault fault;
    int32_t status = segue_document_write_group(segue_document_group(document), segue_document_config(document), 0, &text,
                                                size, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "a group that was read cannot be written: %s", fault.text);
    return text;
}

static void write_plan(const segue_document *document)
{
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    fuzz_fault fault;
    char *text = NULL;
    size_t size = 0;
    segue_bound bound = {.size = sizeof bound};
    if (segue_host_bound(group, config, &bound) != SEGUE_OK) {
        return;
    }
    segue_plan *plan = fuzz_plan(group, config);
    HOLD(segue_plan_fallback(group, config, plan) == SEGUE_OK, "there is no fallback");
    int32_t status = segue_document_write_plan(document, "learner", plan, 1, 1, &text, &size, fuzz_error(&fault));
    HOLD(status == SEGUE_OK && strlen(text) == size, "a plan cannot be written: %s", fault.text);
    segue_free(text);
    segue_plan_free(plan);
}

static void read_again(const segue_document *document)
{
    fuzz_fault fault;
    size_t size = 0, size_again = 0;
    char *text = write_group(document, &size);
    segue_document *again = NULL;
    int32_t status = segue_document_read(text, size, "again", &again, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "what was written cannot be read: %s: %s", fault.text, text);
    char *text_again = write_group(again, &size_again);
    HOLD(size == size_again && memcmp(text, text_again, size) == 0, "%s\nis, read and written again,\n%s", text, text_again);
    segue_free(text_again);
    segue_free(text);
    segue_document_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_fault fault;
    segue_document *document = NULL;
    char *text = fuzz_copy(data, size);
    int32_t status = segue_document_read(text, size, "g", &document, fuzz_error(&fault));
    if (status != SEGUE_OK) {
        HOLD(document == NULL, "a document that is refused is given");
        fuzz_hold_said(&fault, status);
        HOLD(strncmp(fault.text, "g:", 2) == 0, "no place is named: %s", fault.text);
    } else if (segue_document_group(document)->task_count <= TASKS_MOST) {
        HOLD(segue_group_check(segue_document_group(document), fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
        read_again(document);
        write_plan(document);
    }
    segue_document_free(document);
    free(text);
    return 0;
}
