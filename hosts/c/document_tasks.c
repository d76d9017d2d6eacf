/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"

/* Kafka counts partitions in 31 bits. */
#define PARTITION_MOST INT32_MAX

#define LONE_SUFFIX " (alone)"

enum { SHOWN_NAME = 44 };

static const char *const shorthand_keys[] = {"id", "partitions", "stateful", "weight", "state_bytes", NULL};
static const char *const task_keys[] = {"id", "stateful", "weight", "state_bytes", "partitions", NULL};

/* What a shorthand and a listed task have in common. */
static int32_t read_traits(sgi_reader *reader, const sgi_place *place, const json_t *object, sgi_task *task)
{
    task->stateful = 1;
    task->weight = 1;
    task->state_bytes = SEGUE_BYTES_UNKNOWN;
    const json_t *stateful = json_object_get(object, "stateful");
    const json_t *weight = json_object_get(object, "weight");
    const json_t *bytes = json_object_get(object, "state_bytes");
    int32_t status = SEGUE_OK;
    if (stateful != NULL) {
        sgi_place at = sgi_place_key(place, "stateful");
        status = sgi_want_flag(&reader->complaint, &at, stateful, &task->stateful);
    }
    if (status == SEGUE_OK && weight != NULL) {
        sgi_place at = sgi_place_key(place, "weight");
        status = sgi_want_positive(&reader->complaint, &at, weight, &task->weight);
    }
    if (status == SEGUE_OK && bytes != NULL && !json_is_null(bytes)) {
        sgi_place at = sgi_place_key(place, "state_bytes");
        status = sgi_want_whole(&reader->complaint, &at, bytes, 0, INT64_MAX, &task->state_bytes);
    }
    return status;
}

/* The subtopology of that name, added if it is new; SEGUE_NONE without memory. There is room for one a task. */
static uint32_t subtopology_of(sgi_reader *reader, const char *text, size_t length, int lone)
{
    uint32_t name = sgi_names_add(&reader->names, text, length);
    if (name == SEGUE_NONE) {
        return SEGUE_NONE;
    }
    uint32_t *row = &reader->names.rows[name].row[lone ? SGI_LONE_SUBTOPOLOGY : SGI_SUBTOPOLOGY];
    if (*row == SEGUE_NONE) {
        *row = reader->subtopology_count;
        reader->subtopologies[reader->subtopology_count++] = (sgi_subtopology){name, (uint32_t)lone, 0};
    }
    return *row;
}

/* The number that the digits at the end of an id say, or -1 when they are no partition: "07" is another id than "7". */
static int64_t partition_of(const char *digits)
{
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 10 || digits[length] != '\0' || (digits[0] == '0' && length > 1)) {
        return -1;
    }
    int64_t partition = strtoll(digits, NULL, 10);
    return partition <= PARTITION_MOST ? partition : -1;
}

/* Splits SUBTOPOLOGY_PARTITION at the last underscore; an id of another form is a subtopology of its own. */
static int32_t place_task(sgi_reader *reader, const char *id, sgi_task *task)
{
    const char *underscore = strrchr(id, '_');
    int64_t partition = underscore == NULL || underscore == id ? -1 : partition_of(underscore + 1);
    int lone = partition < 0;
    task->partition = lone ? 0 : (uint32_t)partition;
    task->subtopology = subtopology_of(reader, id, lone ? strlen(id) : (size_t)(underscore - id), lone);
    return task->subtopology == SEGUE_NONE ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
}

/* Its row, new or the one that the name has already; NULL without memory. */
static sgi_task *task_named(sgi_reader *reader, const char *id, size_t length)
{
    uint32_t name = sgi_names_add(&reader->names, id, length);
    if (name == SEGUE_NONE) {
        return NULL;
    }
    uint32_t *row = &reader->names.rows[name].row[SGI_TASK];
    if (*row == SEGUE_NONE) {
        *row = reader->task_count++;
        reader->tasks[*row].name = name;
    }
    return &reader->tasks[*row];
}

static int32_t expand(sgi_reader *reader, const char *id, uint32_t partitions, const sgi_task *traits)
{
    size_t length = strlen(id);
    uint32_t subtopology = subtopology_of(reader, id, length, 0);
    char *name = sgi_region_take(&reader->scratch, length + 12, 1);
    if (subtopology == SEGUE_NONE || name == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    memcpy(name, id, length);
    for (uint32_t partition = 0; partition < partitions; partition++) {
        int digits = snprintf(name + length, 12, "_%" PRIu32, partition);
        sgi_task *task = task_named(reader, name, length + (size_t)digits);
        if (task == NULL) {
            return sgi_complain_memory(&reader->complaint);
        }
        uint32_t kept = task->name;
        *task = *traits;
        task->name = kept;
        task->subtopology = subtopology;
        task->partition = partition;
    }
    return SEGUE_OK;
}

/* The id may be a number, as Kafka has it, or a name. */
static int32_t shorthand_id(sgi_reader *reader, const sgi_place *place, const json_t *value, char *digits, size_t size,
                            const char **id)
{
    sgi_place at = sgi_place_key(place, "id");
    if (json_is_string(value)) {
        return sgi_want_text(&reader->complaint, &at, value, id);
    }
    int64_t number = 0;
    int32_t status = sgi_want_whole(&reader->complaint, &at, value, 0, INT64_MAX, &number);
    snprintf(digits, size, "%" PRId64, number);
    *id = digits;
    return status;
}

static int32_t read_shorthand(sgi_reader *reader, const sgi_place *place, json_t *object)
{
    char digits[24];
    const char *id = NULL;
    sgi_task traits = {.name = SEGUE_NONE};
    int64_t partitions = 0;
    sgi_place at = sgi_place_key(place, "partitions");
    int32_t status = shorthand_id(reader, place, json_object_get(object, "id"), digits, sizeof digits, &id);
    if (status == SEGUE_OK) {
        status = sgi_want_whole(&reader->complaint, &at, json_object_get(object, "partitions"), 1, SEGUE_MAX_TASKS,
                                &partitions);
    }
    if (status == SEGUE_OK) {
        status = read_traits(reader, place, object, &traits);
    }
    if (status != SEGUE_OK) {
        return status;
    }
    uint32_t known = sgi_names_find(&reader->names, id, strlen(id));
    if (known != SEGUE_NONE && reader->names.rows[known].row[SGI_SUBTOPOLOGY] != SEGUE_NONE) {
        char shown[SHOWN_NAME];
        sgi_place id_at = sgi_place_key(place, "id");
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &id_at, "\"%s\" is the id of an earlier one as well",
                            sgi_cut(shown, sizeof shown, id));
    }
    return expand(reader, id, (uint32_t)partitions, &traits);
}

static int32_t read_listed(sgi_reader *reader, const sgi_place *place, json_t *object)
{
    const char *id = NULL;
    sgi_place at = sgi_place_key(place, "id");
    sgi_task traits = {.listed = 1, .inputs = json_object_get(object, "partitions")};
    int32_t status = sgi_want_text(&reader->complaint, &at, json_object_get(object, "id"), &id);
    status = status == SEGUE_OK ? read_traits(reader, place, object, &traits) : status;
    if (status == SEGUE_OK && traits.inputs != NULL) {
        sgi_place inputs_at = sgi_place_key(place, "partitions");
        status = sgi_read_inputs(reader, &inputs_at, traits.inputs);
    }
    status = status == SEGUE_OK ? place_task(reader, id, &traits) : status;
    if (status != SEGUE_OK) {
        return status;
    }
    sgi_task *task = task_named(reader, id, strlen(id));
    if (task == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    if (task->listed) {
        char shown[SHOWN_NAME];
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &at, "\"%s\" is the id of an earlier task as well",
                            sgi_cut(shown, sizeof shown, id));
    }
    traits.name = task->name;
    *task = traits;
    return SEGUE_OK;
}

/* The tasks that a list can make at most, before any of them takes memory. */
static uint64_t tasks_promised(const json_t *shorthands, const json_t *listed)
{
    uint64_t promised = json_array_size(listed);
    for (size_t i = 0; i < json_array_size(shorthands); i++) {
        double partitions = json_number_value(json_object_get(json_array_get(shorthands, i), "partitions"));
        promised += partitions >= 1 && partitions <= SEGUE_MAX_TASKS ? (uint64_t)partitions : 0;
    }
    return promised;
}

static int32_t make_room(sgi_reader *reader, const json_t *shorthands, const json_t *listed)
{
    uint64_t promised = tasks_promised(shorthands, listed);
    if (promised > SEGUE_MAX_TASKS) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, NULL,
                            "subtopologies and tasks make %" PRIu64 " tasks; at most %u are possible", promised,
                            SEGUE_MAX_TASKS);
    }
    size_t subtopologies = json_array_size(shorthands) + json_array_size(listed);
    reader->tasks = sgi_region_take(&reader->scratch, (size_t)promised, sizeof *reader->tasks);
    reader->subtopologies = sgi_region_take(&reader->scratch, subtopologies, sizeof *reader->subtopologies);
    return reader->tasks == NULL || reader->subtopologies == NULL ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
}

/* Calls `read` for each element; the elements are objects with those keys. */
static int32_t read_list(sgi_reader *reader, const char *key, json_t *list, const char *const *keys,
                         int32_t (*read)(sgi_reader *, const sgi_place *, json_t *))
{
    sgi_place place = sgi_place_key(NULL, key);
    int32_t status = SEGUE_OK;
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(list); i++) {
        sgi_place at = sgi_place_row(&place, i);
        json_t *object = json_array_get(list, i);
        status = sgi_want_object(&reader->complaint, &at, object, keys);
        status = status == SEGUE_OK ? read(reader, &at, object) : status;
    }
    return status;
}

static int32_t want_optional_list(const sgi_reader *reader, const char *key, const json_t *list)
{
    sgi_place place = sgi_place_key(NULL, key);
    return list == NULL ? SEGUE_OK : sgi_want_list(&reader->complaint, &place, list);
}

static int is_subtopology(const sgi_reader *reader, uint32_t name)
{
    const uint32_t *row = name == SEGUE_NONE ? NULL : reader->names.rows[name].row;
    return row != NULL && (row[SGI_SUBTOPOLOGY] != SEGUE_NONE || row[SGI_LONE_SUBTOPOLOGY] != SEGUE_NONE);
}

/* The name with the suffix as often as it takes to be nobody's; SEGUE_NONE without memory. */
static uint32_t free_name(sgi_reader *reader, uint32_t taken)
{
    const size_t suffix = sizeof LONE_SUFFIX - 1;
    size_t length = reader->names.rows[taken].length;
    size_t room = 0;
    char *text = NULL;
    const char *before = sgi_names_text(&reader->names, taken);
    do {
        if (length + suffix > room) {
            room = 2 * (length + suffix);
            text = sgi_region_take(&reader->scratch, room, 1);
            if (text == NULL) {
                return SEGUE_NONE;
            }
            memcpy(text, before, length);
            before = text;
        }
        memcpy(text + length, LONE_SUFFIX, suffix);
        length += suffix;
    } while (is_subtopology(reader, sgi_names_find(&reader->names, text, length)));
    return sgi_names_add(&reader->names, text, length);
}

/* Names of subtopologies are all different: that of a lone task "x" gives way to the one of "x_0". */
static int gives_way(const sgi_reader *reader, const sgi_subtopology *subtopology)
{
    return subtopology->lone && reader->names.rows[subtopology->name].row[SGI_SUBTOPOLOGY] != SEGUE_NONE;
}

static int compare_lengths(const void *a, const void *b, void *context)
{
    const sgi_reader *reader = context;
    uint32_t left = reader->names.rows[reader->subtopologies[*(const uint32_t *)a].name].length;
    uint32_t right = reader->names.rows[reader->subtopologies[*(const uint32_t *)b].name].length;
    return (left > right) - (left < right);
}

/* Only names of different lengths can want the same one: shortest first makes the outcome the same in any order. */
static int32_t rename_rows(sgi_reader *reader, uint32_t *rows, uint32_t count)
{
    qsort_r(rows, count, sizeof *rows, compare_lengths, reader);
    for (uint32_t i = 0; i < count; i++) {
        sgi_subtopology *subtopology = &reader->subtopologies[rows[i]];
        uint32_t name = free_name(reader, subtopology->name);
        if (name == SEGUE_NONE) {
            return sgi_complain_memory(&reader->complaint);
        }
        reader->names.rows[name].row[SGI_LONE_SUBTOPOLOGY] = rows[i];
        subtopology->name = name;
    }
    return SEGUE_OK;
}

static int32_t rename_all_lone(sgi_reader *reader)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->subtopology_count; i++) {
        count += (uint32_t)gives_way(reader, &reader->subtopologies[i]);
    }
    if (count == 0) {
        return SEGUE_OK;
    }
    uint32_t *rows = sgi_region_take(&reader->scratch, count, sizeof *rows);
    if (rows == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    count = 0;
    for (uint32_t i = 0; i < reader->subtopology_count; i++) {
        if (gives_way(reader, &reader->subtopologies[i])) {
            rows[count++] = i;
        }
    }
    return rename_rows(reader, rows, count);
}

int32_t sgi_read_tasks(sgi_reader *reader, json_t *root)
{
    json_t *shorthands = json_object_get(root, "subtopologies");
    json_t *listed = json_object_get(root, "tasks");
    int32_t status = want_optional_list(reader, "subtopologies", shorthands);
    status = status == SEGUE_OK ? want_optional_list(reader, "tasks", listed) : status;
    status = status == SEGUE_OK ? make_room(reader, shorthands, listed) : status;
    if (status == SEGUE_OK) {
        status = read_list(reader, "subtopologies", shorthands, shorthand_keys, read_shorthand);
    }
    status = status == SEGUE_OK ? read_list(reader, "tasks", listed, task_keys, read_listed) : status;
    return status == SEGUE_OK ? rename_all_lone(reader) : status;
}
