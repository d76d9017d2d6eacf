/* SPDX-License-Identifier: Apache-2.0 */
/* Codes as the words and sentences that people and documents know them by. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "known.h"
#include "segue/host.h"

#define UNKNOWN "unknown"

const char *segue_status_word(int32_t status)
{
    switch (status) {
#define WORD(name, value, word) \
    case value: \
        return word;
        SEGUE_STATUSES(WORD)
#undef WORD
    default:
        return UNKNOWN;
    }
}

const char *segue_kind_word(uint32_t kind)
{
    switch (kind) {
#define WORD(name, value, word) \
    case value: \
        return word;
        SEGUE_KINDS(WORD)
#undef WORD
    default:
        return UNKNOWN;
    }
}

const char *segue_reason_word(uint32_t reason)
{
    switch (reason) {
#define WORD(name, value, word, sentence) \
    case value: \
        return word;
        SEGUE_REASONS(WORD)
#undef WORD
    default:
        return UNKNOWN;
    }
}

const char *segue_followup_word(uint32_t followup)
{
    switch (followup) {
#define WORD(name, value, word) \
    case value: \
        return word;
        SEGUE_FOLLOWUPS(WORD)
#undef WORD
    default:
        return UNKNOWN;
    }
}

/* A plugin that is newer than this host may have reasons that it does not know. */
static const char *sentence_of(uint32_t reason)
{
    switch (reason) {
#define SENTENCE(name, value, word, sentence) \
    case value: \
        return sentence;
        SEGUE_REASONS(SENTENCE)
#undef SENTENCE
    default:
        return "{task}: a reason that this host has no sentence for ({0}, {1}, {2}, {3})";
    }
}

/* A buffer that counts on when it is full. */
typedef struct sentence {
    char *text;
    size_t size;
    size_t length;
} sentence;

static void append(sentence *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, out->length++) {
        if (out->length + 1 < out->size) {
            out->text[out->length] = text[i];
        }
    }
}

static void append_name(sentence *out, const segue_group *group, const uint32_t *names, uint32_t count, uint32_t handle)
{
    if (handle >= count) {
        append(out, "nobody", strlen("nobody"));
        return;
    }
    uint32_t begin = group->string_offset[names[handle]];
    append(out, group->string_bytes + begin, group->string_offset[names[handle] + 1] - begin);
}

/* The only number below zero is a lag that nobody could tell. */
static void append_number(sentence *out, int64_t number)
{
    char digits[40] = "an unknown number of";
    if (number >= 0) {
        snprintf(digits, sizeof digits, "%" PRId64, number);
    }
    append(out, digits, strlen(digits));
}

static void append_mark(sentence *out, const segue_group *group, const segue_plan *plan, uint32_t decision,
                        const char *mark)
{
    if (mark[0] >= '0' && mark[0] < '0' + (int)SEGUE_DECISION_NUMBERS) {
        append_number(out, plan->decision_number[(size_t)decision * SEGUE_DECISION_NUMBERS + (size_t)(mark[0] - '0')]);
    } else if (mark[0] == 'f') {
        append_name(out, group, group->member_name, group->member_count, plan->decision_from[decision]);
    } else if (mark[1] == 'o') {
        append_name(out, group, group->member_name, group->member_count, plan->decision_to[decision]);
    } else {
        append_name(out, group, group->task_name, group->task_count, plan->decision_task[decision]);
    }
}

/* A cut does not leave half a character behind. */
static void terminate(const sentence *out)
{
    if (out->size == 0) {
        return;
    }
    size_t end = out->length;
    if (end >= out->size) {
        end = out->size - 1;
        while (end > 0 && ((unsigned char)out->text[end - 1] & 0xc0) == 0x80) {
            end--;
        }
        end -= end > 0 && (unsigned char)out->text[end - 1] >= 0xc0;
    }
    out->text[end] = '\0';
}

size_t segue_decision_text(const segue_group *group, const segue_plan *plan, uint32_t decision, char *text, size_t size)
{
    sentence out = {text, text == NULL ? 0 : size, 0};
    segue_group group_room;
    segue_plan plan_room;
    group = sgi_known_group(group, &group_room);
    plan = sgi_known_plan(plan, &plan_room);
    if (group == NULL || plan == NULL || decision >= plan->decision_count) {
        terminate(&out);
        return 0;
    }
    const char *rest = sentence_of(plan->decision_reason[decision]);
    for (const char *mark = strchr(rest, '{'); mark != NULL; mark = strchr(rest, '{')) {
        append(&out, rest, (size_t)(mark - rest));
        append_mark(&out, group, plan, decision, mark + 1);
        rest = strchr(mark, '}') + 1;
    }
    append(&out, rest, strlen(rest));
    terminate(&out);
    return out.length;
}
