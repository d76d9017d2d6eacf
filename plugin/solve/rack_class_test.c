/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_class.h"

#include "solve/rack_group.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

enum { A = 1 << 0, B = 1 << 1 };

/* Six tasks of two subtopologies, all but the last read in a; members 0 and 1 serve, 2 and 3 are new; all are in a. */
static draft *six_tasks(void)
{
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_tasks(d, 3, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 4);
    draft_owns(d, 1, 4, 1);
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 6; t++) {
        draft_input(d, t, t < 5 ? A : B);
    }
    memset(d->member_rack, 0, 4 * sizeof *d->member_rack);
    return d;
}

typedef struct made {
    solver *s;
    sgp_balance b;
    sgp_rack_cost cost;
    sgp_rack_classes classes;
} made;

static void make(made *m, draft *d, int by_subtopology)
{
    m->s = solver_open(d);
    const uint32_t *part = by_subtopology ? m->s->view.group->task_subtopology : NULL;
    m->b = solver_balance(m->s, SGP_TAKE_ZERO(&m->s->region, uint32_t, 4));
    assert_int_equal(sgp_rack_cost_build(&m->cost, &m->s->view, NULL, &m->s->region), SEGUE_OK);
    assert_int_equal(sgp_rack_classes_build(&m->classes, &m->b, &m->cost, part, 2, NULL), SEGUE_OK);
}

static uint32_t class_of(const made *m, uint32_t task)
{
    return m->classes.of_task[task];
}

static void tasks_of_one_server_with_the_same_replicas_are_one_class(void **state)
{
    (void)state;
    made m;
    make(&m, six_tasks(), 0);
    assert_int_equal(m.classes.count, 3); /* of 0, of 1, and the one that nobody serves */
    assert_int_equal(class_of(&m, 0), class_of(&m, 3));
    assert_int_not_equal(class_of(&m, 3), class_of(&m, 4));
    assert_int_equal(m.classes.list[class_of(&m, 5)].server, SEGUE_NONE);
    assert_int_equal(m.classes.loose, 1);
    solver_close(m.s);
}

static void subtopologies_are_told_apart_where_they_are_balanced(void **state)
{
    (void)state;
    made m;
    make(&m, six_tasks(), 1);
    assert_int_equal(m.classes.count, 4);
    assert_int_equal(class_of(&m, 0), class_of(&m, 2));
    assert_int_not_equal(class_of(&m, 2), class_of(&m, 3));
    solver_close(m.s);
}

static void a_task_that_is_learned_is_told_apart(void **state)
{
    (void)state;
    made m;
    draft *d = six_tasks();
    draft_copy(d, 2, 1, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 3, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 2, SEGUE_STANDBY, 0);
    make(&m, d, 0);
    assert_int_equal(class_of(&m, 1), class_of(&m, 3));
    assert_int_equal(class_of(&m, 0), class_of(&m, 2));
    assert_int_equal(m.classes.list[class_of(&m, 1)].learner, 2);
    assert_int_equal(m.classes.list[class_of(&m, 0)].learner, SEGUE_NONE);
    solver_close(m.s);
}

static void a_class_lists_its_tasks_in_order(void **state)
{
    (void)state;
    made m;
    make(&m, six_tasks(), 0);
    const sgp_rack_class *c = &m.classes.list[class_of(&m, 0)];
    assert_int_equal(c->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(m.classes.task[c->first + i], i);
    }
    solver_close(m.s);
}

static void new_members_of_a_rack_are_one_group_and_those_that_serve_stand_alone(void **state)
{
    (void)state;
    made m;
    make(&m, six_tasks(), 0);
    uint32_t low[] = {1, 1, 1, 1}, high[] = {2, 2, 2, 2};
    uint8_t pool[4] = {0};
    sgp_rack_bounds bounds = {.low = low, .high = high, .pool = pool};
    sgp_rack_groups groups;
    assert_int_equal(sgp_rack_groups_build(&groups, &m.b, &bounds, &m.cost, &m.classes, 0), SEGUE_OK);
    assert_int_equal(groups.count, 3);
    assert_int_equal(groups.of_member[2], groups.of_member[3]);
    assert_int_equal(groups.list[groups.of_member[2]].count, 2);
    assert_int_not_equal(groups.of_member[0], groups.of_member[1]);
    solver_close(m.s);
}

static void members_that_serve_alike_are_one_group(void **state)
{
    (void)state;
    made m;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    for (uint32_t i = 0; i < 3; i++) {
        draft_member(d, i, 1);
    }
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 8; t++) {
        draft_input(d, t, 1 + t / 4); /* four in each rack */
    }
    const uint32_t owner[] = {0, 1, 2, 2, 1, 0, 1, 0}; /* one and two: twice; two and none */
    for (uint32_t t = 0; t < 8; t++) {
        draft_owns(d, owner[t], t, 1);
    }
    make(&m, d, 0);
    uint32_t low[] = {2, 2, 2}, high[] = {3, 3, 3};
    uint8_t pool[3] = {0};
    sgp_rack_bounds bounds = {.low = low, .high = high, .pool = pool};
    sgp_rack_groups groups;
    assert_int_equal(sgp_rack_groups_build(&groups, &m.b, &bounds, &m.cost, &m.classes, 0), SEGUE_OK);
    assert_int_equal(groups.count, 2);
    assert_int_equal(groups.of_member[0], groups.of_member[1]);
    assert_int_equal(groups.list[groups.of_member[0]].load, 6);
    assert_int_equal(groups.models, 3);
    for (uint32_t t = 0; t < 8; t++) {
        uint32_t model = groups.model[m.classes.of_task[t]];
        assert_int_equal(m.classes.list[model].server, owner[t] == 1 ? 0 : owner[t]);
        assert_int_equal(m.classes.list[model].vector, m.cost.vector[t]);
    }
    low[1] = 1; /* another bound: apart again */
    assert_int_equal(sgp_rack_groups_build(&groups, &m.b, &bounds, &m.cost, &m.classes, 0), SEGUE_OK);
    assert_int_equal(groups.count, 3);
    solver_close(m.s);
}

/* Of those who learn the task and may take it: the first that is caught up, else the first. */
static uint32_t slow_learner(const rack_scene *t, uint32_t task)
{
    uint32_t count, server = sgp_staying_server(&t->b, task), found = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(&t->s->view, task, &count);
    for (int ready = 1; ready >= 0; ready--) {
        for (uint32_t i = 0; i < count && t->b.serve[task] != SEGUE_NONE; i++) {
            uint32_t member = copies[i].member;
            int may_take = t->s->view.place[member] == SGP_STAYS && member != server &&
                           (server == SEGUE_NONE || t->b.receives[member]);
            int counts = !ready || sgp_hot(&t->s->view, copies[i].lag);
            found = found == SEGUE_NONE && copies[i].role == SEGUE_LEARNER && may_take && counts ? member : found;
        }
    }
    return found;
}

static int slow_ready(const rack_scene *t, uint32_t task)
{
    uint32_t count, learner = slow_learner(t, task);
    const sgp_copy *copies = sgp_copies(&t->s->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].member == learner && sgp_hot(&t->s->view, copies[i].lag)) {
            return 1;
        }
    }
    return 0;
}

/* Everything by which tasks are told apart. */
static int are_alike(const rack_scene *t, uint32_t a, uint32_t b)
{
    const uint32_t *subtopology = t->s->view.group->task_subtopology;
    int read_alike = 1;
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        read_alike &= sgp_rack_traffic(t->s->view.group, a, m) == sgp_rack_traffic(t->s->view.group, b, m) ||
                      t->s->view.place[m] != SGP_STAYS;
    }
    return sgp_staying_server(&t->b, a) == sgp_staying_server(&t->b, b) && slow_learner(t, a) == slow_learner(t, b) &&
           slow_ready(t, a) == slow_ready(t, b) && read_alike && (!t->g.evens || subtopology[a] == subtopology[b]);
}

static void classes_hold_what_is_alike_in_the_order_of_their_servers(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        rack_scene *t = rack_scene_open(rack_scene_draft(seed, (rack_size){24, 6, seed % 2 == 0}),
                                        (rack_wish){.newcomers = seed / 2 % 2 == 0});
        uint32_t loose = 0;
        for (uint32_t a = 0; a < t->s->view.tasks; a++) {
            const sgp_rack_class *c = rack_scene_class(t, a);
            EXPECT(c->server == sgp_staying_server(&t->b, a) && c->learner == slow_learner(t, a) && c->ready == slow_ready(t, a),
                   "seed %llu: %d serves task %u, %d learns it", (unsigned long long)seed, (int)c->server, a, (int)c->learner);
            for (uint32_t b = 0; b < a; b++) {
                /* Where nobody of the group could tell, tasks with other replicas are told apart all the same. */
                EXPECT(rack_scene_class(t, b) != c || are_alike(t, a, b), "seed %llu: %u and %u are in one class",
                       (unsigned long long)seed, a, b);
                EXPECT(rack_scene_class(t, b) == c || t->cost.vector[a] != t->cost.vector[b] || !are_alike(t, a, b),
                       "seed %llu: %u and %u are told apart", (unsigned long long)seed, a, b);
            }
            loose += c->server == SEGUE_NONE;
        }
        assert_int_equal(loose, t->classes.loose);
        for (uint32_t i = 1; i < t->classes.count; i++) {
            assert_true(t->classes.list[i - 1].server <= t->classes.list[i].server);
        }
        rack_scene_close(t);
    }
}

/* Parts in any order of tasks, as weights are. */
static void tasks_of_one_part_are_one_class_wherever_they_come(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        chance dice = chance_of(seed);
        rack_scene *t = rack_scene_open(rack_scene_draft(seed, (rack_size){24, 5, seed % 2 == 0}), (rack_wish){0});
        const uint32_t tasks = t->s->view.tasks, all = 1 + chance_below(&dice, 9);
        uint32_t part[24];
        uint8_t among[24];
        sgp_rack_classes c;
        for (uint32_t a = 0; a < tasks; a++) {
            part[a] = chance_below(&dice, all);
            among[a] = !chance_once_in(&dice, 6);
        }
        assert_int_equal(sgp_rack_classes_build(&c, &t->b, &t->cost, part, all, among), SEGUE_OK);
        for (uint32_t i = 0; i < c.count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                EXPECT(c.list[i].server != c.list[j].server || c.list[i].learner != c.list[j].learner ||
                           c.list[i].ready != c.list[j].ready || c.list[i].vector != c.list[j].vector ||
                           c.list[i].part != c.list[j].part,
                       "seed %llu: %u and %u are alike", (unsigned long long)seed, j, i);
            }
        }
        for (uint32_t a = 0; a < tasks; a++) {
            const sgp_rack_class *of = &c.list[c.of_task[a]];
            EXPECT((c.of_task[a] != SEGUE_NONE) == among[a], "seed %llu: %u", (unsigned long long)seed, a);
            EXPECT(!among[a] || (of->part == part[a] && of->server == sgp_staying_server(&t->b, a)),
                   "seed %llu: %u is in another's class", (unsigned long long)seed, a);
        }
        rack_scene_close(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_of_one_server_with_the_same_replicas_are_one_class),
        cmocka_unit_test(subtopologies_are_told_apart_where_they_are_balanced),
        cmocka_unit_test(a_task_that_is_learned_is_told_apart),
        cmocka_unit_test(classes_hold_what_is_alike_in_the_order_of_their_servers),
        cmocka_unit_test(tasks_of_one_part_are_one_class_wherever_they_come),
        cmocka_unit_test(a_class_lists_its_tasks_in_order),
        cmocka_unit_test(new_members_of_a_rack_are_one_group_and_those_that_serve_stand_alone),
        cmocka_unit_test(members_that_serve_alike_are_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
