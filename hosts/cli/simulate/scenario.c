/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "scenario_reader.h"

#define KIND "scenario/1"

enum { US_IN_MS = 1000 };

#define WEEK_US (INT64_C(1000000) * 3600 * 24 * 7)

static const char *const root_keys[] = {"segue", "name", "group", "cluster", "actions", "until_ms", NULL};
static const char *const cluster_keys[] = {
#define KEY(field, key, initial) key,
    SIM_DURATIONS(KEY)
#undef KEY
        "record_bytes",
    "write_bytes_per_s",
    "restore_bytes_per_s",
    "trigger",
    "protocol",
    "static_members",
    NULL};

static const sim_cluster usual_cluster = {
#define INITIAL(field, key, initial) .field = (initial) * (int64_t)US_IN_MS,
    SIM_DURATIONS(INITIAL)
#undef INITIAL
    .record_bytes = 100,
    .restore_bytes_per_s = 50e6,
};

int32_t sim_read_ms(sim_reader *reader, const sgi_place *parent, const json_t *object, const char *key, int64_t *us)
{
    const json_t *value = json_object_get(object, key);
    sgi_place place = sgi_place_key(parent, key);
    int64_t ms = 0;
    if (value == NULL) {
        return SEGUE_OK;
    }
    int32_t status = sgi_want_whole(&reader->complaint, &place, value, 0, SIM_MS_MOST, &ms);
    *us = status == SEGUE_OK ? ms * US_IN_MS : *us;
    return status;
}

int32_t sim_read_positive(sim_reader *reader, const sgi_place *parent, const json_t *object, const char *key, double most,
                          double *number)
{
    const json_t *value = json_object_get(object, key);
    sgi_place place = sgi_place_key(parent, key);
    double given = json_number_value(value);
    if (json_is_number(value) && (given < 1 || given > most)) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "%g is given; %sa number from 1 to %g is needed",
                            given, strcmp(key, "write_bytes_per_s") == 0 ? "0 or " : "", most);
    }
    return value == NULL ? SEGUE_OK : sgi_want_positive(&reader->complaint, &place, value, number);
}

/* The place of a word in a NULL-terminated list, which the message shows. */
static int32_t read_choice(sim_reader *reader, const sgi_place *parent, const json_t *object, const char *key,
                           const char *const *words, const char *shown, uint32_t *choice)
{
    const json_t *value = json_object_get(object, key);
    sgi_place place = sgi_place_key(parent, key);
    const char *word = NULL;
    int32_t status = value == NULL ? SEGUE_OK : sgi_want_text(&reader->complaint, &place, value, &word);
    if (status != SEGUE_OK || word == NULL) {
        return status;
    }
    for (uint32_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) {
            *choice = i;
            return SEGUE_OK;
        }
    }
    char cut[40];
    return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "\"%s\" is given; %s is needed",
                        sgi_cut(cut, sizeof cut, word), shown);
}

static int32_t read_durations(sim_reader *reader, const sgi_place *place, const json_t *object)
{
    sim_cluster *cluster = &reader->scenario->cluster;
    int32_t status = SEGUE_OK;
#define READ(field, key, initial) \
    status = status == SEGUE_OK ? sim_read_ms(reader, place, object, key, &cluster->field) : status;
    SIM_DURATIONS(READ)
#undef READ
    return status;
}

/* Nothing written is what a test wants, so 0 is allowed here and nowhere else. */
static int32_t read_write_rate(sim_reader *reader, const sgi_place *place, const json_t *object)
{
    const json_t *value = json_object_get(object, "write_bytes_per_s");
    if (json_is_number(value) && json_number_value(value) == 0) {
        reader->scenario->cluster.write_bytes_per_s = 0;
        return SEGUE_OK;
    }
    return sim_read_positive(reader, place, object, "write_bytes_per_s", SIM_BYTES_PER_S_MOST,
                             &reader->scenario->cluster.write_bytes_per_s);
}

static int32_t read_rates(sim_reader *reader, const sgi_place *place, const json_t *object)
{
    sim_cluster *cluster = &reader->scenario->cluster;
    int32_t status = sim_read_positive(reader, place, object, "record_bytes", SIM_RECORD_BYTES_MOST, &cluster->record_bytes);
    status = status == SEGUE_OK
                 ? sim_read_positive(reader, place, object, "restore_bytes_per_s", SIM_BYTES_PER_S_MOST,
                                     &cluster->restore_bytes_per_s)
                 : status;
    return status == SEGUE_OK ? read_write_rate(reader, place, object) : status;
}

static int32_t read_manners(sim_reader *reader, const sgi_place *place, const json_t *object)
{
    static const char *const triggers[] = {"auto", "ready", "probing", NULL};
    static const char *const protocols[] = {"cooperative", "eager", NULL};
    sim_cluster *cluster = &reader->scenario->cluster;
    uint32_t eager = cluster->is_eager;
    int32_t status = read_choice(reader, place, object, "trigger", triggers, "\"auto\", \"ready\" or \"probing\"",
                                 &cluster->trigger);
    status = status == SEGUE_OK ? read_choice(reader, place, object, "protocol", protocols,
                                              "\"cooperative\" or \"eager\"", &eager)
                                : status;
    cluster->is_eager = (uint8_t)eager;
    const json_t *fixed = json_object_get(object, "static_members");
    sgi_place at = sgi_place_key(place, "static_members");
    return status != SEGUE_OK || fixed == NULL
               ? status
               : sgi_want_flag(&reader->complaint, &at, fixed, &cluster->has_static_members);
}

static int32_t read_cluster(sim_reader *reader, json_t *object)
{
    sgi_place place = sgi_place_key(NULL, "cluster");
    reader->scenario->cluster = usual_cluster;
    if (object == NULL) {
        return SEGUE_OK;
    }
    int32_t status = sgi_want_object(&reader->complaint, &place, object, cluster_keys);
    status = status == SEGUE_OK ? read_durations(reader, &place, object) : status;
    status = status == SEGUE_OK ? read_rates(reader, &place, object) : status;
    return status == SEGUE_OK ? read_manners(reader, &place, object) : status;
}

/* Members of one process would share a disk; the simulation has one disk for each. */
static int32_t refuse_shared_disks(sim_reader *reader, const sgi_place *place)
{
    const segue_group *group = segue_document_group(reader->scenario->group);
    return group->process_count == group->member_count
               ? SEGUE_OK
               : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place,
                              "two members name one process; a simulation has one member for each process, with threads");
}

static int32_t read_group(sim_reader *reader, const json_t *object)
{
    sgi_place place = sgi_place_key(NULL, "group");
    int32_t status = sgi_want_map(&reader->complaint, &place, object);
    char *text = status == SEGUE_OK ? json_dumps(object, JSON_COMPACT) : NULL;
    if (status != SEGUE_OK) {
        return status;
    }
    if (text == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    char source[160];
    snprintf(source, sizeof source, "%s: group",
             reader->complaint.source == NULL ? "scenario" : sgi_source_end(reader->complaint.source));
    status = segue_document_read(text, strlen(text), source, &reader->scenario->group, reader->complaint.error);
    free(text);
    return status == SEGUE_OK ? refuse_shared_disks(reader, &place) : status;
}

static int32_t read_kind(sim_reader *reader, json_t *root)
{
    sgi_place place = sgi_place_key(NULL, "segue");
    const char *kind = NULL;
    int32_t status = sgi_want_map(&reader->complaint, NULL, root);
    status = status == SEGUE_OK ? sgi_want_text(&reader->complaint, &place, json_object_get(root, "segue"), &kind)
                                : status;
    if (status != SEGUE_OK) {
        return status;
    }
    if (strcmp(kind, KIND) == 0) {
        return sgi_want_object(&reader->complaint, NULL, root, root_keys);
    }
    char cut[40];
    return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "\"%s\" is given; \"" KIND "\" is needed",
                        sgi_cut(cut, sizeof cut, kind));
}

static int32_t read_name(sim_reader *reader, const json_t *value)
{
    sgi_place place = sgi_place_key(NULL, "name");
    const char *name = "scenario";
    int32_t status = value == NULL ? SEGUE_OK : sgi_want_text(&reader->complaint, &place, value, &name);
    reader->scenario->name = status == SEGUE_OK ? strdup(name) : NULL;
    return status == SEGUE_OK && reader->scenario->name == NULL ? sgi_complain_memory(&reader->complaint) : status;
}

/* A week behind the last action unless the document says otherwise. A run ends before when nothing more happens. */
static void find_end(sim_reader *reader)
{
    sim_scenario *scenario = reader->scenario;
    int64_t last = scenario->action_count == 0 ? 0 : scenario->actions[scenario->action_count - 1].at_us;
    scenario->until_us = reader->until_us < INT64_MAX ? reader->until_us : last + WEEK_US;
}

/* Needed while the actions are read: one that begins behind it is refused. */
static int32_t read_limit(sim_reader *reader, const json_t *root)
{
    reader->until_us = INT64_MAX;
    return sim_read_ms(reader, NULL, root, "until_ms", &reader->until_us);
}

static int32_t read_root(sim_reader *reader, json_t *root)
{
    int32_t status = read_kind(reader, root);
    status = status == SEGUE_OK ? read_name(reader, json_object_get(root, "name")) : status;
    status = status == SEGUE_OK ? read_cluster(reader, json_object_get(root, "cluster")) : status;
    status = status == SEGUE_OK ? read_group(reader, json_object_get(root, "group")) : status;
    status = status == SEGUE_OK ? read_limit(reader, root) : status;
    status = status == SEGUE_OK ? sim_read_actions(reader, json_object_get(root, "actions")) : status;
    if (status == SEGUE_OK) {
        find_end(reader);
    }
    return status;
}

int32_t sim_scenario_read(const char *text, size_t size, const char *source, uint64_t seed, sim_scenario *scenario,
                          segue_error *error)
{
    json_error_t where;
    *scenario = (sim_scenario){0};
    sim_reader reader = {.complaint = {source, error}, .scenario = scenario, .chance = {seed}};
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    if (root == NULL) {
        return sgi_fail(error, SEGUE_E_SYNTAX, "%s:%d:%d: %s", source == NULL ? "scenario" : sgi_source_end(source),
                        where.line, where.column, where.text);
    }
    int32_t status = read_root(&reader, root);
    json_decref(root);
    return status;
}

void sim_scenario_free(sim_scenario *scenario)
{
    segue_document_free(scenario->group);
    free(scenario->name);
    free(scenario->actions);
    free(scenario->is_absent);
    *scenario = (sim_scenario){0};
}
