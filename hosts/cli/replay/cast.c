/* SPDX-License-Identifier: Apache-2.0 */
#include "cast.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"

int cast_grow(void **rows, uint32_t *room, uint32_t wanted, size_t size)
{
    if (wanted <= *room) {
        return 0;
    }
    uint32_t larger = wanted * 2;
    char *grown = realloc(*rows, larger * size);
    if (grown == NULL) {
        return -1;
    }
    memset(grown + *room * size, 0, (larger - *room) * size);
    *rows = grown;
    *room = larger;
    return 0;
}

/* Takes the head over, which is NULL without memory; it counts where the name is new. */
static int enter(cast_names *names, uint32_t row, const segue_group *group, uint32_t string, json_t *head)
{
    sgi_text text = sgi_string(group, string);
    char *name = strndup(text.bytes, text.length);
    const json_t *known = name == NULL ? NULL : json_object_get(names->ids, name);
    int failed = name == NULL || head == NULL;
    names->rank[row] = known == NULL ? names->count : (uint32_t)json_integer_value(known);
    if (!failed && known == NULL) {
        failed = json_object_set_new(names->ids, name, json_integer(names->count)) != 0 ||
                 json_array_append(names->heads, head) != 0;
        names->count++;
    }
    json_decref(head);
    free(name);
    return failed ? -1 : 0;
}

static int enter_member(cast *it, const segue_group *group, uint32_t row)
{
    sgi_text name = sgi_string(group, group->member_name[row]);
    return enter(&it->members, row, group, group->member_name[row],
                 json_pack("{s:s%, s:I}", "id", name.bytes, (size_t)name.length, "threads",
                           (json_int_t)group->member_threads[row]));
}

static int enter_task(cast *it, const segue_group *group, uint32_t row)
{
    sgi_text name = sgi_string(group, group->task_name[row]);
    int64_t bytes = group->task_state_bytes == NULL ? 0 : group->task_state_bytes[row];
    return enter(&it->tasks, row, group, group->task_name[row],
                 json_pack("{s:s%, s:b, s:I}", "id", name.bytes, (size_t)name.length, "stateful",
                           (int)group->task_stateful[row], "state_bytes", (json_int_t)(bytes > 0 ? bytes : 0)));
}

int cast_enter(cast *it, const segue_group *group)
{
    int failed = cast_grow((void **)&it->members.rank, &it->members.room, group->member_count + 1, sizeof(uint32_t)) != 0 ||
                 cast_grow((void **)&it->tasks.rank, &it->tasks.room, group->task_count + 1, sizeof(uint32_t)) != 0;
    for (uint32_t row = 0; !failed && row < group->member_count; row++) {
        failed = enter_member(it, group, row) != 0;
    }
    for (uint32_t row = 0; !failed && row < group->task_count; row++) {
        failed = enter_task(it, group, row) != 0;
    }
    return failed ? -1 : 0;
}

const char *cast_name(const cast_names *names, uint32_t number)
{
    return json_string_value(json_object_get(json_array_get(names->heads, number), "id"));
}

static int open_names(cast_names *names)
{
    names->ids = json_object();
    names->heads = json_array();
    return names->ids == NULL || names->heads == NULL ? -1 : 0;
}

int cast_open(cast *it)
{
    *it = (cast){0};
    return open_names(&it->members) != 0 || open_names(&it->tasks) != 0 ? -1 : 0;
}

static void close_names(cast_names *names)
{
    json_decref(names->ids);
    json_decref(names->heads);
    free(names->rank);
}

void cast_close(cast *it)
{
    close_names(&it->members);
    close_names(&it->tasks);
    *it = (cast){0};
}
