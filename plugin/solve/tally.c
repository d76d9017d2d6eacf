/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/tally.h"

/* Cells allowed for each task and member: keeps the table's cost within that of one pass. */
#define CELLS_PER_ROW 8

static uint32_t number_rows(sgp_tally *tally, const sgp_view *view, const uint8_t *in_set)
{
    uint32_t rows = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        tally->row[m] = in_set[m] ? rows++ : SEGUE_NONE;
    }
    return rows;
}

int32_t sgp_tally_build(sgp_tally *tally, const sgp_balance *b, const uint8_t *in_set)
{
    const sgp_view *view = b->view;
    *tally = (sgp_tally){.columns = view->subtopologies};
    tally->row = SGP_TAKE(b->region, uint32_t, view->members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    uint64_t cells = (uint64_t)number_rows(tally, view, in_set) * tally->columns;
    if (cells > CELLS_PER_ROW * ((uint64_t)view->tasks + view->members) || tally->columns < 2) {
        return SEGUE_OK;
    }
    tally->cells = SGP_TAKE_ZERO(b->region, uint32_t, cells);
    tally->subtopology_tasks = SGP_TAKE_ZERO(b->region, uint32_t, tally->columns);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (sgp_is_kind(b, t)) {
            uint32_t subtopology = view->group->task_subtopology[t];
            tally->subtopology_tasks[subtopology]++;
            sgp_tally_move(tally, subtopology, SEGUE_NONE, b->target[t]);
        }
    }
    return SEGUE_OK;
}

static uint32_t *cell(const sgp_tally *tally, uint32_t subtopology, uint32_t member)
{
    if (member == SEGUE_NONE || tally->row[member] == SEGUE_NONE) {
        return NULL;
    }
    return &tally->cells[(size_t)tally->row[member] * tally->columns + subtopology];
}

void sgp_tally_move(sgp_tally *tally, uint32_t subtopology, uint32_t from, uint32_t to)
{
    if (tally->cells == NULL) {
        return;
    }
    uint32_t *less = cell(tally, subtopology, from), *more = cell(tally, subtopology, to);
    if (less != NULL) {
        --*less;
    }
    if (more != NULL) {
        ++*more;
    }
}

int sgp_tally_evens(const sgp_tally *tally, const sgp_balance *b, uint32_t subtopology, uint32_t from, uint32_t to)
{
    if (tally->cells == NULL) {
        return 1;
    }
    uint64_t in_all = tally->subtopology_tasks[subtopology];
    const uint32_t *less = cell(tally, subtopology, from), *more = cell(tally, subtopology, to);
    int gives = less == NULL || *less > in_all * b->want[from] / b->count;
    int takes = more == NULL || (uint64_t)*more * b->count < in_all * b->want[to];
    return gives && takes;
}
