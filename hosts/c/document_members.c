/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"

enum { SHOWN_NAME = 44 };

static const char *const member_keys[] = {"id",      "process", "threads", "rack",    "tags", "active",
                                          "standby", "learner", "lag",     "leaving", NULL};
static const char *const leaving_keys[] = {"since_ms", "deadline_ms", NULL};

static int32_t read_id(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    sgi_place at = sgi_place_key(place, "id");
    const char *id = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &at, json_object_get(member->object, "id"), &id);
    if (status != SEGUE_OK) {
        return status;
    }
    member->name = sgi_names_add(&reader->names, id, strlen(id));
    if (member->name == SEGUE_NONE) {
        return sgi_complain_memory(&reader->complaint);
    }
    uint32_t *row = &reader->names.rows[member->name].row[SGI_MEMBER];
    if (*row != SEGUE_NONE) {
        char shown[SHOWN_NAME];
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &at, "\"%s\" is the id of members[%u] as well",
                            sgi_cut(shown, sizeof shown, id), *row);
    }
    *row = (uint32_t)member->index;
    return SEGUE_OK;
}

static int32_t read_process(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    const json_t *value = json_object_get(member->object, "process");
    member->process = member->name;
    if (value == NULL) {
        return SEGUE_OK;
    }
    sgi_place at = sgi_place_key(place, "process");
    const char *text = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &at, value, &text);
    if (status == SEGUE_OK) {
        member->process = sgi_names_add(&reader->names, text, strlen(text));
        status = member->process == SEGUE_NONE ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
    }
    return status;
}

static int32_t read_threads(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    const json_t *value = json_object_get(member->object, "threads");
    sgi_place at = sgi_place_key(place, "threads");
    int64_t threads = 1;
    int32_t status =
        value == NULL ? SEGUE_OK : sgi_want_whole(&reader->complaint, &at, value, 0, SEGUE_MAX_THREADS, &threads);
    member->threads = (uint32_t)threads;
    return status;
}

static int32_t read_rack(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    const json_t *value = json_object_get(member->object, "rack");
    member->rack = SEGUE_NONE;
    if (value == NULL || json_is_null(value)) {
        return SEGUE_OK;
    }
    sgi_place at = sgi_place_key(place, "rack");
    const char *text = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &at, value, &text);
    return status == SEGUE_OK ? sgi_note_rack(reader, text, &member->rack) : status;
}

static int32_t read_leaving(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    json_t *value = json_object_get(member->object, "leaving");
    member->leaving_ms = SEGUE_TIME_NONE;
    member->deadline_ms = SEGUE_TIME_NONE;
    if (value == NULL || json_is_null(value)) {
        return SEGUE_OK;
    }
    sgi_place at = sgi_place_key(place, "leaving");
    sgi_place since_at = sgi_place_key(&at, "since_ms");
    sgi_place deadline_at = sgi_place_key(&at, "deadline_ms");
    const json_t *deadline = json_object_get(value, "deadline_ms");
    int32_t status = sgi_want_object(&reader->complaint, &at, value, leaving_keys);
    if (status == SEGUE_OK) {
        status = sgi_want_whole(&reader->complaint, &since_at, json_object_get(value, "since_ms"), SGI_TIME_LEAST,
                                SGI_TIME_MOST, &member->leaving_ms);
    }
    if (status == SEGUE_OK && deadline != NULL && !json_is_null(deadline)) {
        status = sgi_want_whole(&reader->complaint, &deadline_at, deadline, SGI_TIME_LEAST, SGI_TIME_MOST,
                                &member->deadline_ms);
    }
    return status;
}

/* Values of dimensions that rack.aware.assignment.tags does not name are checked and forgotten. */
static int32_t read_tag(sgi_reader *reader, const sgi_place *place, const char *key, const json_t *value,
                        uint32_t *values)
{
    sgi_place at = sgi_place_free_key(place, key);
    const char *text = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &at, value, &text);
    uint32_t key_name = sgi_names_find(&reader->names, key, strlen(key));
    for (uint32_t tag = 0; status == SEGUE_OK && tag < reader->tag_count; tag++) {
        if (reader->tags[tag] == key_name) {
            uint32_t name = sgi_names_add(&reader->names, text, strlen(text));
            values[(size_t)tag * reader->member_count] = name;
            status = name == SEGUE_NONE ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
        }
    }
    return status;
}

static int32_t read_tags(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    json_t *tags = json_object_get(member->object, "tags");
    sgi_place at = sgi_place_key(place, "tags");
    uint32_t *values = reader->tag_values + member->index;
    for (uint32_t tag = 0; tag < reader->tag_count; tag++) {
        values[(size_t)tag * reader->member_count] = SEGUE_NONE;
    }
    int32_t status = tags == NULL ? SEGUE_OK : sgi_want_map(&reader->complaint, &at, tags);
    for (void *row = json_object_iter(tags); status == SEGUE_OK && row != NULL;
         row = json_object_iter_next(tags, row)) {
        status = read_tag(reader, &at, json_object_iter_key(row), json_object_iter_value(row), values);
    }
    return status;
}

static int32_t read_member(sgi_reader *reader, const sgi_place *place, sgi_member *member)
{
    int32_t status = sgi_want_object(&reader->complaint, place, member->object, member_keys);
    status = status == SEGUE_OK ? read_id(reader, place, member) : status;
    status = status == SEGUE_OK ? read_process(reader, place, member) : status;
    status = status == SEGUE_OK ? read_threads(reader, place, member) : status;
    status = status == SEGUE_OK ? read_rack(reader, place, member) : status;
    status = status == SEGUE_OK ? read_tags(reader, place, member) : status;
    return status == SEGUE_OK ? read_leaving(reader, place, member) : status;
}

static int32_t want_members(sgi_reader *reader, const sgi_place *place, const json_t *members)
{
    int32_t status = sgi_want_list(&reader->complaint, place, members);
    size_t count = json_array_size(members);
    if (status == SEGUE_OK && count == 0) {
        status = sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "empty; at least one member is needed");
    }
    if (status == SEGUE_OK && count > SEGUE_MAX_MEMBERS) {
        status = sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "%zu members; at most %u are possible", count,
                              SEGUE_MAX_MEMBERS);
    }
    reader->member_count = (uint32_t)count;
    return status;
}

int32_t sgi_read_members(sgi_reader *reader, json_t *root)
{
    json_t *members = json_object_get(root, "members");
    sgi_place place = sgi_place_key(NULL, "members");
    int32_t status = want_members(reader, &place, members);
    if (status != SEGUE_OK) {
        return status;
    }
    size_t values = (size_t)reader->tag_count * reader->member_count;
    reader->members = sgi_region_take(&reader->scratch, reader->member_count, sizeof *reader->members);
    reader->tag_values = sgi_region_take(&reader->scratch, values, sizeof *reader->tag_values);
    if (reader->members == NULL || reader->tag_values == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; status == SEGUE_OK && i < reader->member_count; i++) {
        sgi_place at = sgi_place_row(&place, i);
        reader->members[i].index = i;
        reader->members[i].object = json_array_get(members, i);
        status = read_member(reader, &at, &reader->members[i]);
    }
    return status;
}
