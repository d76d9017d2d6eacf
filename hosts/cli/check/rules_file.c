/* SPDX-License-Identifier: Apache-2.0 */
/* C01-C03: the file. */
#include <string.h>

#include "elf_file.h"
#include "elf_note.h"
#include "probe.h"

static int is_in_note(const sgi_note *note, const char *assignor)
{
    for (const char *name = note->names; *name != '\0'; name += strlen(name) + 1) {
        if (strcmp(name, assignor) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_described(const subject *s, const char *assignor)
{
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        if (strcmp(s->assignors[i].name, assignor) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Such a note says nothing else: what a plugin may turn out to have is then looked for in it in any case. */
static int leaves_names_open(probe *p, const sgi_note *note)
{
    int is_open = is_in_note(note, SEGUE_NOTE_ANY_NAME);
    probe_hold(p, !is_open || strlen(note->names) + 1 == sizeof SEGUE_NOTE_ANY_NAME,
               "the note names assignors beside " SEGUE_NOTE_ANY_NAME);
    return is_open;
}

static void compare_note(probe *p, const sgi_note *note, const subject *s)
{
    probe_hold(p, note->record.abi_newest == s->entry.version && note->record.abi_floor == s->entry.floor,
               "the note says that it speaks versions %u to %u, the entry %u to %u", note->record.abi_floor,
               note->record.abi_newest, s->entry.floor, s->entry.version);
    if (leaves_names_open(p, note)) {
        return;
    }
    for (uint32_t i = 0; i < s->assignor_count; i++) {
        probe_hold(p, is_in_note(note, s->assignors[i].name), "the note does not name the assignor %s",
                   s->assignors[i].name);
    }
    for (const char *name = note->names; *name != '\0'; name += strlen(name) + 1) {
        probe_hold(p, is_described(s, name), "the note names an assignor %s that describe does not", name);
    }
}

void rule_C01(probe *p)
{
    char text[CHECK_TEXT_MOST] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    sgi_note note;
    if (probe_hold(p, sgi_note_read(p->path, &note, &error) == SEGUE_OK, "%s", text)) {
        const subject *s = probe_subject(p);
        if (s != NULL) {
            compare_note(p, &note, s);
        }
        sgi_note_free(&note);
    }
}

void rule_C02(probe *p)
{
    elf_file file;
    if (!elf_open(&file, p->path) || file.sections == NULL) {
        probe_skip(p, "the file's sections cannot be read");
        return;
    }
    int found = 0;
    const char *name;
    for (uint32_t i = 0; (name = elf_exported(&file, i)) != NULL; i++) {
        int entry = strcmp(name, SEGUE_ENTRY_SYMBOL) == 0;
        found |= entry;
        probe_hold(p, entry, "exports %s", name);
    }
    probe_hold(p, found, "does not export " SEGUE_ENTRY_SYMBOL);
    elf_close(&file);
}

void rule_C03(probe *p)
{
    elf_file file;
    char why[CHECK_TEXT_MOST];
    if (elf_open(&file, p->path)) {
        uint64_t flags = elf_flags(&file);
        probe_hold(p, !(flags & DF_STATIC_TLS), "takes static thread-local storage (compile with -ftls-model=global-dynamic)");
        probe_hold(p, !(flags & DF_TEXTREL), "has relocations in its code (compile with -fPIC)");
        probe_hold(p, !elf_wants_writable_code(&file), "wants a stack or memory that is both writable and executable");
        elf_close(&file);
    }
    probe_doing(p, "loading the plugin");
    probe_hold(p, subject_load(&p->subject, p->path, why, sizeof why), "it cannot be loaded: %s", why);
}
