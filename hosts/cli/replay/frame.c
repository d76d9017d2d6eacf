/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING = 8, NAME_MOST = 4096 };

/* Far above what any group can have; a broken size is not worth the memory. */
#define MESSAGE_MOST ((uint64_t)1 << 36)

/* The same for a time: microseconds are computed from it. */
#define WALL_MS_MOST ((int64_t)1 << 53)

static enum frame_status fault(char *why, size_t why_size, int64_t at, const char *what)
{
    snprintf(why, why_size, "byte %lld: %s", (long long)at, what);
    return FRAME_FAULT;
}

static size_t padded(size_t size)
{
    return (size + PADDING - 1) / PADDING * PADDING;
}

static const char *wrong_head(const segue_record_head *head)
{
    if (memcmp(head->magic, SEGUE_RECORD_MAGIC, sizeof head->magic) != 0) {
        return "no frame of a record begins here";
    }
    if (head->version != SEGUE_RECORD_VERSION || head->head_size < sizeof *head || head->head_size > NAME_MOST) {
        return "a frame of another version, which this program does not read";
    }
    if (head->assignor_size == 0 || head->assignor_size > NAME_MOST || head->group_size > MESSAGE_MOST ||
        head->plan_size > MESSAGE_MOST || head->group_size % PADDING != 0 || head->plan_size % PADDING != 0) {
        return "the sizes of this frame cannot be";
    }
    if (head->wall_ms < 0 || head->wall_ms > WALL_MS_MOST) {
        return "the time of this frame cannot be";
    }
    return NULL;
}

/* Reads by and by, so that a size that is a lie costs no more memory than the file has bytes. */
static char *read_bytes(FILE *file, size_t size)
{
    size_t room = size < 1048576 ? size : 1048576;
    size_t used = 0;
    char *bytes = malloc(room + PADDING);
    while (bytes != NULL && used < size) {
        size_t got = fread(bytes + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            free(bytes);
            return NULL;
        }
        if (used == room && used < size) {
            room = room * 2 < size ? room * 2 : size;
            char *grown = realloc(bytes, room + PADDING);
            if (grown == NULL) {
                free(bytes);
            }
            bytes = grown;
        }
    }
    return bytes;
}

static int is_member(const frame *it, uint32_t member)
{
    return member < it->group.member_count || member == SEGUE_NONE;
}

/* Handles and starts are read as places later on. Only a standby has to be somebody's: it is a row of its own. */
static int plan_fits(const frame *it)
{
    const segue_plan *plan = &it->plan;
    int fits = plan->task_count == it->group.task_count && plan->standby_start[0] == 0;
    for (uint32_t task = 0; fits && task < plan->task_count; task++) {
        fits = is_member(it, plan->active[task]) && is_member(it, plan->learner[task]) &&
               plan->standby_start[task] <= plan->standby_start[task + 1] &&
               plan->standby_start[task + 1] <= plan->standby_count;
    }
    for (uint32_t row = 0; fits && row < plan->standby_count; row++) {
        fits = plan->standby_member[row] < it->group.member_count;
    }
    for (uint32_t row = 0; fits && row < plan->decision_count; row++) {
        fits = plan->decision_task[row] < plan->task_count && is_member(it, plan->decision_from[row]) &&
               is_member(it, plan->decision_to[row]);
    }
    return fits;
}

static const char *decode(frame *it)
{
    const segue_record_head *head = &it->head;
    char *group = it->bytes + (head->head_size - sizeof *head) + padded(head->assignor_size);
    char *plan = group + head->group_size;
    it->assignor = strndup(it->bytes + (head->head_size - sizeof *head), head->assignor_size);
    if (it->assignor == NULL) {
        return "no memory is left";
    }
    if (strspn(it->assignor, "abcdefghijklmnopqrstuvwxyz0123456789-") != head->assignor_size) {
        return "the assignor's name in this frame is none";
    }
    it->group.size = sizeof it->group;
    it->config.size = sizeof it->config;
    it->plan.size = sizeof it->plan;
    if (segue_wire_decode_group(group, head->group_size, &it->group, &it->config, NULL) != SEGUE_OK ||
        segue_group_check(&it->group, NULL) != SEGUE_OK) {
        return "the group of this frame is not whole";
    }
    if (segue_wire_decode_plan(plan, head->plan_size, &it->plan, NULL) != SEGUE_OK ||
        !plan_fits(it)) {
        return "the plan of this frame is not whole";
    }
    return NULL;
}

enum frame_status frame_read(FILE *file, frame *it, char *why, size_t why_size)
{
    int64_t at = ftello(file);
    *it = (frame){0};
    size_t got = fread(&it->head, 1, sizeof it->head, file);
    if (got == 0) {
        return ferror(file) ? fault(why, why_size, at, "the file cannot be read") : FRAME_END;
    }
    if (got < sizeof it->head) {
        return fault(why, why_size, at, "the file ends within a frame");
    }
    const char *wrong = wrong_head(&it->head);
    if (wrong != NULL) {
        return fault(why, why_size, at, wrong);
    }
    it->bytes = read_bytes(file, it->head.head_size - sizeof it->head + padded(it->head.assignor_size) +
                                     it->head.group_size + it->head.plan_size);
    wrong = it->bytes == NULL ? "the file ends within a frame, or no memory is left for it" : decode(it);
    if (wrong != NULL) {
        frame_free(it);
        return fault(why, why_size, at, wrong);
    }
    return FRAME_READ;
}

const char *frame_untold(const frame *it)
{
    const segue_group *group = &it->group;
    int zero = group->string_bytes_size > 0 && memchr(group->string_bytes, '\0', group->string_bytes_size) != NULL;
    return zero ? "a name in this frame has a byte of zero, which no document could have" : NULL;
}

void frame_free(frame *it)
{
    free(it->assignor);
    free(it->bytes);
    *it = (frame){0};
}
