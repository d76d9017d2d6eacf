/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>

#include "error.h"

static void write_text(char *text, const char *format, va_list arguments)
{
    vsnprintf(text, CHECK_TEXT_MOST, format, arguments);
    sgi_clean_line(text);
}

int probe_hold(probe *p, int holds, const char *format, ...)
{
    verdict *v = p->verdict;
    v->checks++;
    if (!holds && v->findings < CHECK_FINDINGS_MOST) {
        va_list arguments;
        va_start(arguments, format);
        write_text(v->text[v->findings], format, arguments);
        va_end(arguments);
    }
    v->findings += !holds;
    return holds;
}

void probe_doing(probe *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(p->verdict->doing, format, arguments);
    va_end(arguments);
}

void probe_skip(probe *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(p->verdict->not_run, format, arguments);
    va_end(arguments);
}

void probe_block(probe *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(p->verdict->not_run, format, arguments);
    va_end(arguments);
    p->verdict->blocked = 1;
}

segue_error *probe_error(probe *p)
{
    p->error = (segue_error){.size = sizeof p->error, .text = p->error_text, .text_size = sizeof p->error_text};
    return &p->error;
}

subject *probe_subject(probe *p)
{
    subject *s = &p->subject;
    char why[CHECK_TEXT_MOST];
    if (s->assignor_count > 0) {
        return s;
    }
    probe_doing(p, "loading the plugin");
    if (!subject_load(s, p->path, why, sizeof why)) {
        probe_block(p, "it does not load (C03)");
        return NULL;
    }
    probe_doing(p, "asking the entry");
    int32_t status = subject_enter(s);
    if (status != SEGUE_OK || s->entry.slots == NULL || s->entry.table == NULL) {
        probe_block(p, "the entry gives no table of slots (C04)");
        return NULL;
    }
    subject_read_table(s);
    const char *missing = subject_missing_slot(s);
    if (missing != NULL) {
        probe_block(p, "the slot %s is not there, or not as segue/slots.h describes it (C07, C08)", missing);
        return NULL;
    }
    probe_doing(p, "describing the assignors");
    subject_read_assignors(s);
    if (s->assignor_count == 0) {
        probe_block(p, "no assignor is described (C10)");
        return NULL;
    }
    return s;
}
