/* SPDX-License-Identifier: Apache-2.0 */
/* C10-C13, C16, C17: what the slots do with names, ids and with what is not there. */
#include <string.h>

#include "each.h"

enum { NAME_MOST = 64, LONG_NAME = 5000, UNUSED = 20 };

/* ---- C10 --------------------------------------------------------------------------------------------------------- */

static int is_name(const char *name)
{
    size_t length = name == NULL ? 0 : strnlen(name, NAME_MOST + 1);
    return length > 0 && length <= NAME_MOST && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static void check_info(probe *p, const subject *s, uint32_t index)
{
    const segue_assignor_info *info = &s->assignors[index];
    segue_assignor_info again = {.size = sizeof again};
    if (!probe_hold(p, is_name(info->name), "assignor %u has no name of up to %d small letters, digits and dashes", index,
                    NAME_MOST)) {
        return;
    }
    probe_hold(p, info->version != NULL && info->summary != NULL, "%s has no version or no summary", info->name);
    int32_t status = slot_describe(s, index, &again);
    probe_hold(p, status == SEGUE_OK && again.name == info->name && again.traits == info->traits,
               "assignor %u, %s, is described otherwise when it is asked for again", index, info->name);
    for (uint32_t i = 0; i < index; i++) {
        probe_hold(p, strcmp(s->assignors[i].name, info->name) != 0, "two assignors are called %s", info->name);
    }
}

void rule_C10(probe *p)
{
    subject *s = probe_subject(p);
    if (s == NULL) {
        if (strstr(p->verdict->not_run, "C10") != NULL) {
            probe_hold(p, 0, "no assignor is described at index 0");
        }
        return;
    }
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        check_info(p, s, i);
    }
    const uint32_t beyond[] = {s->assignor_count, s->assignor_count + 1, 1000000, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        segue_assignor_info info = {.size = sizeof info};
        probe_doing(p, "describing assignor %u of %u", beyond[i], s->assignor_count);
        int32_t status = slot_describe(s, beyond[i], &info);
        probe_hold(p, status == SEGUE_E_NAME, "describing assignor %u of %u gives %d; no-such-name (%d) is right",
                   beyond[i], s->assignor_count, status, SEGUE_E_NAME);
    }
}

/* ---- C11, C12 ---------------------------------------------------------------------------------------------------- */

void rule_C11(probe *p)
{
    static char long_name[LONG_NAME];
    const subject *s = probe_subject(p);
    if (s == NULL) {
        return;
    }
    memset(long_name, 'x', sizeof long_name - 1);
    const char *const names[] = {"no-such-assignor", "", " ", "/", "%s%n%s%n", "\xff\xfe", long_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        segue_instance *instance = (segue_instance *)(uintptr_t)16;
        probe_doing(p, "creating \"%.40s\"", names[i]);
        int32_t status = slot_create(s, names[i], &instance, probe_error(p));
        probe_hold(p, status == SEGUE_E_NAME, "creating \"%.40s\" gives %d; no-such-name (%d) is right", names[i], status,
                   SEGUE_E_NAME);
        probe_hold(p, status >= 0 || instance == NULL, "creating \"%.40s\" fails and leaves an instance", names[i]);
    }
}

void rule_C12(probe *p)
{
    const subject *s = probe_subject(p);
    if (s == NULL) {
        return;
    }
    probe_doing(p, "destroying NULL");
    slot_destroy(s, NULL);
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        segue_instance *made[UNUSED] = {NULL};
        const char *name = s->assignors[i].name;
        probe_doing(p, "creating %s and destroying it without use", name);
        for (int j = 0; j < UNUSED; j++) {
            probe_hold(p, slot_create(s, name, &made[j], probe_error(p)) == SEGUE_OK && made[j] != NULL,
                       "%s cannot be created %d times", name, UNUSED);
        }
        /* Every third first, so that it is neither the order of their making nor the reverse. */
        for (int j = 0; j < UNUSED; j++) {
            slot_destroy(s, made[j * 3 % UNUSED]);
        }
    }
    slot_destroy(s, NULL);
}

/* ---- C13 --------------------------------------------------------------------------------------------------------- */

void rule_C13(probe *p)
{
    static char long_id[LONG_NAME];
    const subject *s = probe_subject(p);
    if (s == NULL) {
        return;
    }
    memset(long_id, 'x', sizeof long_id - 1);
    const char *const ids[] = {"segue.no-such-thing/1", "", "segue.session/0", "segue.session/999", "segue.session",
                               "%s%n", "\xff", long_id, NULL};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const char *id = ids[i] == NULL ? "(NULL)" : ids[i];
        probe_doing(p, "asking for the extension \"%.40s\"", id);
        probe_hold(p, slot_get_extension(s, ids[i]) == NULL, "there is an extension \"%.40s\"", id);
    }
    /* NOLINTNEXTLINE(misc-redundant-expression): asked twice */
    probe_hold(p, slot_get_extension(s, SEGUE_SESSION_ID) == slot_get_extension(s, SEGUE_SESSION_ID),
               "the extension " SEGUE_SESSION_ID " is another one when it is asked for again");
}

/* ---- C16 --------------------------------------------------------------------------------------------------------- */

static void fail_without_record(answer *it)
{
    probe *p = it->probe;
    asking *a = it->asking;
    segue_instance *instance = NULL;
    segue_group none = *a->group;
    none.member_count = 0;
    probe_doing(p, "failing %s without an error record", it->name);
    probe_hold(p, slot_create(it->subject, "no-such-assignor", &instance, NULL) < 0, "an unknown name is no fault");
    int32_t status = slot_assign(it->subject, it->instance, &none, a->config, a->plan, NULL);
    probe_hold(p, status < 0, "%s answers %d to tasks without members", it->name, status);
    segue_plan empty = {.size = sizeof empty};
    status = slot_assign(it->subject, it->instance, a->group, a->config, &empty, NULL);
    probe_hold(p, status < 0, "%s answers %d to a plan without columns", it->name, status);
}

void rule_C16(probe *p)
{
    each_assignor(p, 0, fail_without_record, NULL);
}

/* ---- C17 --------------------------------------------------------------------------------------------------------- */

static void expect_fault(answer *it, int32_t status, const char *missing)
{
    probe_hold(it->probe, status < 0, "%s: %s is NULL, and the answer is %d", it->name, missing, status);
}

#define WITHOUT(it, missing, call)                                                                                    \
    probe_doing((it)->probe, "%s, with a NULL for %s", (it)->name, missing);                                          \
    expect_fault(it, call, missing)

static void leave_out(answer *it)
{
    const subject *s = it->subject;
    asking *a = it->asking;
    segue_instance *instance = NULL;
    segue_bound bound = {.size = sizeof bound};
    segue_memory memory = {.size = sizeof memory};
    segue_error *error = probe_error(it->probe);
    WITHOUT(it, "info of describe", slot_describe(s, 0, NULL));
    WITHOUT(it, "name of create", slot_create(s, NULL, &instance, error));
    WITHOUT(it, "instance of create", slot_create(s, it->name, NULL, error));
    WITHOUT(it, "group of plan_bound", slot_plan_bound(s, NULL, a->config, &bound));
    WITHOUT(it, "config of plan_bound", slot_plan_bound(s, a->group, NULL, &bound));
    WITHOUT(it, "bound of plan_bound", slot_plan_bound(s, a->group, a->config, NULL));
    WITHOUT(it, "instance of assign", slot_assign(s, NULL, a->group, a->config, a->plan, error));
    WITHOUT(it, "group of assign", slot_assign(s, it->instance, NULL, a->config, a->plan, error));
    WITHOUT(it, "config of assign", slot_assign(s, it->instance, a->group, NULL, a->plan, error));
    WITHOUT(it, "plan of assign", slot_assign(s, it->instance, a->group, a->config, NULL, error));
    WITHOUT(it, "instance of read_memory", slot_read_memory(s, NULL, &memory));
    WITHOUT(it, "memory of read_memory", slot_read_memory(s, it->instance, NULL));
}

void rule_C17(probe *p)
{
    each_assignor(p, 0, leave_out, NULL);
}
