/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* The page is part of the program. SEGUE_REPORT_PAGE names the file at build time. */
__asm__(".pushsection .rodata\n"
        ".global segue_report_page\n.hidden segue_report_page\n"
        ".global segue_report_page_end\n.hidden segue_report_page_end\n"
        "segue_report_page:\n.incbin \"" SEGUE_REPORT_PAGE "\"\n"
        "segue_report_page_end:\n.byte 0\n"
        ".popsection\n");
extern const char segue_report_page[], segue_report_page_end[];

static const char slot[] = "<!--EVENTS-->";

/* JSON has this sign in strings alone, where an escape means the same: no name can end the element that it stands in. */
static void copy_escaped(FILE *events, FILE *page)
{
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, events)) > 0) {
        size_t from = 0;
        for (size_t i = 0; i < got; i++) {
            if (block[i] == '<') {
                fwrite(block + from, 1, i - from, page);
                fputs("\\u003c", page);
                from = i + 1;
            }
        }
        fwrite(block + from, 1, got - from, page);
    }
}

FILE *report_scratch(void)
{
    FILE *file = tmpfile();
    if (file == NULL) {
        cli_complain("the events for the report cannot be kept in a temporary file: %s", strerror(errno));
    }
    return file;
}

int report_write(const char *path, FILE *events)
{
    size_t size = (size_t)(segue_report_page_end - segue_report_page);
    const char *at = memmem(segue_report_page, size, slot, sizeof slot - 1);
    /* rewind() forgets that writing failed. */
    if (fflush(events) != 0 || ferror(events)) {
        cli_complain("%s: not written, since not all events could be kept", path);
        return CLI_INPUT;
    }
    FILE *page = at == NULL ? NULL : fopen(path, "we");
    if (page == NULL) {
        cli_complain("%s: %s", path, at == NULL ? "the page has no place for events" : strerror(errno));
        return CLI_INPUT;
    }
    fwrite(segue_report_page, 1, (size_t)(at - segue_report_page), page);
    rewind(events);
    copy_escaped(events, page);
    at += sizeof slot - 1;
    fwrite(at, 1, (size_t)(segue_report_page_end - at), page);
    struct stat about;
    int is_file = fstat(fileno(page), &about) == 0 && S_ISREG(about.st_mode);
    int failed = ferror(events) || ferror(page);
    failed |= fclose(page) != 0;
    if (failed) {
        cli_complain("%s: the report could not be written in full", path);
        if (is_file) {
            unlink(path);
        }
        return CLI_INPUT;
    }
    return CLI_OK;
}
