/* SPDX-License-Identifier: Apache-2.0 */
#include "survey.h"

#include <stdio.h>

#include "child.h"
#include "error.h"

static survey *wanted; /* what the child fills */

static void copy_text(char *to, const char *text)
{
    snprintf(to, SURVEY_TEXT_MOST, "%s", text == NULL ? "" : text);
    sgi_clean_line(to);
}

static void copy_slot(survey_slot *to, const subject_slot *slot)
{
    copy_text(to->name, slot->row->name);
    copy_text(to->signature, slot->row->signature);
    to->since = slot->row->since;
    to->offset = slot->row->offset;
    to->thread = slot->row->thread;
    to->known = slot->known >= 0;
}

/* Copies as it goes, so that what was said before a crash is there. */
static void look(probe *p)
{
    subject *s = &p->subject;
    char why[CHECK_TEXT_MOST];
    if (!subject_load(s, p->path, why, sizeof why) || subject_enter(s) != SEGUE_OK) {
        return;
    }
    wanted->floor = s->entry.floor;
    wanted->newest = s->entry.version;
    copy_text(wanted->name, s->entry.plugin_name);
    copy_text(wanted->version, s->entry.plugin_version);
    if (s->entry.slots == NULL || s->entry.table == NULL) {
        return;
    }
    subject_read_table(s);
    for (uint32_t i = 0; i < s->slot_count; i++) {
        copy_slot(&wanted->slots[i], &s->slots[i]);
        wanted->slot_count = i + 1;
    }
    if (subject_missing_slot(s) == NULL) {
        subject_read_assignors(s);
    }
    for (uint32_t i = 0; i < s->assignor_count && i < SURVEY_ASSIGNORS_MOST; i++) {
        copy_text(wanted->assignors[i], s->assignors[i].name);
    }
    wanted->assignor_count = s->assignor_count;
}

void survey_take(probe *p, survey *shared, uint32_t timeout_s)
{
    wanted = shared;
    child_run(p, look, timeout_s);
}
