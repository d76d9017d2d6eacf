/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a record's file: frames up to the first that is none, each with a group and a plan whose handles can be used; and
 * all of them told as the events of a report.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "fuzz.h"
#include "retell.h"

static void hold_member(const frame *it, uint32_t member)
{
    HOLD(member < it->group.member_count || member == SEGUE_NONE, "member %u of %u", member, it->group.member_count);
}

static void hold_frame(const frame *it)
{
    fuzz_fault fault;
    HOLD(strlen(it->assignor) == it->head.assignor_size, "the name has %zu bytes", strlen(it->assignor));
    HOLD(segue_group_check(&it->group, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
    HOLD(it->plan.task_count == it->group.task_count, "another number of tasks");
    for (uint32_t t = 0; t < it->plan.task_count; t++) {
        hold_member(it, it->plan.active[t]);
        hold_member(it, it->plan.learner[t]);
        for (uint32_t i = it->plan.standby_start[t]; i < it->plan.standby_start[t + 1]; i++) {
            hold_member(it, it->plan.standby_member[i]);
        }
    }
    for (uint32_t i = 0; i < it->plan.decision_count; i++) {
        HOLD(it->plan.decision_task[i] < it->plan.task_count, "a decision of task %u", it->plan.decision_task[i]);
        hold_member(it, it->plan.decision_from[i]);
        hold_member(it, it->plan.decision_to[i]);
    }
}

static void write_group(const frame *it)
{
    char *text = NULL;
    size_t size = 0;
    fuzz_fault fault;
    int32_t status = segue_document_write_group(&it->group, &it->config, 1, &text, &size, fuzz_error(&fault));
    if (status != SEGUE_OK) {
        fuzz_hold_said(&fault, status);
    }
    segue_free(text);
}

/* Each line is one JSON object, and the lines of a run come in order. */
static void hold_events(char *text)
{
    json_int_t before = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        json_error_t error;
        json_t *row = json_loads(line, 0, &error);
        json_int_t at = json_integer_value(json_object_get(row, "at_us"));
        HOLD(json_is_object(row), "%s in %s", error.text, line);
        HOLD(at >= before || json_object_get(row, "segue") != NULL, "%lld us behind %lld us", (long long)at, (long long)before);
        before = at;
        json_decref(row);
    }
}

static void tell(FILE *file)
{
    char why[200];
    char *text = NULL;
    size_t size = 0;
    frame it;
    FILE *events = open_memstream(&text, &size);
    rewind(file);
    retelling *told = events == NULL ? NULL : retell_open("record", file, events);
    HOLD(told != NULL, "no memory");
    while (frame_read(file, &it, why, sizeof why) == FRAME_READ) {
        HOLD(frame_untold(&it) != NULL || retell_step(told, &it) == 0, "a step is not told");
        frame_free(&it);
    }
    HOLD(retell_end(told) == 0, "the events are not written");
    retell_close(told);
    fclose(events);
    hold_events(text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[200] = "";
    frame it;
    enum frame_status found;
    char *bytes = fuzz_copy(data, size);
    FILE *file = fmemopen(bytes, size > 0 ? size : 1, "r");
    HOLD(file != NULL, "no file");
    while ((found = frame_read(file, &it, why, sizeof why)) == FRAME_READ) {
        hold_frame(&it);
        write_group(&it);
        frame_free(&it);
    }
    HOLD(found == FRAME_END || strncmp(why, "byte ", 5) == 0, "no place is named: '%s'", why);
    tell(file);
    fclose(file);
    free(bytes);
    return 0;
}
