/* SPDX-License-Identifier: Apache-2.0 */
/* C14, C15: records of other sizes, and the error record. */
#include "record.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "each.h"

/* ---- C14: records that the plugin fills -------------------------------------------------------------------------- */

static answer *now; /* the answer that the calls below belong to */

static int32_t call_describe(probe *p, void *record)
{
    return slot_describe(&p->subject, 0, record);
}

static int32_t call_bound(probe *p, void *record)
{
    return slot_plan_bound(&p->subject, now->asking->group, now->asking->config, record);
}

static int32_t call_memory(probe *p, void *record)
{
    return slot_read_memory(&p->subject, now->instance, record);
}

enum { ALIGNMENT = 8 };

/* ---- C14: records that it reads ---------------------------------------------------------------------------------- */

/* `bytes` of a record as near to the end of memory that may be touched as its alignment allows. */
static char *at_the_end(const void *record, uint32_t bytes, char **pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *pages = at;
    if (at == MAP_FAILED) {
        return NULL;
    }
    mprotect(at + page, page, PROT_NONE);
    size_t room = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *place = at + page - room;
    memcpy(place, record, bytes);
    memcpy(place, &bytes, sizeof bytes);
    return place;
}

static void give_pages(char *pages)
{
    munmap(pages, 2 * (size_t)sysconf(_SC_PAGESIZE));
}

typedef struct input_case {
    const char *name;
    const void *record;
    uint32_t bytes;
    int32_t (*call)(answer *it, const void *record);
} input_case;

static int32_t assign_group(answer *it, const void *record)
{
    return slot_assign(it->subject, it->instance, record, it->asking->config, it->asking->plan, probe_error(it->probe));
}

static int32_t assign_config(answer *it, const void *record)
{
    return slot_assign(it->subject, it->instance, it->asking->group, record, it->asking->plan, probe_error(it->probe));
}

static int32_t assign_plan(answer *it, const void *record)
{
    return slot_assign(it->subject, it->instance, it->asking->group, it->asking->config,
                       (segue_plan *)(uintptr_t)record, probe_error(it->probe));
}

static void give_smaller(answer *it, const input_case *in)
{
    for (uint32_t size = 0; size < in->bytes; size += 4) {
        char *pages;
        char *record = at_the_end(in->record, size, &pages);
        if (record != NULL) {
            probe_doing(it->probe, "giving %s a %s of %u bytes, and nothing behind them", it->name, in->name, size);
            int32_t status = in->call(it, record);
            probe_hold(it->probe, status < 0, "%s answers %d to a %s of %u bytes; it needs %u", it->name, status, in->name,
                       size, in->bytes);
            give_pages(pages);
        }
    }
}

/* As a host of a later version has it: with more behind it, which is not looked at. */
static void give_larger(answer *it, const input_case *in)
{
    char larger[1024];
    memset(larger, 0xff, sizeof larger);
    memcpy(larger, in->record, in->bytes);
    uint32_t size = in->bytes + 64;
    memcpy(larger, &size, sizeof size);
    char *pages;
    char *record = at_the_end(larger, size, &pages);
    if (record != NULL && it->subject->entry.version <= SEGUE_ABI_VERSION) {
        probe_doing(it->probe, "giving %s a %s of %u bytes", it->name, in->name, size);
        int32_t status = in->call(it, record);
        probe_hold(it->probe, status == SEGUE_OK, "%s answers %d to a %s of %u bytes, as a later version has it", it->name,
                   status, in->name, size);
        give_pages(pages);
    }
}

static void check_records(answer *it)
{
    asking *a = it->asking;
    now = it;
    record_check(it->probe, &(record_case){"describe", sizeof(segue_assignor_info), sizeof(segue_assignor_info),
                                           call_describe});
    record_check(it->probe, &(record_case){"plan_bound", sizeof(segue_bound), offsetof(segue_bound, reserved), call_bound});
    record_check(it->probe, &(record_case){"read_memory", sizeof(segue_memory), sizeof(segue_memory), call_memory});
    const input_case inputs[] = {{"group", a->group, sizeof *a->group, assign_group},
                                 {"configuration", a->config, sizeof *a->config, assign_config},
                                 {"plan", &a->given, sizeof a->given, assign_plan}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        give_smaller(it, &inputs[i]);
        give_larger(it, &inputs[i]);
    }
}

void rule_C14(probe *p)
{
    each_assignor(p, 0, check_records, NULL);
}

/* ---- C15 --------------------------------------------------------------------------------------------------------- */

enum { PATTERN = 0xa5, TEXT_ROOM = 64 };

/* Do all of the bytes have the pattern? */
static int is_pattern(const void *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (((const unsigned char *)bytes)[i] != PATTERN) {
            return 0;
        }
    }
    return 1;
}

/* A fault of create or of assign, by turns of the caller. */
static int32_t fail(answer *it, int by_assign, segue_error *error)
{
    segue_instance *instance = NULL;
    segue_group none = *it->asking->group;
    none.member_count = 0;
    return by_assign ? slot_assign(it->subject, it->instance, &none, it->asking->config, it->asking->plan, error)
                     : slot_create(it->subject, "no-such-assignor", &instance, error);
}

static void check_text(answer *it, int by_assign, uint32_t size)
{
    char text[TEXT_ROOM];
    const char *slot = by_assign ? "assign" : "create";
    memset(text, PATTERN, sizeof text);
    segue_error error = {.size = sizeof error, .code = 1, .text = text, .text_size = size};
    probe_doing(it->probe, "failing %s of %s with a buffer of %u bytes for the text", slot, it->name, size);
    int32_t status = fail(it, by_assign, &error);
    probe_hold(it->probe, error.code == status, "%s fails with %d and writes the code %d", slot, status, error.code);
    probe_hold(it->probe, is_pattern(text, size, TEXT_ROOM), "%s writes beyond a buffer of %u bytes", slot, size);
    probe_hold(it->probe, size == 0 || memchr(text, '\0', size) != NULL, "%s ends no text of %u bytes with NUL", slot, size);
    probe_hold(it->probe, size < 16 || text[0] != '\0', "%s fails and gives no reason", slot);
    probe_hold(it->probe, error.text == text && error.text_size == size && error.size == sizeof error,
               "%s changes the caller's fields of the error record", slot);
}

static void check_record(answer *it, int by_assign, uint32_t size)
{
    union {
        unsigned char bytes[2 * sizeof(segue_error)];
        segue_error error;
    } record;
    char text[TEXT_ROOM];
    const char *slot = by_assign ? "assign" : "create";
    memset(record.bytes, PATTERN, sizeof record.bytes);
    record.error.size = size;
    if (SEGUE_HAS(segue_error, text_size, size)) {
        record.error.text = text;
        record.error.text_size = sizeof text;
    }
    probe_doing(it->probe, "failing %s of %s with an error record of %u bytes", slot, it->name, size);
    fail(it, by_assign, &record.error);
    size_t end = size < sizeof size ? sizeof size : size;
    probe_hold(it->probe, is_pattern(record.bytes, end, sizeof record.bytes), "%s writes beyond an error record of %u bytes",
               slot, size);
    int later = it->subject->entry.version > SEGUE_ABI_VERSION;
    for (size_t i = sizeof record.error; !later && i < size; i++) {
        if (!probe_hold(it->probe, record.bytes[i] == 0, "%s leaves the tail of an error record of %u bytes as it was; "
                        "zeroes are right for what it does not know", slot, size)) {
            break;
        }
    }
}

static void check_success(answer *it)
{
    segue_error error;
    memset(&error, PATTERN, sizeof error);
    error.size = sizeof error;
    error.text = NULL;
    error.text_size = 0;
    segue_error before;
    memcpy(&before, &error, sizeof before);
    probe_doing(it->probe, "asking %s for a plan, with an error record", it->name);
    int32_t status = slot_assign(it->subject, it->instance, it->asking->group, it->asking->config, it->asking->plan, &error);
    probe_hold(it->probe, status != SEGUE_OK || memcmp(&before, &error, sizeof error) == 0,
               "%s gives a plan and writes an error record", it->name);
}

static void check_errors(answer *it)
{
    for (int by_assign = 0; by_assign <= 1; by_assign++) {
        for (uint32_t size = 0; size <= TEXT_ROOM; size += size < 4 ? 1 : 20) {
            check_text(it, by_assign, size);
        }
        for (uint32_t size = 0; size <= sizeof(segue_error) + 16; size += 4) {
            check_record(it, by_assign, size);
        }
        segue_error nowhere = {.size = sizeof nowhere, .text_size = 100};
        probe_doing(it->probe, "failing %s without a place for the text", it->name);
        fail(it, by_assign, &nowhere);
    }
    check_success(it);
}

void rule_C15(probe *p)
{
    each_assignor(p, 0, check_errors, NULL);
}
