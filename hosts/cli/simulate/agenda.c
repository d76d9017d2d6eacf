/* SPDX-License-Identifier: Apache-2.0 */
#include "agenda.h"

#include <stdlib.h>

static int comes_first(const sim_due *a, const sim_due *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void swap(sim_due *a, sim_due *b)
{
    sim_due kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(sim_due *rows, uint32_t at)
{
    for (; at > 0 && comes_first(&rows[at], &rows[(at - 1) / 2]); at = (at - 1) / 2) {
        swap(&rows[at], &rows[(at - 1) / 2]);
    }
}

static void sink(sim_due *rows, uint32_t count)
{
    for (uint32_t at = 0; 2 * at + 1 < count;) {
        uint32_t child = 2 * at + 1;
        child += child + 1 < count && comes_first(&rows[child + 1], &rows[child]);
        if (!comes_first(&rows[child], &rows[at])) {
            return;
        }
        swap(&rows[child], &rows[at]);
        at = child;
    }
}

int sim_agenda_put(sim_agenda *agenda, const sim_due *due)
{
    if (agenda->count == agenda->room) {
        uint32_t room = agenda->room == 0 ? 256 : agenda->room * 2;
        sim_due *grown = realloc(agenda->rows, room * sizeof *grown);
        if (grown == NULL) {
            return -1;
        }
        agenda->rows = grown;
        agenda->room = room;
    }
    agenda->rows[agenda->count] = *due;
    agenda->rows[agenda->count].order = agenda->next_order++;
    rise(agenda->rows, agenda->count++);
    return 0;
}

int sim_agenda_take(sim_agenda *agenda, sim_due *due)
{
    if (agenda->count == 0) {
        return 0;
    }
    *due = agenda->rows[0];
    agenda->rows[0] = agenda->rows[--agenda->count];
    sink(agenda->rows, agenda->count);
    return 1;
}

void sim_agenda_free(sim_agenda *agenda)
{
    free(agenda->rows);
    *agenda = (sim_agenda){0};
}
