/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "error.h"
#include "known.h"
#include "segue/host.h"
#include "wire_message.h"

#define ONE(...) +1
enum { SCALARS = 0 SEGUE_PLAN_SCALARS(ONE), SECTIONS = 1 SEGUE_PLAN_COLUMNS(ONE) };

static void list_sections(const segue_plan *p, const uint64_t *scalars, sgi_section *sections)
{
    sgi_section *next = sections;
#define LIST(id, field, type, used, capacity) *next++ = (sgi_section){id, sizeof(type), (used), p->field};
    SEGUE_PLAN_COLUMNS(LIST)
#undef LIST
    *next++ = (sgi_section){SEGUE_WIRE_SCALARS, sizeof(uint64_t), SCALARS, scalars};
    sgi_wire_sort(sections, SECTIONS);
}

int32_t segue_wire_encode_plan(const segue_plan *plan, void *buffer, size_t capacity, size_t *size, segue_error *error)
{
    segue_plan room;
    plan = sgi_known_plan(plan, &room);
    if (plan == NULL || size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "encoding needs a plan and a place for the size");
    }
    uint64_t scalars[SCALARS];
    uint64_t *next = scalars;
#define WRITE(field, type, way) *next++ = sgi_word_of_##type(plan->field);
    SEGUE_PLAN_SCALARS(WRITE)
#undef WRITE
    sgi_section sections[SECTIONS];
    list_sections(plan, scalars, sections);
    return sgi_wire_write(SEGUE_WIRE_PLAN_MAGIC, sections, SECTIONS, buffer, capacity, size, error);
}

static int32_t read_scalars(const void *buffer, segue_plan *p, segue_error *error)
{
    sgi_section section = sgi_wire_find(buffer, SEGUE_WIRE_SCALARS);
    const uint64_t *words = section.data;
    const char *misfit = NULL;
    uint64_t at = 0;
    memset(p, 0, sizeof *p);
    p->size = sizeof *p;
    p->followup_at_ms = SEGUE_TIME_NONE;
#define READ(field, type, way)                                                                                        \
    if (at < section.count) {                                                                                         \
        sgi_##type##_of_word(words[at], &p->field, #field, &misfit);                                                  \
    }                                                                                                                 \
    at++;
    SEGUE_PLAN_SCALARS(READ)
#undef READ
    p->standby_capacity = p->standby_count;
    p->decision_capacity = p->decision_count;
    return sgi_wire_fit(misfit, error);
}

static int32_t read_columns(void *buffer, segue_plan *p, segue_error *error)
{
    sgi_section section;
#define READ(id, field, type, used, capacity)                                                                         \
    section = sgi_wire_find(buffer, id);                                                                              \
    if ((section.data != NULL || id <= 3) && section.count != (uint64_t)(used)) {                                     \
        return sgi_fail(error, SEGUE_E_WIRE, "section %d (" #field ") has %llu rows, the scalars say %llu", id,       \
                        (unsigned long long)section.count, (unsigned long long)(used));                               \
    }                                                                                                                 \
    p->field = section.data == NULL ? NULL                                                                            \
                                    : (type *)(void *)((char *)buffer + ((const char *)section.data - (char *)buffer));
    SEGUE_PLAN_COLUMNS(READ)
#undef READ
    return SEGUE_OK;
}

/* Without their columns the rows are not there, whatever the scalars say. */
static int32_t check_rows(const segue_plan *p, segue_error *error)
{
    int decisions = p->decision_task != NULL && p->decision_kind != NULL && p->decision_reason != NULL &&
                    p->decision_from != NULL && p->decision_to != NULL && p->decision_number != NULL;
    if ((p->standby_count > 0 && p->standby_member == NULL) || (p->decision_count > 0 && !decisions)) {
        return sgi_fail(error, SEGUE_E_WIRE,
                        "the plan states %u standbys and %u decisions, and lacks a column for them", p->standby_count,
                        p->decision_count);
    }
    return SEGUE_OK;
}

int32_t segue_wire_decode_plan(void *buffer, size_t size, segue_plan *plan, segue_error *error)
{
    if (plan == NULL || !SEGUE_HAS(segue_plan, decision_number, plan->size)) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "decoding needs a place for a plan, with its size set");
    }
    static const segue_plan nothing;
    segue_plan p;
    sgi_section known[SECTIONS];
    list_sections(&nothing, NULL, known);
    int32_t status = sgi_wire_check(SEGUE_WIRE_PLAN_MAGIC, known, SECTIONS, buffer, size, error);
    if (status == SEGUE_OK && (status = read_scalars(buffer, &p, error)) == SEGUE_OK &&
        (status = read_columns(buffer, &p, error)) == SEGUE_OK && (status = check_rows(&p, error)) == SEGUE_OK) {
        sgi_fill(plan, plan->size, &p, sizeof p);
    }
    return status;
}

size_t segue_wire_plan_room(const void *group, size_t group_size, uint32_t with_decisions)
{
    segue_group g = {.size = sizeof g};
    segue_config config = {.size = sizeof config};
    segue_bound bound = {sizeof bound, 0, 0, 0};
    if (segue_wire_decode_group(group, group_size, &g, &config, NULL) != SEGUE_OK ||
        segue_host_bound(&g, &config, &bound) != SEGUE_OK || g.task_count > SEGUE_MAX_TASKS) {
        return 0;
    }
    segue_plan largest = {.size = sizeof largest,
                          .task_count = g.task_count,
                          .standby_count = bound.standby_rows,
                          .decision_count = with_decisions ? bound.decision_rows : 0};
    sgi_section sections[SECTIONS];
    list_sections(&largest, NULL, sections);
    return sgi_wire_bytes(sections, SECTIONS);
}
