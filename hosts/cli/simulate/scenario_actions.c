/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of a scenario. Those that happen again and again, and those left to chance, are written out here. */
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "scenario_reader.h"

enum { TIMES_MOST = 1000000 };

static const char *const action_keys[] = {"at_ms",    "do",    "member", "members",    "stagger_ms", "timeout_ms",
                                          "away_ms",  "by",    "up_ms",  "every_ms",   "times",      "until_ms",
                                          "lose_disk", "back_after_ms", "restore_bytes_per_s", NULL};

/* One action of the document with everything that one can have; what is absent has the value here. */
typedef struct wish {
    const sgi_place *place;
    const json_t *object;
    int64_t at_us, stagger_us, timeout_us, away_us, up_us, every_us, until_us, back_after_us, times;
    double restore_bytes_per_s;
    uint32_t by; /* how it goes: close, leave, crash or drain */
    uint8_t loses_disk;
    uint32_t *members;
    uint32_t member_count;
} wish;

static int32_t add(sim_reader *reader, int64_t at_us, uint32_t member, uint32_t deed, int64_t number)
{
    sim_scenario *scenario = reader->scenario;
    sgi_place place = sgi_place_key(NULL, "actions");
    if (scenario->action_count == SIM_ACTIONS_MOST) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "more than %d single actions come of it",
                            SIM_ACTIONS_MOST);
    }
    if (at_us > SIM_US_MOST) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "one of them happens after more than a year");
    }
    if (scenario->action_count == reader->action_room) {
        uint32_t room = reader->action_room == 0 ? 64 : reader->action_room * 2;
        sim_action *grown = realloc(scenario->actions, room * sizeof *grown);
        if (grown == NULL) {
            return sgi_complain_memory(&reader->complaint);
        }
        scenario->actions = grown;
        reader->action_room = room;
    }
    scenario->actions[scenario->action_count] = (sim_action){at_us, number, member, deed, scenario->action_count, 0};
    scenario->action_count++;
    return SEGUE_OK;
}

/* `times` steps later, or just beyond the end of all times. */
static int64_t later(int64_t at_us, int64_t step_us, int64_t times)
{
    int64_t most = SIM_US_MOST + 1 - at_us;
    return step_us > 0 && times > most / step_us ? SIM_US_MOST + 1 : at_us + step_us * times;
}

static int32_t add_going(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    int64_t number = it->by == SIM_DRAIN ? it->timeout_us : it->loses_disk;
    return add(reader, at_us, member, it->by, number);
}

/* ---- what each word becomes, for one member ---------------------------------------------------------------------- */

typedef int32_t (*writer)(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member);

static int32_t write_start(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    (void)it;
    return add(reader, at_us, member, SIM_START, 0);
}

static int32_t write_close(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_CLOSE, it->loses_disk);
}

static int32_t write_leave(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_LEAVE, it->loses_disk);
}

static int32_t write_crash(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_CRASH, it->loses_disk);
}

static int32_t write_drain(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_DRAIN, it->timeout_us);
}

static int32_t write_cancel(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    (void)it;
    return add(reader, at_us, member, SIM_CANCEL, 0);
}

static int32_t write_disk(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    return add(reader, at_us, member, SIM_DISK, (int64_t)it->restore_bytes_per_s);
}

static int32_t write_restart(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    int32_t status = add_going(reader, it, at_us, member);
    return status == SEGUE_OK ? add(reader, at_us + it->away_us, member, SIM_START, 0) : status;
}

static int32_t write_flap(sim_reader *reader, const wish *it, int64_t at_us, uint32_t member)
{
    int32_t status = SEGUE_OK;
    for (int64_t i = 0; status == SEGUE_OK && i < it->times; i++) {
        int64_t up_us = later(at_us, it->every_us, i);
        status = add(reader, up_us, member, SIM_START, 0);
        status = status == SEGUE_OK ? add_going(reader, it, up_us + it->up_us, member) : status;
    }
    return status;
}

/* ---- what is left to chance -------------------------------------------------------------------------------------- */

/* One of the members at a time, at distances from 0 to twice the mean; who is away is not chosen again. */
static int32_t write_kills(sim_reader *reader, const wish *it)
{
    if (it->until_us / (it->every_us + 1) > SIM_ACTIONS_MOST) {
        sgi_place place = sgi_place_key(it->place, "every_ms");
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place,
                            "too short for the time until until_ms: more than %d come of it", SIM_ACTIONS_MOST);
    }
    int64_t *back_us = calloc(it->member_count, sizeof *back_us);
    int32_t status = back_us == NULL ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
    for (int64_t at_us = it->at_us; status == SEGUE_OK;) {
        at_us += 1 + (int64_t)(sim_draw_part(&reader->chance) * 2 * (double)it->every_us);
        uint32_t chosen = (uint32_t)sim_draw_below(&reader->chance, it->member_count);
        if (at_us >= it->until_us) {
            break;
        }
        if (back_us[chosen] > at_us) {
            continue;
        }
        back_us[chosen] = at_us + it->back_after_us + 1;
        status = add_going(reader, it, at_us, it->members[chosen]);
        status = status == SEGUE_OK ? add(reader, at_us + it->back_after_us, it->members[chosen], SIM_START, 0) : status;
    }
    free(back_us);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct word {
    const char *word;
    writer write;      /* NULL: kills */
    const char *needs; /* the key without which the word means nothing, or NULL */
} words[] = {
    {"start", write_start, NULL},     {"close", write_close, NULL},
    {"leave", write_leave, NULL},     {"crash", write_crash, NULL},
    {"drain", write_drain, NULL},     {"cancel", write_cancel, NULL},
    {"disk", write_disk, "restore_bytes_per_s"}, {"restart", write_restart, "away_ms"},
    {"flap", write_flap, "every_ms"}, {"kills", NULL, "until_ms"},
};

enum { WORDS = sizeof words / sizeof words[0] };

static int32_t find_word(sim_reader *reader, const wish *it, const struct word **found)
{
    sgi_place place = sgi_place_key(it->place, "do");
    const char *text = NULL;
    int32_t status = sgi_want_text(&reader->complaint, &place, json_object_get(it->object, "do"), &text);
    for (int i = 0; status == SEGUE_OK && i < WORDS; i++) {
        if (strcmp(words[i].word, text) == 0) {
            *found = &words[i];
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

static int32_t note_member(sim_reader *reader, const sgi_place *place, const json_t *value, wish *it)
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

static int32_t note_all(sim_reader *reader, wish *it)
{
    const segue_group *group = segue_document_group(reader->scenario->group);
    for (uint32_t member = 0; member < group->member_count; member++) {
        it->members[it->member_count++] = member;
    }
    sgi_place place = sgi_place_key(it->place, "member");
    return it->member_count > 0 ? SEGUE_OK
                                : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "the group has no members");
}

static int32_t note_list(sim_reader *reader, const json_t *list, wish *it)
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
static int32_t read_members(sim_reader *reader, wish *it, int may_be_all)
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

static int32_t read_by(sim_reader *reader, wish *it)
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

static int32_t read_times(sim_reader *reader, wish *it)
{
    struct {
        const char *key;
        int64_t *us;
    } const rows[] = {{"at_ms", &it->at_us},         {"stagger_ms", &it->stagger_us}, {"timeout_ms", &it->timeout_us},
                      {"away_ms", &it->away_us},     {"up_ms", &it->up_us},           {"every_ms", &it->every_us},
                      {"until_ms", &it->until_us},   {"back_after_ms", &it->back_after_us}};
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

static int32_t read_rest(sim_reader *reader, wish *it)
{
    const json_t *lost = json_object_get(it->object, "lose_disk");
    sgi_place at_lost = sgi_place_key(it->place, "lose_disk");
    int32_t status = lost == NULL ? SEGUE_OK : sgi_want_flag(&reader->complaint, &at_lost, lost, &it->loses_disk);
    return status == SEGUE_OK ? sim_read_positive(reader, it->place, it->object, "restore_bytes_per_s",
                                                  SIM_BYTES_PER_S_MOST, &it->restore_bytes_per_s)
                              : status;
}

static int32_t want_key(sim_reader *reader, const wish *it, const struct word *word)
{
    if (word->needs == NULL || json_object_get(it->object, word->needs) != NULL) {
        return SEGUE_OK;
    }
    sgi_place place = sgi_place_key(it->place, word->needs);
    return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &place, "missing; \"%s\" needs it", word->word);
}

static int32_t write_out(sim_reader *reader, const wish *it, const struct word *word)
{
    if (word->write == NULL) {
        return write_kills(reader, it);
    }
    int32_t status = SEGUE_OK;
    for (uint32_t i = 0; status == SEGUE_OK && i < it->member_count; i++) {
        status = word->write(reader, it, later(it->at_us, it->stagger_us, i), it->members[i]);
    }
    return status;
}

static int32_t read_wish(sim_reader *reader, wish *it)
{
    const struct word *word = NULL;
    int32_t status = find_word(reader, it, &word);
    status = status == SEGUE_OK ? want_key(reader, it, word) : status;
    status = status == SEGUE_OK ? read_times(reader, it) : status;
    status = status == SEGUE_OK ? read_by(reader, it) : status;
    status = status == SEGUE_OK ? read_rest(reader, it) : status;
    status = status == SEGUE_OK ? read_members(reader, it, word->write == NULL) : status;
    return status == SEGUE_OK ? write_out(reader, it, word) : status;
}

static int32_t read_action(sim_reader *reader, const sgi_place *place, json_t *object)
{
    wish it = {.place = place, .object = object, .timeout_us = -1, .times = 1, .by = SIM_CLOSE};
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
