/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "isolation.h"
#include "plan.h"
#include "plugin.h"
#include "wire_message.h"

enum { TEXT_MOST = 255, NUMBER_MOST = 16 };

/* ---- what it offers ---------------------------------------------------------------------------------------------- */

static size_t add_text(char *area, size_t at, const char *text)
{
    size_t length = strnlen(text, TEXT_MOST);
    memcpy(area + at, text, length);
    area[at + length] = '\0';
    sgi_clean_line(area + at);
    return at + strlen(area + at) + 1;
}

static void describe(const sgi_plugin *plugin, char *area, sgi_answer *answer)
{
    size_t at = add_text(area, 0, plugin->name);
    at = add_text(area, at, plugin->version);
    for (uint32_t i = 0; i < plugin->assignor_count; i++) {
        const segue_assignor_info *info = &plugin->assignors[i].info;
        char traits[NUMBER_MOST];
        snprintf(traits, sizeof traits, "%u", info->traits);
        at = add_text(area, at, info->name);
        at = add_text(area, at, info->version);
        at = add_text(area, at, info->summary);
        at = add_text(area, at, traits);
    }
    answer->bytes = at;
    answer->scalars[0] = plugin->abi_version;
}

/* ---- a plan ------------------------------------------------------------------------------------------------------ */

static void write_scalars(const segue_plan *plan, uint64_t *words)
{
#define WRITE(field, type, way) *words++ = sgi_word_of_##type(plan->field);
    SEGUE_PLAN_SCALARS(WRITE)
#undef WRITE
}

static int32_t assign(sgi_assignor *assignor, const sgi_question *question, char *area, sgi_answer *answer,
                      segue_error *error)
{
    segue_group group = {.size = sizeof group};
    segue_config config = {.size = sizeof config};
    sgi_lease *lease = NULL;
    segue_plan plan = {.size = sizeof plan,
                       .standby_capacity = question->standby_capacity,
                       .decision_capacity = question->decision_capacity};
    int32_t status = segue_wire_decode_group(area, question->group_bytes, &group, &config, error);
    status = status == SEGUE_OK ? sgi_pool_take(&assignor->pool, &lease, error) : status;
    if (status != SEGUE_OK) {
        return status;
    }
    sgi_plan_place(&plan, question->task_count, area + question->plan_offset);
    sgi_plan_clear(&plan);
    uint64_t began = sgi_now_ns();
    pid_t own = getpid();
    status = assignor->pool.slots->assign(lease->instance, &group, &config, &plan, error);
    sgi_end_copy(own, assignor->info.name);
    answer->elapsed_ns = sgi_now_ns() - began;
    write_scalars(&plan, answer->scalars);
    sgi_pool_give(&assignor->pool, lease, status >= 0);
    return status;
}

void ask_plugin(sgi_plugin *plugin, const sgi_question *question, char *area, sgi_answer *answer)
{
    segue_error error = {
        .size = sizeof error, .row = SEGUE_NONE, .text = answer->text, .text_size = sizeof answer->text};
    int32_t status = sgi_plugin_load(plugin, NULL, &error);
    if (status == SEGUE_OK && question->kind == SGI_ASK_DESCRIBE) {
        describe(plugin, area, answer);
    } else if (status == SEGUE_OK) {
        sgi_assignor *assignor = sgi_plugin_find(plugin, question->assignor);
        status = assignor == NULL ? sgi_fail(&error, SEGUE_E_NAME, "%s has no assignor %s any more", plugin->path,
                                             question->assignor)
                                  : assign(assignor, question, area, answer, &error);
    }
    answer->status = status;
    answer->rule = error.rule;
    answer->row = error.row;
}
