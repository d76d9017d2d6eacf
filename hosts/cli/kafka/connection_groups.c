/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection_private.h"

enum { IN_FLIGHT = 64 };

/* What a fault is about: "reading the group X". */
static const char *about(char out[CLI_CONNECTION_TEXT], const char *doing, const char *group)
{
    snprintf(out, CLI_CONNECTION_TEXT, "%s the group %s", doing, group);
    return out;
}

int cli_connection_groups(cli_connection *it, void (*visit)(void *context, const char *group), void *context)
{
    cli_call call;
    rd_kafka_event_t *event = NULL;
    int status = cli_call_begin(it, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, &call);
    if (status == 0) {
        rd_kafka_ListConsumerGroups(it->client, call.options, call.queue);
        event = cli_call_next(it, &call, "listing the groups");
        status = event == NULL ? -1 : 0;
    }
    if (event != NULL) {
        const rd_kafka_ListConsumerGroups_result_t *result = rd_kafka_event_ListConsumerGroups_result(event);
        size_t faults = 0;
        const rd_kafka_error_t **errors = rd_kafka_ListConsumerGroups_result_errors(result, &faults);
        size_t count = 0;
        const rd_kafka_ConsumerGroupListing_t **groups = rd_kafka_ListConsumerGroups_result_valid(result, &count);
        for (size_t i = 0; i < count; i++) {
            visit(context, rd_kafka_ConsumerGroupListing_group_id(groups[i]));
        }
        /* A broker that did not answer hides groups: what is missing then must not look gone. */
        if (faults > 0) {
            status = cli_connection_refused(it, "listing the groups", rd_kafka_error_code(errors[0]),
                                            rd_kafka_error_string(errors[0]));
        }
        rd_kafka_event_destroy(event);
    }
    cli_call_end(it, &call, status);
    return status;
}

static void send_read(cli_connection *it, const cli_call *call, const char *group, size_t index)
{
    rd_kafka_ListConsumerGroupOffsets_t *request = rd_kafka_ListConsumerGroupOffsets_new(group, NULL);
    rd_kafka_AdminOptions_set_opaque(call->options, (void *)(uintptr_t)index);
    rd_kafka_ListConsumerGroupOffsets(it->client, &request, 1, call->options, call->queue);
    rd_kafka_ListConsumerGroupOffsets_destroy(request);
}

/* The entries of one partition list; returns the first fault among them. */
static rd_kafka_resp_err_t visit_entries(const rd_kafka_topic_partition_list_t *list, size_t group,
                                         void (*visit)(void *context, size_t group, const cli_entry *entry),
                                         void *context)
{
    rd_kafka_resp_err_t fault = RD_KAFKA_RESP_ERR_NO_ERROR;
    for (int i = 0; list != NULL && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *row = &list->elems[i];
        cli_entry entry = {row->topic, row->partition, row->offset, row->metadata == NULL ? "" : row->metadata,
                           row->metadata == NULL ? 0 : row->metadata_size};
        if (row->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            fault = row->err;
        } else if (visit != NULL) {
            visit(context, group, &entry);
        }
    }
    return fault;
}

/* The only group of an answer, checked. */
static int take_group(cli_connection *it, const rd_kafka_group_result_t **groups, size_t count, const char *what,
                      size_t index, void (*visit)(void *context, size_t group, const cli_entry *entry), void *context)
{
    if (count != 1) {
        return cli_connection_fail(it, "%s: the answer is not about it", what);
    }
    const rd_kafka_error_t *error = rd_kafka_group_result_error(groups[0]);
    if (error != NULL) {
        return cli_connection_refused(it, what, rd_kafka_error_code(error), rd_kafka_error_string(error));
    }
    rd_kafka_resp_err_t fault = visit_entries(rd_kafka_group_result_partitions(groups[0]), index, visit, context);
    return fault == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : cli_connection_refused(it, what, fault, NULL);
}

static int take_read(cli_connection *it, const cli_call *call, const char *const *groups,
                     void (*visit)(void *context, size_t group, const cli_entry *entry), void *context)
{
    char what[CLI_CONNECTION_TEXT];
    rd_kafka_event_t *event = cli_call_next(it, call, "reading presence and marks");
    if (event == NULL) {
        return -1;
    }
    size_t index = (size_t)(uintptr_t)rd_kafka_event_opaque(event);
    size_t count = 0;
    const rd_kafka_group_result_t **result = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    int status = take_group(it, result, count, about(what, "reading", groups[index]), index, visit, context);
    rd_kafka_event_destroy(event);
    return status;
}

int cli_connection_read(cli_connection *it, const char *const *groups, size_t count,
                        void (*visit)(void *context, size_t group, const cli_entry *entry), void *context)
{
    cli_call call;
    int status = cli_call_begin(it, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, &call);
    size_t sent = 0;
    for (size_t taken = 0; status == 0 && taken < count; taken++) {
        for (; sent < count && sent < taken + IN_FLIGHT; sent++) {
            send_read(it, &call, groups[sent], sent);
        }
        status = take_read(it, &call, groups, visit, context);
    }
    cli_call_end(it, &call, status);
    return status;
}

static rd_kafka_topic_partition_list_t *one_entry(const cli_entry *entry)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *row = rd_kafka_topic_partition_list_add(list, entry->topic, entry->partition);
    row->offset = entry->offset;
    /* The list frees it. */
    row->metadata = entry->size == 0 ? NULL : strndup(entry->metadata, entry->size);
    row->metadata_size = row->metadata == NULL ? 0 : entry->size;
    return list;
}

int cli_connection_write(cli_connection *it, const char *group, const cli_entry *entry)
{
    char what[CLI_CONNECTION_TEXT];
    cli_call call;
    about(what, "writing", group);
    int status = cli_call_begin(it, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS, &call);
    if (status == 0) {
        rd_kafka_topic_partition_list_t *list = one_entry(entry);
        rd_kafka_AlterConsumerGroupOffsets_t *request = rd_kafka_AlterConsumerGroupOffsets_new(group, list);
        rd_kafka_AlterConsumerGroupOffsets(it->client, &request, 1, call.options, call.queue);
        rd_kafka_AlterConsumerGroupOffsets_destroy(request);
        rd_kafka_topic_partition_list_destroy(list);
        rd_kafka_event_t *event = cli_call_next(it, &call, what);
        status = -1;
        if (event != NULL) {
            size_t count = 0;
            const rd_kafka_group_result_t **result = rd_kafka_AlterConsumerGroupOffsets_result_groups(
                rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
            status = take_group(it, result, count, what, 0, NULL, NULL);
            rd_kafka_event_destroy(event);
        }
    }
    cli_call_end(it, &call, status);
    return status;
}

int cli_connection_delete(cli_connection *it, const char *group)
{
    char what[CLI_CONNECTION_TEXT];
    cli_call call;
    about(what, "deleting", group);
    int status = cli_call_begin(it, RD_KAFKA_ADMIN_OP_DELETEGROUPS, &call);
    if (status == 0) {
        rd_kafka_DeleteGroup_t *request = rd_kafka_DeleteGroup_new(group);
        rd_kafka_DeleteGroups(it->client, &request, 1, call.options, call.queue);
        rd_kafka_DeleteGroup_destroy(request);
        rd_kafka_event_t *event = cli_call_next(it, &call, what);
        status = -1;
        if (event != NULL) {
            size_t count = 0;
            const rd_kafka_group_result_t **result =
                rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &count);
            status = take_group(it, result, count, what, 0, NULL, NULL);
            rd_kafka_event_destroy(event);
        }
    }
    cli_call_end(it, &call, status);
    return status;
}

static int take_description(cli_connection *it, const rd_kafka_ConsumerGroupDescription_t *group, const char *what,
                            const char **state, void (*visit)(void *context, const cli_group_member *member),
                            void *context)
{
    const rd_kafka_error_t *error = rd_kafka_ConsumerGroupDescription_error(group);
    if (error != NULL) {
        return cli_connection_refused(it, what, rd_kafka_error_code(error), rd_kafka_error_string(error));
    }
    *state = rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupDescription_state(group));
    for (size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(group); i++) {
        const rd_kafka_MemberDescription_t *row = rd_kafka_ConsumerGroupDescription_member(group, i);
        cli_group_member member = {rd_kafka_MemberDescription_client_id(row), rd_kafka_MemberDescription_host(row)};
        visit(context, &member);
    }
    return 0;
}

int cli_connection_describe(cli_connection *it, const char *group, const char **state,
                            void (*visit)(void *context, const cli_group_member *member), void *context)
{
    char what[CLI_CONNECTION_TEXT];
    cli_call call;
    about(what, "describing", group);
    int status = cli_call_begin(it, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, &call);
    if (status == 0) {
        rd_kafka_DescribeConsumerGroups(it->client, &group, 1, call.options, call.queue);
        rd_kafka_event_t *event = cli_call_next(it, &call, what);
        status = -1;
        if (event != NULL) {
            size_t count = 0;
            const rd_kafka_ConsumerGroupDescription_t **groups = rd_kafka_DescribeConsumerGroups_result_groups(
                rd_kafka_event_DescribeConsumerGroups_result(event), &count);
            status = count == 1 ? take_description(it, groups[0], what, state, visit, context)
                                : cli_connection_fail(it, "%s: the answer is not about it", what);
            rd_kafka_event_destroy(event);
        }
    }
    cli_call_end(it, &call, status);
    return status;
}
