/* SPDX-License-Identifier: Apache-2.0 */
#include "core/places.h"

#include "core/buckets.h"

#include <string.h>

static int is_leaving(const segue_group *g, uint32_t member)
{
    return g->member_leaving_ms != NULL && g->member_leaving_ms[member] != SEGUE_TIME_NONE;
}

static int is_expired(const segue_group *g, uint32_t member)
{
    return is_leaving(g, member) && g->member_deadline_ms != NULL &&
           g->member_deadline_ms[member] != SEGUE_TIME_NONE && g->member_deadline_ms[member] <= g->now_ms;
}

static void set_threads(sgp_view *view)
{
    const uint32_t members = view->members, *given = view->group->member_threads;
    uint32_t *restrict threads = view->threads, all = 0;
    for (uint32_t m = 0; m < members; m++) {
        threads[m] = given[m];
        all |= given[m];
    }
    view->idle = all == 0;
    for (uint32_t m = 0; all == 0 && m < members; m++) {
        threads[m] = 1;
    }
}

static void count_staying(sgp_view *view)
{
    const uint32_t members = view->members, *threads = view->threads;
    const uint8_t *place = view->place;
    uint32_t staying = 0, first = 0, differ = 0;
    while (first < members && place[first] != SGP_STAYS) {
        first++;
    }
    for (uint32_t m = first; m < members; m++) {
        uint32_t stays = place[m] == SGP_STAYS;
        staying += stays;
        differ |= (threads[m] ^ threads[first]) & (0 - stays);
    }
    view->staying = staying;
    view->threads_each = staying > 0 && differ == 0 ? threads[first] : 0;
    view->capacity = (uint64_t)staying * view->threads_each;
    for (uint32_t m = first; differ != 0 && m < members; m++) {
        view->capacity += place[m] == SGP_STAYS ? threads[m] : 0;
    }
}

/* Members with threads and a place of at least `least` count as staying; the others hold nothing. */
static void promote(sgp_view *view, const uint8_t *place, uint8_t least)
{
    for (uint32_t m = 0; m < view->members; m++) {
        view->place[m] = view->threads[m] > 0 && place[m] >= least ? SGP_STAYS : SGP_GONE;
    }
    count_staying(view);
}

/* What the marks say, threads or no threads. */
static void read_marks(const sgp_view *view, int knows_leaving, uint8_t *place)
{
    const segue_group *g = view->group;
    memset(place, SGP_STAYS, view->members);
    for (uint32_t m = 0; knows_leaving && g->member_leaving_ms != NULL && m < view->members; m++) {
        if (is_leaving(g, m)) {
            place[m] = is_expired(g, m) ? SGP_GONE : SGP_LINGERS;
        }
    }
}

static void set_places(sgp_view *view, int knows_leaving, uint8_t *marks)
{
    read_marks(view, knows_leaving, marks);
    const uint32_t members = view->members, *threads = view->threads;
    uint8_t *restrict place = view->place;
    for (uint32_t m = 0; m < members; m++) {
        place[m] = threads[m] == 0 ? (uint8_t)SGP_GONE : marks[m];
    }
    count_staying(view);
    view->nobody_stays = view->staying == 0;
    for (uint8_t least = SGP_LINGERS; view->staying == 0 && view->members > 0; least--) {
        promote(view, marks, least);
    }
}

/* Everybody has a process of its own, and they come in the members' order. */
static int is_one_each(const sgp_view *view)
{
    const uint32_t *process = view->group->member_process;
    uint32_t differ = view->processes ^ view->members;
    for (uint32_t m = 0; m < view->members; m++) {
        differ |= process[m] ^ m;
    }
    return differ == 0;
}

static void index_one_each(sgp_view *view)
{
    const uint32_t members = view->members;
    uint32_t *start = view->process_start;
    for (uint32_t m = 0; m <= members; m++) {
        start[m] = m;
    }
    view->process_member = start;
    view->process_place = view->place;
}

static void index_processes(sgp_view *view)
{
    const uint32_t *process = view->group->member_process;
    memset(view->process_start, 0, ((size_t)view->processes + 1) * sizeof *view->process_start);
    memset(view->process_place, SGP_GONE, view->processes);
    for (uint32_t m = 0; m < view->members; m++) {
        view->process_start[process[m] + 1]++;
        if (view->place[m] > view->process_place[process[m]]) {
            view->process_place[process[m]] = view->place[m];
        }
    }
    sgp_buckets_open(view->process_start, view->processes);
    for (uint32_t m = view->members; m-- > 0;) {
        view->process_member[--view->process_start[process[m] + 1]] = m;
    }
    sgp_buckets_close(view->process_start, view->processes, view->members);
}

int32_t sgp_places_build(sgp_view *view, int knows_leaving, sgp_region *region)
{
    uint8_t *marks = SGP_TAKE(region, uint8_t, view->members);
    view->threads = SGP_TAKE(region, uint32_t, view->members);
    view->place = SGP_TAKE(region, uint8_t, view->members);
    view->process_start = SGP_TAKE(region, uint32_t, (size_t)view->processes + 1);
    view->process_member = SGP_TAKE(region, uint32_t, view->members);
    view->process_place = SGP_TAKE(region, uint8_t, view->processes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    set_threads(view);
    set_places(view, knows_leaving, marks);
    if (is_one_each(view)) {
        index_one_each(view);
    } else {
        index_processes(view);
    }
    return SEGUE_OK;
}
