/* SPDX-License-Identifier: Apache-2.0 */
/* testing.h - what the units' tests share: cmocka, groups as documents, an error with room for its text. */
#ifndef SEGUE_HOSTS_C_TESTING_H
#define SEGUE_HOSTS_C_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "segue/host.h"

#define TEST_PLUGIN(name) SEGUE_BUILD_DIR "/test_plugins/" name ".so"

typedef struct fault {
    segue_error error;
    char text[512];
} fault;

static inline segue_error *fault_of(fault *f)
{
    memset(f, 0, sizeof *f);
    f->error.size = sizeof f->error;
    f->error.text = f->text;
    f->error.text_size = sizeof f->text;
    return &f->error;
}

static inline void assert_mentions(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' does not mention '%s'", text, part);
    }
    assert_null(strchr(text, '\n'));
}

/* A document, with ' for ". */
static inline segue_document *read_group(const char *text)
{
    fault f;
    segue_document *document = NULL;
    char *copy = strdup(text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    if (segue_document_read(copy, strlen(copy), NULL, &document, fault_of(&f)) != SEGUE_OK) {
        fail_msg("%s", f.text);
    }
    free(copy);
    return document;
}

/* A plan with room for anything the group may need. */
static inline segue_plan *make_plan(const segue_document *document)
{
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    const segue_group *g = segue_document_group(document);
    assert_int_equal(segue_host_bound(g, segue_document_config(document), &bound), SEGUE_OK);
    assert_int_equal(segue_plan_new(g->task_count, &bound, 1, &plan), SEGUE_OK);
    return plan;
}

#endif
