/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "error.h"
#include "isolated.h"
#include "plan.h"
#include "wire_message.h"

/* The question, with the group already in the area and the plan's columns behind it. */
static int32_t prepare(sgi_isolate *isolate, const segue_group *g, const segue_config *c, const segue_plan *plan,
                       sgi_question *question, segue_error *fault)
{
    size_t group_bytes = 0;
    segue_bound bound = {sizeof bound, 0, 0, 0};
    int32_t status = segue_host_bound(g, c, &bound);
    segue_wire_encode_group(g, c, NULL, 0, &group_bytes, NULL);
    question->kind = SGI_ASK_ASSIGN;
    question->group_bytes = group_bytes;
    question->plan_offset = sgi_plan_rounded(group_bytes);
    question->task_count = g->task_count;
    question->standby_capacity = bound.standby_rows;
    question->decision_capacity = plan->decision_capacity > 0 ? bound.decision_rows : 0;
    size_t bytes = question->plan_offset +
                   sgi_plan_bytes(g->task_count, question->standby_capacity, question->decision_capacity);
    if (status == SEGUE_OK) {
        status = sgi_isolate_room(isolate, bytes, fault);
    }
    return status == SEGUE_OK
               ? segue_wire_encode_group(g, c, isolate->shared, isolate->shared_bytes, &group_bytes, fault)
               : status;
}

/* 0: a number does not fit its field. */
static int take_scalars(const sgi_answer *answer, segue_plan *plan)
{
    const uint64_t *word = answer->scalars;
    const char *misfit = NULL;
#define TAKE_IN(field, type)
#define TAKE_OUT(field, type) sgi_##type##_of_word(*word, &plan->field, #field, &misfit);
#define TAKE(field, type, way)                                                                                        \
    TAKE_##way(field, type) word++;
    SEGUE_PLAN_SCALARS(TAKE)
#undef TAKE
#undef TAKE_OUT
#undef TAKE_IN
    return misfit == NULL;
}

static sgi_end ask(sgi_isolate *isolate, sgi_question *question, uint64_t until_ns, segue_plan *plan,
                   uint64_t *elapsed_ns, segue_error *fault)
{
    sgi_answer answer;
    uint64_t began = sgi_now_ns();
    sgi_end end = sgi_isolate_ask(isolate, question, until_ns, &answer, fault);
    *elapsed_ns = sgi_now_ns() - began;
    if (end != SGI_ANSWERED) {
        return end;
    }
    *elapsed_ns = answer.elapsed_ns < *elapsed_ns ? answer.elapsed_ns : *elapsed_ns;
    if (answer.status < 0) {
        sgi_fault(fault, answer.status, answer.rule, answer.row, "%s", answer.text);
        return SGI_FAULT;
    }
    if (!take_scalars(&answer, plan)) {
        sgi_fail(fault, SEGUE_E_INTERNAL, "its process said something that is no answer");
        return SGI_DIED;
    }
    segue_plan there = {.size = sizeof there,
                        .standby_capacity = question->standby_capacity,
                        .decision_capacity = question->decision_capacity};
    sgi_plan_place(&there, question->task_count, isolate->shared + question->plan_offset);
    sgi_plan_take_columns(plan, &there, question->task_count);
    return SGI_ANSWERED;
}

sgi_end sgi_isolated_assign(sgi_assignor *assignor, const segue_group *group, const segue_config *config,
                            segue_plan *plan, uint64_t *elapsed_ns, segue_error *fault)
{
    sgi_isolate_pool *pool = assignor->plugin->isolates;
    uint64_t until_ns = sgi_now_ns() + sgi_limit_ns(config, SGI_PATIENCE_NS);
    sgi_isolate *isolate;
    sgi_question question = {.magic = 0};
    if (sgi_isolate_pool_take(pool, &isolate, fault) != SEGUE_OK) {
        return SGI_UNSTARTED;
    }
    strncpy(question.assignor, assignor->info.name, SGI_NAME_MOST);
    sgi_plan_clear(plan);
    sgi_end end = SGI_UNSTARTED;
    if (prepare(isolate, group, config, plan, &question, fault) == SEGUE_OK) {
        end = ask(isolate, &question, until_ns, plan, elapsed_ns, fault);
    }
    int is_sound = end == SGI_ANSWERED || end == SGI_FAULT || end == SGI_UNSTARTED;
    sgi_isolate_pool_give(pool, isolate, is_sound);
    if (!is_sound && assignor->plugin->is_program) {
        sgi_isolate_pool_warm(pool);
    }
    return end;
}
