/* SPDX-License-Identifier: Apache-2.0 */
/* Who should hold how much: the closed form of solve/quota.h and solve/rounding.h for members of equal threads, found with
 * passes over one count for each member. */
#include "session/part.h"

#include "core/scan.h"

static uint32_t count_unlike(const uint32_t *column, uint32_t count, uint32_t value)
{
    uint32_t unlike = 0;
    for (uint32_t i = 0; i < count; i++) {
        unlike += column[i] != value;
    }
    return unlike;
}

int sgp_is_plain(const segue_session *s)
{
    return s->may_be_plain && s->odd == 0 && s->marked == 0 && s->members > 0 && s->processes == s->members &&
           s->threads[0] > 0 && count_unlike(s->threads, s->members, s->threads[0]) == 0;
}

sgp_shares sgp_shares_of(const segue_session *s)
{
    const uint32_t *held = s->held, members = s->members, tasks = s->base.task_count;
    sgp_shares c = {.floor = tasks / members, .roundings = tasks % members};
    const uint32_t floor = c.floor;
    uint32_t keepers = 0, idlers = 0;
    uint64_t within = 0;
    for (uint32_t i = 0; i < members; i++) {
        keepers += held[i] > floor;
        idlers += held[i] == 0;
        within += held[i] < floor ? held[i] : floor;
    }
    c.keepers = keepers;
    c.idlers = idlers;
    c.within = within;
    return c;
}

uint32_t sgp_shares_moves(const sgp_shares *c, const segue_session *s)
{
    uint32_t kept = c->keepers < c->roundings ? c->keepers : c->roundings;
    return s->base.task_count - s->orphans - (uint32_t)c->within - kept;
}

int sgp_everyone_receives(const segue_session *s)
{
    return s->strategy->everyone_receives || !s->stateful;
}

/* Roundings that are still to be given, to each class of members in its turn. */
typedef struct spares {
    uint32_t keepers, idlers, others;
} spares;

static spares share_roundings(const segue_session *s, const sgp_shares *c)
{
    spares left = {.keepers = c->roundings < c->keepers ? c->roundings : c->keepers};
    uint32_t rest = c->roundings - left.keepers;
    if (!sgp_everyone_receives(s)) {
        left.idlers = rest < c->idlers ? rest : c->idlers;
    }
    left.others = rest - left.idlers;
    return left;
}

static uint32_t round_up(uint32_t *left)
{
    uint32_t up = *left > 0;
    *left -= up;
    return up;
}

/* Does everybody in a block hold what it should, as nearly everybody does? Then nobody in it has to be looked at. */
static int block_is_settled(const uint32_t *held, uint32_t floor, spares *left)
{
    uint32_t even = 0, up = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        even += held[i] == floor;
        up += held[i] == floor + 1;
    }
    if (even + up < SGP_SCAN_BLOCK || up > left->keepers || left->idlers + left->others > 0) {
        return 0;
    }
    left->keepers -= up;
    return 1;
}

static uint64_t cast_members(sgp_stage *st)
{
    const segue_session *s = st->session;
    const uint32_t floor = st->shares.floor;
    const int everyone = sgp_everyone_receives(s);
    spares left = share_roundings(s, &st->shares);
    uint64_t tasks = s->orphans;
    int gives = 0, takes = 0;
    for (uint32_t i = 0; i < s->members; i++) {
        while (i % SGP_SCAN_BLOCK == 0 && s->members - i >= SGP_SCAN_BLOCK &&
               block_is_settled(s->held + i, floor, &left)) {
            i += SGP_SCAN_BLOCK;
        }
        if (i == s->members) {
            break;
        }
        uint32_t held = s->held[i], want = floor;
        if (held > floor) {
            want += round_up(&left.keepers);
        } else {
            want += round_up(held == 0 && !everyone ? &left.idlers : &left.others);
        }
        if (held != want) {
            st->rank[st->members] = i;
            st->want[st->members++] = want;
            tasks += held;
            gives |= held > want;
            takes |= held < want && (everyone || held == 0);
        }
    }
    if (s->orphans == 0 && !(gives && takes)) {
        st->members = 0;
        return 0;
    }
    return tasks;
}

int32_t sgp_shares_cast(sgp_stage *st, uint64_t *tasks)
{
    *tasks = 0;
    st->rank = SGP_TAKE(&st->session->region, uint32_t, st->session->members);
    st->want = SGP_TAKE(&st->session->region, uint32_t, st->session->members);
    if (st->session->region.failed) {
        return SEGUE_E_MEMORY;
    }
    *tasks = cast_members(st);
    return SEGUE_OK;
}
