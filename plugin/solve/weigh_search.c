/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_search.h"

#include <string.h>

/* Groups that are searched, and how much is tried in one. */
#define MOST_TASKS 64u
#define MOST_MEMBERS 16u
#define MOST_PENDING 6u
#define MOST_WORK 8000000u /* trials times tasks */

/* Tasks are known by their place in the scale's order, members by their row. */
typedef struct search {
    sgp_scale *s;
    uint32_t trials;             /* left */
    uint8_t moved[MOST_TASKS];   /* it has its target */
    uint32_t closed[MOST_TASKS]; /* members, as bits, to which its move has been tried in vain */
    uint32_t pending[MOST_PENDING], pending_count;
    uint32_t *row;               /* by member that stays */
    uint32_t member[MOST_MEMBERS], rows;
} search;

/* How many tasks have to leave each member and to come to it, whichever they are: never too many. */
typedef struct needs {
    uint32_t leave[MOST_MEMBERS], come[MOST_MEMBERS];
} needs;

static int visit(search *f, const needs *n, uint32_t moves);

static uint32_t bit_of(const search *f, uint32_t member)
{
    return 1u << f->row[member];
}

/* May the task go there? Nothing moves twice. */
static int is_open(const search *f, uint32_t at, uint32_t to)
{
    return !f->moved[at] && !(f->closed[at] & bit_of(f, to));
}

static int may_leave(const search *f, uint32_t at, uint32_t member)
{
    return !f->moved[at] && f->s->b->target[f->s->order[at]] == member && f->closed[at] != UINT32_MAX;
}

/* How many tasks have to leave for a boulder to be alone: all others, and all of them can. */
static uint32_t to_be_alone(const search *f, uint32_t member)
{
    const sgp_scale *s = f->s;
    uint32_t stuck = 0, boulders = 0, stuck_boulders = 0;
    for (uint32_t i = 0; s->boulder != UINT64_MAX && i < s->b->count; i++) {
        int here = s->b->target[s->order[i]] == member, is_boulder = sgp_scale_hosts(s, member, s->weight[s->order[i]]);
        int stays = here && !may_leave(f, i, member);
        stuck += (uint32_t)stays;
        boulders += here && is_boulder;
        stuck_boulders += stays && is_boulder;
    }
    return boulders > 0 && stuck <= 1 && stuck == stuck_boulders ? s->held[member] - 1 : MOST_TASKS;
}

static uint32_t must_leave(const search *f, uint32_t member)
{
    const sgp_scale *s = f->s;
    uint32_t gone = 0;
    uint64_t over = sgp_scale_over(s, member);
    if (over == 0) {
        return 0;
    }
    for (uint32_t i = 0; over > 0 && i < s->b->count; i++) {
        if (may_leave(f, i, member)) {
            uint64_t weight = s->weight[s->order[i]];
            over -= weight < over ? weight : over;
            gone++;
        }
    }
    uint32_t alone = to_be_alone(f, member);
    gone = over > 0 ? MOST_TASKS : gone;
    return alone < gone ? alone : gone;
}

static uint32_t must_come(const search *f, uint32_t member)
{
    const sgp_scale *s = f->s;
    uint32_t come = 0;
    uint64_t under = sgp_scale_under(s, member);
    for (uint32_t i = 0; under > 0 && i < s->b->count; i++) {
        if (is_open(f, i, member) && s->b->target[s->order[i]] != member) {
            uint64_t weight = s->weight[s->order[i]];
            under -= weight < under ? weight : under;
            come++;
        }
    }
    return under > 0 ? MOST_TASKS : come;
}

static void find_need(const search *f, needs *n, uint32_t member)
{
    n->leave[f->row[member]] = must_leave(f, member);
    n->come[f->row[member]] = must_come(f, member);
}

/* A member that does not fit; SEGUE_NONE when all do. *least: moves without which they cannot. */
static uint32_t worst_member(const search *f, const needs *n, uint32_t *least)
{
    uint32_t leave = 0, come = 0, worst = SEGUE_NONE, most = 0;
    for (uint32_t r = 0; r < f->rows; r++) {
        leave += n->leave[r];
        come += n->come[r];
        if (n->leave[r] > most || n->come[r] > most) {
            worst = f->member[r];
            most = n->leave[r] > n->come[r] ? n->leave[r] : n->come[r];
        }
    }
    *least = leave > come ? leave : come;
    return worst;
}

static int try_move(search *f, const needs *n, uint32_t at, uint32_t to, uint32_t moves)
{
    uint32_t task = f->s->order[at], from = f->s->b->target[task];
    needs then = *n;
    if (f->trials == 0 || sgp_deadline_passed(f->s->b->deadline)) {
        f->trials = 0;
        return 0;
    }
    f->trials--;
    f->moved[at] = 1;
    sgp_scale_move(f->s, task, from, to);
    find_need(f, &then, from);
    find_need(f, &then, to);
    if (visit(f, &then, moves - 1)) {
        return 1;
    }
    sgp_scale_move(f->s, task, to, from);
    f->moved[at] = 0;
    return 0;
}

/* Tasks of one weight on one member are alike: the first of those that have not moved stands for them. */
static int is_like_another(const search *f, uint32_t at)
{
    const sgp_scale *s = f->s;
    for (uint32_t i = at; i-- > 0 && s->weight[s->order[i]] == s->weight[s->order[at]];) {
        if (!f->moved[i] && s->b->target[s->order[i]] == s->b->target[s->order[at]]) {
            return 1;
        }
    }
    return 0;
}

/* Some task of the member goes somewhere. What has been tried is closed for the rest: it would be found no other way. */
static int give_one(search *f, const needs *n, uint32_t member, uint32_t moves)
{
    const sgp_scale *s = f->s;
    uint32_t closed[MOST_TASKS];
    int found = 0;
    memcpy(closed, f->closed, sizeof closed);
    for (uint32_t i = 0; i < s->b->count && !found; i++) {
        if (!may_leave(f, i, member) || is_like_another(f, i)) {
            continue;
        }
        for (uint32_t r = 0; r < f->rows && !found; r++) {
            uint32_t to = f->member[r];
            found = to != member && is_open(f, i, to) && try_move(f, n, i, to, moves);
        }
        f->closed[i] = UINT32_MAX;
    }
    memcpy(f->closed, closed, sizeof closed);
    return found;
}

/* Some task comes to the member. */
static int take_one(search *f, const needs *n, uint32_t member, uint32_t moves)
{
    const sgp_scale *s = f->s;
    uint32_t closed[MOST_TASKS];
    int found = 0;
    memcpy(closed, f->closed, sizeof closed);
    for (uint32_t i = 0; i < s->b->count && !found; i++) {
        if (is_open(f, i, member) && s->b->target[s->order[i]] != member && !is_like_another(f, i)) {
            found = try_move(f, n, i, member, moves);
            f->closed[i] |= bit_of(f, member);
        }
    }
    memcpy(f->closed, closed, sizeof closed);
    return found;
}

/* Can all members be made to fit with so many moves more? */
static int visit(search *f, const needs *n, uint32_t moves)
{
    uint32_t least, member = worst_member(f, n, &least);
    if (member == SEGUE_NONE || least > moves) {
        return member == SEGUE_NONE;
    }
    return n->leave[f->row[member]] > 0 ? give_one(f, n, member, moves) : take_one(f, n, member, moves);
}

/* Places the tasks that have to move anyway, in all ways. */
static int place_pending(search *f, uint32_t placed, uint32_t moves)
{
    sgp_scale *s = f->s;
    if (placed == f->pending_count) {
        needs n;
        for (uint32_t r = 0; r < f->rows; r++) {
            find_need(f, &n, f->member[r]);
        }
        return visit(f, &n, moves);
    }
    uint32_t at = f->pending[placed], task = s->order[at];
    f->moved[at] = 1;
    for (uint32_t r = 0; r < f->rows && f->trials > 0; r++) {
        uint32_t to = f->member[r], takes = (uint32_t)sgp_scale_wastes(s, task, to);
        if (takes > moves) {
            continue;
        }
        f->trials--;
        sgp_scale_move(s, task, SEGUE_NONE, to);
        if (place_pending(f, placed + 1, moves - takes)) {
            return 1;
        }
        s->load[to] -= s->weight[task];
        s->held[to]--;
    }
    return 0;
}

/* Everybody keeps what it serves, and has what it learns as far as that counts. Returns 0 where too much is pending. */
static int start(search *f, int flies)
{
    sgp_scale *s = f->s;
    memset(f->moved, 0, sizeof f->moved);
    memset(f->closed, 0, sizeof f->closed);
    f->pending_count = 0;
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i];
        s->b->target[task] = sgp_scale_keeps(s, task) ? s->b->serve[task] : SEGUE_NONE;
        uint32_t learner = sgp_scale_flying_of(s, task, flies);
        if (learner != SEGUE_NONE) {
            s->b->target[task] = learner;
            f->moved[i] = 1;
        }
        if (s->b->target[task] == SEGUE_NONE) {
            if (f->pending_count == MOST_PENDING) {
                return 0;
            }
            f->pending[f->pending_count++] = i;
        }
    }
    sgp_scale_weigh(s, s->b->target);
    return 1;
}

/* With so many moves, and keeping so much of what is learned. */
static int try_keeping(search *f, int flies, uint32_t moves)
{
    uint32_t taken = start(f, flies) ? sgp_scale_moves(f->s, f->s->b->target) : UINT32_MAX;
    return taken <= moves && place_pending(f, 0, moves - taken);
}

/* The same, as much as can be and `least` of it in any case. */
static int try_all(search *f, uint32_t moves, int least)
{
    int found = 0;
    for (int flies = sgp_flies_most(f->s); flies >= least && !found; flies = sgp_flies_less(f->s, flies)) {
        found = try_keeping(f, flies, moves);
    }
    return found;
}

/* How much of what is learned the targets keep. */
static int kept(const sgp_scale *s)
{
    int flies = SGP_FLIES_ALL;
    for (uint32_t i = 0; s->flying != NULL && i < s->b->count; i++) {
        uint32_t task = s->order[i], member = sgp_scale_flying(s, task);
        if (member != SEGUE_NONE && s->b->target[task] != member) {
            int still = sgp_scale_is_ready(s, task) ? SGP_FLIES_NONE : SGP_FLIES_READY;
            flies = still < flies ? still : flies;
        }
    }
    return flies;
}

/* Takes the task to a member, and `back` (SEGUE_NONE: nothing) to where it was, if that is cheaper and all still fit. */
static int exchange(sgp_scale *s, uint32_t task, uint32_t to, uint32_t back)
{
    uint32_t from = s->b->target[task];
    int price = sgp_scale_price(s, task, to) - sgp_scale_price(s, task, from);
    price += back == SEGUE_NONE ? 0 : sgp_scale_price(s, back, from) - sgp_scale_price(s, back, to);
    if (price >= 0) {
        return 0;
    }
    sgp_scale_move(s, task, from, to);
    if (back != SEGUE_NONE) {
        sgp_scale_move(s, back, to, from);
    }
    if (sgp_scale_fits(s, from) && sgp_scale_fits(s, to)) {
        return 1;
    }
    sgp_scale_move(s, task, to, from);
    if (back != SEGUE_NONE) {
        sgp_scale_move(s, back, from, to);
    }
    return 0;
}

/* Takes tasks home as long as one can go, or change places with another. */
static void polish(sgp_scale *s)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < s->b->count; i++) {
            uint32_t task = s->order[i], home = s->b->serve[task];
            if (!sgp_scale_keeps(s, task) || s->b->target[task] == home) {
                continue;
            }
            int went = exchange(s, task, home, SEGUE_NONE);
            for (uint32_t j = 0; !went && j < s->b->count; j++) {
                went = s->b->target[s->order[j]] == home && exchange(s, task, home, s->order[j]);
            }
            again |= went;
        }
    }
}

static int32_t open_search(search *f, sgp_scale *s)
{
    *f = (search){.s = s, .trials = MOST_WORK / s->b->count};
    f->row = SGP_TAKE(s->b->region, uint32_t, s->b->view->members);
    for (uint32_t m = 0; f->row != NULL && m < s->b->view->members; m++) {
        if (s->b->view->place[m] == SGP_STAYS) {
            f->row[m] = f->rows;
            f->member[f->rows++] = m;
        }
    }
    return f->row == NULL ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* Targets, which fit, and what they cost. */
typedef struct finding {
    uint32_t *target, moves;
} finding;

static void note(const sgp_scale *s, finding *best)
{
    memcpy(best->target, s->b->target, s->b->view->tasks * sizeof *best->target);
    best->moves = sgp_scale_moves(s, s->b->target);
}

/* The first that are met keep all that has caught up, if anything has. */
static void look_keeping(search *f, finding *best)
{
    const int keeps = kept(f->s), least = f->s->ready != NULL ? SGP_FLIES_READY : SGP_FLIES_NONE;
    int found = 0;
    for (uint32_t moves = 0; moves <= best->moves && !found && f->trials > 0; moves++) {
        found = try_all(f, moves, moves < best->moves ? least : keeps + 1);
    }
    if (found) {
        note(f->s, best);
    }
}

static uint32_t count_ready(const sgp_scale *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; s->ready != NULL && i < s->b->count; i++) {
        count += s->ready[s->order[i]];
    }
    return count;
}

/* Others may give up some of that and still have less to learn. It costs moves as all else does while they are looked for, so
 * that there are as many more of these as it may save. */
static void look_anywhere(search *f, finding *best)
{
    const uint32_t ready = count_ready(f->s);
    int found = 0;
    for (uint32_t moves = 0; ready > 0 && moves < best->moves + ready && !found && f->trials > 0; moves++) {
        found = try_keeping(f, SGP_FLIES_NONE, moves);
    }
    if (found && sgp_scale_moves(f->s, f->s->b->target) < best->moves) {
        note(f->s, best);
    }
}

int32_t sgp_search(sgp_scale *s)
{
    search f;
    if (s->b->count > MOST_TASKS || s->b->view->staying > MOST_MEMBERS) {
        return SEGUE_OK;
    }
    finding best = {.target = SGP_TAKE(s->b->region, uint32_t, s->b->view->tasks)};
    if (best.target == NULL || open_search(&f, s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    polish(s);
    note(s, &best);
    look_keeping(&f, &best);
    look_anywhere(&f, &best);
    memcpy(s->b->target, best.target, s->b->view->tasks * sizeof *best.target);
    sgp_scale_weigh(s, s->b->target);
    return SEGUE_OK;
}
