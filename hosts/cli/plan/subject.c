/* SPDX-License-Identifier: Apache-2.0 */
#include "subject.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "what_if.h"
#ifdef SEGUE_KAFKA
#include "kafka/member.h"
#endif

enum { LIST_ROOM = 1024, ITEM_MOST = 256 };

static int no_memory(void)
{
    cli_complain("plan: no memory is left");
    return CLI_INPUT;
}

static int begin(subject *it, const char *assignor, int64_t seen_ms)
{
    it->groups = json_array();
    it->labels = json_object();
    it->removed = json_object();
    it->assignor = strdup(assignor);
    it->seen_ms = seen_ms;
    return it->groups != NULL && it->labels != NULL && it->removed != NULL && it->assignor != NULL ? CLI_OK : no_memory();
}

/* Puts a group behind those that are there; `plan`: as it is after that, NULL: as it is. */
static int take(subject *it, const segue_group *columns, const segue_config *config, const segue_plan *plan)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    json_t *group = what_if_group(columns, config, &error);
    if (group == NULL) {
        return cli_fault(&error);
    }
    int failed = plan != NULL && what_if_planned(group, columns, plan) != 0;
    return json_array_append_new(it->groups, group) != 0 || failed ? no_memory() : CLI_OK;
}

int subject_read_document(subject *it, const char *file)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    segue_document *document = NULL;
    char *text = NULL;
    size_t size = 0;
    int status = begin(it, "learner", COURSE_UNKNOWN);
    status = status == CLI_OK ? cli_read_file(file, &text, &size) : status;
    if (status == CLI_OK && segue_document_read(text, size, cli_source(file), &document, &error) != SEGUE_OK) {
        status = cli_fault(&error);
    }
    if (status == CLI_OK) {
        status = take(it, segue_document_group(document), segue_document_config(document), NULL);
    }
    segue_document_free(document);
    free(text);
    return status;
}

#ifdef SEGUE_KAFKA
static const char *server_of(const cli_instance *instance)
{
    return instance->presence.application_server;
}

/* Whether the instance has a name of that kind, and nobody else has the same. */
static int is_own(const cli_fleet *fleet, const cli_instance *instance, const char *(*name)(const cli_instance *))
{
    int is_shared = name(instance)[0] == '\0';
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *other = &fleet->rows[i];
        is_shared |= other != instance && cli_instance_lives(other) && strcmp(name(other), name(instance)) == 0;
    }
    return !is_shared;
}

/* Faust gives all workers one client id. */
static const char *own_name(const cli_fleet *fleet, const cli_instance *instance)
{
    return is_own(fleet, instance, cli_instance_name) ? cli_instance_name(instance)
           : is_own(fleet, instance, server_of)       ? server_of(instance)
                                                      : instance->id;
}

static void label(subject *it)
{
    const cli_fleet *fleet = &it->session.fleet;
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *instance = &fleet->rows[i];
        if (cli_instance_lives(instance)) {
            json_object_set_new(it->labels, instance->id,
                                json_pack("{s:s, s:s}", "client_id", cli_instance_name(instance), "name",
                                          own_name(fleet, instance)));
        }
    }
}

int subject_read_live(subject *it, const cli_command *command, const cli_live_source *source)
{
    cli_rebalance last;
    int status = cli_live_read(command, source, &it->session, &last);
    status = status == CLI_OK ? begin(it, last.frames[0].assignor, last.frames[0].head.wall_ms) : status;
    for (size_t at = 0; status == CLI_OK && at < last.count; at++) {
        const frame *one = &last.frames[at];
        status = take(it, &one->group, &one->config, &one->plan);
    }
    if (status == CLI_OK) {
        label(it);
    }
    cli_rebalance_free(&last);
    return status;
}
#endif

/* ---- names --------------------------------------------------------------------------------------------------------- */

/* By what the member that is meant is known: by its own name, or as the fleet calls it. */
static int find_member(const subject *it, const char *option, const char *name, const char **known_as)
{
    *known_as = name;
#ifdef SEGUE_KAFKA
    const cli_instance *found = NULL;
    char list[LIST_ROOM];
    cli_found how = it->session.fleet.count == 0 || what_if_find(it->groups, name) != NULL
                        ? CLI_FOUND_NONE
                        : cli_member_find(&it->session.fleet, name, &found, list, sizeof list);
    if (how == CLI_FOUND_SEVERAL) {
        cli_complain("plan: %s: \"%s\" may mean %s", option, name, list);
        return CLI_NO_MEMBER;
    }
    *known_as = how == CLI_FOUND_ONE ? found->id : name;
#else
    (void)it;
    (void)option;
#endif
    return CLI_OK;
}

static const char *name_of(const subject *it, const json_t *member)
{
    const json_t *label = json_object_get(it->labels, what_if_known_as(member));
    const char *text = json_string_value(json_object_get(label, "name"));
    return text != NULL ? text : json_string_value(json_object_get(member, "id"));
}

/* "orders-1, orders-2", cut where it gets long. */
typedef struct names {
    char text[LIST_ROOM];
    size_t used;
} names;

__attribute__((format(printf, 2, 3))) static void append(names *list, const char *format, ...)
{
    char item[ITEM_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item, sizeof item, format, arguments);
    va_end(arguments);
    size_t rest = sizeof list->text - list->used;
    int wrote = snprintf(list->text + list->used, rest, "%s%s", list->used > 0 ? ", " : "", item);
    list->used = wrote < 0 || (size_t)wrote >= rest ? sizeof list->text - 1 : list->used + (size_t)wrote;
}

static void list_members(const subject *it, names *list)
{
    json_t *members = what_if_members(it->groups);
    for (size_t at = 0; at < json_array_size(members); at++) {
        append(list, "%s", name_of(it, json_array_get(members, at)));
    }
    json_decref(members);
}

static int complain_of(const subject *it, const char *option, const char *name)
{
    names list = {0};
    list_members(it, &list);
    cli_complain("plan: %s: the group has no member \"%s\"; there are %s", option, name, list.text);
    return CLI_NO_MEMBER;
}

/* ---- what is supposed ---------------------------------------------------------------------------------------------- */

static size_t count_tasks(const json_t *groups, const json_t *rows)
{
    size_t count = 0;
    for (size_t at = 0; at < json_array_size(rows); at++) {
        size_t row = (size_t)json_integer_value(json_array_get(rows, at));
        count += json_array_size(json_object_get(json_array_get(groups, row), "tasks"));
    }
    return count;
}

static int is_in(const json_t *list, const json_t *value)
{
    size_t at = 0;
    while (at < json_array_size(list) && !json_equal(json_array_get(list, at), value)) {
        at++;
    }
    return at < json_array_size(list);
}

/* Names one member of each kind, with the number of tasks that it may get. */
static int complain_of_kinds(const subject *it)
{
    names list = {0};
    json_t *kinds = json_array();
    json_t *members = what_if_members(it->groups);
    for (size_t at = 0; at < json_array_size(members); at++) {
        const json_t *member = json_array_get(members, at);
        json_t *rows = what_if_rows(it->groups, member);
        if (!is_in(kinds, rows)) {
            append(&list, "%s (%zu tasks)", name_of(it, member), count_tasks(it->groups, rows));
            json_array_append(kinds, rows);
        }
        json_decref(rows);
    }
    json_decref(members);
    json_decref(kinds);
    cli_complain("plan: --add: members read different topics: --like MEMBER says what newcomers read; there are members "
                 "like %s",
                 list.text);
    return CLI_NO_MEMBER;
}

int subject_add(subject *it, int64_t count, const char *like, int64_t threads)
{
    const char *known_as = NULL;
    const json_t *member = NULL;
    int status = like == NULL ? CLI_OK : find_member(it, "--like", like, &known_as);
    if (status == CLI_OK && like != NULL) {
        member = what_if_find(it->groups, known_as);
        status = member != NULL ? CLI_OK : complain_of(it, "--like", like);
    }
    if (status != CLI_OK) {
        return status;
    }
    json_t *rows = what_if_rows(it->groups, member);
    if (rows == NULL) {
        return complain_of_kinds(it);
    }
    what_if_add(it->groups, rows, count, threads < 0 && member != NULL ? what_if_threads(member) : threads);
    json_decref(rows);
    return CLI_OK;
}

/* Notes who is called so; returns whether all of them, or this name, were noted before. */
static int note_removed(subject *it, const char *known_as)
{
    int is_new = json_object_get(it->removed, known_as) == NULL;
    int has_others = 0;
    json_t *called = what_if_called(it->groups, known_as);
    for (size_t at = 0; at < json_array_size(called); at++) {
        const char *id = json_string_value(json_array_get(called, at));
        has_others |= json_object_get(it->removed, id) == NULL;
        json_object_set_new(it->removed, id, json_true());
    }
    is_new = is_new && (has_others || json_array_size(called) == 0);
    if (json_array_size(called) > 0) {
        json_object_set_new(it->removed, known_as, json_true());
    }
    json_decref(called);
    return !is_new;
}

int subject_remove(subject *it, const char *name, int heeds_marks)
{
    const char *known_as = NULL;
    int status = find_member(it, "--remove", name, &known_as);
    if (status == CLI_OK && note_removed(it, known_as)) {
        cli_complain("plan: --remove: \"%s\" is given twice", name);
        return CLI_USAGE;
    }
    if (status != CLI_OK || what_if_remove(it->groups, known_as, heeds_marks)) {
        return status;
    }
    if (what_if_find(it->groups, known_as) == NULL) {
        return complain_of(it, "--remove", name);
    }
    names list = {0};
    list_members(it, &list);
    cli_complain("plan: --remove: without \"%s\" nobody would be left; there is %s", name, list.text);
    return CLI_NO_MEMBER;
}

void subject_close(subject *it)
{
    json_decref(it->groups);
    json_decref(it->labels);
    json_decref(it->removed);
    free(it->assignor);
#ifdef SEGUE_KAFKA
    cli_session_close(&it->session);
#endif
}
