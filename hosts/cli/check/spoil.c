/* SPDX-License-Identifier: Apache-2.0 */
#include "spoil.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

enum { NO_WAY = 0, SPOILT = 1, IDLE = 2 };

/* ---- counts that are beyond what the border allows --------------------------------------------------------------- */

typedef struct bad_count {
    const char *name;
    size_t offset;
    uint32_t value;
} bad_count;

#define COUNT(field, value) {#field, offsetof(segue_group, field), value}
static const bad_count bad_counts[] = {
    COUNT(task_count, SEGUE_MAX_TASKS + 1), COUNT(task_count, UINT32_MAX),       COUNT(member_count, 0),
    COUNT(member_count, SEGUE_MAX_MEMBERS + 1), COUNT(member_count, UINT32_MAX), COUNT(copy_count, SEGUE_MAX_COPIES + 1),
    COUNT(copy_count, UINT32_MAX),          COUNT(process_count, UINT32_MAX),    COUNT(process_count, 0),
    COUNT(copy_count, 0),                   COUNT(rack_count, 0),                COUNT(subtopology_count, 0),
    COUNT(task_rack_count, 0),
};
#undef COUNT

static int spoil_count(made_group *made, const bad_count *bad, char *what, size_t size)
{
    uint32_t *count = (uint32_t *)(void *)((char *)&made->group + bad->offset);
    snprintf(what, size, "%s is %u instead of %u", bad->name, bad->value, *count);
    int changes = *count != bad->value;
    *count = bad->value;
    return changes ? SPOILT : IDLE;
}

/* Tasks, and nobody at all. */
static int spoil_crowd(made_group *made, char *what, size_t size)
{
    made->group.member_count = made->group.process_count = made->group.copy_count = 0;
    snprintf(what, size, "there are %u tasks and no members", made->group.task_count);
    return made->group.task_count > 0 ? SPOILT : IDLE;
}

/* ---- columns that are not there ---------------------------------------------------------------------------------- */

static int spoil_presence(made_group *made, uint32_t column, char *what, size_t size)
{
    switch (column) {
#define DROP(id, field, type, count, need)                                                                            \
    case MADE_##field: {                                                                                              \
        int there = made->group.field != NULL && made->rows[MADE_##field] > 0;                                        \
        snprintf(what, size, "the column %s is missing", #field);                                                     \
        made->group.field = NULL;                                                                                     \
        return there ? SPOILT : IDLE;                                                                                 \
    }
        SEGUE_GROUP_COLUMNS(DROP)
#undef DROP
    default:
        return IDLE;
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* What may be put into a row: around the counts, around the widths of numbers, and what stands for "none". */
static const int64_t bad_values[] = {0,  1,  2,         3,          4,          7,         127, 128, 255, 65535, -1,
                                     -2, 40, INT32_MAX, INT32_MIN, UINT32_MAX - 1, INT64_MAX, INT64_MIN};
static const double bad_reals[] = {0, -1, INFINITY, -INFINITY, NAN, 1e308, 5e-324};

enum { ROWS_TRIED = 3 }; /* the first, the middle and the last */

static size_t row_of(size_t rows, uint32_t place)
{
    return place == 0 ? 0 : place == 1 ? rows / 2 : rows - 1;
}

static void put_uint32_t(uint32_t *row, uint32_t value)
{
    *row = (uint32_t)bad_values[value % COUNT_OF(bad_values)];
}

static void put_uint8_t(uint8_t *row, uint32_t value)
{
    *row = (uint8_t)bad_values[value % COUNT_OF(bad_values)];
}

static void put_char(char *row, uint32_t value)
{
    *row = (char)bad_values[value % COUNT_OF(bad_values)];
}

static void put_int64_t(int64_t *row, uint32_t value)
{
    *row = bad_values[value % COUNT_OF(bad_values)];
}

static void put_double(double *row, uint32_t value)
{
    *row = bad_reals[value % COUNT_OF(bad_reals)];
}

static int spoil_value(made_group *made, uint32_t column, uint32_t place, uint32_t value, char *what, size_t size)
{
    switch (column) {
#define SPOIL(id, field, type, count, need)                                                                           \
    case MADE_##field: {                                                                                              \
        size_t rows = made->rows[MADE_##field];                                                                       \
        if (made->group.field == NULL || rows == 0) {                                                                 \
            return IDLE;                                                                                              \
        }                                                                                                             \
        size_t row = row_of(rows, place);                                                                             \
        type before = made->field[row];                                                                               \
        put_##type(&made->field[row], value);                                                                         \
        snprintf(what, size, "%s[%zu] is %.17g instead of %.17g", #field, row, (double)made->field[row], (double)before); \
        return memcmp(&before, &made->field[row], sizeof before) != 0 ? SPOILT : IDLE;                                \
    }
        SEGUE_GROUP_COLUMNS(SPOIL)
#undef SPOIL
    default:
        return IDLE;
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Two neighbours change places, or the second becomes the first. */
static int spoil_order(made_group *made, uint32_t column, uint32_t place, int twice, char *what, size_t size)
{
    switch (column) {
#define SPOIL(id, field, type, count, need)                                                                           \
    case MADE_##field: {                                                                                              \
        size_t rows = made->rows[MADE_##field];                                                                       \
        if (made->group.field == NULL || rows < 2) {                                                                  \
            return IDLE;                                                                                              \
        }                                                                                                             \
        size_t row = row_of(rows - 1, place);                                                                         \
        type first = made->field[row], second = made->field[row + 1];                                                 \
        made->field[row] = twice ? first : second;                                                                    \
        made->field[row + 1] = first;                                                                                 \
        snprintf(what, size, twice ? "%s[%zu] stands twice" : "%s[%zu] changes places with the next", #field, row);   \
        return memcmp(&first, &second, sizeof first) != 0 ? SPOILT : IDLE;                                            \
    }
        SEGUE_GROUP_COLUMNS(SPOIL)
#undef SPOIL
    default:
        return IDLE;
    }
}

int spoil_group(made_group *made, uint32_t way, char *what, size_t size)
{
    const uint32_t values = MADE_COLUMNS * ROWS_TRIED * COUNT_OF(bad_values), orders = MADE_COLUMNS * ROWS_TRIED * 2;
    if (way < COUNT_OF(bad_counts)) {
        return spoil_count(made, &bad_counts[way], what, size);
    }
    way -= COUNT_OF(bad_counts);
    if (way == 0) {
        return spoil_crowd(made, what, size);
    }
    way -= 1;
    if (way < MADE_COLUMNS) {
        return spoil_presence(made, way, what, size);
    }
    way -= MADE_COLUMNS;
    if (way < orders) {
        return spoil_order(made, way / 2 / ROWS_TRIED, way / 2 % ROWS_TRIED, (int)way % 2, what, size);
    }
    way -= orders;
    if (way < values) {
        uint32_t value = way % COUNT_OF(bad_values), cell = way / COUNT_OF(bad_values);
        return spoil_value(made, cell / ROWS_TRIED, cell % ROWS_TRIED, value, what, size);
    }
    return NO_WAY;
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

int spoil_config(made_group *made, uint32_t way, char *what, size_t size)
{
    segue_config *c = &made->config;
    uint32_t field = way / COUNT_OF(bad_values), value = way % COUNT_OF(bad_values), number = 0;
#define SPOIL(name, type, key, initial, least, greatest)                                                              \
    if (number++ == field) {                                                                                          \
        type before = c->name;                                                                                        \
        put_##type(&c->name, value);                                                                                  \
        snprintf(what, size, key " is %.17g", (double)c->name);                                                       \
        return memcmp(&before, &c->name, sizeof before) != 0 ? SPOILT : IDLE;                                         \
    }
    SEGUE_CONFIG_FIELDS(SPOIL)
#undef SPOIL
    return NO_WAY;
}
