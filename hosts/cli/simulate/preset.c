/* SPDX-License-Identifier: Apache-2.0 */
#include "preset.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define GIB INT64_C(1073741824)
#define MIB INT64_C(1048576)

enum { NAME_ROOM = 32 };

static const struct size_row {
    const char *name;
    int64_t tasks, members;
} sizes[] = {{"S", 50, 5}, {"M", 500, 25}, {"L", 5000, 200}, {"XL", 10000, 1000}};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

const char *const sim_size_names[] = {"S", "M", "L", "XL", NULL};

int sim_size(const char *name, sim_preset_shape *shape)
{
    for (int i = 0; i < SIZES; i++) {
        if (strcmp(sizes[i].name, name) == 0) {
            *shape = (sim_preset_shape){sizes[i].tasks, sizes[i].members, 0, GIB, 100 * MIB, 0};
            return 1;
        }
    }
    return 0;
}

static const char *member_name(char *room, int64_t number)
{
    snprintf(room, NAME_ROOM, "m%05" PRId64, number + 1);
    return room;
}

static json_t *names(int64_t from, int64_t to)
{
    char room[NAME_ROOM];
    json_t *list = json_array();
    for (int64_t i = from; i < to; i++) {
        json_array_append_new(list, json_string(member_name(room, i)));
    }
    return list;
}

static void act(json_t *actions, int64_t at_ms, const char *word, int64_t from, int64_t to, json_t *more)
{
    json_t *action = json_pack("{s:I, s:s, s:o}", "at_ms", (json_int_t)at_ms, "do", word, "members", names(from, to));
    json_object_update(action, more);
    json_decref(more);
    json_array_append_new(actions, action);
}

static json_t *with(const char *key, int64_t number)
{
    return json_pack("{s:I}", key, (json_int_t)number);
}

/* ---- one preset each: returns the members beyond the usual ones that it needs ------------------------------------- */

static int64_t write_scale_out(json_t *actions, const sim_preset_shape *shape)
{
    act(actions, MINUTE, "start", shape->members, shape->members + 1, json_object());
    return 1;
}

static int64_t write_double(json_t *actions, const sim_preset_shape *shape)
{
    act(actions, MINUTE, "start", shape->members, shape->members * 2, with("stagger_ms", 2000));
    return shape->members;
}

static int64_t write_scale_in(json_t *actions, const sim_preset_shape *shape)
{
    act(actions, MINUTE, "drain", shape->members - 1, shape->members, json_object());
    return 0;
}

static int64_t write_swap(json_t *actions, const sim_preset_shape *shape)
{
    act(actions, MINUTE, "start", shape->members, shape->members * 2, json_object());
    act(actions, 2 * MINUTE, "drain", 0, shape->members, json_object());
    return shape->members;
}

static int64_t write_rolling_restart(json_t *actions, const sim_preset_shape *shape)
{
    json_t *more = json_pack("{s:I, s:I, s:s}", "stagger_ms", (json_int_t)(5 * MINUTE), "away_ms", (json_int_t)20000, "by",
                             "close");
    act(actions, MINUTE, "restart", 0, shape->members, more);
    return 0;
}

/* Load over a day in three steps: half of the fleet joins in the morning and leaves in the evening, by and by. */
static int64_t write_autoscaler_day(json_t *actions, const sim_preset_shape *shape)
{
    int64_t more = shape->members / 2 > 0 ? shape->members / 2 : 1;
    act(actions, 7 * HOUR, "start", shape->members, shape->members + more, with("stagger_ms", 2 * HOUR / more));
    act(actions, 19 * HOUR, "drain", shape->members, shape->members + more, with("stagger_ms", 2 * HOUR / more));
    return more;
}

static int64_t write_flapping(json_t *actions, const sim_preset_shape *shape)
{
    json_t *more = json_pack("{s:I, s:I, s:I, s:s}", "every_ms", (json_int_t)(10 * MINUTE), "up_ms",
                             (json_int_t)(4 * MINUTE), "times", (json_int_t)20, "by", "drain");
    act(actions, MINUTE, "flap", shape->members, shape->members + 1, more);
    return 1;
}

/* Half as long again as one member more takes to replay its share, as `segue plan` tells it, and ten minutes at least. */
static int64_t cooldown_of(const sim_preset_shape *shape)
{
    double bytes = (double)shape->tasks / (double)(shape->members + 1) * (double)shape->state_bytes;
    double ms = 1.5 * 1000 * bytes / (double)shape->restore_bytes_per_s;
    return ms > 10 * MINUTE ? (int64_t)ms : 10 * MINUTE;
}

/* The load crosses a threshold every few minutes; whoever scales waits between two changes. */
static int64_t write_nervous_autoscaler(json_t *actions, const sim_preset_shape *shape)
{
    json_t *more = json_pack("{s:I, s:I, s:I, s:s, s:I}", "every_ms", (json_int_t)(4 * MINUTE), "up_ms",
                             (json_int_t)(2 * MINUTE + MINUTE / 2), "times", (json_int_t)120, "by", "drain", "cooldown_ms",
                             (json_int_t)cooldown_of(shape));
    act(actions, MINUTE, "flap", shape->members, shape->members + 1, more);
    return 1;
}

static int64_t write_spot_kills(json_t *actions, const sim_preset_shape *shape)
{
    json_t *more = json_pack("{s:I, s:I, s:I, s:s, s:b}", "every_ms", (json_int_t)(30 * MINUTE), "until_ms",
                             (json_int_t)(12 * HOUR), "back_after_ms", (json_int_t)(3 * MINUTE), "by", "crash",
                             "lose_disk", 1);
    act(actions, MINUTE, "kills", 0, shape->members, more);
    return 0;
}

static int64_t write_crash_loop(json_t *actions, const sim_preset_shape *shape)
{
    json_t *more = json_pack("{s:I, s:I, s:I, s:s}", "every_ms", (json_int_t)(2 * MINUTE), "up_ms", (json_int_t)45000,
                             "times", (json_int_t)30, "by", "crash");
    act(actions, MINUTE, "flap", shape->members, shape->members + 1, more);
    return 1;
}

const sim_preset sim_presets[] = {
    {"scale-out", "one member more"},
    {"double", "as many again, two seconds apart"},
    {"scale-in", "one member is drained"},
    {"swap", "new members for all old ones, which are drained"},
    {"rolling-restart", "every member restarts, five minutes apart, away for 20 seconds"},
    {"autoscaler-day", "half as many again join from 7 to 9 and are drained from 19 to 21 o'clock"},
    {"flapping", "a member joins for 4 minutes, every 10 minutes, 20 times"},
    {"nervous-autoscaler", "a member is wanted for 2.5 of every 4 minutes, 120 times; changes are 1.5 restores apart, and 10 minutes at least"},
    {"spot-kills", "some member dies every half hour or so for 12 hours, and its disk with it"},
    {"crash-loop", "a new member dies 45 seconds after each start, 30 times"},
    {NULL, NULL},
};

static int64_t (*const writers[])(json_t *, const sim_preset_shape *) = {
    write_scale_out,      write_double,   write_scale_in,   write_swap,      write_rolling_restart,
    write_autoscaler_day, write_flapping, write_nervous_autoscaler, write_spot_kills, write_crash_loop};

static json_t *write_group(const sim_preset_shape *shape, int64_t members)
{
    char room[NAME_ROOM];
    json_t *rows = json_array();
    for (int64_t i = 0; i < members; i++) {
        json_array_append_new(rows, json_pack("{s:s}", "id", member_name(room, i)));
    }
    return json_pack("{s:s, s:{s:I}, s:[{s:i, s:I, s:I}], s:o}", "segue", "group/1", "config", "num.standby.replicas",
                     (json_int_t)shape->standbys, "subtopologies", "id", 0, "partitions", (json_int_t)shape->tasks,
                     "state_bytes", (json_int_t)shape->state_bytes, "members", rows);
}

static char *write_document(const char *name, const sim_preset_shape *shape,
                            int64_t (*write)(json_t *, const sim_preset_shape *), size_t *size)
{
    json_t *actions = json_array();
    int64_t more = write(actions, shape);
    json_t *root = json_pack("{s:s, s:s, s:o, s:{s:I, s:I}, s:o}", "segue", "scenario/1", "name", name, "group",
                             write_group(shape, shape->members + more), "cluster", "restore_bytes_per_s",
                             (json_int_t)shape->restore_bytes_per_s, "write_bytes_per_s",
                             (json_int_t)shape->write_bytes_per_s, "actions", actions);
    char *text = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    *size = text == NULL ? 0 : strlen(text);
    return text;
}

char *sim_preset_write(const char *name, const sim_preset_shape *shape, size_t *size)
{
    for (int i = 0; sim_presets[i].name != NULL; i++) {
        if (strcmp(sim_presets[i].name, name) == 0) {
            return write_document(name, shape, writers[i], size);
        }
    }
    return NULL;
}
