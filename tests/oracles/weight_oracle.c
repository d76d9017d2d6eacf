/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets by weight against GLPK's branch and cut: as few moves as any assignment takes in which all fit. What "fit" means
 * (plugin/solve/weigh.h) is written here once more, from the documentation, in the plainest way.
 */
#include "test/chance.h"
#include "test/rebalance.h"
#include "test/testing.h"

#include <glpk.h>
#include <math.h>
#include <stdio.h>

#define MOST_MEMBERS 8

/* The range of each member's weight, the weight from which on a task is a boulder, and up to which weight for each thread
 * one that is alone fits. */
typedef struct ranges {
    double low[MOST_MEMBERS], high[MOST_MEMBERS], boulder, alone;
} ranges;

static uint32_t heaviest_open(const draft *d, const uint8_t *dealt)
{
    uint32_t best = SEGUE_NONE;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        best = !dealt[t] && (best == SEGUE_NONE || d->weight[t] > d->weight[best]) ? t : best;
    }
    return best;
}

/* Members, the widest first. */
static void by_width(const draft *d, uint32_t *member)
{
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint32_t at = m;
        for (; at > 0 && d->threads[member[at - 1]] < d->threads[m]; at--) {
            member[at] = member[at - 1];
        }
        member[at] = m;
    }
}

/* Boulders from the heaviest on, each beside the widest member that no heavier one has. */
static uint32_t find_boulders(const draft *d, const uint32_t *member, ranges *r, double *boulder, double *most, double *left)
{
    double threads = 0, tolerance = d->config.imbalance_percentage / 100;
    uint32_t count = 0;
    uint8_t *taken = calloc(d->group.task_count, 1);
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        threads += d->threads[m];
    }
    *most = *left / threads;
    for (uint32_t t; (t = heaviest_open(d, taken)) != SEGUE_NONE && count < d->group.member_count; taken[t] = 1) {
        double weight = d->weight[t], width = d->threads[member[count]];
        int is_one = weight > (1 + tolerance) * *most * width && threads > width;
        for (uint32_t i = 0; i < count; i++) {
            is_one &= weight / width <= (boulder[i] + weight) / d->threads[member[i]];
        }
        if (!is_one) {
            break;
        }
        boulder[count++] = r->boulder = weight;
        r->alone = fmax(r->alone, weight / width);
        *left -= weight;
        threads -= width;
        *most = fmin(*most, *left / threads);
    }
    free(taken);
    return count;
}

static int may_hold(const draft *d, const ranges *r, uint32_t member, double weight)
{
    return weight >= r->boulder && weight / d->threads[member] <= r->alone + 1e-9;
}

/* Threads of the narrowest members that can hold them: the heaviest chooses first. */
static double narrowest_hosts(const draft *d, const uint32_t *member, const ranges *r, const double *boulder, uint32_t count)
{
    double threads = 0;
    uint32_t used = 0; /* as bits */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = d->group.member_count;
        while (at-- > 0 && (used >> at & 1 || !may_hold(d, r, member[at], boulder[i]))) {
        }
        used |= 1u << at;
        threads += d->threads[member[at]];
    }
    return threads;
}

/* Before any tolerance: in `low` what members need, in `high` what they may carry. */
static void find_levels(const draft *d, ranges *r)
{
    double left = 0, threads = 0, most, boulder[MOST_MEMBERS];
    uint32_t member[MOST_MEMBERS];
    *r = (ranges){.boulder = HUGE_VAL};
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        left += d->weight[t];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        threads += d->threads[m];
    }
    by_width(d, member);
    uint32_t count = find_boulders(d, member, r, boulder, &most, &left);
    double least = left / (threads - narrowest_hosts(d, member, r, boulder, count));
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        r->low[m] = least * d->threads[m];
        r->high[m] = most * d->threads[m];
    }
}

/* Who then carries least for each thread, of equal ones the narrower; of those without a task alone, where there are no
 * more tasks than such. */
static uint32_t who_is_next(const draft *d, const double *load, double weight, uint32_t open)
{
    uint32_t empty = 0, to = SEGUE_NONE;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        empty += load[m] <= 0;
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        int may = empty < open || empty == 0 || load[m] <= 0;
        double here = (load[m] + weight) / d->threads[m], best = to == SEGUE_NONE ? 0 : (load[to] + weight) / d->threads[to];
        int tie = to != SEGUE_NONE && here <= best && here >= best && d->threads[m] < d->threads[to];
        to = may && (to == SEGUE_NONE || here < best || tie) ? m : to;
    }
    return to;
}

/* The largest distance when the heaviest task goes first. */
static double packing_distance(const draft *d, const ranges *r)
{
    double load[MOST_MEMBERS] = {0}, distance = 0;
    uint32_t held[MOST_MEMBERS] = {0}, open = d->group.task_count;
    uint8_t *dealt = calloc(d->group.task_count, 1);
    for (uint32_t t; (t = heaviest_open(d, dealt)) != SEGUE_NONE; dealt[t] = 1) {
        uint32_t to = who_is_next(d, load, d->weight[t], open--);
        load[to] += d->weight[t];
        held[to]++;
    }
    free(dealt);
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        int alone = held[m] == 1 && may_hold(d, r, m, load[m]);
        distance = fmax(distance, alone ? 0 : (load[m] - r->high[m]) / r->high[m]);
        distance = fmax(distance, (r->low[m] - load[m]) / r->low[m]);
    }
    return distance;
}

static ranges find_ranges(const draft *d)
{
    ranges r;
    find_levels(d, &r);
    double tolerance = fmax(d->config.imbalance_percentage / 100, packing_distance(d, &r));
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        r.low[m] = r.low[m] * (1 - tolerance) - 1e-6;
        r.high[m] = r.high[m] * (1 + tolerance) + 1e-6;
        if (r.low[m] <= 0 && d->group.task_count >= d->group.member_count) {
            r.low[m] = 0.5; /* a task each, where there are enough */
        }
    }
    return r;
}

/* owner[t] by task. */
static void add_tasks(glp_prob *p, const draft *d, const uint32_t *owner)
{
    int members = (int)d->group.member_count, tasks = (int)d->group.task_count;
    int *column = calloc((size_t)members + 1, sizeof *column);
    double *one = calloc((size_t)members + 1, sizeof *one);
    glp_add_rows(p, tasks);
    glp_add_cols(p, tasks * members);
    for (int t = 0; t < tasks; t++) {
        for (int m = 0; m < members; m++) {
            column[m + 1] = t * members + m + 1;
            one[m + 1] = 1;
            glp_set_col_kind(p, column[m + 1], GLP_BV);
            glp_set_obj_coef(p, column[m + 1], owner[t] != (uint32_t)m);
        }
        glp_set_row_bnds(p, t + 1, GLP_FX, 1, 1);
        glp_set_mat_row(p, t + 1, members, column, one);
    }
    free(column);
    free(one);
}

/* One row over a member's tasks, of[t] each, and its own column, which says that it holds a boulder and nothing else. */
static void add_row(glp_prob *p, const draft *d, int member, const double *of, double alone, double low, double high)
{
    int members = (int)d->group.member_count, tasks = (int)d->group.task_count, row = glp_add_rows(p, 1);
    int *column = calloc((size_t)tasks + 2, sizeof *column);
    double *factor = calloc((size_t)tasks + 2, sizeof *factor);
    for (int t = 0; t < tasks; t++) {
        column[t + 1] = t * members + member + 1;
        factor[t + 1] = of[t];
    }
    column[tasks + 1] = tasks * members + member + 1;
    factor[tasks + 1] = alone;
    glp_set_row_bnds(p, row, low < high ? GLP_DB : GLP_FX, low, high);
    glp_set_mat_row(p, row, tasks + 1, column, factor);
    free(column);
    free(factor);
}

static void add_members(glp_prob *p, const draft *d, const ranges *r)
{
    uint32_t tasks = d->group.task_count;
    double *one = calloc(tasks, sizeof *one), *boulder = calloc(tasks, sizeof *boulder), all = 0;
    int first = glp_add_cols(p, (int)d->group.member_count);
    for (uint32_t t = 0; t < tasks; t++) {
        one[t] = 1;
        all += d->weight[t];
    }
    for (int m = 0; m < (int)d->group.member_count; m++) {
        glp_set_col_kind(p, first + m, GLP_BV);
        add_row(p, d, m, d->weight, 0, r->low[m], all);
        add_row(p, d, m, d->weight, -all, -all, r->high[m]); /* within its range, or alone */
        add_row(p, d, m, one, tasks, 0, tasks + 1);          /* alone: one task ... */
        for (uint32_t t = 0; t < tasks; t++) {
            boulder[t] = may_hold(d, r, (uint32_t)m, d->weight[t]);
        }
        add_row(p, d, m, boulder, -1, 0, tasks); /* ... and that is a boulder that it may hold */
    }
    free(one);
    free(boulder);
}

/* Scaled: without that the simplex has called a relaxation infeasible that was not (seed 88001445). */
static int solve(glp_prob *p)
{
    glp_smcp first;
    glp_iocp how;
    glp_init_smcp(&first);
    glp_init_iocp(&how);
    first.msg_lev = how.msg_lev = GLP_MSG_OFF;
    first.meth = GLP_DUALP;
    how.cov_cuts = GLP_ON;
    glp_scale_prob(p, GLP_SF_AUTO);
    int ended = glp_simplex(p, &first);
    return ended == 0 ? glp_intopt(p, &how) : ended;
}

static uint32_t least_moves(const draft *d, const uint32_t *owner)
{
    ranges r = find_ranges(d);
    glp_prob *p = glp_create_prob();
    glp_set_obj_dir(p, GLP_MIN);
    add_tasks(p, d, owner);
    add_members(p, d, &r);
    int ended = solve(p);
    EXPECT(ended == 0 && glp_mip_status(p) == GLP_OPT, "seed %llu: GLPK found nothing", (unsigned long long)d->seed);
    double moves = glp_mip_obj_val(p);
    glp_delete_prob(p);
    return (uint32_t)(moves + 0.5);
}

static double some_weight(chance *c, enum chance_tail tail, uint32_t most)
{
    return tail == CHANCE_EVEN ? (1 + chance_below(c, most)) * (chance_once_in(c, 12) ? 10.0 : 1.0) : chance_weight(c, tail);
}

/* Everybody serves something, since who serves nothing gets its quota by count (weigh.h). */
static draft *some_group(uint64_t seed, enum chance_tail tail, uint32_t most_tasks, uint32_t most_members, uint32_t *owner)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    uint32_t members = 2 + chance_below(&c, most_members - 1);
    uint32_t tasks = members + chance_below(&c, most_tasks - members + 1), most = 1 + chance_below(&c, 40);
    draft_tasks(d, tasks, (int)chance_below(&c, 2));
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1 + (chance_once_in(&c, 2) ? 0 : chance_below(&c, 3)));
    }
    for (uint32_t t = 0; t < tasks; t++) {
        d->weight[t] = some_weight(&c, tail, most);
        owner[t] = t < members ? t : chance_below(&c, members);
        draft_owns(d, owner[t], t, 1);
    }
    d->config.imbalance_percentage = (double[]){20, 5, 10, 35}[chance_below(&c, 4)];
    draft_group(d);
    return d;
}

static int weighs(const draft *d)
{
    for (uint32_t t = 1; t < d->group.task_count; t++) {
        if (d->weight[t] < d->weight[0] || d->weight[t] > d->weight[0]) {
            return 1;
        }
    }
    return 0;
}

static void compare(enum chance_tail tail, uint64_t cases, uint32_t most_tasks, uint32_t most_members)
{
    uint32_t owner[64], compared = 0, equal = 0;
    uint64_t ours = 0, theirs = 0;
    for (uint64_t seed = chance_seed(), last = seed + cases; seed < last; seed++) {
        draft *d = some_group(seed, tail, most_tasks, most_members, owner);
        if (weighs(d)) {
            rebalance *r = rebalance_run("balanced", d);
            uint32_t moves = r->plan.moves + r->plan.learners, least = least_moves(d, owner);
            EXPECT(moves * 100 <= least * 105, "seed %llu: %u moves, GLPK has %u", (unsigned long long)seed, moves, least);
            EXPECT(r->plan.min_moves <= least, "seed %llu: min_moves %u, GLPK has %u", (unsigned long long)seed,
                   r->plan.min_moves, least);
            compared++;
            equal += moves == least;
            ours += moves;
            theirs += least;
            rebalance_free(r);
        }
        draft_free(d);
    }
    printf("%u instances, %u equal, %llu moves for GLPK's %llu\n", compared, equal, (unsigned long long)ours,
           (unsigned long long)theirs);
    assert_true(compared > cases / 2 && theirs > 0);
}

static void small_groups_move_as_little_as_can_be(void **state)
{
    (void)state;
    compare(CHANCE_EVEN, 3000, 12, 4);
}

static void small_groups_with_heavy_tails_move_as_little_as_can_be(void **state)
{
    (void)state;
    for (enum chance_tail tail = CHANCE_EXPONENTIAL; tail < CHANCE_TAILS; tail++) {
        compare(tail, 700, 12, 4);
    }
}

static void groups_of_twenty_tasks_move_as_little_as_can_be(void **state)
{
    (void)state;
    compare(CHANCE_EVEN, 500, 20, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_groups_move_as_little_as_can_be),
        cmocka_unit_test(groups_of_twenty_tasks_move_as_little_as_can_be),
        cmocka_unit_test(small_groups_with_heavy_tails_move_as_little_as_can_be),
    };
    glp_term_out(GLP_OFF);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
