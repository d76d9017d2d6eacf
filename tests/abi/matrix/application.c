/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application PLUGIN GROUP MESSAGE [OTHER]: an application that is built from the segue/host.h of each version, run with
 * the libsegue of its own version and of others. It calls what fills or reads a record of its own size, each with a guard
 * behind it, and prints group and plan as documents. GROUP is a group document; it is written to MESSAGE as a wire
 * message, and OTHER is such a message of another version. Exit status 3: libsegue refuses the plugin, and the last line
 * says why; 1: a promise was broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../check.h"
#include "guarded.h"
#include "segue/host.h"

enum { ROOM = 1 << 16 };

static char *read_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    char *text = malloc(ROOM);
    CHECK(text != NULL);
    *size = fread(text, 1, ROOM, file);
    CHECK(*size < ROOM && fclose(file) == 0);
    return text;
}

static segue_host *open_host(const char *plugin) {
    segue_host *host = NULL;
    RECORD(segue_host_options, options);
    RECORD(segue_plugin_row, row);
    RECORD(segue_assignor_row, assignor);
    char why[400] = "";
    segue_error error = {.size = sizeof error, .text = why, .text_size = sizeof why};
    options.r = (segue_host_options){.size = sizeof options.r, .only_path = 1, .plugin_path = plugin};
    CHECK(segue_host_open(&options.r, &host, NULL) == SEGUE_OK);
    if (segue_host_assignor(host, 0, &assignor.r, &error) != SEGUE_OK) {
        printf("refused: %s\n", why);
        exit(3);
    }
    CHECK(segue_host_plugin(host, 0, &row.r, NULL) == SEGUE_OK);
    printf("version %u\n", row.r.abi_version);
    CHECK_GUARD(options);
    CHECK_GUARD(row);
    CHECK_GUARD(assignor);
    return host;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Through the message and back, into records of this application's size. */
static void pass_by_wire(const segue_group *from, const segue_config *with, const char *path) {
    RECORD(segue_group, group);
    RECORD(segue_config, config);
    size_t size = 0;
    uint64_t *words = malloc(ROOM);
    CHECK(segue_wire_encode_group(from, with, words, ROOM, &size, NULL) == SEGUE_OK);
    CHECK(segue_wire_decode_group(words, size, &group.r, &config.r, NULL) == SEGUE_OK);
    CHECK(group.r.size == sizeof group.r && config.r.size == sizeof config.r);
    CHECK(group.r.task_count == from->task_count && group.r.copy_lag != NULL);
    CHECK(config.r.acceptable_recovery_lag == with->acceptable_recovery_lag);
    CHECK(segue_group_check(&group.r, NULL) == SEGUE_OK);
    CHECK_GUARD(group);
    CHECK_GUARD(config);
    write_file(path, words, size);
    free(words);
}

/* The plan for a message that an application of another version has written. */
static void plan_message(segue_host *host, const char *assignor, const char *path) {
    RECORD(segue_plan, plan);
    RECORD(segue_report, report);
    size_t size = 0, plan_size = 0;
    char *message = read_text(path, &size), *answer = malloc(ROOM);
    report.r.text_size = 0;
    report.r.text = NULL;
    CHECK(segue_host_assign_wire(host, assignor, 0, message, size, answer, ROOM, &plan_size, &report.r, NULL) == SEGUE_OK);
    CHECK(report.r.fallback == 0 && segue_wire_decode_plan(answer, plan_size, &plan.r, NULL) == SEGUE_OK);
    printf("by message:");
    for (uint32_t t = 0; t < plan.r.task_count; t++) {
        printf(" %u/%d", plan.r.active[t], (int)plan.r.learner[t]);
    }
    printf("\n");
    CHECK_GUARD(plan);
    CHECK_GUARD(report);
    free(message);
    free(answer);
}

static void set_config(segue_config *config) {
    RECORD(segue_config, own);
    segue_config_init(&own.r);
    CHECK(own.r.size == sizeof own.r && own.r.acceptable_recovery_lag == 10000);
    CHECK(segue_config_set(&own.r, "acceptable.recovery.lag", "5", NULL) == SEGUE_OK);
    CHECK(own.r.acceptable_recovery_lag == 5 && own.r.rebalancing_mode == 0);
    CHECK_GUARD(own);
    memcpy(config, &own.r, sizeof own.r);
}

static void check_plan(const segue_group *group, const segue_config *config, segue_plan *plan, uint32_t traits) {
    RECORD(segue_plan, decoded);
    size_t size = 0;
    uint64_t *words = malloc(ROOM);
    char text[200];
    CHECK(segue_plan_check(group, config, plan, traits, NULL) == SEGUE_OK);
    CHECK(plan->decision_count == 0 || segue_decision_text(group, plan, 0, text, sizeof text) > 0);
    CHECK(segue_wire_encode_plan(plan, words, ROOM, &size, NULL) == SEGUE_OK);
    CHECK(segue_wire_decode_plan(words, size, &decoded.r, NULL) == SEGUE_OK);
    CHECK(decoded.r.size == sizeof decoded.r && decoded.r.task_count == plan->task_count);
    CHECK(memcmp(decoded.r.active, plan->active, plan->task_count * sizeof *plan->active) == 0);
    CHECK_GUARD(decoded);
    free(words);
}

static void print_group(const segue_group *group, const segue_config *config) {
    char *text = NULL;
    size_t size = 0;
    CHECK(segue_document_write_group(group, config, 0, &text, &size, NULL) == SEGUE_OK);
    printf("%s\n", text);
    segue_free(text);
}

static void plan_for(segue_host *host, const segue_document *document, const char *assignor, uint32_t traits,
                     const char *message) {
    RECORD(segue_group, group);
    RECORD(segue_config, config);
    RECORD(segue_bound, bound);
    RECORD(segue_report, report);
    RECORD(segue_plan, plan);
    segue_plan *made = NULL;
    char *text = NULL;
    size_t size = 0;
    group.r = *segue_document_group(document);
    group.r.size = sizeof group.r;
#ifdef SEGUE_GROWN_next
    static const uint32_t later[ROOM / 4] = {1, 2, 3};
    group.r.task_later_next = later;
#endif
    set_config(&config.r);
    report.r.text_size = 0;
    report.r.text = NULL;
    CHECK(segue_host_bound(&group.r, &config.r, &bound.r) == SEGUE_OK);
    CHECK(segue_plan_new(group.r.task_count, &bound.r, 1, &made) == SEGUE_OK);
    plan.r = *made;
    plan.r.size = sizeof plan.r;
    CHECK(segue_plan_fallback(&group.r, &config.r, &plan.r) == SEGUE_OK);
    CHECK(segue_host_assign(host, assignor, &group.r, &config.r, &plan.r, &report.r, NULL) == SEGUE_OK);
    CHECK(report.r.fallback == 0 && plan.r.size == sizeof plan.r);
    check_plan(&group.r, &config.r, &plan.r, traits);
    pass_by_wire(&group.r, &config.r, message);
    print_group(&group.r, &config.r);
    CHECK(segue_document_write_plan(document, assignor, &plan.r, 0, 0, &text, &size, NULL) == SEGUE_OK);
    printf("%s\n", text);
    segue_free(text);
    segue_plan_free(made);
    CHECK_GUARD(group);
    CHECK_GUARD(config);
    CHECK_GUARD(bound);
    CHECK_GUARD(report);
    CHECK_GUARD(plan);
}

int main(int count, char **arguments) {
    CHECK(count == 4 || count == 5);
    size_t size = 0;
    segue_document *document = NULL;
    char *text = read_text(arguments[2], &size);
    segue_host *host = open_host(arguments[1]);
    CHECK(segue_document_read(text, size, NULL, &document, NULL) == SEGUE_OK);
    segue_assignor_row row = {.size = sizeof row};
    for (uint32_t i = 0; segue_host_assignor(host, i, &row, NULL) == SEGUE_OK; i++) {
        plan_for(host, document, row.name, row.traits, arguments[3]);
        if (count == 5) {
            plan_message(host, row.name, arguments[4]);
        }
    }
    segue_document_free(document);
    segue_host_close(host);
    free(text);
    return 0;
}
