/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the actions of a scenario. */
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "scenario_deeds.h"

enum { TIMES_MOST = 1000000 };

static const char *const action_keys[] = {"at_ms",    "do",    "member", "members",    "stagger_ms", "timeout_ms",
                                          "away_ms",  "by",    "up_ms",  "every_ms",   "times",      "until_ms",
                                          "lose_disk", "back_after_ms", "restore_bytes_per_s", "cooldown_ms", NULL};
static const char *const keys_of_all[] = {"at_ms", "do", "member", "members", NULL};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t find_word(sim_reader *reader, const sim_wish *it, const sim_word **found)
{
    sgi_place place = sgi_place_key(it->place, "do");
    const char *text = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &place, json_object_get(it->object, "do"), &text);
    for (int i = 0; status == SEGUE_OK && sim_words[i].word != NULL; i++) {
        if (strcmp(sim_words[i].word, text) == 0) {
            *found = &sim_words[i];
            return SEGUE_OK;
        }
    }
    char cut[40];
    return status != SEGUE_OK
               ? status
               : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place,
                              "\"%s\" is given; start, close, leave, crash, drain, cancel, disk, restart, flap or kills "
                              "is needed",
                              sgi_cut(cut, sizeof cut, text));
}

static uint32_t find_member(const segue_group *group, const char *name)
{
    sgi_text wanted = {name, strlen(name)};
    uint32_t from = 0;
    uint32_t to = group->member_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (sgi_compare_texts(sgi_string(group, group->member_name[middle]), wanted) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    int is_there = from < group->member_count &&
                   sgi_compare_texts(sgi_string(group, group->member_name[from]), wanted) == 0;
    return is_there ? from : SEGUE_NONE;
}

static int32_t note_member(sim_reader *reader, const sgi_place *place, const json_t *value, sim_wish *it)
{
    const char *name = NULL;
    int32_t status = sgi_want_text(&reader->complaint, place, value, &name);
    if (status != SEGUE_OK) {
        return status;
    }
    uint32_t member = find_member(segue_document_group(reader->scenario->group), name);
    if (member == SEGUE_NONE) {
        char cut[40];
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "the group has no member \"%s\"",
                            sgi_cut(cut, sizeof cut, name));
    }
    it->members[it->member_count++] = member;
    return SEGUE_OK;
}

static int32_t note_all(sim_reader *reader, sim_wish *it)
{
    const segue_group *group = segue_document_group(reader->scenario->group);
    for (uint32_t member = 0; member < group->member_count; member++) {
        it->members[it->member_count++] = member;
    }
    sgi_place place = sgi_place_key(it->place, "member");
    return it->member_count > 0 ? SEGUE_OK
                                : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "the group has no members");
}

static int32_t note_list(sim_reader *reader, const json_t *list, sim_wish *it)
{
    sgi_place place = sgi_place_key(it->place, "members");
    int32_t status = sgi_want_list(&reader->complaint, &place, list);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(list); i++) {
        sgi_place at = sgi_place_row(&place, i);
        status = note_member(reader, &at, json_array_get(list, i), it);
    }
    return status != SEGUE_OK || it->member_count > 0
               ? status
               : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "empty; at least one member is needed");
}

/* `member`, `members`, or for kills neither: all of them. */
static int32_t read_members(sim_reader *reader, sim_wish *it, int may_be_all)
{
    const json_t *one = json_object_get(it->object, "member");
    const json_t *list = json_object_get(it->object, "members");
    size_t most = segue_document_group(reader->scenario->group)->member_count + json_array_size(list) + 1;
    it->members = calloc(most, sizeof *it->members);
    if (it->members == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    if (list != NULL && one == NULL) {
        return note_list(reader, list, it);
    }
    if (one == NULL && list == NULL && may_be_all) {
        return note_all(reader, it);
    }
    sgi_place place = sgi_place_key(it->place, "member");
    return list == NULL ? note_member(reader, &place, one, it)
                        : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "member and members are given; one of "
                                                                                   "them is needed");
}

static int32_t read_by(sim_reader *reader, sim_wish *it)
{
    static const struct {
        const char *word;
        uint32_t deed;
    } ways[] = {{"close", SIM_CLOSE}, {"leave", SIM_LEAVE}, {"crash", SIM_CRASH}, {"drain", SIM_DRAIN}};
    const json_t *value = json_object_get(it->object, "by");
    sgi_place place = sgi_place_key(it->place, "by");
    const char *word = NULL;
    int32_t status = value == NULL ? SEGUE_OK : sgi_want_text(&reader->complaint, &place, value, &word);
    if (status != SEGUE_OK || word == NULL) {
        return status;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].word, word) == 0) {
            it->by = ways[i].deed;
            return SEGUE_OK;
        }
    }
    char cut[40];
    return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place,
                        "\"%s\" is given; close, leave, crash or drain is needed", sgi_cut(cut, sizeof cut, word));
}

static int32_t read_times(sim_reader *reader, sim_wish *it)
{
    struct {
        const char *key;
        int64_t *us;
    } const rows[] = {{"at_ms", &it->at_us},         {"stagger_ms", &it->stagger_us}, {"timeout_ms", &it->timeout_us},
                      {"away_ms", &it->away_us},     {"up_ms", &it->up_us},           {"every_ms", &it->every_us},
                      {"until_ms", &it->until_us},   {"back_after_ms", &it->back_after_us},
                      {"cooldown_ms", &it->cooldown_us}};
    int32_t status = SEGUE_OK;
    for (size_t i = 0; status == SEGUE_OK && i < sizeof rows / sizeof rows[0]; i++) {
        status = sim_read_ms(reader, it->place, it->object, rows[i].key, rows[i].us);
    }
    const json_t *times = json_object_get(it->object, "times");
    sgi_place place = sgi_place_key(it->place, "times");
    return status != SEGUE_OK || times == NULL
               ? status
               : sgi_want_whole(&reader->complaint, &place, times, 1, TIMES_MOST, &it->times);
}

static int32_t read_rest(sim_reader *reader, sim_wish *it)
{
    const json_t *lost = json_object_get(it->object, "lose_disk");
    sgi_place at_lost = sgi_place_key(it->place, "lose_disk");
    int32_t status = lost == NULL ? SEGUE_OK : sgi_want_flag(&reader->complaint, &at_lost, lost, &it->loses_disk);
    return status == SEGUE_OK ? sim_read_positive(reader, it->place, it->object, "restore_bytes_per_s",
                                                  SIM_BYTES_PER_S_MOST, &it->restore_bytes_per_s)
                              : status;
}

static int32_t want_key(sim_reader *reader, const sim_wish *it, const sim_word *word)
{
    if (word->needs == NULL || json_object_get(it->object, word->needs) != NULL) {
        return SEGUE_OK;
    }
    sgi_place place = sgi_place_key(it->place, word->needs);
    return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "missing; \"%s\" needs it", word->word);
}

static int is_in(const char *const *keys, const char *key)
{
    while (*keys != NULL && strcmp(*keys, key) != 0) {
        keys++;
    }
    return *keys != NULL;
}

/* A key that another word takes says something that would not happen. */
static int32_t want_no_other(sim_reader *reader, const sim_wish *it, const sim_word *word)
{
    json_t *object = it->object;
    for (void *row = json_object_iter(object); row != NULL; row = json_object_iter_next(object, row)) {
        const char *key = json_object_iter_key(row);
        if (strncmp(key, "x-", 2) != 0 && !is_in(keys_of_all, key) && !is_in(word->takes, key)) {
            sgi_place place = sgi_place_key(it->place, key);
            return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "\"%s\" takes no such key", word->word);
        }
    }
    return SEGUE_OK;
}

static int32_t want_absent(sim_reader *reader, const sim_wish *it, const char *key, const char *why)
{
    sgi_place place = sgi_place_key(it->place, key);
    return json_object_get(it->object, key) == NULL ? SEGUE_OK
                                                    : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "%s", why);
}

/* The same of a key that the word takes for another way of going, or for several members. */
static int32_t want_heeded(sim_reader *reader, const sim_wish *it, const sim_word *word)
{
    int goes_somehow = is_in(word->takes, "by");
    int32_t status = SEGUE_OK;
    if (goes_somehow && it->by == SIM_DRAIN) {
        status = want_absent(reader, it, "lose_disk", "who is drained keeps its disk; \"by\" another way takes this key");
    } else if (goes_somehow) {
        status = want_absent(reader, it, "timeout_ms", "\"by\": \"drain\" alone takes this key");
    }
    return status != SEGUE_OK || json_object_get(it->object, "members") != NULL
               ? status
               : want_absent(reader, it, "stagger_ms", "it is between several; \"members\" is needed for it");
}

/* What begins behind the end of the run never happens. */
static int32_t want_in_time(sim_reader *reader, const sim_wish *it)
{
    int64_t last_us = it->member_count > 1 ? sim_later(it->at_us, it->stagger_us, it->member_count - 1) : it->at_us;
    sgi_place place = sgi_place_key(it->place, it->at_us > reader->until_us ? "at_ms" : "stagger_ms");
    return last_us <= reader->until_us ? SEGUE_OK
                                       : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place,
                                                      "behind the scenario's until_ms: it would never happen");
}

static int32_t read_wish(sim_reader *reader, sim_wish *it)
{
    const sim_word *word = NULL;
    int32_t status = find_word(reader, it, &word);
    if (word == NULL) {
        return status;
    }
    status = want_key(reader, it, word);
    status = status == SEGUE_OK ? want_no_other(reader, it, word) : status;
    status = status == SEGUE_OK ? read_times(reader, it) : status;
    status = status == SEGUE_OK ? read_by(reader, it) : status;
    status = status == SEGUE_OK ? want_heeded(reader, it, word) : status;
    status = status == SEGUE_OK ? read_rest(reader, it) : status;
    status = status == SEGUE_OK ? read_members(reader, it, word->may_be_all) : status;
    status = status == SEGUE_OK ? want_in_time(reader, it) : status;
    return status == SEGUE_OK ? sim_write_deeds(reader, it, word) : status;
}

static int32_t read_action(sim_reader *reader, const sgi_place *place, json_t *object)
{
    sim_wish it = {.place = place, .object = object, .timeout_us = -1, .times = 1, .by = SIM_CLOSE};
    it.until_us = SIM_US_MOST;
    int32_t status = sgi_want_object(&reader->complaint, place, object, action_keys);
    status = status == SEGUE_OK ? read_wish(reader, &it) : status;
    free(it.members);
    return status;
}

/* By time, and at one time in the document's order. */
static int compare_actions(const void *a, const void *b)
{
    const sim_action *left = a;
    const sim_action *right = b;
    return left->at_us != right->at_us ? (left->at_us > right->at_us ? 1 : -1)
                                       : (left->order > right->order) - (left->order < right->order);
}

/* Who is told to start before anything else happens to it is not there at the beginning. */
static int32_t find_absent(sim_reader *reader)
{
    sim_scenario *scenario = reader->scenario;
    uint32_t count = segue_document_group(scenario->group)->member_count;
    uint8_t *is_seen = calloc(count + 1, 1);
    scenario->is_absent = calloc(count + 1, 1);
    if (scenario->is_absent == NULL || is_seen == NULL) {
        free(is_seen);
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < scenario->action_count; i++) {
        const sim_action *action = &scenario->actions[i];
        int says = action->deed != SIM_DISK && !is_seen[action->member];
        scenario->is_absent[action->member] |= says && action->deed == SIM_START;
        is_seen[action->member] |= action->deed != SIM_DISK;
    }
    free(is_seen);
    return SEGUE_OK;
}

int32_t sim_read_actions(sim_reader *reader, json_t *list)
{
    sgi_place place = sgi_place_key(NULL, "actions");
    int32_t status = list == NULL ? SEGUE_OK : sgi_want_list(&reader->complaint, &place, list);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(list); i++) {
        sgi_place at = sgi_place_row(&place, i);
        status = read_action(reader, &at, json_array_get(list, i));
    }
    if (status == SEGUE_OK && reader->scenario->action_count > 0) {
        qsort(reader->scenario->actions, reader->scenario->action_count, sizeof(sim_action), compare_actions);
    }
    return status == SEGUE_OK ? find_absent(reader) : status;
}
