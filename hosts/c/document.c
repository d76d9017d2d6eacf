/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"
#include "error.h"

#define GROUP_FORMAT "group/1"

static const char *const group_keys[] = {"segue", "now_ms", "config", "subtopologies", "tasks", "members", NULL};

/* The parser's own words, but where they speak of its interface. */
static const char *syntax_text(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "a NUL character is not allowed";
    case json_error_stack_overflow:
        return "lists and objects are nested too deep";
    default:
        return error->text;
    }
}

int32_t sgi_document_parse(const sgi_complaint *complaint, const char *text, size_t size, json_t **root)
{
    json_error_t fault;
    errno = 0;
    *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    if (*root != NULL) {
        return SEGUE_OK;
    }
    /* Without memory the parser blames whatever it was looking at. */
    if (errno == ENOMEM) {
        return sgi_complain_memory(complaint);
    }
    char place[64];
    snprintf(place, sizeof place, "%d:%d", fault.line, fault.column);
    if (complaint->source == NULL) {
        return sgi_complain(complaint, SEGUE_E_SYNTAX, NULL, "%s: %s", place, syntax_text(&fault));
    }
    return sgi_fail(complaint->error, SEGUE_E_SYNTAX, "%s:%s: %s", sgi_source_end(complaint->source), place,
                    syntax_text(&fault));
}

/* What kind of document it says to be comes first: its other keys are judged by that. */
int32_t sgi_document_kind(const sgi_complaint *complaint, const json_t *root, const char *kind)
{
    if (!json_is_object(root)) {
        return sgi_complain(complaint, SEGUE_E_SYNTAX, NULL, "a list is given; a segue %.*s is an object",
                            (int)strcspn(kind, "/"), kind);
    }
    const char *format = NULL;
    char shown[44];
    sgi_place at = sgi_place_key(NULL, "segue");
    int32_t status = sgi_want_text(complaint, &at, json_object_get(root, "segue"), &format);
    if (status == SEGUE_OK && strcmp(format, kind) != 0) {
        status = sgi_complain(complaint, SEGUE_E_SYNTAX, &at, "\"%s\" is given; \"%s\" is needed",
                              sgi_cut(shown, sizeof shown, format), kind);
    }
    return status;
}

static int32_t read_clock(sgi_reader *reader, const json_t *root)
{
    const json_t *now = json_object_get(root, "now_ms");
    sgi_place at = sgi_place_key(NULL, "now_ms");
    return now == NULL ? SEGUE_OK
                       : sgi_want_whole(&reader->complaint, &at, now, SGI_TIME_LEAST, SGI_TIME_MOST,
                                        &reader->document->group.now_ms);
}

static int32_t read_rows(sgi_reader *reader, json_t *root)
{
    int32_t status = sgi_document_kind(&reader->complaint, root, GROUP_FORMAT);
    status = status == SEGUE_OK ? sgi_want_object(&reader->complaint, NULL, root, group_keys) : status;
    status = status == SEGUE_OK ? read_clock(reader, root) : status;
    status = status == SEGUE_OK ? sgi_read_config(reader, root) : status;
    status = status == SEGUE_OK ? sgi_read_tasks(reader, root) : status;
    return status == SEGUE_OK ? sgi_read_members(reader, root) : status;
}

static int32_t order_rows(sgi_reader *reader)
{
    int32_t status = sgi_begin_strings(reader);
    status = status == SEGUE_OK ? sgi_order_racks(reader) : status;
    status = status == SEGUE_OK ? sgi_order_tasks(reader) : status;
    status = status == SEGUE_OK ? sgi_order_inputs(reader) : status;
    status = status == SEGUE_OK ? sgi_order_members(reader) : status;
    status = status == SEGUE_OK ? sgi_read_copies(reader) : status;
    if (status == SEGUE_OK) {
        sgi_end_strings(reader);
    }
    return status;
}

static int32_t read_document(sgi_reader *reader, const char *text, size_t size)
{
    json_t *root = NULL;
    int32_t status = sgi_names_init(&reader->names) != 0 ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
    status = status == SEGUE_OK ? sgi_document_parse(&reader->complaint, text, size, &root) : status;
    status = status == SEGUE_OK ? read_rows(reader, root) : status;
    status = status == SEGUE_OK ? order_rows(reader) : status;
    json_decref(root);
    sgi_names_free(&reader->names);
    sgi_region_free(&reader->scratch);
    return status;
}

int32_t segue_document_read(const char *text, size_t size, const char *source, segue_document **document,
                            segue_error *error)
{
    if (document == NULL || (text == NULL && size > 0)) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "segue_document_read: a pointer is missing");
    }
    *document = NULL;
    segue_document *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory is left to read the group");
    }
    made->group.size = sizeof made->group;
    sgi_reader reader = {.document = made, .complaint = {source, error}};
    int32_t status = read_document(&reader, text == NULL ? "" : text, size);
    if (status != SEGUE_OK) {
        segue_document_free(made);
        return status;
    }
    *document = made;
    return SEGUE_OK;
}

const segue_group *segue_document_group(const segue_document *document)
{
    return &document->group;
}

const segue_config *segue_document_config(const segue_document *document)
{
    return &document->config;
}

void segue_document_free(segue_document *document)
{
    if (document != NULL) {
        sgi_region_free(&document->region);
        free(document);
    }
}
