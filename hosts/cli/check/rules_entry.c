/* SPDX-License-Identifier: Apache-2.0 */
/* C04-C06: the entry. */
#include <string.h>

#include "probe.h"
#include "record.h"

/* The subject with its entry found; NULL: not run. */
static subject *loaded(probe *p)
{
    char why[CHECK_TEXT_MOST];
    if (!subject_load(&p->subject, p->path, why, sizeof why)) {
        probe_block(p, "it does not load (C03)");
        return NULL;
    }
    return &p->subject;
}

static int same_answer(const segue_entry *a, const segue_entry *b)
{
    return a->version == b->version && a->floor == b->floor && a->slots == b->slots && a->table == b->table &&
           a->table_count == b->table_count && a->plugin_name == b->plugin_name &&
           a->plugin_version == b->plugin_version;
}

static void check_answer(probe *p, const segue_entry *e)
{
    probe_hold(p, e->slots != NULL, "the entry gives no slots");
    probe_hold(p, e->table != NULL && e->table_count > 0, "the entry gives no description of its slots");
    probe_hold(p, e->plugin_name != NULL && e->plugin_version != NULL, "the entry gives no name or no version");
    probe_hold(p, e->floor <= e->version, "the entry speaks versions %u to %u", e->floor, e->version);
    probe_hold(p, e->slots == NULL || e->slots->version == e->version,
               "the entry chose version %u, and its slots say %u", e->version, e->slots == NULL ? 0 : e->slots->version);
}

void rule_C04(probe *p)
{
    subject *s = loaded(p);
    if (s == NULL) {
        return;
    }
    probe_doing(p, "asking the entry");
    int32_t status = subject_enter(s);
    if (!probe_hold(p, status == SEGUE_OK, "the entry answers %d to a host that speaks every version", status)) {
        return;
    }
    check_answer(p, &s->entry);
    segue_entry first = s->entry;
    subject_enter(s);
    probe_hold(p, same_answer(&first, &s->entry), "the entry answers something else when it is asked again");
    probe_doing(p, "asking the entry with NULL");
    status = s->enter(NULL);
    probe_hold(p, status == SEGUE_E_ARGUMENT, "the entry answers %d to NULL; bad-argument (%d) is right", status,
               SEGUE_E_ARGUMENT);
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

typedef struct range {
    uint32_t floor, newest;
} range;

static void check_refusal(probe *p, const segue_entry *e, int32_t status, range host, range plugin)
{
    probe_hold(p, status == SEGUE_E_VERSION, "a host that speaks %u to %u is answered %d; no version is shared (%d)",
               host.floor, host.newest, status, SEGUE_E_VERSION);
    probe_hold(p, status != SEGUE_E_VERSION || (e->version == plugin.newest && e->floor == plugin.floor),
               "a host that speaks %u to %u is told %u to %u; the plugin speaks %u to %u", host.floor, host.newest,
               e->floor, e->version, plugin.floor, plugin.newest);
}

static void negotiate(probe *p, const subject *s, range host, range plugin)
{
    segue_entry e = {.size = sizeof e, .version = host.newest, .floor = host.floor};
    probe_doing(p, "asking the entry as a host that speaks versions %u to %u", host.floor, host.newest);
    int32_t status = s->enter(&e);
    uint32_t shared = host.newest < plugin.newest ? host.newest : plugin.newest;
    if (host.floor > shared || plugin.floor > shared) {
        check_refusal(p, &e, status, host, plugin);
        return;
    }
    probe_hold(p, status == SEGUE_OK && e.version == shared && e.slots != NULL,
               "a host that speaks %u to %u is answered %d and version %u; %u is the newest that both do", host.floor,
               host.newest, status, e.version, shared);
    probe_hold(p, status != SEGUE_OK || e.floor == plugin.floor, "the entry's floor is %u for one host, %u for another",
               e.floor, plugin.floor);
}

void rule_C05(probe *p)
{
    subject *s = loaded(p);
    if (s == NULL || subject_enter(s) != SEGUE_OK) {
        probe_block(p, "the entry does not answer (C04)");
        return;
    }
    range plugin = {s->entry.floor, s->entry.version};
    const uint32_t around[] = {0, 1, plugin.floor - 1, plugin.floor, plugin.newest, plugin.newest + 1,
                               plugin.newest + 7, INT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    enum { AROUND = sizeof around / sizeof *around };
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j < AROUND; j++) {
            negotiate(p, s, (range){around[i], around[j]}, plugin);
        }
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static int32_t enter_with(probe *p, void *record)
{
    segue_entry head;
    memcpy(&head, record, sizeof head.size);
    /* What lies inside the size goes in; the record has room for all of it. */
    const uint32_t versions[2] = {UINT32_MAX, SEGUE_ABI_FLOOR};
    size_t room = head.size > sizeof head.size ? head.size - sizeof head.size : 0;
    memcpy((char *)record + sizeof head.size, versions, room < sizeof versions ? room : sizeof versions);
    return p->subject.enter(record);
}

void rule_C06(probe *p)
{
    subject *s = loaded(p);
    if (s == NULL || subject_enter(s) != SEGUE_OK) {
        probe_block(p, "the entry does not answer (C04)");
        return;
    }
    record_check(p, &(record_case){"entry", sizeof(segue_entry), offsetof(segue_entry, table), enter_with});
}
