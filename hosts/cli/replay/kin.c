/* SPDX-License-Identifier: Apache-2.0 */
#include "kin.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"
#include "group.h"

/* Steps that share members and tasks. One that was found to be another's too has its number as `root`. */
typedef struct clan {
    json_t *members, *tasks; /* sets of names */
    uint32_t root, first, last, number;
} clan;

struct kin {
    clan *clans;
    uint32_t *steps; /* the clan of each */
    uint32_t clan_count, clan_room, step_count, step_room;
    json_t *of_member; /* name: the clans that it was seen in */
};

static uint32_t root_of(const kin *it, uint32_t at)
{
    while (it->clans[at].root != at) {
        at = it->clans[at].root;
    }
    return at;
}

/* A name of the group as a C string, in `room`, which the caller frees behind the last. NULL without memory. */
static const char *name_at(const segue_group *group, uint32_t string, char **room)
{
    sgi_text text = sgi_string(group, string);
    free(*room);
    *room = strndup(text.bytes, text.length);
    return *room;
}

static int add_all(json_t *set, const segue_group *group, const uint32_t *names, uint32_t count)
{
    char *room = NULL;
    int failed = 0;
    for (uint32_t i = 0; !failed && i < count; i++) {
        const char *name = name_at(group, names[i], &room);
        failed = name == NULL || json_object_set_new(set, name, json_true()) != 0;
    }
    free(room);
    return failed ? -1 : 0;
}

static int has_any(const json_t *set, const segue_group *group, const uint32_t *names, uint32_t count)
{
    char *room = NULL;
    int found = 0;
    for (uint32_t i = 0; !found && i < count; i++) {
        const char *name = name_at(group, names[i], &room);
        found = name != NULL && json_object_get(set, name) != NULL;
    }
    free(room);
    return found;
}

static int sets_meet(json_t *a, json_t *b)
{
    const char *name;
    json_t *value;
    json_object_foreach (a, name, value) {
        if (json_object_get(b, name) != NULL) {
            return 1;
        }
    }
    return 0;
}

static clan *add_clan(kin *it)
{
    if (cast_grow((void **)&it->clans, &it->clan_room, it->clan_count + 1, sizeof *it->clans) != 0) {
        return NULL;
    }
    clan *one = &it->clans[it->clan_count];
    *one = (clan){.members = json_object(), .tasks = json_object(), .root = it->clan_count, .first = it->step_count};
    it->clan_count++;
    return one->members == NULL || one->tasks == NULL ? NULL : one;
}

/* `from` and `into` are one from now on; who came first keeps the number. */
static uint32_t unite(kin *it, uint32_t from, uint32_t into)
{
    uint32_t elder = from < into ? from : into;
    clan *one = &it->clans[from < into ? into : from];
    clan *whole = &it->clans[elder];
    if (one == whole) {
        return elder;
    }
    one->root = elder;
    whole->last = one->last > whole->last ? one->last : whole->last;
    json_object_update(whole->members, one->members);
    json_object_update(whole->tasks, one->tasks);
    return elder;
}

/* The clan that a step belongs to by what was seen before it, SEGUE_NONE for none. */
static uint32_t find(kin *it, const segue_group *group)
{
    char *room = NULL;
    uint32_t found = SEGUE_NONE;
    for (uint32_t row = 0; row < group->member_count; row++) {
        const char *name = name_at(group, group->member_name[row], &room);
        json_t *clans = name == NULL ? NULL : json_object_get(it->of_member, name);
        for (size_t i = 0; i < json_array_size(clans); i++) {
            uint32_t one = root_of(it, (uint32_t)json_integer_value(json_array_get(clans, i)));
            if (one == found) {
                continue;
            }
            const json_t *tasks = it->clans[one].tasks;
            if (group->task_count == 0 || json_object_size(tasks) == 0 ||
                has_any(tasks, group, group->task_name, group->task_count)) {
                found = found == SEGUE_NONE ? one : unite(it, one, found);
            }
        }
    }
    free(room);
    return found;
}

/* Notes the clan with each of its members. */
static int note(kin *it, const segue_group *group, uint32_t at)
{
    char *room = NULL;
    int failed = 0;
    for (uint32_t row = 0; !failed && row < group->member_count; row++) {
        const char *name = name_at(group, group->member_name[row], &room);
        if (name != NULL && json_object_get(it->clans[at].members, name) != NULL) {
            continue;
        }
        json_t *clans = name == NULL ? NULL : json_object_get(it->of_member, name);
        if (clans == NULL && name != NULL) {
            clans = json_array();
            failed = json_object_set_new(it->of_member, name, clans) != 0;
        }
        failed |= name == NULL || json_array_append_new(clans, json_integer(at)) != 0;
    }
    free(room);
    return failed ? -1 : 0;
}

int kin_take(kin *it, const segue_group *group)
{
    if (cast_grow((void **)&it->steps, &it->step_room, it->step_count + 1, sizeof *it->steps) != 0) {
        return -1;
    }
    uint32_t at = find(it, group);
    if (at == SEGUE_NONE) {
        at = it->clan_count;
        if (add_clan(it) == NULL) {
            return -1;
        }
    }
    clan *one = &it->clans[at];
    one->last = it->step_count;
    it->steps[it->step_count++] = at;
    return note(it, group, at) != 0 || add_all(one->members, group, group->member_name, group->member_count) != 0 ||
                   add_all(one->tasks, group, group->task_name, group->task_count) != 0
               ? -1
               : 0;
}

/* The one group that had ended before this one began and had a task of its; SEGUE_NONE for none or several. */
static uint32_t find_elder(const kin *it, uint32_t at)
{
    uint32_t found = SEGUE_NONE;
    for (uint32_t i = 0; i < at; i++) {
        if (root_of(it, i) == i && it->clans[i].last < it->clans[at].first && sets_meet(it->clans[at].tasks, it->clans[i].tasks)) {
            if (found != SEGUE_NONE) {
                return SEGUE_NONE;
            }
            found = i;
        }
    }
    return found;
}

uint32_t kin_settle(kin *it)
{
    for (uint32_t at = 0; at < it->clan_count; at++) {
        uint32_t elder = root_of(it, at) == at ? find_elder(it, at) : SEGUE_NONE;
        if (elder != SEGUE_NONE) {
            unite(it, at, elder);
        }
    }
    uint32_t count = 0;
    for (uint32_t at = 0; at < it->clan_count; at++) {
        it->clans[at].number = root_of(it, at) == at ? count++ : it->clans[root_of(it, at)].number;
    }
    return count;
}

uint32_t kin_of(const kin *it, uint32_t step)
{
    return it->clans[it->steps[step]].number;
}

const char *kin_member(const kin *it, uint32_t group)
{
    for (uint32_t at = 0; at < it->clan_count; at++) {
        if (it->clans[at].number == group) {
            return json_object_iter_key(json_object_iter(it->clans[at].members));
        }
    }
    return NULL;
}

kin *kin_open(void)
{
    kin *it = calloc(1, sizeof *it);
    if (it != NULL) {
        it->of_member = json_object();
    }
    return it;
}

void kin_close(kin *it)
{
    if (it == NULL) {
        return;
    }
    for (uint32_t i = 0; i < it->clan_count; i++) {
        json_decref(it->clans[i].members);
        json_decref(it->clans[i].tasks);
    }
    json_decref(it->of_member);
    free(it->clans);
    free(it->steps);
    free(it);
}
