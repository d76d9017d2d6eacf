/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

enum { CUT_ROOM = 48 };

__attribute__((format(printf, 2, 3))) static const char *say(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, LINES_WORD_ROOM, format, arguments);
    va_end(arguments);
    sgi_clean_line(why);
    return why;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

typedef struct field {
    const char *key;
    int (*fits)(const json_t *value);
    const char *needed;
} field;

static int is_text(const json_t *value)
{
    return json_is_string(value);
}

static int is_flag(const json_t *value)
{
    return json_is_boolean(value);
}

static int is_amount(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= 0;
}

/* Greater ones are not told apart by what draws them. */
static int is_time(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= INT64_C(9007199254740992);
}

static int is_role(const json_t *value)
{
    static const char *const roles[] = {"active", "standby", "learner", "dormant", "none"};
    for (size_t i = 0; json_is_string(value) && i < sizeof roles / sizeof roles[0]; i++) {
        if (strcmp(json_string_value(value), roles[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

#define AMOUNT "a number >= 0"

static const field of_head[] = {
    {"name", is_text, "a text"},
    {"source", is_text, "a text"},
    {"assignor", is_text, "a text"},
    {"mode", is_text, "a text"},
    {"lag_unit", is_text, "a text"},
    {"seed", is_amount, AMOUNT},
    {"seeds", is_amount, AMOUNT},
    {"standbys", is_amount, AMOUNT},
    {"acceptable_bytes", is_amount, AMOUNT},
    {"until_us", is_amount, AMOUNT},
    {"began_ms", is_amount, AMOUNT},
    {NULL, NULL, NULL},
};

static const field of_task[] = {
    {"id", is_text, "a text"},
    {"stateful", is_flag, "true or false"},
    {"state_bytes", is_amount, AMOUNT},
    {NULL, NULL, NULL},
};

static const field of_member[] = {
    {"id", is_text, "a text"},
    {"threads", is_amount, AMOUNT},
    {NULL, NULL, NULL},
};

static const field of_event[] = {
    {"at_us", is_time, "a whole number of microseconds from 0 to 2^53"},
    {"event", is_text, "a text"},
    {"lag_bytes", is_amount, AMOUNT},
    {"bytes", is_amount, AMOUNT},
    {"bytes_per_s", is_amount, AMOUNT},
    {"deadline_us", is_amount, AMOUNT},
    {"moves", is_amount, AMOUNT},
    {"min_moves", is_amount, AMOUNT},
    {"learners", is_amount, AMOUNT},
    {"members", is_amount, AMOUNT},
    {"held_back", is_amount, AMOUNT},
    {"fallback", is_flag, "true or false"},
    {"role", is_role, "active, standby, learner, dormant or none"},
    {"disk", is_text, "a text"},
    {"cause", is_text, "a text"},
    {"from", is_text, "a text"},
    {"to", is_text, "a text"},
    {"kind", is_text, "a text"},
    {"reason", is_text, "a text"},
    {"text", is_text, "a text"},
    {NULL, NULL, NULL},
};

/* What is there has to fit. */
static const char *judge_fields(const json_t *object, const field *fields, const char *where, char *why)
{
    for (; fields->key != NULL; fields++) {
        const json_t *value = json_object_get(object, fields->key);
        if (value != NULL && !fields->fits(value)) {
            return say(why, "%s%s: %s is needed", where, fields->key, fields->needed);
        }
    }
    return NULL;
}

static const char *find_missing(const json_t *object, const field *fields)
{
    while (fields->key != NULL && json_object_get(object, fields->key) != NULL) {
        fields++;
    }
    return fields->key;
}

/* ---- heads --------------------------------------------------------------------------------------------------------- */

/* Takes the ids of a list of tasks or members. Each has to have all of its fields, and an id of its own. */
static const char *take_ids(const json_t *list, const field *fields, const char *what, json_t *ids, char *why)
{
    for (size_t at = 0; at < json_array_size(list); at++) {
        char where[CUT_ROOM];
        const json_t *one = json_array_get(list, at);
        snprintf(where, sizeof where, "%s[%zu].", what, at);
        const char *missing = json_is_object(one) ? find_missing(one, fields) : "id";
        if (missing != NULL) {
            return say(why, "%s%s: missing", where, missing);
        }
        const char *wrong = judge_fields(one, fields, where, why);
        if (wrong != NULL) {
            return wrong;
        }
        const char *id = json_string_value(json_object_get(one, "id"));
        if (json_object_get(ids, id) != NULL) {
            return say(why, "%sid: it is there twice", where);
        }
        json_object_set_new(ids, id, json_true());
    }
    return NULL;
}

static int is_head(const json_t *row)
{
    const char *version = json_string_value(json_object_get(row, "segue"));
    return version != NULL && strcmp(version, "events/1") == 0 && json_is_array(json_object_get(row, "tasks")) &&
           json_is_array(json_object_get(row, "members")) && json_is_string(json_object_get(row, "assignor"));
}

static const char *judge_head(lines_run *run, const json_t *head, char *why)
{
    lines_close(run);
    *run = (lines_run){json_object(), json_object(), 0};
    const char *wrong = judge_fields(head, of_head, "", why);
    wrong = wrong != NULL ? wrong : take_ids(json_object_get(head, "tasks"), of_task, "tasks", run->tasks, why);
    return wrong != NULL ? wrong : take_ids(json_object_get(head, "members"), of_member, "members", run->members, why);
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

/* The words, and what each has to be about. */
static const struct kind {
    const char *word;
    int has_task, has_member;
    const char *takes; /* one more key that has to be there; NULL */
} kinds[] = {
    {"up", 0, 1, NULL},       {"down", 0, 1, NULL},      {"join", 0, 1, NULL},         {"gone", 0, 1, NULL},
    {"mark", 0, 1, NULL},     {"unmark", 0, 1, NULL},    {"disk", 0, 1, "bytes_per_s"}, {"rebalance", 0, 0, NULL},
    {"decision", 1, 0, NULL}, {"role", 1, 1, "role"},    {"restored", 1, 1, "bytes"},  {"ready", 1, 1, NULL},
    {"whole", 1, 1, NULL},    {"lag", 1, 1, "lag_bytes"}, {"run", 1, 1, NULL},          {"stop", 1, 1, NULL},
    {"end", 0, 0, NULL},
};

static const struct kind *find_kind(const char *word)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].word, word) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static const char *judge_name(const json_t *event, const char *key, const json_t *names, char *why)
{
    const json_t *value = json_object_get(event, key);
    const char *name = json_string_value(value);
    if (name == NULL) {
        return say(why, "%s: %s", key, value == NULL ? "missing" : "a text is needed");
    }
    return json_object_get(names, name) != NULL ? NULL : say(why, "%s: the head names no \"%.100s\"", key, name);
}

static const char *judge_event(lines_run *run, const json_t *event, char *why)
{
    const json_t *at = json_object_get(event, "at_us");
    const char *word = json_string_value(json_object_get(event, "event"));
    if (word == NULL || !json_is_integer(at)) {
        return say(why, "an event needs \"event\" and \"at_us\"");
    }
    const struct kind *kind = find_kind(word);
    if (kind == NULL) {
        return say(why, "event: \"%.100s\" is no event", word);
    }
    const char *wrong = judge_fields(event, of_event, "", why);
    if (wrong == NULL && json_integer_value(at) < run->at_us) {
        return say(why, "at_us: %lld is before %lld of the line above", (long long)json_integer_value(at),
                   (long long)run->at_us);
    }
    wrong = wrong == NULL && kind->has_task ? judge_name(event, "task", run->tasks, why) : wrong;
    wrong = wrong == NULL && kind->has_member ? judge_name(event, "member", run->members, why) : wrong;
    if (wrong == NULL && kind->takes != NULL && json_object_get(event, kind->takes) == NULL) {
        wrong = say(why, "%s: missing", kind->takes);
    }
    run->at_us = json_integer_value(at);
    return wrong;
}

const char *lines_judge(lines_run *run, const char *line, size_t size, char why[LINES_WORD_ROOM])
{
    json_error_t error;
    json_t *row = json_loadb(line, size, 0, &error);
    const char *wrong = NULL;
    if (row == NULL) {
        wrong = say(why, "this is no JSON: %.100s", error.text);
    } else if (is_head(row)) {
        wrong = judge_head(run, row, why);
    } else if (run->tasks == NULL || json_object_get(row, "segue") != NULL) {
        wrong = say(why, "no head of a file of events (\"segue\": \"events/1\", with tasks, members and assignor)");
    } else {
        wrong = judge_event(run, row, why);
    }
    json_decref(row);
    return wrong;
}

void lines_close(lines_run *run)
{
    json_decref(run->tasks);
    json_decref(run->members);
    *run = (lines_run){0};
}
