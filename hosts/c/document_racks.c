/* SPDX-License-Identifier: Apache-2.0 */
/* Racks: of members, and of the replicas of the tasks' input partitions. */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"

static const char *const input_keys[] = {"topic", "partition", "racks", NULL};

enum { FIRST_RACKS = 16, FEW_INPUTS = 16, SHOWN_TOPIC = 44 };

static int32_t grow_racks(sgi_reader *reader)
{
    uint32_t room = reader->rack_room == 0 ? FIRST_RACKS : reader->rack_room * 2;
    uint32_t *racks = sgi_region_take(&reader->scratch, room, sizeof *racks);
    if (racks == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    if (reader->rack_count > 0) {
        memcpy(racks, reader->racks, reader->rack_count * sizeof *racks);
    }
    reader->racks = racks;
    reader->rack_room = room;
    return SEGUE_OK;
}

int32_t sgi_note_rack(sgi_reader *reader, const char *text, uint32_t *rack)
{
    uint32_t name = sgi_names_add(&reader->names, text, strlen(text));
    if (name == SEGUE_NONE) {
        return sgi_complain_memory(&reader->complaint);
    }
    uint32_t *row = &reader->names.rows[name].row[SGI_RACK];
    if (*row == SEGUE_NONE) {
        if (reader->rack_count == reader->rack_room && grow_racks(reader) != SEGUE_OK) {
            return SEGUE_E_MEMORY;
        }
        *row = reader->rack_count;
        reader->racks[reader->rack_count++] = name;
    }
    *rack = name;
    return SEGUE_OK;
}

typedef struct input_key {
    const char *topic;
    int64_t partition;
    size_t index;
} input_key;

static int compare_inputs(const void *a, const void *b)
{
    const input_key *left = a;
    const input_key *right = b;
    int order = strcmp(left->topic, right->topic);
    return order != 0 ? order : (left->partition > right->partition) - (left->partition < right->partition);
}

static int32_t read_racks(sgi_reader *reader, const sgi_place *place, const json_t *racks)
{
    int32_t status = sgi_want_list(&reader->complaint, place, racks);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(racks); i++) {
        sgi_place at = sgi_place_row(place, i);
        const char *text = NULL;
        uint32_t rack = SEGUE_NONE;
        status = sgi_want_text(&reader->complaint, &at, json_array_get(racks, i), &text);
        status = status == SEGUE_OK ? sgi_note_rack(reader, text, &rack) : status;
    }
    return status;
}

static int32_t read_input(sgi_reader *reader, const sgi_place *place, json_t *input, input_key *key)
{
    sgi_place topic_at = sgi_place_key(place, "topic");
    sgi_place partition_at = sgi_place_key(place, "partition");
    sgi_place racks_at = sgi_place_key(place, "racks");
    const json_t *racks = json_object_get(input, "racks");
    const sgi_complaint *complaint = &reader->complaint;
    int32_t status = sgi_want_object(complaint, place, input, input_keys);
    if (status == SEGUE_OK) {
        status = sgi_want_text(complaint, &topic_at, json_object_get(input, "topic"), &key->topic);
    }
    if (status == SEGUE_OK) {
        status = sgi_want_whole(complaint, &partition_at, json_object_get(input, "partition"), 0, INT32_MAX,
                                &key->partition);
    }
    return status == SEGUE_OK && racks != NULL ? read_racks(reader, &racks_at, racks) : status;
}

static int32_t refuse_twins(const sgi_reader *reader, const sgi_place *place, input_key *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, compare_inputs);
    for (size_t i = 1; i < count; i++) {
        if (compare_inputs(&keys[i - 1], &keys[i]) == 0) {
            char shown[SHOWN_TOPIC];
            sgi_place at = sgi_place_row(place, keys[i].index);
            return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &at, "partition %lld of \"%s\" is listed twice",
                                (long long)keys[i].partition, sgi_cut(shown, sizeof shown, keys[i].topic));
        }
    }
    return SEGUE_OK;
}

static int32_t read_all_inputs(sgi_reader *reader, const sgi_place *place, json_t *inputs, input_key *keys)
{
    size_t count = json_array_size(inputs);
    int32_t status = SEGUE_OK;
    for (size_t i = 0; status == SEGUE_OK && i < count; i++) {
        sgi_place at = sgi_place_row(place, i);
        keys[i].index = i;
        status = read_input(reader, &at, json_array_get(inputs, i), &keys[i]);
    }
    return status == SEGUE_OK ? refuse_twins(reader, place, keys, count) : status;
}

/* Nearly all tasks have few inputs; a piece of the heap for each of a million tasks would take most of the time. */
int32_t sgi_read_inputs(sgi_reader *reader, const sgi_place *place, json_t *inputs)
{
    input_key few[FEW_INPUTS];
    int32_t status = sgi_want_list(&reader->complaint, place, inputs);
    if (status != SEGUE_OK || json_array_size(inputs) <= FEW_INPUTS) {
        return status == SEGUE_OK ? read_all_inputs(reader, place, inputs, few) : status;
    }
    sgi_region region = {NULL};
    input_key *keys = sgi_region_take(&region, json_array_size(inputs), sizeof *keys);
    status = keys == NULL ? sgi_complain_memory(&reader->complaint) : read_all_inputs(reader, place, inputs, keys);
    sgi_region_free(&region);
    return status;
}

static int compare_racks(const void *a, const void *b, void *context)
{
    return sgi_names_compare(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

int32_t sgi_order_racks(sgi_reader *reader)
{
    if (reader->rack_count > 0) {
        qsort_r(reader->racks, reader->rack_count, sizeof *reader->racks, compare_racks, &reader->names);
    }
    for (uint32_t i = 0; i < reader->rack_count; i++) {
        reader->names.rows[reader->racks[i]].row[SGI_RACK] = i;
    }
    return SEGUE_OK;
}

/* Counters of one task's racks, and which of them are in use. */
typedef struct rack_tally {
    uint32_t *inputs;     /* by rack */
    uint32_t *last_input; /* by rack: the input that was counted last, plus one */
    uint32_t *used;
    uint32_t used_count;
    uint32_t input; /* the running number of the input, over all tasks */
} rack_tally;

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Two replicas of a partition in one rack are one input of that rack. */
static void tally_input(const sgi_reader *reader, rack_tally *tally, const json_t *input)
{
    const json_t *racks = json_object_get(input, "racks");
    tally->input++;
    for (size_t i = 0; i < json_array_size(racks); i++) {
        const char *text = json_string_value(json_array_get(racks, i));
        uint32_t name = sgi_names_find(&reader->names, text, strlen(text));
        uint32_t rack = reader->names.rows[name].row[SGI_RACK];
        if (tally->last_input[rack] != tally->input) {
            tally->last_input[rack] = tally->input;
            if (tally->inputs[rack]++ == 0) {
                tally->used[tally->used_count++] = rack;
            }
        }
    }
}

/* The rows of one task, by ascending rack; returns the row behind them. */
static uint32_t write_tally(rack_tally *tally, uint32_t *rack, uint32_t *inputs, uint32_t row)
{
    qsort(tally->used, tally->used_count, sizeof *tally->used, compare_numbers);
    for (uint32_t i = 0; i < tally->used_count; i++, row++) {
        rack[row] = tally->used[i];
        inputs[row] = tally->inputs[rack[row]];
        tally->inputs[rack[row]] = 0;
    }
    tally->used_count = 0;
    return row;
}

/* Racks named by all inputs together: an upper bound of the rows. */
static uint64_t count_rows(const sgi_reader *reader)
{
    uint64_t rows = 0;
    for (uint32_t task = 0; task < reader->task_count; task++) {
        const json_t *inputs = reader->tasks[task].inputs;
        for (size_t i = 0; i < json_array_size(inputs); i++) {
            rows += json_array_size(json_object_get(json_array_get(inputs, i), "racks"));
        }
    }
    return rows;
}

static int has_inputs(const sgi_reader *reader)
{
    for (uint32_t task = 0; task < reader->task_count; task++) {
        if (json_array_size(reader->tasks[task].inputs) > 0) {
            return 1;
        }
    }
    return 0;
}

static int32_t write_inputs(sgi_reader *reader, rack_tally *tally, uint64_t rows)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    uint32_t *inputs = sgi_region_take(region, reader->task_count, sizeof *inputs);
    uint32_t *start = sgi_region_take(region, (size_t)reader->task_count + 1, sizeof *start);
    uint32_t *rack = sgi_region_take(region, (size_t)rows, sizeof *rack);
    uint32_t *rack_inputs = sgi_region_take(region, (size_t)rows, sizeof *rack_inputs);
    if (inputs == NULL || start == NULL || rack == NULL || rack_inputs == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t task = 0; task < reader->task_count; task++) {
        const json_t *list = reader->tasks[task].inputs;
        inputs[task] = (uint32_t)json_array_size(list);
        for (size_t i = 0; i < json_array_size(list); i++) {
            tally_input(reader, tally, json_array_get(list, i));
        }
        start[task + 1] = write_tally(tally, rack, rack_inputs, start[task]);
    }
    group->task_inputs = inputs;
    group->task_rack_start = start;
    group->task_rack = rack;
    group->task_rack_inputs = rack_inputs;
    group->task_rack_count = start[reader->task_count];
    return SEGUE_OK;
}

int32_t sgi_order_inputs(sgi_reader *reader)
{
    uint32_t count = reader->rack_count;
    uint32_t *name = sgi_region_take(&reader->document->region, count, sizeof *name);
    rack_tally tally = {.inputs = sgi_region_take(&reader->scratch, count, sizeof *tally.inputs),
                        .last_input = sgi_region_take(&reader->scratch, count, sizeof *tally.last_input),
                        .used = sgi_region_take(&reader->scratch, count, sizeof *tally.used)};
    if (name == NULL || tally.inputs == NULL || tally.last_input == NULL || tally.used == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < count; i++) {
        name[i] = sgi_write_string(reader, reader->racks[i]);
    }
    reader->document->group.rack_count = count;
    reader->document->group.rack_name = name;
    uint64_t rows = count_rows(reader);
    if (rows > SEGUE_MAX_COPIES) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, NULL, "the tasks' partitions name more than %u racks",
                            SEGUE_MAX_COPIES);
    }
    return has_inputs(reader) ? write_inputs(reader, &tally, rows) : SEGUE_OK;
}
