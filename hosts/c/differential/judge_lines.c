/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges plans line by line, for differential.py. In: {"group", "plan" or null, "traits"}. Out, for a plan:
 * {"status", "rule", "row", "text"} of segue_plan_check; for null: the fallback's plan document. Exit status 2 when a
 * line cannot be judged.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "segue/host.h"

static void die(const char *what, const char *text)
{
    fprintf(stderr, "judge_lines: %s: %s\n", what, text);
    exit(2);
}

static uint32_t find_name(const segue_group *g, const uint32_t *column, uint32_t count, const char *name)
{
    sgi_text wanted = {name, strlen(name)};
    for (uint32_t i = 0; i < count; i++) {
        if (sgi_compare_texts(sgi_string(g, column[i]), wanted) == 0) {
            return i;
        }
    }
    die("unknown name", name);
    return SEGUE_NONE;
}

static uint32_t task_of(const segue_group *g, json_t *id)
{
    return find_name(g, g->task_name, g->task_count, json_string_value(id));
}

/* Roles as a matrix of member rows, since a document lists tasks by member and columns list members by task. */
static void read_plan(const segue_group *g, json_t *document, segue_plan *p)
{
    char *is_standby = calloc((size_t)g->task_count * g->member_count + 1, 1);
    size_t i, j;
    json_t *member, *id;
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->active[t] = p->learner[t] = SEGUE_NONE;
    }
    json_array_foreach(json_object_get(document, "members"), i, member) {
        uint32_t m = find_name(g, g->member_name, g->member_count, json_string_value(json_object_get(member, "id")));
        json_array_foreach(json_object_get(member, "active"), j, id) p->active[task_of(g, id)] = m;
        json_array_foreach(json_object_get(member, "learner"), j, id) p->learner[task_of(g, id)] = m;
        json_array_foreach(json_object_get(member, "standby"), j, id)
            is_standby[(size_t)task_of(g, id) * g->member_count + m] = 1;
    }
    p->task_count = g->task_count;
    p->standby_start[0] = p->standby_count = 0;
    for (uint32_t t = 0; t < g->task_count; t++) {
        for (uint32_t m = 0; m < g->member_count; m++) {
            if (is_standby[(size_t)t * g->member_count + m]) {
                p->standby_member[p->standby_count++] = m;
            }
        }
        p->standby_start[t + 1] = p->standby_count;
    }
    free(is_standby);
}

static void print_verdict(int32_t status, const segue_error *error)
{
    json_t *verdict = json_pack("{s:i, s:i, s:I, s:s}", "status", status, "rule", (int)error->rule, "row",
                                (json_int_t)error->row, "text", status == SEGUE_OK ? "" : error->text);
    json_dumpf(verdict, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(verdict);
}

static void print_fallback(const segue_document *document, segue_plan *plan)
{
    char *text;
    size_t size;
    int32_t status = segue_plan_fallback(segue_document_group(document), segue_document_config(document), plan);
    if (status != SEGUE_OK ||
        segue_document_write_plan(document, "fallback", plan, 0, 0, &text, &size, NULL) != SEGUE_OK) {
        die("fallback", segue_status_word(status));
    }
    printf("%s\n", text);
    segue_free(text);
}

static void judge(json_t *line)
{
    char text[256] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    char *group = json_dumps(json_object_get(line, "group"), 0);
    segue_document *document;
    segue_plan *plan;
    if (segue_document_read(group, strlen(group), "group", &document, &error) != SEGUE_OK ||
        segue_group_check(segue_document_group(document), &error) != SEGUE_OK) {
        die("group", text);
    }
    const segue_group *g = segue_document_group(document);
    segue_bound bound = {sizeof bound, g->task_count * g->member_count + 1, 0, 0};
    if (segue_plan_new(g->task_count, &bound, 0, &plan) != SEGUE_OK) {
        die("plan", "no memory");
    }
    json_t *answer = json_object_get(line, "plan");
    if (json_is_null(answer)) {
        print_fallback(document, plan);
    } else {
        read_plan(g, answer, plan);
        uint32_t traits = (uint32_t)json_integer_value(json_object_get(line, "traits"));
        print_verdict(segue_plan_check(g, segue_document_config(document), plan, traits, &error), &error);
    }
    segue_plan_free(plan);
    segue_document_free(document);
    free(group);
    fflush(stdout);
}

int main(void)
{
    char *text = NULL;
    size_t size = 0;
    while (getline(&text, &size, stdin) > 0) {
        json_error_t error;
        json_t *line = json_loads(text, 0, &error);
        if (line == NULL) {
            die("line", error.text);
        }
        judge(line);
        json_decref(line);
    }
    free(text);
    return 0;
}
