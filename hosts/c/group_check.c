/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "error.h"
#include "group.h"
#include "known.h"
#include "segue/host.h"

/* Every check returns from the function that uses it; `row` is the index in the column that the text names first. */
#define REFUSE(row, ...) return sgi_fault(error, SEGUE_E_GROUP, 0, (row), __VA_ARGS__)
#define REQUIRE(condition, row, ...)                                                                                  \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            REFUSE(row, __VA_ARGS__);                                                                                 \
        }                                                                                                             \
    } while (0)
#define CHECK(call)                                                                                                   \
    do {                                                                                                              \
        int32_t status_ = (call);                                                                                     \
        if (status_ != SEGUE_OK) {                                                                                    \
            return status_;                                                                                           \
        }                                                                                                             \
    } while (0)

enum { OPTIONAL = 0, REQUIRED = 1 };

static int32_t check_counts(const segue_group *g, segue_error *error)
{
    REQUIRE(g->task_count <= SEGUE_MAX_TASKS, SEGUE_NONE, "task_count is %u: at most %u", g->task_count,
            SEGUE_MAX_TASKS);
    REQUIRE(g->member_count <= SEGUE_MAX_MEMBERS, SEGUE_NONE, "member_count is %u: at most %u", g->member_count,
            SEGUE_MAX_MEMBERS);
    REQUIRE(g->copy_count <= SEGUE_MAX_COPIES, SEGUE_NONE, "copy_count is %u: at most %u", g->copy_count,
            SEGUE_MAX_COPIES);
    REQUIRE(g->process_count <= g->member_count, SEGUE_NONE, "process_count is %u for %u members: each process has one",
            g->process_count, g->member_count);
    REQUIRE(g->string_count < SEGUE_NONE && g->subtopology_count < SEGUE_NONE && g->rack_count < SEGUE_NONE, SEGUE_NONE,
            "a count is %u, which stands for none", SEGUE_NONE);
    REQUIRE(g->task_count == 0 || g->member_count > 0, SEGUE_NONE, "there are %u tasks and no member to hold them",
            g->task_count);
    return SEGUE_OK;
}

static int32_t check_presence(const segue_group *g, segue_error *error)
{
#define PRESENT(id, field, type, count, need)                                                                         \
    REQUIRE(g->field != NULL || (count) == 0 || need == OPTIONAL, SEGUE_NONE, "the column " #field " is missing");
    SEGUE_GROUP_COLUMNS(PRESENT)
#undef PRESENT
    REQUIRE(g->rack_count == 0 || g->rack_name != NULL, SEGUE_NONE,
            "the column rack_name is missing: there are %u racks", g->rack_count);
    REQUIRE(g->tag_count == 0 || (g->tag_name != NULL && (g->member_tag != NULL || g->member_count == 0)), SEGUE_NONE,
            "the column %s is missing: there are %u tags", g->tag_name == NULL ? "tag_name" : "member_tag",
            g->tag_count);
    int rack_columns = g->task_inputs != NULL && g->task_rack_start != NULL &&
                       (g->task_rack_count == 0 || (g->task_rack != NULL && g->task_rack_inputs != NULL));
    int no_rack_column = g->task_rack_count == 0 && g->task_rack_start == NULL && g->task_rack == NULL &&
                         g->task_rack_inputs == NULL;
    REQUIRE(rack_columns || no_rack_column, SEGUE_NONE,
            "task_inputs, task_rack_start, task_rack and task_rack_inputs come together or not at all");
    return SEGUE_OK;
}

/* `count` starts and a closing entry, ascending from 0 to `end`. */
static int32_t check_starts(const char *name, const uint32_t *start, size_t count, uint32_t end, segue_error *error)
{
    REQUIRE(start[0] == 0, 0, "%s[0] is %u: it must be 0", name, start[0]);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(start[i] <= start[i + 1], (uint32_t)i + 1, "%s[%zu] is %u, less than the %u before it", name, i + 1,
                start[i + 1], start[i]);
    }
    REQUIRE(start[count] == end, (uint32_t)count, "%s[%zu] is %u: the last entry must be %u", name, count, start[count],
            end);
    return SEGUE_OK;
}

/* Handles below `limit`, or SEGUE_NONE where that is allowed. An absent column holds its default. */
static int32_t check_handles(const char *name, const uint32_t *column, size_t count, uint32_t limit, int none_allowed,
                             segue_error *error)
{
    for (size_t i = 0; column != NULL && i < count; i++) {
        REQUIRE(column[i] < limit || (none_allowed && column[i] == SEGUE_NONE), (uint32_t)i,
                "%s[%zu] is %u: it must be less than %u", name, i, column[i], limit);
    }
    return SEGUE_OK;
}

static int is_ascii(const char *bytes, size_t count)
{
    uint64_t seen = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= count; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        seen |= word;
    }
    for (; i < count; i++) {
        seen |= (unsigned char)bytes[i];
    }
    return (seen & UINT64_C(0x8080808080808080)) == 0;
}

static int32_t check_strings(const segue_group *g, segue_error *error)
{
    CHECK(check_starts("string_offset", g->string_offset, g->string_count, g->string_bytes_size, error));
    if (g->string_bytes_size == 0 || is_ascii(g->string_bytes, g->string_bytes_size)) {
        return SEGUE_OK;
    }
    for (uint32_t i = 0; i < g->string_count; i++) {
        sgi_text text = sgi_string(g, i);
        REQUIRE(sgi_is_utf8(text.bytes, text.length), i, "string %u is no UTF-8", i);
    }
    return SEGUE_OK;
}

static int32_t check_names(const segue_group *g, segue_error *error)
{
#define NAMES(column, count, none)                                                                                    \
    CHECK(check_handles(#column, g->column, (count), g->string_count, (none), error))
    NAMES(subtopology_name, g->subtopology_count, 0);
    NAMES(task_name, g->task_count, 0);
    NAMES(member_name, g->member_count, 0);
    NAMES(process_name, g->process_count, 0);
    NAMES(rack_name, g->rack_count, 0);
    NAMES(tag_name, g->tag_count, 0);
    NAMES(member_tag, (size_t)g->tag_count * g->member_count, 1);
#undef NAMES
    return SEGUE_OK;
}

static int32_t check_subtopologies(const segue_group *g, segue_error *error)
{
    for (uint32_t i = 1; i < g->subtopology_count; i++) {
        sgi_text before = sgi_string(g, g->subtopology_name[i - 1]), text = sgi_string(g, g->subtopology_name[i]);
        REQUIRE(sgi_compare_subtopologies(before, text) < 0, i,
                "subtopology_name[%u] is '%.*s', which does not come after '%.*s'", i, SGI_SHOW(text),
                SGI_SHOW(before));
    }
    return SEGUE_OK;
}

static int32_t check_task_order(const segue_group *g, segue_error *error)
{
    CHECK(check_handles("task_subtopology", g->task_subtopology, g->task_count, g->subtopology_count, 0, error));
    for (uint32_t t = 1; t < g->task_count; t++) {
        uint64_t before = (uint64_t)g->task_subtopology[t - 1] << 32 | g->task_partition[t - 1];
        uint64_t key = (uint64_t)g->task_subtopology[t] << 32 | g->task_partition[t];
        REQUIRE(before < key, t, "task %.*s (row %u) does not come after %.*s by subtopology and partition",
                SGI_SHOW_TASK(g, t), t, SGI_SHOW_TASK(g, t - 1));
    }
    return SEGUE_OK;
}

static int32_t check_task_values(const segue_group *g, segue_error *error)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        REQUIRE(g->task_stateful[t] <= 1, t, "task_stateful[%u] is %u: it must be 0 or 1", t, g->task_stateful[t]);
    }
    for (uint32_t t = 0; g->task_weight != NULL && t < g->task_count; t++) {
        REQUIRE(g->task_weight[t] > 0 && isfinite(g->task_weight[t]), t,
                "task_weight[%u], of %.*s, must be greater than 0 and finite", t, SGI_SHOW_TASK(g, t));
    }
    for (uint32_t t = 0; g->task_state_bytes != NULL && t < g->task_count; t++) {
        REQUIRE(g->task_state_bytes[t] >= SEGUE_BYTES_UNKNOWN, t,
                "task_state_bytes[%u] is %lld: it must be 0 or more, or -1 for unknown", t,
                (long long)g->task_state_bytes[t]);
    }
    return SEGUE_OK;
}

static int32_t check_task_racks(const segue_group *g, segue_error *error)
{
    if (g->task_rack_start == NULL) {
        return SEGUE_OK;
    }
    CHECK(check_starts("task_rack_start", g->task_rack_start, g->task_count, g->task_rack_count, error));
    CHECK(check_handles("task_rack", g->task_rack, g->task_rack_count, g->rack_count, 0, error));
    for (uint32_t t = 0; t < g->task_count; t++) {
        for (uint32_t i = g->task_rack_start[t]; i < g->task_rack_start[t + 1]; i++) {
            REQUIRE(i == g->task_rack_start[t] || g->task_rack[i - 1] < g->task_rack[i], i,
                    "task_rack[%u] does not ascend inside task %.*s", i, SGI_SHOW_TASK(g, t));
            REQUIRE(g->task_rack_inputs[i] >= 1 && g->task_rack_inputs[i] <= g->task_inputs[t], i,
                    "task_rack_inputs[%u] is %u: task %.*s has %u inputs", i, g->task_rack_inputs[i],
                    SGI_SHOW_TASK(g, t), g->task_inputs[t]);
        }
    }
    return SEGUE_OK;
}

static int32_t check_processes(const segue_group *g, segue_error *error)
{
    uint32_t named = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        REQUIRE(g->member_process[m] <= named && g->member_process[m] < g->process_count, m,
                "member_process[%u] is %u: processes are numbered as members name them, and there are %u", m,
                g->member_process[m], g->process_count);
        named += g->member_process[m] == named;
    }
    REQUIRE(named == g->process_count, SEGUE_NONE, "process_count is %u, but the members name %u", g->process_count,
            named);
    return SEGUE_OK;
}

static int32_t check_members(const segue_group *g, segue_error *error)
{
    for (uint32_t m = 1; m < g->member_count; m++) {
        sgi_text before = sgi_string(g, g->member_name[m - 1]), text = sgi_string(g, g->member_name[m]);
        REQUIRE(sgi_compare_texts(before, text) < 0, m, "member_name[%u] is '%.*s', which does not come after '%.*s'",
                m, SGI_SHOW(text), SGI_SHOW(before));
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        REQUIRE(g->member_threads[m] <= SEGUE_MAX_THREADS, m, "member_threads[%u] is %u: at most %u", m,
                g->member_threads[m], SEGUE_MAX_THREADS);
    }
    CHECK(check_handles("member_rack", g->member_rack, g->member_count, g->rack_count, 1, error));
    return check_processes(g, error);
}

static int32_t check_copies(const segue_group *g, segue_error *error)
{
    CHECK(check_starts("copy_start", g->copy_start, g->member_count, g->copy_count, error));
    for (uint32_t m = 0; m < g->member_count; m++) {
        uint64_t least = 0;
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            REQUIRE(g->copy_task[i] < g->task_count, i, "copy_task[%u] is %u: there are %u tasks", i, g->copy_task[i],
                    g->task_count);
            REQUIRE(g->copy_task[i] >= least, i, "copy_task[%u] does not ascend among the copies of member %.*s", i,
                    SGI_SHOW_MEMBER(g, m));
            REQUIRE(g->copy_role[i] <= SEGUE_ACTIVE, i, "copy_role[%u] is %u: roles are 0 to 3", i, g->copy_role[i]);
            REQUIRE(g->copy_lag == NULL || g->copy_lag[i] >= SEGUE_LAG_UNKNOWN, i,
                    "copy_lag[%u] is %lld: it must be 0 or more, or -1 for unknown", i, (long long)g->copy_lag[i]);
            least = (uint64_t)g->copy_task[i] + 1;
        }
    }
    return SEGUE_OK;
}

int32_t segue_group_check(const segue_group *group, segue_error *error)
{
    segue_group room;
    group = sgi_known_group(group, &room);
    if (group == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "the group is missing or smaller than segue_group of version 1");
    }
    CHECK(check_counts(group, error));
    CHECK(check_presence(group, error));
    CHECK(check_strings(group, error));
    CHECK(check_names(group, error));
    CHECK(check_subtopologies(group, error));
    CHECK(check_task_order(group, error));
    CHECK(check_task_values(group, error));
    CHECK(check_task_racks(group, error));
    CHECK(check_members(group, error));
    return check_copies(group, error);
}
