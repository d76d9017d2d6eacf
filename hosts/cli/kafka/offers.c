/* SPDX-License-Identifier: Apache-2.0 */
#include "offers.h"

#include <string.h>

static int has(const json_t *assignors, const char *name)
{
    for (size_t i = 0; i < json_array_size(assignors); i++) {
        const char *known = json_string_value(json_array_get(assignors, i));
        if (known != NULL && strcmp(known, name) == 0) {
            return 1;
        }
    }
    return 0;
}

int cli_instance_offers(const cli_instance *instance, const char *name)
{
    const cli_presence *presence = &instance->presence;
    if (presence->document == NULL || strcmp(presence->swap_refused, name) == 0) {
        return 0;
    }
    return strcmp(presence->assignor, name) == 0 || strcmp(presence->configured, name) == 0 ||
           has(presence->assignors, name);
}

/* At its place in the alphabet, unless it is there. */
static void add(cli_offers *out, const char *name)
{
    size_t at = out->count;
    while (at > 0 && strcmp(out->names[at - 1], name) > 0) {
        at--;
    }
    int there = at > 0 && strcmp(out->names[at - 1], name) == 0;
    if (name[0] == '\0' || there || out->count == CLI_OFFERS_MOST) {
        return;
    }
    memmove(&out->names[at + 1], &out->names[at], (out->count - at) * sizeof out->names[0]);
    out->names[at] = name;
    out->count++;
}

/* One that refuses what it lists does not have it. */
static void offer(cli_offers *out, const cli_instance *row, const char *name)
{
    if (name != NULL && cli_instance_offers(row, name)) {
        add(out, name);
    }
}

void cli_offers_read(const cli_fleet *fleet, cli_offers *out)
{
    *out = (cli_offers){0};
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (!cli_instance_lives(row)) {
            continue;
        }
        offer(out, row, row->presence.assignor);
        offer(out, row, row->presence.configured);
        for (size_t j = 0; j < json_array_size(row->presence.assignors); j++) {
            offer(out, row, json_string_value(json_array_get(row->presence.assignors, j)));
        }
    }
}
